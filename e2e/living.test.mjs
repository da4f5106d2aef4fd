// What a user meets after the first fork: opening timelines, settings, commands, buttons.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { books, photograph, readBook, readSolo } from './files.mjs';
import { until } from './page.mjs';
import { BOOK, editBook, editChat, editSettings, HERO, LAST, STORY, storyFile } from './sample.mjs';
import { forks, same, suite } from './suite.mjs';

const scene = suite('living');
const prefer = (changes) => (user) => editSettings(user, (settings) => (settings.extension_settings.lorefork = changes));

/** A branch as SillyTavern alone makes it: the same lorebook, no record. */
function legacy(user, name = 'Old branch', change = () => {}) {
    fs.copyFileSync(storyFile(user), storyFile(user, name));
    editChat(storyFile(user, name), (meta, messages) => {
        meta.main_chat = STORY;
        meta.integrity = crypto.randomUUID();
        messages.length = 29;
        change(meta, messages);
    });
}

const ofKind = (notices, level) => notices.filter((words) => words.startsWith(`${level}:`));
const offers = (notices) => notices.filter((words) => words.includes('is also used by'));

/** Opens a checkpoint that was changed on disk after it was made. */
async function reopen({ page, tavern, user }, change) {
    const name = await page.command('/checkpoint-create mesId=28 Keep');
    await page.saved();
    const again = await tavern.between(() => change(name));
    await again.openSolo(name);
    return again;
}

// Opening

scene('opening a checkpoint says what it is (R-139)', async ({ page, user }) => {
    const name = await page.command('/checkpoint-create mesId=28 Keep');
    await page.clearNotices();
    await page.saved();
    const before = photograph(user);
    await page.openSolo(name);
    const words = await page.told('Checkpoint loaded');
    const { meta } = readSolo(user, name);
    const state = meta.auto_recap_checkpoint_state;
    for (const part of ['Keep', state.scene_break_name, `version ${state.running_recap_version}`, `scenes: ${state.running_recap_scene_count}`, 'entries: 27']) {
        assert.ok(words.includes(part), `${part} is in: ${words}`);
    }
    assert.ok(words.includes(String(new Date(state.timestamp).getFullYear())), words);
    await page.saved();
    same(before, user, 'looking changes nothing');
});

scene('five switches in two seconds: one verification, of the chat that stays open, and every caller is answered (R-124, R-125)', async ({ page, gateway }) => {
    const names = [];
    for (const at of [13, 28, 41]) names.push(await page.command(`/checkpoint-create mesId=${at}`));
    await page.saved();
    await page.clearNotices();
    await page.run(async (names) => {
        for (let round = 0; round < 5; round++) await SillyTavern.getContext().openCharacterChat(names[round % 3]);
    }, names);
    const open = names[4 % 3];
    // A brief notice goes by itself: it is looked for while it is there.
    await page.told(open);
    const told = (await page.notices()).filter((words) => words.includes('Checkpoint loaded'));
    assert.equal(told.filter((words) => words.includes(open)).length, 1, told.join('\n'));
    await page.saved();
    const later = (await page.notices()).filter((words) => words.includes('Checkpoint loaded'));
    assert.ok(later.every((words) => told.includes(words)), later.join('\n'));
    // A machine that is busy switches slowly; so once more at the pace that is meant.
    const start = gateway.asked.length;
    await page.run(async () => {
        const { eventSource, eventTypes, getCurrentChatId } = SillyTavern.getContext();
        for (let round = 0; round < 5; round++) {
            await eventSource.emit(eventTypes.CHAT_CHANGED, getCurrentChatId());
            await new Promise((resolve) => setTimeout(resolve, 30));
        }
    });
    const looks = () => gateway.api(start).filter(({ path }) => path === '/api/chats/recent').length;
    await until(() => looks() > 0, 'it is looked at');
    await page.saved();
    assert.equal(looks(), 1, 'looked at once');
    const answers = await page.run(async () => {
        const { checkOpen } = await import('/scripts/extensions/third-party/lorefork/src/opened.js');
        return (await Promise.all([checkOpen(), checkOpen(), checkOpen()])).map((found) => found.chat);
    });
    assert.deepEqual(answers, Array(3).fill(open));
});

