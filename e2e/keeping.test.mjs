// Keeping house: chats, groups, characters and lorebooks are renamed and deleted with SillyTavern's own buttons, and what
// refers to them follows. A lorebook that is missing, and lorebooks that lost their timeline.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { books, chats, photograph, readBook, readGroup, readGroupChat, readSolo } from './files.mjs';
import { hold } from './flow.mjs';
import { until } from './page.mjs';
import { BOOK, editChat, editSettings, GROUP, GROUP_CHAT, HERO, LAST, STORY, storyFile } from './sample.mjs';
import { same, suite } from './suite.mjs';
import { alone, tangled } from './tangled.mjs';

const scene = suite('keeping');
const ODD = { odd: true };

/** Renames a chat as the pencil in the list of chats does. */
const rename = (page, from, to) => page.run(async ([from, to]) => {
    const { renameGroupOrCharacterChat } = await import('/script.js');
    const { characterId, groupId } = SillyTavern.getContext();
    await renameGroupOrCharacterChat({ characterId, groupId, oldFileName: from, newFileName: to, loader: false });
}, [from, to]);

/** Deletes a chat as the cross in the list of chats does. */
const remove = (page, name) => page.run(async (name) => {
    const { deleteCharacterChatByName } = await import('/script.js');
    await deleteCharacterChatByName(String(SillyTavern.getContext().characterId), name);
}, name);

/** Deletes the open chat with the cross in the list of chats. */
async function removeOpen(page, name) {
    await page.run(() => document.querySelector('#option_select_chat').click());
    await page.tab.locator(`.select_chat_block[file_name="${name}"]`).waitFor();
    await page.run((name) => $(`.select_chat_block[file_name="${name}"] .PastChat_cross, .PastChat_cross[file_name="${name}.jsonl"]`).first().trigger('click'), name);
    await page.accept();
}

/** Waits until housekeeping has come to its end. */
async function kept(page, look, what) {
    await until(look, what);
    await page.saved();
}

/** The main chat, a checkpoint and a branch that carries the checkpoint's link along. */
async function family(page) {
    const checkpoint = await page.command('/checkpoint-create mesId=28 Keep');
    const { name: branch } = await page.branch(41);
    await page.openSolo(STORY);
    await page.saved();
    await page.clearNotices();
    return { checkpoint, branch };
}

/** Auto-Recap, as far as it looks whose a running recap is: one of another main chat it empties. */
const guardRecap = (page) => page.run(() => {
    globalThis.isRecapGuarded = true;
    const { eventSource, eventTypes } = SillyTavern.getContext();
    eventSource.on(eventTypes.CHAT_CHANGED, () => {
        const { chatMetadata, getCurrentChatId } = SillyTavern.getContext();
        const recap = chatMetadata.auto_recap_running_scene_recaps;
        if (!recap || recap.chat_id === getCurrentChatId()) return;
        if (chatMetadata.main_chat) recap.chat_id = getCurrentChatId();
        else Object.assign(recap, { chat_id: getCurrentChatId(), current_version: 0, versions: [] });
    });
});

const RECAP = 'auto_recap_running_scene_recaps';
const linksOf = ({ messages }) => messages.flatMap(({ extra }) => [extra?.bookmark_link, ...(extra?.branches ?? [])].filter(Boolean));

// Names

scene('a main chat that is renamed keeps its running recap, and its timelines their parent (N-8)', ODD, async ({ page, user }) => {
    const { checkpoint, branch } = await family(page);
    await guardRecap(page);
    const versions = readSolo(user, STORY).meta[RECAP].versions.length;
    assert.ok(versions > 1);
    await rename(page, STORY, 'The Lamp');
    await page.settled();
    await page.saveOpen();
    const { meta } = readSolo(user, 'The Lamp');
    assert.equal(meta[RECAP].versions.length, versions, 'the recap is not emptied');
    assert.equal(meta[RECAP].chat_id, 'The Lamp');
    assert.equal(meta.lorefork.chat, 'The Lamp');
    await kept(page, () => readSolo(user, branch).meta.main_chat === 'The Lamp', 'the branch follows');
    for (const child of [checkpoint, branch]) {
        const { meta } = readSolo(user, child);
        assert.equal(meta.main_chat, 'The Lamp');
        assert.equal(meta.lorefork.parent.chat, 'The Lamp');
        assert.equal(meta[RECAP].chat_id, child);
    }
    assert.match(await page.told('timelines follow'), /2 timelines/);
    // Back to the parent, with SillyTavern's own menu.
    await page.openSolo(branch);
    await page.run(() => document.querySelector('#option_back_to_main').click());
    assert.equal((await page.switched(branch)).name, 'The Lamp');
});

