// The name of a checkpoint, asked as SillyTavern asks for it, and the number of a message.

import { context } from '../tavern.js';
import { say } from '../words.js';
import { draw, title } from './draw.js';

/**
 * Resolves to the name, empty if one shall be thought of, or null if the user wants none.
 * @param {string} suggested
 * @param {boolean} isReplaced whether the message links to a checkpoint already
 */
export async function askForName(suggested, isReplaced) {
    const { Popup, POPUP_TYPE, translate } = context();
    const replaces = 'The currently existing checkpoint will be unlinked and replaced with the new checkpoint, but can still be found in the Chat Management.';
    const content = draw('div', '',
        draw('h3', '', title('checkpoint')),
        draw('div', '',
            draw('span', 'margin-right-10px', translate('Enter Checkpoint Name:')),
            draw('small', '', translate('(Leave empty to auto-generate)'))),
        isReplaced ? draw('div', 'm-t-1', draw('small', '', translate(replaces))) : null);
    const answer = await new Popup(content, POPUP_TYPE.INPUT, suggested).show();
    if (typeof answer !== 'string') return null;
    // Unchanged, it is SillyTavern's own choice, and may count on if somebody takes it first.
    return answer === suggested ? '' : answer;
}

/** Resolves to the message that the user names, or null. @returns {Promise<number | null>} */
export async function askForMessage() {
    const { Popup, POPUP_TYPE, chat } = context();
    const content = draw('div', '',
        draw('h3', '', say('Rewind this timeline')),
        draw('div', '', say('Its lorebook and running recap become what they were at a message. All messages stay.')),
        draw('div', '', say('Which message? (0 to {0})', chat.length - 1)));
    const answer = await new Popup(content, POPUP_TYPE.INPUT, String(chat.length - 1)).show();
    return typeof answer === 'string' && /^\s*\d+\s*$/.test(answer) ? Number(answer) : null;
}
