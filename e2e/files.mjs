// What is on disk, read by the test itself: never through the extension, never through SillyTavern.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import { HERO, QUEUE } from './sample.mjs';

/** @param {string} file */
export function readChat(file) {
    const text = fs.readFileSync(file, 'utf8');
    const lines = text.split('\n');
    const [header, ...messages] = lines.map((line) => JSON.parse(line));
    return { text, lines, header, meta: header.chat_metadata, messages };
}

/** @param {string} user @param {string} name @param {string} [hero] */
export const readSolo = (user, name, hero = HERO) => readChat(path.join(user, 'chats', hero, `${name}.jsonl`));

/** @param {string} user @param {string} name */
export const readGroupChat = (user, name) => readChat(path.join(user, 'group chats', `${name}.jsonl`));

/** @param {string} user @param {string} id */
export const readGroup = (user, id) => JSON.parse(fs.readFileSync(path.join(user, 'groups', `${id}.json`), 'utf8'));

/** @param {string} user @param {string} name */
export function readBook(user, name) {
    const text = fs.readFileSync(path.join(user, 'worlds', `${name}.json`), 'utf8');
    const book = JSON.parse(text);
    const all = Object.values(book.entries);
    const queues = all.filter(({ comment }) => comment === QUEUE);
    return {
        text, book, queues,
        entries: all.filter(({ comment }) => comment !== QUEUE),
        entry: (comment) => all.find((entry) => entry.comment === comment),
        waiting: queues.flatMap(({ content }) => JSON.parse(content).queue),
    };
}

/** @param {string} folder @param {string} end */
const namesIn = (folder, end) => {
    if (!fs.existsSync(folder)) return [];
    return fs.readdirSync(folder).filter((file) => file.endsWith(end)).map((file) => file.slice(0, -end.length)).sort();
};

export const books = (user) => namesIn(path.join(user, 'worlds'), '.json');
export const chats = (user, hero = HERO) => namesIn(path.join(user, 'chats', hero), '.jsonl');
export const groupChats = (user) => namesIn(path.join(user, 'group chats'), '.jsonl');

/** All chats of a user folder: path below it -> content. */
export function allChats(user) {
    const found = [];
    for (const hero of fs.readdirSync(path.join(user, 'chats'))) {
        for (const name of chats(user, hero)) found.push({ place: `chats/${hero}/${name}.jsonl`, name, ...readSolo(user, name, hero) });
    }
    for (const name of groupChats(user)) found.push({ place: `group chats/${name}.jsonl`, name, ...readGroupChat(user, name) });
    return found;
}

/** Every file that somebody's story is in, as it is now. */
export function photograph(user) {
    const files = new Map();
    const walk = (folder) => {
        if (!fs.existsSync(path.join(user, folder))) return;
        for (const item of fs.readdirSync(path.join(user, folder), { withFileTypes: true })) {
            const inside = path.join(folder, item.name);
            if (item.isDirectory()) walk(inside);
            else files.set(inside, fs.readFileSync(path.join(user, inside)));
        }
    };
    for (const folder of ['chats', 'group chats', 'groups', 'worlds']) walk(folder);
    return files;
}

/**
 * Names of files that appeared, vanished or changed.
 * @param {Map<string, Buffer>} before @param {Map<string, Buffer>} after
 */
export function differences(before, after) {
    const words = [];
    for (const [name, bytes] of after) {
        if (!before.has(name)) words.push(`+ ${name}`);
        else if (!before.get(name).equals(bytes)) words.push(`~ ${name}`);
    }
    for (const name of before.keys()) if (!after.has(name)) words.push(`- ${name}`);
    return words.sort();
}

/** @param {Map<string, Buffer>} before @param {string} user @param {string} why */
export function assertUntouched(before, user, why) {
    assert.deepEqual(differences(before, photograph(user)), [], why);
}

/**
 * The parent of a fork: as it was, but for the link.
 * @param {ReturnType<typeof readChat>} before
 * @param {ReturnType<typeof readChat>} after
 * @param {number} at
 */
export function assertOnlyLinked(before, after, at) {
    assert.equal(after.lines.length, before.lines.length, 'the parent has as many messages as before');
    for (let index = 0; index < before.messages.length; index++) {
        if (index === at) continue;
        assert.equal(after.lines[index + 1], before.lines[index + 1], `message ${index} of the parent is as it was`);
    }
    const without = ({ extra: { bookmark_link, branches, ...extra } = {}, swipe_info, ...message }) => ({ ...message, extra });
    assert.deepEqual(without(after.messages[at]), without(before.messages[at]), 'the message of the parent that was forked differs by its link only');
    const { auto_recap: mapBefore, lorefork: ownBefore, ...metaBefore } = before.meta;
    const { auto_recap: { checkpoint_lorebook_map, ...restOfMap } = {}, lorefork: ownAfter, ...metaAfter } = after.meta;
    assert.deepEqual(metaAfter, metaBefore, 'the metadata of the parent is as it was');
    const { checkpoint_lorebook_map: _, ...restBefore } = mapBefore ?? {};
    assert.deepEqual(restOfMap, restBefore, 'only the map of timelines was added to auto_recap');
    if (ownBefore) assert.deepEqual(ownAfter, ownBefore, 'the record of the parent stays');
    else if (ownAfter) assert.equal(ownAfter.kind, 'main');
}

/**
 * Everything that must hold for a timeline that was just made, told from files alone.
 * @param {object} what
 * @param {ReturnType<typeof photograph>} what.before
 * @param {string} what.user
 * @param {string} what.parent file below the user folder
 * @param {string} what.child file below the user folder
 * @param {number} what.at
 * @param {'checkpoint' | 'branch'} what.kind
 * @param {number} [what.entries] how many entries without the queue
 * @param {boolean} [what.linked] whether the parent must lead to it
 */
