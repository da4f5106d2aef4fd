// What would change, before anything is written; and why something was not.

import { context, groupOf } from '../tavern.js';
import { said, say } from '../words.js';
import { draw, icon, point } from './draw.js';

/**
 * @typedef {import('../../types/lorefork').FileChange} FileChange
 * @typedef {import('../../types/lorefork').Failure} Failure
 * @typedef {import('../../types/lorefork').FixPlan} FixPlan
 * @typedef {import('../../types/lorefork').OwnBook} OwnBook
 * @typedef {import('../../types/lorefork').RewindPlan} RewindPlan
 * @typedef {import('../../types/lorefork').Deletion} Deletion
 * @typedef {import('../../types/lorefork').UndoPlan} UndoPlan
 */

const BESIDE = 1001;
/** So many names of a kind are shown; the rest is counted. */
const NAMES = 6;
const KINDS = { chat: 'fa-comments', lorebook: 'fa-book-atlas', group: 'fa-users' };

/** @param {FixPlan} plan */
export function askToFix({ steps, files }) {
    const mended = steps.filter(({ left }) => left === null);
    const left = steps.filter((step) => step.left !== null);
    return ask(say('Put this right?'), say('Put it right'), files.length > 0,
        ...[...mended, ...left].map(stepOf),
        files.length ? filesOf(files) : null);
}

/**
 * A problem with its cure, or why it has none.
 * @param {FixPlan['steps'][number]} step
 */
function stepOf(step) {
    const { advice, left, timelines } = step;
    return draw('div', 'lorefork-step',
        point(left === null ? 'fa-wrench' : 'fa-hand', `${whose(step)}${said(step)}`),
        point('fa-arrow-right', left === null ? said(advice) : say('Left to you: {0}', said(left))),
        ...timelines.map(timelineOf));
}

/** @param {import('../../types/lorefork').Problem} problem */
function whose({ chat, lorebook }) {
    const name = chat ?? lorebook;
    return name === null ? '' : `${name}: `;
}

/** @param {RewindPlan} plan */
export function askToRewind({ chat, at, lorebook, from, entries, inPlace, warnings }) {
    return ask(say('Rewind this timeline?'), say('Rewind'), true,
        point('fa-clock-rotate-left', say('The lore of “{0}” becomes that of message {1}. All messages stay.', chat, at)),
        point('fa-book-atlas', inPlace
            ? say('“{0}” then has {1} entries.', lorebook, entries)
            : say('It gets a lorebook of its own, “{0}”, with {1} entries. “{2}” is not changed.', lorebook, entries, from)),
        ...warnings.map((warning) => point('fa-triangle-exclamation', said(warning))));
}

/**
 * @param {Deletion} plan
 * @param {string | null} next the chat that opens instead, if it is the open one
 */
export function askToDelete({ chat, messages, lorebook, stays, because, linked, children, remembered }, next) {
    return ask(say('Delete this timeline?'), say('Delete'), true,
        point('fa-comments', say('“{0}”, {1} messages, goes to the trash.', chat, messages)),
        lorebook ? point('fa-book-atlas', say('Its lorebook “{0}” goes with it: nobody else uses it.', lorebook)) : null,
        stays ? point('fa-book-atlas', say('The lorebook “{0}” stays: it is also used by {1}.', stays, said(because))) : null,
        linked.length ? point('fa-link-slash', linked.length === 1 ? say('“{0}” no longer links to it.', linked[0] ?? '') : say('{0} timelines no longer link to it.', linked.length)) : null,
        ...children.map((child) => point('fa-code-branch', say('“{0}” was made from it, and stays.', child))),
        remembered ? point('fa-note-sticky', say('Timelines that share its lorebook note what it wrote there: {0}.', remembered)) : null,
        next === null ? null : point('fa-arrow-right', say('“{0}” opens instead.', next)));
}

/** @param {UndoPlan} plan */
export function askToUndo({ title, files, passedOver }) {
    const lost = passedOver.map((why) => point('fa-triangle-exclamation', said(why)));
    return ask(say('Take this back?'), say('Take it back'), true, ...lost, point('fa-rotate-left', said(title)), filesOf(files));
}

/**
 * @param {string} heading
 * @param {string} yes
 * @param {boolean} isPossible whether there is anything to do
 * @param {(Node | null)[]} parts
 * @returns {Promise<boolean>}
 */
