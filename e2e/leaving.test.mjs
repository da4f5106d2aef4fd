// With the extension removed, every timeline works on.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { differences, photograph, readBook, readSolo } from './files.mjs';
import { BOOK, STORY } from './sample.mjs';
import { suite } from './suite.mjs';

const scene = suite('leaving');

scene('the extension is deleted: timelines open, go on and fork as ordinary chats; installed again, they are known', { odd: true }, async ({ page, tavern, user }) => {
    await page.command('/checkpoint-create mesId=28 Keep');
    const branch = await page.branch(41);
    await page.saved();
    await tavern.close();
    const extension = path.join(user, 'extensions/lorefork');
    const aside = path.join(user, 'user/files/aside');
    fs.renameSync(extension, aside);

    const plain = await tavern.open();
    assert.equal(await plain.run(() => typeof globalThis.lorefork), 'undefined');
    const before = photograph(user);
    for (const name of ['Keep', branch.name, STORY]) {
        await plain.openSolo(name);
        const { meta, messages } = readSolo(user, name);
        const open = await plain.chat();
        assert.deepEqual([open.book, open.length], [meta.world_info, messages.length]);
        const active = await plain.run(async () => (await (await import('/scripts/world-info.js')).getSortedEntries()).map(({ world }) => world));
        assert.ok(active.includes(meta.world_info), 'its lorebook acts');
    }
    await plain.saved();
    assert.deepEqual(differences(before, photograph(user)), [], 'looking at them changes nothing');

    // It goes on, and its lorebook with it.
    await plain.openSolo('Keep');
    await plain.type('On we go.');
    await plain.tab.waitForFunction(() => SillyTavern.getContext().chat.length === 31);
    await plain.saved();
    const kept = readSolo(user, 'Keep').meta;
    assert.equal(readSolo(user, 'Keep').messages.length, 31);
    await plain.run(async (name) => {
        const { loadWorldInfo, saveWorldInfo } = SillyTavern.getContext();
        const data = structuredClone(await loadWorldInfo(name));
        Object.values(data.entries)[0].content = 'Written without Lorefork.';
        await saveWorldInfo(name, data, true);
    }, kept.world_info);
    assert.match(readBook(user, kept.world_info).text, /Written without Lorefork/);
    assert.doesNotMatch(readBook(user, BOOK).text, /Written without Lorefork/);
    // Back to the parent, by SillyTavern's own menu.
    await plain.command('/checkpoint-exit');
    await plain.settled();
    assert.equal((await plain.chat()).name, STORY);

    await tavern.close();
    fs.renameSync(aside, extension);
    const again = await tavern.open();
    await again.openSolo('Keep');
    await again.told('Checkpoint loaded');
    assert.equal((await again.run(() => lorefork.timeline())).kind, 'checkpoint');
    assert.equal((await again.notices()).filter((words) => /^(warning|error)/.test(words)).length, 0);
});
