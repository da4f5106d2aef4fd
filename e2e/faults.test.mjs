// Requests of a fork fail in every way: the parent is unharmed, and after the next start nothing is half-made.
//
// Here it is about what a browser and a server do with a broken request, so each endpoint is broken once in each way, and
// each writing request of a checkpoint. Every fault at every call of every flow is tried on the simulated host:
// crates/lorefork-sim/tests/simulated/flows.rs.

import assert from 'node:assert/strict';
import fs from 'node:fs';

import { assertForked, assertWhole, differences, photograph } from './files.mjs';
import { ask, isWrite, onNth, outcome, requestsOf, unfinished } from './flow.mjs';
import { until } from './page.mjs';
import { GROUP, GROUP_CHAT, STORY, storyFile } from './sample.mjs';
import { suite } from './suite.mjs';

const scene = suite('faults');

/** A fault of a request that only asks leaves nothing, whether the server heard of it or not. */
const faultsOf = (path) => (isWrite(path) ? ['refuse', 'drop', 'lose', 'hang', 'hang-after'] : ['refuse', 'drop', 'hang']);

/**
 * @param {any} s
 * @param {string} command
 * @param {{ parent: string, at: number, kind: 'checkpoint' | 'branch', reopen: (page: any) => Promise<void>, broken: (path: string, index: number, all: string[]) => string[] }} what
 *   `broken`: in which ways a request is to fail
 */
async function failEach({ page, user, gateway }, command, { parent, at, kind, reopen, broken }) {
    const { all } = await requestsOf(page, command);
    await reopen(page);
    // What is read afterwards, to look at what was made, depends on how slow the machine is.
    const writes = all.filter(isWrite).length;
    assert.ok(writes >= 3 && writes <= 8, `a fork and the opening of it write ${writes} times`);
    for (const [index, path] of all.entries()) {
        for (const fault of broken(path, index, all)) {
            const where = `${fault} at request ${index + 1} of ${all.length}, ${path}`;
            const start = Date.now();
            const before = photograph(user);
            const stop = onNth(gateway, all, index, () => fault);
            gateway.onHang = () => page.runOut();
            await ask(page, command);
            const { answer, said } = await outcome(page);
            stop();
            const changes = differences(before, photograph(user));
            const children = changes.filter((words) => /^\+ .*chats\//.test(words)).map((words) => words.slice(2));
            assert.ok(children.length <= 1, `${where}: ${changes}`);
            assert.ok(answer || said.length, `${where}: somebody said something`);
            assert.doesNotMatch(String(answer), /^error/, where);
            if (changes.includes(`~ ${parent}`)) {
                assert.equal(children.length, 1, `${where}: the parent changed only for a timeline that is there`);
                assertForked({ before, user, parent, child: children[0], at, kind });
            }
            if (answer) assert.equal(children.length, 1, `${where}: what was said to be made is there`);
            if ((await unfinished(page)) > 0 || (changes.length > 0 && !answer)) {
                await page.reload();
                await until(async () => (await unfinished(page)) === 0, `${where}: the next start finishes or takes back what was begun`, 120_000);
                await page.gateway.quiet();
            }
            try {
                assertWhole(user, before);
            } catch (error) {
                throw new Error(`${where}: ${error.message}; said: ${said}; changes: ${differences(before, photograph(user))}`, { cause: error });
            }
            await reopen(page);
            console.log(`  ${where}: ${answer ? 'stands' : 'taken back'}, ${((Date.now() - start) / 1000).toFixed(1)} s`);
        }
    }
}

const COMPLAINTS = { complaints: [/./] };

const isFirst = (path, index, all) => all.indexOf(path) === index;

scene('a checkpoint, each writing request and each endpoint, each fault', COMPLAINTS, async (s) => {
    await failEach(s, '/checkpoint-create mesId=28', {
        parent: `chats/Tamsin/${STORY}.jsonl`, at: 28, kind: 'checkpoint', reopen: (page) => page.openSolo(STORY),
        broken: (path, index, all) => (isWrite(path) || isFirst(path, index, all) ? faultsOf(path) : []),
    });
});

// The endpoints of a checkpoint; what differs is that it opens.
scene('a branch, each writing request: the server does it, and its answer is lost', COMPLAINTS, async (s) => {
    await failEach(s, '/branch-create 28', {
        parent: `chats/Tamsin/${STORY}.jsonl`, at: 28, kind: 'branch', reopen: (page) => page.openSolo(STORY),
        broken: (path) => (isWrite(path) ? ['lose'] : []),
    });
});

scene('a checkpoint in a group, each writing endpoint, each fault', { ...COMPLAINTS, open: (page) => page.openGroup(GROUP) }, async (s) => {
    await failEach(s, '/checkpoint-create mesId=8', {
        parent: `group chats/${GROUP_CHAT}.jsonl`, at: 8, kind: 'checkpoint', reopen: (page) => page.openGroup(GROUP, GROUP_CHAT),
        broken: (path, index, all) => (isWrite(path) && isFirst(path, index, all) ? faultsOf(path) : []),
    });
});

scene('the tab is closed in the middle: the next start takes it back, or it stands', COMPLAINTS, async ({ page, tavern, user, gateway, before }) => {
    const { all } = await requestsOf(page, '/checkpoint-create mesId=28');
    for (const [index, path] of all.entries()) {
        if (!isWrite(path)) continue;
        const before = photograph(user);
        let closed;
        const reached = new Promise((resolve) => {
            onNth(gateway, all, index, async () => {
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
        page = await tavern.open();
        await until(async () => (await unfinished(page)) === 0, 'the next start heals', 120_000);
        await gateway.quiet();
        assertWhole(user, before);
        await page.openSolo(STORY);
    }
    assert.ok(fs.existsSync(storyFile(user)));
    assertWhole(user, before);
});
