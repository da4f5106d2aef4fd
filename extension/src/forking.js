// Forking as the user sees it, from the click to the notice.

import { announce } from './api.js';
import { copyBound } from './bindings.js';
import { copyChatSettings } from './chat-settings.js';
import { choicesOf } from './choosing.js';
import { engine } from './engine.js';
import { hostFor, keepPrompts, refreshBooks } from './host.js';
import { wasTold } from './met.js';
import { forkPreferences } from './preferences.js';
import { bookmarks, context, isLoading, isOpen, keyOf, openPlace } from './tavern.js';
import { askForName } from './views/name.js';
import { tellBusy, tellCreated, tellEngine, tellNotOpened, tellNothing, tellRefused, tellSwitched } from './views/notices.js';
import { Progress } from './views/progress.js';
import { askBefore, headingOf, refuse } from './views/refusal.js';
import { waitUntilReady } from './views/waiting.js';
import { told } from './words.js';

/**
 * @typedef {object} Wish
 * @property {'checkpoint' | 'branch'} kind
 * @property {string} [from] the chat in which it was made, as `keyOf` names it
 * @property {number} [at] the message; without it, the last
 * @property {number} [swipe]
 * @property {string} [name] empty means: think of one; without it, the user is asked
 * @property {Record<string, unknown>} [named] the arguments of a slash command: a script is asked nothing
 * @property {{ completeCancelled(): Promise<unknown> }} [popup] where the wish was made
 *
 * @typedef {import('../types/lorefork').Created} Created
 * @typedef {import('../types/lorefork').Failure} Failure
 * @typedef {import('../types/lorefork').Place} Place
 */

let isRunning = false;

/**
 * Makes a checkpoint or branch. Resolves to its name, or null if there is none.
 * @param {Wish} wish
 * @returns {Promise<string | null>}
 */
export async function fork(wish) {
    if (isRunning) {
        tellBusy(wish.kind);
        return null;
    }
    isRunning = true;
    try {
        return await make(wish);
    } catch (error) {
        tellEngine(wish.kind, error);
        return null;
    } finally {
        isRunning = false;
    }
}

/**
 * @param {Wish} wish
 * @returns {Promise<string | null>}
 */
async function make({ kind, from, at, swipe, name, named }) {
    const place = openPlace();
    const { chat } = context();
    if (from !== undefined && (!place || keyOf(place) !== from)) return tellSwitched(kind), null;
    if (!place) return tellNothing(kind, 'No chat is open.');
    if (isLoading()) return tellNothing(kind, 'The chat is empty, or still being loaded.');
    const message = at ?? chat.length - 1;
    const meant = chat[message];
    const lorefork = await engine();
    /** @type {import('../types/lorefork').Request} */
    const request = { kind, chat: place, at: message, swipe, name, ...forkPreferences() };
    const said = new Set();
    let goOn = (/** @type {Failure} */ error) => goOnAsked(lorefork, request, error, said);
    if (named) {
        try {
            const { request: chosen, waits } = choicesOf(named);
            Object.assign(request, chosen);
            goOn = (error) => goOnUnasked(lorefork, request, error, waits);
        } catch (error) {
            return tellNothing(kind, told(error));
        }
    }
    // While the user was asked, or waited, messages may have gone or moved.
    const isThere = () => isSameMessage(chat[message], meant) || (tellSwitched(kind), false);
    while (kind === 'checkpoint' && request.name === undefined) {
        if (!isThere()) return null;
        // Nobody should think of a name for what cannot be made.
        const suggested = await lorefork.suggest(hostFor(place), JSON.stringify(request));
        if (typeof suggested === 'string') {
            const given = await askForName(suggested, Boolean(chat[message]?.extra?.bookmark_link));
            if (given === null) return null;
            request.name = given;
        } else if (!(await goOn(suggested.error))) return null;
    }
    const event = { kind, owner: place.owner, parent: place.name, at: message };
    await announce('before', event);
    for (;;) {
        if (!isThere()) return null;
        const result = await attempt(lorefork, request);
        if (!('error' in result)) {
            result.warnings = result.warnings.filter(({ code }) => !said.has(code));
            await settleIn(lorefork, result, place, event).catch((error) => console.warn('Lorefork:', error));
            if (kind === 'branch') await openTimeline(place, result.chat).catch((error) => tellNotOpened(kind, error));
            return result.chat;
        }
        if (!(await goOn(result.error))) return null;
    }
}

