// Languages: nothing that a user sees is left in English by oversight.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { photograph, readSolo } from './files.mjs';
import { BOOK, fillQueue, STORY, storyFile } from './sample.mjs';
import { suite } from './suite.mjs';

const ROOT = path.join(import.meta.dirname, '..');
const EXTENSION = path.join(ROOT, 'extension');
const read = (...names) => fs.readFileSync(path.join(...names), 'utf8');
const { i18n } = JSON.parse(read(EXTENSION, 'manifest.json'));
const LANGUAGES = Object.entries(i18n).map(([name, file]) => ({ name, words: JSON.parse(read(EXTENSION, file)) }));

/** SillyTavern translates these itself. */
const ITS_OWN = ['Enter Checkpoint Name:', '(Leave empty to auto-generate)',
    'The currently existing checkpoint will be unlinked and replaced with the new checkpoint, but can still be found in the Chat Management.'];

const sources = () => fs.readdirSync(path.join(EXTENSION, 'src'), { recursive: true }).filter((file) => file.endsWith('.js'));
const texts = (source) => [...source.matchAll(/'((?:[^'\\\n]|\\.)*)'/g)].map(([, text]) => text.replace(/\\(.)/g, '$1'));

test('Simplified Chinese, Japanese and Russian are there', () => {
    assert.deepEqual(LANGUAGES.map(({ name }) => name).sort(), ['ja-jp', 'ru-ru', 'zh-cn']);
});

test('all languages have the same words, with the same places in them', () => {
    const [first, ...others] = LANGUAGES;
    for (const { name, words } of others) assert.deepEqual(Object.keys(words), Object.keys(first.words), name);
    const places = (text) => [...text.matchAll(/\{\d\}/g)].map(([place]) => place).sort();
    for (const { name, words } of LANGUAGES) {
        for (const [key, text] of Object.entries(words)) {
            assert.ok(text.trim(), `${name}: ${key}`);
            assert.deepEqual(places(text), places(key), `${name}: ${key}`);
            assert.notEqual(text, key, `${name}: ${key}`);
        }
    }
});

