// What people say of a timeline: label, colour, note; and what its file is called.

import { context } from '../tavern.js';
import { say } from '../words.js';
import { draw } from './draw.js';

/** @typedef {import('../../types/lorefork').Timeline} Timeline */

/** Readable on dark and on light. */
const COLOURS = ['', '#e05d5d', '#d98a3d', '#b59b2d', '#4fa36a', '#3f9ca8', '#5b86d6', '#9a6fd0', '#c765a8'];

/**
 * Resolves to what is to be said of it, or null.
 * @param {Timeline} one
 * @returns {Promise<import('../../types/lorefork').Words | null>}
 */
export async function askForWords(one) {
    const { Popup, POPUP_TYPE, POPUP_RESULT } = context();
    const label = /** @type {HTMLInputElement} */ (draw('input', 'text_pole'));
    label.value = one.label ?? '';
    label.placeholder = one.proposed ?? one.name;
    label.maxLength = 120;
    const note = /** @type {HTMLTextAreaElement} */ (draw('textarea', 'text_pole'));
    note.value = one.note ?? '';
    note.rows = 3;
    const colours = draw('div', 'lorefork-colours');
    colours.setAttribute('role', 'radiogroup');
    colours.setAttribute('aria-label', say('Colour'));
    let colour = one.colour ?? '';
    const known = COLOURS.includes(colour) ? COLOURS : [...COLOURS, colour];
    colours.append(...known.map((value, n) => {
        const input = /** @type {HTMLInputElement} */ (draw('input', ''));
        input.type = 'radio';
        input.name = 'lorefork-colour';
        input.checked = value === colour;
        input.title = value === '' ? say('No colour') : value;
        input.setAttribute('aria-label', value === '' ? say('No colour') : say('Colour {0}', n));
        if (value) input.style.setProperty('--lorefork-colour', value);
        input.addEventListener('change', () => (colour = value));
        return input;
    }));
    const propose = one.proposed && !one.label ? draw('div', 'menu_button', say('Use “{0}”', one.proposed)) : null;
    propose?.addEventListener('click', () => {
        label.value = one.proposed ?? '';
        label.focus();
    });
    const content = draw('div', 'lorefork-words',
        draw('h3', '', say('Label this timeline')),
        draw('div', 'lorefork-where', one.chat),
        field(say('Label'), label), propose,
        draw('div', 'lorefork-setting', draw('span', '', say('Colour')), colours),
        field(say('Note'), note),
        draw('small', '', say('It stands in the chat itself, so it goes where the chat goes.')));
    const popup = new Popup(content, POPUP_TYPE.CONFIRM, null, { okButton: say('Save'), cancelButton: say('Cancel'), leftAlign: true, allowVerticalScrolling: true });
    const shown = popup.show();
    label.focus();
    if ((await shown) !== POPUP_RESULT.AFFIRMATIVE) return null;
    return { label: label.value.trim(), colour, note: note.value.trim() };
}

/**
 * @param {string} words
 * @param {HTMLElement} input
 */
function field(words, input) {
    return draw('label', 'lorefork-setting', draw('span', '', words), input);
}

/**
 * Resolves to the new name, or null.
 * @param {string} name
 */
export async function askForNewName(name) {
    const { Popup, POPUP_TYPE } = context();
    const content = draw('div', '', draw('h3', '', say('Rename this timeline')),
        draw('div', '', say('Links, children and its map follow. Give the old name back, and everything is as before.')));
    const answer = await new Popup(content, POPUP_TYPE.INPUT, name).show();
    return typeof answer === 'string' && answer.trim() && answer !== name ? answer : null;
}
