// Timelines that this page has met: what was said of them is not said again.

import { keyOf } from './tavern.js';

/** Those that it saw being made and could not isolate, as `keyOf` names them. @type {Set<string>} */
export const missed = new Set();

/** Those that it looked at. @type {Set<string>} */
export const told = new Set();

/** Those whose lorebook is missing, which was asked about; those whose warning went with the chat have it again. @type {Map<string, { isWarned: boolean }>} */
export const lost = new Map();

/**
 * Its notice is not shown: it would say what has just been said.
 * @param {import('../types/lorefork').Place} place
 */
export const wasTold = (place) => void told.add(keyOf(place));