scene('a timeline of before that shares its lorebook is offered its own, once (R-106)', { change: (user) => legacy(user), odd: true }, async ({ page, user }) => {
    await page.openSolo('Old branch');
    await page.told('is also used by');
    assert.equal(readSolo(user, 'Old branch').meta.world_info, BOOK, 'nothing is changed without being asked');
    await page.clearNotices();
    await page.openSolo(STORY);
    await page.openSolo('Old branch');
    await page.saved();
    assert.deepEqual(offers(await page.notices()), []);
    await page.reload();
    await page.openSolo('Old branch');
    await page.notice('is also used by').locator('.lorefork-offer').click();
    await page.told('It has its own lorebook now');
    await page.saved();
    const own = readSolo(user, 'Old branch').meta.world_info;
    assert.notEqual(own, BOOK);
    assert.equal(readBook(user, own).entries.length, 27);
});

scene('an offer goes with its chat, comes back with it, and goes for good when it is no longer true', { change: (user) => legacy(user), odd: true }, async ({ page }) => {
    await page.openSolo('Old branch');
    await page.told('is also used by');
    await page.openSolo(undefined, '凪');
    await until(async () => offers(await page.notices()).length === 0, 'it is not about this chat');
    await page.openSolo('Old branch');
    await page.told('is also used by');
    await page.run((book) => {
        const select = document.querySelector('#lorefork_shared');
        select.value = book;
        select.dispatchEvent(new Event('change'));
    }, BOOK);
    await until(async () => offers(await page.notices()).length === 0, 'it is shared on purpose now');
});

scene('a timeline of before that shares nothing is not spoken of (R-106)', {
    change: (user) => {
        fs.copyFileSync(path.join(user, 'worlds', `${BOOK}.json`), path.join(user, 'worlds/Alone.json'));
        legacy(user, 'Old branch', (meta) => (meta.world_info = 'Alone'));
    },
}, async ({ page }) => {
    await page.openSolo('Old branch');
    await page.saved();
    await page.saved();
    assert.deepEqual(await page.notices(), []);
});

scene('a lorebook that is gone is an error, and nothing is written (R-107)', { odd: true }, async (s) => {
    const { user } = s;
    let files;
    const page = await reopen(s, (name) => {
        fs.rmSync(path.join(user, 'worlds', `${readSolo(user, name).meta.world_info}.json`));
        files = books(user);
    });
    assert.match(await page.told('Its lorebook is gone'), /Checkpoint loaded/);
    assert.equal(ofKind(await page.notices(), 'error').length, 1);
    assert.deepEqual(books(user), files, 'no stand-in was made');
});

scene('a recap that says something else is an error, another lorebook a warning (R-066, R-103, R-107)', { odd: true }, async (s) => {
    const { user } = s;
    const page = await reopen(s, (name) => editChat(storyFile(user, name), (meta) => {
        for (const version of meta.auto_recap_running_scene_recaps.versions) version.content = 'Nothing happened.';
    }));
    await page.told('says something else');
    assert.equal(ofKind(await page.notices(), 'error').length, 1);
    const again = await page.tavern.between(() => {
        editChat(storyFile(user, 'Keep'), (meta) => (meta.world_info = 'Harrow'));
        fs.copyFileSync(path.join(user, 'worlds', `${BOOK}.json`), path.join(user, 'worlds/Harrow.json'));
    });
    await again.openSolo('Keep');
    await again.told('and now names “Harrow”');
    assert.equal((await again.chat()).book, 'Harrow', 'what is attached is used');
});

scene('waiting work in an untouched checkpoint is an error (R-107)', { odd: true }, async (s) => {
    const { user } = s;
    const page = await reopen(s, (name) => {
        const { world_info } = readSolo(user, name).meta;
        editBook(user, world_info, (book) => {
            const entry = Object.values(book.entries).find(({ comment }) => comment === '__operation_queue');
            entry.content = JSON.stringify({ ...JSON.parse(entry.content), queue: [{ id: 'x', type: 'lorebook_entry_lookup', status: 'pending' }] });
        });
    });
    await page.told('operation of Auto-Recap is waiting');
});

scene('a checkpoint that went on is just said to be loaded (R-005, R-066)', { odd: true }, async (s) => {
    const { user } = s;
    const page = await reopen(s, (name) => editChat(storyFile(user, name), (meta, messages) => messages.push({ ...messages[0], mes: 'On we go.' })));
    await page.told('Checkpoint loaded');
    assert.deepEqual([...ofKind(await page.notices(), 'error'), ...ofKind(await page.notices(), 'warning')], []);
});

