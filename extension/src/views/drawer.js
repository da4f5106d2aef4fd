// Settings, in SillyTavern's panel of extensions.

import { changed } from '../changing.js';
import { isOff, prefer, preferences, switchOff } from '../preferences.js';
import { context, openPlace, worldInfo } from '../tavern.js';
import { say } from '../words.js';
import { badge } from './badge.js';
import { showDiary } from './diary.js';
import { button, draw } from './draw.js';
import { showFindings } from './findings.js';
import { showOrphans } from './orphans.js';
import { showStatus } from './status.js';
import { showStory } from './story-tree.js';
import { fillSign } from './where.js';

/** @typedef {import('../preferences.js').Preferences} Preferences */

/** Each choice: its setting, what it is called, why one would change it, and what can be chosen. */
const CHOICES = /** @type {const} */ ([
    ['policy', 'Forking is allowed', 'Strict asks for a finished scene: it ends at the message, has a recap, and is part of the running recap.', [
        ['standard', 'Wherever nothing would be damaged'],
        ['strict', 'Only at the end of a finished scene'],
    ]],
    ['lore', 'New timelines get their lorebook', 'As it was at the message is right for nearly everybody.', [
        ['auto', 'As it was at the message'],
        ['snapshot', 'Always from the newest snapshot'],
        ['live', 'Always as it is now'],
        ['empty', 'Always empty'],
    ]],
    ['opening', 'Opening a timeline that shares its lorebook', 'Timelines made without Lorefork share the lorebook of the chat they come from.', [
        ['offer', 'Offers to give it its own'],
        ['isolate', 'Gives it its own'],
        ['leave', 'Leaves it as it is'],
    ]],
    ['notices', 'When a timeline opens', 'Problems are always shown.', [
        ['all', 'Say what it is'],
        ['problems', 'Say only what is wrong'],
    ]],
]);

export function addDrawer() {
    const panel = document.getElementById('extensions_settings2') ?? document.getElementById('extensions_settings');
    if (!panel || document.getElementById('lorefork_settings')) return;
    const off = checkbox('lorefork_off', 'Leave this chat alone', 'Checkpoints and branches of this chat are made by SillyTavern and share its lorebook.', false, switchOff);
    const books = bookList();
    const header = draw('div', 'inline-drawer-toggle inline-drawer-header',
        draw('b', '', 'Lorefork'), badge('lorefork-in-head'), treeSign(), draw('div', 'inline-drawer-icon fa-solid fa-circle-chevron-down down'));
    const drawer = draw('div', 'inline-drawer', header,
        draw('div', 'inline-drawer-content',
            draw('div', 'lorefork-drawer',
                ...CHOICES.map(([key, name, why, options]) => choice(key, name, why, options)),
                books.row,
                checkbox('lorefork_buttons', 'Message buttons show whether it can be forked there', '', preferences().buttons, (on) => prefer({ buttons: on })).row,
                checkbox('lorefork_reorder', 'Order the entries of new lorebooks by name', 'As Auto-Recap does it. Without it they stay in the order they have.', preferences().reorder, (on) => prefer({ reorder: on })).row,
                off.row,
                checkbox('lorefork_sign', 'A sign at the head of the chat says where you are', 'The name of the timeline, and where it comes from. A tap shows the story tree.', preferences().sign, (on) => {
                    prefer({ sign: on });
                    fillSign();
                }).row,
                draw('div', 'flex-container',
                    button('fa-sitemap', say('Story tree'), () => void showStory()),
                    button('fa-code-branch', say('Status of this chat'), () => void showStatus()),
                    button('fa-heart-pulse', say('Check its timelines'), () => void showFindings()),
                    button('fa-book-open', say('What Lorefork did'), () => void showDiary()),
                    button('fa-book-atlas', say('Lorebooks without a timeline'), () => void showOrphans())))));
    const root = draw('div', 'extension_container', drawer);
    root.id = 'lorefork_settings';
    panel.append(root);

    const refresh = () => {
        off.input.checked = isOff();
        off.input.disabled = openPlace() === null;
        books.fill();
    };
    refresh();
    const { eventSource, eventTypes } = context();
    eventSource.on(eventTypes.CHAT_CHANGED, refresh);
    header.addEventListener('click', refresh);
}

