// What happens in one timeline never appears in another.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { books, chats, differences, photograph, readBook, readSolo } from './files.mjs';
import { until } from './page.mjs';
import { BOOK, editBook, editSettings, editStory, LAST, QUEUE, STORY, storyFile } from './sample.mjs';
import { forks, same, suite } from './suite.mjs';

const scene = suite('isolation');
const bookFile = (user, name) => fs.readFileSync(path.join(user, 'worlds', `${name}.json`));

/** What a memory extension does in the open timeline: a new entry, a line in a registry, waiting work. */
async function remember(page, mark) {
    const book = await page.run(async (mark) => {
        const { chatMetadata, loadWorldInfo, saveWorldInfo } = SillyTavern.getContext();
        const { createWorldInfoEntry } = await import('/scripts/world-info.js');
        const name = chatMetadata.world_info;
        const data = structuredClone(await loadWorldInfo(name));
        const entry = createWorldInfoEntry(name, data);
        Object.assign(entry, { comment: `character-${mark}`, content: `Secret of ${mark}.`, key: [mark] });
        const find = (comment) => Object.values(data.entries).find((entry) => entry.comment === comment);
        find('_registry_character').content += `\nuid:${entry.uid} name:${mark}`;
        const queue = find('__operation_queue');
        queue.content = JSON.stringify({ ...JSON.parse(queue.content), queue: [{ id: `op-${mark}`, type: 'lorebook_entry_lookup', status: 'pending' }] });
        await saveWorldInfo(name, data, true);
        return name;
    }, mark);
    await page.gateway.quiet();
    return book;
}

function knows(user, book, mark) {
    return bookFile(user, book).includes(mark);
}

scene('an entry, a registry line and waiting work of one timeline never appear in another', async ({ page, user }) => {
    const branch = await page.branch(28);
    const untouched = bookFile(user, BOOK);
    assert.equal(await remember(page, 'Brannock'), branch.book);
    assert.ok(knows(user, branch.book, 'Brannock'));
    assert.ok(bookFile(user, BOOK).equals(untouched), 'what the branch learns, the story does not');

    await page.openSolo(STORY);
    const theirs = bookFile(user, branch.book);
    assert.equal(await remember(page, 'Maren'), BOOK);
    assert.ok(knows(user, BOOK, 'Maren') && !knows(user, BOOK, 'Brannock'));
    assert.ok(bookFile(user, branch.book).equals(theirs), 'what the story learns, the branch does not');

    await page.openSolo(branch.name);
    const active = await page.run(async () => {
        const { getSortedEntries } = await import('/scripts/world-info.js');
        return (await getSortedEntries()).map(({ comment, world }) => `${world}/${comment}`);
    });
    assert.ok(active.includes(`${branch.book}/character-Brannock`));
    assert.deepEqual(active.filter((name) => name.startsWith(`${BOOK}/`) || name.includes('Maren')), [], "the prompt is built from the branch's lorebook alone");
    await page.reload();
    await page.openSolo(branch.name);
    await page.saved();
    assert.ok(!knows(user, branch.book, 'Maren') && !knows(user, BOOK, 'Brannock'));
});

scene('two branches from one message have a lorebook each', async (s) => {
    const { page, user } = s;
    const first = await forks(s, { at: 28, kind: 'branch', entries: 27 }, () => page.branch(28));
    await remember(page, 'Brannock');
    await page.openSolo(STORY);
    const second = await forks(s, { at: 28, kind: 'branch', entries: 27 }, () => page.branch(28));
    assert.notEqual(first.book, second.book);
    assert.notEqual(first.name, second.name);
    assert.ok(!knows(user, second.book, 'Brannock'));
    assert.deepEqual(readSolo(user, STORY).messages[28].extra.branches, [first.name, second.name]);
});

scene('a checkpoint of a checkpoint comes from that one, and names do not grow', async (s) => {
    const { page, user } = s;
    const first = await forks(s, { at: 28, kind: 'checkpoint', entries: 27, name: 'One' }, () => page.checkpoint(28, 'One'));
    await page.openSolo('One');
    await page.clearNotices();
    const parent = 'chats/Tamsin/One.jsonl';
    const second = await forks(s, { at: 13, kind: 'checkpoint', entries: 21, name: 'Two', parent }, () => page.checkpoint(13, 'Two'));
    assert.match(second.book, /^z-AutoLB-Tamsin-The Last Lamp__CP_Two_[a-z0-9]{4}$/);
    assert.equal(second.made.meta.main_chat, 'One');
    assert.equal(new Set([BOOK, first.book, second.book]).size, 3);
    await page.clearNotices();
    // At its last message, unchanged since it was made: exactly what it was made of.
    const third = await forks(s, { at: 28, kind: 'checkpoint', entries: 27, name: 'Three', parent }, () => page.checkpoint(28, 'Three'));
    assert.deepEqual(readBook(user, third.book).entries, readBook(user, first.book).entries);
});

