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

/** Sentences of the engine, by file, as the page gets them: without what is to be typed on the command line. */
function* engineTexts() {
    const files = ['lorefork', 'lorefork-web'].flatMap((name) => {
        const folder = path.join('crates', name, 'src');
        return fs.readdirSync(path.join(ROOT, folder), { recursive: true }).sort().map((file) => path.join(folder, file));
    });
    for (const file of files) {
        // The meaning of codes and the words of the JSON scanner are for the command line.
        if (!file.endsWith('.rs') || /src\/(explain\.rs|json\b)/.test(file)) continue;
        const source = read(ROOT, file).replace(/#\[cfg\(test\)\][\s\S]*/, '').replace(/^\s*\/\/.*$/gm, '').replace(/'(\\.|[^\\])'/g, '').replace(/\\\n\s+/g, '');
        for (const [, text] of source.matchAll(/"((?:[^"\\]|\\.)*)"/g)) {
            const shown = text.replace(/ \((--|“lorefork )[^)]*\)/g, '').split(/(?<=\. )/).filter((sentence) => !sentence.includes('--')).join('').trim();
            // What has two words beside each other is for people; \n is for a terminal.
            if (/[a-z] [a-z]/.test(shown) && !shown.includes('\\n')) yield { file, text: shown };
        }
    }
}

/** The words between the places of a sentence. */
const pieces = (text) => text.split(/\{[^}]*\}/).map((piece) => piece.trim());
const longest = (text) => pieces(text).sort((a, b) => b.length - a.length)[0];

/** What the page never shows, or only as a piece of a sentence that has its own words. */
const NOT_IN_PAGE = new RegExp([
    // What a lock says, and what only a programmer reads.
    ...['copying the lorebooks', 'saving what was before', 'emptying the trash', 'undoing an operation', 'making the (checkpoint|branch)', 'following a change', '^sweeping lorebooks$', '^healing what'],
    ...['not a special case', 'neither sent nor boxed', 'fails only with', 'was read when', 'was just added', 'uses its part'],
    // Pieces with a count.
    ...['^other timelines? ', '^memor(y|ies) of ', '^operations? of Auto-Recap', '^(entry|entries) stands? ', 'operations? (goes|go) on', '^more lines?$', 'this lorebook of', '^of the snapshot without', '^whose number the snapshot'],
    // The plan of an untangling in a terminal.
    ...['^as it was here', '^left out', 'of other timelines', 'undecided, kept', 'waiting here', '^perhaps', 'its number was', '^timelines share$', 'scene at message', 'the lorebook “{}”\\.$'],
    // What is damaged in a file, in the words of whoever reads it.
    ...['PNG', 'picture', 'character data', 'zero byte', 'ends too early', 'checksum', 'begin with a header', 'UTF-8', 'line 1 is', '^group chats/', 'swipes', 'swipe has no text', 'it has no “entries”', 'two entries have', 'snapshot of message {at} is gone', 'something (it needs )?is missing', 'made by a newer', 'begins with a (byte|message)'],
    // Only outside of SillyTavern.
    ...['real folder instead', 'Auto-Recap keeps settings', 'Set them in', "The group's list", "Close (or reload )?SillyTavern's", 'keeps groups in memory', "another user's chat", 'not made by Lorefork', 'Isolate it:', 'whether Auto-Recap is on', 'its strip patterns', 'synopsis', '^its (profile|preset)$'],
    // The page says it in other words.
    ...['lorefork (sweep|isolate|undo)', 'Wait until nothing is written', 'All files were left', 'Nothing says which chat', 'its former first line', 'The lorebooks are saved', 'is in the list of chats'],
].join('|'));

test('what the engine says can be said', () => {
    const keys = Object.keys(LANGUAGES[0].words).join('\n');
    const missing = [...engineTexts()].filter(({ text }) => !NOT_IN_PAGE.test(text) && !keys.includes(longest(text)));
    assert.deepEqual(missing.map(({ file, text }) => `${file}: ${text}`), []);
});

test('what the server and the page answer to the engine can be said', () => {
    const keys = Object.keys(LANGUAGES[0].words).join('\n');
    const said = sources().flatMap((file) => [...read(EXTENSION, 'src', file).matchAll(/new HostError\('\w+', (['`])(.*?)\1/g)].map(([, , text]) => text.replace(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '{}')));
    assert.ok(said.length > 20);
    assert.deepEqual(said.filter((text) => !keys.includes(longest(text))), []);
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
        assert.equal(await page.command('/branch-create 60'), '');
        const notice = await page.told(words['Cannot create branch']);
        assert.ok(notice.includes(words['A command chooses by an argument: {0}'].replace('{0}', 'queue=wait, queue=drop')), notice);
        await page.clearNotices();
        assert.equal(before.size, photograph(user).size);
        await page.command('/lorefork-status popup=true');
        const status = page.popupWith(words['Timeline status']);
        await status.waitFor();
        const said = (await status.innerText()).replaceAll(STORY, '').replaceAll(BOOK, '');
        assert.doesNotMatch(said, /[A-Za-z]{4,} [a-z]{3,}/, 'no English is left');
        const box = await status.boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= 390, 'it fits');
        await page.tab.keyboard.press('Escape');
        // Sentences within sentences, and of files; what is a name stays one.
        const heard = await page.run(async () => {
            const { heard, learnWords } = await import('/scripts/extensions/third-party/lorefork/src/words.js');
            await learnWords();
            return [
                'The lorebook “variables” acts in every timeline besides its copy, because it is selected as a global lorebook.',
                'Copied as they are now, since nothing records how they were: variables, quick replies.',
                "chats/a/variables.jsonl: SillyTavern's server does not answer (403)",
                'The chat names no lorebook any more. Check again.',
            ].map(heard);
        });
        const filled = (key, ...values) => values.reduce((text, value, index) => text.replace(`{${index}}`, value), words[key]);
        assert.deepEqual(heard, [
            filled('The lorebook “{0}” acts in every timeline besides its copy, because {1}.', 'variables', words['it is selected as a global lorebook']),
            filled('Copied as they are now, since nothing records how they were: {0}.', `${words.variables}, ${words['quick replies']}`),
            `chats/a/variables.jsonl: ${filled("SillyTavern's server does not answer ({0})", '403')}`,
            `${words['The chat names no lorebook any more']}${words['Check again.'].slice(-1)} ${words['Check again.']}`,
        ]);
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
