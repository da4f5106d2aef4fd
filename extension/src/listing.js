// Which chats there are, and what their headers say.
//
// Before 1.19 the server's list is not complete: it leaves out a chat whose last message has no name or cannot be
// read, and never answers at all if a file ends with a blank line. Only the bare names are always there.

import { rawLines } from './chats.js';
import { headerText } from './frozen.js';
import { HostError, read } from './requests.js';
import { context, folderOf, groupOf, keyOf, version } from './tavern.js';
import { SERVER_IS_SILENT, SERVER_READS_ALL } from './times.js';

/**
 * @typedef {import('../types/lorefork').Place} Place
 * @typedef {import('../types/lorefork').Owner} Owner
 * @typedef {{ chat: Place, header?: string, count?: number, last?: string, date?: string | number, size?: string, lorebook?: string }} Listed a chat; without a header if SillyTavern can read none; `last`: its last message, and when that was
 */

/** How many of the newest chats of others are looked at besides all of the same character or group. */
const OTHERS = 100;
/** If the server is silent about those: of how many characters, the latest that were played. */
const LATEST = 20;

/**
 * Names in use.
 * @param {Owner} owner
 * @returns {Promise<string[]>}
 */
export async function listNames(owner) {
    return 'group' in owner ? groupChats() : fileNames(owner.character);
}

/**
 * Names and headers: all chats of the character or group, and the newest of all others, or all of them.
 * @param {Owner | null} owner nobody's without one: then only those of others
 * @param {boolean} everyone
 * @param {string[]} [keys] all that anybody wants to know of their headers
 * @returns {Promise<{ names: string[], headers: { chat: Place, header: string }[], counts: Map<string, number | undefined>, own: Listed[] }>} counts of messages, as `keyOf` names the chats; `own`: all of the same character or group
 */
export async function listChats(owner, everyone, keys) {
    const isGroup = owner !== null && 'group' in owner;
    const all = new Map((await lookAt(owner, everyone, keys)).map((listed) => [keyOf(listed.chat), listed]));
    const names = new Set(isGroup ? groupChats() : []);
    const headers = [];
    for (const { chat, header } of all.values()) {
        if (isGroup ? 'group' in chat.owner : isEqual(chat.owner, owner)) names.add(chat.name);
        if (header !== undefined) headers.push({ chat, header });
    }
    const own = [...all.values()].filter(({ chat }) => isEqual(chat.owner, owner));
    return { names: [...names], headers, counts: new Map([...all].map(([key, { count }]) => [key, count])), own };
}

/** All chats of all characters and groups. The server reads each of them from beginning to end. */
export const listEverybody = () => lookAt(null, true);

/**
 * @param {Owner | null} owner
 * @param {boolean} everyone
 * @param {string[]} [keys]
 */
async function lookAt(owner, everyone, keys) {
    if (!listsAll()) return lookForEach(owner, everyone);
    return (await Promise.all([owner ? ownList(owner, undefined, keys) : [], recentList(owner, everyone, everyone ? SERVER_READS_ALL : undefined, keys)])).flat();
}

/**
 * The first line of a chat's file, whatever it says; undefined if there is no such file.
 * @param {Place} place
 */
export async function firstLine(place) {
    try {
        return await (await rawLines(place)).first();
    } catch (error) {
        if (error instanceof HostError && error.kind === 'absent') return undefined;
        throw error;
    }
}

/** Whether the server lists every chat that there is. */
function listsAll() {
    const [major = 0, minor = 0] = version().split('.').map(Number);
    return major > 1 || (major === 1 && minor >= 19);
}

/**
 * What the server lists, and then, owner by owner, what it has left out.
 * @param {Owner | null} owner
 * @param {boolean} everyone
 */