scene('rapid switching among three checkpoints and the story changes nothing', async ({ page, user }) => {
    const names = [STORY];
    for (const at of [13, 28, 41]) names.push(await page.command(`/checkpoint-create mesId=${at}`));
    const owner = new Map(names.map((name) => [name, readSolo(user, name).meta.world_info]));
    assert.equal(new Set(owner.values()).size, 4);
    await page.saved();
    const before = photograph(user);
    // Not waiting for anything that SillyTavern does not wait for itself.
    for (let round = 0; round < 12; round++) {
        await page.run((name) => SillyTavern.getContext().openCharacterChat(name), names[(round * 3) % 4]);
    }
    await page.settled();
    await page.saved();
    same(before, user);
    for (const name of names) {
        await page.openSolo(name);
        assert.equal((await page.chat()).book, owner.get(name));
    }
});

scene('a chat without a lorebook forks without one', { change: (user) => editStory(user, (meta) => delete meta.world_info) }, async (s) => {
    const { page, user } = s;
    await forks(s, { at: 28, kind: 'checkpoint', book: false }, () => page.checkpoint(28));
    await forks(s, { at: 13, kind: 'branch', book: false }, () => page.branch(13));
    assert.equal(books(user).length, 3);
});

/** A lorebook written by hand, and a chat that no memory extension ever saw. */
function byHand(user) {
    editStory(user, (meta, messages) => {
        for (const key of Object.keys(meta)) if (/^auto/i.test(key)) delete meta[key];
        for (const message of messages) {
            delete message.extra?.auto_recap_memory;
            for (const info of message.swipe_info ?? []) delete info.extra?.auto_recap_memory;
        }
    });
    editBook(user, BOOK, (book) => {
        for (const [key, { comment }] of Object.entries(book.entries)) if (comment.startsWith('_')) delete book.entries[key];
    });
}

scene('without memory data the lorebook is copied as it is', { change: byHand }, async (s) => {
    const { page, user } = s;
    const { book } = await forks(s, { at: LAST, kind: 'checkpoint' }, () => page.checkpoint(LAST));
    assert.deepEqual(readBook(user, book).book.entries, readBook(user, BOOK).book.entries);
    assert.deepEqual(readBook(user, book).queues, [], 'no queue appears');
    await page.clearNotices();
    // Earlier, it may be newer than the message; that is said, before or after.
    const before = photograph(user);
    await page.pressBranch(28);
    const asks = page.popupWith('Create branch nevertheless');
    await until(async () => (await asks.count()) > 0 || (await page.chat()).name !== STORY, 'something happens');
    if (await asks.count()) await asks.locator('.popup-button-ok').click();
    const opened = await page.switched(STORY);
    assert.equal(differences(before, photograph(user)).filter((words) => words.startsWith('+')).length, 2);
    assert.deepEqual(readBook(user, opened.book).book.entries, readBook(user, BOOK).book.entries);
});

scene('a lorebook that is also global: said before anything is written', { change: (user) => editSettings(user, (settings) => (settings.world_info_settings.world_info.globalSelect = [BOOK])) }, async (s) => {
    const { page, user, before } = s;
    await page.pressBranch(28);
    const asks = page.popupWith('Create branch nevertheless');
    await asks.waitFor();
    await asks.locator('.popup-button-cancel').click();
    await page.over();
    same(before, user, 'cancelled, nothing is there');
    await forks(s, { at: 28, kind: 'branch', entries: 27 }, async () => {
        await page.pressBranch(28);
        await page.popupWith('Create branch nevertheless').locator('.popup-button-ok').click();
        return page.switched(STORY);
    });
});

scene('a lorebook that is shared on purpose stays shared in a fork by another module', { odd: true, change: (user) => editBook(user, BOOK, (book) => (book.extensions = { lorefork: { share: true } })) }, async ({ page, user }) => {
    const name = await page.run(async () => (await import('/scripts/bookmarks.js')).createBranch(28));
    await page.saved();
    assert.equal(readSolo(user, name).meta.world_info, BOOK);
    assert.deepEqual((await page.notices()).filter((words) => words.includes('Lorebook')), []);
});

scene('a lorebook that is shared on purpose stays shared', { odd: true, change: (user) => editBook(user, BOOK, (book) => (book.extensions = { lorefork: { share: true } })) }, async ({ page, user }) => {
    const branch = await page.branch(LAST);
    assert.equal(branch.book, BOOK);
    const words = await page.told('Branch created');
    assert.match(words, /shared lorebook/);
    assert.doesNotMatch(words, /entries/);
    assert.equal(readSolo(user, branch.name).meta.world_info, BOOK);
    assert.equal(books(user).length, 3, 'no lorebook was made');
    await page.saved();
    assert.deepEqual((await page.notices()).filter((words) => words.includes('is also used by')), [], 'and nobody complains');
});

