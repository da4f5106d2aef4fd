// Problems that are found and put right, timelines that are rewound and deleted, and taking all of it back.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { books, chats, differences, groupChats, photograph, readBook, readGroup, readSolo } from './files.mjs';
import { hold } from './flow.mjs';
import { BOOK, editBook, editChat, GROUP, GROUP_CHAT, LAST, openEntries, STORY, storyFile } from './sample.mjs';
import { same, suite } from './suite.mjs';
import { alone, tangled, TANGLED } from './tangled.mjs';

const scene = suite('care');
/** As long as a chat's name may be. */
const LONG = `枝 & 長い名前 ${'長'.repeat(60)}`;

/** Calls the engine as the extension does. */
const care = (page, verb, ...args) => page.run(async ([verb, args]) => {
    const at = '/scripts/extensions/third-party/lorefork/src';
    const [{ engine }, { PageHost }, { openPlace }] = await Promise.all([import(`${at}/engine.js`), import(`${at}/host.js`), import(`${at}/tavern.js`)]);
    const lorefork = await engine();
    const host = new PageHost({ fileOf: lorefork.chatFile, everyone: true });
    const place = JSON.stringify(openPlace());
    return lorefork[verb](host, ...args.map((arg) => (arg === 'open' ? place : arg)));
}, [verb, args]);

const copies = (user) => fs.readdirSync(path.join(user, 'user/files')).sort();

scene('a rewound timeline comes back, byte for byte', async ({ page, user, before }) => {
    const rewound = await care(page, 'rewind', 'open', 28);
    assert.equal(rewound.error, undefined, JSON.stringify(rewound.error));
    await page.saved();
    assert.equal(readBook(user, BOOK).entries.length, 27);
    assert.equal(readSolo(user, STORY).messages.length, LAST + 1, 'messages stay');
    assert.equal(copies(user).length, 1, 'the former lorebook is kept');
    const undone = await care(page, 'undo', rewound.id);
    assert.equal(undone.error, undefined, JSON.stringify(undone.error));
    await page.saved();
    same(before, user, 'all of it is back');
    const log = await care(page, 'log');
    assert.deepEqual(log.operations.map(({ what, undone }) => [what, undone]), [['undo', false], ['rewind', true]]);
});

scene('a deleted timeline comes back with its lorebook, byte for byte', async ({ page, user }) => {
    const name = await page.command('/checkpoint-create mesId=28 Keep');
    await page.saved();
    const before = photograph(user);
    const place = JSON.stringify({ owner: { character: 'Tamsin' }, name });
    const deleted = await care(page, 'remove', place);
    assert.equal(deleted.error, undefined, JSON.stringify(deleted.error));
    await page.saved();
    assert.deepEqual(chats(user), [STORY]);
    assert.ok(!books(user).includes(deleted.lorebook));
    assert.equal(readSolo(user, STORY).messages[28].extra.bookmark_link, undefined);
    assert.equal(copies(user).length, 2);
    const undone = await care(page, 'undo', deleted.id);
    assert.equal(undone.error, undefined, JSON.stringify(undone.error));
    await page.saved();
    same(before, user, 'all of it is back');
    assert.deepEqual(copies(user), [], 'what is back needs no copy');
    // And the checkpoint itself can be taken back.
    const log = await care(page, 'log');
    const made = log.operations.find(({ what }) => what === 'checkpoint');
    const gone = await care(page, 'undo', made.id);
    assert.equal(gone.error, undefined, JSON.stringify(gone.error));
    await page.saved();
    assert.deepEqual(differences(before, photograph(user)).filter((words) => words.startsWith('-')).length, 2);
});

scene('without a place for the copy, nothing is changed', async ({ page, user, gateway, before }) => {
    gateway.onRequest = ({ path }) => (path === '/api/files/upload' ? 'refuse' : undefined);
    const rewound = await care(page, 'rewind', 'open', 28);
    assert.match(rewound.error.message, /copy could not be stored/);
    await page.saved();
    same(before, user, 'nothing was written');
    assert.equal((await care(page, 'log')).operations.length, 0);
});

