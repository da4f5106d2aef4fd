// Notices, as SillyTavern shows its own.

import { argumentsFor } from '../choosing.js';
import { BRIEF_NOTICE, BRIEF_NOTICE_LEFT, NOTICE, NOTICE_WITH_BUTTON } from '../times.js';
import { said, say, told } from '../words.js';
import { draw, title } from './draw.js';

/**
 * @typedef {import('../../types/lorefork').Created} Created
 * @typedef {import('../../types/lorefork').Failure} Failure
 * @typedef {import('../../types/lorefork').Isolated} Isolated
 * @typedef {'checkpoint' | 'branch'} Kind
 */

/** How sure it is that the lorebook is the one of that message. */
const QUALITIES = {
    none: '',
    exact: 'exactly as it was',
    ranged: 'without memories of later messages',
    current: 'as it is now',
    snapshot: 'as recorded',
    partial: 'from an incomplete record',
    future: 'as it is now, with what happens later',
    empty: 'empty',
    shared: 'shared on purpose',
};

/**
 * A notice of several lines.
 * @param {'success' | 'info' | 'warning' | 'error'} level
 * @param {(string | null)[]} lines
 * @param {string} heading
 * @param {object} [options]
 */
export function tell(level, lines, heading, options = {}) {
    const content = draw('div', 'lorefork-notice', ...lines.filter(Boolean).map((line) => draw('div', '', line)));
    return toastr[level]($(content), heading, { escapeHtml: false, timeOut: NOTICE, extendedTimeOut: NOTICE, ...options });
}

/** @param {Kind} kind */
export function tellBusy(kind) {
    tell('warning', [say('Another checkpoint or branch is being made. Wait until it is done, then try again.')], title(kind));
}

/** @param {Kind} kind */
export function tellSwitched(kind) {
    tell('warning', [say('The chat was switched or changed meanwhile. Nothing was written. Go back and try again.')], title(kind));
}

/**
 * @param {Kind} kind
 * @param {string} why
 */
export function tellNothing(kind, why) {
    tell('warning', [say(why)], title(kind));
    return null;
}

/**
 * @param {Kind} kind
 * @param {unknown} error
 */
export function tellEngine(kind, error) {
    console.error('Lorefork:', error);
    tell('error', [
        say('Lorefork does not work, so nothing was made: the new timeline would share its lorebook.'),
        told(error),
        say('Reload the page. If that does not help, update or switch off the extension.'),
    ], title(kind), { timeOut: 0, extendedTimeOut: 0 });
}

/**
 * It stands, but is not shown.
 * @param {Kind} kind
 * @param {unknown} error
 */
export function tellNotOpened(kind, error) {
    console.error('Lorefork:', error);
    tell('warning', [say('It was made, but could not be opened. You find it under “Manage chat files”.')], title(kind));
}

/** The same in a word or two, where it is not short. @type {Partial<Record<keyof typeof QUALITIES, string>>} */
const SHORT = {
    exact: 'exact',
    ranged: 'no later memories',
    snapshot: 'as recorded',
    partial: 'incomplete',
    future: 'with later events',
};

/**
 * One line that says what was made, how many entries it has, and how sure they are; all of it on a tap. More only if
 * there is a reason to look at it.
 * @param {Created} created
 */
export function tellCreated(created) {
    const { kind, warnings } = created;
    const line = draw('div', '', draw('b', '', kind === 'branch' ? say('Branch created') : say('Checkpoint created')), ` · ${loreInShort(created)}`);
    const content = draw('div', 'lorefork-notice lorefork-brief', line,
        ...warnings.map((warning) => draw('div', 'lorefork-reason', said(warning))));
    const toast = toastr[warnings.length ? 'warning' : 'success']($(content), '', {
        escapeHtml: false,
        timeOut: warnings.length ? NOTICE : BRIEF_NOTICE,
        extendedTimeOut: BRIEF_NOTICE_LEFT,
        tapToDismiss: false,
    });
    const box = content.closest('.toast');
    if (!(box instanceof HTMLElement)) return;
    box.title = say('Show more');
    box.addEventListener('click', () => {
        toastr.remove(toast);
        tellCreatedInFull(created);
    });
}

/** @param {Created} created */
function loreInShort({ lorebook, quality, entries }) {
    if (quality === 'shared') return say('shared lorebook');
    if (lorebook === null) return say('no lorebook');
    if (quality === 'empty') return say('empty lorebook');
    return say(entries === 1 ? '{0} entry, {1}' : '{0} entries, {1}', entries, say(SHORT[quality] ?? QUALITIES[quality]));
}

