// Lorebooks as SillyTavern reads and prints them, and the hash it gives their entries.
import assert from 'node:assert/strict';
import test from 'node:test';
import { generator } from './generate.mjs';
import { ask } from './oracle.mjs';
import { cut, run } from './original.mjs';

const { text, below, pick, next } = generator(5);

/** A string in JSON, spelled in one of the ways a tool may spell it. */
function spelled(value) {
    const plain = JSON.stringify(value);
    return pick([
        () => plain,
        () => plain.replace(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
        () => plain.replaceAll('/', '\\/'),
    ])();
}

const numbers = ['0', '-0', '1.0', '1.50', '1e5', '1E+5', '1e21', '1e-7', '123456789012345678901', '0.1', '1e400', '5e-324', '100', '4294967295'];
const number = () => pick([() => pick(numbers), () => String(below(2 ** 32)), () => String(next()), () => `${next() * 10 ** (below(40) - 20)}`])();
const key = () => pick([() => String(below(200)), () => pick(['uid', 'content', 'é', '__proto__x', '01', '1763632438061', '4294967294']), () => text(6)])();
const space = () => pick(['', '', '', ' ', '\n  ', '\t', '\r\n']);

/** JSON text of any shape, duplicate keys included. */
function json(depth) {
    const list = make => Array.from({ length: below(5) }, make).join(',');
    const shapes = [() => spelled(text(12)), number, () => pick(['true', 'false', 'null'])];
    if (depth > 0) {
        shapes.push(
            () => `[${list(() => space() + json(depth - 1) + space())}]`,
            () => `{${list(() => `${space()}${spelled(key())}${space()}:${space()}${json(depth - 1)}${space()}`)}}`,
            () => `{${list(() => `${spelled(key())}:${json(depth - 1)}`)}}`,
        );
    }
    return pick(shapes)();
}

test('a lorebook is printed as by SillyTavern: key order, numbers, escapes', async () => {
    const texts = Array.from({ length: 5_000 }, () => `{"entries":{"10":${json(3)},"2":${json(3)},"1763632438061":${json(2)},"b":${json(2)}},"name":${json(1)}}`);
    const answers = await ask('stringify', texts.map(t => [t]));
    texts.forEach((t, i) => assert.equal(answers[i], JSON.stringify(JSON.parse(t), null, 4), t));
});

test('an entry is hashed as by SillyTavern for timed effects', async () => {
    const parseDecorators = run('parseDecorators', [cut('public/scripts/world-info.js', 'KNOWN_DECORATORS'), cut('public/scripts/world-info.js', 'parseDecorators')]);
    const getStringHash = run('getStringHash', [cut('public/scripts/utils.js', 'getStringHash')]);
    // What SillyTavern does to an entry before it hashes it: the book's name goes in behind the
    // uid, decorators come out of the content.
    const original = (entry, book) => {
        const { uid, ...rest } = entry;
        const named = { uid, world: book, ...rest };
        const [decorators, content] = parseDecorators(named.content || '');
        return getStringHash(JSON.stringify({ ...named, decorators, content }));
    };
    const line = () => pick(['@@activate', '@@dont_activate 2', '@@unknown', '@@@activate', '@@@x', text(10), 'plain'])
    const content = () => pick([() => text(30), () => Array.from({ length: below(5) }, line).join('\n')])();
    const entry = () => {
        const members = [`"uid":${pick(['3', '3.0', '1763632438061'])}`, `"comment":${spelled(text(8))}`, `"order":${number()}`, `"${pick(['x', '7', 'hash'])}":${json(2)}`];
        if (next() < 0.9) members.push(`"content":${spelled(content())}`);
        if (next() < 0.1) members.push(`"world":${spelled(text(5))}`);
        if (next() < 0.1) members.push('"decorators":["old"]');
        return `{${members.sort(() => next() - 0.5).join(',')}}`;
    };
    const calls = Array.from({ length: 5_000 }, () => [entry(), pick(['Lore', '灯台', 'a "b"', text(5).replace(/[\ud800-\udfff]/g, '')])]);
    const answers = await ask('entry_hash', calls);
    calls.forEach(([e, book], i) => assert.equal(answers[i], original(JSON.parse(e), book), `${book}: ${e}`));
});

test('times are written as by JavaScript', async () => {
    const times = Array.from({ length: 2_000 }, () => Math.floor(next() * 4e12));
    const answers = await ask('iso', times.map(t => [t]));
    times.forEach((t, i) => assert.equal(answers[i], new Date(t).toISOString()));
});
