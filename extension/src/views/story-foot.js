// Below the story tree: what else there is, and what is not known of it unless all chats are read.

import { say, told } from '../words.js';
import { draw } from './draw.js';

/** @typedef {import('../../types/lorefork').StoryTree} StoryTree */

export class Foot {
    /**
     * @param {(names: string[], goOn: (done: number) => boolean) => Promise<void>} readAll
     * @param {() => Promise<void>} drawAgain
     */
    constructor(readAll, drawAgain) {
        this.readAll = readAll;
        this.drawAgain = drawAgain;
        this.isReading = false;
        this.words = draw('span', '');
        this.words.setAttribute('aria-live', 'polite');
        this.button = draw('div', 'menu_button lorefork-story-more');
        this.button.setAttribute('role', 'button');
        this.button.tabIndex = 0;
        this.button.hidden = true;
        this.button.addEventListener('click', () => void (this.isReading ? this.stop() : this.read()));
        this.element = draw('small', 'lorefork-story-foot', this.words, this.button);
        /** Chats that nobody read. @type {string[]} */
        this.unread = [];
    }

    /** @param {string} words */
    tell(words) {
        this.words.textContent = words;
    }

    /**
     * @param {StoryTree} tree
     * @param {number | null} found how many rows a search found
     */
    show({ family, others, alone, unread }, found) {
        this.unread = unread;
        if (this.isReading) return;
        const { timelines } = family.tree;
        this.tell(found === null ? aboutOthers(timelines.length, others, alone)
            : found === 1 ? say('Found in one timeline.') : say('Found in {0} timelines.', found));
        const ofFamily = timelines.filter(({ chat, gone }, n) => gone === null && !family.read[n] && unread.includes(chat)).length;
        // A search is about this family; whether others belong to it, only their messages tell.
        this.button.hidden = found === null ? unread.length - ofFamily === 0 : unread.length === 0;
        this.button.textContent = found === null
            ? say('Find relatives by their messages')
            : (unread.length === 1 ? say('Search the messages of one more chat') : say('Search the messages of {0} more chats', unread.length));
    }

    /** Reads all that nobody read, and says how far it is. */
    async read() {
        const all = this.unread;
        this.isReading = true;
        this.button.textContent = say('Stop');
        try {
            await this.readAll(all, (done) => {
                this.tell(say('Read: {0} of {1} chats', done, all.length));
                return this.isReading;
            });
            this.isReading = false;
            // What was read counts, even if somebody stopped.
            await this.drawAgain();
        } catch (error) {
            this.isReading = false;
            await this.drawAgain();
            this.tell(told(error));
        }
    }

    stop() {
        this.isReading = false;
    }
}

/**
 * @param {number} timelines
 * @param {number} others
 * @param {number} alone
 */
function aboutOthers(timelines, others, alone) {
    const parts = [];
    if (timelines === 1) parts.push(say('No story has parted here yet. A checkpoint or branch is made at any message.'));
    if (others) parts.push(others === 1 ? say('One other story has a tree of its own.') : say('{0} other stories have trees of their own.', others));
    if (alone) parts.push(alone === 1 ? say('One chat stands alone.') : say('{0} chats stand alone.', alone));
    return parts.join(' ');
}
