import assert from 'node:assert/strict';
import test from 'node:test';
import { generator } from './generate.mjs';
import { ask } from './oracle.mjs';
import { file } from './original.mjs';

const { below, pick, text } = generator(4);
const { read, write } = await import(file('src/character-card-parser.js'));

// A picture of one pixel.
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

const wellFormed = text => text?.toWellFormed() || null;

/** The original reads gigabytes beyond the end, byte by byte: not worth waiting for. */
function hasHugeChunk(png) {
    for (let at = 8; at + 4 < png.length; at += 12 + png.readUInt32BE(at)) {
        if (png.readUInt32BE(at) > 100_000) {
            return true;
        }
    }
    return false;
}

function original(png) {
    try {
        const card = JSON.parse(read(png));
        return [wellFormed(card.data.name) ?? '', wellFormed(card.chat), wellFormed(card.data.extensions.world)];
    } catch {
        return null;
    }
}

test('cards are read as by SillyTavern', async () => {
    const errors = console.error;
    console.error = () => {};
    const cards = Array.from({ length: 2_000 }, () => {
        const card = {
            spec: 'chara_card_v2', name: 'old', chat: text(8), description: text(40),
            data: { name: text(8), extensions: { world: pick(['', text(8)]) } },
        };
        let png = write(PIXEL, JSON.stringify(card));
        if (below(3) === 0) {
            const damaged = Buffer.from(png);
            damaged[8 + below(png.length - 8)] ^= 1 << below(8);
            png = hasHugeChunk(damaged) ? png : damaged;
        }
        return below(5) === 0 ? png.subarray(0, below(png.length)) : png;
    });
    const answers = await ask('card', cards.map(png => [[...png]]));
    let unread = 0;
    cards.forEach((png, i) => {
        const wanted = original(png);
        assert.deepEqual(answers[i], wanted, png.toString('base64'));
        unread += Number(wanted === null);
    });
    console.error = errors;
    assert.ok(unread > 200 && unread < 1_500, `${unread} were not read`);
});
