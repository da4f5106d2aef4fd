// Lorebooks of ours that nobody names any more: a page that lists them, and deletes what the user chooses.

import { engine } from '../engine.js';
import { EveryoneHost } from '../everyone.js';
import { hostFor, refreshBooks } from '../host.js';
import { takeBack } from '../mending.js';
import { context } from '../tavern.js';
import { OTHER_OPERATION } from '../times.js';
import { say, told } from '../words.js';
import { draw } from './draw.js';
import { tellDone } from './notices.js';
import { tellFailure } from './preview.js';

/** @typedef {import('../../types/lorefork').Orphan} Orphan */

const DELETE = 1001;

/** A second click while all chats are looked at waits for the same page. @type {Promise<void> | null} */
let shown = null;

export const showOrphans = () => (shown ??= show().finally(() => (shown = null)));

async function show() {
    const { Popup, POPUP_TYPE } = context();
    const searching = toastr.info(say('All chats are looked at. This may take a while.'), say('Lorebooks without a timeline'), { timeOut: 0, extendedTimeOut: 0 });
    let found;
    let lorefork;
    /** @type {() => EveryoneHost} */
    let host;
    try {
        const module = await engine();
        lorefork = module;
        host = () => hostFor(null, { patience: OTHER_OPERATION }, EveryoneHost);
        found = await module.orphans(host());
    } catch (error) {
        return void toastr.error(told(error), 'Lorefork');
    } finally {
        toastr.clear(searching, { force: true });
    }
    if ('error' in found && found.error) return void tellFailure(found.error);
    const orphans = /** @type {Orphan[]} */ (found);
    const rows = orphans.map(rowOf);
    const result = await new Popup(contentOf(rows.map(({ row }) => row)), POPUP_TYPE.TEXT, '', {
        okButton: say('Close'),
        customButtons: orphans.length ? [{ text: say('Delete the chosen ones'), result: DELETE }] : [],
        allowVerticalScrolling: true,
        leftAlign: true,
        wider: true,
    }).show();
    const names = rows.filter(({ input }) => input.checked).map(({ name }) => name);
    if (result !== DELETE || names.length === 0) return;
    const swept = await lorefork.sweepOrphans(host(), JSON.stringify(names));
    if (swept.error) return void tellFailure(swept.error);
    await refreshBooks();
    const { id } = swept;
    if (id === null) return void toastr.info(say('Nothing was changed.'), 'Lorefork');
    tellDone([...swept.names, say('Copies are kept in user/files.')], say('Lorebooks deleted'), () => void takeBack(id, true));
}

/** @param {HTMLElement[]} rows */
function contentOf(rows) {
    return draw('div', 'lorefork-orphans',
        draw('h3', '', say('Lorebooks without a timeline')),
        draw('div', 'lorefork-lead', rows.length
            ? say('Lorefork made them for timelines that are gone. No chat, character, persona or setting names them.')
            : say('There are none: every lorebook that Lorefork made is in use.')),
        draw('ul', '', ...rows),
        rows.length ? draw('small', '', say('Chats of characters that were deleted without their chats cannot be seen from here. What is deleted is kept in user/files and can be brought back.')) : null);
}

/** @param {Orphan} orphan */
function rowOf({ name, bytes, time, timeline, from, at }) {
    const input = /** @type {HTMLInputElement} */ (draw('input', ''));
    input.type = 'checkbox';
    input.value = name;
    const size = bytes < 1_000_000 ? say('{0} KB', Math.ceil(bytes / 1000)) : say('{0} MB', (bytes / 1e6).toFixed(1));
    const origin = at === null ? say('made for “{0}”, from “{1}”', timeline, from) : say('made for “{0}” at message {1}, from “{2}”', timeline, at, from);
    const date = time === null ? null : say('without a timeline since {0}', new Date(time).toLocaleString());
    const label = draw('label', 'checkbox_label', input,
        draw('div', '', draw('div', 'lorefork-cause', name), draw('small', '', [size, date].filter(Boolean).join(' · ')), draw('small', '', origin)));
    return { name, input, row: draw('li', '', label) };
}
