// What a slash command chooses beforehand, in the words of the command line: a script is asked nothing.

import { say } from './words.js';

/** Which lorebook a new timeline gets, and which a timeline that has one. */
export const LORE = ['auto', 'live', 'snapshot', 'empty', 'share'];
export const OWN_LORE = LORE.slice(0, -1);
/** What becomes of work that is waiting. */
export const QUEUE = ['wait', 'drop'];

/**
 * What the engine offers instead of a refusal, as an argument.
 * @type {Record<import('../types/lorefork').Choice, string>}
 */
const ARGUMENTS = { wait: 'queue=wait', dropQueue: 'queue=drop', snapshot: 'lore=snapshot', live: 'lore=live', empty: 'lore=empty' };

/** @param {unknown} value */
export const isTrue = (value) => ['true', 'on', '1'].includes(String(value).toLowerCase());

/**
 * @param {string} name of the argument
 * @param {unknown} value
 * @param {string[]} known
 * @returns {string | undefined} nothing if it is not given
 */
export function wordOf(name, value, known) {
    if (value === undefined || value === null || value === '') return undefined;
    const word = String(value).toLowerCase();
    if (!known.includes(word)) throw new Error(say('There is no {0}={1}. Choose one of: {2}.', name, String(value), known.join(', ')));
    return word;
}

/**
 * What the arguments of a command that forks mean. Throws in words if one of them means nothing.
 * @param {Record<string, unknown>} named
 */
export function choicesOf({ lore, queue, confirm }) {
    const work = wordOf('queue', queue, QUEUE);
    return {
        waits: work === 'wait',
        request: { lore: wordOf('lore', lore, LORE), dropQueue: work === 'drop', confirmed: isTrue(confirm) },
    };
}

/**
 * The arguments that would choose, in words; null if none would.
 * @param {import('../types/lorefork').Failure} error
 */
export function argumentsFor({ report, choices = [] }) {
    const all = report?.valid ? ['confirm=true'] : choices.map((choice) => ARGUMENTS[choice]);
    return all.length ? say('A command chooses by an argument: {0}', all.join(', ')) : null;
}