/**
 * Stays until it is tapped.
 * @param {Created} created
 */
function tellCreatedInFull(created) {
    const { kind, chat, lorebook, quality, scene, recapVersion, entries, warnings, notes } = created;
    const lore = quality === 'shared' ? say('The lorebook is shared on purpose.')
        : lorebook === null ? say('No lorebook is attached.')
        : quality === 'empty' ? say('Own lorebook, empty.')
        : say(entries === 1 ? 'Own lorebook with {0} entry, {1}.' : 'Own lorebook with {0} entries, {1}.', entries, say(QUALITIES[quality]));
    const recap = recapVersion === null ? null : say('Running recap version {0}.', recapVersion);
    tell(warnings.length ? 'warning' : 'success', [
        chat,
        scene ? say('Scene: {0}', scene) : null,
        [lore, recap].filter(Boolean).join(' '),
        ...[...warnings, ...notes].map(said),
        kind === 'checkpoint' ? say('Click the flag icon next to the message to open the checkpoint chat.') : null,
    ], kind === 'branch' ? say('Branch created') : say('Checkpoint created'), { timeOut: 0, extendedTimeOut: 0 });
}

/**
 * Nothing is asked of a script: it is told why not, and by which argument it would choose. Answers null, for whoever
 * returns it.
 * @param {string} heading
 * @param {Failure} error
 */
export function tellRefused(heading, error) {
    const { report } = error;
    const causes = report?.valid ? report.warnings : report?.errors.length ? report.errors : [error];
    tell('warning', [...causes.flatMap((cause) => [said(cause), said(cause.advice)]), argumentsFor(error)], heading);
    return null;
}

/** @param {Isolated} isolated */
export function tellCaught({ chat, quality, warnings }) {
    tell('success', [chat, say('It has its own lorebook now, {0}.', say(quality ? QUALITIES[quality] : '')), ...warnings.map(said)],
        say('Lorebook isolated'));
}

/** @param {Failure} error */
export function tellPassed(error) {
    tell('warning', [say('A new timeline shares its lorebook with this one:'), said(error), said(error.advice)], say('Lorebook shared'), { timeOut: 0, extendedTimeOut: 0 });
}

/** @param {Failure} error */
export function tellIsolationFailed(error) {
    tell('warning', [said(error), said(error.advice)], say('The lorebook stays shared'));
}

/** @param {import('../../types/lorefork').Said[]} healed */
export function tellHealed(healed) {
    if (healed.length) tell('info', healed.map(said), 'Lorefork');
}

/**
 * Offers a timeline that shares its lorebook its own.
 * @param {{ chat: string, lorebook: string | null, sharedWith: string[] }} found
 * @param {() => Promise<unknown>} isolate
 */
export function offerIsolation({ chat, lorebook, sharedWith }, isolate) {
    const button = draw('div', 'menu_button lorefork-offer', say('Give it its own'));
    const content = draw('div', 'lorefork-notice',
        draw('div', '', chat),
        draw('div', '', sharedWith.length === 1
            ? say('“{0}” is also used by another timeline. What happens in one changes all of them.', lorebook ?? '')
            : say('“{0}” is also used by {1} other timelines. What happens in one changes all of them.', lorebook ?? '', sharedWith.length)),
        button);
    const toast = toastr.info($(content), say('Shared lorebook'), {
        escapeHtml: false,
        timeOut: 0,
        extendedTimeOut: 0,
        closeButton: true,
        tapToDismiss: false,
    });
    button.addEventListener('click', () => {
        toastr.clear(toast, { force: true });
        void isolate();
    });
    return toast;
}

/**
 * Something was changed, and can be changed back.
 * @param {string[]} lines
 * @param {string} heading
 * @param {() => void} [undo]
 * @param {string} [words] of the button
 */
export function tellDone(lines, heading, undo, words = say('Undo')) {
    const back = draw('div', 'menu_button lorefork-offer', words);
    const content = draw('div', 'lorefork-notice', ...lines.map((line) => draw('div', '', line)), undo ? back : null);
    const toast = toastr.success($(content), heading, {
        escapeHtml: false,
        timeOut: NOTICE_WITH_BUTTON,
        extendedTimeOut: NOTICE_WITH_BUTTON,
        closeButton: true,
        tapToDismiss: false,
    });
    back.addEventListener('click', () => {
        toastr.clear(toast, { force: true });
        undo?.();
    });
}
