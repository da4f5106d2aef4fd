// One row of the story tree in words: what it is called, what is worth knowing, and all of it when it is opened.

import { said, say } from '../words.js';
import { button, draw, icon } from './draw.js';

/**
 * @typedef {import('../../types/lorefork').StoryRow} Row
 * @typedef {import('../../types/lorefork').Timeline} Timeline
 * @typedef {'open' | 'compare' | 'checkpoint' | 'branch' | 'label' | 'rename' | 'canon' | 'archive' | 'delete' | 'back'} Act
 */

/** More names of scenes would hide the tree. */
const SCENES = 2;

/** How sure it was that the lorebook is the one of that message, in a few words, and whether that is well. @type {Partial<Record<import('../../types/lorefork').Quality, [string, string]>>} */
const QUALITIES = {
    exact: ['lore as it was', 'fine'],
    snapshot: ['lore as recorded', 'fine'],
    ranged: ['lore without later memories', 'fine'],
    partial: ['lore in part', 'care'],
    current: ['lore as it happened to be', 'care'],
    future: ['lore knows the future', 'care'],
    empty: ['lore began empty', ''],
    shared: ['lore shared on purpose', ''],
};

/** @param {NonNullable<Row['run']>} run */
export function runInWords({ messages, scenes }) {
    const count = messages === 1 ? say('… one message') : say('… {0} messages', messages);
    const more = scenes.length - SCENES;
    return [count, ...scenes.slice(0, SCENES), ...(more > 0 ? [`+${more}`] : [])].join(' · ');
}

/**
 * What a row is called.
 * @param {Row} row
 * @param {Timeline} one
 */
export function nameOf({ stands, hidden }, one) {
    if (stands === 'folded') return hidden === 1 ? say('one archived timeline') : say('{0} archived timelines', hidden);
    // The beginning has its name.
    const isMain = stands === 'tip' && one.parent === null;
    return one.label ?? (isMain ? say('main chat') : one.name);
}

/**
 * The first line, and the small one below it.
 * @param {Row} row
 * @param {Timeline} one
 * @param {number} count of timelines
 */
export function wordsOf(row, one, count) {
    const { stands } = row;
    const name = draw('span', 'lorefork-story-name', nameOf(row, one));
    name.dir = 'auto';
    if (stands === 'folded') return [draw('div', 'lorefork-story-line', name)];
    if (stands === 'fork') return [draw('div', 'lorefork-story-line', name, small(one.at === null ? '' : say('at {0}', one.at)))];
    if (stands === 'start') return [draw('div', 'lorefork-story-line', name, one.gone ? chip('', say('gone')) : null, small(count === 1 ? '' : say('{0} timelines', count)))];
    const saying = one.label === null ? sayingOf(one) : null;
    return [
        draw('div', 'lorefork-story-line', name,
            one.open ? chip('here', say('you are here')) : null,
            one.canon ? chip('canon', say('canon')) : null,
            one.archived ? chip('', say('archived')) : null,
            saying),
        draw('div', 'lorefork-story-about', ...aboutOf(row, one)),
    ];
}

/**
 * What tells one timeline from another: its first own message, or, as long as nobody read that, its last.
 * @param {Timeline} one
 */
function sayingOf({ parent, proposed, last }) {
    const isOwn = parent !== null && proposed !== null;
    const words = isOwn ? proposed : last;
    if (!words) return null;
    const element = draw('span', 'lorefork-story-said', isOwn ? `“${words}”` : `… ${words}`);
    element.dir = 'auto';
    return element;
}

/** @param {string} words */
const small = (words) => draw('span', 'lorefork-story-small', words);

/**
 * @param {string} kind
 * @param {string} words
 */
function chip(kind, words) {
    const element = draw('span', 'lorefork-story-chip', words);
    element.dataset.kind = kind;
    return element;
}

/**
 * @param {Row} row
 * @param {Timeline} one
 */
function aboutOf({ stands, hidden }, one) {
    const parts = [];
    if (stands === 'leaf' && one.at !== null) parts.push(draw('span', '', say('at {0}', one.at)));
    parts.push(draw('span', '', lengthOf(one)));
    if (hidden > 0) parts.push(draw('span', '', say('{0} more from here', hidden)));
    const [words, level] = loreOf(one);
    if (words) parts.push(levelled(words, level));
    parts.push(...one.marks.map(({ code, said: mark }) => levelled(said(mark), code === 'equal' ? '' : 'care')));
    return parts;
}

/**
 * @param {string} words
 * @param {string} level
 */
