// The story tree as data: from one list of the server and what the page has in memory.

import { bookNames, fromServer } from './books.js';
import { engine, engineIfReady } from './engine.js';
import { GlanceHost } from './glance.js';
import { hostFor } from './host.js';
import { listChats } from './listing.js';
import { preferences } from './preferences.js';
import { openPlace, worldInfo } from './tavern.js';
import { trashed } from './trash.js';
import { said, say } from './words.js';

/**
 * @typedef {import('../types/lorefork').Place} Place
 * @typedef {import('../types/lorefork').StoryTree} StoryTree
 * @typedef {import('./listing.js').Listed} Listed
 * @typedef {{ path: boolean, archived: boolean, find: string }} View
 */

/** The page for the tree: it is told from headers, and of those what the engine asks for. */
class StoryHost extends GlanceHost {
    /** @param {import('../types/lorefork').Owner | null} owner */
    list(owner) {
        this.chats ??= listChats(owner, false, engineIfReady()?.storyKeys());
        return this.chats;
    }

    /** Those that SillyTavern knows; the server is asked only if a chat names another: it may have been made elsewhere. */
    names() {
        this.books ??= this.list(this.owner).then(({ own }) => {
            const known = worldInfo.world_names;
            return own.every(({ lorebook }) => !lorebook || known.includes(lorebook)) ? known : bookNames();
        });
        return this.books;
    }
}

/** The chats beside the open one, as they were listed once. */
export class Story {
    /**
     * @param {Place} place the open chat
     * @param {StoryHost} host
     * @param {Listed[]} listed
     * @param {{ id: string, name: string, header: string, count: number }[]} trash
     */
    constructor(place, host, listed, trash) {
        this.place = place;
        this.host = host;
        this.listed = new Map(listed.map((one) => [one.chat.name, one]));
        this.trash = trash;
        /** How many entries lorebooks have that somebody looked at. @type {Map<string, number>} */
        this.entries = new Map();
    }

    /** Lists the chats of the open one's character or group. */
    static async list() {
        const open = openPlace();
        if (!open) throw new Error(say('No chat is open.'));
        const { chatFile } = await engine();
        const place = { owner: open.owner, name: chatFile(open.name) };
        const host = hostFor(null, {}, StoryHost);
        const [{ own }, trash] = await Promise.all([host.list(place.owner), deleted(place)]);
        return new Story(place, host, own, trash);
    }

    /**
     * Its rows, as they are to be seen.
     * @param {View} view
     * @returns {Promise<StoryTree>}
     */
    async look(view) {
        const { storyTree } = await engine();
        const chats = [...this.listed.values()].map((one) => ({ name: one.chat.name, count: one.count ?? 0, last: one.last, mark: markOf(one) }));
        const request = { chat: this.place, chats, trash: this.trash, shared: preferences().shared, ...view };
        const found = await storyTree(this.host, JSON.stringify(request));
        if (!found) throw new Error(say('No chat is open.'));
        if (found.error) throw new Error(said(found.error));
        return found;
    }

    /**
     * Reads one more of its chats.
     * @param {string} name
     */
    async read(name) {
        const listed = this.listed.get(name);
        if (!listed) return;
        const { storyLook } = await engine();
        const read = await storyLook(this.host, JSON.stringify(this.placeOf(name)), markOf(listed));
        if (read.error) throw new Error(said(read.error));
    }

    /**
     * Reads all of them that nobody read: one request for each, which is why it is done only when it is asked for.
     * @param {string[]} names
     * @param {(done: number) => boolean} goOn hears how many were read, and says whether to
     */
    async readAll(names, goOn) {
        for (const [done, name] of names.entries()) {
            if (!goOn(done)) return;
            await this.read(name);
        }
    }

    /**
     * How many entries a lorebook has, or null if nobody can tell.
     * @param {string | null} name
     */
    async entriesOf(name) {
        if (!name) return null;
        if (!this.entries.has(name)) {
            const { entries } = JSON.parse(await fromServer(name));
            this.entries.set(name, Object.keys(entries ?? {}).length);
        }
        return this.entries.get(name) ?? null;
    }

    /** @param {string} name @returns {Place} */
    placeOf(name) {
        return { owner: this.place.owner, name };
    }

    /** When its last message was written, in words. @param {string} name */
    dateOf(name) {
        const date = this.listed.get(name)?.date;
        const time = date === undefined ? NaN : new Date(date).getTime();
        return Number.isNaN(time) ? (date === undefined ? '' : String(date)) : new Date(time).toLocaleString();
    }

    get names() {
        return [...this.listed.keys()];
    }
}

/** @param {Listed} listed */
const markOf = ({ count, size, date }) => JSON.stringify([count, size, date]);

/**
 * Timelines in the trash that stood beside this one.
 * @param {Place} place
 */
async function deleted({ owner }) {
    const folder = 'group' in owner ? 'group chats/' : `chats/${owner.character}/`;
    return (await trashed()).flatMap(({ id, file, header, count }) => {
        if (!file.startsWith(folder) || !file.endsWith('.jsonl') || header === undefined) return [];
        return [{ id, name: file.slice(folder.length, -'.jsonl'.length), header, count: count ?? 0 }];
    });
}
