// Beside other extensions: MemoryBooks, Timelines, Auto-Recap. What each of them does is done here by a few lines of ours.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { books, readBook, readSolo } from './files.mjs';
import { BOOK, editBook, editSettings, editStory, forgetScenes, LAST, QUEUE, STORY } from './sample.mjs';
import { appeared, forks, same, suite } from './suite.mjs';

const scene = suite('beside');
const MEMORIES = 'Memories of Tamsin';

const memory = (uid, end, more = {}) => ({
    uid, key: [`m${uid}`], keysecondary: [], comment: `memory ${uid}`, content: `What happened up to ${end}.`, disable: false, order: 100,
    stmemorybooks: true, STMB_start: 0, STMB_end: end, STMB_chatId: STORY, ...more,
});

/** Memories in the chat's own lorebook; no data of Auto-Recap, which would know better. */
function remembered(user) {
    editBook(user, BOOK, (book) => {
        book.entries = { 0: { ...memory(0, 0), stmemorybooks: undefined, STMB_start: undefined, STMB_end: undefined, STMB_chatId: undefined, comment: 'by hand' } };
        for (const one of [memory(1, 12, { disable: true, disabledBySummaryId: 4 }), memory(2, 28), memory(3, 50), { ...memory(4, 0), STMB_end: undefined, comment: 'arc', stmbSummary: true, stmbSourceEntryUids: ['1', '3'] }]) book.entries[one.uid] = one;
    });
    editStory(user, (meta, messages) => {
        for (const key of ['auto_recap_running_scene_recaps', 'auto_lorebooks', 'autoLorebooks', 'auto_recap']) delete meta[key];
        for (const { extra, swipe_info } of messages) for (const one of [extra, ...(swipe_info ?? []).map((info) => info.extra)]) delete one?.auto_recap_memory;
        meta.STMemoryBooks = { sceneStart: 40, sceneEnd: 55, highestMemoryProcessed: 50 };
    });
}

/** A lorebook that is bound by hand, instead of the chat's. */
function boundByHand(user) {
    remembered(user);
    fs.copyFileSync(path.join(user, 'worlds', `${BOOK}.json`), path.join(user, 'worlds', `${MEMORIES}.json`));
    editStory(user, (meta) => (meta.STMemoryBooks.manualLorebook = MEMORIES));
}

