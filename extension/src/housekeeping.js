// What SillyTavern renames and deletes, seen at its requests: reported to the engine, which decides what follows.
//
// Events would not do: there is none for a lorebook, those of chats do not say whose they are, and they come when another
// chat is open already.

import { justMade } from './books.js';
import { changing } from './changing.js';
import { copyChatSettings } from './chat-settings.js';
import { freezeOpen, freezeStored } from './chats.js';
import { debounced } from './debounce.js';
import { engine } from './engine.js';
import { hostFor, PageHost, refreshBooks } from './host.js';
import { listChats } from './listing.js';
import { takeBack } from './mending.js';
import { prefer, preferences } from './preferences.js';
import { judgeAgain } from './readiness.js';
import { HostError, read } from './requests.js';
import { bookmarks, context, folderOf, groupOf, hasHeader, isGenerating, isLoading, keyOf, openPlace } from './tavern.js';
import { AFTER_CHANGE, IN_ONE_GO, LOOK_AGAIN, OPERATION_BEFORE_COPY, OTHER_OPERATION, TAVERN_LEARNS, TAVERN_WAITS } from './times.js';
import { tellDone, tell } from './views/notices.js';
import { showOrphans } from './views/orphans.js';
import { said, say, told } from './words.js';

/**
 * @typedef {import('../types/lorefork').Place} Place
 * @typedef {import('../types/lorefork').Owner} Owner
 * @typedef {import('../types/lorefork').Happened} Happened
 * @typedef {() => Promise<Response>} Pass
 */

const late = () => new Error(say('It took too long to find out what refers to it.'));

/** The chat that was deleted last: whose it was, and when that was last heard of. @type {{ owner: Owner | null, time: number }} */
const lastDeleted = { owner: null, time: -Infinity };

/** @type {{ happened: Happened, why: any }[]} */
const waiting = [];

/** @type {Record<string, (body: any, pass: Pass) => Promise<Response>>} */
const WATCHED = {
    '/api/chats/rename': chatRenamed,
    '/api/chats/delete': chatDeleted,
    '/api/chats/group/delete': groupChatDeleted,
    '/api/characters/delete': characterDeleted,
    '/api/characters/rename': characterRenamed,
    '/api/groups/delete': groupDeleted,
    '/api/worldinfo/delete': bookDeleted,
};

/**
 * Watches a request that changes names, or takes something away. It passes as it is, whatever happens here.
 * @param {string} url
 * @param {unknown} body
 * @param {Pass} pass
 * @returns {Promise<Response>}
 */
export function watched(url, body, pass) {
    const path = url.replace(/^https?:\/\/[^/]+/, '');
    const watch = Object.hasOwn(WATCHED, path) ? WATCHED[path] : null;
    const request = typeof body === 'string' ? parsed(body) : null;
    if (!watch || !request) return pass();
    /** @type {Promise<Response> | null} */
    let answer = null;
    const sent = () => (answer ??= pass());
    return watch(request, sent).catch((error) => {
        console.warn('Lorefork:', error);
        return sent();
    });
}

/**
 * Anything may be sent; what is no JSON is none of ours.
 * @param {string} text
 * @returns {any}
 */
function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
}

/**
 * SillyTavern waits meanwhile, so it must not take long. Undefined if it does.
 * @template T
 * @param {Promise<T>} work
 * @returns {Promise<T | undefined>}
 */
const soon = (work) => Promise.race([work, new Promise((resolve) => setTimeout(resolve, TAVERN_WAITS, undefined))]);

/** @param {string} file */
const nameOf = (file) => file.replace(/\.jsonl$/, '');

/**
 * @param {{ is_group: boolean, avatar_url?: string, original_file: string, renamed_file: string }} body
 * @param {Pass} pass
 */
async function chatRenamed({ is_group, avatar_url, original_file, renamed_file }, pass) {
    const response = await pass();
    const answer = response.ok ? await response.clone().json() : { error: true };
    if (answer.error) return response;
    const from = nameOf(original_file);
    const owner = is_group ? groupOfChat(from) : { character: folderOf(avatar_url ?? '') };
    /** @type {Place} */
    const chat = { owner, name: nameOf(answer.sanitizedFileName ?? renamed_file) };
    // Before anybody reads it under its new name.
    await soon(follow({ what: 'renamedItself', chat, from }));
    void engine().then((lorefork) => copyChatSettings(lorefork, from, chat.name));
    moveOff((place) => (keyOf(place) === keyOf({ owner, name: from }) ? chat : place));
    report({ what: 'chatRenamed', chat, from });
    return response;
}