// Settings

async function openDrawer(page) {
    await page.tab.click('#extensions-settings-button .drawer-toggle');
    const icon = page.tab.locator('#lorefork_settings .inline-drawer-icon');
    await icon.scrollIntoViewIfNeeded();
    await icon.focus();
    await page.tab.keyboard.press('Enter');
    await page.tab.locator('#lorefork_policy').waitFor();
}

scene('the drawer works by keyboard, and what is chosen there is kept', async ({ page, user }) => {
    const kept = () => JSON.parse(fs.readFileSync(path.join(user, 'settings.json'), 'utf8')).extension_settings.lorefork;
    assert.equal(kept(), undefined, 'nothing is stored before anything is changed');
    await openDrawer(page);
    await page.tab.focus('#lorefork_policy');
    await page.tab.keyboard.press('ArrowDown');
    await page.tab.keyboard.press('Tab');
    assert.equal(await page.run(() => document.activeElement.id), 'lorefork_lore', 'one after the other');
    await page.tab.selectOption('#lorefork_shared', BOOK);
    await page.tab.focus('#lorefork_off');
    await page.tab.keyboard.press('Space');
    await until(() => kept()?.off?.length === 1 && kept().policy === 'strict', 'settings are saved');
    assert.deepEqual(kept().shared, [BOOK]);
    await page.tab.locator('.lorefork-book .menu_button').focus();
    await page.tab.keyboard.press('Enter');
    await until(() => kept().shared.length === 0, 'it is not shared any more');
    await page.tab.locator('#lorefork_settings .menu_button_icon', { hasText: 'Status of this chat' }).focus();
    await page.tab.keyboard.press('Enter');
    await page.popupWith('Timeline status').waitFor();
    await page.tab.keyboard.press('Escape');
    await page.popupWith('Timeline status').waitFor({ state: 'detached' });
});

scene('strict: only at the end of a finished scene', { change: prefer({ policy: 'strict' }) }, async (s) => {
    const { page, user, before } = s;
    await page.pressBranch(20);
    await page.popupWith('Cannot create branch').waitFor();
    assert.match(await page.popupWith('Cannot create branch').innerText(), /does not end a scene/);
    await page.accept('Cannot create branch');
    await page.over();
    same(before, user);
    await forks(s, { at: 28, kind: 'branch', entries: 27 }, () => page.branch(28));
});

scene('new timelines start empty if that is chosen', { change: prefer({ lore: 'empty' }) }, async (s) => {
    await s.page.command('/checkpoint-create mesId=28 Bare');
    assert.equal(readBook(s.user, readSolo(s.user, 'Bare').meta.world_info).entries.length, 0);
});

scene('a lorebook shared on purpose by setting stays shared, and nobody complains', { odd: true, change: (user) => { prefer({ shared: [BOOK] })(user); legacy(user); } }, async ({ page, user }) => {
    await page.openSolo('Old branch');
    await page.saved();
    await page.saved();
    assert.deepEqual(offers(await page.notices()), []);
    await page.openSolo(STORY);
    assert.equal((await page.branch(LAST)).book, BOOK);
    assert.equal(readBook(user, BOOK).text.length > 0, true);
});

scene('a lorebook shared on purpose stays shared, whatever new timelines start with otherwise', { odd: true, change: prefer({ lore: 'empty', shared: [BOOK] }) }, async ({ page }) => {
    assert.equal((await page.branch(LAST)).book, BOOK);
});

scene('isolation on opening, if that is chosen', { odd: true, change: (user) => { prefer({ opening: 'isolate' })(user); legacy(user); } }, async ({ page, user }) => {
    await page.openSolo('Old branch');
    await page.told('It has its own lorebook now');
    await page.saved();
    assert.notEqual(readSolo(user, 'Old branch').meta.world_info, BOOK);
});

scene('no notice but of problems, if that is chosen', { change: prefer({ notices: 'problems' }) }, async ({ page }) => {
    const name = await page.command('/checkpoint-create mesId=28 Keep');
    await page.clearNotices();
    await page.openSolo(name);
    await page.saved();
    await page.saved();
    assert.deepEqual(await page.notices(), []);
});

