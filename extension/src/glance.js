// The open chat as it is, without making texts of it: for looking, never for writing.

import { cached } from './books.js';
import { fingerprint, headerText } from './frozen.js';
import { PageHost } from './host.js';
import { context, isLoading, openPlace, worldInfo } from './tavern.js';

/** What a frozen chat offers, made from the objects in memory when it is asked for. */
class Glance {
    constructor() {
        const { chat, chatMetadata } = context();
        this.messages = chat;
        this.head = headerText({ ...chatMetadata });
    }

    header() {
        return this.head;
    }

    count() {
        return this.messages.length;
    }

    stamp() {
        return fingerprint([this.head, ...this.messages.map((message) => JSON.stringify(message))]);
    }

    /** @param {number} index */
    line(index) {
        return JSON.stringify(this.messages[index]);
    }

    /**
     * The messages with this word, in quotes, as a key or a text.
     * @param {string} needle
     * @param {number} start
     * @param {number} end
     */
    find(needle, start, end) {
        const word = JSON.parse(needle);
        const found = [];
        for (let index = start; index < end; index++) {
            if (has(this.messages[index], word)) found.push(index);
        }
        return Uint32Array.from(found);
    }

    /**
     * @param {string} _ a brace: whether it is an object is all that is ever asked
     * @param {number} start
     * @param {number} end
     */
    unlike(_, start, end) {
        for (let index = start; index < end; index++) {
            const message = this.messages[index];
            if (typeof message !== 'object' || message === null || Array.isArray(message)) return index;
        }
        return undefined;
    }
}

/**
 * @param {unknown} value
 * @param {string} word
 * @returns {boolean}
 */
function has(value, word) {
    if (typeof value === 'string') return value === word;
    if (typeof value !== 'object' || value === null) return false;
    if (Array.isArray(value)) {
        for (const item of value) if (has(item, word)) return true;
        return false;
    }
    // Without making a list of each: a message may hold a whole lorebook.
    const object = /** @type {Record<string, unknown>} */ (value);
    for (const key in object) if (key === word || has(object[key], word)) return true;
    return false;
}

/** The page for those who only look. */
export class GlanceHost extends PageHost {
    /** @param {string} placeText */
    async open(placeText) {
        const place = JSON.parse(placeText);
        if (!this.isOpen(place) || isLoading()) return super.open(placeText);
        this.owner ??= place.owner;
        return /** @type {any} */ (new Glance());
    }
}

/** The same for those who may not even ask the server: only what the page has in memory. */
export class MemoryHost extends GlanceHost {
    async chatNames() {
        return '[]';
    }

    async names() {
        return worldInfo.world_names;
    }

    /** @param {string} name */
    async lorebook(name) {
        const asNamed = context().chatMetadata?.world_info;
        const key = worldInfo.worldInfoCache.has(name) ? name : asNamed;
        if (!worldInfo.world_names.includes(name) || !worldInfo.worldInfoCache.has(key)) return null;
        return cached(key);
    }

    /** What others did is judged when it matters: to know it, all of them would have to be read. */
    async headers() {
        return '[]';
    }

    async unfinished() {
        return '[]';
    }

    async operationIds() {
        return '[]';
    }

    /** After each stretch of messages: the page is in use. */
    pause() {
        return new Promise((resolve) => setTimeout(resolve));
    }

    /** It passes before anybody could read it. */
    isGenerating() {
        return false;
    }

    /** Whether the lorebook of the open chat is in memory. */
    static isReady() {
        const name = context().chatMetadata?.world_info;
        return openPlace() !== null && !isLoading() && (!name || worldInfo.worldInfoCache.has(name) || !worldInfo.world_names.includes(name));
    }
}