/** MemoryBooks, as far as it meets branches: when one opens whose parent was open before, it copies what is bound, whole. */
const withMemoryBooks = (page, manual = false) => page.run((manual) => {
    const { eventSource, eventTypes } = SillyTavern.getContext();
    const look = () => {
        const { chatMetadata, getCurrentChatId, chat } = SillyTavern.getContext();
        return { name: getCurrentChatId(), meta: chatMetadata, known: chat.flatMap(({ extra }) => extra?.branches ?? []) };
    };
    let last = look();
    globalThis.memoryBooksCopied = [];
    eventSource.on(eventTypes.CHAT_CHANGED, async () => {
        const before = last;
        const now = (last = look());
        if (!now.name || now.meta.main_chat !== before.name || !/ - Branch #\d+$/.test(now.name) || before.known.includes(now.name)) return;
        const own = now.meta.STMemoryBooks ?? {};
        const done = own.branchLorebookCopies;
        if (done?.version === 1 && done.branchChatId === now.name && ['completed', 'failed'].includes(done.status)) return;
        const source = manual ? own.manualLorebook : now.meta.world_info;
        if (!source) return;
        const { loadWorldInfo, saveWorldInfo, saveMetadata } = SillyTavern.getContext();
        await saveWorldInfo(`${source} Branch 1`, await loadWorldInfo(source), true);
        globalThis.memoryBooksCopied.push(source);
        if (manual) own.manualLorebook = `${source} Branch 1`;
        else now.meta.world_info = `${source} Branch 1`;
        await saveMetadata();
    });
}, manual);

const copied = (page) => page.run(() => globalThis.memoryBooksCopied);

scene('MemoryBooks: a branch has its memories up to the message, and MemoryBooks does not copy our copy', { change: remembered }, async ({ page, user }) => {
    await withMemoryBooks(page);
    const { name, book } = await page.branch(30);
    await page.saved();
    assert.deepEqual(await copied(page), []);
    const { entries } = readBook(user, book);
    assert.deepEqual(entries.map(({ comment }) => comment), ['by hand', 'memory 1', 'memory 2'], 'what ends later is left out, and summaries of it');
    assert.deepEqual(entries.slice(1).map(({ STMB_chatId }) => STMB_chatId), [name, name]);
    assert.equal(entries[1].disable, false, 'what only the summary had switched off is on again');
    const { STMemoryBooks } = readSolo(user, name).meta;
    assert.equal(STMemoryBooks.branchLorebookCopies.branchChatId, name);
    assert.deepEqual([STMemoryBooks.sceneStart, STMemoryBooks.sceneEnd, STMemoryBooks.highestMemoryProcessed], [null, null, 28]);
    assert.equal(readBook(user, BOOK).entries.length, 5, 'the parent’s is as it was');
});

scene('MemoryBooks: a checkpoint, too', { change: remembered }, async ({ page, user }) => {
    await withMemoryBooks(page);
    const name = await page.command('/checkpoint-create mesId=13 Keep');
    await page.saved();
    const { meta } = readSolo(user, name);
    assert.deepEqual(readBook(user, meta.world_info).entries.map(({ comment }) => comment), ['by hand', 'memory 1']);
    await page.openSolo(name);
    await page.saved();
    assert.deepEqual(await copied(page), []);
});

scene('MemoryBooks: what is bound by hand is copied, too, up to the message, for branches and checkpoints', { change: boundByHand, odd: true }, async ({ page, user }) => {
    await withMemoryBooks(page, true);
    const { name } = await page.branch(30);
    await page.saved();
    assert.deepEqual(await copied(page), []);
    const own = readSolo(user, name).meta.STMemoryBooks.manualLorebook;
    assert.notEqual(own, MEMORIES);
    assert.deepEqual(readBook(user, own).entries.map(({ comment }) => comment), ['by hand', 'memory 1', 'memory 2']);
    assert.equal(readBook(user, MEMORIES).entries.length, 5);
    await page.openSolo(STORY);
    const checkpoint = await page.command('/checkpoint-create mesId=13 Keep');
    await page.saved();
    const second = readSolo(user, checkpoint).meta.STMemoryBooks.manualLorebook;
    assert.notEqual(second, MEMORIES);
    assert.notEqual(second, own);
});

scene('MemoryBooks: if what is bound cannot be copied, the branch stands and opens, and says what is shared', {
    change: boundByHand,
    odd: true,
    complaints: [/./],
}, async ({ page, user, gateway }) => {
    let written = 0;
    gateway.onRequest = ({ path }) => (path === '/api/worldinfo/edit' && ++written > 1 ? 'refuse' : undefined);
    const { name } = await page.branch(28);
    const words = (await page.notices()).join();
    assert.match(words, /Branch created/);
    assert.doesNotMatch(words, /nothing was made/);
    assert.equal(readSolo(user, name).messages.length, 29);
});

scene('MemoryBooks: a lorebook that is shared on purpose stays shared', {
    odd: true,
    change: (user) => {
        boundByHand(user);
        editSettings(user, (settings) => (settings.extension_settings.lorefork = { shared: [MEMORIES] }));
    },
}, async ({ page, user }) => {
    const name = await page.command('/checkpoint-create mesId=30 Keep');
    await page.saved();
    assert.equal(readSolo(user, name).meta.STMemoryBooks.manualLorebook, MEMORIES);
});

scene('MemoryBooks: a lorebook that is locked to a character stays shared', {
    odd: true,
    change: (user) => {
        boundByHand(user);
        editSettings(user, (settings) => (settings.extension_settings.STMemoryBooks = { characterMemoryBookLocks: { 'Tamsin.png': { characterName: 'Tamsin', lorebookName: MEMORIES } } }));
    },
}, async ({ page, user }) => {
    const name = await page.command('/checkpoint-create mesId=30 Keep');
    await page.saved();
    assert.equal(readSolo(user, name).meta.STMemoryBooks.manualLorebook, MEMORIES);
});

scene('MemoryBooks: what is bound by hand is copied for a fork by another module, too', { change: boundByHand, odd: true }, async ({ page, user }) => {
    const name = await page.run(async () => (await import('/scripts/bookmarks.js')).branchChat(30));
    await page.saved();
    const own = readSolo(user, name ?? (await page.chat()).name).meta.STMemoryBooks.manualLorebook;
    assert.notEqual(own, MEMORIES);
    assert.deepEqual(readBook(user, own).entries.map(({ comment }) => comment), ['by hand', 'memory 1', 'memory 2']);
});

/** As Timelines forks: it makes a branch and opens whatever it is called. */
const likeTimelines = (page, at) => page.run(async (at) => {
    const name = await (await import('/scripts/bookmarks.js')).createBranch(at);
    await SillyTavern.getContext().openCharacterChat(name);
    return name;
}, at);

scene('Timelines: its fork opens with its own lorebook, knows its parent, is linked, and is told of once', async (s) => {
    const { page, user } = s;
    const { name } = await forks(s, { at: 28, kind: 'branch', entries: 27 }, () => likeTimelines(page, 28));
    // A brief notice goes by itself: it is read while it is there.
    const words = await page.told('Branch created');
    await page.settled();
    const { name: open, book } = await page.chat();
    assert.equal(open, name);
    assert.equal(book, readSolo(user, name).meta.world_info);
    assert.notEqual(book, BOOK);
    // Longer than it takes to say what a timeline is that was opened.
    await page.tab.waitForTimeout(3000);
    assert.match(words, /^Branch created · 27 entries, as recorded/);
    const left = (await page.notices()).map((notice) => notice.replace(/^success: /, ''));
    assert.ok(left.every((notice) => notice === words) && left.length < 2, `one notice, not ${left}`);
    await page.openSolo(STORY);
    assert.deepEqual(await page.run(() => SillyTavern.getContext().chat[28].extra.branches), [name], 'the message leads to it');
});

scene('Timelines: where nothing is recorded, Cancel means that nothing is made', { change: forgetScenes }, async ({ page, user, before }) => {
    const done = likeTimelines(page, 5).catch(() => {});
    await page.popupWith('Which lorebook').waitFor();
    await page.accept('Which lorebook');
    await page.saved();
    same(before, user);
    assert.equal((await page.chat()).name, STORY);
    assert.deepEqual(await page.notices(), []);
    // And the next one works.
    await page.branch(LAST);
    void done;
});

scene('Auto-Recap: its own interceptor does not run, and its queue is read afresh from the new lorebook', async ({ page, user, before }) => {
    await page.run((queue) => {
        globalThis.recap = { intercepted: 0, read: [] };
        document.querySelector('#chat').addEventListener('click', (event) => {
            if (event.target.closest('.mes_create_branch, .mes_create_bookmark')) globalThis.recap.intercepted += 1;
        }, true);
        const { eventSource, eventTypes } = SillyTavern.getContext();
        eventSource.on(eventTypes.CHAT_CHANGED, async () => {
            const { chatMetadata, loadWorldInfo } = SillyTavern.getContext();
            const book = chatMetadata.world_info;
            const entry = Object.values((await loadWorldInfo(book)).entries).find(({ comment }) => comment === queue);
            globalThis.recap.read.push({ book, queue: entry && JSON.parse(entry.content).queue });
        });
    }, QUEUE);
    const { book } = await page.branch(LAST);
    await page.saved();
    const { intercepted, read } = await page.run(() => globalThis.recap);
    assert.equal(intercepted, 0);
    assert.deepEqual(read, [{ book, queue: [] }]);
    assert.equal(appeared(before, user).books.length, 1, 'one lorebook was made, not two');
    assert.ok(books(user).includes(book));
});

scene('Auto-Recap: what it keeps by the name of the chat is copied to a new timeline (N-7)', {
    change: (user) => editSettings(user, (settings) => (settings.extension_settings.auto_recap_memory = { chats_enabled: { [STORY]: false }, chat_profiles: { [STORY]: 'Slow' } })),
}, async ({ page }) => {
    const name = await page.command('/checkpoint-create mesId=28 Keep');
    await page.saved();
    const kept = await page.run((name) => {
        const { chats_enabled, chat_profiles } = SillyTavern.getContext().extensionSettings.auto_recap_memory;
        return [chats_enabled[name], chat_profiles[name]];
    }, name);
    assert.deepEqual(kept, [false, 'Slow']);
});