scene('links, branch lists and the map follow a checkpoint that is renamed, and back (N-8)', ODD, async ({ page, user }) => {
    const { checkpoint, branch } = await family(page);
    const book = readSolo(user, checkpoint).meta.world_info;
    await rename(page, checkpoint, 'Before the storm');
    await kept(page, () => linksOf(readSolo(user, branch)).includes('Before the storm'), 'the link in the branch follows');
    for (const name of [STORY, branch]) assert.ok(!linksOf(readSolo(user, name)).includes(checkpoint), name);
    assert.equal(readSolo(user, STORY).messages[28].extra.bookmark_link, 'Before the storm');
    assert.deepEqual(readSolo(user, STORY).meta.auto_recap.checkpoint_lorebook_map['Before the storm'], book);
    assert.equal(readSolo(user, STORY).meta.auto_recap.checkpoint_lorebook_map[checkpoint], undefined);
    assert.equal(await page.message(28).getAttribute('bookmark_link'), 'Before the storm', 'the flag leads there, too');
    // Back without its name, they would lead nowhere: that is refused. With its name, they are back.
    await page.told('timelines follow');
    assert.equal(await page.notice('timelines follow').locator('.lorefork-offer').count(), 0);
    const before = photograph(user);
    const { id } = await page.run(async () => (await (await import('/scripts/extensions/third-party/lorefork/src/views/diary.js')).readDiary()).operations.find(({ what }) => what === 'follow'));
    await page.run((id) => void SillyTavern.getContext().executeSlashCommandsWithOptions(`/lorefork-undo confirm=true ${id}`), id);
    // A command asks nothing: a notice says it.
    assert.match(await page.told('This cannot be taken back'), /would lead nowhere/);
    same(before, user, 'what is refused changes nothing');
    await rename(page, 'Before the storm', checkpoint);
    await kept(page, () => linksOf(readSolo(user, branch)).includes(checkpoint), 'the link is back');
    assert.equal(readSolo(user, STORY).messages[28].extra.bookmark_link, checkpoint);
    assert.equal(readSolo(user, STORY).meta.auto_recap.checkpoint_lorebook_map[checkpoint], book);
});

scene('a chat that is opened just before it follows a renaming follows where it is open', ODD, async ({ page, user, gateway }) => {
    const { checkpoint } = await family(page);
    await page.openSolo(checkpoint);
    let isRenamed = false;
    const { reached, letGo } = hold(gateway, ({ path, body }) => {
        isRenamed ||= path === '/api/chats/rename';
        return isRenamed && path === '/api/chats/export' && body.includes(`"${STORY}.jsonl"`);
    });
    await rename(page, checkpoint, 'Before the storm');
    await reached;
    await page.showSolo(STORY);
    letGo();
    await page.saved();
    // As every message does.
    await page.run(() => SillyTavern.getContext().saveChat());
    await kept(page, () => readSolo(user, STORY).messages[28].extra.bookmark_link === 'Before the storm', 'the link follows, and stays');
});

scene('a chat that is loaded anew while it should follow a renaming keeps its messages, and follows', ODD, async ({ page, user, gateway }) => {
    const { checkpoint } = await family(page);
    await page.openSolo(STORY);
    await rename(page, checkpoint, 'Before the storm');
    const { reached, letGo } = hold(gateway, ({ path }) => path === '/api/chats/get');
    await page.run(() => void SillyTavern.getContext().reloadCurrentChat());
    await reached;
    // When it would be its turn.
    await page.tab.waitForTimeout(3000);
    assert.equal(readSolo(user, STORY).messages.length, LAST + 1);
    letGo();
    await kept(page, () => readSolo(user, STORY).messages[28].extra.bookmark_link === 'Before the storm', 'the link follows');
    assert.equal(readSolo(user, STORY).messages.length, LAST + 1);
});

scene('the badge says nothing while timelines follow a renaming, and then what is so', ODD, async ({ page, gateway }) => {
    const { checkpoint } = await family(page);
    const badge = (state) => page.tab.locator(`#lorefork_settings .lorefork-badge[data-state=${state}]`);
    await badge('well').waitFor({ state: 'attached' });
    await page.run(() => {
        const element = document.querySelector('#lorefork_settings .lorefork-badge');
        globalThis.worn = [];
        new MutationObserver(() => globalThis.worn.push(element.dataset.state)).observe(element, { attributes: true, attributeFilter: ['data-state'] });
    });
    const { reached, letGo } = hold(gateway, ({ path, body }) => path === '/api/chats/save' && body.includes(`"file_name":${JSON.stringify(checkpoint)}`));
    await rename(page, STORY, 'The Lamp');
    await reached;
    // When it would be looked at, and longer.
    await page.tab.waitForTimeout(5000);
    assert.deepEqual(await page.run(() => globalThis.worn.filter((state) => ['well', 'problems', 'failed'].includes(state))), []);
    letGo();
    await badge('well').waitFor({ state: 'attached' });
    assert.deepEqual(await page.run(() => globalThis.worn.filter((state) => ['problems', 'failed'].includes(state))), []);
});

