// The oldest SillyTavern that is supported: a shorter run.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { byCommand } from './command.mjs';
import { books, chats, photograph, readBook, readGroup, readSolo } from './files.mjs';
import { ask, outcome } from './flow.mjs';
import { until } from './page.mjs';
import { BOOK, editChat, fillQueue, GROUP, GROUP_CHAT, LAST, STORY, storyFile } from './sample.mjs';
import { forks, same, suite } from './suite.mjs';
import { tangled, TANGLED } from './tangled.mjs';

const scene = suite('older', { version: '1.16' });

scene('1.16: both buttons', async (s) => {
    const { page } = s;
    await forks(s, { at: 28, kind: 'checkpoint', entries: 27, name: `${STORY} - Checkpoint #1` }, () => page.checkpoint(28));
    const { answer, book } = await forks(s, { at: 13, kind: 'branch', entries: 21, name: `${STORY} - Branch #1` }, () => page.branch(13));
    assert.equal(answer.book, book);
});

scene('1.16: commands and their answers', async (s) => {
    const { page } = s;
    const { answer } = await forks(s, { at: 41, kind: 'checkpoint', entries: 28 }, () => page.command('/checkpoint-create mesId=41 Storm'));
    assert.equal(answer, 'Storm');
    await forks(s, { at: LAST, kind: 'branch', entries: 29 }, () => page.command('/branch-create'));
});

scene('1.16: options menu, and clicks that jQuery makes up', async (s) => {
    const { page } = s;
    await forks(s, { at: LAST, kind: 'checkpoint', entries: 29 }, async () => {
        await page.tab.click('#options_button');
        await page.tab.click('#option_new_bookmark');
        await page.nameIt();
        await page.told('Checkpoint created');
        await page.over();
    });
    await forks(s, { at: 28, kind: 'branch', entries: 27 }, async () => {
        await page.run(() => void $('#chat .mes[mesid="28"] .mes_create_branch').trigger('click'));
        return page.switched(STORY);
    });
});

scene('1.16: another module', async (s) => {
    await forks(s, { at: 28, kind: 'branch', entries: 27 }, () => s.page.run(async () =>
        (await import('/scripts/bookmarks.js')).createBranch(28)));
});

scene('1.16: waiting work is refused', { change: (user) => fillQueue(user) }, async ({ page, user, before }) => {
    await page.pressBranch(LAST);
    await page.popupWith('Cannot create branch').waitFor();
    await page.accept('Cannot create branch');
    await page.over();
    same(before, user);
});

scene('1.16: groups', { open: (page) => page.openGroup(GROUP) }, async (s) => {
    const { page, user } = s;
    const parent = `group chats/${GROUP_CHAT}.jsonl`;
    const first = await forks(s, { parent, at: 8, kind: 'checkpoint', entries: 3 }, () => page.checkpoint(8));
    const second = await forks(s, { parent, at: 8, kind: 'branch', entries: 3 }, () => page.branch(8));
    assert.deepEqual(readGroup(user, GROUP).chats, [GROUP_CHAT, first.name, second.name]);
});

scene('1.16: a branch of a branch of ours that was made without us has our record and its slug, and is offered its own all the same', { odd: true }, async ({ page, user }) => {
    const ours = await page.branch(28);
    const lines = fs.readFileSync(storyFile(user, ours.name), 'utf8').split('\n').slice(0, 21);
    const header = JSON.parse(lines[0]);
    header.chat_metadata.main_chat = ours.name;
    fs.writeFileSync(storyFile(user, 'Made without us'), [JSON.stringify(header), ...lines.slice(1)].join('\n'));
    await page.openSolo('Made without us');
    assert.equal((await page.run(() => lorefork.timeline())).id, null, 'others are not told that it is its parent');
    await page.notice('is also used by').locator('.lorefork-offer').click();
    await page.told('Lorebook isolated');
    await page.over();
    const { meta } = readSolo(user, 'Made without us');
    assert.ok(![ours.book, BOOK].includes(meta.world_info), 'it has its own');
    assert.equal(meta.lorefork.chat, 'Made without us');
    assert.equal(readSolo(user, ours.name).meta.world_info, ours.book);
});

scene('1.16: a shared timeline from before', {
    change: (user) => {
        const lines = fs.readFileSync(storyFile(user), 'utf8').split('\n').slice(0, 30);
        const header = JSON.parse(lines[0]);
        // Before 1.19 a branch has its parent's slug.
        header.chat_metadata.main_chat = STORY;
        fs.writeFileSync(storyFile(user, 'Old branch'), [JSON.stringify(header), ...lines.slice(1)].join('\n'));
    },
}, async ({ page, user }) => {
    await page.openSolo('Old branch');
    await page.notice('is also used by').locator('.lorefork-offer').click();
    await page.told('Lorebook isolated');
    await page.over();
    assert.notEqual(readSolo(user, 'Old branch').meta.world_info, BOOK);
    assert.equal(readSolo(user, STORY).meta.world_info, BOOK);
});

