// The story tree: where you are, how you got there, and what else became of the story.

import { onChanges } from '../changing.js';
import { Story } from '../story.js';
import { bringBack, forkHere, open, remove, rename, sayOf } from '../story-acts.js';
import { context, openPlace } from '../tavern.js';
import { STRETCH, TYPING_STOPS } from '../times.js';
import { say, told } from '../words.js';
import { draw, icon } from './draw.js';
import { showComparison } from './story-compare.js';
import { Foot } from './story-foot.js';
import { keysOf } from './story-keys.js';
import { lanesOf, lanesOfRun } from './story-lanes.js';
import { detailsOf, foundInWords, messageOf, nameOf, runInWords, wordsOf } from './story-row.js';
import { askForNewName, askForWords } from './story-words.js';

/**
 * @typedef {import('../../types/lorefork').StoryTree} StoryTree
 * @typedef {import('../../types/lorefork').StoryRow} Row
 * @typedef {import('./story-row.js').Act} Act
 */

/** Whether one is shown already. */
let isShown = false;

export async function showStory() {
    if (!openPlace()) return void toastr.info(say('No chat is open.'), 'Lorefork');
    if (isShown) return;
    isShown = true;
    try {
        await new StoryPopup().show();
    } catch (error) {
        toastr.error(told(error), say('The story tree could not be drawn'));
    } finally {
        isShown = false;
    }
}

class StoryPopup {
    constructor() {
        this.view = { path: false, archived: false, find: '' };
        /** @type {Story | null} */
        this.story = null;
        /** @type {StoryTree | null} */
        this.tree = null;
        /** The row that has the keyboard, by what it is about: it stays when all are drawn anew. */
        this.at = '';
        /** The row whose details are shown. */
        this.opened = '';
        /** Counts drawings, so that one that was overtaken stops. */
        this.round = 0;
        this.rows = draw('div', 'lorefork-story-rows');
        this.rows.setAttribute('role', 'tree');
        this.rows.setAttribute('aria-label', say('Story tree'));
        this.foot = new Foot(async (names, goOn) => this.story?.readAll(names, goOn), () => this.look({}));
        this.find = /** @type {HTMLInputElement} */ (draw('input', 'text_pole'));
        this.find.type = 'search';
        this.find.placeholder = say('Search names, labels and messages');
        this.find.setAttribute('aria-label', this.find.placeholder);
        this.path = toggle('fa-route', say('My path'), (on) => void this.look({ path: on }));
        this.archived = toggle('fa-box-archive', say('With archived'), (on) => void this.look({ archived: on }));
        const content = draw('div', 'lorefork-story',
            draw('h3', '', icon('fa-code-branch'), ` ${say('Story tree')}`),
            draw('div', 'lorefork-story-tools', this.find, this.path, this.archived),
            this.rows, this.foot.element);
        const { Popup, POPUP_TYPE } = context();
        this.popup = new Popup(content, POPUP_TYPE.TEXT, '', { okButton: say('Close'), wider: true, leftAlign: true, allowVerticalScrolling: false });
        this.listen();
    }

    listen() {
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        let typing;
        this.find.addEventListener('input', () => {
            clearTimeout(typing);
            typing = setTimeout(() => void this.look({ find: this.find.value }), TYPING_STOPS);
        });
        this.find.addEventListener('keydown', (event) => {
            // SillyTavern would close the popup.
            if (event.key === 'Enter') event.stopPropagation(), event.preventDefault();
            if (event.key === 'ArrowDown' || event.key === 'Enter') event.preventDefault(), this.focus();
        });
        this.rows.addEventListener('click', (event) => {
            const item = event.target instanceof Element && !event.target.closest('.lorefork-story-details') && event.target.closest('[role="treeitem"]');
            if (item instanceof HTMLElement) this.toggle(item);
        });
        this.rows.addEventListener('focusin', (event) => {
            const item = event.target instanceof HTMLElement && event.target.closest('[role="treeitem"]');
            if (item instanceof HTMLElement) this.stand(item);
        });
        keysOf(this.rows, { toggle: (item) => this.toggle(item), isOpened: (item) => item.dataset.key === this.opened, search: () => this.find.focus() });
    }