/** A chat of the same character that nobody came from. */
function unrelated(user) {
    alone(user, 'Other', 1);
    editChat(storyFile(user, 'Other'), (meta) => ['main_chat', 'world_info'].forEach((key) => delete meta[key]));
}

scene('an open chat without messages keeps nobody from following', { ...ODD, change: unrelated }, async ({ page, user }) => {
    const { checkpoint } = await family(page);
    await page.openSolo('Other');
    await rename(page, checkpoint, 'Before the storm');
    await page.run(() => void SillyTavern.getContext().chat.splice(0));
    await kept(page, () => readSolo(user, STORY).messages[28].extra.bookmark_link === 'Before the storm', 'the link follows');
});

scene('timelines follow a lorebook that is renamed (N-8)', ODD, async ({ page, user }) => {
    const { checkpoint } = await family(page);
    const book = readSolo(user, checkpoint).meta.world_info;
    await page.run(async (book) => {
        const { loadWorldInfo, saveWorldInfo } = SillyTavern.getContext();
        const { deleteWorldInfo } = await import('/scripts/world-info.js');
        // What the pencil of the editor does.
        await saveWorldInfo('The storm', await loadWorldInfo(book), true);
        await deleteWorldInfo(book);
    }, book);
    await kept(page, () => readSolo(user, checkpoint).meta.world_info === 'The storm', 'the checkpoint follows');
    const { meta, text } = readSolo(user, checkpoint);
    assert.equal(meta.auto_recap_checkpoint_state.cloned_lorebook_name, 'The storm');
    assert.ok(!text.includes(`"chatLorebookName":${JSON.stringify(book)}`), 'its scenes name the new one');
    assert.equal(readSolo(user, STORY).meta.auto_recap.checkpoint_lorebook_map[checkpoint], 'The storm');
    await page.openSolo(checkpoint);
    await page.told('Checkpoint loaded');
    assert.deepEqual((await page.notices()).filter((words) => words.startsWith('error')), []);
});

scene('a lorebook that is shared on purpose stays so under another name', {
    ...ODD, change: (user) => editSettings(user, (settings) => (settings.extension_settings.lorefork = { shared: ['Other', BOOK] })),
}, async ({ page, user }) => {
    await page.run(async (book) => {
        const { loadWorldInfo, saveWorldInfo } = SillyTavern.getContext();
        const { deleteWorldInfo } = await import('/scripts/world-info.js');
        await saveWorldInfo('Our world', await loadWorldInfo(book), true);
        await deleteWorldInfo(book);
    }, BOOK);
    const shared = () => page.run(() => SillyTavern.getContext().extensionSettings.lorefork.shared.join());
    await until(async () => (await shared()) === 'Other,Our world', 'the setting follows');
    await kept(page, () => readSolo(user, STORY).meta.world_info === 'Our world', 'and so does the chat');
    assert.equal((await page.branch(LAST)).book, 'Our world', 'a fork shares it still');
});

scene('a character that is renamed keeps its timelines as they are', {
    ...ODD, change: (user) => editSettings(user, (settings) => (settings.extension_settings.lorefork = { off: [JSON.stringify([{ character: HERO }, 'x'])] })),
}, async ({ page, user }) => {
    const { checkpoint } = await family(page);
    await page.run(async () => (await import('/script.js')).renameCharacter('Tamsin the Keeper', { silent: true, renameChats: false }));
    await page.saved();
    const [hero] = fs.readdirSync(path.join(user, 'chats')).filter((name) => name.startsWith('Tamsin the'));
    const { meta } = readSolo(user, checkpoint, hero);
    assert.equal(meta.main_chat, STORY);
    assert.ok(books(user).includes(meta.world_info));
    const off = await page.run(() => SillyTavern.getContext().extensionSettings.lorefork.off);
    assert.deepEqual(off, [JSON.stringify([{ character: hero }, 'x'])], 'a chat that is left alone stays so');
});

