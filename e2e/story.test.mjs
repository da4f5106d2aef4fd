// The story tree: seen, searched, walked with the keyboard; timelines labelled, renamed, compared, deleted, and entries
// carried over; all of it taken back.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { act, family, names, openRow, openTree, row, ROW, timeline } from './family.mjs';
import { chats, readChat } from './files.mjs';
import { until } from './page.mjs';
import { BOOK, editChat, GROUP, GROUP_CHAT, STORY, storyFile } from './sample.mjs';
import { suite } from './suite.mjs';
import { alone } from './tangled.mjs';

const show = suite('story');

/** @param {string} title @param {(user: string) => void} change @param {(scene: import('./suite.mjs').Scene) => Promise<void>} act */
const scene = (title, change, act) => show(title, { change, complaints: [/./], odd: true }, act);

const meta = (user, chat) => readChat(storyFile(user, chat)).header.chat_metadata;

scene('the tree is seen in all its parts, and searched', family, async ({ page }) => {
    await openTree(page);
    const all = await names(page);
    for (const chat of ['Checkpoint - the storm', 'Branch - she stays', 'Branch - she stays, and sleeps', 'Branch - the boat', 'Old branch', STORY]) assert.ok(all.includes(chat), chat);
    assert.match(await page.tab.locator('.lorefork-story-rows').innerText(), /you are here/i);
    await openRow(page, 'Branch - she stays');
    assert.match(await row(page, 'Branch - she stays').innerText(), /Tamsin stays in the lighthouse/);
    assert.match(await row(page, 'Branch - she stays').innerText(), /Lore of Branch - she stays · \d+ entries/);
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
    await until(() => meta(user, 'Branch - she stays, and sleeps').main_chat === 'The lighthouse', 'its child follows');
    // A name that is taken is refused before anything is written.
    await openRow(page, 'The lighthouse');
    await act(page, 'rename');
    await page.popupWith('Rename this timeline').locator('.popup-input').fill('Old branch');
    await page.accept('Rename this timeline');
    await page.popupWith('This was not done').waitFor();
    await page.accept('This was not done');
    assert.ok(fs.existsSync(storyFile(user, 'The lighthouse')));
    await page.clearNotices();
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
    assert.match(await popup.innerText(), /They part after message 41/);
    assert.ok(await popup.locator('.lorefork-difference ins', { hasText: 'she can sail' }).count());
    await popup.locator('.lorefork-entry', { hasText: 'item-The boat' }).locator('input').check();
    await popup.locator('.lorefork-entry', { hasText: 'she can sail' }).locator('input').check();
    await popup.locator('.popup-button-custom', { hasText: 'to here' }).click();
    await page.popupWith('Carry this over?').waitFor();
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

scene('a fork is made from a row: at its end, or where others leave it', family, async ({ page, user }) => {
    await openTree(page);
    await openRow(page, 'Branch - the boat');
    const branch = page.tab.locator('.lorefork-story-acts [data-act="branch"]');
    assert.match(await branch.innerText(), /Branch at 53/);
    await branch.click();
    // Its own chat is opened first, then the branch.
    await page.tab.waitForFunction(() => SillyTavern.getContext().chatMetadata.main_chat === 'Branch - the boat');
    await page.settled();
    const made = (await page.chat()).name;
    assert.equal(readChat(storyFile(user, made)).messages.length, 54);
    assert.equal(meta(user, made).lorefork.at, 53);
    await page.clearNotices();
    await openTree(page);
    await page.tab.locator(`${ROW}[data-stands="fork"][data-chat="Branch - she stays"] .lorefork-story-line`).click();
    await page.gateway.quiet();
    await act(page, 'checkpoint');
    await page.nameIt('When she stays');
    await page.settled();
    assert.equal((await page.chat()).name, 'Branch - she stays', 'a checkpoint is not opened');
    await until(() => readChat(storyFile(user, 'Branch - she stays')).messages[28].extra.bookmark_link === 'When she stays', 'the checkpoint is linked');
    assert.equal(meta(user, 'When she stays').lorefork.at, 28);
});

scene('the options menu leads to the tree', family, async ({ page }) => {
    await page.tab.click('#options_button');
    await page.tab.click('#option_lorefork_tree');
    await page.tab.locator(ROW).first().waitFor();
    assert.ok(!(await page.tab.locator('#options').isVisible()), 'the menu is closed');
    await page.accept('Story tree');
});

scene('messages of all chats are searched, and relatives found by them, only when it is asked for', (user) => {
    family(user);
    // Nothing but its messages says where it comes from.
    alone(user, 'Stray', 20);
    editChat(storyFile(user, 'Stray'), (meta) => {
        for (const key of Object.keys(meta)) if (key !== 'integrity') delete meta[key];
    });
}, async ({ page, gateway }) => {
    await openTree(page);
    const find = page.tab.locator('.lorefork-story input[type="search"]');
    const more = page.tab.locator('.lorefork-story-more');
    assert.ok(!(await names(page)).includes('Stray'), 'it stands alone as long as nobody read it');
    const before = gateway.api().length;
    await find.fill('falls asleep');
    await page.tab.waitForFunction(() => /Found in 0/.test(document.querySelector('.lorefork-story-foot').textContent));
    assert.equal(gateway.api().length, before, 'nothing is read for it');
    assert.match(await more.innerText(), /Search the messages of 7 more chats/);
    await more.click();
    await row(page, 'Branch - she stays, and sleeps').waitFor();
    assert.equal(gateway.api().length, before + 7, 'each is read once');
    assert.match(await row(page, 'Branch - she stays, and sleeps').textContent(), /message 34: She falls asleep/);
    assert.ok(!(await more.isVisible()), 'all are read');
    await find.fill('');
    await row(page, 'Stray').waitFor();
    await page.accept('Story tree');
});

scene('a new name is taken back from its notice', family, async ({ page, user }) => {
    const before = fs.readFileSync(storyFile(user, 'Branch - she stays, and sleeps'), 'utf8');
    await openTree(page);
    await openRow(page, 'Branch - she stays');
    await act(page, 'rename');
    await page.popupWith('Rename this timeline').locator('.popup-input').fill('The lighthouse');
    await page.accept('Rename this timeline');
    await page.told('Renamed');
    await until(() => meta(user, 'Branch - she stays, and sleeps').main_chat === 'The lighthouse', 'its child follows');
    await page.notice('Renamed').locator('.lorefork-offer').click();
    await row(page, 'Branch - she stays').waitFor();
    await page.gateway.quiet();
    assert.ok(fs.existsSync(storyFile(user, 'Branch - she stays')));
    assert.equal(fs.existsSync(storyFile(user, 'The lighthouse')), false);
    await until(() => fs.readFileSync(storyFile(user, 'Branch - she stays, and sleeps'), 'utf8') === before, 'what followed follows back');
    await page.accept('Story tree');
});

scene('a new name is taken back from the diary, once', family, async ({ page, user }) => {
    const before = fs.readFileSync(storyFile(user, 'Branch - she stays, and sleeps'), 'utf8');
    const rename = () => page.run(() => SillyTavern.getContext().renameChat('Branch - she stays', 'The lighthouse'));
    await rename();
    await until(() => meta(user, 'Branch - she stays, and sleeps').main_chat === 'The lighthouse', 'its child follows');
    await page.gateway.quiet();
    await page.command('/lorefork-log');
    const diary = page.popupWith('What Lorefork did');
    const offers = diary.locator('li[data-what="follow"] .menu_button');
    await offers.first().waitFor();
    assert.equal(await offers.count(), 1);
    await offers.click();
    assert.match(await page.popupWith('Take this back?').innerText(), /The lighthouse, which was called “Branch - she stays”/);
    await page.accept('Take this back?');
    await page.told('Renamed');
    await until(() => fs.readFileSync(storyFile(user, 'Branch - she stays, and sleeps'), 'utf8') === before, 'what followed follows back');
    assert.ok(fs.existsSync(storyFile(user, 'Branch - she stays')) && !fs.existsSync(storyFile(user, 'The lighthouse')));
    await page.gateway.quiet();
    await page.clearNotices();
    // The way there cannot be taken back once more; the way back can.
    await page.command('/lorefork-log');
    await diary.waitFor();
    assert.equal(await diary.locator('li[data-what="follow"]').count(), 2);
    assert.equal(await offers.count(), 1);
    assert.equal(await diary.locator('li[data-what="follow"]').first().locator('.menu_button').count(), 1);
    await page.accept('What Lorefork did');
});

scene('a second click on “Carry over” carries nothing twice, and a chat that is switched ends the comparison', family, async ({ page, user, gateway }) => {
    const entries = () => Object.values(JSON.parse(fs.readFileSync(path.join(user, 'worlds', `${BOOK}.json`), 'utf8')).entries);
    const count = entries().length;
    await openTree(page);
    await openRow(page, 'Branch - the boat');
    await act(page, 'compare');
    const popup = page.popupWith('Two timelines');
    await popup.locator('.lorefork-entry', { hasText: 'item-The boat' }).locator('input').check();
    await popup.locator('.popup-button-custom', { hasText: 'to here' }).dblclick();
    const asked = page.popupWith('Carry this over?');
    await asked.locator('.popup-button-ok').evaluate((button) => (button.click(), button.click()));
    await page.told('Carried over');
    await page.gateway.quiet();
    assert.equal(entries().length, count + 1);
    assert.equal(await page.tab.locator('dialog[open]', { hasText: 'Carry this over?' }).count(), 0);
    // Another one is opened by a command, while two stand beside each other.
    await popup.waitFor();
    await page.run(() => void SillyTavern.getContext().openCharacterChat('Old branch'));
    await popup.waitFor({ state: 'detached' });
    await page.told('Another chat is open now');
    await page.tab.locator(`${ROW}[data-chat="Old branch"][aria-current="true"]`).first().waitFor();
    await gateway.quiet();
    await page.accept('Story tree');
});

scene('a second click on “Checkpoint at” asks for no second name, and forks once', family, async ({ page, user }) => {
    const before = new Set(chats(user));
    await openTree(page);
    await openRow(page, 'Branch - the boat');
    await page.tab.locator('.lorefork-story-acts [data-act="checkpoint"]').evaluate((button) => (button.click(), button.click()));
    await page.told('Another checkpoint or branch is being made');
    await page.nameIt();
    await page.told('Checkpoint created');
    await page.over();
    await page.gateway.quiet();
    assert.equal(await page.tab.locator('dialog.popup[open]', { hasText: 'Enter Checkpoint Name' }).count(), 0);
    assert.equal(chats(user).filter((name) => !before.has(name)).length, 1);
});

scene('a chat that is switched while all messages are searched ends the search', family, async ({ page, gateway }) => {
    await openTree(page);
    const find = page.tab.locator('.lorefork-story input[type="search"]');
    const more = page.tab.locator('.lorefork-story-more');
    await find.fill('falls asleep');
    await page.tab.waitForFunction(() => /Found in 0/.test(document.querySelector('.lorefork-story-foot').textContent));
    let goOn = () => {};
    const until = new Promise((resolve) => (goOn = resolve));
    let asked = 0;
    gateway.onRequest = ({ path }) => (path === '/api/chats/export' && ++asked === 1 ? { until } : undefined);
    await more.click();
    await page.tab.waitForFunction(() => /Stop/.test(document.querySelector('.lorefork-story-more').textContent));
    await page.run(() => new Promise((resolve) => {
        const { eventSource, eventTypes, openCharacterChat } = SillyTavern.getContext();
        eventSource.once(eventTypes.CHAT_CHANGED, () => setTimeout(resolve));
        void openCharacterChat('Old branch');
    }));
    goOn();
    await gateway.quiet();
    gateway.onRequest = () => {};
    assert.equal(asked, 1, 'no other is read');
    // The tree is that of the chat that is open now.
    await page.tab.waitForFunction(() => /^Search the messages/.test(document.querySelector('.lorefork-story-more').textContent));
    await find.fill('');
    await page.tab.locator(`${ROW}[data-chat="Old branch"][aria-current="true"]`).first().waitFor();
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

/** Runs in the page: watches how long tasks take, and when the first row is there. */
function watch() {
    const seen = { longest: 0, first: 0 };
    const tasks = new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (seen.longest = Math.max(seen.longest, duration))));
    tasks.observe({ type: 'longtask' });
    const rows = new MutationObserver(() => {
        if (!seen.first && document.querySelector('.lorefork-story [role="treeitem"]')) seen.first = performance.now();
    });
    rows.observe(document.body, { childList: true, subtree: true });
    performance.clearResourceTimings();
    globalThis.measured = () => {
        tasks.disconnect();
        rows.disconnect();
        const answers = performance.getEntriesByType('resource').filter(({ name, responseEnd }) => name.includes('/api/') && responseEnd < seen.first);
        return `${Math.round(seen.first - Math.max(...answers.map(({ responseEnd }) => responseEnd)))} ms from the answer to the first row, longest task ${Math.round(seen.longest)} ms`;
    };
}

scene('a hundred timelines take at most three requests, and three hundred are all there', (user) => {
    for (let n = 0; n < 99; n++) timeline(user, `Branch #${n + 1}`, { at: 2 + ((n * 7) % 50), own: n % 5, kind: n % 3 ? 'branch' : 'checkpoint' });
}, async ({ page, user, gateway }) => {
    const rows = (count) => page.tab.waitForFunction((count) => document.querySelectorAll('.lorefork-story [role="treeitem"]').length > count, count);
    await page.run(() => import('/scripts/extensions/third-party/lorefork/src/engine.js').then(({ engine }) => engine()).then(() => {}));
    await gateway.quiet();
    const before = gateway.api().length;
    await page.run(watch);
    await openTree(page);
    const asked = gateway.api().slice(before).map(({ path }) => path);
    assert.ok(asked.length <= 3, `requests: ${asked}`);
    await rows(100);
    console.log(`  100 timelines, ${asked.length} requests: ${await page.run(() => globalThis.measured())}`);
    await page.accept('Story tree');
    for (let n = 99; n < 299; n++) timeline(user, `Branch #${n + 1}`, { at: 2 + ((n * 7) % 50), own: n % 5 });
    await page.run(watch);
    await openTree(page);
    await rows(300);
    console.log(`  300 timelines: ${await page.run(() => globalThis.measured())}`);
    assert.doesNotMatch(await page.tab.locator('.lorefork-story-rows').innerText(), /missing/, 'lorebooks that were made elsewhere are there');
    await page.accept('Story tree');
});

scene('on a phone a row is tapped, and nothing is wider than the screen', family, async ({ page }) => {
    await page.tab.setViewportSize({ width: 390, height: 844 });
    await openTree(page);
    await openRow(page, 'Branch - the boat');
    const isInside = () => page.run(() => [...document.querySelectorAll('.lorefork-story, .lorefork-story-row, .lorefork-story-acts .menu_button')]
        .every((part) => part.getBoundingClientRect().right <= innerWidth && part.getBoundingClientRect().left >= 0));
    assert.ok(await isInside());
    await page.tab.locator('.lorefork-toggle', { hasText: 'My path' }).click();
    await act(page, 'open');
    assert.equal((await page.switched(STORY)).name, 'Branch - the boat');
    await page.tab.setViewportSize({ width: 1280, height: 900 });
});

scene('a chat that stands alone says so', () => {}, async ({ page }) => {
    assert.equal(await page.tab.locator('.lorefork-where-am-i').count(), 0);
    await openTree(page);
    assert.match(await page.popupWith('Story tree').innerText(), /No story has parted here yet/);
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
