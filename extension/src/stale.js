// Whether the open chat went on elsewhere, in another tab or on another device. What this page has would be saved over
// that, and the server would not mind: it is the same chat.

import { fileName, freezeStored } from './chats.js';
import { changedElsewhere, HostError } from './requests.js';
import { onSave } from './saves.js';
import { context, hasHeader, isLoading, keyOf, openPlace } from './tavern.js';

/** @typedef {import('../types/lorefork').Place} Place */

/** The most messages that this page had of the open chat: those it deleted since may still be on the server. */
let most = { chat: '', count: 0 };

export function watchChat() {
    const { eventSource, eventTypes } = context();
    eventSource.on(eventTypes.CHAT_CHANGED, note);
    onSave(note);
    note();
}

function note() {
    const place = openPlace();
    const chat = place ? keyOf(place) : '';
    most = { chat, count: Math.max(context().chat.length, chat === most.chat ? most.count : 0) };
}

/**
 * Refuses if the server has messages of the open chat that this page never had.
 * @param {Place} place
 * @param {number} [listed] how many the server says it has, if it lists the chat
 */
export async function refuseIfStale(place, listed) {
    if (isLoading()) return;
    note();
    const { count } = most;
    if (listed !== undefined && listed <= count) return;
    // A line that cannot be read counts in the list, and is never loaded.
    if (await countStored(place) > count) throw changedElsewhere(fileName(place));
}

/**
 * Whether the open chat has no messages, and not only none yet.
 * @param {Place} place
 */
export const isEmpty = async (place) => hasHeader() && (await countStored(place)) === 0;

/**
 * How many messages the server has of a chat; none if it was never saved.
 * @param {Place} place
 */
async function countStored(place) {
    try {
        return (await freezeStored(place)).count();
    } catch (error) {
        if (error instanceof HostError && error.kind === 'absent') return 0;
        throw error;
    }
}