scene('a character that is renamed in all its chats: none of them is taken for a new timeline', {
    ...ODD, change: (user) => {
        alone(user, 'Old branch', 29);
        // Up to 1.18 a branch has the slug of its parent.
        alone(user, 'Older branch', 29);
        editChat(storyFile(user, 'Older branch'), (meta) => (meta.integrity = readSolo(user, STORY).meta.integrity));
    },
}, async ({ page, user }) => {
    await page.run(async () => (await import('/script.js')).renameCharacter('Tamsin the Keeper', { silent: true, renameChats: true }));
    await page.saved();
    const [hero] = fs.readdirSync(path.join(user, 'chats')).filter((name) => name.startsWith('Tamsin the'));
    for (const name of [STORY, 'Old branch', 'Older branch']) {
        const { meta, messages } = readSolo(user, name, hero);
        assert.equal(meta.world_info, BOOK, name);
        assert.ok(messages.some((message) => message.name === 'Tamsin the Keeper'), name);
    }
    assert.deepEqual((await page.notices()).filter((words) => /Lorebook|could not/.test(words)), []);
});

scene('names with HTML, quotes, dots and other scripts follow as their files are called', ODD, async ({ page, user }) => {
    const { checkpoint, branch } = await family(page);
    await page.run(() => (globalThis.alert = () => (globalThis.alerted = true)));
    await rename(page, checkpoint, `../嵐の前 "x" & <img src=x onerror=alert(1)>'s`);
    const name = "..嵐の前 x & img src=x onerror=alert(1)'s";
    await kept(page, () => linksOf(readSolo(user, branch)).includes(name), 'the link in the branch follows');
    assert.equal(readSolo(user, STORY).messages[28].extra.bookmark_link, name);
    assert.equal(readSolo(user, name).meta.lorefork.chat, name);
    const book = readSolo(user, name).meta.world_info;
    await page.run(async ([from, to]) => {
        const { loadWorldInfo, saveWorldInfo } = SillyTavern.getContext();
        const { deleteWorldInfo } = await import('/scripts/world-info.js');
        await saveWorldInfo(to, await loadWorldInfo(from), true);
        await deleteWorldInfo(from);
    }, [book, "嵐 & <img src=x onerror=alert(1)> 'q'"]);
    await kept(page, () => readSolo(user, name).meta.world_info.startsWith('嵐'), 'the checkpoint follows its lorebook');
    await remove(page, name);
    await kept(page, () => !linksOf(readSolo(user, STORY)).includes(name), 'the links go');
    await page.told('has no timeline any more');
    assert.equal(await page.run(() => document.querySelectorAll('#toast-container img').length), 0);
    assert.equal(await page.run(() => globalThis.alerted), undefined);
});

scene('what is sent passes, whatever it is, and a server that does not answer us holds nobody up', ODD, async ({ page, user, gateway }) => {
    const { checkpoint } = await family(page);
    const send = (path, body) => page.run(async ([path, body]) => {
        const headers = SillyTavern.getContext().getRequestHeaders();
        return (await fetch(path, { method: 'POST', headers, body })).status;
    }, [path, body]);
    assert.equal(await send('/api/chats/delete', 'no JSON'), 400, 'the server says what it thinks of it');
    assert.equal(await send('/api/worldinfo/edit', '{"name":"\\x","data":'), 400);
    gateway.onRequest = ({ path }) => (path === '/api/chats/get' ? 'hang' : undefined);
    await remove(page, checkpoint);
    assert.ok(!chats(user).includes(checkpoint), 'it is deleted all the same');
    gateway.onRequest = () => {};
    await page.runOut();
});

// Deletion

scene('a checkpoint that is deleted while another chat is open: links go, its lorebook is kept and marked (R-113)', ODD, async ({ page, user }) => {
    const { checkpoint, branch } = await family(page);
    const book = readSolo(user, checkpoint).meta.world_info;
    await remove(page, checkpoint);
    await kept(page, () => !linksOf(readSolo(user, branch)).includes(checkpoint), 'the branch has no dead link');
    assert.deepEqual(linksOf(readSolo(user, STORY)), [branch]);
    assert.equal(readSolo(user, STORY).meta.auto_recap.checkpoint_lorebook_map[checkpoint], undefined);
    assert.ok(readBook(user, book).book.extensions.lorefork.orphaned > 1e12, 'marked');
    assert.equal(readBook(user, book).entries.length, 27, 'and whole');
    await page.told('has no timeline any more');
    assert.equal((await page.chat()).name, STORY);
});

scene('a parent that is deleted while it is open: its timelines stand on their own (CHAT_DELETED comes when another chat is open)', ODD, async ({ page, user }) => {
    const { checkpoint, branch } = await family(page);
    await removeOpen(page, STORY);
    await kept(page, () => !chats(user).includes(STORY) && readSolo(user, branch).meta.main_chat === undefined, 'the branch stands on its own');
    for (const child of [checkpoint, branch]) {
        const { meta } = readSolo(user, child);
        assert.equal(meta.main_chat, undefined);
        assert.equal(meta[RECAP].chat_id, child);
        assert.ok(books(user).includes(meta.world_info));
    }
    assert.ok(books(user).includes(BOOK), 'the lorebook of the user stays');
    assert.equal(readBook(user, BOOK).book.extensions?.lorefork?.orphaned, undefined);
});