/**
 * Whether it still is that message; a chat that was loaded anew has other objects for the same ones.
 * @typedef {import('../types/tavern').Context['chat'][number] | undefined} Message
 * @param {Message} now
 * @param {Message} meant
 */
const isSameMessage = (now, meant) => now === meant || (now?.send_date === meant?.send_date && now?.mes === meant?.mes);

/**
 * @param {import('../types/lorefork').Engine} lorefork
 * @param {import('../types/lorefork').Request} request
 */
async function attempt(lorefork, request) {
    const progress = new Progress(request.kind);
    try {
        const host = hostFor(request.chat, { onProgress: (step, others) => progress.show(step, others) });
        return await lorefork.create(host, JSON.stringify(request));
    } finally {
        await progress.close();
    }
}

/**
 * Says what nobody can choose about.
 * @param {Failure} error
 * @param {import('../types/lorefork').Request} request
 * @returns {boolean} whether it was that
 */
function isHopeless({ code }, { kind }) {
    if (code === 'BUSY') tellBusy(kind);
    else if (code === 'CHAT_SWITCHED') tellSwitched(kind);
    else return false;
    return true;
}

/**
 * What a command chose decides; else it is refused, with how to choose.
 * @param {import('../types/lorefork').Engine} lorefork
 * @param {import('../types/lorefork').Request} request
 * @param {Failure} error
 * @param {boolean} waits whether it shall wait for work that is not done
 * @returns {Promise<boolean>}
 */
async function goOnUnasked(lorefork, request, error, waits) {
    if (isHopeless(error, request)) return false;
    if (waits && error.choices?.includes('wait')) return waitUntilReady(lorefork, request);
    tellRefused(headingOf(request.kind, error), error);
    return false;
}

/**
 * Says why not, and whether the user wants to go on otherwise; then the request says how.
 * @param {import('../types/lorefork').Engine} lorefork
 * @param {import('../types/lorefork').Request} request
 * @param {Failure} error
 * @param {Set<string>} said codes of warnings that were said before
 * @returns {Promise<boolean>}
 */
async function goOnAsked(lorefork, request, error, said) {
    if (isHopeless(error, request)) return false;
    if (error.report?.valid) {
        for (const { code } of error.report.warnings) said.add(code);
        request.confirmed = await askBefore(request.kind, error);
        return request.confirmed;
    }
    const choice = await refuse(request.kind, error);
    if (choice === null) return false;
    if (choice === 'wait') return waitUntilReady(lorefork, request);
    Object.assign(request, choice);
    return true;
}

/**
 * The new timeline stands, whatever goes wrong from here on: SillyTavern and others learn of it.
 * @param {import('../types/lorefork').Engine} lorefork
 * @param {Created} created
 * @param {Place} place its parent
 * @param {{ kind: string, at: number }} event
 */
async function settleIn(lorefork, created, place, event) {
    const own = { ...place, name: created.chat };
    await copyBound(created, own).catch((error) => console.warn('Lorefork:', error));
    // In another chat, the message of that number and the prompts are others.
    if (isOpen(place)) {
        if (created.kind === 'checkpoint') bookmarks.updateBookmarkDisplay($(`.mes[mesid="${event.at}"]`), created.chat);
        await keepPrompts(created.chat);
    }
    tellCreated(created);
    if (created.lorebook) void refreshBooks();
    copyChatSettings(lorefork, place.name, created.chat);
    await announce('after', { ...event, chat: created.chat, lorebook: created.lorebook });
}

/**
 * Unless another chat was opened meanwhile: SillyTavern would make an empty one of that name there.
 * @param {Place} parent
 * @param {string} name
 */
async function openTimeline(parent, name) {
    const { groupId, openGroupChat, openCharacterChat } = context();
    if (!isOpen(parent)) return;
    wasTold({ ...parent, name });
    if (groupId) await openGroupChat(groupId, name);
    else await openCharacterChat(name);
}
