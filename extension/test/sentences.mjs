// All that can be said, read from the sources by the names of the macros and functions that say it.

import fs from 'node:fs';
import path from 'node:path';

const EXTENSION = path.join(import.meta.dirname, '..');
const FOLDERS = ['lorefork', 'lorefork-web'].map((name) => path.join(EXTENSION, '..', 'crates', name, 'src'));
const read = (...names) => fs.readFileSync(path.join(...names), 'utf8');

/** Every language with its words. */
export const LANGUAGES = Object.entries(JSON.parse(read(EXTENSION, 'manifest.json')).i18n)
    .map(([name, file]) => ({ name, words: JSON.parse(read(EXTENSION, file)) }));

const files = (folder, ending) => fs.readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(ending)).sort();

/** Sources of the engine and of its host in the page, without tests and remarks. */
export const engineSources = (folders = FOLDERS) => folders.flatMap((folder) => files(folder, '.rs').map((file) => ({
    file,
    source: read(folder, file).replace(/#\[cfg\(test\)\]\nmod tests[\s\S]*/, '').replace(/^\s*\/\/.*$/gm, ''),
})));

/** Sources of the page. */
export const sources = () => files(path.join(EXTENSION, 'src'), '.js').map((file) => ({ file, source: read(EXTENSION, 'src', file) }));

const LITERAL = String.raw`"((?:[^"\\]|\\[\s\S])*)"`;
const SAY = new RegExp(String.raw`\bsay!\(\s*${LITERAL}`, 'g');
const SAY_COUNT = new RegExp(String.raw`\bsay_count!\([^"]*?,\s*${LITERAL},\s*${LITERAL}`, 'g');

/** As the program has it, without the ends of lines and the signs that keep them apart. */
const plain = (literal) => literal.replace(/\\\n\s*/g, '').replace(/\\(.)/g, '$1');

function* calls(source) {
    for (const [, text] of source.matchAll(SAY)) yield plain(text);
    for (const [, one, many] of source.matchAll(SAY_COUNT)) yield* [plain(one), plain(many)];
}

/** The table of titles that operations may have. */
function* titles(source) {
    for (const [, table] of source.matchAll(/\btitles! \{\n([\s\S]*?)\n\}/g)) {
        for (const [, text] of table.matchAll(new RegExp(LITERAL, 'g'))) yield plain(text);
    }
}

/** What the engine says, each with a file that says it. What is only a name is the same in every language. */
export function sentencesOfEngine(folders = FOLDERS) {
    const said = engineSources(folders).flatMap(({ file, source }) => [...calls(source), ...titles(source)].map((text) => [text, file]));
    return new Map(said.filter(([text]) => text !== '{0}' && text !== ''));
}

/** How often it says something, and how much of that was found. */
export function callsOfEngine() {
    const all = engineSources();
    const count = ({ source }) => [...source.matchAll(/\bsay!\(/g)].length + 2 * [...source.matchAll(/\bsay_count!\(/g)].length;
    const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
    return { count: sum(all.map(count)), found: sum(all.map(({ source }) => [...calls(source)].length)) };
}

/** All texts of a source of the page, of whatever use. */
export const texts = (source) => [...source.matchAll(/'((?:[^'\\\n]|\\.)*)'/g)].map(([, text]) => text.replace(/\\(.)/g, '$1'));

/** What the page itself says, each with a file that says it. */
export const sentencesOfPage = () => new Map(sources().flatMap(({ file, source }) =>
    [...source.matchAll(/\bsay\('((?:[^'\\]|\\.)*)'/g)].map(([, text]) => [text.replace(/\\(.)/g, '$1'), file])));
