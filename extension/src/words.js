// Words in the user's language, by SillyTavern's own mechanism: the English text is the key.
//
// Texts of the engine come in English with names and numbers in them. Those whose pattern is a key, such as
// `There is no message {0}`, are recognised and said in the user's language; all others stay English.

import { context } from './tavern.js';

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

/** Our words in the language of the page. @type {{ keys: Set<string>, patterns: [RegExp, string][] } | null} */
let known = null;

/**
 * A sentence of the engine in the user's language.
 * @param {string} text
 */
export function heard(text) {
    if (!known?.keys.size) return context().translate(text);
    return ours(text) ?? text.split(/(?<=\.) (?=[A-Z])/).map((part) => ours(part) ?? ended(part) ?? part).join(' ');
}

/** @param {string} text a sentence of ours to which somebody put its full stop */
function ended(text) {
    const said = text.endsWith('.') ? ours(text.slice(0, -1)) : null;
    // Not every language has a dot there.
    return said && said + context().translate('Check again.').slice(-1);
}

/**
 * @param {string} text
 * @returns {string | null} nothing if it is not a sentence of ours
 */
function ours(text) {
    if (known?.keys.has(text)) return context().translate(text);
    for (const [pattern, key] of known?.patterns ?? []) {
        const match = pattern.exec(text);
        if (match) return fill(context().translate(key), match.slice(1).map((value, index) => mayBeOurs(key, index) ? within(value) : value));
    }
    // What a host says of a file has the file in front.
    const [, file, rest] = /^([^\n]+?\.(?:jsonl?|png)): ([\s\S]+)$/.exec(text) ?? [];
    const said = rest ? ours(rest) : null;
    return said && `${file}: ${said}`;
}

/**
 * Whether a sentence may stand in that place of another one: names stand in quotation marks, files in front.
 * @param {string} key
 * @param {number} index
 */
function mayBeOurs(key, index) {
    const at = key.indexOf(`{${index}}`);
    return at > 0 && key[at - 1] !== '“';
}

/** @param {string} text one sentence of ours, or several, or none */
const within = (text) => ours(text) ?? text.split(', ').map((part) => ours(part) ?? part).join(', ');

/** What is being read: nobody reads twice, or goes on with half of it. @type {{ locale: string, reading: Promise<void> } | null} */
let learning = null;

/** Reads the patterns of the user's language; English has none. What cannot be read is said in English, and tried again the next time. */
export function learnWords() {
    const locale = context().getCurrentLocale();
    if (learning?.locale !== locale) {
        const reading = readWords(locale).catch((error) => {
            console.warn('Lorefork:', error);
            learning = null;
        });
        learning = { locale, reading };
    }
    return learning.reading;
}

/** @param {string} locale */
async function readWords(locale) {
    const manifest = locale === 'en' ? {} : await readJson('../manifest.json');
    const file = manifest.i18n?.[locale];
    const keys = file ? Object.keys(await readJson(`../${file}`)) : [];
    // Those with most words of their own first: others may match by chance.
    const own = (/** @type {string} */ key) => key.replace(/\{\d\}/g, '').length;
    const patterns = keys.filter((key) => key.includes('{0}')).sort((a, b) => own(b) - own(a));
    known = { keys: new Set(keys), patterns: patterns.map((key) => [patternOf(key), key]) };
}

/** @param {string} file */
async function readJson(file) {
    const response = await fetch(new URL(file, import.meta.url));
    if (!response.ok) throw new Error(`${file}: ${response.status}`);
    return response.json();
}

/** @param {string} key */
function patternOf(key) {
    const plain = key.split(/\{\d\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${plain.join('([\\s\\S]*?)')}$`);
}
