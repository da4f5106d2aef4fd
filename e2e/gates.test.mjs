// Every way to fork goes through the engine, once.

import assert from 'node:assert/strict';
import fs from 'node:fs';

import { chats, differences, photograph, readBook, readSolo } from './files.mjs';
import { ask, isFlow, outcome } from './flow.mjs';
import { until } from './page.mjs';
import { BOOK, editBook, editSettings, editStory, fillQueue, forgetScenes, LAST, operation, SCENES, STORY, storyFile } from './sample.mjs';
import { appeared, forks, same, suite } from './suite.mjs';
import { alone } from './tangled.mjs';

const scene = suite('gates');
const CHECKPOINT = `${STORY} - Checkpoint #1`;
const BRANCH = `${STORY} - Branch #1`;

scene('the checkpoint button: a checkpoint with the lorebook of that message, and the chat stays open', async (s) => {
    const { page, gateway } = s;
    const start = gateway.asked.length;
    const { made, answer } = await forks(s, { at: 28, kind: 'checkpoint', entries: 27, name: CHECKPOINT }, () => page.checkpoint(28));
    assert.equal((await page.chat()).name, STORY);
    assert.match(answer, /^Checkpoint created · 27 entries, as recorded$/);
    await page.notice('Checkpoint created').click();
    assert.match(await page.told('What the letter said'), /27 entries, as recorded/);
    assert.equal(await page.message(28).getAttribute('bookmark_link'), CHECKPOINT);
    assert.ok(await page.message(28).locator('.mes_bookmark').isVisible(), 'the flag is shown');
    assert.deepEqual(made.meta.auto_recap_running_scene_recaps.versions.map(({ version }) => version), [0, 1]);
    assert.equal(made.meta.auto_recap_checkpoint_state.cloned_lorebook_name, made.meta.world_info);
    const written = gateway.api(start).filter(({ path }) => path === '/api/worldinfo/edit');
    assert.equal(written.length, 1, 'the lorebook was written once');
});

scene('the branch button: a branch with the lorebook of that message, and it opens', async (s) => {
    const { page, user } = s;
    const { answer, book } = await forks(s, { at: 13, kind: 'branch', entries: 21, name: BRANCH }, () => page.branch(13));
    assert.equal(answer.name, BRANCH);
    assert.equal(answer.book, book);
    assert.equal(answer.main, STORY);
    assert.equal(answer.length, 14);
    await page.saved();
    assert.equal(readSolo(user, BRANCH).meta.world_info, book, 'SillyTavern saves it with its lorebook');
});

scene('at the end of each scene a checkpoint knows what was known then', async (s) => {
    for (const [at, entries] of SCENES) {
        await forks(s, { at, kind: 'checkpoint', entries }, () => s.page.command(`/checkpoint-create mesId=${at}`));
    }
});

scene('a name that was given is the name of the checkpoint, and stands in the name of its lorebook', async (s) => {
    const { book, made } = await forks(s, { at: 41, kind: 'checkpoint', entries: 28, name: 'Test #5!' }, () => s.page.checkpoint(41, 'Test #5!'));
    assert.match(book, /^z-AutoLB-Tamsin-The Last Lamp__CP_Test_5_[a-z0-9]{4}$/);
    assert.equal(made.meta.lorefork.chat, 'Test #5!');
});

scene('a name that is taken is refused, and nothing is written', async ({ page, user, before }) => {
    await page.pressCheckpoint(28);
    await page.nameIt(STORY);
    await page.popupWith('Cannot create checkpoint').waitFor();
    await page.accept('Cannot create checkpoint');
    await page.over();
    same(before, user);
});

scene('cancelling the name leaves nothing behind, and is no error', async ({ page, user, before }) => {
    await page.pressCheckpoint(28);
    await page.popupWith('Enter Checkpoint Name').waitFor();
    await page.cancel('Enter Checkpoint Name');
    await page.over();
    same(before, user);
    assert.deepEqual(await page.notices(), []);
    // And the next one works.
    await page.checkpoint(28);
});

scene('Shift and a click on the flag: a new checkpoint takes its place, the old one stays', async (s) => {
    const { page, user } = s;
    await page.checkpoint(28);
    const first = fs.readFileSync(storyFile(user, CHECKPOINT));
    const { name } = await forks(s, { at: 28, kind: 'checkpoint', entries: 27 }, async () => {
        await page.clearNotices();
        await page.press(28, 'mes_bookmark', { modifiers: ['Shift'] });
        await page.nameIt();
        await page.told('Checkpoint created');
        await page.over();
    });
    assert.equal(name, `${STORY} - Checkpoint #2`);
    assert.ok(fs.readFileSync(storyFile(user, CHECKPOINT)).equals(first));
});