// As the user sees it

const bookOf = (user, name) => readSolo(user, name).meta.world_info;
const findings = (page) => page.popupWith('Timeline check');
const badge = (page, state) => page.tab.locator(`#lorefork_settings .lorefork-badge[data-state="${state}"]`);
/** Clicks one of a popup's further buttons. */
const choose = (popup, text) => popup.locator('.popup-button-custom', { hasText: text }).click();
const undoNotice = (page, text) => page.notice(text).locator('.lorefork-offer').click();

scene('a family that is well wears a badge that says so, and the check finds nothing', async ({ page, user }) => {
    await page.command('/checkpoint-create mesId=28 Keep');
    await page.saved();
    const before = photograph(user);
    await page.openSolo('Keep');
    await badge(page, 'well').waitFor({ state: 'attached' });
    assert.match(await badge(page, 'well').getAttribute('title'), /All 2 timelines of this chat are well/);
    const answer = await page.command('/lorefork-check');
    assert.equal(answer, '[]');
    await findings(page).waitFor();
    assert.match(await findings(page).innerText(), /Nothing is wrong/);
    assert.equal(await findings(page).getByText('Fix all').count(), 0);
    await page.accept('Timeline check');
    await page.saved();
    same(before, user, 'looking changes nothing');
});

scene('entries of which nobody can tell go along with a branch, until they are decided about', { change: openEntries }, async ({ page, user }) => {
    const { name, book } = await page.branch(LAST);
    await page.told('nobody can tell');
    const marks = () => readBook(user, book).book.extensions.lorefork.undecided;
    const [kept, dropped] = marks();
    assert.equal(readSolo(user, name).meta.lorefork.lore.quality, 'partial', 'nobody calls it exact');
    const before = photograph(user);
    await page.command('/lorefork-status popup=true');
    await choose(page.popupWith('Timeline status'), 'Decide…');
    const popup = page.popupWith('What belongs to this timeline?');
    await popup.getByLabel(kept.name).selectOption('keep');
    await popup.getByLabel(dropped.name).selectOption('drop');
    await page.accept('What belongs to this timeline?');
    await page.told('kept: 1 · dropped: 1');
    await page.saved();
    const { entries } = readBook(user, book);
    assert.equal(marks(), undefined, 'nothing is open any more');
    assert.ok(entries.some(({ uid }) => uid === kept.uid) && !entries.some(({ uid }) => uid === dropped.uid));
    assert.ok(!entries.some(({ comment, content }) => comment.startsWith('_registry_') && content.includes(dropped.name)), 'its line in the registry is gone, too');
    assert.equal(readBook(user, BOOK).book.extensions.lorefork.undecided.length, 3, 'the parent still has to decide');
    await undoNotice(page, 'Decided');
    await page.told('Taken back');
    await page.saved();
    same(before, user, 'all of it is back');
});

scene('what plain SillyTavern entangled is found, previewed, untangled and taken back', { change: tangled, odd: true }, async ({ page, user, before }) => {
    await badge(page, 'problems').waitFor({ state: 'attached' });
    assert.match(await badge(page, 'problems').getAttribute('title'), /problem/);
    await page.command('/lorefork-check');
    await findings(page).waitFor();
    const words = await findings(page).innerText();
    assert.match(words, /lorebook/);
    assert.match(words, /Old branch/);
    await choose(findings(page), 'Fix all');
    const preview = page.popupWith('Put this right?');
    await preview.waitFor();
    const plan = await preview.innerText();
    for (const name of TANGLED) assert.ok(plan.includes(name), `${name} is in ${plan}`);
    assert.match(plan, /keeps “z-AutoLB-Tamsin-The Last Lamp”/);
    await page.saved();
    same(before, user, 'nothing is written before it is confirmed');
    await preview.locator('.popup-button-ok').click();
    await page.told('Repaired');
    await findings(page).waitFor();
    await page.saved();
    const own = TANGLED.map((name) => bookOf(user, name));
    assert.equal(new Set(own).size, 3, `every timeline has its own: ${own}`);
    assert.equal(own[0], BOOK, 'the first keeps the name');
    for (const name of own) assert.ok(books(user).includes(name), name);
    const [all, old, older] = own.map((name) => readBook(user, name).entries.length);
    assert.ok(all > old && old > older, `those that end earlier know less: ${[all, old, older]}`);
    assert.equal((await page.chat()).book, BOOK);
    await page.accept('Timeline check');
    assert.equal(await page.command('/lorefork-check quiet=true'), '[]', 'nothing is left');
    // All of it, newest first.
    for (;;) {
        const operations = JSON.parse(await page.command('/lorefork-log quiet=true'));
        const last = operations.find(({ undoes, undone }) => !undoes && !undone);
        if (!last) break;
        assert.ok(await page.command(`/lorefork-undo confirm=true ${last.id}`), `${last.what} is taken back`);
    }
    await page.saved();
    same(before, user, 'every byte is back');
});

