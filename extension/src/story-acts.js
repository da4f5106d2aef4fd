// What can be done with a timeline of the tree. Everything here can be taken back.

import { changed } from './changing.js';
import { engine } from './engine.js';
import { fork } from './gates.js';
import { listNames } from './listing.js';
import { deleteOpen, deleteOther, openChat, running, show, takeBack } from './mending.js';
import { isOff } from './preferences.js';
import { context, isOpen, openPlace } from './tavern.js';
import { tellDone } from './views/notices.js';
import { askToUndo, tellFailure } from './views/preview.js';
import { said, say } from './words.js';

/**
 * @typedef {import('../types/lorefork').Place} Place
 * @typedef {import('../types/lorefork').Words} Words
 * @typedef {import('../types/lorefork').Chosen} Chosen
 */

/**
 * Says something of a timeline.
 * @param {Place} place
 * @param {Words} words
 */
export async function sayOf(place, words) {
    const labelled = await running(async ({ lorefork, host }) => {
        const done = await lorefork.label(host({ everyone: false }), JSON.stringify(place), JSON.stringify(words));
        return done.error ? tellFailure(done.error) : done;
    });
    const id = labelled?.id;
    if (id) tellDone([labelled.label ?? place.name], say('Saved'), () => void takeBack(id, true));
    return Boolean(labelled);
}

/**
 * Gives a timeline another name, as SillyTavern does it: all that refers to it follows.
 * @param {Place} place
 * @param {string} name
 * @param {string[]} taken
 */
export async function rename(place, name, taken) {
    const { newName } = await engine();
    const answer = newName(name, JSON.stringify(taken.filter((other) => other !== place.name)));
    if (answer.error) return tellFailure(answer.error), null;
    const to = answer.name;
    if (to === place.name) return null;
    const { renameChat } = context();
    if (!renameChat) return toastr.warning(say('This SillyTavern can rename chats only in its list of chats.'), 'Lorefork'), null;
    await renameChat(place.name, to);
    changed();
    // Whatever followed the new name follows the former one again.
    tellDone([to, say('It was called “{0}”.', place.name)], say('Renamed'), () => void rename({ ...place, name: to }, place.name, []));
    return to;
}

/**
 * Gives a timeline the name back that it had.
 * @param {{ chat: Place, former: string }} renamed
 * @param {import('../types/lorefork').Operation} operation what followed it
 */
export async function giveNameBack({ chat, former }, operation) {
    // SillyTavern renames chats of whoever is open.
    if (JSON.stringify(openPlace()?.owner) !== JSON.stringify(chat.owner)) {
        return void toastr.warning(say('Open the character or group whose chat this is, then try again.'), 'Lorefork');
    }
    const names = await listNames(chat.owner);
    if (!names.includes(chat.name)) return void toastr.warning(say('“{0}” is not there any more.', chat.name), 'Lorefork');
    if (await askToUndo({ ...operation, passedOver: [] })) await rename(chat, former, names);
}

/**
 * Makes a checkpoint or branch of any timeline: it is opened first, since a fork is made of what is open.
 * @param {'checkpoint' | 'branch'} kind
 * @param {Place} place
 * @param {number | undefined} at the message; without it, the last
 */
export async function forkHere(kind, place, at) {
    if (!isOpen(place)) await openChat(place.name);
    if (!isOpen(place)) return void toastr.warning(say('The chat was switched or changed meanwhile. Nothing was written. Go back and try again.'), 'Lorefork');
    if (isOff()) return void toastr.info(say('This chat is left alone. Its settings say so.'), 'Lorefork');
    await fork({ kind, at });
}

/** @param {Place} place */
export const remove = (place) => (isOpen(place) ? deleteOpen() : deleteOther(place));

/** @param {string} name */
export const open = (name) => openChat(name);

/** @param {string} id of an operation */
export const bringBack = (id) => takeBack(id);

/**
 * What would be carried over, or null if that was refused.
 * @param {Place} from
 * @param {Place} to
 * @param {Chosen[]} chosen
 */
export async function planCarry(from, to, chosen) {
    return running(async ({ lorefork, host }) => {
        const plan = await lorefork.planCarry(host(), JSON.stringify(from), JSON.stringify(to), JSON.stringify(chosen));
        return plan.error ? tellFailure(plan.error) : plan;
    });
}

/**
 * Carries entries over.
 * @param {Place} from
 * @param {Place} to
 * @param {Chosen[]} chosen
 */
export async function carry(from, to, chosen) {
    const carried = await running(/** @returns {Promise<{ plan: import('../types/lorefork').CarryPlan, id: string | null } | null>} */ async ({ lorefork, host }) => {
        const done = await lorefork.carry(host(), JSON.stringify(from), JSON.stringify(to), JSON.stringify(chosen));
        if (done.error) return tellFailure(done.error);
        if (done.id) await show([{ kind: 'lorebook', name: done.plan.lorebook, change: 'replaced', lines: null }]);
        return done;
    });
    if (!carried) return false;
    const { id, plan } = carried;
    if (!id) return toastr.info(say('Nothing was changed.'), 'Lorefork'), false;
    const going = plan.entries.filter(({ fate }) => fate === 'added' || fate === 'replaces');
    tellDone([
        going.length === 1 ? say('“{0}” knows one entry more now.', plan.to) : say('“{0}” knows {1} entries more now.', plan.to, going.length),
        ...plan.warnings.map(said),
    ], say('Carried over'), () => void takeBack(id, true));
    return true;
}
