// What is said when a timeline opens.

import { BRIEF_NOTICE } from '../times.js';
import { said, say } from '../words.js';
import { tell } from './notices.js';

/** @typedef {import('../../types/lorefork').Opened} Opened */

/**
 * @param {Opened} opened
 * @param {'all' | 'problems'} notices
 * @returns {unknown} the notice, if it stays until somebody closes it
 */
export function tellOpened(opened, notices) {
    const problems = problemsOf(opened);
    // Without a record there is nothing to tell, but a lorebook may be gone.
    const isTold = opened.kind !== null && opened.kind !== 'main';
    if (problems.length === 0 && (!isTold || notices === 'problems')) return null;
    const level = problems.some(({ level }) => level === 'error') ? 'error' : problems.length ? 'warning' : 'info';
    const words = problems.map((remark) => sentence(said(remark)));
    const toast = tell(level, [opened.chat, ...(isTold ? describe(opened) : []), ...words], titleOf(opened),
        problems.length ? { timeOut: 0, extendedTimeOut: 0 } : { timeOut: BRIEF_NOTICE });
    return problems.length ? toast : null;
}

/** @param {Opened} opened */
export const problemsOf = ({ remarks }) => remarks.filter(({ level }) => level !== 'info');

/** @param {Opened} opened */
export function titleOf({ kind }) {
    if (kind === 'branch') return say('Branch loaded');
    return kind === 'checkpoint' ? say('Checkpoint loaded') : say('Timeline loaded');
}

/**
 * Scene, recap, lorebook and date, as far as there are any.
 * @param {Opened} opened
 * @returns {(string | null)[]}
 */
export function describe({ scene, version, scenes, entries, undecided, lorebook, made }) {
    return [
        version === null && !scene ? null : say('Scene: {0}', scene ?? say('unnamed')),
        version === null ? null : say('Running recap: version {0}, scenes: {1}', version, scenes ?? '?'),
        lorebook ? say('Own lorebook, entries: {0}', entries ?? '?') : say('No lorebook is attached.'),
        undecided ? openWords(undecided) : null,
        made === null ? null : say('Made on {0}', new Date(made).toLocaleString()),
    ];
}

/** @param {number} count */
export const openWords = (count) => (count === 1
    ? say('Of one entry nobody can tell how it was: /lorefork-decide')
    : say('Of {0} entries nobody can tell how they were: /lorefork-decide', count));

/** @param {string} text */
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?。]$/.test(text) ? '' : '.');
