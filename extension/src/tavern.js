// SillyTavern as it is right now. Nothing here is kept: its values change with every chat.

import * as bookmarks from '../../../../bookmarks.js';
import * as user from '../../../../user.js';
import * as worldInfo from '../../../../world-info.js';
import * as script from '../../../../../script.js';

export { bookmarks, script, worldInfo };

/** @returns {import('../types/tavern').Context} */
export const context = () => globalThis.SillyTavern.getContext();

export const userHandle = () => user.getCurrentUserHandle();

/**
 * The open chat as a place, or null if there is none.
 * @returns {import('../types/lorefork').Place | null}
 */
export function openPlace() {
    const { groupId, characterId, characters, getCurrentChatId } = context();
    const name = getCurrentChatId();
    if (!name) return null;
    if (groupId) return { owner: { group: String(groupId) }, name };
    const avatar = characters[Number(characterId)]?.avatar;
    return avatar ? { owner: { character: folderOf(avatar) }, name } : null;
}

/** Tells one chat from another. @param {import('../types/lorefork').Place} place */
export const keyOf = ({ owner, name }) => JSON.stringify([owner, name]);

/** Whether this is the chat that is open. @param {import('../types/lorefork').Place} place */
export function isOpen(place) {
    const open = openPlace();
    return open !== null && keyOf(open) === keyOf(place);
}

/** @param {string} avatar */
export const folderOf = (avatar) => avatar.replace('.png', '');

/** @param {string} folder */
export const characterIn = (folder) => context().characters.find(({ avatar }) => folderOf(avatar) === folder);

/** @param {string} id */
export const groupOf = (id) => context().groups.find((group) => String(group.id) === id);

/** Whether the header of the open chat is there. */
export const hasHeader = () => Boolean(context().chatMetadata?.integrity);

/**
 * Whether the open chat is between being emptied and being loaded: nothing may be saved then. When SillyTavern loads it
 * anew, its name and its header stay; that it has no messages is all that tells, so one that never had any counts, too.
 */
export const isLoading = () => !hasHeader() || context().chat.length === 0;

export const isGenerating = () => Boolean(script.isGenerating());

/** The version of the page, such as `1.19.0`. */
export const version = () => script.CLIENT_VERSION.split(':')[1] ?? '';

/** @param {() => void} then */
export function whenReady(then) {
    const { eventSource, eventTypes } = context();
    // Told again to listeners that come late.
    eventSource.once(eventTypes.APP_READY, then);
}
