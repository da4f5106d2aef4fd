// Timelines made elsewhere or earlier, met when they are opened.

import { engine } from './engine.js';
import { PageHost, refreshBooks } from './host.js';
import { keyOf, missed } from './net.js';
import { context, openPlace } from './tavern.js';
import { askForLore } from './views/refusal.js';
import { offerIsolation, tellCaught, tellEngine, tellIsolationFailed } from './views/notices.js';

const LIMIT = 5000;

/** Timelines whose notice was shown in this page. @type {Set<string>} */
const told = new Set();

export function watchOpening() {
    const { eventSource, eventTypes } = context();
    // First, so that the book that SillyTavern loads is the timeline's own already.
    eventSource.makeFirst(eventTypes.CHAT_CHANGED, onChatChanged);
}

/** SillyTavern waits for this, so it is quick, and never throws. */
async function onChatChanged() {
    const place = openPlace();
    if (!place || !mayShare()) return;
    const key = keyOf(place);
    if (missed.delete(key)) {
        const late = new Promise((resolve) => setTimeout(resolve, LIMIT));
        await Promise.race([isolateOpen().catch((error) => tellEngine('branch', error)), late]);
    } else if (!told.has(key)) {
        told.add(key);
        whenIdle(() => void lookAt(place).catch(() => told.delete(key)));
    }
}

/** Only a timeline that has a parent and a lorebook, and is not recorded as ours, may share one unknowingly. */
function mayShare() {
    const { main_chat, world_info, lorefork, integrity } = context().chatMetadata ?? {};
    return main_chat && world_info && (!lorefork || lorefork.slug !== integrity);
}

/** @param {() => void} act */
function whenIdle(act) {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(act, { timeout: LIMIT });
    else setTimeout(act, 500);
}

/**
 * Offers isolation if the timeline shares its lorebook.
 * @param {import('../types/lorefork').Place} place
 */
async function lookAt(place) {
    const { status, chatFile } = await engine();
    const found = await status(new PageHost({ fileOf: chatFile }), JSON.stringify(place));
    if (found.error || found.shared_with.length === 0) return;
    if (keyOf(openPlace() ?? place) !== keyOf(place)) return;
    offerIsolation(found, () => isolateOpen());
}

/** Gives the open timeline its own lorebook. */
async function isolateOpen() {
    const place = openPlace();
    if (!place) return;
    const { isolate, chatFile } = await engine();
    const attempt = (/** @type {string | undefined} */ lore) =>
        isolate(new PageHost({ fileOf: chatFile, origin: place, patience: LIMIT }), JSON.stringify(place), lore);
    let result = await attempt(undefined);
    if (result.error?.code === 'NO_SNAPSHOT') {
        const lore = await askForLore(result.error);
        if (lore === null) return;
        result = await attempt(lore);
    }
    if (result.error) {
        tellIsolationFailed(result.error);
        return;
    }
    if (!result.changed) return;
    await refreshBooks();
    tellCaught(result);
}