/**
 * The group that lists a chat. SillyTavern takes it off the list before it asks for its deletion.
 * @param {string} name
 * @returns {Owner}
 */
function groupOfChat(name) {
    const { groups, groupId } = context();
    const group = groups.find(({ chats }) => chats?.includes(name));
    return { group: String(group?.id ?? groupId ?? '') };
}

/**
 * Lets a deletion pass, and reports what was there before.
 * @param {() => Promise<{ chat: Place, header: string, messages?: string[] }[]>} look
 * @param {Pass} pass
 * @param {() => boolean} [isKnown] whether SillyTavern knows of it by now
 */
async function deleted(look, pass, isKnown = () => true) {
    /** @type {unknown} */
    let why = late();
    const chats = await soon(look().catch((error) => void (why = error)));
    const response = await pass();
    if (response.ok && chats?.length !== 0) noteDeletion(chats?.[0]?.chat.owner ?? null);
    if (response.ok && !chats) void tellNotFollowed(why);
    if (response.ok && chats?.length) void until(isKnown).then(() => report({ what: 'chatsDeleted', chats }));
    return response;
}

/** @param {Owner | null} owner */
function noteDeletion(owner) {
    lastDeleted.owner = owner;
    lastDeleted.time = Date.now();
}

/** SillyTavern tells of a deletion when it has loaded another chat, which may take a while. */
function watchDeletions() {
    const { eventSource, eventTypes } = context();
    const heard = () => void (lastDeleted.time = Date.now());
    for (const event of [eventTypes.CHAT_DELETED, eventTypes.GROUP_CHAT_DELETED]) if (event) eventSource.makeFirst(event, heard);
}
watchDeletions();

/**
 * @param {() => boolean} holds
 * @param {number} [patience] in milliseconds
 */
async function until(holds, patience = TAVERN_LEARNS) {
    for (const end = Date.now() + patience; !holds() && Date.now() < end;) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
}

/** @param {Place} place */
async function asItWas(place) {
    const open = openPlace();
    const isHere = open && hasHeader() && keyOf(open) === keyOf(place);
    const { head: header, lines: messages } = isHere ? freezeOpen(place) : await freezeStored(place);
    return [{ chat: place, header, messages }];
}

/**
 * @param {{ avatar_url: string, chatfile: string }} body
 * @param {Pass} pass
 */
function chatDeleted({ avatar_url, chatfile }, pass) {
    return deleted(() => asItWas({ owner: { character: folderOf(avatar_url) }, name: nameOf(chatfile) }), pass);
}

/**
 * @param {{ id: string }} body
 * @param {Pass} pass
 */
function groupChatDeleted({ id }, pass) {
    return deleted(() => asItWas({ owner: groupOfChat(id), name: id }), pass);
}

/** @param {Owner} owner */
async function headersOf(owner) {
    const { headers } = await listChats(owner, false);
    return headers.filter(({ chat }) => JSON.stringify(chat.owner) === JSON.stringify(owner));
}

/**
 * @param {{ avatar_url: string, delete_chats?: boolean }} body
 * @param {Pass} pass
 */
function characterDeleted({ avatar_url, delete_chats }, pass) {
    return deleted(async () => (delete_chats ? headersOf({ character: folderOf(avatar_url) }) : []), pass);
}

/**
 * @param {{ id: string }} body
 * @param {Pass} pass
 */
function groupDeleted({ id }, pass) {
    return deleted(() => headersOf({ group: String(id) }), pass, () => !groupOf(String(id)));
}

/**
 * Timelines name each other and their lorebooks, not their character: only our settings do.
 * @param {{ avatar_url: string }} body
 * @param {Pass} pass
 */
async function characterRenamed({ avatar_url }, pass) {
    const response = await pass();
    if (!response.ok) return response;
    const { avatar } = await response.clone().json();
    const [from, to] = [folderOf(avatar_url), folderOf(avatar)];
    moveOff((place) => ('character' in place.owner && place.owner.character === from ? { ...place, owner: { character: to } } : place));
    return response;
}

