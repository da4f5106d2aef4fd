// SillyTavern over plain HTTP from another machine: the browser has no locks, so tabs agree by a record.

import assert from 'node:assert/strict';

import { assertWhole } from './files.mjs';
import { ask, onNth, outcome, requestsOf, unfinished } from './flow.mjs';
import { until } from './page.mjs';
import { STORY } from './sample.mjs';
import { appeared, suite } from './suite.mjs';

const scene = suite('unlocked');
const UNLOCKED = { prepare: (tab) => tab.addInitScript(() => Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })) };

/** Reads the record of who is at work, or writes it. */
const record = (page, put) => page.run((put) => new Promise((resolve, reject) => {
    const request = indexedDB.open('lorefork default-user');
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
        const base = request.result;
        const transaction = base.transaction('lease', 'readwrite');
        const store = transaction.objectStore('lease');
        const found = put ? store.put(put, 'operation') : store.get('operation');
        transaction.oncomplete = () => (base.close(), resolve(found.result));
    };
}), put);

/** Claims as an operation does; resolves to whether it was granted. */
const claims = (page) => page.run(async () => {
    const { claim } = await import('/scripts/extensions/third-party/lorefork/src/claim.js');
    return claim(0).then((release) => ((globalThis.release = release), true), (error) => {
        if (error.kind !== 'busy') throw error;
        return false;
    });
});

/** What is opened is looked after, and that may claim, too. */
const NOTHING_OPEN = { page: UNLOCKED, open: async () => {} };

scene('without locks: two tabs that ask at the same moment do not both get it', NOTHING_OPEN, async ({ page, tavern }) => {
    const second = await tavern.open(UNLOCKED);
    // This tab is slow: what it has read or written is done, and it hears of it later.
    await second.run(() => {
        const goOn = new Promise((resolve) => (globalThis.goOn = resolve));
        const { transaction } = IDBDatabase.prototype;
        IDBDatabase.prototype.transaction = function (...args) {
            const begun = transaction.apply(this, args);
            if (args[0] !== 'lease') return begun;
            const act = (then) => begun.addEventListener('complete', () => {
                globalThis.isThrough = true;
                goOn.then(then);
            });
            return Object.defineProperty(begun, 'oncomplete', { set: act });
        };
    });
    const late = claims(second);
    await until(() => second.run(() => globalThis.isThrough), 'the slow one has asked');
    const early = await claims(page);
    await second.run(() => globalThis.goOn());
    assert.deepEqual([early, await late].sort(), [false, true], 'one of them');
});

scene("without locks: who comes back too late does not take away another's claim", NOTHING_OPEN, async ({ page }) => {
    assert.equal(await claims(page), true);
    const others = { mine: 'of another tab', until: Date.now() + 600_000 };
    await record(page, others);
    await page.run(() => globalThis.release());
    assert.deepEqual(await record(page), others);
    assert.equal(await claims(page), false);
});

scene('without locks: two tabs fork at once, and share nothing', { page: UNLOCKED }, async ({ page, tavern, user, before }) => {
    const second = await tavern.open(UNLOCKED);
    await second.openSolo();
    await second.saved();
    const answers = await Promise.all([page, second].map(async (tab) => {
        await ask(tab, '/branch-create 28');
        return (await outcome(tab)).answer;
    }));
    const made = answers.filter(Boolean);
    assert.ok(made.length >= 1, 'at least one was made');
    assert.equal(new Set(made).size, made.length, 'under names of their own');
    const { chats, books } = appeared(before, user);
    assert.deepEqual([chats.length, books.length], [made.length, made.length]);
    await until(async () => !(await record(page)), 'nobody is at work any more');
});

scene('without locks: what a crash left is healed, though its claim still stands', { page: UNLOCKED }, async ({ page, tavern, user, gateway, before }) => {
    const { all } = await requestsOf(page, '/checkpoint-create mesId=13');
    await page.openSolo(STORY);
    let closed;
    const reached = new Promise((resolve) => {
        onNth(gateway, all, all.lastIndexOf('/api/chats/save'), async () => {
            resolve();
            await closed;
        });
    });
    closed = reached.then(() => page.tab.close({ runBeforeUnload: false }));
    await ask(page, '/checkpoint-create mesId=28');
    await closed;
    gateway.onRequest = () => {};
    await gateway.quiet();
    tavern.pages.length = 0;
    const again = await tavern.open(UNLOCKED);
    // As if it had crashed just now: a page that loads slowly would not show it.
    await record(again, { mine: 'of the tab that crashed', until: Date.now() + 20_000 });
    assert.equal(await unfinished(again), 1);
    await until(async () => (await unfinished(again)) === 0, 'it is healed', 60_000);
    await gateway.quiet();
    assertWhole(user, before);
});
