// What other extensions can ask and be told: see docs/api.md.

import { context, openPlace } from './tavern.js';

const EVENTS = { before: 'lorefork_before_fork', after: 'lorefork_after_fork' };
/** Nobody's listener holds up a fork for longer. */
const PATIENCE = 3000;

export function offerApi() {
    globalThis.lorefork = Object.freeze({ events: Object.freeze({ ...EVENTS }), timeline });
}

/** The open timeline, or null if no chat is open. Read from its own record, which a copied chat may carry along. */
function timeline() {
    const place = openPlace();
    if (!place) return null;
    const { main_chat, world_info, lorefork, integrity } = context().chatMetadata ?? {};
    const isOwn = lorefork && (lorefork.chat === place.name || (lorefork.slug && lorefork.slug === integrity));
    return {
        owner: place.owner,
        chat: place.name,
        kind: isOwn ? lorefork.kind : main_chat ? null : 'main',
        id: isOwn ? lorefork.id : null,
        parent: main_chat ?? null,
        parentId: isOwn ? (lorefork.parent?.id ?? null) : null,
        at: isOwn && lorefork.kind !== 'main' ? lorefork.at : null,
        lorebook: world_info || null,
    };
}

/**
 * Tells other extensions, and waits until they have moved what is theirs.
 * @param {'before' | 'after'} when
 * @param {object} event
 */
export async function announce(when, event) {
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE));
    await Promise.race([context().eventSource.emit(EVENTS[when], Object.freeze({ ...event })), late]);
}
