// The trash: former texts and removed files, as files in the user's own folder `user/files`, so that they can be found
// without Lorefork. Which file is what stands in the browser's store.

import { fingerprint } from './frozen.js';
import { HostError, plainFetch, read } from './requests.js';
import { inStore } from './store.js';
import { say, told } from './words.js';

/**
 * @typedef {object} Kept
 * @property {string} id of the operation
 * @property {string} file where it stood, relative to the user folder
 * @property {number} bytes
 * @property {string} stored the name of its copy
 * @property {string} [header] of a chat: its first line, so that the story tree knows where it stood
 * @property {number} [count] of a chat: how many messages it has
 */

/**
 * @param {string} id
 * @param {string} file
 */
const keyOf = (id, file) => `${id} ${file}`;

/**
 * The server takes letters, digits, `_`, `-` and `.` only.
 * @param {string} id
 * @param {string} file
 */
const nameOf = (id, file) => `lorefork-${id}-${fingerprint([file])}${file.endsWith('.jsonl') ? '.jsonl' : '.json'}`;

/**
 * Keeps a text. Resolves only when it can be read back; the same one again is fine.
 * @param {string} id
 * @param {string} file
 * @param {string} text
 */
export async function keep(id, file, text) {
    const stored = nameOf(id, file);
    const blob = new Blob([text]);
    // First, so that no copy is ever forgotten.
    await inStore('kept', 'readwrite', (store) => store.put({ id, file, bytes: blob.size, stored, ...outline(file, text) }, keyOf(id, file)));
    try {
        await read('/api/files/upload', { name: stored, data: await base64(blob) });
        if ((await fetchKept(stored)) === text) return;
    } catch (error) {
        throw new HostError('failed', say('its copy could not be stored, so it was left as it is ({0})', told(error)), file);
    }
    throw new HostError('failed', say('its copy cannot be read back, so it was left as it is'), file);
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {{ header?: string, count?: number }}
 */
function outline(file, text) {
    if (!file.endsWith('.jsonl')) return {};
    const [header = '', ...lines] = text.split('\n').filter((line) => line.trim());
    return { header, count: lines.length };
}

/**
 * @param {string} id
 * @param {string} file
 * @returns {Promise<string | null>}
 */
export async function kept(id, file) {
    /** @type {Kept | undefined} */
    const found = await inStore('kept', 'readonly', (store) => store.get(keyOf(id, file)));
    return found ? fetchKept(found.stored) : null;
}

/** @returns {Promise<Kept[]>} */
export const trashed = () => inStore('kept', 'readonly', (store) => store.getAll());

/**
 * Removes copies for good: of one file, or of all of an operation.
 * @param {string} id
 * @param {string} [file]
 */
export async function burn(id, file) {
    const all = (await trashed()).filter((copy) => copy.id === id && (file === undefined || copy.file === file));
    for (const copy of all) {
        // One that never arrived need not go.
        if ((await fetchKept(copy.stored)) !== null) await read('/api/files/delete', { path: `user/files/${copy.stored}` });
        await inStore('kept', 'readwrite', (store) => store.delete(keyOf(copy.id, copy.file)));
    }
}

/**
 * @param {string} stored
 * @returns {Promise<string | null>}
 */
async function fetchKept(stored) {
    let response;
    try {
        response = await plainFetch(`/user/files/${stored}`, { cache: 'no-store' });
    } catch (error) {
        throw new HostError('failed', say('SillyTavern\'s server does not answer ({0})', told(error)));
    }
    if (response.status === 404) return null;
    if (!response.ok) throw new HostError('failed', say('SillyTavern\'s server answers {0} to /user/files', response.status));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
}

/**
 * @param {Blob} blob
 * @returns {Promise<string>}
 */
function base64(blob) {
    return new Promise((resolve, reject) => {
        const reader = new FileReader();
        reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
        reader.onerror = () => reject(reader.error);
        reader.readAsDataURL(blob);
    });
}
