// What the extension shows when it takes care, looked at: badge, findings, previews, diary.

import fs from 'node:fs';
import path from 'node:path';

import { addLightTheme, look, openInOwnTheme } from './pictures.mjs';
import { BOOK, editBook, editChat, LAST, openEntries, storyFile } from './sample.mjs';
import { suite } from './suite.mjs';
import { alone, tangled } from './tangled.mjs';

const show = suite('carelooks');
/** As long as a chat's name may be. */
const LONG = `枝 & 長い名前 ${'長'.repeat(60)}`;
const POPUP = { docs: 'dialog.popup[open]' };

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

const run = (page, command) => page.run((command) => void SillyTavern.getContext().executeSlashCommandsWithOptions(command), command);

scene('a family that is not well', (user) => {
    tangled(user);
    editChat(storyFile(user), (_, messages) => (messages[41].extra = { ...messages[41].extra, bookmark_link: 'Gone' }));
}, async ({ page }) => {
    await page.tab.locator('#lorefork_settings .lorefork-badge[data-state="problems"]').waitFor({ state: 'attached' });
    await run(page, '/lorefork-check');
    await page.popupWith('Timeline check').waitFor();
    await look(page, 'findings', POPUP);
    await page.accept('Timeline check');
    await page.run(() => $('#extensionsMenuButton').trigger('click'));
    await page.tab.locator('#lorefork_wand').waitFor();
    await look(page, 'badge-menu', { docs: '#extensionsMenu' });
    await page.tab.locator('#lorefork_wand').click();
    await page.popupWith('This chat').waitFor();
    await look(page, 'menu', { ...POPUP, everywhere: true });
    await page.popup().locator('.menu_button', { hasText: 'Check timelines' }).click();
    await page.popupWith('Timeline check').waitFor();
    await page.popupWith('Timeline check').locator('.popup-button-custom', { hasText: 'Fix all' }).click();
    await page.popupWith('Put this right?').waitFor();
    await look(page, 'fix-preview', POPUP);
    await page.accept('Put this right?');
    await page.told('Repaired');
    await page.popupWith('Timeline check').waitFor();
    await look(page, 'fixed');
    await page.popupWith('Timeline check').locator('.popup-button-custom', { hasText: 'What Lorefork did' }).click();
    await page.popupWith('What Lorefork did').waitFor();
    await page.tab.locator('.lorefork-diary summary').first().click();
    await look(page, 'diary', POPUP);
    await page.tab.locator('.lorefork-diary .menu_button').first().click();
    await page.popupWith('Take this back?').waitFor();
    await look(page, 'undo-preview');
    await page.cancel('Take this back?');
    await page.popupWith('What Lorefork did').waitFor();
    await page.accept('What Lorefork did');
    await page.clearNotices();
});

scene('rewinding, deleting, and a no', () => {}, async ({ page }) => {
    await run(page, '/lorefork-rewind 28');
    await page.popupWith('Rewind this timeline?').waitFor();
    await look(page, 'rewind-preview');
    await page.accept('Rewind this timeline?');
    await page.told('Rewound');
    await page.saved();
    await page.run(async (name) => {
        const { loadWorldInfo, saveWorldInfo } = SillyTavern.getContext();
        const book = structuredClone(await loadWorldInfo(name));
        Object.values(book.entries)[0].content += ' She smiles.';
        await saveWorldInfo(name, book, true);
    }, BOOK);
    await page.clearNotices();
    await run(page, '/lorefork-undo');
    await page.popupWith('This cannot be taken back').waitFor();
    await look(page, 'not-undone', POPUP);
    await page.accept('This cannot be taken back');
    await page.command('/checkpoint-create mesId=41 Keep');
    await page.openSolo('Keep');
    await page.clearNotices();
    await run(page, '/lorefork-delete');
    await page.popupWith('Delete this timeline?').waitFor();
    await look(page, 'delete-preview', POPUP);
    await page.cancel('Delete this timeline?');
    await run(page, '/lorefork-status popup=true');
    await page.popupWith('Timeline status').waitFor();
    await look(page, 'status-buttons');
    await page.accept('Timeline status');
});

scene('long names', (user) => {
    alone(user, LONG, 29);
    tangled(user);
}, async ({ page }) => {
    await run(page, '/lorefork-check');
    await page.popupWith('Timeline check').waitFor();
    await look(page, 'findings-long');
    await page.popupWith('Timeline check').locator('.popup-button-custom', { hasText: 'Fix all' }).click();
    await page.popupWith('Put this right?').waitFor();
    await look(page, 'fix-preview-long');
    await page.cancel('Put this right?');
    await page.popupWith('Timeline check').waitFor();
    await page.accept('Timeline check');
});

scene('a lorebook that is missing, and a timeline that shares', (user) => {
    tangled(user);
    fs.copyFileSync(path.join(user, 'worlds', `${BOOK}.json`), path.join(user, 'worlds/Kept.json'));
    fs.rmSync(path.join(user, 'worlds', `${BOOK}.json`));
    for (const name of ['Old branch', 'Older branch']) editChat(storyFile(user, name), (meta) => (meta.world_info = 'Kept'));
}, async ({ page }) => {
    await page.accept('The lorebook of this timeline is missing');
    await page.told('is missing');
    await page.clearNotices();
    await run(page, '/lorefork-check');
    const missing = page.popupWith('Timeline check').locator('li', { hasText: 'does not exist' });
    await missing.locator('.menu_button').click();
    await page.popupWith('What should become of the missing lorebook?').waitFor();
    await look(page, 'missing-lorebook');
    await page.accept('What should become of the missing lorebook?');
    await page.popupWith('Timeline check').waitFor();
    await page.accept('Timeline check');
    await page.openSolo('Old branch');
    await run(page, '/lorefork-status popup=true');
    await page.popupWith('Timeline status').waitFor();
    await look(page, 'status-shared');
    await page.accept('Timeline status');
    await page.clearNotices();
    await page.tab.click('#extensions-settings-button .drawer-toggle');
    await page.tab.locator('#lorefork_settings .lorefork-badge[data-state="problems"]').waitFor();
    await page.tab.locator('#lorefork_settings .inline-drawer-header b').click();
    await page.tab.locator('#lorefork_settings').scrollIntoViewIfNeeded();
    await look(page, 'badge-drawer');
});

scene('entries of which nobody can tell', (user) => {
    openEntries(user);
    editBook(user, BOOK, (book) => {
        const [first] = Object.values(book.entries).filter(({ comment }) => comment.startsWith('item-'));
        first.comment = `item-${'長い名前の品'.repeat(12)}`;
        first.content = `彼女が港で拾った笛。${'吹くと遠くで何かが答える。'.repeat(20)}`;
    });
}, async ({ page }) => {
    await page.branch(LAST);
    await look(page, 'open-entries');
    await page.clearNotices();
    await run(page, '/lorefork-status popup=true');
    await page.popupWith('Timeline status').waitFor();
    await look(page, 'status-open');
    await page.accept('Timeline status');
    await run(page, '/lorefork-decide');
    await page.popupWith('What belongs to this timeline?').waitFor();
    await look(page, 'decide');
    await page.cancel('What belongs to this timeline?');
});
