// A module can be read, and moved, without all others: imports lead in one direction.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { circles, importsOf } from './imports.mjs';

test('no module of the page imports itself by way of others', () => {
    const imports = importsOf();
    assert.ok([...imports.values()].flat().length > 200, 'the imports were found');
    assert.deepEqual(circles(imports), []);
});

test('every module that is imported exists', () => {
    const imports = importsOf();
    const missing = [...imports].flatMap(([file, named]) => named.filter((name) => !name.startsWith('..') && !imports.has(name)).map((name) => `${file}: ${name}`));
    assert.deepEqual(missing, []);
});

test('a circle is found, however it is closed', () => {
    const planted = new Map([['a.js', ['b.js']], ['b.js', ['views/c.js', 'd.js']], ['views/c.js', ['a.js']], ['d.js', []]]);
    assert.deepEqual(circles(planted), [['a.js', 'b.js', 'views/c.js']]);
});
