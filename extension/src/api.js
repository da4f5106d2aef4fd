// What other extensions can ask and be told: see docs/api.md.

import { context, openPlace } from './tavern.js';
import { LISTENERS } from './times.js';

const EVENTS = { before: 'lorefork_before_fork', after: 'lorefork_after_fork' };

export function offerApi() {
    globalThis.lorefork = Object.freeze({ events: Object.freeze({ ...EVENTS }), timeline });
}

/** @typedef {{ kind: string | null, id: string | null, parentId: string | null, at: number | null }} Told */

/** What a record says of the chat it stands in; nothing before the engine is there to tell whether it is about that chat. */
let told = (/** @type {string} */ _metadata, /** @type {string} */ _chat) => /** @type {Told | null} */ (null);

/** @param {typeof told} reader */
export const readRecordsBy = (reader) => (told = reader);

/** The open timeline, or null if no chat is open. */
function timeline() {
    const place = openPlace();
    if (!place) return null;
    const metadata = context().chatMetadata ?? {};
    const { kind, id, parentId, at } = told(JSON.stringify(metadata), place.name) ?? { kind: null, id: null, parentId: null, at: null };
    return { owner: place.owner, chat: place.name, kind, id, parent: metadata.main_chat ?? null, parentId, at, lorebook: metadata.world_info || null };
}

/**
 * Tells other extensions, and waits until they have moved what is theirs.
 * @param {'before' | 'after'} when
 * @param {object} event
 */
export async function announce(when, event) {
    const late = new Promise((resolve) => setTimeout(resolve, LISTENERS));
    await Promise.race([context().eventSource.emit(EVENTS[when], Object.freeze({ ...event })), late]);
}
