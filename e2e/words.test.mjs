// Languages, as a user sees them. That nothing is left in English by oversight, extension/test/words.test.mjs knows.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { photograph, readSolo } from './files.mjs';
import { BOOK, fillQueue, STORY, storyFile } from './sample.mjs';
import { suite } from './suite.mjs';

const EXTENSION = path.join(import.meta.dirname, '..', 'extension');
const read = (...names) => fs.readFileSync(path.join(...names), 'utf8');
const { i18n } = JSON.parse(read(EXTENSION, 'manifest.json'));
const LANGUAGES = Object.entries(i18n).map(([name, file]) => ({ name, words: JSON.parse(read(EXTENSION, file)) }));

const scene = suite('words');

for (const { name, words } of LANGUAGES) {
    const page = {
        viewport: { width: 390, height: 844 },
        prepare: (tab) => tab.addInitScript((name) => localStorage.setItem('language', name), name),
    };

    scene(`${name}: notice, refusal, drawer and status on a phone`, { change: (user) => fillQueue(user), page }, async ({ page, user }) => {
        const before = photograph(user);
        await page.run(() => $('#chat .mes[mesid="60"] .mes_create_branch').trigger('click'));
        const refusal = page.popupWith(words['Cannot create branch']);
        await refusal.waitFor();
        const text = await refusal.innerText();
        assert.ok(text.includes(words["{0} operation of {1} is still waiting in the lorebook's queue."].replace('{0}', '1').replace('{1}', 'Auto-Recap')), text);
        assert.ok(text.includes(words['Create without the waiting work']), text);
        assert.doesNotMatch(text.replaceAll('Auto-Recap', '').replace(/lorebook entry lookup.*/g, ''), /[A-Za-z]{4,} [a-z]{3,}/, 'no English is left');
        await refusal.locator('.popup-button-ok').click();
        await page.over();
        assert.equal(await page.command('/branch-create 60'), '');
        const notice = await page.told(words['Cannot create branch']);
        assert.ok(notice.includes(words['A command chooses by an argument: {0}'].replace('{0}', 'queue=wait, queue=drop')), notice);
        await page.clearNotices();
        assert.equal(before.size, photograph(user).size);
        await page.run(() => document.querySelector('#lorefork_wand').click());
        const menu = page.tab.locator('dialog.popup[open] .lorefork-menu');
        await menu.waitFor();
        assert.doesNotMatch(await menu.innerText(), /[A-Za-z]{4,} [a-z]{3,}/, 'no English is left');
        await menu.locator('.menu_button', { hasText: words['Timeline status'] }).click();
        const status = page.popupWith(words.Kind);
        await status.waitFor();
        const said = (await status.innerText()).replaceAll(STORY, '').replaceAll(BOOK, '');
        assert.doesNotMatch(said, /[A-Za-z]{4,} [a-z]{3,}/, 'no English is left');
        const box = await status.boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= 390, 'it fits');
        await page.tab.keyboard.press('Escape');
        // Sentences within sentences; what is a name stays one.
        const told = await page.run(async () => {
            const { said } = await import('/scripts/extensions/third-party/lorefork/src/words.js');
            const global = { says: 'it is selected as a global lorebook', with: [] };
            return [
                { says: 'The lorebook “{0}” acts in every timeline besides its copy, because {1}.', with: ['variables', [global]] },
                { says: 'Copied as they are now, since nothing records how they were: {0}.', with: [[{ says: 'variables', with: [] }, { says: 'quick replies', with: [] }]] },
                { says: '{0}', with: ['variables'] },
            ].map(said);
        });
        const filled = (key, ...values) => values.reduce((text, value, index) => text.replace(`{${index}}`, value), words[key]);
        assert.deepEqual(told, [
            filled('The lorebook “{0}” acts in every timeline besides its copy, because {1}.', 'variables', words['it is selected as a global lorebook']),
            filled('Copied as they are now, since nothing records how they were: {0}.', `${words.variables}, ${words['quick replies']}`),
            'variables',
        ]);
        const drawer = await page.run(() => document.querySelector('#lorefork_settings').textContent);
        assert.doesNotMatch(drawer.replaceAll(BOOK, '').replace(/Lorefork|SillyTavern/g, '').replace(/Night Watch lore|z-AutoLB\S*/g, ''), /[a-z]{4,} [a-z]{4,}/, 'no English is left');
    });

    scene(`${name}: a missing lorebook and lorebooks without a timeline on a phone`, { odd: true, page }, async ({ page, tavern, user }) => {
        const [kept, gone] = [await page.command('/checkpoint-create mesId=28 Eins'), await page.command('/checkpoint-create mesId=41 Zwei')];
        await page.saved();
        const book = readSolo(user, kept).meta.world_info;
        const again = await tavern.between(() => {
            fs.rmSync(path.join(user, 'worlds', `${book}.json`));
            fs.rmSync(storyFile(user, gone));
        });
        await again.openSolo(kept);
        const fits = async (popup) => {
            const said = (await popup.locator('.popup-content').innerText()).replaceAll(STORY, '').replace(/z-AutoLB\S*( Last Lamp\S*)?/g, '').replace(/Auto-Recap|Lorefork|SillyTavern|user\/files|Eins|Zwei/g, '');
            assert.doesNotMatch(said, /[A-Za-z]{4,} [a-z]{3,}/, 'no English is left');
            const box = await popup.boundingBox();
            assert.ok(box.x >= 0 && box.x + box.width <= 391, 'it fits');
        };
        const missing = again.popupWith(words['The lorebook of this timeline is missing']);
        await missing.waitFor();
        await fits(missing);
        await missing.locator('.popup-button-ok').click();
        await again.run(async () => void (await import('/scripts/extensions/third-party/lorefork/src/views/orphans.js')).showOrphans());
        const orphans = again.tab.locator('dialog.popup[open]', { hasText: words['Lorebooks without a timeline'] }).last();
        await orphans.waitFor();
        await fits(orphans);
    });
}
