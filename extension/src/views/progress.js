// The four steps while a timeline is made. A modal dialog, so that nothing else can be clicked meanwhile.

import { context } from '../tavern.js';
import { say } from '../words.js';
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
        const { Popup, POPUP_TYPE } = context();
        this.steps = STEPS.map(([name, words]) => ({ name, row: draw('li', '', icon('fa-circle'), draw('span', '', say(words))) }));
        const content = draw('div', 'lorefork-progress',
            draw('h3', '', kind === 'branch' ? say('Creating branch') : say('Creating checkpoint')),
            draw('ol', '', ...this.steps.map(({ row }) => row)));
        this.isDone = false;
        this.popup = new Popup(content, POPUP_TYPE.DISPLAY, null, {
            animation: 'none',
            onClosing: () => this.isDone,
        });
        this.popup.closeButton.style.display = 'none';
        this.popup.dlg.classList.add('lorefork-quiet');
        this.shown = this.popup.show();
    }

    /** @param {string} step */
    show(step) {
        const now = this.steps.findIndex(({ name }) => name === step);
        this.steps.forEach(({ row }, index) => {
            const name = index < now ? 'fa-check' : index === now ? 'fa-gear fa-spin' : 'fa-circle';
            row.dataset.state = index < now ? 'done' : index === now ? 'running' : 'waiting';
            row.firstElementChild?.replaceWith(icon(name));
        });
    }

    async close() {
        this.isDone = true;
        await this.popup.completeCancelled();
        await this.shown;
    }
}
