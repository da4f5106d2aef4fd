// Languages: nothing that a user sees is left in English by oversight. The sources are the list of what can be said, and
// that list is the list of keys of every language.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { callsOfEngine, engineSources, LANGUAGES, sentencesOfEngine, sentencesOfPage, sources, texts } from './sentences.mjs';

/** SillyTavern translates these itself. */
const ITS_OWN = ['Enter Checkpoint Name:', '(Leave empty to auto-generate)',
    'The currently existing checkpoint will be unlinked and replaced with the new checkpoint, but can still be found in the Chat Management.'];

const places = (text) => [...new Set([...text.matchAll(/\{\d\}/g)].map(([place]) => place))].sort();
const untranslated = (said, words) => [...said].filter(([text]) => !(text in words)).map(([text, file]) => `${file}: ${text}`);

test('Simplified Chinese, Japanese and Russian are there', () => {
    assert.deepEqual(LANGUAGES.map(({ name }) => name).sort(), ['ja-jp', 'ru-ru', 'zh-cn']);
});

test('all that the engine says is found in its sources', () => {
    const { count, found } = callsOfEngine();
    assert.equal(found, count);
    assert.ok(count > 400, `${count}`);
});

for (const { name, words } of LANGUAGES) {
    test(`${name}: all that the engine and the page say can be said`, () => {
        assert.deepEqual(untranslated(sentencesOfEngine(), words), []);
        assert.deepEqual(untranslated(sentencesOfPage(), words), []);
    });

    test(`${name}: nothing is translated that nobody says`, () => {
        const said = new Set([...sentencesOfEngine().keys(), ...sources().flatMap(({ source }) => texts(source))]);
        assert.deepEqual(Object.keys(words).filter((key) => !said.has(key)), []);
    });

    test(`${name}: every text has the same places in it`, () => {
        for (const [key, text] of Object.entries(words)) {
            assert.ok(text.trim(), key);
            assert.deepEqual(places(text), places(key), key);
            // Signs alone may be the same everywhere.
            if (/[a-z]/.test(key.replace(/\{\d\}/g, ''))) assert.notEqual(text, key, key);
        }
    });
}

test('a sentence that nobody translated is found', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lorefork-words-'));
    try {
        fs.writeFileSync(path.join(folder, 'planted.rs'), `
            fn planted(n: usize) -> Error {
                let more = say_count!(n, "{0} planted line", "{0} planted lines \\
                    on two lines, \\"quoted\\"", "x");
                // say!("a remark")
                Error::new(Code::Busy, say!("Planted: {0}.", more), None)
            }
            #[cfg(test)]
            mod tests { fn a() { say!("in a test"); } }
        `.replaceAll('            #[cfg(test)]\n            mod', '#[cfg(test)]\nmod'));
        const [{ words }] = LANGUAGES;
        assert.deepEqual(untranslated(sentencesOfEngine([folder]), words).sort(), [
            'planted.rs: Planted: {0}.',
            'planted.rs: {0} planted line',
            'planted.rs: {0} planted lines on two lines, "quoted"',
        ]);
    } finally {
        fs.rmSync(folder, { recursive: true });
    }
});

test('the engine names no flag, no button and no command of any host', () => {
    const named = [...sentencesOfEngine().keys()].filter((text) => /(^|[\s(“])--[a-z]|“lorefork [a-z]/.test(text));
    assert.deepEqual(named, []);
});

test('what the engine says goes through its macros', () => {
    // A host may quote what others say; words of our own are never quoted.
    const bare = engineSources().flatMap(({ file, source }) => [...source.matchAll(/Sentence::quoted\(\s*"[^"]*[a-z]|"[^"\n]*[a-z] [a-z][^"\n]*"\s*\.(?:into|to_owned)\(\)/g)].map(([text]) => `${file}: ${text}`));
    assert.deepEqual(bare, []);
});

test('every text of several words in the views can be said', () => {
    const [{ words }] = LANGUAGES;
    const missing = [];
    for (const { file, source } of sources().filter(({ file }) => file.startsWith('views'))) {
        for (const text of texts(source)) {
            if (/^[A-Z“(].*[a-z] [a-z]/.test(text) && !(text in words) && !ITS_OWN.includes(text)) missing.push(`${file}: ${text}`);
        }
    }
    assert.deepEqual(missing, []);
});

test('no view says anything that does not go through translation', () => {
    const bare = [];
    for (const { file, source } of sources().filter(({ file }) => file.startsWith('views') || file === 'commands.js')) {
        source.split('\n').forEach((line, index) => {
            // A text with words that is given to something that shows it, or put together with others.
            if (/(draw\('[^']*', '[^']*',|toastr\.\w+\(|title =|textContent =|okButton:|tell\('\w+', \[)\s*['`][A-Z]/.test(line) && !/, '', 'Lorefork'\)/.test(line)) bare.push(`${file}:${index + 1} ${line.trim()}`);
        });
    }
    assert.deepEqual(bare, []);
});

test('what a verb of the page throws speaks the language of its user', () => {
    const thrown = sources().flatMap(({ file, source }) => [...source.matchAll(/new HostError\('\w+', ([^)]*)/g)].map(([, words]) => ({ file, words })));
    assert.ok(thrown.length > 20);
    assert.deepEqual(thrown.filter(({ words }) => !words.startsWith('say(') && words !== 'String(error'), []);
});
