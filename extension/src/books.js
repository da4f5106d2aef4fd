// Lorebooks between page and server: what this page last read or wrote, and what it has not written yet.

import { changedElsewhere, HostError, read, write } from './requests.js';
import { context, worldInfo } from './tavern.js';
import { ANSWER_OF_BEFORE, IN_ONE_GO } from './times.js';
import { say } from './words.js';

/**
 * What went over the wire, per book: the texts of which the page's copy may be one, and the last of all.
 * A response that nobody needed yet is kept as it is.
 * @typedef {string | Response} Text
 * @typedef {{ last: Text, firstRead?: Text, lastRead?: Text, saved?: Text }} Wire
 * @type {Map<string, Wire>}
 */
const wires = new Map();

/** Books that are being read: the answer may be of before they were there. @type {Map<string, Set<Promise<unknown>>>} */
const reading = new Map();

/** Lorebooks that were new when they were saved. @type {{ name: string, time: number }[]} */
let made = [];

/** The lorebooks that SillyTavern made just now: one made before has nothing to do with one that is deleted now. */
export function justMade() {
    const since = Date.now() - IN_ONE_GO;
    made = made.filter(({ time }) => time > since);
    return made.map(({ name }) => name);
}

/** Listens to SillyTavern's own saves: what they wrote is what its cache holds. */
export function watchBooks() {
    const { eventSource, eventTypes } = context();
    eventSource.on(eventTypes.WORLDINFO_UPDATED, (/** @type {string} */ name) => {
        const wire = wires.get(name);
        if (wire) wire.saved = wire.last;
    });
}

/**
 * Takes note of a request for a lorebook, without changing or delaying it.
 * @param {string} url
 * @param {unknown} body
 * @param {Promise<Response>} answer
 */
export function observe(url, body, answer) {
    if (typeof body !== 'string') return;
    if (url.endsWith('/edit')) {
        const [head, quoted] = /^\{"name":("(?:[^"\\]|\\.)*"),"data":/.exec(body) ?? [];
        if (!head || !quoted) return;
        const name = JSON.parse(quoted);
        if (!worldInfo.world_names.includes(name)) made.push({ name, time: Date.now() });
        const text = body.slice(head.length, -1);
        answer.then((response) => response.ok && note(name, { last: text }), () => {});
    } else if (url.endsWith('/get')) {
        const { name } = JSON.parse(body);
        underWay(name, answer.then((response) => {
            if (!response.ok) return;
            const copy = response.clone();
            const firstRead = wires.get(name)?.firstRead ?? copy;
            note(name, { last: copy, firstRead, lastRead: copy });
        }).catch(() => {}));
    }
}

/**
 * @param {string} name
 * @param {Promise<unknown>} answer
 */
function underWay(name, answer) {
    const all = reading.get(name) ?? new Set();
    reading.set(name, all.add(answer));
    void answer.finally(() => {
        all.delete(answer);
        if (!all.size && reading.get(name) === all) reading.delete(name);
    });
}

/**
 * Resolves when nobody is reading a book any more, and SillyTavern has taken what it got. Who waits for an
 * answer that never comes is not waited for.
 * @param {string} name
 */
async function isRead(name) {
    const answers = reading.get(name);
    if (answers) await Promise.race([Promise.all(answers), new Promise((resolve) => setTimeout(resolve, ANSWER_OF_BEFORE))]);
    // Its text comes after its head.
    if (await wireText(name, 'lastRead') !== null) await new Promise((resolve) => setTimeout(resolve));
}

/**
 * @param {string} name
 * @param {Wire} wire
 */
function note(name, wire) {
    wires.set(name, { ...wires.get(name), ...wire });
}

/**
 * @param {string} name
 * @param {keyof Wire} key
 */
async function wireText(name, key) {
    const wire = wires.get(name);
    const text = wire?.[key];
    if (!wire || !(text instanceof Response)) return text ?? null;
    // Read on a copy: several keys may hold the same response.
    wire[key] = await text.clone().text();
    return wire[key];
}

/**
 * The book as the page has it in memory.
 * @param {string} name
 */
export function cached(name) {
    const { worldInfoCache } = worldInfo;
    // SillyTavern's own way hands out a copy; a big book takes longer to copy than to print.
    return worldInfoCache.has(name) ? JSON.stringify(Map.prototype.get.call(worldInfoCache, name)) : null;
}