/**
 * Chats that are left alone stay so under other names.
 * @param {(place: Place) => Place} move
 */
function moveOff(move) {
    const { off } = preferences();
    const moved = off.map((key) => {
        const [owner, name] = JSON.parse(key);
        return keyOf(move({ owner, name }));
    });
    if (moved.join() !== off.join()) prefer({ off: moved });
}

/**
 * A lorebook that is shared on purpose stays so under another name.
 * @param {string} from
 * @param {string} to
 */
function moveShared(from, to) {
    const { shared } = preferences();
    if (shared.includes(from)) prefer({ shared: shared.map((name) => (name === from ? to : name)) });
}

/**
 * Keeps the claim until the deletion has passed: an operation that begins meanwhile would take the copy for one that
 * nobody needs. One that has begun already does no harm.
 */
class CopyHost extends PageHost {
    letGo = () => {};

    async claim() {
        try {
            this.letGo = (await super.claim()).release;
        } catch (error) {
            if (!(error instanceof HostError && error.kind === 'busy')) throw error;
        }
        return { release: () => {} };
    }
}

/** To those who ask who still names a lorebook: a chat that SillyTavern still shows may be gone. */
class GoneHost extends PageHost {
    async headers() {
        const { headers } = await this.list(this.owner ?? openPlace()?.owner ?? null);
        return JSON.stringify(headers);
    }
}

/**
 * What a lorebook says, and the id of its copy; or why there is none. Never rejects.
 * @param {string} name
 * @returns {Promise<{ text: string, copy: string | null, why: any, letGo: () => void }>}
 */
async function keepCopy(name) {
    let text = '';
    /** @type {CopyHost | undefined} */
    let host;
    try {
        text = await read('/api/worldinfo/get', { name });
        const { keepCopy } = await engine();
        host = hostFor(null, { patience: OPERATION_BEFORE_COPY }, CopyHost);
        const kept = await keepCopy(host, name, text);
        if (kept.error) throw kept.error;
        return { text, copy: kept.id, why: null, letGo: host.letGo };
    } catch (error) {
        host?.letGo();
        return { text, copy: null, why: error, letGo: () => {} };
    }
}

/**
 * Whoever deletes a lorebook: a copy is kept first. The engine decides what follows.
 * @param {{ name: string }} body
 * @param {Pass} pass
 */
async function bookDeleted({ name }, pass) {
    const made = justMade();
    const withChat = Date.now() - lastDeleted.time < IN_ONE_GO;
    const keeping = keepCopy(name);
    const isKept = (await soon(keeping)) !== undefined;
    const sent = pass();
    // After an answer that got lost the engine looks what became of it.
    const mayBeGone = await sent.then(({ ok, status }) => ok || status > 500, () => true);
    const followed = keeping.then(async ({ text, copy, why, letGo }) => {
        letGo();
        if (!mayBeGone) return copy === null ? undefined : drop(copy);
        return gone({ what: 'lorebookGone', name, text, made, withChat, copy }, why);
    }).catch((error) => console.warn('Lorefork:', error));
    // If it comes back, then before anybody takes it for an empty one.
    if (withChat && isKept) await soon(followed);
    return sent;
}

/**
 * A copy that nobody needs: the server did not delete the lorebook.
 * @param {string} copy
 */
async function drop(copy) {
    await engine();
    const host = hostFor(null);
    await host.burn(copy);
    await host.forget(copy);
}

/**
 * @param {Happened & { what: 'lorebookGone' }} happened
 * @param {any} why there is no copy
 */
async function gone(happened, why) {
    if (!happened.withChat) return report(happened, why);
    const followed = await changing(() => follow(happened, false));
    if (followed) void tellFollowed(happened, followed, why);
    // Something else is going on; it is its turn later.
    else report(happened, why);
}

/**
 * @param {Happened} happened
 * @param {any} [why] there is no copy of a lorebook
 */
function report(happened, why) {
    waiting.push({ happened, why });
    void changing(keepHouse).catch((error) => console.warn('Lorefork:', error));
}

/** What followed last, or is following. @type {Promise<unknown>} */
let last = Promise.resolve();

/** Lets everything follow, one after the other, when SillyTavern is done. */
const keepHouse = debounced(AFTER_CHANGE, () => (last = last.then(followAll, followAll)));

