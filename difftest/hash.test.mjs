import assert from 'node:assert/strict';
import test from 'node:test';
import { generator } from './generate.mjs';
import { ask, units } from './oracle.mjs';
import { cut, run } from './original.mjs';

const { text, pick } = generator(2);

test('timed effects are hashed as by SillyTavern', async () => {
    const original = run('getStringHash', [cut('public/scripts/utils.js', 'getStringHash')]);
    const texts = ['', 'abc', '\ud83d', ...Array.from({ length: 5_000 }, () => text(80))];
    const answers = await ask('string_hash', texts.map(t => [units(t)]));
    texts.forEach((t, i) => assert.equal(answers[i], original(t), JSON.stringify(t)));
});

test('recaps are hashed as by Auto-Recap', async () => {
    // Auto-Recap is on no registry; this is its rule in plain JavaScript.
    const original = text => {
        let hash = 0;
        for (const unit of units(text.trim())) {
            hash = (31 * hash + unit) | 0;
        }
        return Math.abs(hash).toString(36);
    };
    const spaces = ['', ' ', '\n', '\t', '\ufeff', '\u0085', '\u00a0', '\u180e', '\u200b', '\u2028', '\u3000', '\u001f'];
    const texts = [
        '', 'abc', 'polygenelubricants',
        // Each character there is, at both ends: which are trimmed?
        ...Array.from({ length: 0x10000 }, (_, i) => `${String.fromCharCode(i)}a${String.fromCharCode(i)}`),
        ...Array.from({ length: 5_000 }, () => pick(spaces) + pick(spaces) + text(80) + pick(spaces)),
    ];
    const answers = await ask('recap_hash', texts.map(t => [units(t)]));
    texts.forEach((t, i) => assert.equal(answers[i], original(t), JSON.stringify(t)));
});