scene('a plain click on the flag opens the checkpoint with its lorebook', async ({ page, user }) => {
    await page.checkpoint(28);
    await page.press(28, 'mes_bookmark');
    const { name, book } = await page.switched(STORY);
    assert.equal(name, CHECKPOINT);
    assert.equal(book, readSolo(user, CHECKPOINT).meta.world_info);
});

scene('the options menu: a checkpoint at the last message, of the lorebook as it is', async (s) => {
    const { page } = s;
    await forks(s, { at: LAST, kind: 'checkpoint', entries: 29 }, async () => {
        await page.tab.click('#options_button');
        await page.tab.click('#option_new_bookmark');
        await page.nameIt();
        await page.told('Checkpoint created');
        await page.over();
    });
    assert.ok(!(await page.tab.locator('#options').isVisible()), 'the menu is closed');
});

scene('the swipe picker: a branch from another swipe', async (s) => {
    const { page, user } = s;
    const { mes, swipes } = readSolo(user, STORY).messages[LAST];
    const { answer } = await swipeBranch(s, LAST, 0);
    const made = readSolo(user, answer.name);
    assert.notEqual(made.messages[LAST].mes, mes);
    assert.equal(made.messages[LAST].mes, swipes[0]);
    assert.equal(made.messages[LAST].swipe_id, 0);
    assert.equal(readSolo(user, STORY).messages[LAST].mes, mes, 'the parent shows the swipe it showed');
    assert.equal(await page.run(() => SillyTavern.getContext().chat.at(-1).mes), swipes[0]);
});

async function swipeBranch(s, at, swipe) {
    const { page, user } = s;
    const before = photograph(user);
    await page.press(at, 'mes_swipe_picker');
    const block = page.popup().locator(`[data-swipe-id="${swipe}"]`).first();
    await block.waitFor();
    await block.hover();
    await block.locator('.swipe_picker_branch').click();
    const answer = await page.switched(STORY);
    const added = differences(before, photograph(user)).filter((words) => words.startsWith('+'));
    assert.equal(added.length, 2, `one chat, one lorebook: ${added}`);
    return { answer };
}

scene('/branch-create N answers with the name and opens the branch', async (s) => {
    const { page } = s;
    const { answer } = await forks(s, { at: 28, kind: 'branch', entries: 27 }, () => page.command('/branch-create 28'));
    assert.equal(answer, BRANCH);
    assert.equal((await page.chat()).name, BRANCH);
});

scene('/branch-create without a message takes the last one', async (s) => {
    const { answer } = await forks(s, { at: LAST, kind: 'branch', entries: 29 }, () => s.page.command('/branch-create'));
    assert.equal(answer, BRANCH);
});

scene('/branch-create of a message that is not there: a warning, an empty answer, nothing written', async ({ page, user, before }) => {
    assert.equal(await page.command('/branch-create 999'), '');
    assert.equal(await page.command('/branch-create nonsense'), '');
    await page.over();
    same(before, user);
    assert.equal((await page.notices()).filter((words) => words.startsWith('warning')).length, 2);
});

scene('/checkpoint-create with message and name answers with the name and asks nothing', async (s) => {
    const { page } = s;
    const act = () => page.command('/checkpoint-create mesId=41 Before the storm');
    const { answer } = await forks(s, { at: 41, kind: 'checkpoint', entries: 28, name: 'Before the storm' }, act);
    assert.equal(answer, 'Before the storm');
    assert.equal((await page.chat()).name, STORY);
    assert.equal(await page.command('/checkpoint-get 41'), 'Before the storm', "SillyTavern's own commands know it");
});

scene('/checkpoint-create without anything: last message, a name is found', async (s) => {
    const { answer } = await forks(s, { at: LAST, kind: 'checkpoint', entries: 29 }, () => s.page.command('/checkpoint-create'));
    assert.equal(answer, CHECKPOINT);
});

