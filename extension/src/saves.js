// Saves of chats, told by the request alone; and who wants to hear when the open chat is saved.

/** @typedef {import('../types/lorefork').Place} Place */

/** How far into a body the name stands: behind the character's name at most. */
const HEAD = 4096;

/** @type {(() => void)[]} */
const listeners = [];

/**
 * Hears of each save of the open chat.
 * @param {() => void} listener
 */
export const onSave = (listener) => void listeners.push(listener);

/** Whoever sent it goes on first. */
export const tellSaved = () => void setTimeout(() => listeners.forEach((listener) => listener()));

/** @param {string} url */
export const isChatSave = (url) => url.endsWith('/api/chats/save') || url.endsWith('/api/chats/group/save');

/**
 * Whether the body saves a chat under its own name, told without parsing it.
 * @param {string} body
 * @param {Place} place
 */
export function savesAsItself(body, place) {
    const name = JSON.stringify(place.name);
    const head = body.slice(0, HEAD);
    return head.startsWith(`{"id":${name},`) || head.includes(`,"file_name":${name},`);
}