export function assertForked({ before, user, parent, child, at, kind, entries, linked = true }) {
    const was = fromBytes(before.get(parent));
    const now = readChat(path.join(user, parent));
    const made = readChat(path.join(user, child));
    const nameOf = (file) => path.basename(file, '.jsonl');
    assert.ok(!before.has(child), 'the timeline is new');

    assert.equal(made.messages.length, at + 1, 'it ends with the message that was forked');
    for (let index = 0; index <= at; index++) {
        const isMemory = was.lines[index + 1].includes('auto_recap_memory');
        if (!isMemory) assert.equal(made.lines[index + 1], was.lines[index + 1], `message ${index} is the parent's`);
        else assert.equal(made.messages[index].mes, was.messages[index].mes, `message ${index} says what the parent's says`);
    }
    assert.equal(made.meta.main_chat, nameOf(parent));
    assert.equal(made.meta.tainted, true);
    assert.ok(made.meta.integrity && made.meta.integrity !== was.meta.integrity, 'it has a slug of its own');
    assert.equal(made.meta.lorefork?.kind, kind, 'its record says what it is');
    assert.equal(made.meta.lorefork?.chat, nameOf(child));
    assert.equal(made.meta.auto_recap?.checkpoint_lorebook_map, undefined, "the parent's map is not inherited");

    const book = made.meta.world_info;
    if (was.meta.world_info) {
        assert.notEqual(book, was.meta.world_info, 'it has a lorebook of its own');
        const lore = readBook(user, book);
        assert.ok(!before.has(`worlds/${book}.json`), 'its lorebook is new');
        if (entries !== undefined) assert.equal(lore.entries.length, entries, 'its lorebook has the entries of that message');
        assert.deepEqual(lore.waiting, [], 'no work waits in it');
        assert.ok(lore.queues.length <= 1);
        for (const [key, entry] of Object.entries(lore.book.entries)) assert.equal(key, String(entry.uid));
        for (const entry of lore.entries) for (const runtime of ['world', 'hash', 'decorators']) assert.ok(!(runtime in entry), `${runtime} is not for files`);
        const others = allChats(user).filter((chat) => chat.place !== child && chat.meta.world_info === book);
        assert.deepEqual(others.map(({ place }) => place), [], 'nobody else names its lorebook');
        assert.equal(made.meta.auto_recap_checkpoint_state?.original_lorebook_name, was.meta.world_info);
        const elsewhere = made.lines.slice(1).filter((line) => line.includes('auto_recap_memory') && line.includes(`:${JSON.stringify(was.meta.world_info)}`));
        assert.equal(elsewhere.length, 0, "no message's memory names the parent's lorebook");
    } else {
        assert.equal(book, undefined, 'no lorebook comes from nothing');
    }
    for (const version of made.meta.auto_recap_running_scene_recaps?.versions ?? []) {
        assert.ok((version.new_scene_index ?? 0) <= at, 'no version of the running recap knows the future');
    }

    const link = now.messages[at].extra ?? {};
    if (linked) {
        if (kind === 'checkpoint') assert.equal(link.bookmark_link, nameOf(child), 'the flag leads to it');
        else assert.equal(link.branches?.filter((name) => name === nameOf(child)).length, 1, 'the list of branches has it');
        assert.ok(made.meta.lorefork.parent.id, 'it knows its parent, whatever that will be called');
        assert.equal(made.meta.lorefork.parent.id, now.meta.lorefork?.id);
        if (book) assert.equal(now.meta.auto_recap?.checkpoint_lorebook_map?.[nameOf(child)], book, 'the map leads to its lorebook');
    }
    assertOnlyLinked(was, now, at);
    return { made, now, was, book };
}

/** @param {Buffer} bytes */
function fromBytes(bytes) {
    const text = bytes.toString();
    const lines = text.split('\n');
    const [header, ...messages] = lines.map((line) => JSON.parse(line));
    return { text, lines, header, meta: header.chat_metadata, messages };
}

/**
 * Nothing is half-made: every new book is named by a chat, every chat's book exists, every link leads somewhere.
 * @param {string} user @param {Map<string, Buffer>} before
 */
export function assertWhole(user, before) {
    const all = allChats(user);
    const named = new Set(all.map(({ meta }) => meta.world_info).filter(Boolean));
    const present = books(user);
    for (const book of present) {
        if (!before.has(`worlds/${book}.json`)) assert.ok(named.has(book), `the lorebook ${book} belongs to a chat`);
    }
    for (const { place, meta } of all) {
        if (meta.world_info) assert.ok(present.includes(meta.world_info), `${place} names a lorebook that exists`);
        const isNew = !before.has(place);
        if (isNew) assert.equal(meta.lorefork?.chat, path.basename(place, '.jsonl'), `${place} is complete`);
        if (isNew && meta.world_info) assert.equal(all.filter((chat) => chat.meta.world_info === meta.world_info).length, 1, `${place} shares its lorebook with nobody`);
    }
    for (const { place, messages } of all) {
        const folder = path.dirname(place);
        for (const { extra } of messages) {
            for (const link of [extra?.bookmark_link, ...(extra?.branches ?? [])].filter(Boolean)) {
                assert.ok(fs.existsSync(path.join(user, folder, `${link}.jsonl`)), `${place} links to a timeline that exists`);
            }
        }
    }
    const rubbish = [...photograph(user).keys()].filter((name) => !/\.(jsonl?|png)$/.test(name));
    assert.deepEqual(rubbish, [], 'no temporary files');
}

export const sha = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex');