async function followAll() {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { happened, why } = next;
        while (isGenerating()) await new Promise((resolve) => setTimeout(resolve, AFTER_CHANGE));
        await until(() => openPlace() === null || hasHeader());
        // Not for long: it may be a chat that has no messages.
        await until(() => openPlace() === null || !isLoading(), TAVERN_WAITS);
        const followed = await follow(happened);
        if (followed?.lorebook && 'name' in happened) moveShared(happened.name, followed.lorebook);
        if (followed) await tellFollowed(happened, followed, why);
    }
}

/**
 * A failure is told, and null comes of it.
 * @param {Happened} happened
 * @param {boolean} [isTold]
 * @returns {Promise<import('../types/lorefork').Followed | null>}
 */
async function follow(happened, isTold = true) {
    try {
        const { follow } = await engine();
        const isWithChat = 'withChat' in happened && happened.withChat;
        const host = hostFor(null, { patience: OTHER_OPERATION }, isWithChat ? GoneHost : PageHost);
        if ('chat' in happened) host.owner = happened.chat.owner;
        else if ('chats' in happened && happened.chats[0]) host.owner = happened.chats[0].chat.owner;
        else if (isWithChat) host.owner = lastDeleted.owner;
        const followed = await follow(host, JSON.stringify(happened));
        if (!followed.error) return followed;
        if (isTold) await tellNotFollowed(followed.error);
    } catch (error) {
        if (isTold) await tellNotFollowed(error);
    }
    return null;
}

/** @param {any} why */
async function tellNotFollowed(why) {
    tell('warning', [say('Not everything could follow a change of names:'), told(why), said(why.advice ?? null) || say('“Check timelines” finds what still refers to it.')], 'Lorefork');
}

/**
 * @param {Happened} happened
 * @param {import('../types/lorefork').Followed} followed
 * @param {any} why there is no copy of a lorebook
 */
async function tellFollowed(happened, followed, why) {
    const { id, chats, orphans } = followed;
    if (happened.what === 'lorebookGone') await tellGone(happened.name, followed, why);
    if (id === null) return;
    showLinks();
    judgeAgain();
    if (orphans.length) {
        await refreshBooks();
        const words = orphans.length === 1
            ? say('“{0}” has no timeline any more. It stays until you delete it.', orphans[0] ?? '')
            : say('{0} lorebooks have no timeline any more. They stay until you delete them.', orphans.length);
        tellDone([words], say('Lorebooks without a timeline'), () => void showOrphans(), say('Show them…'));
    }
    const others = chats.filter((name) => !('chat' in happened) || name !== happened.chat.name);
    if (others.length === 0 || preferences().notices !== 'all') return;
    const words = others.length === 1 ? say('“{0}” follows.', others[0] ?? '') : say('{0} timelines follow.', others.length);
    // Whoever gives the name back has all of it back; without that, it would lead nowhere.
    tell('success', [words], 'chats' in happened ? say('Timeline deleted') : say('Renamed'));
}

/**
 * A lorebook was deleted that timelines still use.
 * @param {string} name
 * @param {import('../types/lorefork').Followed} followed
 * @param {any} why there is no copy of it
 */
async function tellGone(name, { naming, isBack, copy }, why) {
    if (naming === 0) return;
    if (isBack) {
        await refreshBooks();
        tell('info', [naming === 1 ? say('“{0}” is back: another timeline still uses it.', name) : say('“{0}” is back: {1} timelines still use it.', name, naming)], say('Lorebook kept'));
        return;
    }
    const words = naming === 1 ? say('“{0}” is deleted, and a timeline still uses it.', name) : say('“{0}” is deleted, and {1} timelines still use it.', name, naming);
    if (copy !== null) tellDone([words], say('Lorebook deleted'), () => void takeBack(copy, true), say('Bring it back'));
    else tell('warning', [words, say('No copy of it could be kept.'), told(why)], say('Lorebook deleted'), { timeOut: 0, extendedTimeOut: 0, closeButton: true });
}

/** The flags of messages lead where they lead now. */
function showLinks() {
    const { chat } = context();
    for (const message of document.querySelectorAll('#chat .mes')) {
        const link = chat[Number(message.getAttribute('mesid'))]?.extra?.bookmark_link ?? null;
        if ((message.getAttribute('bookmark_link') || null) !== (link || null)) bookmarks.updateBookmarkDisplay($(message), link);
    }
}
