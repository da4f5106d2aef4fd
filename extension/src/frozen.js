// A chat as texts, made once: what is judged is what is written.

export class Frozen {
    /**
     * @param {import('../types/lorefork').Place} place
     * @param {string} header
     * @param {string[]} lines
     * @param {boolean} isOpen whether it was taken from the open chat in memory
     */
    constructor(place, header, lines, isOpen) {
        this.place = place;
        this.head = header;
        this.lines = lines;
        this.isOpen = isOpen;
    }

    header() {
        return this.head;
    }

    count() {
        return this.lines.length;
    }

    stamp() {
        return fingerprint([this.head, ...this.lines]);
    }

    /** @param {number} index */
    line(index) {
        return this.lines[index];
    }

    /**
     * @param {string} needle
     * @param {number} start
     * @param {number} end
     */
    find(needle, start, end) {
        const found = [];
        for (let index = start; index < end; index++) {
            if (this.lines[index].includes(needle)) found.push(index);
        }
        return Uint32Array.from(found);
    }

    /**
     * @param {string} begin
     * @param {number} start
     * @param {number} end
     */
    unlike(begin, start, end) {
        for (let index = start; index < end; index++) {
            if (!this.lines[index].startsWith(begin)) return index;
        }
        return undefined;
    }
}

/**
 * Tells one list of texts from another: two hashes of 32 bits, after MurmurHash's mixing.
 * @param {string[]} texts
 */
export function fingerprint(texts) {
    let [a, b] = [0x9e3779b9, 0x85ebca6b];
    for (const text of texts) {
        for (let at = 0; at < text.length; at++) {
            const unit = text.charCodeAt(at);
            a = Math.imul(a ^ unit, 0x85ebca77);
            b = Math.imul(b ^ unit, 0xc2b2ae3d);
            a ^= a >>> 15;
        }
        // Where one text ends and the next begins counts, too.
        a = Math.imul(a ^ text.length, 0x27d4eb2f);
        b = Math.imul(b ^ (a >>> 13) ^ text.length, 0x165667b1);
    }
    const hex = (/** @type {number} */ part) => ((part ^ (part >>> 16)) >>> 0).toString(16).padStart(8, '0');
    return hex(a) + hex(b);
}

/**
 * The header line that SillyTavern saves with this metadata.
 * @param {object} metadata
 */
export const headerText = (metadata) =>
    JSON.stringify({ chat_metadata: metadata, user_name: 'unused', character_name: 'unused' });

/**
 * Changes `target` where `after` differs from `before`, and nothing else: others hold on to the same objects.
 * @param {any} target
 * @param {any} before
 * @param {any} after
 */
export function become(target, before, after) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
        if (!(key in after)) {
            delete target[key];
        } else if (isObject(before[key]) && isObject(after[key]) && isObject(target[key])) {
            become(target[key], before[key], after[key]);
        } else if (JSON.stringify(before[key]) !== JSON.stringify(after[key])) {
            target[key] = after[key];
        }
    }
    // A key that went and came back stands where it stood: files are compared byte by byte.
    const order = Object.keys(after);
    if (Object.keys(target).some((key, index) => key !== order[index])) {
        for (const key of order) {
            const value = target[key];
            delete target[key];
            target[key] = value;
        }
    }
}

/** @param {unknown} value */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
