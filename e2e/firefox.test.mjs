// Firefox, as people have it: what a player does, briefly. Where there is none, nothing is tried, and that is said.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findFirefox } from './browsers.mjs';
import { act, family, openRow, openTree } from './family.mjs';
import { readSolo } from './files.mjs';
import { LAST, STORY } from './sample.mjs';
import { forks, same, suite } from './suite.mjs';
import { tangled, TANGLED } from './tangled.mjs';

if (findFirefox()) scenes();
else test('Firefox', { skip: 'there is none on this machine; FIREFOX can say where it is' });

function scenes() {
    const scene = suite('firefox', { browser: 'firefox' });

    scene('Firefox: both buttons', async (s) => {
        const { page } = s;
        assert.match(await page.run(() => navigator.userAgent), / Firefox\//);
        await forks(s, { at: 28, kind: 'checkpoint', entries: 27, name: `${STORY} - Checkpoint #1` }, () => page.checkpoint(28));
        const { answer, book } = await forks(s, { at: 13, kind: 'branch', entries: 21, name: `${STORY} - Branch #1` }, () => page.branch(13));
        assert.equal(answer.book, book);
    });

    scene('Firefox: a command, and another module', async (s) => {
        const { page } = s;
        const { answer } = await forks(s, { at: 41, kind: 'checkpoint', entries: 28 }, () => page.command('/checkpoint-create mesId=41 Storm'));
        assert.equal(answer, 'Storm');
        await forks(s, { at: LAST, kind: 'branch', entries: 29 }, () => page.run(async (at) => (await import('/scripts/bookmarks.js')).createBranch(at), LAST));
    });

    scene('Firefox: the story tree leads to another timeline', { change: family, odd: true }, async ({ page }) => {
        await openTree(page);
        await openRow(page, 'Branch - the boat');
        await act(page, 'open');
        assert.equal((await page.switched(STORY)).name, 'Branch - the boat');
    });

    scene('Firefox: what is shared is untangled, and taken back', { change: tangled, odd: true }, async ({ page, user, before }) => {
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
