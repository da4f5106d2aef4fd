// How the open chat's family is: looked at when nothing else happens, and whenever somebody asks.

import { isChanging, onChanges, unchanging } from './changing.js';
import { engine } from './engine.js';
import { GlanceHost } from './glance.js';
import { hostFor } from './host.js';
import { idle } from './idle.js';
import { isOff, preferences } from './preferences.js';
import { HostError } from './requests.js';
import { context, keyOf, openPlace, worldInfo } from './tavern.js';
import { CHAT_STAYS_FOR_LONG } from './times.js';
import { said, say, told } from './words.js';

/**
 * @typedef {import('../types/lorefork').Problem} Problem
 * @typedef {{ state: 'unknown' } | { state: 'looking' } | { state: 'large' } | { state: 'well', timelines: number }
 *   | { state: 'problems', problems: Problem[] } | { state: 'failed', why: string }} Health
 */

/** A family of more than that is looked at only if somebody asks: it takes a while. In bytes. */
const LARGE = 40_000_000;

/** @type {Health} */
let health = { state: 'unknown' };
/** @type {((health: Health) => void)[]} */
const listeners = [];
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** Counts looks, so that one that was overtaken says nothing. */
let round = 0;

/**
 * Hears how the family is, now and whenever that changes.
 * @param {(health: Health) => void} listener
 */
export function onHealth(listener) {
    listeners.push(listener);
    listener(health);
}

/** @param {Health} found */
function become(found) {
    health = found;
    for (const listener of listeners) listener(found);
}

export function watchHealth() {
    const { eventSource, eventTypes } = context();
    const lookAnew = () => {
        round += 1;
        become({ state: 'unknown' });
        lookSoon();
    };
    eventSource.on(eventTypes.CHAT_CHANGED, lookAnew);
    // What was found before is no longer so, and what would be found meanwhile never was.
    onChanges(lookAnew);
    lookSoon();
}

/** Looks when the page is idle, if there is a family to look at. */
function lookSoon() {
    clearTimeout(timer);
    if (isChanging() || !openPlace() || isOff() || !hasFamily()) return;
    timer = setTimeout(() => void idle().then(lookByItself).catch((error) => console.warn('Lorefork:', error)), CHAT_STAYS_FOR_LONG);
}

/** Whether the open chat came from another, or another from it. A chat alone is looked at only if somebody asks. */
function hasFamily() {
    const { chat, chatMetadata } = context();
    if (chatMetadata?.main_chat || chatMetadata?.lorefork) return true;
    return chat.some(({ extra }) => extra?.bookmark_link || extra?.branches?.length);
}

/** The look that somebody asked for and that is under way: of which chat, and what comes of it. @type {{ key: string, found: Promise<Problem[] | null> } | null} */
let asked = null;

/**
 * Looks at the family of the open chat, right now.
 * @returns {Promise<Problem[] | null>} null if the chat was left meanwhile
 */
export function look() {
    const place = openPlace();
    if (!place) return Promise.resolve(null);
    const key = keyOf(place);
    if (asked?.key !== key) {
        const found = lookWhole(place).finally(() => (asked = null));
        asked = { key, found };
    }
    return asked.found;
}

/**
 * Waits for changes that are under way, and looks again if there was one meanwhile.
 * @param {import('../types/lorefork').Place} place
 * @returns {Promise<Problem[] | null>}
 */
async function lookWhole(place) {
    for (;;) {
        await unchanging();
        const looked = round + 1;
        const found = await lookAt(place, false);
        if (found || round === looked || keyOf(openPlace() ?? place) !== keyOf(place)) return found;
    }
}

/** Nobody asked, so it gives way to those who did. */
async function lookByItself() {
    const place = openPlace();
    if (place && !asked && !isChanging() && !isOff()) await lookAt(place, true);
}

/**
 * @param {import('../types/lorefork').Place} place
 * @param {boolean} isByItself
 * @returns {Promise<Problem[] | null>}
 */
async function lookAt(place, isByItself) {
    clearTimeout(timer);
    const own = ++round;
    const isCurrent = () => own === round;
    become({ state: 'looking' });
    try {
        const { check } = await engine();
        const host = hostFor(null, { isCurrent, most: isByItself ? LARGE : Infinity }, LookHost);
        const found = await check(host, JSON.stringify(place), JSON.stringify(preferences().shared));
        if (!isCurrent() || keyOf(openPlace() ?? place) !== keyOf(place)) return null;
        if (found.error) throw host.isLarge ? new Large() : new Error(said(found.error));
        become(found.problems.length ? { state: 'problems', problems: found.problems } : { state: 'well', timelines: found.timelines });
        return found.problems;
    } catch (error) {
        if (!isCurrent()) return null;
        if (error instanceof Large) return become({ state: 'large' }), null;
        become({ state: 'failed', why: told(error) });
        throw error;
    }
}

class Large extends Error {}

/** The page for a look: it stops when the chat is left, or when there is too much to read. */
export class LookHost extends GlanceHost {
    /** @param {ConstructorParameters<typeof GlanceHost>[0] & { isCurrent?: () => boolean, most?: number }} how */
    constructor({ isCurrent = () => true, most = Infinity, ...how }) {
        super(how);
        this.isCurrent = isCurrent;
        this.most = most;
        this.read = 0;
        this.isLarge = false;
    }

    /** What SillyTavern shows is what it is about. */
    async names() {
        return worldInfo.world_names;
    }

    /** @param {string} placeText */
    async rawChat(placeText) {
        const lines = await super.rawChat(placeText);
        const next = lines.next.bind(lines);
        lines.next = async () => {
            const piece = await next();
            this.read += piece?.length ?? 0;
            return piece;
        };
        return lines;
    }

    async breathe() {
        await super.breathe();
        this.isLarge = this.read > this.most;
        if (!this.isCurrent() || this.isLarge) throw new HostError('switched', say('The chat was switched or changed meanwhile.'));
    }
}
