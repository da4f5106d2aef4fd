// The net under all gates: what SillyTavern and other modules ask of the server, seen before it is sent.

import { observe } from './books.js';
import { isOff } from './preferences.js';
import { plainFetch } from './requests.js';
import { openPlace } from './tavern.js';

/** How far into a body the name stands: behind the character's name at most. */
const HEAD = 4096;

/** Requests that change names, or take something away. */
const HOUSEKEEPING = /\/api\/(?:chats|chats\/group|characters|groups|worldinfo)\/(?:rename|delete)$/;

/** @type {(() => void)[]} */
const listeners = [];

/**
 * Hears of each save of the open chat.
 * @param {() => void} listener
 */
export const onSave = (listener) => void listeners.push(listener);

/** What it leads to is loaded when it is needed: SillyTavern's start does not wait for it. */
export function spreadNet() {
    globalThis.fetch = function fetch(input, init) {
        const url = typeof input === 'string' ? input : input instanceof URL ? input.href : (input?.url ?? '');
        const pass = () => plainFetch(input, init);
        if (HOUSEKEEPING.test(url)) return import('./keeping.js').then(({ watched }) => watched(url, init?.body, pass), pass);
        if (url.includes('/api/worldinfo/')) {
            const answer = pass();
            try {
                observe(url, init?.body, answer);
            } catch {
                // Anything may be sent; what is no JSON is none of ours.
            }
            return answer;
        }
        if (!isChatSave(url)) return pass();
        if (!isOrdinary(init?.body) && !isOff()) return import('./catching.js').then(({ caught }) => caught(input, init), pass);
        setTimeout(() => listeners.forEach((listener) => listener()));
        return pass();
    };
}

/** @param {string} url */
const isChatSave = (url) => url.endsWith('/api/chats/save') || url.endsWith('/api/chats/group/save');

/** @param {unknown} body */
const isOrdinary = (body) => typeof body === 'string' && savesOpen(body);

/**
 * Whether the body saves the open chat under its own name, told without parsing it.
 * @param {string} body
 */
export function savesOpen(body) {
    const place = openPlace();
    const name = place && JSON.stringify(place.name);
    const head = body.slice(0, HEAD);
    return name === null || head.startsWith(`{"id":${name},`) || head.includes(`,"file_name":${name},`);
}
