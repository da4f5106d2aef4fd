// A chat's file that comes in pieces of any size is read as the same lines. No browser is needed for that.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Lines } from '../extension/src/lines.js';

/** The same numbers at each run. */
function dice(seed) {
    return (most) => {
        seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
        return seed % most;
    };
}

function answer(text, roll) {
    const bytes = new TextEncoder().encode(JSON.stringify({ message: 'Chat saved to "result":"x', result: text }));
    return new Response(new ReadableStream({
        start(stream) {
            for (let at = 0; at < bytes.length;) {
                const size = 1 + roll(90_000);
                stream.enqueue(bytes.subarray(at, at + size));
                at += size;
            }
            stream.close();
        },
    }));
}

test('pieces are whole lines, and together the very text', async () => {
    const roll = dice(7);
    for (let round = 0; round < 100; round += 1) {
        let text = '';
        for (let left = roll(400); left > 0; left -= 1) {
            text += `${JSON.stringify({ mes: '\\\n"\\\\n é 龍 😀'.repeat(roll(120)) })}${['', '\r'][roll(2)]}\n`;
        }
        if (roll(2)) text = text.slice(0, -1);
        const lines = new Lines(answer(text, roll), 'result');
        let read = '';
        for (let some = await lines.next(); some !== null; some = await lines.next()) {
            assert.ok(read === '' || read.endsWith('\n'), 'a piece begins where a line begins');
            read += some;
        }
        assert.equal(read, text);
    }
});

test('half an answer, or another one, is refused', async () => {
    const whole = JSON.stringify({ message: 'Chat saved', result: '{"mes":"\\n"}\n{"mes":"x"}' });
    assert.equal(await new Lines(new Response(whole), 'result').all(), '{"mes":"\\n"}\n{"mes":"x"}');
    for (let end = 0; end < whole.length; end += 1) {
        await assert.rejects(new Lines(new Response(whole.slice(0, end)), 'result').all(), `cut at ${end}`);
    }
    await assert.rejects(new Lines(new Response('<html>Bad gateway</html>'), 'result').all());
});
