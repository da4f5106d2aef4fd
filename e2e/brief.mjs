// What a player does, briefly: the same scenes for every browser and every SillyTavern that is not tried whole.

import assert from 'node:assert/strict';

import { readGroup, readSolo } from './files.mjs';
import { GROUP, GROUP_CHAT, LAST, STORY } from './sample.mjs';
import { forks, same } from './suite.mjs';
import { tangled, TANGLED } from './tangled.mjs';

/**
 * @param {ReturnType<import('./suite.mjs').suite>} scene
 * @param {string} where of which browser or version the scenes are
 */
export function briefly(scene, where) {
    scene(`${where}: both buttons`, async (s) => {
        const { page } = s;
        await forks(s, { at: 28, kind: 'checkpoint', entries: 27, name: `${STORY} - Checkpoint #1` }, () => page.checkpoint(28));
        const { answer, book } = await forks(s, { at: 13, kind: 'branch', entries: 21, name: `${STORY} - Branch #1` }, () => page.branch(13));
        assert.equal(answer.book, book);
    });

    scene(`${where}: a command, and another module`, async (s) => {
        const { page } = s;
        const { answer } = await forks(s, { at: 41, kind: 'checkpoint', entries: 28 }, () => page.command('/checkpoint-create mesId=41 Storm'));
        assert.equal(answer, 'Storm');
        await forks(s, { at: LAST, kind: 'branch', entries: 29 }, () => page.run(async (at) => (await import('/scripts/bookmarks.js')).createBranch(at), LAST));
    });

    scene(`${where}: groups`, { open: (page) => page.openGroup(GROUP) }, async (s) => {
        const { page, user } = s;
        const { name } = await forks(s, { parent: `group chats/${GROUP_CHAT}.jsonl`, at: 8, kind: 'branch', entries: 3 }, () => page.branch(8));
        assert.deepEqual(readGroup(user, GROUP).chats, [GROUP_CHAT, name]);
    });

    scene(`${where}: what is shared is untangled, and taken back`, { change: tangled, odd: true }, async ({ page, user, before }) => {
        await page.tab.click('#extensionsMenuButton');
        await page.tab.locator('#lorefork_wand').click();
        await page.popup().locator('.lorefork-menu .menu_button', { hasText: 'Check timelines' }).click();
        const findings = page.popupWith('Timeline check');
        await findings.locator('li', { hasText: 'use one lorebook' }).locator('.menu_button').click();
        await page.accept('Put this right?');
        await page.told('Repaired');
        await page.accept('Timeline check');
        await page.saved();
        assert.equal(new Set(TANGLED.map((name) => readSolo(user, name).meta.world_info)).size, 3, 'each has its own');
        await page.notice('Repaired').locator('.lorefork-offer').click();
        await page.told('Taken back');
        await page.saved();
        same(before, user, 'every byte is back');
    });
}
