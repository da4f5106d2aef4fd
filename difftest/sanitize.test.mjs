import assert from 'node:assert/strict';
import test from 'node:test';
import sanitize from 'sanitize-filename';
import { generator } from './generate.mjs';
import { ask } from './oracle.mjs';

const { below, pick, repeat, character, text } = generator(1);

const reserved = ['con', 'prn', 'aux', 'nul', 'com', 'lpt', ...Array.from({ length: 10 }, (_, i) => [`com${i}`, `lpt${i}`]).flat()];
const anyCase = word => [...word].map(c => pick([c, c.toUpperCase()])).join('');

const shapes = [
    () => text(12),
    () => text(60),
    () => anyCase(pick(reserved)) + pick(['', '.', '.txt', ' ', '. ', '.\u2028', '.a\u2029b', '\n', '.\r.', ':', '0', '.json', '..']) + pick(['', '', text(3)]),
    () => pick(['', '/', '\0']) + '.'.repeat(below(5)) + pick(['', ' ', '?', 'a']),
    // Around the limit of 255 bytes, with characters of all widths at the edge.
    () => 'a'.repeat(245 + below(12)) + text(6),
    () => repeat(80 + below(10), () => '日') + text(4),
    () => repeat(60 + below(8), () => '😀') + text(4),
    () => 'é'.repeat(124 + below(6)) + repeat(below(4), character) + pick(['.jsonl', '.json', '. ', '']),
];

test('names become files as in sanitize-filename', async () => {
    const names = Array.from({ length: 20_000 }, (_, i) => shapes[i % shapes.length]());
    // Half an emoji reaches neither Rust nor the disk: both have U+FFFD for it.
    const answers = await ask('sanitize', names.map(name => [name.toWellFormed()]));
    const joined = /[\ud800-\udbff][/?<>\\:*|"\0-\x1f\x80-\x9f]+[\udc00-\udfff]/;
    let changed = 0;
    let cut = 0;
    let halves = 0;
    names.forEach((name, i) => {
        const wanted = sanitize(name.toWellFormed());
        assert.equal(answers[i], wanted, JSON.stringify(name));
        // So reading it that way changes nothing, unless two halves meet.
        if (!joined.test(name)) {
            assert.equal(answers[i], sanitize(name).toWellFormed(), JSON.stringify(name));
            halves += Number(!name.isWellFormed());
        }
        changed += Number(wanted !== name);
        cut += Number(Buffer.byteLength(wanted) >= 252);
    });
    // The generator must keep meeting the interesting cases.
    assert.ok(changed > 5_000 && cut > 2_000 && halves > 2_000, `${changed} changed, ${cut} at the limit, ${halves} with halves`);
});