scene('who opens another chat after having confirmed a deletion deletes nothing', { odd: true }, async ({ page, user, gateway }) => {
    await page.command('/checkpoint-create mesId=28 Keep');
    await page.openSolo('Keep');
    const { reached, letGo } = hold(gateway, ({ path, body }) => path === '/api/chats/save' && body.includes('"file_name":"Keep"'));
    await page.run(() => void SillyTavern.getContext().executeSlashCommandsWithOptions('/lorefork-delete confirm=true'));
    await reached;
    await page.showSolo(undefined, '凪');
    const { name } = await page.chat();
    letGo();
    await page.told('The chat was switched');
    await page.saved();
    assert.equal((await page.chat()).name, name);
    assert.ok(chats(user).includes('Keep'));
});

scene('one problem is put right with the keyboard alone, and taken back from its notice', {
    change: (user) => editChat(storyFile(user), (_, messages) => {
        messages[13].extra = { ...messages[13].extra, bookmark_link: 'Nowhere' };
        messages[28].extra = { ...messages[28].extra, bookmark_link: 'Nowhere <img src=x onerror=alert(1)>' };
    }),
    odd: true,
}, async ({ page, user, before }) => {
    await page.tab.locator('#send_textarea').fill('/lorefork-check');
    await page.tab.keyboard.press('Enter');
    await findings(page).waitFor();
    const links = findings(page).locator('li[data-severity]', { hasText: 'which is gone and left nothing' });
    assert.equal(await links.count(), 2);
    assert.equal(await page.tab.locator('.lorefork-findings img').count(), 0, 'names are text');
    const fix = links.first().locator('.menu_button');
    for (let presses = 0; presses < 20 && !(await fix.evaluate((element) => element === document.activeElement)); presses++) await page.tab.keyboard.press('Tab');
    await page.tab.keyboard.press('Enter');
    await page.popupWith('Put this right?').waitFor();
    await page.tab.keyboard.press('Enter');
    await page.told('One problem is put right');
    await findings(page).waitFor();
    assert.equal(await links.count(), 1);
    await page.saved();
    const now = readSolo(user, STORY);
    assert.equal(now.messages[13].extra.bookmark_link, undefined);
    assert.match(now.messages[28].extra.bookmark_link, /Nowhere/, 'the other one stays');
    await undoNotice(page, 'One problem is put right');
    await page.told('Taken back');
    await links.nth(1).waitFor();
    assert.equal(await findings(page).count(), 1, 'the check that is open says what is so now');
    await page.tab.keyboard.press('Escape');
    await page.saved();
    same(before, user, 'every byte is back');
});

