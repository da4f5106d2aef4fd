// Entries of which nobody can tell, for the user to say what is so.

import { context } from '../tavern.js';
import { said, say } from '../words.js';
import { draw, point } from './draw.js';

/** @typedef {import('../../types/lorefork').OpenEntry} OpenEntry */

/** Characters of an entry that are shown; all of it on a tap. */
const SHOWN = 160;

/**
 * @param {{ all: OpenEntry[], warnings: import('../../types/lorefork').Finding[] }} listed
 * @returns {Promise<{ keep: string[], drop: string[] } | null>}
 */
export async function askToDecide({ all: entries, warnings }) {
    const { Popup, POPUP_TYPE, POPUP_RESULT } = context();
    const rows = entries.map(rowOf);
    const words = entries.length === 1
        ? say('Of one entry nobody can tell whether it was so in this timeline.')
        : say('Of {0} entries nobody can tell whether they were so in this timeline.', entries.length);
    const content = draw('div', 'lorefork-deciding',
        draw('h3', '', say('What belongs to this timeline?')),
        draw('div', 'lorefork-lead', words),
        draw('ol', '', ...rows.map(({ row }) => row)),
        ...warnings.map((warning) => point('fa-triangle-exclamation', said(warning))),
        draw('small', '', say('What is left open stays as it is. It can be taken back afterwards.')));
    const popup = new Popup(content, POPUP_TYPE.CONFIRM, '', { okButton: say('Decide'), cancelButton: say('Close'), allowVerticalScrolling: true, leftAlign: true, wider: true });
    if ((await popup.show()) !== POPUP_RESULT.AFFIRMATIVE) return null;
    const of = (/** @type {string} */ verdict) => rows.filter((row) => row.verdict() === verdict).map(({ uid }) => uid);
    return { keep: of('keep'), drop: of('drop') };
}

/** @param {OpenEntry} entry */
function rowOf({ uid, name, content, with: others }) {
    const choice = document.createElement('select');
    choice.className = 'text_pole';
    choice.title = name;
    choice.setAttribute('aria-label', name);
    for (const [value, words] of [['', say('open')], ['keep', say('keep')], ['drop', say('drop')]]) {
        choice.append(new Option(words, value));
    }
    const short = content.length > SHOWN ? `${content.slice(0, SHOWN)}…` : content;
    const text = draw('div', 'lorefork-said', short);
    if (short !== content) text.addEventListener('click', () => (text.textContent = content), { once: true });
    const row = draw('li', '',
        draw('div', 'lorefork-finding',
            draw('b', '', name || say('unnamed')),
            draw('small', '', ` #${uid}`),
            text,
            others.length ? draw('small', '', say('Also: {0}', others.join(', '))) : null),
        choice);
    return { uid, row, verdict: () => choice.value };
}
