// As a new user: from an address, through SillyTavern's own dialogs, and then to the next version.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe } from 'node:test';

import { NEWEST_TRIED, TRIED } from '../extension/src/tried.js';
import { serveRepository } from './git.mjs';
import { editSettings } from './sample.mjs';
import { forks, suite } from './suite.mjs';
import { TARGET } from './tavern.mjs';

/** Whatever the machine uses to reach the world: SillyTavern's git reaches loopback without. */
process.env.NO_PROXY = process.env.no_proxy = '127.0.0.1';

const NAME = 'lorefork';
const NEXT = '99.0.0';

/** What `cargo xtask publish` makes. */
const PUBLISHED = process.env.LOREFORK_PUBLISHED ?? path.join(TARGET, 'published');
const README = fs.readFileSync(path.join(PUBLISHED, 'README.md'), 'utf8');

/** The next version of it. */
const next = (work) => {
    const file = path.join(work, 'manifest.json');
    const manifest = JSON.parse(fs.readFileSync(file, 'utf8'));
    fs.writeFileSync(file, JSON.stringify({ ...manifest, version: NEXT }, null, 4));
};

/** Presses what the README says. */
async function press(button) {
    const words = (await button.innerText()).trim();
    assert.match(README, new RegExp(`\\*\\*[^*]*${words}\\*\\*`), 'the README names it');
    await button.click();
}

for (const version of [NEWEST_TRIED, TRIED[0]]) {
    describe(version, () => {
        let repository;
        before(async () => {
            repository = await serveRepository(path.join(TARGET, `repository-${version}`), NAME);
            repository.publish(PUBLISHED, () => {});
        });
        after(() => repository?.stop());

        const scene = suite(`installing-${version}`, { version, extension: false, fresh: true });

        const newcomer = (user) => editSettings(user, ({ accountStorage }) => delete accountStorage.lorefork_met);

        scene(`${version}: installed from its address, it says what it does and forks; updated, it is the next version, forks and says nothing`, { odd: true, change: newcomer }, async (s) => {
            const { page, user } = s;
            const manifest = () => JSON.parse(fs.readFileSync(path.join(user, 'extensions', NAME, 'manifest.json'), 'utf8'));
            assert.equal(await page.run(() => typeof globalThis.lorefork), 'undefined', 'it is not there yet');

            await page.tab.click('#extensions-settings-button .drawer-toggle');
            await press(page.tab.locator('#third_party_extension_button'));
            const asked = page.popupWith('Enter the Git URL');
            await asked.locator('.popup-input').fill(repository.url);
            await press(asked.locator('.popup-button-ok'));
            // All but the oldest ask whether one means it.
            const sure = page.popupWith('Install a third-party extension?');
            if (version !== TRIED[0]) await sure.locator('.popup-button-ok').click();
            await page.told('Lorefork');
            assert.equal(manifest().auto_update, true);

            await page.reload();
            assert.equal(await page.run(() => typeof globalThis.lorefork), 'object');
            await page.told('Lorefork is installed');
            await page.notice('Lorefork is installed').locator('.toast-close-button').click();
            await page.saved();
            await page.openSolo();
            await forks(s, { at: 28, kind: 'checkpoint', entries: 27 }, () => page.checkpoint(28));

            const commit = repository.publish(PUBLISHED, next);
            await page.tab.click('#extensions-settings-button .drawer-toggle');
            await press(page.tab.locator('#extensions_details'));
            const row = page.tab.locator(`.extension_block[data-name="/${NAME}"]`);
            const update = row.locator('.btn_update');
            await update.waitFor({ state: 'visible' });
            await update.click();
            await page.told(`updated to ${commit.slice(0, 7)}`);
            assert.equal(manifest().version, NEXT);

            await page.reload();
            await page.openSolo();
            assert.equal(await page.notice('Lorefork is installed').count(), 0, 'that was said');
            await forks(s, { at: 13, kind: 'branch', entries: 21 }, () => page.branch(13));
        });
    });
}