scene('1.16: a renamed main chat keeps its recap and its children, a deleted checkpoint leaves no link (N-8, R-113)', { odd: true }, async ({ page, user }) => {
    const checkpoint = await page.command('/checkpoint-create mesId=28 Keep');
    await page.saved();
    const recap = readSolo(user, STORY).meta.auto_recap_running_scene_recaps.versions.length;
    await page.run(async ([from, to]) => {
        const { renameGroupOrCharacterChat } = await import('/script.js');
        const { characterId } = SillyTavern.getContext();
        await renameGroupOrCharacterChat({ characterId, oldFileName: from, newFileName: to, loader: false });
    }, [STORY, 'The Lamp']);
    await page.settled();
    await until(() => readSolo(user, checkpoint).meta.main_chat === 'The Lamp', 'the checkpoint follows');
    const { meta } = readSolo(user, 'The Lamp');
    assert.equal(meta.auto_recap_running_scene_recaps.chat_id, 'The Lamp');
    assert.equal(meta.auto_recap_running_scene_recaps.versions.length, recap);
    const book = readSolo(user, checkpoint).meta.world_info;
    await page.run(async (name) => (await import('/script.js')).deleteCharacterChatByName(String(SillyTavern.getContext().characterId), name), checkpoint);
    await until(() => !readSolo(user, 'The Lamp').text.includes('bookmark_link'), 'the link goes');
    await until(() => readBook(user, book).book.extensions.lorefork.orphaned, 'its lorebook is marked');
    await page.saved();
});

scene('1.16: what is shared is untangled, and taken back', { change: tangled, odd: true }, async ({ page, user, before }) => {
    await page.command('/lorefork-check');
    const findings = page.popupWith('Timeline check');
    await findings.locator('li', { hasText: 'use one lorebook' }).locator('.menu_button').click();
    await page.popupWith('Put this right?').waitFor();
    await page.accept('Put this right?');
    await page.told('Repaired');
    await findings.waitFor();
    await page.accept('Timeline check');
    await page.saved();
    assert.equal(new Set(TANGLED.map((name) => readSolo(user, name).meta.world_info)).size, 3, 'each has its own');
    await page.notice('Repaired').locator('.lorefork-offer').click();
    await page.told('Taken back');
    await page.saved();
    same(before, user, 'every byte is back');
});

scene('1.16: a deleted timeline comes back with its lorebook', async ({ page, user }) => {
    await page.command('/checkpoint-create mesId=28 Keep');
    await page.openSolo('Keep');
    await page.saved();
    const before = photograph(user);
    const own = readSolo(user, 'Keep').meta.world_info;
    const id = await page.command('/lorefork-delete confirm=true');
    await page.saved();
    assert.deepEqual([chats(user), books(user).includes(own)], [[STORY], false]);
    assert.ok(await page.command(`/lorefork-undo confirm=true ${id}`));
    await page.saved();
    same(before, user, 'every byte is back');
});

// Chats that 1.16 leaves out of its list

/** A chat of the story's first messages; the last of them has no name, so the server does not list it. */
function leftOut(user, file, book = BOOK) {
    fs.writeFileSync(file, fs.readFileSync(storyFile(user), 'utf8').split('\n').slice(0, 22).join('\n'));
    editChat(file, (metadata, messages) => {
        metadata.world_info = book;
        // Nothing keeps the server from writing over it.
        delete metadata.integrity;
        messages.at(-1).name = '';
    });
}

scene('1.16: a branch that the server does not list keeps its name and its bytes', {
    change: (user) => leftOut(user, storyFile(user, `${STORY} - Branch #1`)),
}, async (s) => {
    const { page, user } = s;
    const before = fs.readFileSync(storyFile(user, `${STORY} - Branch #1`), 'utf8');
    await forks(s, { at: 28, kind: 'branch', entries: 27, name: `${STORY} - Branch #2` }, () => page.branch(28));
    assert.equal(fs.readFileSync(storyFile(user, `${STORY} - Branch #1`), 'utf8'), before);
});

for (const [whose, folder] of [['another character', 'chats/凪'], ['a group', 'group chats']]) {
    scene(`1.16: a lorebook that a chat of ${whose} names stays, also if the server does not list that chat`, {
        odd: true,
        change: (user) => {
            const group = readGroup(user, GROUP);
            fs.writeFileSync(path.join(user, 'groups', `${GROUP}.json`), JSON.stringify({ ...group, chats: [...group.chats, 'Left out'] }));
        },
    }, async ({ page, user }) => {
        await page.command('/checkpoint-create mesId=28 Keep');
        await page.openSolo('Keep');
        await page.saved();
        const own = readSolo(user, 'Keep').meta.world_info;
        leftOut(user, path.join(user, folder, 'Left out.jsonl'), own);
        assert.ok(await page.command('/lorefork-delete confirm=true'));
        await page.saved();
        assert.deepEqual([chats(user), books(user).includes(own)], [[STORY], true]);
    });
}

// Its data

byCommand(scene, '1.16');

// The last, since the server never answers what was asked here.
scene('1.16: a chat that ends with a blank line makes the server silent, and nobody waits for it', { odd: true }, async (s) => {
    const { page, user, gateway } = s;
    leftOut(user, storyFile(user, `${STORY} - Branch #1`));
    fs.appendFileSync(storyFile(user, `${STORY} - Branch #1`), '\n\n');
    const start = gateway.asked.length;
    await ask(page, '/checkpoint-create mesId=28');
    const silent = () => gateway.api(start).filter(({ status, path }) => status === undefined && /chats$|recent$/.test(path)).length;
    await until(() => silent() === 2 && gateway.open === 2, 'both lists are asked for in vain');
    const asked = gateway.asked.length;
    await page.runOut();
    const { answer, said } = await outcome(page);
    assert.ok(answer, said.join());
    assert.equal(readSolo(user, answer).meta.main_chat, STORY);
    assert.ok(gateway.api(asked).some(({ body }) => body.includes('凪')), 'the chats of others are asked for, each character by itself');
});