    async show() {
        const shown = this.popup.show();
        const { eventSource, eventTypes } = context();
        const again = () => void this.again();
        // Nobody waits for the messages of the others any more.
        const elsewhere = () => (this.foot.stop(), again());
        const stop = onChanges((isUnderWay) => !isUnderWay && again());
        // Another chat may have been opened by a command: then that is where one is.
        eventSource.on(eventTypes.CHAT_CHANGED, elsewhere);
        try {
            await this.again();
            this.focus(true);
            await shown;
        } finally {
            stop();
            eventSource.removeListener(eventTypes.CHAT_CHANGED, elsewhere);
            this.foot.stop();
            this.round += 1;
        }
    }

    /** Lists everything anew. */
    async again() {
        try {
            this.story = await Story.list();
            await this.look({});
        } catch (error) {
            this.foot.tell(told(error));
        }
    }

    /** @param {Partial<StoryPopup['view']>} change */
    async look(change) {
        Object.assign(this.view, change);
        if (!this.story) return;
        const tree = await this.story.look(this.view);
        this.tree = tree;
        await this.drawRows();
    }

    async drawRows() {
        if (!this.tree) return;
        const round = ++this.round;
        const { family } = this.tree;
        const { rows, lanes } = family.tree.picture;
        const hadFocus = this.rows.contains(document.activeElement);
        const scrolled = this.rows.scrollTop;
        const drawn = new DocumentFragment();
        const found = this.view.find.trim() ? family.found : null;
        this.path.hidden = this.archived.hidden = rows.length === 1;
        const wanted = rows.flatMap((row, n) => (!found || (found[row.timeline] && row.stands !== 'start' && row.stands !== 'fork') ? [n] : []));
        this.foot.show(this.tree, found ? wanted.length : null);
        const isFirst = this.rows.childElementCount === 0;
        let begun = performance.now();
        for (const n of wanted) {
            if (performance.now() - begun > STRETCH) {
                // Nobody waits for what is far below. Later the rows stand until all of the new ones are there.
                if (isFirst) this.rows.append(drawn);
                await new Promise((resolve) => setTimeout(resolve));
                if (round !== this.round) return;
                begun = performance.now();
            }
            const row = rows[n];
            if (row) drawn.append(...this.rowOf(row, found ? 1 : lanes, found !== null));
        }
        if (isFirst) this.rows.append(drawn);
        else this.rows.replaceChildren(drawn);
        this.rows.scrollTop = scrolled;
        const item = this.item(this.at) ?? this.item(this.hereKey()) ?? this.rows.querySelector('[role="treeitem"]');
        if (item instanceof HTMLElement) this.stand(item);
        if (hadFocus) this.focus();
    }

    hereKey() {
        const { family } = this.tree ?? {};
        const rows = family?.tree.picture.rows ?? [];
        const row = rows.find(({ timeline, stands }) => timeline === family?.here && (stands === 'tip' || stands === 'leaf'));
        return row ? this.keyOf(row) : '';
    }

    /** @param {Row} row */
    keyOf({ stands, timeline, after }) {
        const chat = this.tree?.family.tree.timelines[timeline]?.chat ?? '';
        return JSON.stringify([stands === 'tip' || stands === 'leaf' ? 'end' : stands, chat, stands === 'folded' ? after : 0]);
    }

    /** @param {string} key */
    item(key) {
        return [...this.rows.children].find((item) => item instanceof HTMLElement && item.dataset.key === key) ?? null;
    }

