// Every request of a fork fails in every way: the parent is unharmed, and after the next start nothing is half-made.

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
 * @param {{ parent: string, at: number, kind: 'checkpoint' | 'branch', reopen: (page: any) => Promise<void>, writesOnly?: boolean }} what
 */
async function failEach({ page, user, gateway }, command, { parent, at, kind, reopen, writesOnly = false }) {
    const { all } = await requestsOf(page, command);
    await reopen(page);
    assert.ok(all.length <= 14 && all.length >= 4, `a fork and the opening of it send ${all.length} requests`);
    for (const [index, path] of all.entries()) {
        if (writesOnly && !isWrite(path)) continue;
        for (const fault of faultsOf(path)) {
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

scene('a checkpoint, each request, each fault', COMPLAINTS, async (s) => {
    await failEach(s, '/checkpoint-create mesId=28', {
        parent: `chats/Tamsin/${STORY}.jsonl`, at: 28, kind: 'checkpoint', reopen: (page) => page.openSolo(STORY),
    });
});

scene('a branch, each writing request, each fault', COMPLAINTS, async (s) => {
    await failEach(s, '/branch-create 28', {
        parent: `chats/Tamsin/${STORY}.jsonl`, at: 28, kind: 'branch', reopen: (page) => page.openSolo(STORY), writesOnly: true,
    });
});

scene('a checkpoint in a group, each writing request, each fault', { ...COMPLAINTS, open: (page) => page.openGroup(GROUP) }, async (s) => {
    await failEach(s, '/checkpoint-create mesId=8', {
        parent: `group chats/${GROUP_CHAT}.jsonl`, at: 8, kind: 'checkpoint', reopen: (page) => page.openGroup(GROUP, GROUP_CHAT), writesOnly: true,
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
