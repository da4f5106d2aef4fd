// Whether extensions wrote something into the open chat: nobody tells when they do.

import { context } from './tavern.js';

/**
 * What can be seen of it without reading it all: recaps are in the metadata and in what messages carry.
 * @typedef {{ metadata: string, first: number, carried: string[] }} Traces
 * @param {number} first
 * @param {number} [end]
 * @returns {Traces}
 */
export function traces(first, end) {
    const { chat, chatMetadata } = context();
    // These change with every reply, and say nothing about what is remembered.
    const metadata = JSON.stringify({ ...chatMetadata, lastInContextMessageId: null, timedWorldInfo: null, variables: null });
    return { metadata, first, carried: chat.slice(first, end).map(({ extra }) => outline(extra, 2)) };
}

/**
 * The shape of a value, down to some depth: a message may carry a whole lorebook.
 * @param {unknown} value
 * @param {number} depth
 * @returns {string}
 */
function outline(value, depth) {
    if (typeof value === 'string') return String(value.length);
    if (typeof value !== 'object' || value === null) return String(value);
    return depth === 0 ? '' : `{${Object.entries(value).map(([key, inner]) => `${key}:${outline(inner, depth - 1)}`)}}`;
}