test('every sentence of the views can be said', () => {
    const [{ words }] = LANGUAGES;
    const missing = [];
    for (const file of sources()) {
        const source = read(EXTENSION, 'src', file);
        for (const [, text] of source.matchAll(/\bsay\('((?:[^'\\]|\\.)*)'/g)) if (!(text in words)) missing.push(`${file}: ${text}`);
        // In views every text of several words is for people.
        if (!file.startsWith('views')) continue;
        for (const text of texts(source)) {
            if (/^[A-Z“(].*[a-z] [a-z]/.test(text) && !(text in words) && !ITS_OWN.includes(text)) missing.push(`${file}: ${text}`);
        }
    }
    assert.deepEqual(missing, []);
});

test('no view says anything that does not go through translation', () => {
    const bare = [];
    for (const file of sources().filter((file) => file.startsWith('views') || file === 'commands.js')) {
        read(EXTENSION, 'src', file).split('\n').forEach((line, index) => {
            // A text with words that is given to something that shows it, or put together with others.
            if (/(draw\('[^']*', '[^']*',|toastr\.\w+\(|title =|textContent =|okButton:|tell\('\w+', \[)\s*['`][A-Z]/.test(line) && !/, '', 'Lorefork'\)/.test(line)) bare.push(`${file}:${index + 1} ${line.trim()}`);
        });
    }
    assert.deepEqual(bare, []);
});

test('what the engine judges and verifies can be said', () => {
    const keys = Object.keys(LANGUAGES[0].words).join('\n');
    const missing = [];
    for (const file of ['judge.rs', 'verify.rs', 'opened.rs']) {
        const source = read(ROOT, 'crates/lorefork/src/fork', file).replace(/ \(--[^)]*\)/g, '').replace(/^\s*\/\/.*$/gm, '').replace(/\\\n\s+/g, '');
        for (const [, text] of source.matchAll(/"((?:[^"\\]|\\.)*)"/g)) {
            const longest = text.split(/\{[^}]*\}/).sort((a, b) => b.length - a.length)[0].trim();
            if (/[a-z] [a-z]/.test(longest) && !keys.includes(longest)) missing.push(`${file}: ${text}`);
        }
    }
    // Pieces that make up sentences with a count, what only the command line says, and errors that stop everything.
    const rare = /: (memory of|memories of|Auto-Recap keeps settings|Set them in|The group's list|Close SillyTavern's)|backups folder|not made by Lorefork|lorefork isolate/;
    assert.deepEqual(missing.filter((text) => !rare.test(text)), []);
});

test('what the audit finds can be said', () => {
    const keys = Object.keys(LANGUAGES[0].words).join('\n');
    const missing = [];
    const folder = path.join(ROOT, 'crates/lorefork/src/audit/judge');
    for (const file of fs.readdirSync(folder)) {
        const source = read(folder, file).replace(/#\[cfg\(test\)\][\s\S]*/, '').replace(/^\s*\/\/.*$/gm, '').replace(/\\\n\s+/g, '');
        for (const [, text] of source.matchAll(/"((?:[^"\\]|\\.)*)"/g)) {
            const longest = text.replace(/ --[^"]*/, '').split(/\{[^}]*\}/).sort((a, b) => b.length - a.length)[0].trim();
            if (/[a-z] [a-z]/.test(longest) && !keys.includes(longest)) missing.push(`${file}: ${text}`);
        }
    }
    // Pieces of sentences with a count, and what only the command line says.
    assert.deepEqual(missing.filter((text) => !/: more lines?$|lorefork (sweep|isolate)|this lorebook of/.test(text)), []);
});

const scene = suite('words');

for (const { name, words } of LANGUAGES) {
    scene(`${name}: notice, refusal, drawer and status on a phone`, {
        change: (user) => fillQueue(user),
        page: {
            viewport: { width: 390, height: 844 },
            prepare: (tab) => tab.addInitScript((name) => localStorage.setItem('language', name), name),
        },
    }, async ({ page, user }) => {
        const before = photograph(user);
        await page.run(() => $('#chat .mes[mesid="60"] .mes_create_branch').trigger('click'));
        const refusal = page.popupWith(words['Cannot create branch']);
        await refusal.waitFor();
        const text = await refusal.innerText();
        assert.ok(text.includes(words["{0} operation of Auto-Recap is still waiting in the lorebook's queue."].replace('{0}', '1')), text);
        assert.ok(text.includes(words['Create without the waiting work']), text);
        assert.doesNotMatch(text.replaceAll('Auto-Recap', '').replace(/lorebook entry lookup.*/g, ''), /[A-Za-z]{4,} [a-z]{3,}/, 'no English is left');
        await refusal.locator('.popup-button-ok').click();
        await page.over();
        assert.equal(before.size, photograph(user).size);
        await page.command('/lorefork-status popup=true');
        const status = page.popupWith(words['Timeline status']);
        await status.waitFor();
        const said = (await status.innerText()).replaceAll(STORY, '').replaceAll(BOOK, '');
        assert.doesNotMatch(said, /[A-Za-z]{4,} [a-z]{3,}/, 'no English is left');
        const box = await status.boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= 390, 'it fits');
        await page.tab.keyboard.press('Escape');
        const drawer = await page.run(() => document.querySelector('#lorefork_settings').textContent);
        assert.doesNotMatch(drawer.replaceAll(BOOK, '').replace(/Lorefork|SillyTavern/g, '').replace(/Night Watch lore|z-AutoLB\S*/g, ''), /[a-z]{4,} [a-z]{4,}/, 'no English is left');
    });
}

for (const { name, words } of LANGUAGES) {
    scene(`${name}: a missing lorebook and lorebooks without a timeline on a phone`, {
        odd: true,
        page: {
            viewport: { width: 390, height: 844 },
            prepare: (tab) => tab.addInitScript((name) => localStorage.setItem('language', name), name),
        },
    }, async ({ page, tavern, user }) => {
        const [kept, gone] = [await page.command('/checkpoint-create mesId=28 Eins'), await page.command('/checkpoint-create mesId=41 Zwei')];
        await page.saved();
        const book = readSolo(user, kept).meta.world_info;
        await tavern.close();
        fs.rmSync(path.join(user, 'worlds', `${book}.json`));
        fs.rmSync(storyFile(user, gone));
        const again = await tavern.open({
            viewport: { width: 390, height: 844 },
            prepare: (tab) => tab.addInitScript((name) => localStorage.setItem('language', name), name),
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