for (const [button, kind] of [['mes_create_branch', 'branch'], ['mes_create_bookmark', 'checkpoint']]) {
    scene(`a click that jQuery makes up, on ${button}`, async (s) => {
        const { page } = s;
        await forks(s, { at: 28, kind, entries: 27 }, async () => {
            await page.run((button) => void $(`#chat .mes[mesid="28"] .${button}`).trigger('click'), button);
            if (kind === 'branch') return page.switched(STORY);
            await page.nameIt();
            await page.told('Checkpoint created');
            await page.over();
        });
    });
}

scene('a click that jQuery makes up, in the options menu', async (s) => {
    const { page } = s;
    await forks(s, { at: LAST, kind: 'checkpoint', entries: 29 }, async () => {
        await page.run(() => void $('#option_new_bookmark').trigger('click'));
        await page.nameIt();
        await page.told('Checkpoint created');
        await page.over();
    });
});

scene('Enter on a focused button', async (s) => {
    const { page } = s;
    await forks(s, { at: 13, kind: 'branch', entries: 21 }, async () => {
        await page.message(13).scrollIntoViewIfNeeded();
        await page.message(13).locator('.extraMesButtonsHint').click();
        await page.message(13).locator('.mes_create_branch').waitFor();
        await page.message(13).locator('.mes_create_branch').focus();
        await page.tab.keyboard.press('Enter');
        return page.switched(STORY);
    });
});

/** A lorebook of a thousand entries. */
const large = (user) => editBook(user, BOOK, ({ entries }) => {
    for (let uid = 1000; uid < 2000; uid++) entries[uid] = { ...entries[9], uid, comment: `entry ${uid}`, displayIndex: uid };
});

scene('a fork sends at most ten requests, however large the lorebook is', { change: large }, async (s) => {
    const { page, gateway } = s;
    const since = (start) => gateway.api(start).filter(isFlow).map(({ path }) => path);
    const start = gateway.asked.length;
    let named;
    await forks(s, { at: LAST, kind: 'checkpoint', entries: 1029 }, async () => {
        await page.pressCheckpoint(LAST);
        await page.popupWith('Enter Checkpoint Name').waitFor();
        assert.ok(since(start).length <= 3, `to know whether it can be made: ${since(start)}`);
        named = gateway.asked.length;
        await page.nameIt();
        await page.told('Checkpoint created');
        await page.over();
    });
    assert.ok(since(named).length <= 10, since(named).join());
});

// Other modules

scene('another module calls createBranch, then opens it, as Timelines does', async (s) => {
    const { page, user } = s;
    const { name, book } = await forks(s, { at: 28, kind: 'branch', entries: 27 }, () => page.run(async () => {
        const { createBranch } = await import('/scripts/bookmarks.js');
        return createBranch(28);
    }));
    await page.run((name) => SillyTavern.getContext().openCharacterChat(name), name);
    await page.settled();
    assert.equal((await page.chat()).book, book);
    await page.saved();
    assert.equal(readSolo(user, name).meta.world_info, book);
});

scene('another module calls branchChat', async (s) => {
    const { page } = s;
    const { book, answer } = await forks(s, { at: 13, kind: 'branch', entries: 21 }, async () => {
        await page.run(async () => void (await (await import('/scripts/bookmarks.js')).branchChat(13)));
        return page.chat();
    });
    assert.equal(answer.book, book);
});

scene('another module calls createNewBookmark', async (s) => {
    const { page } = s;
    const { answer, name } = await forks(s, { at: 41, kind: 'checkpoint', entries: 28 }, async () => {
        const answer = await page.run(async () => (await import('/scripts/bookmarks.js')).createNewBookmark(41, { forceName: 'From elsewhere' }));
        await page.saved();
        return answer;
    });
    assert.equal(answer, 'From elsewhere');
    assert.equal(name, 'From elsewhere');
    assert.equal(readSolo(s.user, STORY).messages[41].extra.bookmark_link, 'From elsewhere');
});

scene('waiting work does not stop another module: the copy has none, the parent keeps its own', { change: (user) => fillQueue(user) }, async (s) => {
    const { page, user } = s;
    await forks(s, { at: LAST, kind: 'branch', entries: 29 }, () => page.run(async () =>
        (await import('/scripts/bookmarks.js')).createBranch(60)));
    assert.equal(readBook(user, BOOK).waiting.length, 1);
});

