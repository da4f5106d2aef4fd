// What the story tree looks like: its entry in the options menu, the tree, a row, a label, two timelines beside each other, three
// hundred, and odd names.

import assert from 'node:assert/strict';

import { act, family, LONG, openRow, openTree, timeline } from './family.mjs';
import { addLightTheme, look, openInOwnTheme } from './pictures.mjs';
import { editChat, STORY, storyFile } from './sample.mjs';
import { suite } from './suite.mjs';
import { alone } from './tangled.mjs';

const show = suite('storylooks');
const POPUP = { docs: 'dialog.popup[open]', everywhere: true };

/** @param {string} title @param {(user: string) => void} change @param {(scene: import('./suite.mjs').Scene) => Promise<void>} act */
const scene = (title, change, act) => show(title, {
    change: (user) => {
        addLightTheme(user);
        change(user);
    },
    open: openInOwnTheme,
    complaints: [/./],
    odd: true,
}, act);

scene('the options menu', () => {}, async ({ page }) => {
    await page.clearNotices();
    await page.tab.locator('#options_button').click();
    await page.tab.locator('#option_lorefork_tree').waitFor();
    await look(page, 'story-option', { shown: '#options' });
    await page.run(() => $('#options').hide());
});

scene('the tree, a row, a label, and the sign', family, async ({ page }) => {
    await page.openSolo('Branch - the boat');
    await page.clearNotices();
    await page.tab.locator('.lorefork-where-am-i').waitFor();
    await look(page, 'story-sign', { shown: '.lorefork-where-am-i' });
    await page.openSolo(STORY);
    await page.clearNotices();
    await openTree(page);
    // The whole story, to its end.
    await look(page, 'story-tree', { ...POPUP, tall: 140 });
    await openRow(page, 'Branch - she stays');
    await look(page, 'story-details', POPUP);
    await act(page, 'label');
    await page.popupWith('Label this timeline').waitFor();
    await look(page, 'story-label');
    await page.cancel('Label this timeline');
    await page.accept('Story tree');
});

scene('two timelines beside each other, and an entry on its way', family, async ({ page }) => {
    await openTree(page);
    await openRow(page, 'Branch - the boat');
    await act(page, 'compare');
    const popup = page.popupWith('Two timelines');
    await popup.waitFor();
    await look(page, 'story-compare', POPUP);
    await popup.locator('.lorefork-entry', { hasText: 'she can sail' }).locator('input').check();
    await popup.locator('.popup-button-custom', { hasText: 'to here' }).click();
    await page.popupWith('Carry this over?').waitFor();
    await look(page, 'story-carry');
    await page.cancel('Carry this over?');
    await page.popupWith('Two timelines').waitFor();
    await page.accept('Two timelines');
    await page.accept('Story tree');
});

scene('three hundred timelines', (user) => {
    for (let n = 0; n < 299; n++) {
        const from = n % 10 === 9 ? `Branch #${n}` : STORY;
        timeline(user, `Branch #${n + 1}`, { from, at: 2 + ((n * 7) % 50), own: n % 5, kind: n % 3 ? 'branch' : 'checkpoint' });
    }
}, async ({ page }) => {
    await openTree(page);
    await page.tab.waitForFunction(() => document.querySelectorAll('.lorefork-story [role="treeitem"]').length > 300);
    await look(page, 'story-300', POPUP);
    await page.accept('Story tree');
});

scene('names that are long or odd, and a chat alone', (user) => {
    timeline(user, LONG, { at: 28, own: 3, label: '長'.repeat(100), says: ['彼女は灯台に火をともした。'] });
    timeline(user, 'Branch - odd', { at: 30, own: 1, label: 'שלום <b>x</b>' });
    alone(user, 'Orphan', 20);
    editChat(storyFile(user, 'Orphan'), (meta) => (meta.main_chat = 'Orphan'));
}, async ({ page }) => {
    await openTree(page);
    await openRow(page, LONG);
    await look(page, 'story-long');
    assert.equal(await page.tab.locator('.lorefork-story b').count(), 0, 'a label is text');
    await page.accept('Story tree');
    await page.openSolo('Orphan');
    await page.clearNotices();
    await openTree(page);
    await look(page, 'story-alone');
    await page.accept('Story tree');
});
