// A family as plain SillyTavern makes it: all of its timelines use one lorebook.

import crypto from 'node:crypto';
import fs from 'node:fs';

import { editChat, STORY, storyFile } from './sample.mjs';

/** A timeline as SillyTavern alone makes it: the same lorebook, no record. */
export function alone(user, name, messages) {
    fs.copyFileSync(storyFile(user), storyFile(user, name));
    editChat(storyFile(user, name), (meta, all) => {
        meta.main_chat = STORY;
        meta.integrity = crypto.randomUUID();
        all.length = messages;
    });
}

/** Two branches share the story's lorebook. */
export function tangled(user) {
    alone(user, 'Old branch', 29);
    alone(user, 'Older branch', 14);
    editChat(storyFile(user), (_, messages) => {
        messages[28].extra = { ...messages[28].extra, branches: ['Old branch'] };
        messages[13].extra = { ...messages[13].extra, branches: ['Older branch'] };
    });
}

export const TANGLED = [STORY, 'Old branch', 'Older branch'];