/** Auto-Recap, as far as it deletes the lorebook of a chat that is deleted. */
const withDeletion = (page) => page.run((book) => {
    const { eventSource, eventTypes } = SillyTavern.getContext();
    eventSource.on(eventTypes.CHAT_DELETED, async () => void (globalThis.recapDeleted = await (await import('/scripts/world-info.js')).deleteWorldInfo(book)));
}, BOOK);

const filesOf = (user) => fs.readdirSync(path.join(user, 'user/files')).filter((name) => name.startsWith('lorefork-'));

scene('Auto-Recap deletes the lorebook of a chat that is deleted, but others use it: it is back before anybody misses it, and that is said', {
    ...ODD, change: tangled,
}, async ({ page, user }) => {
    const before = readBook(user, BOOK).book;
    await withDeletion(page);
    await removeOpen(page, STORY);
    await page.tab.waitForFunction(() => globalThis.recapDeleted === true);
    assert.deepEqual(readBook(user, BOOK).book, before, 'it is there when Auto-Recap goes on');
    assert.match(await page.told('is back'), /2 timelines still use it/);
    await kept(page, () => readSolo(user, 'Old branch').meta.main_chat === undefined, 'its timelines stand on their own');
    assert.ok(await page.run((book) => import('/scripts/world-info.js').then(({ world_names }) => world_names.includes(book)), BOOK), 'SillyTavern knows it');
    assert.deepEqual(filesOf(user), [], 'no copy is needed any more');
    await page.openSolo('Old branch');
    await page.saved();
    // SillyTavern may still say that it is deleting; a question would stay.
    await until(async () => (await page.tab.locator('dialog.popup[open]').count()) === 0, 'nobody asks anything');
    assert.equal((await page.run((book) => SillyTavern.getContext().loadWorldInfo(book).then(({ entries }) => Object.keys(entries).length), BOOK)), Object.keys(before.entries).length);
});

scene('a lorebook that somebody deletes or overwrites, and that a timeline uses, leaves a copy, and comes back', ODD, async ({ page, user }) => {
    const before = photograph(user);
    await page.run(async (book) => (await import('/scripts/world-info.js')).deleteWorldInfo(book), BOOK);
    assert.ok(!books(user).includes(BOOK), 'that is what was wanted');
    assert.equal(filesOf(user).length, 1);
    await page.told('a timeline still uses it');
    await page.notice('a timeline still uses it').locator('.lorefork-offer').click();
    await page.told('Taken back');
    await page.saved();
    same(before, user, 'every byte is back');
    await page.clearNotices();
    // SillyTavern overwrites without waiting for its own deletion.
    await page.run((book) => void import('/scripts/world-info.js').then(({ createNewWorldInfo }) => createNewWorldInfo(book, { interactive: true })), BOOK);
    await page.accept('overwrite');
    await page.told('a timeline still uses it');
    await page.saved();
    assert.deepEqual(readBook(user, BOOK).entries, [], 'the new one stands');
    assert.equal(filesOf(user).length, 1);
});

scene('without a place for the copy, a lorebook is deleted all the same, and that is said', { ...ODD, complaints: [/./] }, async ({ page, user, gateway }) => {
    gateway.onRequest = ({ path }) => (path === '/api/files/upload' ? 'refuse' : undefined);
    await page.run(async (book) => (await import('/scripts/world-info.js')).deleteWorldInfo(book), BOOK);
    assert.match(await page.told('a timeline still uses it'), /No copy of it could be kept/);
    assert.ok(!books(user).includes(BOOK));
    gateway.onRequest = () => {};
});

scene('a character that is deleted leaves its lorebooks, marked', { ...ODD, open: (page) => page.openSolo() }, async ({ page, user }) => {
    const { checkpoint, branch } = await family(page);
    const own = [checkpoint, branch].map((name) => readSolo(user, name).meta.world_info);
    await page.run(async (avatar) => (await import('/script.js')).deleteCharacter(avatar, { deleteChats: true }), `${HERO}.png`);
    await kept(page, () => own.every((name) => readBook(user, name).book.extensions.lorefork.orphaned), 'both are marked');
    await page.told('2 lorebooks have no timeline any more');
    assert.ok(books(user).includes(BOOK));
});

