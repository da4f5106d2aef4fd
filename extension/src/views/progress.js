// The four steps while a timeline is made: shown if it takes long enough for somebody to wonder. A modal dialog, so
// that everybody sees why nothing can be clicked.

import { context } from '../tavern.js';
import { PROGRESS_SHOWN } from '../times.js';
import { say } from '../words.js';
import { blockInput } from './blocking.js';
import { draw, icon } from './draw.js';

const STEPS = [
    ['validating', 'Checking the chat and its lorebook'],
    ['lorebook', 'Writing its own lorebook'],
    ['recording', 'Recording where it comes from'],
    ['creating', 'Creating the timeline'],
];

export class Progress {
    /** @param {'checkpoint' | 'branch'} kind */
    constructor(kind) {
        this.steps = STEPS.map(([name, words]) => ({ name, row: draw('li', '', icon('fa-circle'), draw('span', '', say(words))) }));
        this.others = draw('small', '');
        this.steps[0].row.lastElementChild?.append(this.others);
        this.content = draw('div', 'lorefork-progress',
            draw('h3', '', kind === 'branch' ? say('Creating branch') : say('Creating checkpoint')),
            draw('ol', '', ...this.steps.map(({ row }) => row)));
        this.isDone = false;
        /** @type {{ completeCancelled(): Promise<unknown> } | null} */
        this.popup = null;
        /** @type {Promise<unknown>} */
        this.shown = Promise.resolve();
        this.unblock = blockInput();
        this.clock = setTimeout(() => this.open(), PROGRESS_SHOWN);
    }

    open() {
        const { Popup, POPUP_TYPE } = context();
        const popup = new Popup(this.content, POPUP_TYPE.DISPLAY, null, {
            animation: 'none',
            onClosing: () => this.isDone,
        });
        popup.closeButton.style.display = 'none';
        popup.dlg.classList.add('lorefork-quiet');
        this.popup = popup;
        this.shown = popup.show();
    }

    /**
     * @param {string} step
     * @param {number} others
     */
    show(step, others) {
        if (step === 'others') return this.tellOthers(others);
        const now = this.steps.findIndex(({ name }) => name === step);
        this.steps.forEach(({ row }, index) => {
            const name = index < now ? 'fa-check' : index === now ? 'fa-gear fa-spin' : 'fa-circle';
            row.dataset.state = index < now ? 'done' : index === now ? 'running' : 'waiting';
            row.firstElementChild?.replaceWith(icon(name));
        });
    }

    /** @param {number} others chats that wrote to the lorebook: why the first step takes longer */
    tellOthers(others) {
        const words = others === 1 ? say('Another chat wrote to its lorebook: that is read, too.') : say('{0} other chats wrote to its lorebook: they are read, too.', others);
        this.others.textContent = words;
    }

    async close() {
        clearTimeout(this.clock);
        this.isDone = true;
        try {
            await this.popup?.completeCancelled();
            await this.shown;
        } finally {
            this.unblock();
        }
    }
}