scene('where nothing is recorded another module gets what the user picks', { change: forgetScenes }, async (s) => {
    const { page } = s;
    await forks(s, { at: 5, kind: 'branch', entries: 29 }, async () => {
        const done = page.run(async () => (await import('/scripts/bookmarks.js')).createBranch(5));
        await page.popupWith('Which lorebook').locator('.popup-button-custom, .menu_button', { hasText: 'as it is now' }).first().click();
        return done;
    });
});


/** The save request of a branch as SillyTavern makes it, sent in a way of one's own. */
const sendBranch = (page, how) => page.run(async (how) => {
    const { chat, chatMetadata, getCurrentChatId, getRequestHeaders, characters, characterId } = SillyTavern.getContext();
    const main_chat = getCurrentChatId();
    const header = { chat_metadata: { ...chatMetadata, main_chat, integrity: crypto.randomUUID() }, user_name: 'unused', character_name: 'unused' };
    const { name, avatar } = characters[characterId];
    const text = JSON.stringify({ ch_name: name, file_name: `${main_chat} - Branch #1`, chat: [header, ...chat.slice(0, 29)], avatar_url: avatar, force: false });
    const headers = getRequestHeaders();
    const zipped = async () => new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer());
    const request = () => new Request('/api/chats/save', { method: 'POST', headers, body: text });
    const answer = how === 'gzip'
        ? await fetch('/api/chats/save', { method: 'POST', headers: { ...headers, 'Content-Encoding': 'gzip' }, body: await zipped() })
        : await fetch(request());
    return { ok: answer.ok, body: await answer.json() };
}, how);

for (const [how, words] of [['gzip', 'compressed'], ['request', 'as a Request object']]) {
    scene(`the save of a new timeline is caught when it is sent ${words}`, async (s) => {
        const { answer } = await forks(s, { at: 28, kind: 'branch', entries: 27, name: BRANCH }, () => sendBranch(s.page, how));
        assert.deepEqual(answer, { ok: true, body: { ok: true } }, "the caller gets the server's answer");
    });
}

scene('what could not be isolated while it was made is isolated when it is opened', { complaints: [/500/] }, async ({ page, user, gateway }) => {
    const untouched = fs.readFileSync(`${user}/worlds/${BOOK}.json`);
    gateway.onRequest = ({ path }) => (path === '/api/worldinfo/edit' ? 'refuse' : undefined);
    const name = await page.run(async () => (await import('/scripts/bookmarks.js')).createBranch(28));
    await page.told('shares its lorebook');
    assert.equal(readSolo(user, name).meta.world_info, BOOK, 'it passed as it was');
    gateway.onRequest = () => {};
    await page.openSolo(name);
    await page.told('Lorebook isolated');
    const { book } = await page.chat();
    assert.notEqual(book, BOOK);
    assert.equal(readBook(user, book).entries.length, 27);
    assert.equal(readSolo(user, name).meta.world_info, book);
    assert.ok(fs.readFileSync(`${user}/worlds/${BOOK}.json`).equals(untouched));
});

scene("the messages' prompts are kept for the new timelines, as SillyTavern keeps them", async ({ page }) => {
    const prompts = () => page.run(async () => (await import('/scripts/itemized-prompts.js')).itemizedPrompts.map(({ mesId }) => mesId));
    await page.type('Is the lamp lit?');
    await page.tab.waitForFunction((length) => SillyTavern.getContext().chat.length === length, LAST + 3);
    await until(async () => (await prompts()).includes(LAST + 2), 'SillyTavern has a prompt');
    await page.saved();
    const known = await prompts();
    const checkpoint = await page.command(`/checkpoint-create mesId=${LAST + 2}`);
    await page.branch(LAST + 2);
    assert.deepEqual(await prompts(), known, 'in the branch');
    await page.openSolo(checkpoint);
    assert.deepEqual(await prompts(), known, 'in the checkpoint');
});

// Made elsewhere, or before

const sharedBranch = (user) => alone(user, 'Old branch', 29);

scene('a shared timeline from before opens as it is, with an offer; taken, it has its own lorebook', { change: sharedBranch }, async ({ page, user }) => {
    await page.openSolo('Old branch');
    await page.told('is also used by');
    assert.equal((await page.chat()).book, BOOK, 'nothing changed without being asked');
    const before = photograph(user);
    await page.notice('is also used by').locator('.lorefork-offer').click();
    await page.told('Lorebook isolated');
    await page.over();
    const { meta } = readSolo(user, 'Old branch');
    assert.notEqual(meta.world_info, BOOK);
    assert.equal(readBook(user, meta.world_info).entries.length, 27);
    assert.equal((await page.chat()).book, meta.world_info);
    const untouched = differences(before, photograph(user)).filter((words) => words.includes(STORY) && words.startsWith('~') && !words.includes('Old branch'));
    assert.deepEqual(untouched, [], 'parent and its lorebook are as they were');
});

