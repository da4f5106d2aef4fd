// The user's settings. Kept by SillyTavern; nothing is stored before the user changes something.

import { context, keyOf, openPlace } from './tavern.js';

/**
 * @typedef {object} Preferences
 * @property {'standard' | 'strict'} policy
 * @property {'auto' | 'live' | 'snapshot' | 'empty'} lore
 * @property {'offer' | 'isolate' | 'leave'} opening what happens to a timeline that shares its lorebook
 * @property {'all' | 'problems'} notices
 * @property {string[]} shared lorebooks that are shared on purpose
 * @property {boolean} buttons whether message buttons show readiness
 * @property {boolean} reorder whether the entries of a new lorebook are ordered by name
 * @property {boolean} sign whether a sign at the head of the chat says where one is
 * @property {string[]} off chats that are left alone
 */

/** @type {Preferences} */
const DEFAULTS = { policy: 'standard', lore: 'auto', opening: 'offer', notices: 'all', shared: [], buttons: true, reorder: false, sign: true, off: [] };

/** @returns {Preferences} */
export const preferences = () => ({ ...DEFAULTS, ...context().extensionSettings.lorefork });

/** @param {Partial<Preferences>} changes */
export function prefer(changes) {
    const { extensionSettings, saveSettingsDebounced } = context();
    extensionSettings.lorefork = { ...extensionSettings.lorefork, ...changes };
    saveSettingsDebounced();
}

/** What of the settings decides about a fork, for the engine. */
export function forkPreferences() {
    const { policy, lore, shared, reorder } = preferences();
    return { strict: policy === 'strict', preferredLore: lore, shared, reorder };
}

/** Whether the open chat is left alone. */
export function isOff() {
    const place = openPlace();
    return place !== null && preferences().off.includes(keyOf(place));
}

/** Whether the lorebook of the open chat is to be the same in all timelines. */
export const isSharedByChoice = () => preferences().shared.includes(context().chatMetadata?.world_info);

/** @param {boolean} off */
export function switchOff(off) {
    const place = openPlace();
    if (!place) return;
    const others = preferences().off.filter((key) => key !== keyOf(place));
    prefer({ off: off ? [...others, keyOf(place)] : others });
}