scene('a chat that is left alone forks as SillyTavern does', { odd: true, change: prefer({ off: [JSON.stringify([{ character: HERO }, STORY])] }) }, async ({ page, user }) => {
    const { name, book } = await page.branch(28);
    assert.equal(book, BOOK);
    assert.equal(readSolo(user, name).meta.lorefork, undefined);
    assert.equal(books(user).length, 3);
});

scene("Auto-Recap's settings for the chat go along (N-7)", {
    change: (user) => editSettings(user, (settings) => {
        settings.extension_settings.auto_recap_memory = { ...settings.extension_settings.auto_recap_memory, chats_enabled: { [STORY]: false, Other: true }, chat_profiles: { [STORY]: 'Slow' } };
    }),
}, async ({ page, user }) => {
    const { name } = await page.branch(28);
    assert.deepEqual((await page.notices()).filter((words) => words.includes('keeps settings')), []);
    const kept = await until(() => {
        const { auto_recap_memory } = JSON.parse(fs.readFileSync(path.join(user, 'settings.json'), 'utf8')).extension_settings;
        return name in auto_recap_memory.chats_enabled && auto_recap_memory;
    }, 'settings are saved');
    assert.deepEqual(kept.chats_enabled, { [STORY]: false, Other: true, [name]: false });
    assert.equal(kept.chat_profiles[name], 'Slow');
});

// Commands

scene('/lorefork-status, its old name, and the popup (R-144)', async ({ page, user }) => {
    const { name } = await page.branch(28);
    await page.clearNotices();
    const status = JSON.parse(await page.command('/lorefork-status'));
    await page.told('all checks passed');
    const { meta } = readSolo(user, name);
    assert.deepEqual(status.checkpoint_state, meta.auto_recap_checkpoint_state);
    assert.deepEqual([status.is_checkpoint, status.main_chat, status.current_chat, status.current_lorebook, status.lorebook_match, status.running_recap_version_match],
        [true, STORY, name, meta.world_info, true, true]);
    await page.clearNotices();
    assert.deepEqual(JSON.parse(await page.command('/recap-checkpoint-status quiet=true')), status);
    assert.deepEqual(await page.notices(), []);
    await page.command('/lorefork-status popup=true');
    const popup = page.popupWith('Timeline status');
    await popup.waitFor();
    const words = await popup.innerText();
    for (const part of [name, STORY, meta.world_info, '27']) assert.ok(words.includes(part), `${part} is in ${words}`);
    await page.tab.keyboard.press('Escape');
});


scene('/lorefork-isolate gives a timeline its own', { odd: true, change: (user) => legacy(user) }, async ({ page, user }) => {
    await page.openSolo('Old branch');
    const shared = async () => JSON.parse(await page.command('/lorefork-check quiet=true')).filter((words) => /use one lorebook/.test(words));
    assert.equal((await shared()).length, 1);
    const book = await page.command('/lorefork-isolate');
    await page.saved();
    assert.equal(readSolo(user, 'Old branch').meta.world_info, book);
    assert.deepEqual(await shared(), []);
    assert.equal(await page.command('/lorefork-isolate'), '');
});

// For other extensions

scene('other extensions are told before and after a fork, and where they are', async ({ page, user }) => {
    await page.run(() => {
        globalThis.told = [];
        const { eventSource } = SillyTavern.getContext();
        for (const event of Object.values(lorefork.events)) eventSource.on(event, (data) => void told.push([event, data]));
    });
    assert.equal((await page.run(() => lorefork.timeline())).kind, 'main');
    const { name, book } = await page.branch(28);
    const [[first, before], [second, after], ...more] = await page.run(() => told);
    assert.deepEqual([first, second, more.length], ['lorefork_before_fork', 'lorefork_after_fork', 0]);
    assert.deepEqual(before, { kind: 'branch', owner: { character: HERO }, parent: STORY, at: 28 });
    assert.deepEqual(after, { ...before, chat: name, lorebook: book });
    const { meta } = readSolo(user, name);
    assert.deepEqual(await page.run(() => lorefork.timeline()), {
        owner: { character: HERO }, chat: name, kind: 'branch', id: meta.lorefork.id, parent: STORY, parentId: meta.lorefork.parent.id, at: 28, lorebook: book,
    });
});
