// Every button, menu and command by which a user forks.

import { isOff } from './preferences.js';
import { context, keyOf, openPlace } from './tavern.js';
import { tellUnloaded } from './unloaded.js';
import { say } from './words.js';

/**
 * All that makes a fork is loaded with the first one at the latest.
 * @param {import('./forking.js').Wish} wish
 * @returns {Promise<string | null>}
 */
export async function fork(wish) {
    // While it is loaded, another chat may be opened; there, the message is another one.
    const place = openPlace();
    const from = place ? keyOf(place) : undefined;
    let forking;
    try {
        forking = await import('./forking.js');
    } catch (error) {
        tellUnloaded(say('Lorefork does not work, so nothing was made: the new timeline would share its lorebook.'), error);
        return null;
    }
    return forking.fork({ ...wish, from });
}

/**
 * What a click on `element` asks for, if it asks for a fork.
 * @param {Element} element
 * @param {boolean} shift
 * @returns {import('./forking.js').Wish | null}
 */
function wishOf(element, shift) {
    const closest = (/** @type {string} */ selector) => element.closest(selector);
    const message = closest('.mes');
    const at = message ? Number(message.getAttribute('mesid')) : undefined;
    if (message && closest('.mes_create_branch')) return { kind: 'branch', at };
    if (message && closest('.mes_create_bookmark')) return { kind: 'checkpoint', at };
    if (message && shift && closest('.mes_bookmark')) return { kind: 'checkpoint', at };
    if (closest('#option_new_bookmark')) return { kind: 'checkpoint' };
    return swipeWish(element);
}

/**
 * @param {Element} element
 * @returns {import('./forking.js').Wish | null}
 */
function swipeWish(element) {
    const dialog = element.closest('.swipe_picker_branch')?.closest('dialog');
    const block = element.closest('[data-swipe-id]');
    const input = dialog?.querySelector('[id^="swipe_picker_id_"]');
    if (!dialog || !block || !input) return null;
    const at = Number(input.id.replace('swipe_picker_id_', ''));
    const popup = context().Popup.util.popups.find(({ dlg }) => dlg === dialog);
    return { kind: 'branch', at, swipe: Number(block.getAttribute('data-swipe-id')), popup };
}

/** @param {{ target: EventTarget | null, shiftKey?: boolean, preventDefault(): void, stopImmediatePropagation(): void }} event */
function onClick(event) {
    if (!(event.target instanceof Element)) return;
    const wish = wishOf(event.target, Boolean(event.shiftKey));
    if (!wish || isOff()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    void (async () => {
        await wish.popup?.completeCancelled();
        // The menu would have closed by the click that was stopped.
        if (event.target instanceof Element && event.target.closest('#options')) $('#options').hide();
        await fork(wish);
    })();
}

/**
 * Puts a jQuery handler before all others: `$(…).trigger('click')` calls them without any event of the browser.
 * @param {Document | Element} element
 * @param {string | null} selector
 */
function precede(element, selector) {
    $(element).on('click.lorefork', selector, onClick);
    /** @type {{ namespace: string }[] | undefined} */
    const handlers = $._data(element, 'events')?.click;
    const mine = handlers?.findIndex(({ namespace }) => namespace === 'lorefork') ?? -1;
    if (handlers && mine > 0) handlers.unshift(...handlers.splice(mine, 1));
}

/**
 * Replaces what a slash command does, with SillyTavern's arguments and answers.
 * @param {string} name
 * @param {(args: Record<string, unknown>, text: unknown) => Promise<string | null>} act
 */
function takeCommand(name, act) {
    const command = context().SlashCommandParser.commands[name];
    if (!command) return;
    const plain = command.callback;
    command.callback = async (/** @type {any} */ args, /** @type {unknown} */ text) =>
        isOff() ? plain(args, text) : ((await act(args, text)) ?? '');
}

/**
 * The message that a command names; the last one without a name. Null if there is no such message.
 * @param {unknown} named
 * @param {string} title
 * @returns {number | null}
 */
function messageOf(named, title) {
    const { chat } = context();
    const isGiven = named !== undefined && named !== null && String(named).trim() !== '';
    const at = isGiven ? Number(named) : chat.length - 1;
    if (Number.isInteger(at) && chat[at]) return at;
    toastr.warning(isNaN(at) ? 'Invalid message ID was provided' : `Message for id ${at} not found`, title);
    return null;
}

export function closeGates() {
    addEventListener('click', onClick, { capture: true });
    precede(document, '.mes_create_branch, .mes_create_bookmark, .mes_bookmark');
    const option = document.getElementById('option_new_bookmark');
    if (option) precede(option, null);

    takeCommand('branch-create', async (args, text) => {
        const at = messageOf(args.mesId ?? text, 'Create Branch');
        return at === null ? '' : fork({ kind: 'branch', at, named: args });
    });
    takeCommand('checkpoint-create', async (args, text) => {
        const at = messageOf(args.mesId, 'Create Checkpoint');
        if (at === null) return '';
        if (typeof text !== 'string') {
            toastr.warning('Checkpoint name must be a string or empty', 'Create Checkpoint');
            return '';
        }
        return fork({ kind: 'checkpoint', at, name: text, named: args });
    });
}