    /**
     * @param {Row} row
     * @param {number} lanes
     * @param {boolean} isFlat whether only what was found is shown
     */
    rowOf(row, lanes, isFlat) {
        const { family } = /** @type {StoryTree} */ (this.tree);
        const one = family.tree.timelines[row.timeline];
        if (!one) return [];
        const drawn = [];
        if (row.run && !isFlat) {
            const run = draw('div', 'lorefork-story-run', draw('span', '', runInWords(row.run)));
            run.prepend(lanesOfRun(row.run.lane, lanes));
            run.setAttribute('role', 'none');
            drawn.push(run);
        }
        const found = isFlat ? family.found[row.timeline] : null;
        const key = this.keyOf(row);
        const isOpened = key === this.opened && row.stands !== 'folded';
        const item = draw('div', 'lorefork-story-row',
            draw('div', 'lorefork-story-words',
                ...wordsOf(row, one, family.tree.timelines.length),
                found?.text ? foundInWords({ at: found.at, text: found.text }) : null,
                isOpened ? this.detailsOf(row) : null));
        item.prepend(lanesOf(isFlat ? { ...row, lane: 0, from: null, stands: 'leaf' } : row, one, lanes));
        item.setAttribute('role', 'treeitem');
        item.setAttribute('aria-level', String(isFlat ? 1 : row.lane + 1));
        item.setAttribute('aria-expanded', String(isOpened));
        item.setAttribute('aria-label', labelOf(row, one));
        item.tabIndex = -1;
        Object.assign(item.dataset, { key, lane: row.lane, from: row.from ?? '', stands: row.stands, chat: one.chat });
        if (row.path) item.dataset.path = '';
        if (one.open) item.setAttribute('aria-current', 'true');
        if (one.gone) item.dataset.gone = '';
        drawn.push(item);
        return drawn;
    }

    /** @param {Row} row */
    detailsOf(row) {
        const { family } = /** @type {StoryTree} */ (this.tree);
        const { timelines } = family.tree;
        const one = /** @type {import('../../types/lorefork').Timeline} */ (timelines[row.timeline]);
        const parent = one.parent === null ? null : (timelines[one.parent] ?? null);
        const more = {
            date: this.story?.dateOf(one.chat) ?? '',
            isRead: family.read[row.timeline] ?? false,
            parent: parent && (parent.label ?? parent.chat),
            entries: this.story?.entries.get(one.lorebook ?? '') ?? null,
            message: messageOf(row, one),
        };
        return detailsOf(one, more, (act) => void this.act(act, one, row).catch((error) => toastr.error(told(error), 'Lorefork')));
    }

    /** The row that has the keyboard. @param {HTMLElement} item */
    stand(item) {
        for (const other of this.rows.querySelectorAll('[tabindex="0"][role="treeitem"]')) if (other instanceof HTMLElement) other.tabIndex = -1;
        for (const other of this.rows.querySelectorAll('[aria-selected="true"]')) other.setAttribute('aria-selected', 'false');
        item.tabIndex = 0;
        item.setAttribute('aria-selected', 'true');
        this.at = item.dataset.key ?? '';
    }

    /** @param {boolean} [isFirst] whether the tree was just opened: then it shows where one is */
    focus(isFirst = false) {
        const item = this.item(this.at);
        if (!(item instanceof HTMLElement)) return;
        item.focus({ preventScroll: isFirst });
        if (isFirst) item.scrollIntoView({ block: 'center' });
    }

    /** Shows what is known of a row, or no longer. @param {HTMLElement} item */
    toggle(item) {
        const { key = '', stands, chat = '' } = item.dataset;
        if (stands === 'folded') return void this.look({ archived: true });
        const before = this.opened;
        this.opened = key === before ? '' : key;
        for (const changed of new Set([before, key])) this.redraw(changed);
        const now = this.item(key);
        if (now instanceof HTMLElement) {
            this.stand(now);
            now.focus({ preventScroll: true });
            now.scrollIntoView({ block: 'nearest' });
        }
        if (this.opened) void this.read(key, chat).catch((error) => this.foot.tell(told(error)));
    }

