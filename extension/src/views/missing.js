// The lorebook of the open timeline is gone: the user says what takes its place.

import { forgetBook } from '../books.js';
import { changing, unchanging } from '../changing.js';
import { engine } from '../engine.js';
import { hostFor, refreshBooks } from '../host.js';
import { takeBack } from '../mending.js';
import { preferences } from '../preferences.js';
import { judgeAgain } from '../readiness.js';
import { context, keyOf, openPlace } from '../tavern.js';
import { OTHER_OPERATION, QUESTION_OF_OTHERS } from '../times.js';
import { say } from '../words.js';
import { draw, icon } from './draw.js';
import { tell, tellDone } from './notices.js';
import { tellFailure } from './preview.js';

/** @typedef {import('../../types/lorefork').LostLorebook} Lost */

/**
 * Asks, does what is chosen, and says so. Nothing is written before.
 * @returns {Promise<boolean | null>} whether it is left as it is; null if the chat was left before anybody could be asked
 */
export async function askForLost() {
    const place = openPlace();
    if (!place) return null;
    const isOpen = () => keyOf(openPlace() ?? place) === keyOf(place);
    // Auto-Recap asks, too, and may make one.
    while (isOpen() && document.querySelector('dialog.popup[open]')) await new Promise((resolve) => setTimeout(resolve, QUESTION_OF_OTHERS));
    // Or we are just bringing it back.
    await unchanging();
    const { lostLorebook, replaceLost } = await engine();
    const chat = JSON.stringify(place);
    const host = () => hostFor(place, { patience: OTHER_OPERATION });
    const lost = await lostLorebook(host(), chat);
    if (!isOpen()) return null;
    if (!lost || lost.error) return false;
    const instead = await choose(lost);
    if (instead === null) return true;
    // The page may still have it in memory, if it was deleted elsewhere; that is not the server's.
    forgetBook(lost.lorebook);
    const done = await changing(() => replaceLost(host(), chat, instead, JSON.stringify(preferences().shared)));
    if (done.error) {
        tellFailure(done.error);
        return true;
    }
    await refreshBooks();
    judgeAgain();
    const { id } = done;
    if (id === null) toastr.info(say('Nothing was changed.'), say('Missing lorebook'));
    else tellDone([place.name, say(DONE[instead])], say('Missing lorebook'), () => void takeBack(id, true));
    return false;
}

/**
 * A warning that stays.
 * @param {string} lorebook
 */
export const tellLost = (lorebook) => tell('warning',
    [say('“{0}” is missing. SillyTavern goes on with an empty lorebook, and saves it under that name as soon as something is written to it.', lorebook)],
    say('Missing lorebook'), { timeOut: 0, extendedTimeOut: 0, closeButton: true });

/** @typedef {'rebuild' | 'parent' | 'empty' | 'detach'} Instead */

const DONE = {
    rebuild: 'Its lorebook is rebuilt from what was recorded.',
    parent: 'It has a copy of its parent’s lorebook now.',
    empty: 'It has an empty lorebook now.',
    detach: 'It has no lorebook any more.',
};

/**
 * @param {Lost} lost
 * @returns {Promise<Instead | null>}
 */
async function choose({ lorebook, snapshot, parent, parentLorebook }) {
    const { Popup, POPUP_TYPE } = context();
    /** @type {Instead | null} */
    let chosen = null;
    /** @param {Instead} instead @param {string} sign @param {string} words @param {string} why */
    const choice = (instead, sign, words, why) => {
        const row = draw('div', 'menu_button lorefork-choice', icon(sign), draw('div', '', draw('div', '', words), draw('small', '', why)));
        row.setAttribute('role', 'button');
        row.dataset.instead = instead;
        row.addEventListener('click', () => {
            chosen = instead;
            void popup.completeAffirmative();
        });
        return row;
    };
    const content = draw('div', 'lorefork-missing',
        draw('h3', '', say('The lorebook of this timeline is missing')),
        draw('div', 'lorefork-cause', say('“{0}” was deleted, renamed or moved. What shall take its place?', lorebook)),
        snapshot === null ? null : choice('rebuild', 'fa-clock-rotate-left', say('Rebuild it from what was recorded'), say('The newest snapshot is of message {0} of this chat.', snapshot)),
        parent === null ? null : choice('parent', 'fa-copy', say('Copy the parent’s lorebook'), say('“{0}” as it is now, with what happens later in “{1}”.', parentLorebook ?? '', parent)),
        choice('empty', 'fa-file', say('Create an empty one'), say('Under the same name.')),
        choice('detach', 'fa-link-slash', say('Detach it'), say('This chat then has no lorebook.')));
    const popup = new Popup(content, POPUP_TYPE.TEXT, '', { okButton: say('Leave it as it is'), allowVerticalScrolling: true, leftAlign: true });
    await popup.show();
    return chosen;
}
