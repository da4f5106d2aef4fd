// Changes of ours that are under way. Whoever looks at files meanwhile would see half of them, so looking waits, and what was
// seen before is looked at again.

/** @typedef {(isUnderWay: boolean) => void} Listener */

let underWay = 0;
/** @type {Set<Listener>} */
const listeners = new Set();

/** Whether something is being changed right now. */
export const isChanging = () => underWay > 0;

/**
 * Hears when changes begin, and when all of them are over.
 * @param {Listener} listener
 * @returns {() => void} what ends that
 */
export function onChanges(listener) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
}

/** @param {boolean} isUnderWay */
const tellAll = (isUnderWay) => [...listeners].forEach((listener) => listener(isUnderWay));

/**
 * Does something that changes files.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function changing(work) {
    underWay += 1;
    if (underWay === 1) tellAll(true);
    try {
        return await work();
    } finally {
        underWay -= 1;
        if (underWay === 0) tellAll(false);
    }
}

/** Something is different from now on, without any work. */
export const changed = () => void changing(async () => {});

/** Resolves when nothing is being changed. */
export function unchanging() {
    return isChanging() ? new Promise((/** @type {(value: void) => void} */ resolve) => {
        const stop = onChanges((isUnderWay) => {
            if (isUnderWay) return;
            stop();
            resolve();
        });
    }) : Promise.resolve();
}
