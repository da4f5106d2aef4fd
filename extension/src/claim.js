// One operation at a time, in all tabs of one user.

import { HostError } from './requests.js';
import { inStore } from './store.js';
import { userHandle } from './tavern.js';
import { CLAIM_AGAIN, LEASE, LEASE_RENEWAL } from './times.js';
import { say } from './words.js';

/**
 * Resolves to what releases the claim.
 * @param {number} patience how many milliseconds to wait for another operation
 * @returns {Promise<() => void>}
 */
export async function claim(patience) {
    const until = Date.now() + patience;
    for (;;) {
        const release = navigator.locks ? await lock() : await lease();
        if (release) return release;
        if (Date.now() >= until) throw new HostError('busy', say('Another checkpoint or branch is being made.'));
        await new Promise((resolve) => setTimeout(resolve, CLAIM_AGAIN));
    }
}

/** @returns {Promise<(() => void) | null>} */
function lock() {
    return new Promise((resolve, reject) => {
        navigator.locks
            .request(`lorefork ${userHandle()}`, { ifAvailable: true }, (held) => {
                if (!held) return resolve(null);
                // Held until the promise that is returned here settles, or the tab is gone.
                return new Promise((release) => resolve(() => release(undefined)));
            })
            .catch(reject);
    });
}

/**
 * Without HTTPS or localhost there are no locks in browsers: then a record that runs out.
 * @returns {Promise<(() => void) | null>}
 */
async function lease() {
    const mine = crypto.getRandomValues(new Uint32Array(2)).join('-');
    let isHeld = false;
    const take = () => withRecord((record, store) => {
        isHeld = !record || record.mine === mine || record.until <= Date.now();
        if (isHeld) store.put({ mine, until: Date.now() + LEASE }, 'operation');
    });
    await take();
    if (!isHeld) return null;
    const timer = setInterval(take, LEASE_RENEWAL);
    return () => {
        clearInterval(timer);
        // If this tab slept for too long, it may be another's by now.
        void withRecord((record, store) => record?.mine === mine && store.delete('operation'));
    };
}

/**
 * Reads the record and changes it in one transaction: no other tab comes in between.
 * @param {(record: { mine: string, until: number } | undefined, store: IDBObjectStore) => unknown} act
 */
function withRecord(act) {
    return inStore('lease', 'readwrite', (store) => {
        const found = store.get('operation');
        found.onsuccess = () => act(found.result, store);
        return found;
    });
}