scene('groups: renamed and deleted chats, and the whole group (R-151)', { ...ODD, open: (page) => page.openGroup(GROUP) }, async ({ page, user }) => {
    const first = await page.command('/checkpoint-create mesId=8 Watch');
    await page.saved();
    await rename(page, GROUP_CHAT, 'Night watch');
    await page.settled();
    await kept(page, () => readGroupChat(user, first).meta.main_chat === 'Night watch', 'the checkpoint follows');
    assert.deepEqual(readGroup(user, GROUP).chats.includes('Night watch'), true);
    const book = readGroupChat(user, first).meta.world_info;
    await page.run(async ([group, name]) => (await import('/scripts/group-chats.js')).deleteGroupChat(group, name, { jumpToNewChat: false }), [GROUP, first]);
    await kept(page, () => !linksOf(readGroupChat(user, 'Night watch')).length, 'the link is gone');
    assert.ok(readBook(user, book).book.extensions.lorefork.orphaned);
    const second = await page.command('/checkpoint-create mesId=8 Second');
    await page.saved();
    const other = readGroupChat(user, second).meta.world_info;
    await page.run(() => void $('#rm_group_delete').trigger('click'));
    await page.accept();
    await kept(page, () => readBook(user, other).book.extensions.lorefork.orphaned, 'its lorebook is marked');
});

// Orphans

/** A checkpoint whose chat was deleted on disk, so that nobody saw it. */
async function orphan({ page, tavern, user }) {
    const name = await page.command('/checkpoint-create mesId=28 Keep');
    await page.saved();
    const book = readSolo(user, name).meta.world_info;
    const again = await tavern.between(() => {
        fs.rmSync(storyFile(user, name));
        editChat(storyFile(user), (meta, messages) => delete messages[28].extra.bookmark_link);
    });
    await again.openSolo();
    return { page: again, book };
}

scene('lorebooks without a timeline are listed, deleted with a copy, and brought back (R-117)', ODD, async (s) => {
    const { user } = s;
    const { page, book } = await orphan(s);
    const bytes = fs.readFileSync(path.join(user, 'worlds', `${book}.json`));
    const before = photograph(user);
    await page.run(async () => void (await import('/scripts/extensions/third-party/lorefork/src/views/orphans.js')).showOrphans());
    const popup = page.popupWith('Lorebooks without a timeline');
    await popup.waitFor();
    const words = await popup.innerText();
    for (const part of [book, 'KB', 'made for “Keep” at message 28', BOOK]) assert.ok(words.includes(part), `${part} is in: ${words}`);
    assert.ok(!words.includes('Night Watch'), 'lorebooks written by hand are nobody’s orphans');
    same(before, user, 'looking changes nothing');
    await popup.locator('input[type=checkbox]').check();
    await popup.getByText('Delete the chosen ones').click();
    await page.told('Lorebooks deleted');
    await page.saved();
    assert.ok(!books(user).includes(book));
    const copies = fs.readdirSync(path.join(user, 'user/files'));
    assert.equal(copies.length, 1, copies.join());
    assert.deepEqual(JSON.parse(fs.readFileSync(path.join(user, 'user/files', copies[0]))), JSON.parse(bytes), 'its copy');
    await page.notice('Lorebooks deleted').locator('.lorefork-offer').click();
    await page.told('Taken back');
    await page.saved();
    assert.deepEqual(fs.readFileSync(path.join(user, 'worlds', `${book}.json`)), bytes, 'brought back, byte for byte');
});

scene('lorebooks without a timeline: with the keyboard alone, and only once', ODD, async (s) => {
    const { user } = s;
    const { page, book } = await orphan(s);
    const { keyboard } = page.tab;
    const to = async (target) => {
        for (let presses = 0; presses < 20 && !(await target.evaluate((element) => element === document.activeElement)); presses++) await keyboard.press('Tab');
        assert.ok(await target.evaluate((element) => element === document.activeElement), 'it can be reached');
    };
    await page.run(async () => {
        const { showOrphans } = await import('/scripts/extensions/third-party/lorefork/src/views/orphans.js');
        void showOrphans();
        void showOrphans();
    });
    const popup = page.popupWith('Lorebooks without a timeline');
    await popup.waitFor();
    assert.equal(await page.tab.locator('dialog[open] .lorefork-orphans').count(), 1, 'two clicks, one page');
    await to(popup.locator('input[type=checkbox]'));
    await keyboard.press('Space');
    await to(popup.getByText('Delete the chosen ones'));
    await keyboard.press('Enter');
    await page.told('Lorebooks deleted');
    assert.ok(!books(user).includes(book));
    const offer = page.notice('Lorebooks deleted').locator('.lorefork-offer');
    await offer.focus();
    await keyboard.press('Enter');
    await page.told('Taken back');
    await page.saved();
    assert.ok(books(user).includes(book));
});

