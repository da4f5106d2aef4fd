// Problems that are found and put right, timelines that are rewound and deleted, and taking all of it back.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { books, chats, differences, photograph, readBook, readSolo } from './files.mjs';
import { BOOK, LAST, STORY } from './sample.mjs';
import { same, suite } from './suite.mjs';

const scene = suite('care');

/** Calls the engine's second module as the extension does. */
const care = (page, verb, ...args) => page.run(async ([verb, args]) => {
    const at = '/scripts/extensions/third-party/lorefork/src';
    const [{ engine, care }, { PageHost }, { openPlace }] = await Promise.all([import(`${at}/engine.js`), import(`${at}/host.js`), import(`${at}/tavern.js`)]);
    const { chatFile } = await engine();
    const host = new PageHost({ fileOf: chatFile, everyone: true });
    const place = JSON.stringify(openPlace());
    return (await care())[verb](host, ...args.map((arg) => (arg === 'open' ? place : arg)));
}, [verb, args]);

const copies = (user) => fs.readdirSync(path.join(user, 'user/files')).sort();

scene('a rewound timeline comes back, byte for byte', async ({ page, user, before }) => {
    const rewound = await care(page, 'rewind', 'open', 28);
    assert.equal(rewound.error, undefined, JSON.stringify(rewound.error));
    await page.saved();
    assert.equal(readBook(user, BOOK).entries.length, 27);
    assert.equal(readSolo(user, STORY).messages.length, LAST + 1, 'messages stay');
    assert.equal(copies(user).length, 1, 'the former lorebook is kept');
    const undone = await care(page, 'undo', rewound.id);
    assert.equal(undone.error, undefined, JSON.stringify(undone.error));
    await page.saved();
    same(before, user, 'all of it is back');
    const log = await care(page, 'log');
    assert.deepEqual(log.operations.map(({ what, undone }) => [what, undone]), [['undo', false], ['rewind', true]]);
});

scene('a deleted timeline comes back with its lorebook, byte for byte', async ({ page, user }) => {
    const name = await page.command('/checkpoint-create mesId=28 Keep');
    await page.saved();
    const before = photograph(user);
    const place = JSON.stringify({ owner: { character: 'Tamsin' }, name });
    const deleted = await care(page, 'remove', place);
    assert.equal(deleted.error, undefined, JSON.stringify(deleted.error));
    await page.saved();
    assert.deepEqual(chats(user), [STORY]);
    assert.ok(!books(user).includes(deleted.lorebook));
    assert.equal(readSolo(user, STORY).messages[28].extra.bookmark_link, undefined);
    assert.equal(copies(user).length, 2);
    const undone = await care(page, 'undo', deleted.id);
    assert.equal(undone.error, undefined, JSON.stringify(undone.error));
    await page.saved();
    same(before, user, 'all of it is back');
    assert.deepEqual(copies(user), [], 'what is back needs no copy');
    // And the checkpoint itself can be taken back.
    const log = await care(page, 'log');
    const made = log.operations.find(({ what }) => what === 'checkpoint');
    const gone = await care(page, 'undo', made.id);
    assert.equal(gone.error, undefined, JSON.stringify(gone.error));
    await page.saved();
    assert.deepEqual(differences(before, photograph(user)).filter((words) => words.startsWith('-')).length, 2);
});

scene('without a place for the copy, nothing is changed', async ({ page, user, gateway, before }) => {
    gateway.onRequest = ({ path }) => (path === '/api/files/upload' ? 'refuse' : undefined);
    const rewound = await care(page, 'rewind', 'open', 28);
    assert.match(rewound.error.message, /copy could not be stored/);
    await page.saved();
    same(before, user, 'nothing was written');
    assert.equal((await care(page, 'log')).operations.length, 0);
});
