// The first meeting, and the meeting with a SillyTavern that nobody has tried.

import { NEWEST_TRIED, OLDEST_TRIED } from '../tried.js';
import { say } from '../words.js';
import { draw } from './draw.js';

/** These stay: whoever was not looking finds them later. */
const UNTIL_CLOSED = { escapeHtml: false, timeOut: 0, extendedTimeOut: 0, closeButton: true, tapToDismiss: false };

/**
 * @param {{ untried: string | null, check: () => void, onClosed: () => void }} how `untried`: this SillyTavern, if nobody
 *   has tried it
 */
export function introduce({ untried, check, onClosed }) {
    const button = draw('div', 'menu_button lorefork-offer', say('Check my timelines'));
    button.setAttribute('role', 'button');
    const content = draw('div', 'lorefork-notice',
        draw('div', '', say('From now on each checkpoint and branch gets its own lorebook, as it was at that message. Make them as always.')),
        draw('div', '', say('Settings: Extensions → Lorefork. All it can do: “Lorefork” in the menu of the wand.')),
        untried ? draw('div', '', untriedWords(untried)) : null,
        button);
    const toast = toastr.info($(content), say('Lorefork is installed'), { ...UNTIL_CLOSED, onHidden: onClosed });
    button.addEventListener('click', () => {
        // Of this nobody hears that it is hidden.
        toastr.clear(toast, { force: true });
        onClosed();
        check();
    });
}

/**
 * @param {string} version
 * @param {() => void} onClosed
 */
export function tellUntried(version, onClosed) {
    const content = draw('div', 'lorefork-notice', draw('div', '', untriedWords(version)));
    toastr.info($(content), 'Lorefork', { ...UNTIL_CLOSED, onHidden: onClosed });
}

/** @param {string} version */
export function tellTooOld(version) {
    const words = say('Lorefork needs SillyTavern {0} or newer; this is {1}. Until it is updated, Lorefork does nothing.', OLDEST_TRIED, version);
    toastr.warning($(draw('div', 'lorefork-notice', draw('div', '', words))), 'Lorefork', UNTIL_CLOSED);
}

/** @param {string} version */
const untriedWords = (version) =>
    say('Lorefork was not tried with SillyTavern {0} yet, only up to {1}. It stays switched on; if something looks wrong, update Lorefork.', version, NEWEST_TRIED);