async function ask(heading, yes, isPossible, ...parts) {
    const { Popup, POPUP_TYPE, POPUP_RESULT } = context();
    const content = draw('div', 'lorefork-preview', draw('h3', '', heading), ...parts,
        isPossible ? draw('small', '', say('It can be taken back afterwards.')) : null);
    const popup = isPossible
        ? new Popup(content, POPUP_TYPE.CONFIRM, null, { okButton: yes, cancelButton: say('Cancel'), allowVerticalScrolling: true, leftAlign: true, wide: true })
        : new Popup(content, POPUP_TYPE.TEXT, '', { okButton: say('Close'), allowVerticalScrolling: true, leftAlign: true, wide: true });
    return (await popup.show()) === POPUP_RESULT.AFFIRMATIVE && isPossible;
}

/** @param {OwnBook} own */
function timelineOf({ chat, lorebook, keepsName, entries, restored, leftOut, undecided, memoriesLeftOut }) {
    const list = (/** @type {string} */ label, /** @type {string[]} */ names) => names.length
        ? draw('div', 'lorefork-names', draw('span', 'lorefork-label', label), few(names))
        : null;
    return draw('div', 'lorefork-timeline',
        point('fa-code-branch', keepsName
            ? say('“{0}” keeps “{1}”, entries: {2}', chat, lorebook, entries)
            : say('“{0}” gets “{1}”, entries: {2}', chat, lorebook, entries)),
        list(say('will know, as its own story told it:'), restored),
        list(say('will no longer know:'), memoriesLeftOut ? [...leftOut, say('memories of other timelines: {0}', memoriesLeftOut)] : leftOut),
        list(say('nobody can tell whose these are, so it keeps them:'), undecided.map(({ name }) => name)));
}

/** @param {string[]} names */
function few(names) {
    const some = names.slice(0, NAMES).join(', ');
    return names.length > NAMES ? say('{0} and {1} more', some, names.length - NAMES) : some;
}

/** @param {FileChange[]} files */
export function filesOf(files) {
    return draw('div', 'lorefork-files', draw('div', 'lorefork-label', say('Files:')),
        draw('ul', '', ...files.map((file) => draw('li', '', icon(KINDS[file.kind]), draw('span', '', fileInWords(file))))));
}

/** @param {FileChange} file */
function fileInWords({ kind, name, change, lines }) {
    const called = kind === 'group' ? (groupOf(name)?.name ?? name) : name;
    switch (change) {
        case 'created': return say('new: {0}', called);
        case 'replaced': return say('changed: {0}', called);
        case 'removed': return say('to the trash: {0}', called);
        case 'restored': return say('back from the trash: {0}', called);
        case 'listed': return say('in the list of: {0}', called);
        default: return lines === 1 ? say('one line changed: {0}', called) : say('{0} lines changed: {1}', lines ?? 0, called);
    }
}

/**
 * Why something was not done. Answers null, for whoever returns it.
 * @param {Failure} error
 */
export function tellFailure(error) {
    const { Popup, POPUP_TYPE } = context();
    void new Popup(failureOf(say('This was not done'), error), POPUP_TYPE.TEXT, '', { okButton: say('Close'), allowVerticalScrolling: true, leftAlign: true }).show();
    return null;
}

/**
 * Why an operation cannot be taken back. Resolves to whether the old state shall be saved beside it.
 * @param {Failure} error
 */
export async function tellNotUndone(error) {
    const { Popup, POPUP_TYPE } = context();
    const isChanged = error.code === 'CHANGED_SINCE';
    const result = await new Popup(failureOf(say('This cannot be taken back'), error), POPUP_TYPE.TEXT, '', {
        okButton: say('Close'),
        customButtons: isChanged ? [{ text: say('Save the old state beside it'), result: BESIDE }] : [],
        allowVerticalScrolling: true,
        leftAlign: true,
    }).show();
    return result === BESIDE;
}

/**
 * @param {string} heading
 * @param {Failure} error
 */
function failureOf(heading, error) {
    const causes = error.report?.errors.length ? error.report.errors : [error];
    return draw('div', 'lorefork-preview', draw('h3', '', heading), ...causes.flatMap((cause) => [
        point('fa-circle-xmark', said(cause)),
        cause.advice ? point('fa-arrow-right', said(cause.advice)) : null,
    ]));
}