scene('a rewind asks first, and its diary takes it back', async ({ page, user, before }) => {
    await page.run(() => void SillyTavern.getContext().executeSlashCommandsWithOptions('/lorefork-rewind 28'));
    const ask = page.popupWith('Rewind this timeline?');
    await ask.waitFor();
    assert.match(await ask.innerText(), /27 entries/);
    await page.cancel('Rewind this timeline?');
    await page.saved();
    same(before, user, 'nothing happens without a yes');
    assert.ok(await page.command('/lorefork-rewind confirm=true 28'));
    await page.told('Its lore is that of message 28 now');
    await page.saved();
    assert.equal(readBook(user, BOOK).entries.length, 27);
    assert.equal(await page.run(async (name) => Object.keys((await SillyTavern.getContext().loadWorldInfo(name)).entries).length, BOOK), 28, 'SillyTavern has it, too');
    await page.run(() => void SillyTavern.getContext().executeSlashCommandsWithOptions('/lorefork-log'));
    const diary = page.popupWith('What Lorefork did');
    await diary.waitFor();
    await diary.locator('li[data-what="rewind"] .menu_button').click();
    await page.popupWith('Take this back?').waitFor();
    await page.accept('Take this back?');
    await page.told('Taken back');
    await page.popupWith('What Lorefork did').locator('.lorefork-undone').waitFor();
    await page.accept('What Lorefork did');
    await page.saved();
    same(before, user, 'every byte is back');
});

scene('a timeline is deleted with its lorebook, another opens, and both come back (R-113, R-114, R-154)', async ({ page, user }) => {
    await page.command('/checkpoint-create mesId=28 Keep');
    await page.openSolo('Keep');
    await page.saved();
    const before = photograph(user);
    const own = bookOf(user, 'Keep');
    await page.run(() => void SillyTavern.getContext().executeSlashCommandsWithOptions('/lorefork-delete'));
    const ask = page.popupWith('Delete this timeline?');
    await ask.waitFor();
    const words = await ask.innerText();
    for (const part of ['Keep', own, `“${STORY}” opens instead`]) assert.ok(words.includes(part), `${part} is in ${words}`);
    await page.accept('Delete this timeline?');
    await page.told('It is in the trash');
    assert.equal((await page.chat()).name, STORY);
    await page.saved();
    assert.deepEqual(chats(user), [STORY]);
    assert.ok(!books(user).includes(own));
    await undoNotice(page, 'It is in the trash');
    await page.told('Taken back');
    await page.saved();
    same(before, user, 'every byte is back');
});

scene('a timeline that is deleted leaves no flag in branches that carry it, and is back in all of them', async ({ page, user }) => {
    await page.command('/checkpoint-create mesId=28 Keep');
    const { name: branch } = await page.branch(41);
    await page.openSolo('Keep');
    await page.saveOpen();
    await page.saved();
    const before = photograph(user);
    await page.run(() => void SillyTavern.getContext().executeSlashCommandsWithOptions('/lorefork-delete'));
    const ask = page.popupWith('Delete this timeline?');
    await ask.waitFor();
    assert.match(await ask.innerText(), /2 timelines no longer link to it/);
    await page.accept('Delete this timeline?');
    await page.told('It is in the trash');
    await page.saved();
    // SillyTavern would make an empty chat of a flag that leads nowhere.
    for (const name of [STORY, branch]) assert.equal(readSolo(user, name).messages[28].extra.bookmark_link, undefined, name);
    await undoNotice(page, 'It is in the trash');
    await page.told('Taken back');
    await page.saved();
    same(before, user, 'every byte is back');
});

scene('a damaged chat of the family keeps nobody from deleting another, and is not touched', { odd: true }, async ({ page, user }) => {
    await page.command('/checkpoint-create mesId=28 Keep');
    const { name: branch } = await page.branch(41);
    await page.openSolo('Keep');
    await page.saveOpen();
    await page.saved();
    const own = bookOf(user, 'Keep');
    fs.appendFileSync(storyFile(user, branch), '\n{"name":"Tamsin","mes":"half a li');
    const bytes = fs.readFileSync(storyFile(user, branch));
    await page.run(() => void SillyTavern.getContext().executeSlashCommandsWithOptions('/lorefork-delete confirm=true'));
    await page.told('It is in the trash');
    await page.saved();
    assert.ok(!chats(user).includes('Keep') && !books(user).includes(own));
    assert.equal(readSolo(user, STORY).messages[28].extra.bookmark_link, undefined);
    assert.deepEqual(fs.readFileSync(storyFile(user, branch)), bytes);
});

