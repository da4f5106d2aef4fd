// Why a timeline is not made, or not yet, and what can be done about it.

import { context } from '../tavern.js';
import { said, say } from '../words.js';
import { draw, icon } from './draw.js';

/**
 * @typedef {import('../../types/lorefork').Failure} Failure
 * @typedef {import('../../types/lorefork').Finding} Finding
 * @typedef {import('../../types/lorefork').Choice} Choice
 */

/** What the engine offers, as buttons say it, and what it means for the next attempt. */
const CHOICES = {
    wait: { text: 'Create when ready', then: /** @type {const} */ ('wait') },
    dropQueue: { text: 'Create without the waiting work', then: { dropQueue: true } },
    snapshot: { text: 'Rebuild from the newest snapshot', then: { lore: 'snapshot' } },
    live: { text: 'Use the lorebook as it is now', then: { lore: 'live' } },
    empty: { text: 'Start with an empty lorebook', then: { lore: 'empty' } },
};

/**
 * Resolves to what the user wants instead, or null.
 * @param {'checkpoint' | 'branch'} kind
 * @param {Failure} error
 */
export async function refuse(kind, error) {
    const choice = await choose(headingOf(kind, error), error, error.choices ?? []);
    return choice && CHOICES[choice].then;
}

/**
 * @param {'checkpoint' | 'branch'} kind
 * @param {Failure} error
 */
export function headingOf(kind, { code }) {
    if (code === 'ANSWER_LOST') return kind === 'branch' ? say('Was the branch created?') : say('Was the checkpoint created?');
    return kind === 'branch' ? say('Cannot create branch') : say('Cannot create checkpoint');
}

/**
 * Asks which lorebook a new timeline that somebody else makes shall have, if its own past is not recorded. Null if it
 * shall not be made.
 * @param {Failure} error
 */
export async function askForNewLore(error) {
    return choose(say('Which lorebook should the new timeline have?'), error, ['live', 'empty'], say('Cancel'));
}

/**
 * Asks which lorebook a timeline that shares one shall have. Null if it may stay so.
 * @param {Failure} error
 */
export async function askForLore(error) {
    return choose(say('Which lorebook should this timeline have?'), error, ['live', 'empty'], say('Leave it shared'));
}

/** What a lorebook that is not there may become, as the engine calls it and as buttons say it. */
const MISSING = /** @type {const} */ ([
    ['rebuild', 'Rebuild it from what was recorded'],
    ['parent', 'Copy the lorebook of the parent'],
    ['empty', 'Start with an empty lorebook'],
    ['detach', 'Take it off this chat'],
]);

/** Asks what shall become of a lorebook that is not there. Null without an answer. */
export async function askForMissing() {
    const { Popup, POPUP_TYPE } = context();
    const content = draw('div', 'lorefork-refusal lorefork-choices', draw('h3', '', say('What should become of the missing lorebook?')));
    const result = await new Popup(content, POPUP_TYPE.TEXT, '', {
        okButton: say('Cancel'),
        customButtons: MISSING.map(([, text], index) => ({ text: say(text), result: 1001 + index })),
    }).show();
    return MISSING[Number(result) - 1001]?.[0] ?? null;
}

/**
 * @param {string} heading
 * @param {Failure} error
 * @param {Choice[]} choices
 * @param {string} [otherwise] what closing it means
 * @returns {Promise<Choice | null>}
 */
async function choose(heading, error, choices, otherwise = say('Close')) {
    const { Popup, POPUP_TYPE } = context();
    const errors = error.report?.errors.length
        ? error.report.errors
        : [error];
    const content = draw('div', 'lorefork-refusal',
        draw('h3', '', heading),
        draw('ol', '', ...errors.map(causeOf)));
    // Counted from 1001, as SillyTavern does for further buttons.
    const customButtons = choices.map((choice, index) => ({ text: say(CHOICES[choice].text), result: 1001 + index }));
    const result = await new Popup(content, POPUP_TYPE.TEXT, '', {
        okButton: otherwise,
        customButtons,
        allowVerticalScrolling: true,
        leftAlign: true,
    }).show();
    return choices[Number(result) - 1001] ?? null;
}

/**
 * One cause: what, why, what to do.
 * @param {Finding | Failure} finding
 */
function causeOf(finding) {
    const operations = ('details' in finding ? finding.details?.operations : null) ?? [];
    return draw('li', '',
        draw('div', 'lorefork-cause', said(finding)),
        operations.length ? draw('ul', 'lorefork-operations', ...operations.map(operationOf)) : null,
        finding.advice ? draw('div', 'lorefork-remedy', icon('fa-arrow-right'), draw('span', '', said(finding.advice))) : null);
}

/** @param {{ type: string, status: string, target: string | null }} operation */
function operationOf({ type, status, target }) {
    const words = (/** @type {string} */ text) => text.replaceAll('_', ' ');
    return draw('li', '', `${words(type)}${target ? `: ${target}` : ''} `, draw('small', '', `(${words(status)})`));
}

/**
 * Warnings that are better known before than after.
 * @param {'checkpoint' | 'branch'} kind
 * @param {Failure} error
 * @returns {Promise<boolean>}
 */
export async function askBefore(kind, error) {
    const { Popup, POPUP_TYPE, POPUP_RESULT } = context();
    const content = draw('div', 'lorefork-refusal',
        draw('h3', '', kind === 'branch' ? say('Create branch nevertheless?') : say('Create checkpoint nevertheless?')),
        draw('ul', '', ...(error.report?.warnings ?? []).map(causeOf)));
    const result = await new Popup(content, POPUP_TYPE.CONFIRM, null, {
        okButton: kind === 'branch' ? say('Create branch') : say('Create checkpoint'),
        cancelButton: say('Cancel'),
        allowVerticalScrolling: true,
        leftAlign: true,
    }).show();
    return result === POPUP_RESULT.AFFIRMATIVE;
}
