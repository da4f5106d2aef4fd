// Timelines that are opened: are they what their record says, and do they share their lorebook?

import { changing } from './changing.js';
import { debounced } from './debounce.js';
import { engine } from './engine.js';
import { GlanceHost } from './glance.js';
import { hostFor, refreshBooks } from './host.js';
import { idle } from './idle.js';
import { lost, missed, told } from './met.js';
import { isOff, preferences } from './preferences.js';
import { stand, watchStanding } from './standing.js';
import { context, keyOf, openPlace, worldInfo } from './tavern.js';
import { CHAT_STAYS, OTHER_OPERATION, TAVERN_WAITS } from './times.js';
import { problemsOf, tellOpened } from './views/greeting.js';
import { askForLost, tellLost } from './views/missing.js';
import { offerIsolation, tellCaught, tellEngine, tellIsolationFailed, tellRefused } from './views/notices.js';
import { askForLore } from './views/refusal.js';
import { said, say } from './words.js';

/** @typedef {import('../types/lorefork').Opened} Opened */

export function watchOpening() {
    const { eventSource, eventTypes } = context();
    // First, so that the book that SillyTavern loads is the timeline's own already.
    eventSource.makeFirst(eventTypes.CHAT_CHANGED, onChatChanged);
    watchStanding(lookAtOpen);
    // One may have been opened before we came.
    void onChatChanged();
}

/** SillyTavern waits for this, so it is quick, and never throws. */
async function onChatChanged() {
    const place = openPlace();
    if (!place || isOff()) return;
    if (missed.delete(keyOf(place))) {
        const late = new Promise((resolve) => setTimeout(resolve, TAVERN_WAITS));
        await Promise.race([isolateOpen().catch((error) => tellEngine('branch', error)), late]);
    }
    void checkOpen().catch((error) => console.warn('Lorefork: this chat could not be verified:', error));
}

/** Whether the open chat came from another, or says so; a main chat has nothing to verify, but may have lost its lorebook. */
function isTimeline() {
    const { main_chat, lorefork } = context().chatMetadata ?? {};
    return Boolean(main_chat || (lorefork && lorefork.kind !== 'main'));
}

/**
 * Whether the open chat names a lorebook that SillyTavern does not know, or found empty: of one that is not there the server
 * says that it is. Told without asking.
 */
function mayBeLost() {
    const name = context().chatMetadata?.world_info;
    if (typeof name !== 'string' || !name) return false;
    const { world_names, worldInfoCache } = worldInfo;
    const inMemory = Map.prototype.get.call(worldInfoCache, name);
    return !world_names?.includes(name) || (inMemory && Object.keys(inMemory.entries ?? {}).length === 0);
}

/** Verifies the chat that stays open, says what is to be said once, and resolves to what was found. */
export const checkOpen = debounced(CHAT_STAYS, async () => {
    await idle();
    const place = openPlace();
    const isFork = isTimeline();
    if (!place || !(isFork || mayBeLost())) return null;
    const opened = await lookAtOpen();
    const key = keyOf(place);
    if (!opened || keyOf(openPlace() ?? place) !== key) return null;
    if (isOff()) return opened;
    const isNew = isFork && !told.has(key);
    told.add(key);
    const { opening, notices } = preferences();
    // Whoever comes back is told again what nobody had closed.
    const standHere = (/** @type {unknown} */ toast, /** @type {(opened: Opened) => boolean} */ isSo, onLeft = () => void told.delete(key)) => toast && stand({ key, toast, isSo, onLeft });
    if (isNew) standHere(tellOpened(opened, notices), (opened) => problemsOf(opened).length > 0);
    // It names one, and nothing could be read of it. That may happen at any time, and is asked once each time.
    if (isLost(opened)) {
        const known = lost.get(key);
        lost.set(key, { isWarned: true });
        const isLeft = known ? !known.isWarned : await askForLost();
        if (isLeft === null) lost.delete(key);
        if (isLeft) {
            standHere(tellLost(opened.lorebook ?? ''), isLost, () => void lost.set(key, { isWarned: false }));
        }
        return opened;
    }
    lost.delete(key);
    if (isNew && opened.sharedWith.length > 0) {
        if (opening === 'isolate') await isolateOpen();
        else if (opening === 'offer') standHere(offerIsolation(opened, () => isolateOpen()), ({ sharedWith }) => sharedWith.length > 0);
    }
    return opened;
});

/** @param {Opened} opened */
const isLost = ({ lorebook, entries }) => lorebook !== null && entries === null;

/**
 * What the engine finds of the open chat, right now.
 * @returns {Promise<Opened | null>}
 */
export async function lookAtOpen() {
    const place = openPlace();
    if (!place) return null;
    const { opened } = await engine();
    const found = await opened(hostFor(null, {}, GlanceHost), JSON.stringify(place), JSON.stringify(preferences().shared));
    if (found.error) throw new Error(said(found.error));
    return found;
}

/**
 * Gives the open timeline its own lorebook. Resolves to it; to null if nothing was to be changed, to undefined if it was
 * refused.
 * @param {{ lore?: string, isAsking?: boolean }} [how] `lore`: which one; `isAsking`: whether the user may be asked that
 * @returns {Promise<string | null | undefined>}
 */
export async function isolateOpen({ lore: chosen, isAsking = true } = {}) {
    const place = openPlace();
    if (!place) return null;
    const { isolate } = await engine();
    const attempt = (/** @type {string | undefined} */ lore) => changing(() =>
        isolate(hostFor(place, { patience: OTHER_OPERATION }), JSON.stringify(place), lore));
    let result = await attempt(chosen);
    if (isAsking && result.error?.code === 'NO_SNAPSHOT') {
        const lore = await askForLore(result.error);
        if (lore === null) return null;
        result = await attempt(lore);
    }
    if (result.error) {
        if (isAsking) tellIsolationFailed(result.error);
        else tellRefused(say('The lorebook stays shared'), result.error);
        return undefined;
    }
    if (!result.changed) return null;
    await refreshBooks();
    tellCaught(result);
    return result.lorebook;
}