function levelled(words, level) {
    const element = draw('span', '', words);
    element.dataset.level = level;
    return element;
}

/** @param {Timeline} one */
function lengthOf({ gone, parent, own, messages }) {
    if (gone?.known === 'named') return say('gone');
    if (gone) return say('in the trash');
    const count = messages === 1 ? say('one message') : say('{0} messages', messages);
    if (parent === null || own === null) return count;
    if (own === 0) return say('untouched');
    return own === 1 ? say('one message since') : say('{0} messages since', own);
}

/** @param {Timeline} one */
function loreOf({ gone, lore, sharedWith, quality }) {
    if (gone) return ['', ''];
    if (lore === 'missing') return [say('its lorebook is missing'), 'bad'];
    if (lore === 'shared') return [sharedWith === 1 ? say('shares its lorebook with another') : say('shares its lorebook with {0} others', sharedWith ?? 0), 'care'];
    const [words, level] = (quality && QUALITIES[quality]) ?? ['', ''];
    return [words && say(words), level];
}

/**
 * The message of its timeline that a row stands for: where the story begins, where others leave it, or its end.
 * @param {Row} row
 * @param {Timeline} one
 */
export function messageOf({ stands }, { at, messages }) {
    return stands === 'start' ? 0 : stands === 'fork' ? at : messages - 1;
}

/** @param {string} name @param {number | null} entries */
function lorebookInWords(name, entries) {
    if (entries === null) return name;
    return entries === 1 ? say('{0} · one entry', name) : say('{0} · {1} entries', name, entries);
}

/**
 * All of it, with what can be done.
 * @param {Timeline} one
 * @param {{ date: string, isRead: boolean, parent: string | null, entries: number | null, message: number | null }} more `message`: the one that the row stands for
 * @param {(act: Act) => void} act
 */
export function detailsOf(one, { date, isRead, parent, entries, message }, act) {
    const { gone, open, first, last, note, messages, at, lorebook, canon, archived } = one;
    const isThere = gone === null;
    const rows = [
        [say('File'), one.chat],
        [say('Comes from'), parent === null ? null : at === null ? say('“{0}”; where it parts was not read yet', parent) : say('“{0}”, at message {1}', parent, at)],
        [parent === null ? say('Begins') : say('First of its own'), first ?? (isThere && !isRead ? '…' : null)],
        [say('Last message'), last],
        [say('Written'), date],
        [say('Length'), isThere ? (messages === 1 ? say('one message') : say('{0} messages', messages)) : null],
        [say('Lorebook'), lorebook && lorebookInWords(lorebook, entries)],
        [say('Note'), note],
    ];
    const list = draw('dl', '', ...rows.flatMap(([term, words]) => {
        if (!words) return [];
        const text = draw('dd', '', words);
        text.dir = 'auto';
        return [draw('dt', '', term ?? ''), text];
    }));
    /** @type {[boolean, string, string, Act][]} */
    const acts = [
        [isThere && !open, 'fa-arrow-right-to-bracket', say('Open'), 'open'],
        [isThere && !open, 'fa-right-left', say('Compare'), 'compare'],
        [isThere && message !== null && message >= 0, 'fa-flag', say('Checkpoint at {0}…', message ?? 0), 'checkpoint'],
        [isThere && message !== null && message >= 0, 'fa-code-branch', say('Branch at {0}', message ?? 0), 'branch'],
        [isThere, 'fa-tag', say('Label…'), 'label'],
        [isThere, 'fa-pencil', say('Rename…'), 'rename'],
        [isThere, 'fa-star', canon ? say('Not canon') : say('Canon'), 'canon'],
        [isThere && one.parent !== null, 'fa-box-archive', archived ? say('Bring to light') : say('Archive'), 'archive'],
        [isThere, 'fa-trash-can', say('Delete…'), 'delete'],
        [gone?.known === 'trash', 'fa-rotate-left', say('Bring back…'), 'back'],
    ];
    const buttons = acts.filter(([isShown]) => isShown).map(([, sign, words, what]) => {
        const element = button(sign, words, () => act(what));
        element.dataset.act = what;
        element.tabIndex = 0;
        return element;
    });
    return draw('div', 'lorefork-story-details', list, draw('div', 'lorefork-story-acts', ...buttons));
}

/** @param {{ at: number | null, text: string | null }} found */
export const foundInWords = ({ at, text }) => draw('div', 'lorefork-story-found', icon('fa-magnifying-glass'),
    draw('span', '', at === null ? `${text}` : say('message {0}: {1}', at, text ?? '')));
