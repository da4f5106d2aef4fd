// The net under all gates: what SillyTavern and other modules ask of the server, seen before it is sent.

import { observe } from './books.js';
import { isOff, isSharedByChoice } from './preferences.js';
import { plainFetch } from './requests.js';
import { isChatSave, savesAsItself, tellSaved } from './saves.js';
import { hasHeader, openPlace } from './tavern.js';
import { tellUnloaded } from './unloaded.js';
import { say } from './words.js';

/** @typedef {import('../types/lorefork').Place} Place */

/** Requests that change names, or take something away. */
const HOUSEKEEPING = /\/api\/(?:chats|chats\/group|characters|groups|worldinfo)\/(?:rename|delete)$/;

/**
 * Lorebooks that are being deleted. SillyTavern overwrites one by deleting it and saving it anew, without waiting: what
 * keeps its copy must not let the save overtake.
 * @type {Set<Promise<unknown>>}
 */
const deletions = new Set();

/** What it leads to is loaded when it is needed: SillyTavern's start does not wait for it. */
export function interceptRequests() {
    globalThis.fetch = function fetch(input, init) {
        const url = typeof input === 'string' ? input : input instanceof URL ? input.href : (input?.url ?? '');
        const pass = () => plainFetch(input, init);
        if (HOUSEKEEPING.test(url)) {
            const passing = url.endsWith('/api/worldinfo/delete') ? lettingSavesWait(pass) : pass;
            return import('./housekeeping.js').then(({ watched }) => watched(url, init?.body, passing), (error) => {
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
            return import('./intercept-fork.js').then(({ interceptFork }) => interceptFork(input, init, place), (error) => {
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

/**
 * @param {unknown} body
 * @param {Place} place
 */
const isOrdinary = (body, place) => typeof body === 'string' && savesAsItself(body, place);