scene('the offer is about its own timeline: it goes while another is open, and taken it changes its own alone', { change: sharedBranch }, async ({ page, user }) => {
    await page.openSolo('Old branch');
    await page.told('is also used by');
    await page.openSolo(STORY);
    await page.notice('is also used by').waitFor({ state: 'detached' });
    await page.openSolo('Old branch');
    await page.told('is also used by');
    await page.notice('is also used by').locator('.lorefork-offer').click();
    await page.told('Lorebook isolated');
    await page.over();
    assert.notEqual(readSolo(user, 'Old branch').meta.world_info, BOOK);
    assert.equal(readSolo(user, STORY).meta.world_info, BOOK);
});

/** Another extension takes its time after a fork. */
const dawdle = (page) => page.run(() => {
    const { eventSource } = SillyTavern.getContext();
    eventSource.on(lorefork.events.after, () => new Promise((resolve) => {
        globalThis.isDawdling = true;
        setTimeout(resolve, 2500);
    }));
});

scene('who opens another character before the branch is opened stays there, and gets no chat of its name', { odd: true }, async ({ page, user }) => {
    await dawdle(page);
    await page.pressBranch(28);
    await page.tab.waitForFunction(() => globalThis.isDawdling);
    await page.openSolo(undefined, '凪');
    const { name } = await page.chat();
    await page.tab.waitForTimeout(3000);
    await page.saved();
    assert.equal((await page.chat()).name, name);
    assert.ok(chats(user).includes(BRANCH), 'it is made');
    assert.ok(!chats(user, '凪').includes(BRANCH));
});

scene('a shared timeline from before is left alone if the offer is not taken', { change: sharedBranch }, async ({ page, user }) => {
    await page.openSolo('Old branch');
    await page.told('is also used by');
    const before = photograph(user);
    await page.openSolo(STORY);
    await page.saved();
    assert.deepEqual(differences(before, photograph(user)).filter((words) => words.includes('worlds/')), []);
    assert.equal(readSolo(user, 'Old branch').meta.world_info, BOOK);
});

scene('the main chat and forks of ours get no offer', async ({ page }) => {
    await page.branch(28);
    await page.clearNotices();
    await page.openSolo(STORY);
    await page.openSolo(BRANCH);
    await page.saved();
    assert.deepEqual((await page.notices()).filter((words) => words.includes('is also used by')), []);
});

// Scripts are asked nothing

/** What a script gets, and which notice says why; a popup would keep it waiting for ever. */
async function refused(page, command) {
    await page.clearNotices();
    assert.equal(await page.command(command), '', command);
    const [words, ...more] = await page.notices();
    assert.deepEqual(more, [], command);
    return words;
}

scene('a command and waiting work: refused with a reason, or what its arguments choose', { change: (user) => fillQueue(user) }, async (s) => {
    const { page, user, before } = s;
    const words = await refused(page, `/branch-create ${LAST}`);
    assert.match(words, /^warning: Cannot create branch/);
    assert.match(words, /queue=wait, queue=drop/);
    assert.match(await refused(page, `/checkpoint-create mesId=${LAST} Keep`), /queue=wait, queue=drop/);
    assert.match(await refused(page, `/checkpoint-create mesId=${LAST} queue=later Keep`), /no queue=later. Choose one of: wait, drop/);
    assert.match(await refused(page, `/branch-create lore=older ${LAST}`), /no lore=older. Choose one of: auto, live, snapshot, empty, share/);
    same(before, user);
    await forks(s, { at: LAST, kind: 'checkpoint', entries: 29, name: 'Keep' }, () => page.command(`/checkpoint-create mesId=${LAST} queue=drop Keep`));
    assert.equal(readBook(user, BOOK).waiting.length, 1, 'the parent keeps its own');
    await ask(page, `/checkpoint-create mesId=${LAST} queue=wait Later`);
    await page.told('Waiting');
    await drain(page);
    assert.equal((await outcome(page)).answer, 'Later');
});

