// What all test files share: one server per file, one page for all tests that leave it as it was, and what must hold
// after each of them.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { assertForked, assertWhole, differences, photograph, readChat } from './files.mjs';
import { BOOK, HERO, STORY } from './sample.mjs';
import { startTavern, TARGET } from './tavern.mjs';

/** Far more than a test takes, so that a busy machine fails none. */
const LIMIT = 1_800_000;

/**
 * @typedef {object} Scene what a test gets
 * @property {import('./page.mjs').Page} page
 * @property {any} tavern
 * @property {string} user the user folder
 * @property {any} gateway
 * @property {Map<string, Buffer>} before all files as they were when the page had opened its chat
 *
 * @typedef {object} How
 * @property {(user: string) => void} [change] changes the sample data
 * @property {(page: any) => Promise<void>} [open] opens the chat; the story without it
 * @property {any} [page] options for the page; it is a new one then, as with `{ fresh: true }`
 * @property {RegExp[]} [complaints] what the console may say
 * @property {boolean} [odd] whether files may be left in a state that would not pass otherwise
 * @property {boolean} [todo]
 */

/** The file that is run together with others, if that is so. @type {{ name: string, t: import('node:test').TestContext, scenes: Promise<void>[] } | null} */
let file = null;
/** What these files have in common. */
let common = null;

/**
 * Runs the scenes of a file, together with those of others.
 * @param {string} name of the data folder that they have in common
 * @param {import('node:test').TestContext} t
 * @param {() => Promise<unknown>} load
 */
export async function together(name, t, load) {
    file = { name, t, scenes: [] };
    await load();
    await Promise.all(file.scenes);
}

/** Ends the server and the browser that files had in common. */
export async function endTogether() {
    await common?.stop();
    common = null;
}

/** @param {string} name @param {object} [options] `fresh`: each scene has a page of its own */
export function suite(name, { fresh = false, ...options } = {}) {
    const others = file;
    let tavern;
    // What one file does to its page is nothing to the next.
    let isFirst = others !== null;
    if (others) assert.deepEqual(options, {}, 'a file with a server of another kind cannot be run together with others');
    else {
        before(async () => {
            tavern = await startTavern({ name, ...options });
        }, { timeout: LIMIT });
        after(() => tavern?.stop(), { timeout: LIMIT });
    }
    const run = (...scene) => (others ? void others.scenes.push(others.t.test(...scene)) : void test(...scene));

    /** @param {string} title @param {How | ((scene: Scene) => Promise<void>)} how @param {(scene: Scene) => Promise<void>} [act] */
    const scene = (title, how, act) => {
        if (typeof how === 'function') [how, act] = [{}, how];
        const { change, open = (page) => page.openSolo(), page: options, complaints = [], odd = false, todo } = how;
        run(title, { timeout: LIMIT, todo }, async () => {
            if (others) tavern = common ??= await startTavern({ name: others.name });
            const { user, gateway } = tavern;
            try {
                const page = await tavern.begin(change, { fresh: fresh || isFirst, ...options });
                isFirst = false;
                await open(page);
                // What SillyTavern has added by itself goes to disk first, so that what changes later is ours.
                await page.saveOpen();
                await page.remember();
                const before = photograph(user);
                await act({ page, tavern, user, gateway, before });
                // What SillyTavern saves by itself is saved.
                await gateway.quiet();
                if (!odd) assertWhole(user, before);
                const unexpected = page.complaints.filter((words) => /^uncaught|lorefork/i.test(words) && !complaints.some((expected) => expected.test(words)));
                assert.deepEqual(unexpected, [], 'nothing broke in the page');
            } catch (error) {
                await report(tavern, title, error);
                // Nothing of it is left to the next one: alone its page goes, and what others share goes whole.
                await (others ? endTogether() : tavern.close());
                throw error;
            }
        });
    };
    return scene;
}

/** Everything one wants to know about a test that failed. */
async function report(tavern, title, error) {
    const folder = path.join(TARGET, 'failed');
    fs.mkdirSync(folder, { recursive: true });
    const file = path.join(folder, title.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 80));
    const lines = [String(error.stack ?? error)];
    for (const [index, page] of tavern.pages.entries()) {
        await page.tab.screenshot({ path: `${file}-${index}.png`, timeout: 5000 }).catch(() => {});
        lines.push(`notices: ${JSON.stringify(await page.notices().catch(() => null))}`);
        lines.push(`popups: ${JSON.stringify(await page.run(() => [...document.querySelectorAll('dialog[open]')].map((popup) => popup.innerText)).catch(() => null))}`);
        lines.push('console:', ...page.complaints.map((words) => `  ${words}`));
    }
    lines.push('requests:', ...tavern.gateway.api().slice(-40).map(({ path, status, body }) => `  ${status ?? '---'} ${path} ${body.slice(0, 120)}`));
    lines.push('server:', tavern.log.slice(-1500));
    fs.writeFileSync(`${file}.txt`, lines.join('\n'));
    console.log(`  see ${path.relative(process.cwd(), file)}.txt: ${lines.slice(1, 3).join(' ').slice(0, 600)}`);
}

/** The chat and the lorebook that appeared since `before`; there must be exactly one of each. */
export function appeared(before, user) {
    const changes = differences(before, photograph(user));
    const added = (start) => changes.filter((words) => words.startsWith(`+ ${start}`)).map((words) => words.slice(2));
    return { chats: [...added('chats/'), ...added('group chats/')], books: added('worlds/'), changes };
}

/**
 * Lets `act` make a fork, and checks all of it on disk.
 * @param {Scene} scene
 * @param {{ at: number, kind: 'checkpoint' | 'branch', entries?: number, parent?: string, linked?: boolean, name?: string, book?: boolean }} expected
 * @param {() => Promise<any>} act
 */
export async function forks({ user, gateway }, { at, kind, entries, parent = `chats/${HERO}/${STORY}.jsonl`, linked, name, book = true }, act) {
    const before = photograph(user);
    const answer = await act();
    await gateway.quiet();
    const { chats, books, changes } = appeared(before, user);
    assert.equal(chats.length, 1, `one timeline was made: ${changes}`);
    assert.equal(books.length, book ? 1 : 0, `one lorebook was made: ${changes}`);
    const [child] = chats;
    if (name !== undefined) assert.equal(path.basename(child, '.jsonl'), name);
    const made = assertForked({ before, user, parent, child, at, kind, entries, linked });
    const touched = changes.filter((words) => words.startsWith('~') && words !== `~ ${parent}` && !words.startsWith('~ groups/'));
    assert.deepEqual(touched, [], 'nothing else changed');
    return { answer, child, name: path.basename(child, '.jsonl'), ...made };
}

/** The files that must be the same bytes after something that should change nothing. */
export const same = (before, user, why) => assert.deepEqual(differences(before, photograph(user)), [], why);

export { BOOK, readChat };
