// Repairs, rewinding, deleting and taking back as the user sees them: first what would change, then the change, then a notice.

import { changing } from './changing.js';
import { engine } from './engine.js';
import { hostFor, refreshBooks } from './host.js';
import { listNames } from './listing.js';
import { preferences } from './preferences.js';
import { context, isGenerating, keyOf, openPlace } from './tavern.js';
import { OTHER_OPERATION, WORK_TOLD } from './times.js';
import { tellDone, tellRefused } from './views/notices.js';
import { askToDecide } from './views/deciding.js';
import { askToDelete, askToFix, askToRewind, askToUndo, tellFailure, tellNotUndone } from './views/preview.js';
import { failure, said, say } from './words.js';

/**
 * @typedef {import('../types/lorefork').FileChange} FileChange
 * @typedef {import('../types/lorefork').Failure} Failure
 * @typedef {import('../types/lorefork').Fixed} Fixed
 * @typedef {import('../types/lorefork').Undone} Undone
 */

let isRunning = false;

/** @typedef {{ lorefork: import('../types/lorefork').Engine, host: (how?: { everyone?: boolean, removed?: import('../types/lorefork').Place }) => import('./host.js').PageHost, place: string, shared: string }} Tools */

/**
 * One at a time; a failure is told, and null comes of it.
 * @template T
 * @param {(tools: Tools) => Promise<T | null>} act
 * @param {boolean} [isOpenNeeded] whether it is about the open chat
 * @returns {Promise<T | null>}
 */
export async function running(act, isOpenNeeded = true) {
    const open = openPlace();
    if (!open && isOpenNeeded) return toastr.warning(say('No chat is open.'), 'Lorefork'), null;
    if (isRunning) return toastr.warning(say('Something is being changed already. Wait until it is done, then try again.'), 'Lorefork'), null;
    // Half of it would be saved.
    if (isGenerating()) return toastr.warning(say('A reply is being written right now.'), 'Lorefork'), null;
    isRunning = true;
    try {
        const parts = await patiently(engine());
        const lorefork = new Proxy(parts, { get: (_, name) => (/** @type {any[]} */ ...args) => patiently(/** @type {any} */ (parts)[name](...args)) });
        // Whoever removes a lorebook must know of everybody who names it.
        const host = (how = {}) => hostFor(null, { patience: OTHER_OPERATION, everyone: true, ...how });
        return await changing(() => act({ lorefork, host, place: JSON.stringify(open), shared: JSON.stringify(preferences().shared) }));
    } catch (error) {
        tellFailure(failure(error));
        return null;
    } finally {
        isRunning = false;
    }
}

/**
 * Says so if something takes a while.
 * @template T
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
async function patiently(work) {
    /** @type {unknown} */
    let toast = null;
    const timer = setTimeout(() => (toast = toastr.info(say('Working on it…'), 'Lorefork', { timeOut: 0, extendedTimeOut: 0, tapToDismiss: false })), WORK_TOLD);
    try {
        return await work;
    } finally {
        clearTimeout(timer);
        if (toast) toastr.clear(toast, { force: true });
    }
}

/**
 * Repairs problems of the open family; without keys, all that can be repaired.
 * @param {string[]} keys
 * @param {{ isConfirmed?: boolean, missing?: string }} [how] `missing`: what becomes of a lorebook that is not there
 * @returns {Promise<boolean>} whether anything was changed
 */
export async function mend(keys, { isConfirmed = false, missing } = {}) {
    const fixed = await running(/** @returns {Promise<Fixed | null>} */ async ({ lorefork, host, place, shared }) => {
        const chosen = JSON.stringify(keys);
        if (!isConfirmed) {
            const plan = await lorefork.planFix(host(), place, shared, chosen, missing);
            if (plan.error) return tellFailure(plan.error);
            if (!(await askToFix(plan))) return null;
        }
        const done = await lorefork.fix(host(), place, shared, chosen, missing);
        if (done.error) return tellFailure(done.error);
        await show(done.files);
        return done;
    });
    if (!fixed) return false;
    const count = fixed.mended;
    if (fixed.operations.length) {
        const lines = [count === 1 ? say('One problem is put right.') : say('{0} problems are put right.', count)];
        const uncured = fixed.steps.filter(({ tried, left }) => tried && left).length;
        if (uncured) lines.push(say('Still there after the repair: {0}. Check again.', uncured));
        tellDone(lines, say('Repaired'), () => void takeBackAll(fixed.operations));
    } else {
        toastr.info(say('Nothing was changed.'), 'Lorefork');
    }
    return fixed.operations.length > 0;
}

