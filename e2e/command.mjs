// The command, over a data folder that a SillyTavern has written: it finds what is wrong there, mends it, forks, and that
// SillyTavern opens what it made.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

import { photograph, readGroup, readGroupChat, readSolo } from './files.mjs';
import { GROUP, GROUP_CHAT, LOREFORK, STORY } from './sample.mjs';
import { appeared } from './suite.mjs';

/** @param {string} user @param {string[]} args */
function lorefork(user, ...args) {
    const { LOREFORK_ROOT: _, ...env } = process.env;
    const { status, stdout, error } = spawnSync(LOREFORK, ['--root', user, '--json', ...args], { env, encoding: 'utf8' });
    assert.ifError(error);
    return { status, said: JSON.parse(stdout) };
}

/** What is wrong there, by its codes. */
function check(user) {
    const { status, said } = lorefork(user, 'check');
    const codes = said.problems.map(({ code }) => code);
    assert.equal(status, codes.length ? 1 : 0);
    return codes;
}

/**
 * @param {ReturnType<import('./suite.mjs').suite>} scene
 * @param {string} version
 */
export function byCommand(scene, version) {
    scene(`${version}: the command reads what it wrote, mends it and forks, and it opens the fork`, { odd: true }, async ({ page, user }) => {
        await page.checkpoint(28);
        await page.openGroup(GROUP);
        await page.branch(8);
        await page.saved();
        assert.deepEqual(check(user), [], 'what the extension made in it is well');

        await page.openSolo(STORY);
        await page.run(async () => (await import('/scripts/extensions/third-party/lorefork/src/preferences.js')).switchOff(true));
        const plain = await page.branch(13);
        await page.type('Is the lamp lit?');
        await page.tab.waitForFunction(() => SillyTavern.getContext().chat.length === 16);
        await page.saved();
        const shared = readSolo(user, STORY).meta.world_info;
        assert.equal(readSolo(user, plain.name).meta.world_info, shared, 'it is one that SillyTavern made alone');
        assert.ok(check(user).includes('SHARED_LOREBOOK'));
        assert.equal(lorefork(user, 'fix', '--apply').status, 0);
        assert.notEqual(readSolo(user, plain.name).meta.world_info, shared);
        assert.deepEqual(check(user), []);

        const before = photograph(user);
        assert.equal(lorefork(user, 'checkpoint', `Tamsin/${STORY}`, '--at', '41', '--name', 'By the command').status, 0);
        assert.equal(lorefork(user, 'branch', `group:${readGroup(user, GROUP).name}/${GROUP_CHAT}`, '--at', '8').status, 0);
        const { chats } = appeared(before, user);
        assert.equal(chats.length, 2);
        assert.deepEqual(check(user), []);
        const made = readSolo(user, 'By the command');
        assert.equal(made.messages.length, 42);
        const group = chats.find((file) => file.startsWith('group chats/')).replace(/^.*\/|\.jsonl$/g, '');
        assert.equal(readGroupChat(user, group).messages.length, 9);

        const after = await page.tavern.between(() => {});
        await after.openSolo('By the command');
        const { book, main, length } = await after.chat();
        assert.deepEqual([book, main, length], [made.meta.world_info, STORY, 42]);
        await after.openGroup(GROUP, group);
        assert.equal((await after.chat()).length, 9);
        await after.saved();
        assert.deepEqual(check(user), [], 'also when it has saved them');
    });
}
