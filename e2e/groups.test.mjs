// Group chats: the same, and the group's record.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { books, differences, groupChats, photograph, readBook, readGroup, readGroupChat } from './files.mjs';
import { until } from './page.mjs';
import { editChat, GROUP, GROUP_BOOK, GROUP_CHAT } from './sample.mjs';
import { forks, suite } from './suite.mjs';

const scene = suite('groups');
const IN_GROUP = { open: (page) => page.openGroup(GROUP) };
const PARENT = { parent: `group chats/${GROUP_CHAT}.jsonl` };
const END = 8;

/** Says yes if it is asked whether to go on. */
async function anyway(page) {
    const asks = page.popupWith('nevertheless');
    const shown = await Promise.race([asks.waitFor().then(() => true), page.told('created').then(() => false)]);
    if (shown) await asks.locator('.popup-button-ok').click();
}

scene('a checkpoint in a group', IN_GROUP, async (s) => {
    const { page, user } = s;
    const { name } = await forks(s, { ...PARENT, at: END, kind: 'checkpoint', entries: 3 }, () => page.checkpoint(END));
    const { chats, chat_id } = readGroup(user, GROUP);
    assert.deepEqual(chats, [GROUP_CHAT, name]);
    assert.equal(chat_id, GROUP_CHAT, 'the group opens what it opened');
    assert.equal((await page.chat()).name, GROUP_CHAT);
    assert.equal((await page.chat()).length, 9);
});

scene('a branch in a group opens, and both go on with a lorebook of their own', IN_GROUP, async (s) => {
    const { page, user } = s;
    const { name, book } = await forks(s, { ...PARENT, at: END, kind: 'branch', entries: 3 }, () => page.branch(END));
    assert.deepEqual(readGroup(user, GROUP).chats, [GROUP_CHAT, name]);
    assert.equal((await page.chat()).book, book);
    const theirs = fs.readFileSync(path.join(user, 'worlds', `${GROUP_BOOK}.json`));
    await page.run(async () => {
        const { chatMetadata: { world_info }, loadWorldInfo, saveWorldInfo } = SillyTavern.getContext();
        const data = structuredClone(await loadWorldInfo(world_info));
        data.entries[0].content = 'Known in the branch only.';
        await saveWorldInfo(world_info, data, true);
    });
    await page.saved();
    assert.ok(fs.readFileSync(path.join(user, 'worlds', `${GROUP_BOOK}.json`)).equals(theirs));
    assert.equal(readBook(user, book).book.entries[0].content, 'Known in the branch only.');
    await page.openGroup(GROUP, GROUP_CHAT);
    await page.saved();
    assert.equal((await page.chat()).book, GROUP_BOOK);
    assert.equal(readGroupChat(user, GROUP_CHAT).messages.length, 9, 'no message was lost');
    assert.equal(readGroupChat(user, name).messages.length, 9);
});

scene('a group chat that went on elsewhere is not overwritten by a fork', IN_GROUP, async ({ page, user }) => {
    const file = path.join(user, PARENT.parent);
    fs.appendFileSync(file, `\n${fs.readFileSync(file, 'utf8').split('\n').at(-1)}`);
    const before = photograph(user);
    await page.pressBranch(END);
    await page.popupWith('changed elsewhere').waitFor();
    await page.accept('Cannot create branch');
    await page.over();
    // SillyTavern notes in the group's record when it was last used.
    assert.deepEqual(differences(before, photograph(user)).filter((words) => !words.startsWith('~ groups/')), []);
});

scene('a branch in the middle of a group chat without memory data', IN_GROUP, async (s) => {
    const { page } = s;
    await forks(s, { ...PARENT, at: 4, kind: 'branch', entries: 3 }, async () => {
        await page.pressBranch(4);
        await anyway(page);
        return page.switched(GROUP_CHAT);
    });
});

scene('commands in a group answer with the name', IN_GROUP, async (s) => {
    const { page } = s;
    const act = () => page.command(`/checkpoint-create mesId=${END} Before the watch`);
    const { answer } = await forks(s, { ...PARENT, at: END, kind: 'checkpoint', entries: 3, name: 'Before the watch' }, act);
    assert.equal(answer, 'Before the watch');
});

scene('another module forks a group chat', IN_GROUP, async (s) => {
    const { page, user } = s;
    const { name, book } = await forks(s, { ...PARENT, at: END, kind: 'branch', entries: 3 }, async () => {
        const name = await page.run(async () => (await import('/scripts/bookmarks.js')).createBranch(8));
        await page.saved();
        return name;
    });
    assert.ok(readGroup(user, GROUP).chats.includes(name));
    await page.openGroup(GROUP, name);
    assert.equal((await page.chat()).book, book);
});

/** A running recap tells of later, and no scene what it wrote: nobody knows how the lorebook was before. */
const unrecorded = (user) => editChat(path.join(user, PARENT.parent), (metadata) => {
    const version = { version: 0, timestamp: 1776000000000, content: 'So far.', scene_count: 1, excluded_count: 0, prev_scene_index: 0, new_scene_index: 6 };
    metadata.auto_recap_running_scene_recaps = { chat_id: GROUP_CHAT, current_version: 0, versions: [version] };
});

scene('another module forks a group chat, and the user does not want it: nothing is made, and nothing is listed', { ...IN_GROUP, change: unrecorded }, async ({ page, user, before }) => {
    await page.run(() => void import('/scripts/bookmarks.js').then(({ createBranch }) => createBranch(4)).then(() => (globalThis.isMade = true)));
    await page.popupWith('Which lorebook').waitFor();
    assert.equal(readGroup(user, GROUP).chats.length, 2, 'SillyTavern lists it first');
    await page.accept('Which lorebook');
    await until(() => readGroup(user, GROUP).chats.length === 1, 'it is taken off the list');
    await page.saved();
    assert.deepEqual(differences(before, photograph(user)).filter((words) => !words.startsWith('~ groups/')), []);
    assert.equal(await page.run(() => globalThis.isMade), undefined, 'whoever wanted it does not go on');
});

/** A second group, whose chat has the name that a checkpoint of the first would get. */
function neighbours(user) {
    const group = readGroup(user, GROUP);
    fs.writeFileSync(path.join(user, 'groups/1775943699999.json'), JSON.stringify({ ...group, id: '1775943699999', name: 'The Day Watch', chat_id: 'Shared name', chats: ['Shared name'] }, null, 4));
    const lines = fs.readFileSync(path.join(user, `group chats/${GROUP_CHAT}.jsonl`), 'utf8').split('\n');
    const header = JSON.parse(lines[0]);
    header.chat_metadata.integrity = '77777777-2222-4333-8444-555555555555';
    delete header.chat_metadata.world_info;
    fs.writeFileSync(path.join(user, 'group chats/Shared name.jsonl'), [JSON.stringify(header), ...lines.slice(1, 4)].join('\n'));
}

scene('a name that a chat of another group has is refused, and that chat is unharmed', { ...IN_GROUP, change: neighbours }, async ({ page, user, before }) => {
    await page.pressCheckpoint(END);
    await page.nameIt('Shared name');
    await page.popupWith('Cannot create checkpoint').waitFor();
    await page.accept('Cannot create checkpoint');
    await page.over();
    assert.deepEqual(differences(before, photograph(user)).filter((words) => !words.includes('groups/')), []);
    assert.deepEqual(readGroup(user, GROUP).chats, [GROUP_CHAT]);
    assert.equal(books(user).length, 3);
    assert.equal(groupChats(user).length, 2);
});