/**
 * Sets the lore of the open timeline back to a message.
 * @param {number} at
 * @param {boolean} [isConfirmed]
 */
export async function rewindOpen(at, isConfirmed = false) {
    const rewound = await running(async ({ lorefork, host, place }) => {
        if (!isConfirmed) {
            const plan = await lorefork.planRewind(host(), place, at);
            if (plan.error) return tellFailure(plan.error);
            if (!(await askToRewind(plan))) return null;
        }
        const done = await lorefork.rewind(host(), place, at);
        if (done.error) return tellFailure(done.error);
        await show([{ kind: 'chat', name: openPlace()?.name ?? '', change: 'lines', lines: 1 }]);
        return done;
    });
    if (rewound) {
        tellDone([rewound.chat, say('Its lore is that of message {0} now. All messages are still there.', rewound.at)], say('Rewound'), () => void takeBack(rewound.id, true));
    }
    return rewound;
}

/**
 * Asks about the entries of the open timeline of which nobody can tell, and does what is said.
 * @param {{ keep: string[], drop: string[] }} [given] what a command says; else the user is asked
 */
export async function decideOpen(given) {
    const decided = await running(async ({ lorefork, host, place }) => {
        const listed = await lorefork.undecided(host(), place);
        if (listed.error) return tellFailure(listed.error);
        if (!given && listed.all.length === 0) return toastr.info(say('There is nothing to decide about.'), 'Lorefork'), null;
        const verdicts = given ?? (await askToDecide(listed));
        if (!verdicts || verdicts.keep.length + verdicts.drop.length === 0) return null;
        const done = await lorefork.decide(host(), place, JSON.stringify(verdicts.keep), JSON.stringify(verdicts.drop));
        if (done.error) return tellFailure(done.error);
        await show([{ kind: 'chat', name: openPlace()?.name ?? '', change: 'lines', lines: 1 }]);
        return { ...done, ...verdicts };
    });
    if (decided) {
        const { chat, keep, drop, left, warnings, id } = decided;
        const counts = [say('kept: {0}', keep.length), say('dropped: {0}', drop.length), ...(left ? [say('still open: {0}', left)] : [])];
        tellDone([chat, counts.join(' · '), ...warnings.map(said)], say('Decided'), () => void takeBack(id, true));
    }
    return decided;
}

/**
 * Deletes the open timeline with the lorebook that only it uses.
 * @param {boolean} [isConfirmed]
 */
export async function deleteOpen(isConfirmed = false) {
    const deleted = await running(async ({ lorefork, host, place }) => {
        const removed = JSON.parse(place);
        const plan = await lorefork.planDeletion(host({ removed }), place);
        if (plan.error) return tellFailure(plan.error);
        const next = await another(plan.chat);
        if (!next) {
            toastr.warning(say('This is the only chat here. SillyTavern itself can delete it.'), 'Lorefork');
            return null;
        }
        if (!isConfirmed && !(await askToDelete(plan, next))) return null;
        // What was typed goes to the trash, too; and SillyTavern would write an open chat again.
        await host({ everyone: false }).settle(place);
        const open = openPlace();
        if (!open || keyOf(open) !== keyOf(JSON.parse(place))) {
            toastr.warning(say('The chat was switched or changed meanwhile. Nothing was written. Go back and try again.'), 'Lorefork');
            return null;
        }
        await openChat(next);
        return toTrash(lorefork, host, removed);
    });
    return tellDeleted(deleted);
}

/**
 * Deletes a timeline that is not open, with the lorebook that only it uses.
 * @param {import('../types/lorefork').Place} removed
 */