scene('a command where nothing is recorded: a loop of a script goes on, and lore= chooses', { change: forgetScenes }, async (s) => {
    const { page, user, before } = s;
    const script = '/setvar key=seen 0 | /times 2 {: /checkpoint-create mesId=5 Early | /addvar key=seen 1 :} | /getvar seen';
    assert.equal(String(await page.command(script)), '2');
    assert.match((await page.notices()).join(), /lore=live, lore=empty/);
    await page.command('/flushvar seen');
    await page.saved();
    assert.deepEqual(appeared(before, user).chats, []);
    await page.saveOpen();
    await forks(s, { at: 5, kind: 'checkpoint', entries: 29, name: 'Early' }, () => page.command('/checkpoint-create mesId=5 lore=live Early'));
    await forks(s, { at: 5, kind: 'branch', entries: 0 }, () => page.command('/branch-create lore=empty 5'));
});

const everywhere = (user) => editSettings(user, (settings) => {
    settings.world_info_settings ??= {};
    settings.world_info_settings.world_info = { ...settings.world_info_settings.world_info, globalSelect: [BOOK] };
});

scene('a command and a lorebook that acts everywhere: confirm=true goes ahead, and it is said then', { change: everywhere }, async (s) => {
    const { page, user, before } = s;
    assert.match(await refused(page, '/checkpoint-create mesId=28 Keep'), /acts in every timeline[^]*confirm=true/);
    same(before, user);
    await forks(s, { at: 28, kind: 'checkpoint', entries: 27, name: 'Keep' }, () => page.command('/checkpoint-create mesId=28 confirm=true Keep'));
    assert.match((await page.notices())[0], /^warning: Checkpoint created[^]*acts in every timeline/, 'orange, with its reason');
});

scene('/lorefork-isolate where nothing is recorded: refused with a reason, or what lore= chooses', { change: (user) => { forgetScenes(user); alone(user, 'Old branch', 6); }, open: (page) => page.openSolo('Old branch') }, async ({ page, user }) => {
    await page.told('is also used by');
    assert.match(await refused(page, '/lorefork-isolate'), /lore=live, lore=empty/);
    const book = await page.command('/lorefork-isolate lore=empty');
    assert.equal(readBook(user, book).entries.length, 0);
});

// Refusals

scene('a checkpoint is named when it can be made: work that is waiting is said first', { change: (user) => fillQueue(user) }, async (s) => {
    const { page } = s;
    await page.pressCheckpoint(LAST);
    await page.popupWith('Cannot create checkpoint').waitFor();
    assert.equal(await page.popupWith('Enter Checkpoint Name').count(), 0);
    await forks(s, { at: LAST, kind: 'checkpoint', entries: 29, name: 'When ready' }, async () => {
        await page.popupWith('Cannot create checkpoint').getByText('Create without the waiting work').click();
        await page.nameIt('When ready');
        await page.told('Checkpoint created');
        await page.over();
    });
});

scene('waiting work: the refusal names it, and closing it leaves everything as it was', { change: (user) => fillQueue(user, [operation(), operation({ id: 'op_2', type: 'generate_running_recap', status: 'in_progress', metadata: { scene_index: 53 } })]) }, async ({ page, user, before }) => {
    await page.pressBranch(LAST);
    const popup = page.popupWith('Cannot create branch');
    await popup.waitFor();
    const words = await popup.innerText();
    assert.match(words, /lorebook entry lookup/i);
    assert.match(words, /Pinch/);
    assert.match(words, /message 53.*in progress/i);
    await page.accept('Cannot create branch');
    await page.over();
    same(before, user);
});

scene('waiting work: "Create without the waiting work"', { change: (user) => fillQueue(user) }, async (s) => {
    const { page, user } = s;
    await forks(s, { at: LAST, kind: 'branch', entries: 29 }, async () => {
        await page.pressBranch(LAST);
        await page.popupWith('Cannot create branch').getByText('Create without the waiting work').click();
        return page.switched(STORY);
    });
    assert.equal(readBook(user, BOOK).waiting.length, 1, 'the parent keeps its own');
});

scene('waiting work: "Create when ready" waits for the queue', { change: (user) => fillQueue(user) }, async (s) => {
    const { page, user } = s;
    await page.pressBranch(LAST);
    await page.popupWith('Cannot create branch').getByText('Create when ready').click();
    await page.told('Waiting');
    await page.saved();
    assert.deepEqual(chats(user), [STORY], 'not yet');
    await drain(page);
    const { name, book } = await page.switched(STORY);
    assert.deepEqual(readBook(user, book).waiting, []);
    assert.equal(readSolo(user, name).messages.length, LAST + 1);
});