scene('an open timeline without messages can be deleted', { odd: true }, async ({ page, user }) => {
    await page.command('/checkpoint-create mesId=28 Keep');
    await page.openSolo('Keep');
    await page.command('/cut 0-28');
    await page.saved();
    assert.equal(readSolo(user, 'Keep').messages.length, 0);
    await page.run(() => void SillyTavern.getContext().executeSlashCommandsWithOptions('/lorefork-delete confirm=true'));
    await page.told('It is in the trash');
    await page.saved();
    assert.ok(!chats(user).includes('Keep'));
});

scene('a lorebook that another timeline uses stays when one is deleted (R-115)', { change: tangled, odd: true }, async ({ page, user }) => {
    await page.openSolo('Old branch');
    await page.saveOpen();
    await page.saved();
    const before = photograph(user);
    await page.run(() => void SillyTavern.getContext().executeSlashCommandsWithOptions('/lorefork-delete'));
    const ask = page.popupWith('Delete this timeline?');
    await ask.waitFor();
    assert.match(await ask.innerText(), /The lorebook “z-AutoLB-Tamsin-The Last Lamp” stays/);
    await page.accept('Delete this timeline?');
    await page.told('It is in the trash');
    await page.saved();
    assert.deepEqual(chats(user), ['Older branch', STORY]);
    assert.ok(books(user).includes(BOOK));
    assert.deepEqual(readSolo(user, STORY).messages[28].extra.branches ?? [], [], 'nothing links to it');
    await undoNotice(page, 'It is in the trash');
    await page.told('Taken back');
    await page.saved();
    same(before, user, 'every byte is back');
});

scene('what has changed since is not taken back, and the old state is saved beside it', async ({ page, user }) => {
    const id = await page.command('/lorefork-rewind confirm=true 28');
    await page.run(async (name) => {
        const { loadWorldInfo, saveWorldInfo } = SillyTavern.getContext();
        const book = structuredClone(await loadWorldInfo(name));
        Object.values(book.entries)[0].content += ' She smiles.';
        await saveWorldInfo(name, book, true);
    }, BOOK);
    await page.saved();
    const before = photograph(user);
    await page.run((id) => void SillyTavern.getContext().executeSlashCommandsWithOptions(`/lorefork-undo ${id}`), id);
    const refusal = page.popupWith('This cannot be taken back');
    await refusal.waitFor();
    assert.match(await refusal.innerText(), /changed since/);
    await choose(refusal, 'Save the old state beside it');
    await page.told('Saved beside it');
    await page.saved();
    const changes = differences(before, photograph(user));
    assert.equal(changes.length, 2, String(changes));
    const [book, chat] = ['worlds/', 'chats/'].map((folder) => changes.find((words) => words.startsWith(`+ ${folder}`)).slice(2));
    const saved = path.basename(book, '.json');
    assert.equal(readBook(user, saved).entries.length, 29, 'as it was before');
    assert.equal(readSolo(user, path.basename(chat, '.jsonl')).meta.world_info, saved, 'the chat of before names it');
    for (const file of [book, chat]) fs.rmSync(path.join(user, file));
});

scene('a tab that is closed in the middle of a repair leaves all or nothing', { change: tangled, odd: true }, async ({ page, tavern, user, gateway, before }) => {
    let saves = 0;
    const reached = new Promise((resolve) => {
        gateway.onRequest = ({ path }) => {
            // Two books are made, one timeline is changed; the other is on its way.
            if (path === '/api/chats/save' && ++saves === 3) return resolve(undefined), 'hang';
        };
    });
    void page.run(() => void SillyTavern.getContext().executeSlashCommandsWithOptions('/lorefork-check quiet=true')
        .then(async () => (await import('/scripts/extensions/third-party/lorefork/src/mending.js')).mend([], { isConfirmed: true })));
    await reached;
    assert.notDeepEqual(differences(before, photograph(user)), [], 'it was half done');
    await page.tab.close();
    tavern.pages.splice(tavern.pages.indexOf(page), 1);
    gateway.onRequest = () => {};
    const again = await tavern.open();
    await again.told('had been interrupted');
    await again.saved();
    same(before, user, 'it is all taken back');
    assert.deepEqual(copies(user), []);
});

