// What the engine wants kept: intents, the log, and the trash. In the browser's own store, and as files in the user's folder.

import { inStore, intents } from './store.js';
import { burn, keep, kept, trashed } from './trash.js';

export class OperationStore {
    /**
     * @param {string} id
     * @param {string} intent
     */
    async note(id, intent) {
        await inStore('intents', 'readwrite', (store) => store.put(intent, id));
    }

    async unfinished() {
        return JSON.stringify(await intents());
    }

    /** @param {string} id */
    async forget(id) {
        await inStore('intents', 'readwrite', (store) => store.delete(id));
    }

    async operationIds() {
        const keys = await Promise.all([
            inStore('log', 'readonly', (store) => store.getAllKeys()),
            inStore('intents', 'readonly', (store) => store.getAllKeys()),
        ]);
        return JSON.stringify(keys.flat());
    }

    /**
     * @param {string} id
     * @param {string} record
     */
    async log(id, record) {
        await inStore('log', 'readwrite', (store) => store.put(record, id));
    }

    async logged() {
        return JSON.stringify(await inStore('log', 'readonly', (store) => store.getAll()));
    }

    /**
     * @param {string} id
     * @param {string} file
     * @param {string} text
     */
    keep(id, file, text) {
        return keep(id, file, text);
    }

    /**
     * @param {string} id
     * @param {string} file
     */
    kept(id, file) {
        return kept(id, file);
    }

    async trashed() {
        return JSON.stringify(await trashed());
    }

    /**
     * @param {string} id
     * @param {string} [file]
     */
    burn(id, file) {
        return burn(id, file);
    }
}