scene('a lorebook that a chat of somebody else names is no orphan (R-115)', ODD, async (s) => {
    const { page, tavern, user } = s;
    const name = await page.command('/checkpoint-create mesId=28 Keep');
    await page.saved();
    const book = readSolo(user, name).meta.world_info;
    const again = await tavern.between(() => {
        fs.rmSync(storyFile(user, name));
        const other = fs.readdirSync(path.join(user, 'chats')).find((hero) => hero !== HERO && chats(user, hero).length);
        editChat(path.join(user, 'chats', other, `${chats(user, other)[0]}.jsonl`), (meta) => (meta.world_info = book));
    });
    await again.run(async () => void (await import('/scripts/extensions/third-party/lorefork/src/views/orphans.js')).showOrphans());
    const popup = again.popupWith('Lorebooks without a timeline');
    await popup.waitFor();
    assert.match(await popup.innerText(), /There are none/);
});

// A missing lorebook

/** Opens a checkpoint whose lorebook was deleted on disk. */
async function missing({ page, tavern, user }, change = () => {}) {
    const name = await page.command('/checkpoint-create mesId=28 Keep');
    await page.saved();
    const book = readSolo(user, name).meta.world_info;
    const again = await tavern.between(() => {
        fs.rmSync(path.join(user, 'worlds', `${book}.json`));
        change(name);
    });
    await again.openSolo(name);
    const popup = again.popupWith('The lorebook of this timeline is missing');
    await popup.waitFor();
    await again.saved();
    assert.ok(!books(user).includes(book), 'nothing is written before somebody has chosen');
    return { page: again, popup, name, book, before: photograph(user) };
}

const CHOICES = {
    rebuild: ({ entries }) => assert.equal(entries().length, 27),
    parent: ({ entries }) => assert.equal(entries().length, 29, 'with its future'),
    empty: ({ entries }) => assert.equal(entries().length, 0),
    detach: ({ meta, exists }) => {
        assert.equal(meta().world_info, undefined);
        assert.equal(exists(), false);
    },
};

for (const [choice, check] of Object.entries(CHOICES)) {
    scene(`a missing lorebook: ${choice}, and back (R-110)`, ODD, async (s) => {
        const { user } = s;
        const { page, popup, name, book, before } = await missing(s);
        await popup.locator(`[data-instead=${choice}]`).click();
        await page.told('Missing lorebook');
        await page.saved();
        check({ entries: () => readBook(user, book).entries, meta: () => readSolo(user, name).meta, exists: () => books(user).includes(book) });
        if (choice !== 'detach') {
            // SillyTavern knows it, and works with it.
            const known = await page.run(async (book) => Object.keys((await SillyTavern.getContext().loadWorldInfo(book)).entries).length, book);
            assert.equal(known, Object.keys(readBook(user, book).book.entries).length);
        }
        await page.notice('Missing lorebook').locator('.lorefork-offer').last().click();
        await page.told('Taken back');
        await page.saved();
        same(before, user, 'as before');
    });
}

scene('a missing lorebook that SillyTavern is just asking for is not taken for empty when it is there again', ODD, async (s) => {
    const { page, popup, book } = await missing(s);
    let tell;
    const written = new Promise((resolve) => (tell = resolve));
    let isAsked = false;
    s.gateway.onRequest = ({ path, body }) => {
        if (path === '/api/worldinfo/edit') setTimeout(tell, 500);
        if (path !== '/api/worldinfo/get' || !body.includes(book) || isAsked) return undefined;
        isAsked = true;
        return { until: written };
    };
    await page.run((book) => void import('/scripts/world-info.js').then(({ loadWorldInfo, worldInfoCache }) => {
        worldInfoCache.delete(book);
        return loadWorldInfo(book);
    }), book);
    await until(() => isAsked, 'SillyTavern asks');
    await popup.locator('[data-instead=rebuild]').click();
    await page.told('Its lorebook is rebuilt');
    await page.saved();
    const known = await page.run((book) => import('/scripts/world-info.js').then(({ loadWorldInfo }) => loadWorldInfo(book)).then(({ entries }) => Object.keys(entries).length), book);
    assert.equal(known, 28, 'all entries, and the queue');
});

scene('a missing lorebook that this page still has in memory', ODD, async ({ page, user }) => {
    const name = await page.command('/checkpoint-create mesId=28 Keep');
    await page.openSolo(name);
    const book = readSolo(user, name).meta.world_info;
    await page.run((book) => SillyTavern.getContext().loadWorldInfo(book), book);
    await page.openSolo(STORY);
    await page.saved();
    // In another tab, say.
    fs.rmSync(path.join(user, 'worlds', `${book}.json`));
    await page.openSolo(name);
    const popup = page.popupWith('The lorebook of this timeline is missing');
    await popup.waitFor();
    await popup.locator('[data-instead=rebuild]').click();
    await page.told('Its lorebook is rebuilt');
    await page.saved();
    assert.equal(readBook(user, book).entries.length, 27);
});

