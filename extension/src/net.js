// The net under all gates: what SillyTavern and other modules ask of the server, seen before it is sent.

import { observe } from './books.js';
import { isOff, isSharedByChoice } from './preferences.js';
import { plainFetch } from './requests.js';
import { hasHeader, openPlace } from './tavern.js';
import { tellUnloaded } from './unloaded.js';
import { say } from './words.js';

/** @typedef {import('../types/lorefork').Place} Place */

/** How far into a body the name stands: behind the character's name at most. */
const HEAD = 4096;

/** Requests that change names, or take something away. */
const HOUSEKEEPING = /\/api\/(?:chats|chats\/group|characters|groups|worldinfo)\/(?:rename|delete)$/;

/**
 * Lorebooks that are being deleted. SillyTavern overwrites one by deleting it and saving it anew, without waiting: what
 * keeps its copy must not let the save overtake.
 * @type {Set<Promise<unknown>>}
 */
const deletions = new Set();

/** @type {(() => void)[]} */
const listeners = [];

/**
 * Hears of each save of the open chat.
 * @param {() => void} listener
 */
export const onSave = (listener) => void listeners.push(listener);

/** Whoever sent it goes on first. */
export const tellSaved = () => void setTimeout(() => listeners.forEach((listener) => listener()));

/** What it leads to is loaded when it is needed: SillyTavern's start does not wait for it. */
export function spreadNet() {
    globalThis.fetch = function fetch(input, init) {
        const url = typeof input === 'string' ? input : input instanceof URL ? input.href : (input?.url ?? '');
        const pass = () => plainFetch(input, init);
        if (HOUSEKEEPING.test(url)) {
            const passing = url.endsWith('/api/worldinfo/delete') ? lettingSavesWait(pass) : pass;
            return import('./keeping.js').then(({ watched }) => watched(url, init?.body, passing), (error) => {
                tellUnloaded(say('Lorefork could not be loaded, so other timelines may still name what was renamed or deleted.'), error);
                return passing();
            });
        }
        if (url.includes('/api/worldinfo/')) {
            const isSave = deletions.size > 0 && /\/(?:edit|import)$/.test(url);
            const answer = isSave ? Promise.all(deletions).then(pass) : pass();
            try {
                observe(url, init?.body, answer);
            } catch {
                // Anything may be sent; what is no JSON is none of ours.
            }
            return answer;
        }
        if (!isChatSave(url)) return pass();
        // What is open now counts: while the rest is loaded, another chat may be opened.
        const place = openPlace();
        if (place && !isOrdinary(init?.body, place) && !isOff() && hasHeader() && !isSharedByChoice()) {
            return import('./catching.js').then(({ caught }) => caught(input, init, place), (error) => {
                tellUnloaded(say('Lorefork could not be loaded, so a new timeline may share its lorebook.'), error);
                return pass();
            });
        }
        tellSaved();
        return pass();
    };
}

/**
 * Saves of lorebooks wait until this has its answer.
 * @param {() => Promise<Response>} pass
 */
function lettingSavesWait(pass) {
    /** @type {(value: unknown) => void} */
    let end = () => {};
    const deletion = new Promise((resolve) => (end = resolve));
    deletions.add(deletion);
    return () => pass().finally(() => {
        deletions.delete(deletion);
        end(undefined);
    });
}

/** @param {string} url */
const isChatSave = (url) => url.endsWith('/api/chats/save') || url.endsWith('/api/chats/group/save');

/**
 * @param {unknown} body
 * @param {Place} place
 */
const isOrdinary = (body, place) => typeof body === 'string' && saves(body, place);

/**
 * Whether the body saves a chat under its own name, told without parsing it.
 * @param {string} body
 * @param {Place} place
 */
export function saves(body, place) {
    const name = JSON.stringify(place.name);
    const head = body.slice(0, HEAD);
    return head.startsWith(`{"id":${name},`) || head.includes(`,"file_name":${name},`);
}