async function lookForEach(owner, everyone) {
    const nothing = () => null;
    const [own, recent] = await Promise.all([
        owner && ownList(owner, SERVER_IS_SILENT).catch(nothing),
        recentList(owner, everyone, everyone ? undefined : SERVER_IS_SILENT).catch(nothing),
    ]);
    const others = (everyone ? everybody() : recent ? [] : latest()).filter((other) => !isEqual(other, owner));
    /** @type {Map<string, Listed>} */
    const found = new Map();
    const add = (/** @type {Listed} */ listed) => void found.set(keyOf(listed.chat), listed);
    [...(own ?? []), ...(recent ?? [])].forEach(add);
    for (const whose of owner ? [owner, ...others] : others) {
        if (!recent && whose !== owner) (await ownList(whose, SERVER_IS_SILENT).catch(nothing))?.forEach(add);
        for (const name of await namesOf(whose)) {
            const chat = { owner: whose, name };
            const header = found.has(keyOf(chat)) ? undefined : await firstLine(chat);
            if (header !== undefined) add({ chat, header });
        }
    }
    return [...found.values()];
}

/** @param {Owner} owner */
const namesOf = (owner) => ('group' in owner ? (groupOf(owner.group)?.chats ?? []) : fileNames(owner.character));

/**
 * The server's list of a character's chats. Those of a group come with the newest.
 * @param {Owner} owner
 * @param {number} [patience]
 * @param {string[]} [keys]
 * @returns {Promise<Listed[]>}
 */
async function ownList(owner, patience, keys) {
    if ('group' in owner) return [];
    const listed = JSON.parse(await read('/api/characters/chats', { avatar_url: `${owner.character}.png`, metadata: true }, patience));
    // Without a folder there is an object that says so.
    return Array.isArray(listed) ? listed.map((info) => listedAs(owner, info, keys)) : [];
}

/**
 * The server's list of the newest chats of all, or of all chats; with all of one group, if it is about that.
 * @param {Owner | null} owner
 * @param {boolean} everyone
 * @param {number} [patience]
 * @param {string[]} [keys]
 * @returns {Promise<Listed[]>}
 */
async function recentList(owner, everyone, patience, keys) {
    const pinned = owner && 'group' in owner
        ? (groupOf(owner.group)?.chats ?? []).map((chat) => ({ file_name: `${chat}.jsonl`, group: owner.group }))
        : [];
    const max = everyone ? Number.MAX_SAFE_INTEGER : OTHERS;
    const listed = JSON.parse(await read('/api/chats/recent', { max, pinned, metadata: true }, patience));
    return listed.flatMap((/** @type {any} */ info) => {
        if (info.group) return [listedAs({ group: String(info.group) }, info, keys)];
        return info.avatar ? [listedAs({ character: folderOf(info.avatar) }, info, keys)] : [];
    });
}

/**
 * @param {Owner} owner
 * @param {any} info
 * @param {string[]} [keys]
 * @returns {Listed}
 */
function listedAs(owner, info, keys) {
    const chat = { owner, name: withoutEnd(info.file_name) };
    const listed = { chat, count: info.chat_items, last: info.mes, date: info.last_mes, size: info.file_size };
    const metadata = info.chat_metadata;
    if (!metadata) return listed;
    // A header may hold all recaps of a story.
    const told = keys ? Object.fromEntries(keys.filter((key) => key in metadata).map((key) => [key, metadata[key]])) : metadata;
    return { ...listed, lorebook: metadata.world_info, header: headerText(told) };
}

/**
 * Every file in a character's folder.
 * @param {string} character
 * @returns {Promise<string[]>}
 */
async function fileNames(character) {
    const listed = JSON.parse(await read('/api/characters/chats', { avatar_url: `${character}.png`, simple: true }));
    return Array.isArray(listed) ? listed.map(({ file_name }) => withoutEnd(file_name)) : [];
}

/** @param {string} file */
const withoutEnd = (file) => file.replace(/\.jsonl$/, '');

/** @returns {string[]} */
const groupChats = () => context().groups.flatMap((group) => group.chats ?? []);

/** @returns {Owner[]} */
const everybody = () => [
    ...context().characters.map(({ avatar }) => ({ character: folderOf(avatar) })),
    ...context().groups.map(({ id }) => ({ group: String(id) })),
];

/** @returns {Owner[]} */
const latest = () => [...context().characters]
    .sort((a, b) => Number(b.date_last_chat ?? 0) - Number(a.date_last_chat ?? 0))
    .slice(0, LATEST)
    .map(({ avatar }) => ({ character: folderOf(avatar) }));

/**
 * @param {Owner} a
 * @param {Owner | null} b
 */
const isEqual = (a, b) => JSON.stringify(a) === JSON.stringify(b);