scene('a name that means harm is text, in any script and of any length', {
    change: (user) => {
        alone(user, LONG, 29);
        tangled(user);
        editBook(user, BOOK, (book) => {
            for (const entry of Object.values(book.entries).slice(-4)) if (!entry.comment.startsWith('_')) entry.comment = `<img src=x onerror=alert(1)> ${entry.comment}`;
        });
    },
    odd: true,
}, async ({ page }) => {
    await page.command('/lorefork-check');
    await findings(page).waitFor();
    await choose(findings(page), 'Fix all');
    await page.popupWith('Put this right?').waitFor();
    const words = await page.popupWith('Put this right?').innerText();
    assert.ok(words.includes('長長長') && words.includes('<img src=x'), words);
    assert.equal(await page.tab.locator('dialog .lorefork-preview img').count(), 0);
    await page.cancel('Put this right?');
    await findings(page).waitFor();
    await page.accept('Timeline check');
});

scene('a lorebook that is missing: what becomes of it is asked (R-153)', {
    change: (user) => fs.rmSync(path.join(user, 'worlds', `${BOOK}.json`)),
    odd: true,
}, async ({ page, user, before }) => {
    // Not now.
    await page.accept('The lorebook of this timeline is missing');
    await page.command('/lorefork-check');
    await findings(page).locator('li', { hasText: 'does not exist' }).locator('.menu_button').click();
    await choose(page.popupWith('What should become of the missing lorebook?'), 'Rebuild it from what was recorded');
    await page.popupWith('Put this right?').waitFor();
    await page.accept('Put this right?');
    await page.told('Repaired');
    await findings(page).waitFor();
    await page.accept('Timeline check');
    await page.saved();
    assert.ok(readBook(user, BOOK).entries.length > 20);
    await undoNotice(page, 'Repaired');
    await page.told('Taken back');
    await page.saved();
    same(before, user, 'every byte is back');
});

scene('in a group: a timeline is deleted and comes back, and the group lists it again', { open: (page) => page.openGroup(GROUP) }, async ({ page, user }) => {
    const name = await page.command('/checkpoint-create mesId=4 Keep');
    await page.openGroup(GROUP, name);
    await page.saved();
    const before = photograph(user);
    assert.ok(readGroup(user, GROUP).chats.includes(name));
    const id = await page.command('/lorefork-delete confirm=true');
    assert.ok(id);
    await page.saved();
    assert.deepEqual(groupChats(user), [GROUP_CHAT]);
    assert.deepEqual(readGroup(user, GROUP).chats, [GROUP_CHAT]);
    assert.ok(await page.command(`/lorefork-undo confirm=true ${id}`));
    await page.saved();
    assert.ok(readGroup(user, GROUP).chats.includes(name));
    // Which chat a group opens is SillyTavern's.
    assert.deepEqual(differences(before, photograph(user)).filter((words) => !words.includes('groups/')), []);
});

scene('while a reply is written, nothing is changed', async ({ page, user, gateway, before }) => {
    gateway.model = () => {};
    await page.run(async () => {
        globalThis.script = await import('/script.js');
        void SillyTavern.getContext().generate('quiet', { quiet_prompt: 'Wait.' }).catch(() => {});
    });
    await page.tab.waitForFunction(() => globalThis.script.isGenerating());
    assert.equal(await page.command('/lorefork-rewind confirm=true 28'), '');
    await page.told('A reply is being written right now');
    await page.run(() => SillyTavern.getContext().stopGeneration());
    await page.saved();
    same(before, user, 'nothing was written');
});