    /** Draws one row anew. @param {string} key */
    redraw(key) {
        const { rows = [], lanes = 1 } = this.tree?.family.tree.picture ?? {};
        const row = rows.find((row) => this.keyOf(row) === key);
        const item = this.item(key);
        const isFlat = this.view.find.trim() !== '';
        const drawn = row && this.rowOf(row, isFlat ? 1 : lanes, isFlat).at(-1);
        if (!item || !drawn) return;
        const focused = item.contains(document.activeElement) && document.activeElement instanceof HTMLElement ? document.activeElement.dataset.act : null;
        item.replaceWith(drawn);
        // Whoever stood there stands there.
        if (key === this.at) this.stand(drawn);
        if (focused === null) return;
        const within = focused === undefined ? null : drawn.querySelector(`[data-act="${focused}"]`);
        (within instanceof HTMLElement ? within : drawn).focus({ preventScroll: true });
    }

    /**
     * Reads the chat and the lorebook of a row whose details are shown, if nobody has.
     * @param {string} key
     * @param {string} chat
     */
    async read(key, chat) {
        const { family } = this.tree ?? {};
        const n = family?.tree.timelines.findIndex((one) => one.chat === chat && one.gone === null) ?? -1;
        const one = n < 0 ? undefined : family?.tree.timelines[n];
        if (!one) return;
        const { story } = this;
        if (one.lore !== 'missing') void story?.entriesOf(one.lorebook).then(() => this.redraw(key), (error) => console.warn('Lorefork:', error));
        if (family?.read[n]) return;
        await story?.read(chat);
        if (this.opened === key) await this.look({});
    }

    /**
     * @param {Act} act
     * @param {import('../../types/lorefork').Timeline} one
     * @param {Row} row
     */
    async act(act, one, row) {
        const { story } = this;
        if (!story) return;
        const place = story.placeOf(one.chat);
        switch (act) {
            case 'open':
                await this.popup.completeAffirmative();
                return open(one.chat);
            case 'compare': return showComparison(story.place, place);
            case 'checkpoint':
            case 'branch':
                await this.popup.completeAffirmative();
                // At its end: it may have grown since it was listed.
                return forkHere(act, place, row.stands === 'tip' || row.stands === 'leaf' ? undefined : (messageOf(row, one) ?? undefined));
            case 'label': {
                const words = await askForWords(one);
                return words && void (await sayOf(place, words));
            }
            case 'rename': {
                const name = await askForNewName(one.chat);
                return name && void (await rename(place, name, story.names));
            }
            case 'canon': return void (await sayOf(place, { canon: !one.canon }));
            case 'archive': return void (await sayOf(place, { archived: !one.archived }));
            case 'delete': return void (await remove(place));
            case 'back': return one.gone?.known === 'trash' ? void (await bringBack(one.gone.id)) : undefined;
        }
    }
}

/**
 * @param {Row} row
 * @param {import('../../types/lorefork').Timeline} one
 */
function labelOf(row, one) {
    const kinds = { main: say('main chat'), checkpoint: say('checkpoint'), branch: say('branch') };
    const name = nameOf(row, one);
    return [name, row.stands === 'folded' || name === kinds[one.kind] ? '' : kinds[one.kind], one.open ? say('you are here') : ''].filter(Boolean).join(', ');
}

/**
 * @param {string} sign
 * @param {string} words
 * @param {(on: boolean) => void} act
 */
function toggle(sign, words, act) {
    const element = draw('div', 'menu_button menu_button_icon lorefork-toggle', icon(sign), draw('span', '', words));
    element.setAttribute('role', 'switch');
    element.setAttribute('aria-checked', 'false');
    element.tabIndex = 0;
    element.addEventListener('click', () => {
        const on = element.getAttribute('aria-checked') !== 'true';
        element.setAttribute('aria-checked', String(on));
        act(on);
    });
    return element;
}
