// The data that tests start from: the story of `lorefork demo`.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { TARGET } from './tavern.mjs';

/** The command. */
export const LOREFORK = process.env.LOREFORK ?? path.join(import.meta.dirname, '../target/debug/lorefork');

let folder = null;

/** The user folder of the demo, made once per test file. */
export function sample() {
    if (folder) return folder;
    const root = path.join(TARGET, `sample-${process.pid}`);
    fs.rmSync(root, { recursive: true, force: true });
    fs.mkdirSync(TARGET, { recursive: true });
    execFileSync(LOREFORK, ['demo', '--data-only', root], { stdio: 'pipe' });
    folder = path.join(root, 'default-user');
    process.on('exit', () => fs.rmSync(root, { recursive: true, force: true }));
    editSettings(folder, (settings) => {
        // Not what is tested, and they ask for much while a page loads.
        settings.extension_settings.disabledExtensions = ['assets', 'attachments', 'caption', 'connection-manager', 'expressions',
            'gallery', 'memory', 'stable-diffusion', 'token-counter', 'translate', 'tts', 'vectors'];
        settings.oai_settings = { chat_completion_source: 'custom', custom_url: 'http://127.0.0.1:9', custom_model: 'scripted', stream_openai: true };
        settings.power_user.auto_connect = true;
        settings.power_user.auto_load_chat = false;
        // They met before; and what SillyTavern carries over from older versions is carried over.
        settings.accountStorage = { __migrated: '1', lorefork_met: 'yes' };
    });
    return folder;
}

/**
 * Puts the sample in place, with its times: of characters that changed the server writes down what they are, once a
 * second, and all who ask for them wait for that.
 * @param {string} user
 */
export const placeSample = (user) => fs.cpSync(sample(), user, { recursive: true, preserveTimestamps: true });

export const HERO = 'Tamsin';
export const STORY = 'The Last Lamp';
export const BOOK = 'z-AutoLB-Tamsin-The Last Lamp';
/** Where the scenes of the story end, and how many entries its lorebook had then, without the queue. */
export const SCENES = [[13, 21], [28, 27], [41, 28], [53, 29]];
export const LAST = 60;
export const GROUP = '1775943612408';
export const GROUP_CHAT = '2026-04-11@21h40m12s408ms';
export const GROUP_BOOK = 'Night Watch lore';
export const QUEUE = '__operation_queue';

/** @param {string} user @param {(settings: any) => void} change */
export function editSettings(user, change) {
    const file = path.join(user, 'settings.json');
    const settings = JSON.parse(fs.readFileSync(file, 'utf8'));
    change(settings);
    fs.writeFileSync(file, JSON.stringify(settings, null, 4));
}

/** @param {string} user @param {string} name @param {(book: any) => void} change */
export function editBook(user, name, change) {
    const file = path.join(user, 'worlds', `${name}.json`);
    const book = JSON.parse(fs.readFileSync(file, 'utf8'));
    change(book);
    fs.writeFileSync(file, JSON.stringify(book, null, 4));
}

/** @param {string} file @param {(metadata: any, messages: any[]) => void} change */
export function editChat(file, change) {
    const [header, ...messages] = fs.readFileSync(file, 'utf8').split('\n').map((line) => JSON.parse(line));
    change(header.chat_metadata, messages);
    fs.writeFileSync(file, [header, ...messages].map((line) => JSON.stringify(line)).join('\n'));
}

/** @param {string} user @param {(metadata: any, messages: any[]) => void} change */
export const editStory = (user, change) => editChat(storyFile(user), change);

export const storyFile = (user, name = STORY) => path.join(user, 'chats', HERO, `${name}.jsonl`);

/** As if Auto-Recap had cleared what the scenes recorded: only the running recap tells that there were any. */
export function forgetScenes(user) {
    const [header, ...messages] = fs.readFileSync(storyFile(user), 'utf8').split('\n');
    fs.writeFileSync(storyFile(user), [header, ...messages.map((line) => line.replaceAll('auto_recap_memory', 'cleared'))].join('\n'));
}

/** Two entries of which nobody can tell, and a mark of one that is no longer there. */
export const openEntries = (user) => editBook(user, BOOK, (book) => {
    const [first, second] = Object.values(book.entries).filter(({ comment }) => comment.startsWith('item-'));
    const marks = [first, second].map(({ uid, comment }) => ({ uid, name: comment, why: 'nothing recorded says when it was changed', with: [] }));
    book.extensions = { ...book.extensions, lorefork: { v: 1, undecided: [...marks, { uid: 777, name: 'gone', why: '', with: [] }] } };
});

/** Gives the story's lorebook waiting work. */
export function fillQueue(user, operations = [operation()]) {
    editBook(user, BOOK, (book) => {
        const entry = Object.values(book.entries).find(({ comment }) => comment === QUEUE);
        entry.content = JSON.stringify({ ...JSON.parse(entry.content), queue: operations });
    });
}

/** An operation as Auto-Recap stores it. */
export const operation = (more = {}) => ({
    id: 'op_1773517804000_k3f9x2a1b', type: 'lorebook_entry_lookup', params: {}, status: 'pending', error: null,
    created_at: 1773517804000, started_at: null, completed_at: null, priority: 0, retries: 0, dependencies: [], metadata: { entry_comment: 'character-Pinch' }, ...more,
});
