// The story tree: seen, searched, walked with the keyboard; timelines labelled, renamed, compared, deleted, and entries
// carried over; all of it taken back.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import { readChat } from './files.mjs';
import { addLightTheme, look } from './pictures.mjs';
import { BOOK, editBook, editChat, GROUP, GROUP_CHAT, STORY, storyFile } from './sample.mjs';
import { suite } from './suite.mjs';
import { alone } from './tangled.mjs';

const show = suite('story');
const LONG = `枝 & 長い名前 ${'長'.repeat(60)}`;
const POPUP = { docs: 'dialog.popup[open]', everywhere: true };
const ROW = '.lorefork-story [role="treeitem"]';

/** @param {string} title @param {(user: string) => void} change @param {(scene: import('./suite.mjs').Scene) => Promise<void>} act @param {object} [more] */
const scene = (title, change, act, more = {}) => show(title, {
    change: (user) => {
        addLightTheme(user);
        change(user);
    },
    complaints: [/./],
    odd: true,
    ...more,
}, act);

/** A timeline of the story with a record and a lorebook of its own, made on disk. */
function timeline(user, name, { from = STORY, at, own = 0, kind = 'branch', label, more = {}, says = 'A quiet step.' }) {
    const [header, ...all] = fs.readFileSync(storyFile(user, from), 'utf8').split('\n').map((line) => JSON.parse(line));
    const slug = crypto.randomUUID();
    const parent = header.chat_metadata;
    const book = `Lore of ${name}`;
    fs.copyFileSync(path.join(user, 'worlds', `${BOOK}.json`), path.join(user, 'worlds', `${book}.json`));
    const messages = all.slice(0, at + 1);
    for (let n = 0; n < own; n++) {
        messages.push({ name: n % 2 ? 'Tamsin' : 'You', is_user: n % 2 === 0, is_system: false, send_date: `2026-05-01T10:00:${String(n).padStart(2, '0')}.${crypto.randomInt(100, 999)}Z`, mes: n ? `And then, ${n}.` : says, extra: {} });
    }
    const record = {
        v: 1, id: crypto.randomUUID(), kind, chat: name, slug, parent: { chat: from, slug: parent.integrity, id: null }, at,
        lorebook: book, base: null, lore: { source: 'live', quality: 'exact', from: BOOK, of: null, hash: null }, ...(label ? { label } : {}), ...more,
    };
    const metadata = { ...parent, main_chat: from, world_info: book, integrity: slug, lorefork: record };
    fs.writeFileSync(storyFile(user, name), [{ ...header, chat_metadata: metadata }, ...messages].map((line) => JSON.stringify(line)).join('\n'));
}

/** A story that went in several directions. */
function family(user) {
    timeline(user, 'Checkpoint - the storm', { at: 28, kind: 'checkpoint' });
    timeline(user, 'Branch - she stays', { at: 28, own: 9, says: '*Tamsin stays in the lighthouse.* "Somebody has to."' });
    timeline(user, 'Branch - she stays, and sleeps', { from: 'Branch - she stays', at: 33, own: 4, says: 'She falls asleep beside the lamp.', more: { canon: true } });
    timeline(user, 'Branch - the boat', { at: 41, own: 12, label: 'Out to sea', says: 'They take the boat.', more: { colour: '#5b86d6', note: 'For the finale.' } });
    timeline(user, 'Branch - a dead end', { at: 13, own: 2, more: { archived: true } });
    alone(user, 'Old branch', 54);
    editBook(user, 'Lore of Branch - the boat', (book) => {
        const [first, second] = Object.values(book.entries).filter(({ comment }) => !comment.startsWith('_'));
        first.content += ' Whoever knows her knows that she can sail.';
        delete book.entries[Object.keys(book.entries).find((key) => book.entries[key] === second)];
        book.entries[900] = { ...structuredClone(second), uid: 900, comment: 'item-The boat', key: ['boat'], content: 'A small boat with a red sail.' };
    });
}