scene('a message edited a moment ago is in the fork', async (s) => {
    const { page, user } = s;
    // In one go: SillyTavern has not saved it yet.
    const name = await page.run(async () => {
        const { chat, saveMetadataDebounced, chatMetadata, executeSlashCommandsWithOptions } = SillyTavern.getContext();
        chat[13].mes += ' Edited just now.';
        chatMetadata.variables.barrels = '7';
        saveMetadataDebounced();
        return (await executeSlashCommandsWithOptions('/checkpoint-create mesId=13')).pipe;
    });
    const made = readSolo(user, name);
    assert.match(made.messages[13].mes, /Edited just now\.$/);
    assert.equal(made.meta.variables.barrels, '7');
    assert.match(readSolo(user, STORY).messages[13].mes, /Edited just now\.$/, 'and saved in the parent');
});

scene('what was typed into the lorebook editor a moment ago is in the fork', async (s) => {
    const { page, user } = s;
    await page.tab.click('#WIDrawerIcon');
    await page.run((book) => {
        const select = document.querySelector('#world_editor_select');
        select.value = [...select.options].find(({ textContent }) => textContent === book).value;
        $(select).trigger('change');
    }, BOOK);
    const entry = page.tab.locator('#world_popup_entries_list .world_entry', { has: page.tab.locator('textarea[name="comment"], input[name="comment"]') }).nth(12);
    await entry.locator('.inline-drawer-toggle').first().click();
    const text = entry.locator('textarea[name="content"]');
    const uid = await entry.getAttribute('uid');
    // In one go: SillyTavern has not saved it yet.
    const name = await text.evaluate(async (field) => {
        field.value = 'Typed just now.';
        field.dispatchEvent(new Event('input', { bubbles: true }));
        return (await SillyTavern.getContext().executeSlashCommandsWithOptions('/checkpoint-create mesId=60')).pipe;
    });
    const book = readSolo(user, name).meta.world_info;
    assert.equal(readBook(user, book).book.entries[uid].content, 'Typed just now.');
    assert.equal(readBook(user, BOOK).book.entries[uid].content, 'Typed just now.', 'and saved in the parent');
});

scene('a lorebook that was changed elsewhere is not overwritten and not copied: reload first', async ({ page, user }) => {
    editBook(user, BOOK, (book) => (book.entries[9].content = 'Changed on disk.'));
    const before = photograph(user);
    await page.pressBranch(LAST);
    await page.popupWith('Cannot create branch').waitFor();
    assert.match(await page.popupWith('Cannot create branch').innerText(), /reload/i);
    await page.accept('Cannot create branch');
    await page.over();
    same(before, user);
    await page.reload();
    await page.openSolo(STORY);
    const { book } = await page.branch(LAST);
    assert.equal(readBook(user, book).book.entries[9].content, 'Changed on disk.');
});

scene('another swipe of a scene\'s last message does not know what the chosen one knows', async ({ page, user }) => {
    const before = photograph(user);
    await page.press(28, 'mes_swipe_picker').catch(() => {});
    const block = page.popup().locator('[data-swipe-id="0"]').first();
    await block.waitFor();
    await block.hover();
    await block.locator('.swipe_picker_branch').click();
    const { name, book } = await page.switched(STORY);
    const made = readSolo(user, name);
    assert.equal(made.messages[28].swipe_id, 0);
    assert.equal(made.messages[28].mes, readSolo(user, STORY).messages[28].swipes[0]);
    assert.equal(readBook(user, book).entries.length, 21, 'the scene of that swipe was never recapped: the lorebook is of the scene before');
    assert.ok(!before.has(`worlds/${book}.json`));
});

scene('switched off, every timeline works on as an ordinary chat with an ordinary lorebook', async ({ page, tavern, user }) => {
    const { name, book } = await page.branch(28);
    await tavern.close();
    editSettings(user, (settings) => settings.extension_settings.disabledExtensions.push('third-party/lorefork'));
    const plain = await tavern.open();
    await plain.openSolo(name);
    assert.equal((await plain.chat()).book, book);
    const { length } = await plain.chat();
    assert.equal(length, 29);
    await plain.openSolo(STORY);
    await plain.saved();
    assert.equal(readSolo(user, STORY).messages.length, LAST + 1);
    assert.ok(fs.existsSync(storyFile(user, name)));
    assert.deepEqual(chats(user), [STORY, name].sort());
    assert.ok(readBook(user, book).entry(QUEUE));
});