export async function deleteOther(removed) {
    const deleted = await running(async ({ lorefork, host }) => {
        const place = JSON.stringify(removed);
        const plan = await lorefork.planDeletion(host({ removed }), place);
        if (plan.error) return tellFailure(plan.error);
        return (await askToDelete(plan, null)) ? toTrash(lorefork, host, removed) : null;
    });
    return tellDeleted(deleted);
}

/**
 * @param {import('../types/lorefork').Engine} lorefork
 * @param {Tools['host']} host
 * @param {import('../types/lorefork').Place} removed
 */
async function toTrash(lorefork, host, removed) {
    const done = await lorefork.remove(host({ removed }), JSON.stringify(removed));
    if (done.error) return tellFailure(done.error);
    await refreshBooks();
    return done;
}

/**
 * @template {{ chat: string, id: string }} T
 * @param {T | null} deleted
 */
function tellDeleted(deleted) {
    if (deleted) tellDone([deleted.chat, say('It is in the trash, and can be brought back.')], say('Timeline deleted'), () => void takeBack(deleted.id, true));
    return deleted;
}

/**
 * The chat that opens instead: where it came from, else any other.
 * @param {string} name
 */
async function another(name) {
    const place = openPlace();
    if (!place) return null;
    const { groupId, groups, chatMetadata } = context();
    const own = groupId ? (groups.find(({ id }) => String(id) === String(groupId))?.chats ?? []) : await listNames(place.owner);
    const others = own.filter((other) => other !== name && other !== place.name);
    return others.find((other) => other === chatMetadata.main_chat) ?? others.at(-1) ?? null;
}

/** @param {string} name */
export async function openChat(name) {
    const { groupId, openGroupChat, openCharacterChat } = context();
    if (groupId) await openGroupChat(groupId, name);
    else await openCharacterChat(name);
}

/**
 * Takes an operation back; without an id, the newest that stands. Resolves to what it was, or null.
 * @param {string | undefined} id
 * @param {boolean} [isConfirmed]
 * @param {boolean} [isAsking] whether the user may be asked what to do if it cannot be
 */
export async function takeBack(id, isConfirmed = false, isAsking = true) {
    const undone = await running(/** @returns {Promise<Undone | null>} */ async ({ lorefork, host }) => {
        let shown = id;
        if (!isConfirmed) {
            const plan = await lorefork.planUndo(host(), id);
            if (plan.error) return notUndone(lorefork, host, id, plan.error);
            if (!(await askToUndo(plan))) return null;
            shown = plan.id;
        }
        const done = await lorefork.undo(host(), shown);
        if (done.error) return isAsking ? notUndone(lorefork, host, shown, done.error) : tellRefused(say('This cannot be taken back'), done.error);
        await show(done.files);
        return done;
    }, false);
    if (undone) tellDone([said(undone.title), ...undone.warnings.map(said)], say('Taken back'), () => void takeBack(undone.id, true), say('Do it again'));
    return undone;
}

/**
 * The last first.
 * @param {string[]} ids
 */
async function takeBackAll(ids) {
    for (const id of [...ids].reverse()) if (!(await takeBack(id, true))) return;
}

/**
 * @param {import('../types/lorefork').Engine} lorefork
 * @param {Tools['host']} host
 * @param {string | undefined} id
 * @param {Failure} error
 */
async function notUndone(lorefork, host, id, error) {
    if (!(await tellNotUndone(error))) return null;
    const saved = await lorefork.saveBeside(host(), id);
    if (saved.error) return tellFailure(saved.error);
    await refreshBooks();
    const list = (/** @type {string} */ words, /** @type {string[]} */ names) => (names.length ? [words, ...names] : []);
    tellDone([
        ...list(say('The lorebooks of before are saved as:'), saved.lorebooks),
        ...list(say('The chats of before are saved as:'), saved.chats),
    ], say('Saved beside it'));
    return null;
}

/**
 * The page shows what is on disk now.
 * @param {FileChange[]} files
 */
export async function show(files) {
    await refreshBooks();
    const open = openPlace();
    if (open && files.some(({ kind, name, lines }) => kind === 'chat' && name === open.name && lines !== null)) await context().reloadCurrentChat();
}