/**
 * @param {string} key
 * @param {string} name
 * @param {string} why
 * @param {readonly (readonly [string, string])[]} options
 */
function choice(key, name, why, options) {
    const select = /** @type {HTMLSelectElement} */ (draw('select', 'text_pole'));
    select.id = `lorefork_${key}`;
    const now = preferences()[/** @type {keyof Preferences} */ (key)];
    for (const [value, words] of options) {
        const option = /** @type {HTMLOptionElement} */ (draw('option', '', say(words)));
        option.value = value;
        option.selected = value === now;
        select.append(option);
    }
    select.addEventListener('change', () => prefer({ [key]: select.value }));
    const label = /** @type {HTMLLabelElement} */ (draw('label', '', say(name)));
    label.htmlFor = select.id;
    return draw('div', 'lorefork-setting', label, select, draw('small', '', say(why)));
}

/**
 * @param {string} id
 * @param {string} name
 * @param {string} why
 * @param {boolean} isOn
 * @param {(on: boolean) => void} change
 */
function checkbox(id, name, why, isOn, change) {
    const input = /** @type {HTMLInputElement} */ (draw('input', ''));
    input.type = 'checkbox';
    input.id = id;
    input.checked = isOn;
    input.addEventListener('change', () => change(input.checked));
    const label = /** @type {HTMLLabelElement} */ (draw('label', 'checkbox_label', input, draw('span', '', say(name))));
    label.htmlFor = id;
    return { input, row: draw('div', 'lorefork-setting', label, why ? draw('small', '', say(why)) : null) };
}

/** Lorebooks that are shared on purpose: some that exist, and any that were chosen before. */
function bookList() {
    const list = draw('div', 'lorefork-books');
    const select = /** @type {HTMLSelectElement} */ (draw('select', 'text_pole'));
    select.id = 'lorefork_shared';
    const label = /** @type {HTMLLabelElement} */ (draw('label', '', say('Lorebooks shared on purpose')));
    label.htmlFor = select.id;
    const fill = () => {
        const { shared } = preferences();
        list.replaceChildren(...shared.map((name) => {
            const remove = draw('div', 'menu_button fa-solid fa-xmark');
            remove.title = say('Do not share “{0}” any more', name);
            remove.setAttribute('aria-label', remove.title);
            remove.addEventListener('click', () => {
                share(preferences().shared.filter((other) => other !== name));
                fill();
                select.focus();
            });
            return draw('div', 'lorefork-book', draw('span', '', name), remove);
        }));
        const first = /** @type {HTMLOptionElement} */ (draw('option', '', say('Add a lorebook…')));
        first.value = '';
        const names = worldInfo.world_names ?? [];
        select.replaceChildren(first, ...names.filter((name) => !shared.includes(name)).map((name) => draw('option', '', name)));
    };
    select.addEventListener('change', () => {
        if (select.value) share([...preferences().shared, select.value]);
        fill();
    });
    fill();
    const why = say('All timelines of a chat keep such a lorebook together: a world written by hand, for example.');
    return { fill, row: draw('div', 'lorefork-setting', label, list, select, draw('small', '', why)) };
}

/**
 * What is shared on purpose is no problem any more.
 * @param {string[]} shared
 */
function share(shared) {
    prefer({ shared });
    changed();
}

/** Opens the panel of extensions, and there the settings. */
export function showSettings() {
    const panel = document.getElementById('extensions-settings-button');
    if (!panel?.querySelector('.openDrawer')) panel?.querySelector('.drawer-toggle')?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    const root = document.getElementById('lorefork_settings');
    const head = root?.querySelector('.inline-drawer-toggle');
    if (head?.querySelector('.inline-drawer-icon.down')) head.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    root?.scrollIntoView();
}

/** A way to the story tree beside the badge. */
function treeSign() {
    const sign = draw('div', 'lorefork-badge lorefork-tree-sign interactable', draw('i', 'fa-solid fa-fw fa-sitemap'));
    sign.title = say('Story tree');
    sign.setAttribute('aria-label', sign.title);
    sign.setAttribute('role', 'button');
    sign.tabIndex = 0;
    sign.addEventListener('click', (event) => {
        // It stands in the head of a drawer, which would open.
        event.stopPropagation();
        void showStory();
    });
    return sign;
}