async function openTree(page) {
    await page.run(() => void SillyTavern.getContext().executeSlashCommandsWithOptions('/lorefork-tree'));
    await page.tab.locator(ROW).first().waitFor();
    await page.gateway.quiet();
}

const names = (page) => page.run(() => [...document.querySelectorAll('.lorefork-story [role="treeitem"]')].map((row) => row.dataset.chat));
const row = (page, chat) => page.tab.locator(`${ROW}[data-chat="${chat}"]:not([data-stands="start"], [data-stands="fork"])`);
const act = (page, name) => page.tab.locator(`.lorefork-story-acts [data-act="${name}"]`).click();
const meta = (user, chat) => readChat(storyFile(user, chat)).header.chat_metadata;

/** Opens the details of a row, and waits until it was read. */
async function openRow(page, chat) {
    await row(page, chat).locator('.lorefork-story-line').click();
    await row(page, chat).locator('.lorefork-story-details').waitFor();
    await page.gateway.quiet();
}

scene('the tree is seen in all its parts, and looks well', family, async ({ page }) => {
    await openTree(page);
    await look(page, 'story-tree', POPUP);
    const all = await names(page);
    for (const chat of ['Checkpoint - the storm', 'Branch - she stays', 'Branch - she stays, and sleeps', 'Branch - the boat', 'Old branch', STORY]) assert.ok(all.includes(chat), chat);
    assert.match(await page.tab.locator('.lorefork-story-rows').innerText(), /you are here/i);
    await openRow(page, 'Branch - she stays');
    assert.match(await row(page, 'Branch - she stays').innerText(), /Tamsin stays in the lighthouse/);
    await look(page, 'story-details', POPUP);
    // Everything, and what is archived.
    await page.tab.locator('.lorefork-toggle', { hasText: 'With archived' }).click();
    await row(page, 'Branch - a dead end').waitFor();
    await page.tab.locator('.lorefork-story input[type="search"]').fill('out to SEA');
    await page.tab.waitForFunction(() => document.querySelectorAll('.lorefork-story [role="treeitem"]').length === 1);
    assert.deepEqual(await names(page), ['Branch - the boat']);
    await page.accept('Story tree');
});

scene('label, canon and rename from a row, with undo', family, async ({ page, user }) => {
    await openTree(page);
    await openRow(page, 'Branch - she stays');
    await act(page, 'label');
    const popup = page.popupWith('Label this timeline');
    await popup.locator('input.text_pole').fill('She stays');
    await popup.locator('.lorefork-words textarea').fill('Sad.');
    await look(page, 'story-label');
    await popup.locator('.popup-button-ok').click();
    await page.told('Saved');
    await row(page, 'Branch - she stays').locator('.lorefork-story-name', { hasText: 'She stays' }).waitFor();
    assert.equal(meta(user, 'Branch - she stays').lorefork.label, 'She stays');
    assert.equal(meta(user, 'Branch - she stays').lorefork.note, 'Sad.');
    await page.notice('Saved').locator('.lorefork-offer').click();
    await page.told('Taken back');
    assert.equal(meta(user, 'Branch - she stays').lorefork.label, undefined);
    await page.clearNotices();
    // Also of the open chat, which is in memory.
    await openRow(page, STORY);
    await act(page, 'canon');
    await page.told('Saved');
    assert.equal(await page.run(() => SillyTavern.getContext().chatMetadata.lorefork.canon), true);
    await page.clearNotices();
    await openRow(page, 'Branch - she stays');
    await act(page, 'rename');
    await page.popupWith('Rename this timeline').locator('.popup-input').fill('The lighthouse');
    await page.accept('Rename this timeline');
    await row(page, 'The lighthouse').waitFor();
    await page.gateway.quiet();
    assert.equal(meta(user, 'Branch - she stays, and sleeps').main_chat, 'The lighthouse');
    // A name that is taken is refused before anything is written.
    await openRow(page, 'The lighthouse');
    await act(page, 'rename');
    await page.popupWith('Rename this timeline').locator('.popup-input').fill('Old branch');
    await page.accept('Rename this timeline');
    await page.popupWith('This was not done').waitFor();
    await page.accept('This was not done');
    assert.ok(fs.existsSync(storyFile(user, 'The lighthouse')));
    await page.accept('Story tree');
});