scene('a missing lorebook: left as it is, with a warning that stays; keyboard only (R-110)', ODD, async (s) => {
    const { user } = s;
    const { page, popup, before } = await missing(s);
    const leave = popup.locator('.popup-button-ok');
    await leave.focus();
    await page.tab.keyboard.press('Enter');
    await page.told('is missing');
    await page.saved();
    same(before, user, 'nothing was written');
});

scene('a main chat whose lorebook is missing is asked, too, also if SillyTavern does not know of it', ODD, async ({ page, tavern, user }) => {
    const choices = (page) => page.popup().locator('[data-instead]').evaluateAll((rows) => rows.map(({ dataset }) => dataset.instead));
    await page.openSolo(undefined, '凪');
    // In another tab, say.
    fs.rmSync(path.join(user, 'worlds', `${BOOK}.json`));
    await page.run((book) => import('/scripts/world-info.js').then(({ worldInfoCache }) => worldInfoCache.delete(book)), BOOK);
    await page.openSolo(STORY);
    await page.popupWith('The lorebook of this timeline is missing').waitFor();
    assert.deepEqual(await choices(page), ['rebuild', 'empty', 'detach']);
    await tavern.close();
    const again = await tavern.open();
    await again.openSolo(STORY);
    await again.popupWith('The lorebook of this timeline is missing').waitFor();
    await again.popup().locator('[data-instead=rebuild]').click();
    await again.told('Its lorebook is rebuilt');
    await again.saved();
    assert.ok(readBook(user, BOOK).entries.length > 0);
});

scene('a missing lorebook: only what can be done is offered; with the keyboard', ODD, async (s) => {
    const { user } = s;
    const { page, popup, name, book } = await missing(s, (name) => editChat(storyFile(user, name), (meta, messages) => {
        delete meta.main_chat;
        for (const { extra, swipe_info } of messages) for (const one of [extra, ...(swipe_info ?? []).map(({ extra }) => extra)]) delete one?.auto_recap_memory;
    }));
    assert.deepEqual(await popup.locator('[data-instead]').evaluateAll((rows) => rows.map(({ dataset }) => dataset.instead)), ['empty', 'detach']);
    await popup.locator('[data-instead=empty]').focus();
    await page.tab.keyboard.press('Enter');
    await page.told('empty lorebook now');
    await page.saved();
    assert.equal(readBook(user, book).entries.length, 0);
    assert.equal(readSolo(user, name).meta.world_info, book);
});

scene('a lorebook that goes missing while the page is open is asked about when its timeline is opened again (R-110)', ODD, async ({ page, user }) => {
    const name = await page.command('/checkpoint-create mesId=28 Keep');
    await page.openSolo(name);
    await page.told('Checkpoint loaded');
    await page.openSolo(STORY);
    await page.run(async (book) => (await import('/scripts/world-info.js')).deleteWorldInfo(book), readSolo(user, name).meta.world_info);
    await page.saved();
    const popup = page.popupWith('The lorebook of this timeline is missing');
    await page.openSolo(name);
    await popup.waitFor();
    await popup.locator('.popup-button-ok').click();
    await page.told('is missing');
    await page.openSolo(STORY);
    await page.openSolo(name);
    await page.saved();
    assert.equal(await popup.count(), 0, 'once');
});

scene('a deletion of which nobody knows in time what refers to it is said', ODD, async ({ page, user, gateway }) => {
    const { checkpoint } = await family(page);
    gateway.onRequest = ({ path, body }) => (path === '/api/chats/get' && body.includes(checkpoint) ? new Promise((resolve) => setTimeout(resolve, 8000)) : undefined);
    await remove(page, checkpoint);
    await page.told('Not everything could follow');
    assert.ok(!chats(user).includes(checkpoint), 'it is deleted all the same');
});

// Settings

scene('entries of new lorebooks are ordered by name, if one wants that (R-039)', {
    change: (user) => editSettings(user, (settings) => (settings.extension_settings.lorefork = { reorder: true })),
}, async ({ page, user }) => {
    const name = await page.command(`/checkpoint-create mesId=${LAST} Keep`);
    await page.saved();
    const all = Object.values(readBook(user, readSolo(user, name).meta.world_info).book.entries);
    const ordered = [...all].sort((a, b) => b.order - a.order).map(({ comment }) => comment.toLowerCase());
    assert.deepEqual(ordered, [...ordered].sort((a, b) => a.localeCompare(b)));
    assert.equal(Math.max(...all.map(({ order }) => order)), 1000);
    const before = Object.values(readBook(user, BOOK).book.entries);
    assert.deepEqual(all.map(({ uid }) => uid), before.map(({ uid }) => uid), 'numbers stay');
});
