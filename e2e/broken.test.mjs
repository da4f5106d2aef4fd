// The extension is installed but its engine is broken: it says so, and nothing else is disturbed.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { chats, photograph, readSolo } from './files.mjs';
import { BOOK, editChat, LAST, STORY, storyFile } from './sample.mjs';
import { same, suite } from './suite.mjs';
import { alone } from './tangled.mjs';

const scene = suite('broken');
const engine = (user) => path.join(user, 'extensions/lorefork/engine/lorefork_web_bg.wasm');

const WAYS = {
    'cut off': (user) => fs.truncateSync(engine(user), 1000),
    'not WebAssembly': (user) => fs.writeFileSync(engine(user), 'never mind'),
    missing: (user) => fs.rmSync(engine(user)),
};

for (const [how, change] of Object.entries(WAYS)) {
    scene(`a WebAssembly file that is ${how}: buttons and commands refuse with the reason`, { change, complaints: [/./] }, async ({ page, user, before }) => {
        await page.pressBranch(28);
        assert.match(await page.told('Create Branch'), /Lorefork does not work/);
        await page.clearNotices();
        await page.pressCheckpoint(28);
        assert.match(await page.told('Create Checkpoint'), /Lorefork does not work/);
        assert.equal(await page.command('/branch-create 28'), '');
        assert.equal(await page.command('/checkpoint-create mesId=28 Name'), '');
        await page.saved();
        same(before, user);
    });
}

scene('forks by other modules pass unchanged, with a warning', { change: WAYS['cut off'], complaints: [/./], odd: true }, async ({ page, user }) => {
    const name = await page.run(async () => (await import('/scripts/bookmarks.js')).createBranch(28));
    await page.told('shares its lorebook');
    await page.saved();
    const made = readSolo(user, name);
    assert.equal(made.messages.length, 29);
    assert.equal(made.meta.world_info, BOOK, 'as SillyTavern makes it');
    assert.equal(made.meta.main_chat, STORY);
    await page.openSolo(name);
    assert.equal((await page.chat()).length, 29, 'and it opens');
});

scene('everything else of SillyTavern works', { change: WAYS.missing, complaints: [/./] }, async ({ page, user }) => {
    await page.type('Hello?');
    await page.tab.waitForFunction((length) => SillyTavern.getContext().chat.length === length, LAST + 3);
    await page.saved();
    assert.equal(readSolo(user, STORY).messages.length, LAST + 3);
    await page.openSolo(undefined, '凪');
    await page.openSolo(STORY);
    const before = photograph(user);
    await page.saved();
    same(before, user);
    assert.deepEqual(chats(user), [STORY]);
    assert.deepEqual((await page.notices()).filter((words) => /lorefork/i.test(words)), [], 'nobody is bothered who does not fork');
});

scene('a chat is renamed, and that nothing could follow is said', { change: WAYS.missing, complaints: [/./], odd: true }, async ({ page, user }) => {
    await page.command('/renamechat The Lamp');
    await page.told('Not everything could follow');
    await page.saved();
    assert.ok(chats(user).includes('The Lamp'), 'it is renamed');
});

scene('a character that is renamed in all its chats: nobody speaks of new timelines', {
    change: (user) => {
        WAYS.missing(user);
        alone(user, 'Elsewhere', 10);
        editChat(storyFile(user, 'Elsewhere'), (meta) => delete meta.main_chat);
    },
    complaints: [/./],
    odd: true,
}, async ({ page }) => {
    await page.run(async () => (await import('/script.js')).renameCharacter('Tamsin the Keeper', { silent: true, renameChats: true }));
    await page.saved();
    assert.deepEqual((await page.notices()).filter((words) => words.includes('new timeline')), []);
});
