// Installed, and no fork made: SillyTavern asks for what it would ask for without us, word for word.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { readSolo } from './files.mjs';
import { BOOK, GROUP, LAST, STORY } from './sample.mjs';
import { suite } from './suite.mjs';

const scene = suite('quiet');

/** An evening with SillyTavern. */
async function evening(page, user) {
    await page.openSolo();
    await page.type('Is the lamp lit?');
    await page.tab.waitForFunction((length) => SillyTavern.getContext().chat.length === length, LAST + 3);
    await page.saved();
    await page.run(async (name) => {
        const { loadWorldInfo, saveWorldInfo } = SillyTavern.getContext();
        const book = structuredClone(await loadWorldInfo(name));
        book.entries[9].content += ' She smiles.';
        await saveWorldInfo(name, book, true);
    }, BOOK);
    await page.saved();
    await page.openSolo(undefined, '凪');
    await page.saved();
    await page.openGroup(GROUP);
    await page.saved();
    await page.openSolo(STORY);
    await page.saved();
    await page.reload();
    await page.saved();
    await page.openSolo();
    // Longer than anything that waits for an idle moment.
    await page.saved();
    await page.saved();
    await page.saved();
    assert.equal(readSolo(user, STORY).messages.length, LAST + 3);
}

/** What differs from one evening to the next by itself. */
function plain({ method, path, body }) {
    const text = body
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replace(/"(gen_id|time_to_first_token|token_count|date_added|date_last_chat|chat_size|create_date|data_size|gen_started|gen_finished)":[^,}]+/g, '"$1":0')
        .replace(/------WebKitFormBoundary\w+/g, 'BOUNDARY')
        .replace(/\b1[6-9]\d{11}(\.\d+)?\b/g, 'TIME')
        .replace(/"[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}"/g, '"UUID"');
    return `${method} ${path} ${text}`;
}

let without;

const remove = (user) => fs.rmSync(path.join(user, 'extensions/lorefork'), { recursive: true });

/** Settings are saved a second after they last changed: how often, and half-way or not, is chance. Their end is not. */
function heard(gateway) {
    const isSettings = ({ path }) => path === '/api/settings/save';
    const all = gateway.api();
    return { requests: all.filter((asked) => !isSettings(asked)).map(plain).sort(), settings: plain(all.findLast(isSettings)) };
}

scene('without the extension', { change: remove, open: async () => {} }, async ({ page, user, gateway }) => {
    await evening(page, user);
    without = heard(gateway);
    assert.ok(without.requests.length > 30);
});

scene('with the extension: the same requests', { open: async () => {} }, async ({ page, user, gateway }) => {
    await evening(page, user);
    const loaded = gateway.asked.filter(({ path }) => path.includes('/third-party/lorefork/'));
    assert.ok(loaded.length > 0, 'the extension is there');
    const now = heard(gateway);
    const count = (list, words) => list.filter((other) => other === words).length;
    const odd = [...new Set([...without.requests, ...now.requests])]
        .map((words) => [count(without.requests, words), count(now.requests, words), words])
        .filter(([a, b]) => a !== b);
    assert.deepEqual(odd.map(([a, b, words]) => `${a} without, ${b} with: ${words.slice(0, 2000)}`), []);
    assert.equal(now.settings, without.settings);
});
