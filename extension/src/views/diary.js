// What Lorefork did: a diary, newest first, with buttons that take it back.

import { onChanges } from '../changing.js';
import { engine } from '../engine.js';
import { hostFor } from '../host.js';
import { takeBack } from '../mending.js';
import { giveNameBack } from '../story-acts.js';
import { context } from '../tavern.js';
import { said, say, told } from '../words.js';
import { button, draw, icon } from './draw.js';
import { filesOf } from './preview.js';

/**
 * @typedef {import('../../types/lorefork').Log} Log
 * @typedef {import('../../types/lorefork').Operation} Operation
 */

/** What was done, and a sign for it. @type {Record<Operation['what'], [string, string]>} */
const WORDS = {
    checkpoint: ['Made the checkpoint “{0}”', 'fa-flag'],
    branch: ['Made the branch “{0}”', 'fa-code-branch'],
    isolate: ['Gave “{0}” its own lorebook', 'fa-book-atlas'],
    fix: ['Repaired: {0}', 'fa-wrench'],
    untangle: ['Untangled {0}', 'fa-scissors'],
    rewind: ['Rewound {0}', 'fa-clock-rotate-left'],
    delete: ['Deleted {0}', 'fa-trash-can'],
    sweep: ['Swept up {0}', 'fa-broom'],
    decide: ['Decided: {0}', 'fa-scale-balanced'],
    follow: ['Followed {0}', 'fa-link'],
    label: ['Labelled {0}', 'fa-tag'],
    rename: ['Renamed: {0}', 'fa-pencil'],
    carry: ['Carried over: {0}', 'fa-right-left'],
    undo: ['Took back: {0}', 'fa-rotate-left'],
};

/** Something was done or taken back meanwhile. */
const AGAIN = 1003;

/** @returns {Promise<Log>} */
export async function readDiary() {
    const { log } = await engine();
    const found = await log(hostFor(null));
    if (found.error) throw new Error(said(found.error));
    return found;
}

export async function showDiary() {
    const { Popup, POPUP_TYPE } = context();
    for (;;) {
        let log;
        try {
            log = await readDiary();
        } catch (error) {
            toastr.error(told(error), 'Lorefork');
            return;
        }
        /** @type {Operation | null} */
        let chosen = null;
        const content = contentOf(log, (operation) => {
            chosen = operation;
            void popup.completeAffirmative();
        });
        const popup = new Popup(content, POPUP_TYPE.TEXT, '', { okButton: say('Close'), allowVerticalScrolling: true, leftAlign: true, wider: true });
        const stop = onChanges((isUnderWay) => !isUnderWay && void popup.complete(AGAIN));
        const result = await popup.show();
        stop();
        if (result === AGAIN) continue;
        if (chosen === null) return;
        await undo(chosen);
    }
}

/** @param {Operation} operation */
const undo = (operation) => (operation.renamed ? giveNameBack(operation.renamed, operation) : takeBack(operation.id));

/**
 * @param {Log} log
 * @param {(operation: Operation) => void} choose
 */
function contentOf({ operations, trash, unreadable }, choose) {
    const [amount, unit] = trash.bytes < 1e6 ? [trash.bytes / 1e3, 'kilobyte'] : [trash.bytes / 1e6, 'megabyte'];
    const size = amount.toLocaleString(context().getCurrentLocale(), { style: 'unit', unit, maximumFractionDigits: 1 });
    return draw('div', 'lorefork-diary',
        draw('h3', '', say('What Lorefork did')),
        operations.length ? null : draw('div', 'lorefork-lead', say('Nothing was done yet.')),
        draw('ol', '', ...operations.map((operation) => rowOf(operation, choose))),
        ...unreadable.map((why) => draw('small', '', said(why))),
        trash.files ? draw('small', '', say('Former states are kept in user/files: {0} files, {1}.', trash.files, size)) : null);
}

/**
 * What can be done about it, if anything can.
 * @param {Operation} operation
 * @param {(operation: Operation) => void} choose
 */
function endOf(operation, choose) {
    const { what, back, renamed } = operation;
    const offer = (/** @type {string} */ words) => button('fa-rotate-left', words, () => choose(operation));
    switch (back) {
        case 'undone': return draw('div', 'lorefork-undone', say('taken back'));
        case 'emptied': return draw('div', 'lorefork-undone', say('no longer in the trash'));
        case 'name': return renamed && offer(say('Undo…'));
        default: return offer(what === 'undo' ? say('Do it again…') : say('Undo…'));
    }
}

/**
 * @param {Operation} operation
 * @param {(operation: Operation) => void} choose
 */
function rowOf(operation, choose) {
    const { what, title, time, files } = operation;
    const [words, sign] = WORDS[what];
    const summary = draw('summary', '', say(words, said(title)));
    const row = draw('li', '',
        icon(sign),
        draw('div', 'lorefork-finding',
            draw('div', 'lorefork-where', new Date(time).toLocaleString()),
            draw('details', '', summary, filesOf(files))),
        endOf(operation, choose));
    row.dataset.what = what;
    return row;
}
