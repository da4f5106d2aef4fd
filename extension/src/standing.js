// Notices that stand until somebody closes them. Each is about one chat: it goes when that chat is left, and when what it
// says is no longer so.

import { onChanges } from './changing.js';
import { context, keyOf, openPlace } from './tavern.js';

/**
 * @typedef {import('../types/lorefork').Opened} Opened
 * @typedef {object} Standing
 * @property {string} key of the chat it is about
 * @property {any} toast
 * @property {(opened: Opened) => boolean} isSo whether it still says what is so
 * @property {() => void} onLeft the chat was left before anybody had closed it
 */

/** @type {Standing[]} */
let standing = [];

/** @param {Standing} notice */
const isShown = ({ toast }) => Boolean(toast?.[0]?.isConnected);

/** @param {Standing} notice */
const clear = ({ toast }) => toastr.clear(toast, { force: true });

/** @param {Standing} notice */
export function stand(notice) {
    standing = [...standing.filter(isShown), notice];
}

/**
 * @param {() => Promise<Opened | null>} look what is so of the open chat
 */
export function watchStanding(look) {
    const { eventSource, eventTypes } = context();
    eventSource.on(eventTypes.CHAT_CHANGED, leave);
    onChanges((isUnderWay) => {
        if (!isUnderWay) void lookAgain(look).catch((error) => console.warn('Lorefork:', error));
    });
}

/** What is about another chat than the one that is open goes. */
function leave() {
    const place = openPlace();
    const key = place && keyOf(place);
    const left = standing.filter((notice) => notice.key !== key && isShown(notice));
    standing = standing.filter((notice) => notice.key === key && isShown(notice));
    for (const notice of left) {
        clear(notice);
        notice.onLeft();
    }
}

/** @param {() => Promise<Opened | null>} look */
async function lookAgain(look) {
    standing = standing.filter(isShown);
    if (standing.length === 0) return;
    const place = openPlace();
    const opened = await look();
    if (!place || !opened) return;
    for (const notice of standing.filter(({ key }) => key === keyOf(place))) {
        if (!notice.isSo(opened)) clear(notice);
    }
}
