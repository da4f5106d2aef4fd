// All that Lorefork can do, by name: one entry in the wand's menu, and the list that it opens.

import { decideOpen, deleteOpen, rewindOpen, takeBack } from '../mending.js';
import { isolateOpen } from '../opened.js';
import { context, openPlace } from '../tavern.js';
import { say, told } from '../words.js';
import { badge } from './badge.js';
import { showDiary } from './diary.js';
import { draw, icon } from './draw.js';
import { showSettings } from './drawer.js';
import { showFindings } from './findings.js';
import { askForMessage } from './name.js';
import { showOrphans } from './orphans.js';
import { showStatus } from './status.js';
import { showStory } from './story-tree.js';

/**
 * @typedef {object} Item
 * @property {string} sign a Font Awesome icon
 * @property {string} name
 * @property {string} why
 * @property {() => unknown} act
 */

/** About the open chat. @returns {Item[]} */
const ofThisChat = () => [
    { sign: 'fa-sitemap', name: say('Story tree'), why: say('Where its timelines part, and what each is called.'), act: () => showStory() },
    { sign: 'fa-heart-pulse', name: say('Check timelines'), why: say('Finds what is wrong, and offers to put it right.'), act: showFindings },
    { sign: 'fa-code-branch', name: say('Timeline status'), why: say('Where it comes from, and whether all is as recorded.'), act: showStatus },
    { sign: 'fa-book', name: say('Give it its own lorebook'), why: say('If it shares one with other timelines.'), act: isolate },
    { sign: 'fa-scale-balanced', name: say('Decide what belongs to it'), why: say('Entries of which nobody can tell.'), act: () => decideOpen() },
    { sign: 'fa-clock-rotate-left', name: say('Rewind its lorebook…'), why: say('To what it was at a message. No message goes.'), act: rewind },
    { sign: 'fa-trash-can', name: say('Delete this timeline…'), why: say('With a lorebook of its own. Both can come back.'), act: () => deleteOpen() },
];

/** About everything. @returns {Item[]} */
const ofAll = () => [
    { sign: 'fa-book-open', name: say('What Lorefork did'), why: say('Each change, with a button to undo it.'), act: showDiary },
    { sign: 'fa-rotate-left', name: say('Undo the last change…'), why: say('Shows first what it would take back.'), act: () => takeBack(undefined) },
    { sign: 'fa-book-atlas', name: say('Lorebooks without a timeline'), why: say('Left over from timelines that were deleted.'), act: showOrphans },
    { sign: 'fa-gear', name: say('Settings'), why: say('Also under Extensions → Lorefork.'), act: showSettings },
];

export function addMenuItem() {
    const menu = document.getElementById('extensionsMenu');
    if (!menu || document.getElementById('lorefork_wand')) return;
    const item = draw('div', 'list-group-item flex-container flexGap5 interactable',
        draw('div', 'fa-solid fa-code-branch extensionsMenuExtensionButton'), draw('span', '', 'Lorefork'), badge('lorefork-in-menu'));
    item.id = 'lorefork_wand';
    item.title = say('All that Lorefork can do');
    item.tabIndex = 0;
    item.addEventListener('click', () => void showMenu());
    menu.append(draw('div', 'extension_container', item));
}

/** Beside “Save checkpoint”, in the menu left of the input. */
export function addOption() {
    const beside = document.getElementById('option_new_bookmark');
    if (!beside || document.getElementById('option_lorefork_tree')) return;
    const option = draw('a', 'interactable', draw('i', 'fa-lg fa-solid fa-sitemap'), ' ', draw('span', '', say('Story tree')));
    option.id = 'option_lorefork_tree';
    option.tabIndex = 0;
    option.addEventListener('click', () => {
        $('#options').hide();
        void showStory();
    });
    beside.after(option);
}

export async function showMenu() {
    const { Popup, POPUP_TYPE } = context();
    /** @type {Item | null} */
    let chosen = null;
    const choose = (/** @type {Item} */ item) => {
        chosen = item;
        void popup.completeAffirmative();
    };
    const popup = new Popup(contentOf(choose), POPUP_TYPE.TEXT, '', { okButton: say('Close'), allowVerticalScrolling: true, leftAlign: true });
    await popup.show();
    try {
        await /** @type {Item | null} */ (chosen)?.act();
    } catch (error) {
        toastr.error(told(error), 'Lorefork');
    }
}

/** @param {(item: Item) => void} choose */
function contentOf(choose) {
    const rows = (/** @type {Item[]} */ items) => items.map((item) => rowOf(item, choose));
    return draw('div', 'lorefork-menu',
        draw('h3', '', 'Lorefork'),
        draw('h4', '', say('This chat')),
        ...(openPlace() ? rows(ofThisChat()) : [draw('small', '', say('No chat is open.'))]),
        draw('h4', '', say('All chats')),
        ...rows(ofAll()));
}

/**
 * @param {Item} item
 * @param {(item: Item) => void} choose
 */
function rowOf(item, choose) {
    const row = draw('div', 'menu_button', icon(item.sign), draw('div', '', draw('div', '', item.name), draw('small', '', item.why)));
    row.setAttribute('role', 'button');
    row.addEventListener('click', () => choose(item));
    return row;
}

async function isolate() {
    if ((await isolateOpen()) === null) toastr.info(say('Nothing was changed.'), 'Lorefork');
}

async function rewind() {
    const at = await askForMessage();
    if (at !== null) await rewindOpen(at);
}