/** The memory extension finishes its work. */
const drain = (page) => page.run(async (name) => {
    const { loadWorldInfo, saveWorldInfo } = SillyTavern.getContext();
    const book = structuredClone(await loadWorldInfo(name));
    const queue = Object.values(book.entries).find(({ comment }) => comment === '__operation_queue');
    queue.content = JSON.stringify({ ...JSON.parse(queue.content), queue: [] });
    await saveWorldInfo(name, book, true);
}, BOOK);

scene('waiting work: what is deleted meanwhile does not make another message the one that was meant', { change: (user) => fillQueue(user) }, async ({ page, user }) => {
    await page.pressBranch(LAST - 1);
    await page.popupWith('Cannot create branch').getByText('Create when ready').click();
    await page.told('Waiting');
    await page.run(async () => (await import('/script.js')).deleteMessage(10));
    await page.saved();
    await drain(page);
    await page.told('switched or changed meanwhile');
    await page.over();
    assert.deepEqual(chats(user), [STORY]);
});

scene('waiting work: a chat that is loaded anew meanwhile is still the one that was meant', { change: (user) => fillQueue(user) }, async ({ page, user }) => {
    await page.pressBranch(LAST - 1);
    await page.popupWith('Cannot create branch').getByText('Create when ready').click();
    await page.told('Waiting');
    await page.run(() => SillyTavern.getContext().reloadCurrentChat());
    await drain(page);
    const { name } = await page.switched(STORY);
    assert.equal(readSolo(user, name).messages.length, LAST);
});

scene('waiting work: waiting can be given up', { change: (user) => fillQueue(user) }, async ({ page, user }) => {
    await page.pressBranch(LAST);
    await page.popupWith('Cannot create branch').getByText('Create when ready').click();
    await page.told('Waiting');
    await page.notice('Waiting').locator('.action-loader-stop').click();
    await until(async () => (await page.notice('Waiting').count()) === 0, 'the notice goes');
    await drain(page);
    await page.saved();
    assert.deepEqual(chats(user), [STORY]);
});

scene('nothing recorded before the message: refused, with a choice', { change: forgetScenes }, async (s) => {
    const { page, user, before } = s;
    await page.pressBranch(5);
    await page.popupWith('Cannot create branch').waitFor();
    await page.accept('Cannot create branch');
    await page.over();
    same(before, user);
    await forks(s, { at: 5, kind: 'branch', entries: 0 }, async () => {
        await page.pressBranch(5);
        await page.popupWith('Cannot create branch').getByText('empty lorebook').click();
        return page.switched(STORY);
    });
});

scene('a lorebook that is gone: refused, and not taken for an empty one', { odd: true, change: (user) => fs.rmSync(`${user}/worlds/${BOOK}.json`) }, async ({ page, user, before }) => {
    await page.accept('The lorebook of this timeline is missing');
    await page.pressBranch(LAST);
    await page.popupWith('Cannot create branch').waitFor();
    await page.accept('Cannot create branch');
    await page.over();
    same(before, user);
});

scene('a lorebook that was deleted elsewhere while the page still has it: it is said to be gone', { odd: true }, async ({ page, user }) => {
    fs.rmSync(`${user}/worlds/${BOOK}.json`);
    const before = photograph(user);
    await page.pressBranch(LAST);
    const popup = page.popupWith('Cannot create branch');
    await popup.waitFor();
    assert.match(await popup.innerText(), /does not exist/);
    await page.accept('Cannot create branch');
    await page.over();
    same(before, user);
});

scene('an unreadable queue: refused', { change: (user) => editBook(user, BOOK, ({ entries }) => (Object.values(entries).find(({ comment }) => comment === '__operation_queue').content = 'not JSON')) }, async ({ page, user, before }) => {
    await page.pressBranch(LAST);
    await page.popupWith('Cannot create branch').waitFor();
    await page.accept('Cannot create branch');
    await page.over();
    same(before, user);
});

scene('a message that is hidden from the model can be forked', { change: (user) => editStory(user, (_, messages) => (messages[13].is_system = true)) }, async (s) => {
    await forks(s, { at: 13, kind: 'branch', entries: 21 }, () => s.page.branch(13));
});
