// One operation at a time, in all tabs of one user.

import { HostError } from './requests.js';
import { inStore } from './store.js';
import { userHandle } from './tavern.js';

const LEASE = 20_000;

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
        if (Date.now() >= until) throw new HostError('busy', 'Another checkpoint or branch is being made.');
        await new Promise((resolve) => setTimeout(resolve, 100));
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
    const held = await inStore('lease', 'readonly', (store) => store.get('operation'));
    if (held && held.until > Date.now()) return null;
    const keep = () => inStore('lease', 'readwrite', (store) => store.put({ mine, until: Date.now() + LEASE }, 'operation'));
    await keep();
    // Two tabs may have written at once; the later one has it.
    const now = await inStore('lease', 'readonly', (store) => store.get('operation'));
    if (now?.mine !== mine) return null;
    const timer = setInterval(keep, LEASE / 4);
    return () => {
        clearInterval(timer);
        void inStore('lease', 'readwrite', (store) => store.delete('operation'));
    };
}
