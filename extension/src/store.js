// What must survive a crash of the page: intents, the log of operations and the list of what is kept, in IndexedDB.

import { userHandle } from './tavern.js';

const STORES = /** @type {const} */ (['intents', 'log', 'lease', 'kept']);

/** @type {Map<string, Promise<IDBDatabase>>} */
const databases = new Map();

/** One database per user: several may share a browser. */
function database() {
    const name = `lorefork ${userHandle()}`;
    let opened = databases.get(name);
    if (!opened) {
        opened = new Promise((resolve, reject) => {
            const request = indexedDB.open(name, 2);
            request.onupgradeneeded = () => {
                for (const store of STORES) {
                    if (!request.result.objectStoreNames.contains(store)) request.result.createObjectStore(store);
                }
            };
            request.onsuccess = () => {
                // A newer Lorefork in another tab must not wait for this one.
                request.result.onversionchange = () => {
                    request.result.close();
                    databases.delete(name);
                };
                resolve(request.result);
            };
            request.onerror = () => reject(request.error);
            request.onblocked = () => reject(new Error('another tab has an older Lorefork; reload it'));
        });
        // The next attempt may do better.
        opened.catch(() => databases.delete(name));
        databases.set(name, opened);
    }
    return opened;
}

/**
 * Runs `act` on one store, and resolves when all of it is on disk.
 * @template T
 * @param {(typeof STORES)[number]} store
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} act
 * @returns {Promise<T>}
 */
export async function inStore(store, mode, act) {
    const opened = await database();
    return new Promise((resolve, reject) => {
        const transaction = opened.transaction(store, mode, { durability: 'strict' });
        const request = act(transaction.objectStore(store));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
}

/** @returns {Promise<string[]>} */
export const intents = () => inStore('intents', 'readonly', (store) => store.getAll());