scene('a timeline is deleted, stands dashed in the tree, and comes back', family, async ({ page, user }) => {
    await openTree(page);
    await openRow(page, 'Branch - the boat');
    await act(page, 'delete');
    await page.accept('Delete this timeline?');
    await page.told('Timeline deleted');
    await page.tab.locator(`${ROW}[data-gone]`, { hasText: 'in the trash' }).waitFor();
    assert.equal(fs.existsSync(storyFile(user, 'Branch - the boat')), false);
    await page.clearNotices();
    await act(page, 'back');
    await page.accept('Take this back?');
    await page.told('Taken back');
    await page.tab.waitForFunction(() => !document.querySelector('.lorefork-story [data-gone]'));
    assert.ok(fs.existsSync(storyFile(user, 'Branch - the boat')));
    await page.accept('Story tree');
});

scene('two timelines are compared, an entry is carried over, and taken back', family, async ({ page, user }) => {
    const book = () => JSON.parse(fs.readFileSync(path.join(user, 'worlds', `${BOOK}.json`), 'utf8'));
    const before = JSON.stringify(book());
    await openTree(page);
    await openRow(page, 'Branch - the boat');
    await act(page, 'compare');
    const popup = page.popupWith('Two timelines');
    await popup.waitFor();
    await look(page, 'story-compare', POPUP);
    assert.match(await popup.innerText(), /They part after message 41/);
    assert.ok(await popup.locator('.lorefork-difference ins', { hasText: 'she can sail' }).count());
    await popup.locator('.lorefork-entry', { hasText: 'item-The boat' }).locator('input').check();
    await popup.locator('.lorefork-entry', { hasText: 'she can sail' }).locator('input').check();
    await popup.locator('.popup-button-custom', { hasText: 'to here' }).click();
    await page.popupWith('Carry this over?').waitFor();
    await look(page, 'story-carry');
    await page.popupWith('Carry this over?').locator('select').selectOption('both');
    await page.accept('Carry this over?');
    await page.told('Carried over');
    const texts = Object.values(book().entries).map(({ content }) => content);
    assert.ok(texts.some((text) => text.includes('red sail')));
    assert.ok(texts.some((text) => text.includes('she can sail')));
    await page.popupWith('Two timelines').waitFor();
    await page.notice('Carried over').locator('.lorefork-offer').click();
    await page.told('Taken back');
    assert.equal(JSON.stringify(book()), before);
    await page.accept('Two timelines');
    await page.accept('Story tree');
});

scene('the keyboard alone goes all the way', family, async ({ page }) => {
    await openTree(page);
    const { keyboard } = page.tab;
    const here = () => page.run(() => {
        const item = document.activeElement?.closest('[role="treeitem"]');
        return item ? { chat: item.dataset.chat, stands: item.dataset.stands, act: document.activeElement.dataset.act } : null;
    });
    assert.equal((await here()).chat, STORY, 'one begins where one is');
    await keyboard.press('Home');
    assert.equal((await here()).stands, 'start');
    await keyboard.press('End');
    assert.equal((await here()).chat, STORY);
    for (let n = 0; n < 20 && (await here()).chat !== 'Branch - the boat'; n++) await keyboard.press('ArrowUp');
    await keyboard.press('Enter');
    await page.tab.locator('.lorefork-story-details').waitFor();
    await page.gateway.quiet();
    await page.tab.waitForFunction(() => document.activeElement?.getAttribute('role') === 'treeitem');
    await keyboard.press('ArrowRight');
    assert.equal((await here()).act, 'open');
    await keyboard.press('Enter');
    assert.equal((await page.switched(STORY)).name, 'Branch - the boat');
    // The sign says where one is, and leads back.
    const sign = page.tab.locator('.lorefork-where-am-i');
    await sign.waitFor();
    assert.match(await sign.innerText(), /Out to sea/);
    assert.match(await sign.innerText(), /The Last Lamp/);
    await sign.focus();
    await keyboard.press('Enter');
    await page.tab.locator(ROW).first().waitFor();
    await page.gateway.quiet();
    assert.equal((await here()).chat, 'Branch - the boat');
    await keyboard.press('/');
    await keyboard.type('lamp');
    await keyboard.press('Escape');
});

