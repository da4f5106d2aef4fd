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

scene('without the extension', { change: remove, open: async () => {} }, async ({ page, user, gateway }) => {
    await evening(page, user);
    without = gateway.api().map(plain).sort();
    assert.ok(without.length > 30);
});

scene('with the extension: the same requests', { open: async () => {} }, async ({ page, user, gateway }) => {
    await evening(page, user);
    const loaded = gateway.asked.filter(({ path }) => path.includes('/third-party/lorefork/'));
    assert.ok(loaded.length > 0, 'the extension is there');
    const with_ = gateway.api().map(plain).sort();
    const counts = (list) => list.reduce((map, words) => map.set(words, (map.get(words) ?? 0) + 1), new Map());
    const [a, b] = [counts(without), counts(with_)];
    const odd = [...new Set([...without, ...with_])].filter((words) => a.get(words) !== b.get(words));
    // Debounced saves of settings may fall together or apart; what they say must still be the same.
    const counted = odd.filter((words) => !(words.includes('/api/settings/save') && a.has(words) && b.has(words)));
    assert.deepEqual(counted.map((words) => `${a.get(words) ?? 0} without, ${b.get(words) ?? 0} with: ${words.slice(0, 3000)}`), []);
});
