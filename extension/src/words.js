// Words in the user's language, by SillyTavern's own mechanism: the English text is the key.
//
// What the engine says comes as such a text and its values apart (`Said`), so nothing is ever read out of a sentence.

import { context } from './tavern.js';

/** @typedef {import('../types/lorefork').Said} Said */

/**
 * @param {string} text with `{0}`, `{1}` for the values
 * @param {(string | number)[]} values
 */
export function say(text, ...values) {
    return fill(context().translate(text), values.map(String));
}

/**
 * @param {string} text
 * @param {string[]} values
 */
const fill = (text, values) => text.replace(/\{(\d)\}/g, (_, index) => values[Number(index)] ?? '');

/**
 * A sentence of the engine.
 * @param {Said | null} sentence
 * @returns {string}
 */
export function said(sentence) {
    if (!sentence) return '';
    return fill(context().translate(sentence.says), sentence.with.map((value) => (Array.isArray(value) ? listed(value.map(said)) : String(value))));
}

/**
 * One after the other, parted by commas; by semicolons if there are commas in them.
 * @param {string[]} all
 */
const listed = (all) => all.join(all.some((one) => one.includes(', ')) ? '; ' : ', ');

/**
 * What somebody else said, in words that nobody here knows.
 * @param {string} text
 * @returns {Said}
 */
export const quoted = (text) => ({ says: '{0}', with: [text] });

/**
 * Why something went wrong: an answer of the engine, or whatever was thrown, which speaks the user's language already.
 * @param {unknown} why
 */
export function told(why) {
    if (why instanceof Error) return why.message;
    return why && typeof why === 'object' && 'says' in why ? said(/** @type {Said} */ (why)) : String(why ?? '');
}

/**
 * Something that was thrown, as an answer of the engine.
 * @param {unknown} error
 * @returns {import('../types/lorefork').Failure}
 */
export const failure = (error) => ({ code: 'ENGINE', ...quoted(told(error)), message: told(error), hint: '', advice: null, report: null });