scene('a hundred timelines take at most three requests, and three hundred stay fluid', (user) => {
    const at = (n) => 2 + ((n * 7) % 50);
    for (let n = 0; n < 99; n++) timeline(user, `Branch #${n + 1}`, { at: at(n), own: n % 5, kind: n % 3 ? 'branch' : 'checkpoint' });
}, async ({ page, user, gateway }) => {
    await page.run(() => import('/scripts/extensions/third-party/lorefork/src/engine.js').then(({ engine }) => engine()).then(() => {}));
    await gateway.quiet();
    const before = gateway.api().length;
    await openTree(page);
    const asked = gateway.api().slice(before).map(({ path }) => path);
    assert.ok(asked.length <= 3, `requests: ${asked}`);
    await page.tab.waitForFunction(() => document.querySelectorAll('.lorefork-story [role="treeitem"]').length > 100);
    await page.accept('Story tree');
    for (let n = 99; n < 299; n++) timeline(user, `Branch #${n + 1}`, { at: 2 + ((n * 7) % 50), own: n % 5 });
    await page.run(() => {
        globalThis.longest = 0;
        globalThis.seen = new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (globalThis.longest = Math.max(globalThis.longest, duration))));
        globalThis.seen.observe({ type: 'longtask' });
    });
    await openTree(page);
    await page.tab.waitForFunction(() => document.querySelectorAll('.lorefork-story [role="treeitem"]').length > 300);
    console.log(`  300 timelines: the longest task took ${await page.run(() => (globalThis.seen.disconnect(), globalThis.longest))} ms`);
    await look(page, 'story-300');
    await page.accept('Story tree');
});

scene('names that are long or odd, and a parent that is gone', (user) => {
    timeline(user, LONG, { at: 28, own: 3, label: '長'.repeat(100), says: '彼女は灯台に火をともした。' });
    timeline(user, 'Branch - odd', { at: 30, own: 1, label: 'שלום <b>x</b>' });
    alone(user, 'Orphan', 20);
    editChat(storyFile(user, 'Orphan'), (meta) => (meta.main_chat = 'Orphan'));
}, async ({ page }) => {
    await openTree(page);
    await openRow(page, LONG);
    await look(page, 'story-long');
    assert.equal(await page.tab.locator('.lorefork-story b').count(), 0, 'a label is text');
    await page.accept('Story tree');
});

scene('a chat that stands alone says so', () => {}, async ({ page }) => {
    assert.equal(await page.tab.locator('.lorefork-where-am-i').count(), 0);
    await openTree(page);
    assert.match(await page.popupWith('Story tree').innerText(), /No story has parted here yet/);
    await look(page, 'story-alone');
    await page.accept('Story tree');
});

scene('a group has a tree, too', () => {}, async ({ page }) => {
    await page.openGroup(GROUP, GROUP_CHAT);
    await page.command('/branch-create mesId=2');
    await page.settled();
    await openTree(page);
    const all = await names(page);
    assert.ok(all.length >= 3 && all.includes(GROUP_CHAT), String(all));
    await page.accept('Story tree');
});