/**
 * The book as the server has it; of one that is not there it says that it is empty.
 * @param {string} name
 */
export async function fromServer(name) {
    try {
        return await read('/api/worldinfo/get', { name });
    } catch (error) {
        // What the server cannot read it cannot send.
        if (error instanceof HostError && error.status === 500) throw new HostError('damaged', say('it is not valid JSON'), `worlds/${name}.json`);
        throw error;
    }
}

/**
 * Saves what was typed into the book and not sent yet. Resolves to its text, or null if the page never had it.
 * @param {string} name
 * @returns {Promise<string | null>}
 */
export async function settleBook(name) {
    const mine = cached(name);
    if (mine === null) return null;
    const last = await wireText(name, 'last');
    if (mine === last) return mine;
    const theirs = await fromServer(name);
    if (mine === theirs) return mine;
    if (theirs !== last) throw changed(name);
    const known = [];
    for (const key of /** @type {const} */ (['firstRead', 'lastRead', 'saved'])) known.push(await wireText(name, key));
    // An extension wrote to the server without telling SillyTavern: the server is ahead of the page.
    if (known.includes(mine)) return theirs;
    // The page is ahead of the server, by what the user typed; unless both moved on.
    if (!known.includes(last)) throw changed(name);
    await saveBook(name, mine);
    return mine;
}

/**
 * Refuses if somebody else wrote to a book that this page holds.
 * @param {string} name
 * @param {string} theirs the text that the server has
 */
export async function refuseIfChanged(name, theirs) {
    if (theirs === await wireText(name, 'last')) return;
    const mine = cached(name);
    if (mine !== null && mine !== theirs) throw changed(name);
}

/**
 * @param {string} name
 * @param {string} text
 */
async function saveBook(name, text) {
    await write('/api/worldinfo/edit', `{"name":${JSON.stringify(name)},"data":${text}}`);
    note(name, { last: text, saved: text });
}

/**
 * Makes a book; its text goes as it is.
 * @param {string} name
 * @param {string} text
 */
export async function createBook(name, text) {
    // Whatever the page believes about a book of this name is from before it existed; also what it is
    // told by an answer that is still on its way.
    forgetBook(name);
    await write('/api/worldinfo/edit', `{"name":${JSON.stringify(name)},"data":${text}}`);
    await isRead(name);
    forgetBook(name);
}

/**
 * Writes another text over a book.
 * @param {string} name
 * @param {string} text
 */
export async function replaceBook(name, text) {
    const isHeld = worldInfo.worldInfoCache.has(name);
    // As the server answers it.
    const compact = JSON.stringify(JSON.parse(text));
    await saveBook(name, compact);
    if (!isHeld) return;
    await quieten(name, compact);
    // An editor that shows the book would write back what it has.
    context().reloadWorldInfoEditor?.(name);
}

/** @param {string} name */
export async function removeBook(name) {
    if (worldInfo.worldInfoCache.has(name)) await quieten(name, await fromServer(name));
    await write('/api/worldinfo/delete', JSON.stringify({ name }));
    forgetBook(name);
}

/**
 * SillyTavern takes this text as what it last saved: a save that it has put off would bring back another.
 * @param {string} name
 * @param {string} text
 */
async function quieten(name, text) {
    // It has one clock for all books, which stops now.
    for (const other of worldInfo.worldInfoCache.keys()) {
        if (other !== name) await settleBook(other).catch((error) => console.warn('Lorefork:', error));
    }
    await worldInfo.saveWorldInfo(name, JSON.parse(text), true);
    note(name, { last: text, saved: text });
}

/**
 * Nothing that the page believes about this book counts any more.
 * @param {string} name
 */
export function forgetBook(name) {
    wires.delete(name);
    worldInfo.worldInfoCache.delete(name);
}

/** @returns {Promise<string[]>} */
export async function bookNames() {
    const books = JSON.parse(await read('/api/worldinfo/list', {}));
    return books.map((/** @type {{ file_id: string }} */ book) => book.file_id);
}

/** @param {string} name */
const changed = (name) => changedElsewhere(`worlds/${name}.json`);
