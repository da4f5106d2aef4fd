// Two texts, word by word, with SillyTavern's own DiffMatchPatch; one below the other where that is not to be had.

import { draw } from './draw.js';

/** Beyond this, word by word would take long and tell nothing. In letters. */
const MOST = 20_000;
/** Letters that stand for words: none that mean anything else. */
const FIRST = 0xe000;
const LAST = 0xf8ff;

/**
 * @typedef {(here: string, there: string) => HTMLElement} Show
 * @typedef {{ diff_main(a: string, b: string): [number, string][], diff_cleanupSemantic(found: [number, string][]): void }} Tool
 */

/** @type {Promise<Show> | null} */
let ready = null;

/** How differences are shown. */
export function differences() {
    ready ??= load().catch(() => beside);
    return ready;
}

/** @returns {Promise<Show>} */
async function load() {
    /** @type {{ DiffMatchPatch: new () => Tool }} */
    const { DiffMatchPatch } = await import('../../../../../../lib.js');
    return (here, there) => byWords(new DiffMatchPatch(), here, there) ?? beside(here, there);
}

/**
 * Whole words: single letters would be hard to read. Each word becomes a letter, as for lines of code.
 * @param {Tool} tool
 * @param {string} here
 * @param {string} there
 */
function byWords(tool, here, there) {
    if (here.length + there.length > MOST) return null;
    /** @type {Map<string, string>} */
    const letters = new Map();
    const coded = (/** @type {string} */ text) => words(text).map((word) => {
        const letter = letters.get(word) ?? String.fromCharCode(FIRST + letters.size);
        letters.set(word, letter);
        return letter;
    }).join('');
    const [a, b] = [coded(here), coded(there)];
    if (letters.size > LAST - FIRST) return null;
    const found = tool.diff_main(a, b);
    tool.diff_cleanupSemantic(found);
    const known = new Map([...letters].map(([word, letter]) => [letter, word]));
    return draw('div', 'lorefork-difference', ...found.map(([kind, text]) => {
        const said = [...text].map((letter) => known.get(letter) ?? '').join('');
        return kind === 0 ? said : draw(kind < 0 ? 'del' : 'ins', '', said);
    }));
}

/** Words, and what is between them; of writing without spaces, letters. @param {string} text */
const words = (text) => text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}_'’]+|\s+|[^]/gu) ?? [];

/** @type {Show} */
const beside = (here, there) => draw('div', 'lorefork-difference',
    here ? draw('del', '', here) : null, here && there ? draw('br', '') : null, there ? draw('ins', '', there) : null);
