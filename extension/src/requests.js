// Requests to SillyTavern's server, with the fetch of before anybody wrapped it.

import { context } from './tavern.js';
import { SERVER_ANSWER } from './times.js';
import { say } from './words.js';

/** The browser's own, or whatever stood there when we came. */
export const plainFetch = globalThis.fetch.bind(globalThis);

/** What a verb of the page throws: `kind` is what the engine goes by. */
export class HostError extends Error {
    /**
     * @param {import('../types/lorefork').ErrorKind} kind
     * @param {string} message
     * @param {string} [file]
     * @param {number} [status] of the server's answer
     */
    constructor(kind, message, file, status) {
        super(message);
        this.kind = kind;
        this.file = file;
        this.status = status;
    }
}

/**
 * Somebody else wrote to what this page holds.
 * @param {string} file
 */
export const changedElsewhere = (file) => new HostError('changed', say('it was changed elsewhere, in another tab or on disk'), file);

/**
 * Asks the server for something; nothing changes there.
 * @param {string} path
 * @param {object} body
 * @param {number} [patience]
 * @returns {Promise<string>}
 */
export async function read(path, body, patience) {
    return (await ask(path, body, patience)).text();
}

/**
 * The same for whoever takes the answer apart.
 * @param {string} path
 * @param {object} body
 * @param {number} [patience]
 */
export async function ask(path, body, patience) {
    let response;
    try {
        response = await send(path, JSON.stringify(body), patience);
    } catch (error) {
        throw new HostError('failed', say('SillyTavern\'s server does not answer ({0})', words(error)));
    }
    if (!response.ok) throw new HostError('failed', say('SillyTavern\'s server answers {0} to {1}', response.status, path), undefined, response.status);
    return response;
}

/**
 * Tells the server to change something.
 * @param {string} path
 * @param {string} body JSON text, so that content is never parsed and printed on the way
 */
export async function write(path, body) {
    let response;
    let text;
    try {
        response = await send(path, body);
        text = await response.text();
    } catch (error) {
        throw new HostError('lost', say('SillyTavern\'s server did not answer ({0})', words(error)));
    }
    if (response.ok) return;
    throw refusal(response.status, text);
}

/**
 * @param {number} status
 * @param {string} text
 */
export function refusal(status, text) {
    // A proxy gave up on the server, which may have written nevertheless.
    if ([502, 503, 504].includes(status)) return new HostError('lost', say('the connection to SillyTavern\'s server broke ({0})', status));
    if (text.includes('"integrity"')) return new HostError('changed', say('the file on the server is another one'));
    return new HostError('failed', say('SillyTavern\'s server refused to write ({0})', status));
}

/**
 * @param {string} path
 * @param {string} body
 * @param {number} [patience]
 */
function send(path, body, patience = SERVER_ANSWER) {
    return plainFetch(path, {
        method: 'POST',
        cache: 'no-cache',
        headers: context().getRequestHeaders(),
        body,
        signal: AbortSignal.timeout(patience),
    });
}

/** @param {unknown} error */
const words = (error) => (error instanceof Error ? error.message : String(error));
