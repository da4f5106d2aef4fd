// `cargo xtask tavern`: a SillyTavern to click in, two clicks to an isolated checkpoint and branch, and a clean end.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';

import { chromium } from 'playwright-core';

import { readBook, readSolo } from './files.mjs';
import { until } from './page.mjs';
import { BOOK, STORY } from './sample.mjs';
import { findChromium, FLAGS } from './browsers.mjs';
import { TARGET } from './tavern.mjs';

test('two clicks, two isolated timelines; then Ctrl+C', { timeout: 180_000 }, async () => {
    const script = path.join(import.meta.dirname, 'serve.mjs');
    const tavern = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, LOREFORK_E2E_TARGET: path.join(TARGET, 'serve') } });
    const ended = new Promise((resolve) => tavern.once('exit', (code, signal) => resolve(signal ?? code)));
    let said = '';
    tavern.stdout.on('data', (chunk) => (said += chunk));
    const browser = await chromium.launch({ executablePath: findChromium(), args: FLAGS });
    try {
        await until(() => said.includes('Its files:'), 'it says what to do', 120_000);
        const url = said.match(/http:\/\/127\.0\.0\.1:\d+/)[0];
        const user = said.match(/Its files: (.+)/)[1];
        const tab = await browser.newPage({ viewport: { width: 1280, height: 900 } });
        await tab.goto(url);
        // The words say that the story is on the screen and the buttons are there.
        const message = (at) => tab.locator(`#chat .mes[mesid="${at}"]`);
        await message(28).scrollIntoViewIfNeeded({ timeout: 60_000 });
        await message(28).locator('.mes_create_bookmark').click();
        await tab.locator('dialog.popup[open] .popup-input').waitFor();
        await tab.keyboard.press('Enter');
        await tab.locator('#toast-container .toast', { hasText: 'Checkpoint created' }).waitFor();
        await message(13).scrollIntoViewIfNeeded();
        await message(13).locator('.mes_create_branch').click();
        await tab.locator('#toast-container .toast', { hasText: 'Branch created' }).waitFor();
        await tab.waitForFunction((story) => SillyTavern.getContext().getCurrentChatId() === `${story} - Branch #1`, STORY);

        const timelines = [[`${STORY} - Checkpoint #1`, 27], [`${STORY} - Branch #1`, 21]];
        const books = timelines.map(([name, entries]) => {
            const { world_info: book } = readSolo(user, name).meta;
            assert.equal(readBook(user, book).entries.length, entries);
            return book;
        });
        assert.equal(new Set([BOOK, ...books]).size, 3, 'each has its own lorebook');

        await tab.close();
        tavern.kill('SIGINT');
        assert.equal(await ended, 0);
        assert.match(said, /SillyTavern has ended/);
        await assert.rejects(fetch(url), 'and nobody listens any more');
    } finally {
        await browser.close();
        tavern.kill('SIGKILL');
    }
});
