// What is wrong with the open family, for people to read, with buttons that put it right.

import { onChanges } from '../changing.js';
import { look } from '../health.js';
import { mend } from '../mending.js';
import { context, openPlace } from '../tavern.js';
import { said, say, told } from '../words.js';
import { showDiary } from './diary.js';
import { button, draw, icon } from './draw.js';
import { askForMissing } from './refusal.js';

/** @typedef {import('../../types/lorefork').Problem} Problem */

const FIX_ALL = 1001;
const DIARY = 1002;
const AGAIN = 1003;
const SIGNS = { error: 'fa-circle-xmark', warning: 'fa-triangle-exclamation', note: 'fa-circle-info' };

/** Shows what a fresh look finds. */
export async function showFindings() {
    const { Popup, POPUP_TYPE } = context();
    if (!openPlace()) {
        toastr.info(say('No chat is open.'), 'Lorefork');
        return;
    }
    for (;;) {
        const problems = await lookOrTell();
        if (!problems) return;
        const isMendable = problems.some(({ automatic }) => automatic);
        /** @type {string | null} */
        let chosen = null;
        const content = contentOf(problems, (key) => {
            chosen = key;
            void popup.completeAffirmative();
        });
        const popup = new Popup(content, POPUP_TYPE.TEXT, '', {
            okButton: say('Close'),
            customButtons: [
                ...(isMendable ? [{ text: say('Fix all…'), result: FIX_ALL }] : []),
                { text: say('What Lorefork did'), result: DIARY },
            ],
            allowVerticalScrolling: true,
            leftAlign: true,
            wider: true,
        });
        // By the button of a notice, for example.
        const stop = onChanges((isUnderWay) => !isUnderWay && void popup.complete(AGAIN));
        const result = await popup.show();
        stop();
        if (result === AGAIN) continue;
        if (result === DIARY) return showDiary();
        if (result === FIX_ALL) await mend([]);
        else if (chosen !== null) await mendOne(problems, chosen);
        else return;
    }
}

/**
 * What is missing can be replaced in several ways.
 * @param {Problem[]} problems
 * @param {string} key
 */
async function mendOne(problems, key) {
    const isMissing = problems.some((problem) => problem.key === key && problem.code === 'MISSING_LOREBOOK');
    const missing = isMissing ? await askForMissing() : undefined;
    if (missing !== null) await mend([key], { missing });
}

/** @returns {Promise<Problem[] | null>} */
async function lookOrTell() {
    try {
        return await look();
    } catch (error) {
        toastr.error(told(error), say('The timelines could not be looked at'));
        return null;
    }
}

/**
 * @param {Problem[]} problems
 * @param {(key: string) => void} choose
 */
function contentOf(problems, choose) {
    const words = problems.length === 0
        ? say('Nothing is wrong with the timelines of this chat.')
        : problems.length === 1 ? say('One problem was found.') : say('{0} problems were found.', problems.length);
    return draw('div', 'lorefork-findings',
        draw('h3', '', say('Timeline check')),
        draw('div', 'lorefork-lead', problems.length ? null : icon('fa-circle-check'), words),
        draw('ol', '', ...problems.map((problem) => rowOf(problem, choose))));
}

/**
 * @param {Problem} problem
 * @param {(key: string) => void} choose
 */
function rowOf(problem, choose) {
    const { key, severity, chat, lorebook, at, others, advice, automatic } = problem;
    const where = [chat, at === null ? null : say('message {0}', at), chat && lorebook ? null : lorebook].filter((part) => part !== null).join(' · ');
    const row = draw('li', '',
        icon(SIGNS[severity]),
        draw('div', 'lorefork-finding',
            where ? draw('div', 'lorefork-where', where) : null,
            draw('div', 'lorefork-cause', said(problem)),
            others.length ? draw('small', '', say('Also: {0}', others.join(', '))) : null,
            draw('div', 'lorefork-remedy', icon('fa-arrow-right'), draw('span', '', said(advice)))),
        automatic ? button('fa-wrench', say('Fix…'), () => choose(key)) : null);
    row.dataset.severity = severity;
    return row;
}
