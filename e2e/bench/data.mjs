// What is measured on: the story of the demo, with a lorebook as big as wanted.

import fs from 'node:fs';
import path from 'node:path';

import { BOOK, editChat, editSettings, placeSample, QUEUE, STORY, storyFile } from '../sample.mjs';
import { installExtension } from '../tavern.mjs';

export const OTHER = 'Another evening';
/** A branch with many messages. */
export const LONG = 'The Longest Night';
const LONG_BOOK = 'The Longest Night lore';
const MESSAGES = 5000;
const TEXT = 'The keeper of the lamp counts the ships by their bells, and writes down each one that does not answer. ';

/** Puts the data in place. @param {string} user @param {{ extension: boolean, entries?: number, backend?: string, long?: boolean }} how */
export function place(user, { extension, entries, backend, long = false }) {
    for (const name of ['chats', 'worlds', 'characters', 'groups', 'group chats', 'extensions', 'backups', 'settings.json']) {
        fs.rmSync(path.join(user, name), { recursive: true, force: true });
    }
    placeSample(user);
    // Without it the server ends when it wants to put a backup there.
    fs.mkdirSync(path.join(user, 'backups'), { recursive: true });
    if (extension) installExtension(user);
    editSettings(user, (settings) => {
        if (backend) Object.assign(settings.oai_settings, { custom_url: backend, stream_openai: false });
        settings.firstRun = false;
    });
    if (entries) fs.writeFileSync(bookFile(user), JSON.stringify(book(user, entries), null, 4));
    // Another chat to switch to, with a lorebook of its own kind: none.
    fs.copyFileSync(storyFile(user), storyFile(user, OTHER));
    editChat(storyFile(user, OTHER), (metadata) => {
        metadata.integrity = '99999999-2222-4333-8444-555555555555';
        delete metadata.world_info;
    });
    if (long) addLong(user);
}

/** A branch of so many messages, with a lorebook of its own: the story over and over. */
function addLong(user) {
    fs.copyFileSync(storyFile(user), storyFile(user, LONG));
    fs.copyFileSync(bookFile(user), path.join(user, 'worlds', `${LONG_BOOK}.json`));
    editChat(storyFile(user, LONG), (metadata, messages) => {
        Object.assign(metadata, { integrity: '88888888-2222-4333-8444-555555555555', main_chat: STORY, world_info: LONG_BOOK });
        const story = [...messages];
        while (messages.length < MESSAGES) messages.push(story[messages.length % story.length]);
    });
}

const bookFile = (user) => path.join(user, 'worlds', `${BOOK}.json`);

/** A book of this many entries beside its queue, each with all the fields that SillyTavern gives one. */
function book(user, count) {
    const { entries, ...rest } = JSON.parse(fs.readFileSync(bookFile(user), 'utf8'));
    const all = Object.values(entries);
    const queue = all.find(({ comment }) => comment === QUEUE);
    const pattern = all.find(({ comment }) => comment !== QUEUE);
    const made = Array.from({ length: count }, (_, uid) => ({ ...pattern, uid, comment: `character-Number ${uid}`, key: [`number ${uid}`], content: TEXT.repeat(3) }));
    return { ...rest, entries: Object.fromEntries([...made, queue].map((entry) => [entry.uid, entry])) };
}

export { BOOK, STORY };
