// Things that happen at the same time.

import assert from 'node:assert/strict';
import fs from 'node:fs';

import { assertForked, assertWhole, chats, differences, photograph, readSolo } from './files.mjs';
import { ask, hold, isFlow, onNth, outcome, requestsOf, unfinished } from './flow.mjs';
import { until } from './page.mjs';
import { LAST, STORY, storyFile } from './sample.mjs';
import { appeared, forks, same, suite } from './suite.mjs';
import { alone } from './tangled.mjs';

const scene = suite('race');
const PARENT = `chats/Tamsin/${STORY}.jsonl`;

/** Another chat to go to. */
function other(user, messages = 5) {
    const [header, ...lines] = fs.readFileSync(storyFile(user), 'utf8').split('\n');
    const head = JSON.parse(header);
    head.chat_metadata = { integrity: '99999999-2222-4333-8444-555555555555', tainted: true };
    fs.writeFileSync(storyFile(user, 'Other'), [JSON.stringify(head), ...lines.slice(0, messages)].join('\n'));
}

scene('a double click makes one branch', async (s) => {
    const { page } = s;
    await forks(s, { at: 28, kind: 'branch', entries: 27 }, async () => {
        await page.run(() => {
            const button = document.querySelector('#chat .mes[mesid="28"] .mes_create_branch');
            button.click();
            button.click();
        });
        await page.told('being made');
        return page.switched(STORY);
    });
});

scene('a double click with the mouse makes one branch', async (s) => {
    const { page } = s;
    await forks(s, { at: 28, kind: 'branch', entries: 27 }, async () => {
        await page.press(28, 'mes_create_branch', { clickCount: 2 });
        return page.switched(STORY);
    });
});

scene('what is typed and clicked while a branch is made reaches nobody', async (s) => {
    const { page, gateway } = s;
    await page.tab.focus('#send_textarea');
    await forks(s, { at: 28, kind: 'branch', entries: 27 }, async () => {
        const { reached, letGo } = hold(gateway, ({ path }) => path === '/api/chats/recent');
        await ask(page, '/branch-create 28');
        await reached;
        const doings = () => Promise.all([page.tab.keyboard.type('lost'), page.tab.mouse.click(640, 450)]);
        await doings();
        // Now the steps are shown.
        await page.tab.locator('.lorefork-progress').waitFor();
        await doings();
        await page.tab.keyboard.press('Escape');
        await page.tab.keyboard.press('Enter');
        letGo();
        return page.switched(STORY);
    });
    assert.equal(await page.tab.inputValue('#send_textarea'), '');
    await page.tab.fill('#send_textarea', 'heard');
    assert.equal(await page.tab.inputValue('#send_textarea'), 'heard', 'and it is over when it is over');
});

scene('a branch and a checkpoint at once: one is made, the other refused', async (s) => {
    const { page, user, before } = s;
    const answers = await page.run(() => Promise.all(['/branch-create 28', '/checkpoint-create mesId=13 Second']
        .map((command) => SillyTavern.getContext().executeSlashCommandsWithOptions(command).then(({ pipe }) => pipe))));
    await page.over();
    assert.equal(answers.filter(Boolean).length, 1, String(answers));
    assert.equal(appeared(before, user).chats.length, 1);
    assert.equal(appeared(before, user).books.length, 1);
});

scene('the chat is switched during each request of the flow: nothing is left, and that is said', { change: other }, async ({ page, user, gateway }) => {
    const command = '/checkpoint-create mesId=28';
    const { all } = await requestsOf(page, command);
    const wrong = [];
    for (const [index, path] of all.entries()) {
        const where = `request ${index + 1} of ${all.length}, ${path}`;
        await page.openSolo(STORY);
        await page.saved();
        const before = photograph(user);
        const stop = onNth(gateway, all, index, async () => {
            await page.run(() => SillyTavern.getContext().openCharacterChat('Other'));
        });
        await ask(page, command);
        const { answer, said } = await outcome(page);
        stop();
        assert.equal((await page.chat()).name, 'Other', `${where}: the user is where he went`);
        const changes = differences(before, photograph(user));
        if (answer) {
            const [child] = appeared(before, user).chats;
            assertForked({ before, user, parent: PARENT, child, at: 28, kind: 'checkpoint', entries: 27, linked: false });
            if (index < all.length - 1) wrong.push(`${where}: stands although the chat was switched before its link`);
        } else {
            if (changes.length) wrong.push(`${where}: was refused (${said}), but: ${changes}; ${await unfinished(page)} unfinished`);
            if (!said.some((words) => words.includes('switched'))) wrong.push(`${where}: it was said ${JSON.stringify(said)}`);
        }
        if ((await unfinished(page)) > 0) wrong.push(`${where}: something is unfinished`);
    }
    assert.deepEqual(wrong, []);
});

scene('who has opened another chat when a checkpoint is linked sees no flag of it there', { change: (user) => other(user, 40) }, async ({ page, user, gateway }) => {
    const command = '/checkpoint-create mesId=28';
    const { all } = await requestsOf(page, command);
    const stop = onNth(gateway, all, all.length - 1, async () => {
        await page.run(() => SillyTavern.getContext().openCharacterChat('Other'));
    });
    await ask(page, command);
    const { answer } = await outcome(page);
    stop();
    assert.ok(chats(user).includes(answer), 'it stands');
    assert.equal((await page.chat()).name, 'Other');
    assert.notEqual(await page.message(28).getAttribute('bookmark_link'), answer);
});

scene('a message arrives during the flow: nothing is written, or it stands without harm', { change: other }, async ({ page, user, gateway }) => {
    const command = '/checkpoint-create mesId=28';
    const { all } = await requestsOf(page, command);
    const middle = all.findIndex((path) => path === '/api/worldinfo/edit');
    const before = photograph(user);
    const stop = onNth(gateway, all, middle, async () => {
        await page.run(() => SillyTavern.getContext().executeSlashCommandsWithOptions('/sendas name=Tamsin Meanwhile.'));
    });
    await ask(page, command);
    const { answer } = await outcome(page);
    stop();
    await page.saved();
    assertWhole(user, before);
    assert.equal(readSolo(user, STORY).messages.length, LAST + 2, 'the message is in the story');
    if (!answer) assert.deepEqual(appeared(before, user).chats, []);
});

scene('while SillyTavern loads the chat anew it is not saved without its messages', { change: (user) => alone(user, 'Old branch', 29), open: (page) => page.openSolo('Old branch') }, async ({ page, user, gateway, before }) => {
    const { reached, letGo } = hold(gateway, ({ path }) => path === '/api/chats/get');
    await page.run(() => void SillyTavern.getContext().reloadCurrentChat());
    await reached;
    await page.clearNotices();
    assert.equal(await page.command('/lorefork-isolate'), '');
    same(before, user);
    await page.told('still being loaded');
    await page.clearNotices();
    await page.run(() => void $('#option_new_bookmark').trigger('click'));
    await page.told('still being loaded');
    same(before, user);
    letGo();
    await page.tab.waitForFunction(() => SillyTavern.getContext().chat.length > 0);
    await page.settled();
    const book = await page.command('/lorefork-isolate');
    assert.equal(readSolo(user, 'Old branch').meta.world_info, book, 'then it can be done');
    assert.equal(readSolo(user, 'Old branch').messages.length, 29);
});

/** A model that speaks when told to. */
function slowModel(gateway) {
    let response;
    const chunk = (text) => response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);
    const asked = new Promise((resolve) => {
        gateway.model = (_, stream) => {
            response = stream;
            stream.writeHead(200, { 'Content-Type': 'text/event-stream' });
            resolve();
        };
    });
    return { asked, say: chunk, end: () => response.end('data: [DONE]\n\n') };
}

scene('while a reply streams a fork is refused; afterwards it has the whole reply', async (s) => {
    const { page, user, gateway } = s;
    const model = slowModel(gateway);
    await page.type('What now?');
    await model.asked;
    // SillyTavern shows what it has when the next piece comes.
    const pieces = setInterval(() => model.say('la '), 100);
    await until(() => page.run(() => SillyTavern.getContext().chat.at(-1).mes.includes('la la')), 'the reply begins');
    clearInterval(pieces);
    await gateway.quiet();
    const before = photograph(user);
    await page.run(() => document.querySelector('#chat .mes[mesid="28"] .mes_create_branch').click());
    await page.popupWith('Cannot create branch').waitFor();
    await page.accept('Cannot create branch');
    assert.deepEqual(appeared(before, user).chats, []);
    assert.deepEqual(appeared(before, user).books, []);
    model.say('the end.');
    model.end();
    await until(() => readSolo(user, STORY).messages.at(-1).mes.endsWith('the end.'), 'the reply is saved');
    await page.saved();
    await forks(s, { at: LAST + 2, kind: 'branch', entries: 29 }, () => page.branch(LAST + 2));
});

scene('two tabs fork the same message at once: nobody shares, nothing is lost', async ({ page, tavern, user, before }) => {
    const second = await tavern.open();
    await second.openSolo();
    await page.saved();
    await second.saved();
    const answers = await Promise.all([page, second].map(async (tab) => {
        await ask(tab, '/branch-create 28');
        return (await outcome(tab)).answer;
    }));
    const made = answers.filter(Boolean);
    assert.ok(made.length >= 1, 'at least one was made');
    assert.equal(new Set(made).size, made.length, 'under names of their own');
    const { chats: files, books } = appeared(before, user);
    assert.equal(files.length, made.length);
    assert.equal(books.length, made.length);
    assertWhole(user, before);
    // Whoever was refused tries again.
    for (const [index, tab] of [page, second].entries()) {
        if (answers[index]) continue;
        await ask(tab, '/branch-create 28');
        assert.ok((await outcome(tab)).answer, 'the second try works');
    }
    assertWhole(user, before);
    assert.equal(appeared(before, user).books.length, 2);
});

scene('two tabs: what the other one wrote into the lorebook is not overwritten', async ({ page, tavern, user }) => {
    const second = await tavern.open();
    await second.openSolo();
    await page.run(async () => {
        const { chatMetadata: { world_info }, loadWorldInfo, saveWorldInfo } = SillyTavern.getContext();
        const book = structuredClone(await loadWorldInfo(world_info));
        book.entries[9].content = 'From the first tab.';
        await saveWorldInfo(world_info, book, true);
    });
    const before = photograph(user);
    await ask(second, '/branch-create 60');
    const { answer, said } = await outcome(second);
    assert.ok(!answer);
    assert.match(said.join(), /reload/i);
    same(before, user);
});

/** The story goes on in another tab, and this page does not know. */
async function goesOnElsewhere(tavern) {
    const second = await tavern.open();
    await second.openSolo();
    await second.command('/sendas name=Tamsin Meanwhile.');
    await second.saved();
    await second.close();
}

scene('two tabs: a fork in the one does not take back how the story went on in the other', async (s) => {
    const { page, tavern, user } = s;
    await goesOnElsewhere(tavern);
    const before = photograph(user);
    await page.pressBranch(28);
    const popup = page.popupWith('Cannot create branch');
    await popup.waitFor();
    assert.match(await popup.innerText(), /changed elsewhere[^]*reload/i);
    await page.accept('Cannot create branch');
    await page.over();
    same(before, user);
    await page.reload();
    await page.openSolo();
    await forks(s, { at: 28, kind: 'branch', entries: 27 }, () => page.branch(28));
    assert.equal(readSolo(user, STORY).messages.at(-1).mes, 'Meanwhile.');
});

scene('two tabs: nor does taking back a fork', async ({ page, tavern, user }) => {
    await page.command('/checkpoint-create mesId=28');
    await goesOnElsewhere(tavern);
    const before = photograph(user);
    await ask(page, '/lorefork-undo confirm=true');
    const { answer, said } = await outcome(page);
    same(before, user);
    assert.equal(answer, '');
    assert.match(said.join(), /changed elsewhere/);
});

scene('a message that was deleted just now, and is still on the server, does not keep from forking', async ({ page, user }) => {
    const answer = await page.run(async (last) => {
        const { deleteMessage, executeSlashCommandsWithOptions } = SillyTavern.getContext();
        await (deleteMessage ?? (await import('/script.js')).deleteMessage)(last);
        return (await executeSlashCommandsWithOptions('/checkpoint-create mesId=28')).pipe;
    }, LAST);
    assert.equal(readSolo(user, answer).messages.length, 29);
    assert.equal(readSolo(user, STORY).messages.length, LAST);
    await page.saved();
});

scene('a line of the chat that SillyTavern cannot read does not keep from forking', async ({ page, user }) => {
    fs.appendFileSync(storyFile(user), '\n{"name":"Tamsin","mes":"half a li\n{"name":"Tamsin","mes":"half a li');
    assert.ok(await page.command('/checkpoint-create mesId=28'));
    assert.equal(readSolo(user, STORY).messages.length, LAST + 1);
});

scene('a chat that is not on the server yet can be forked', async ({ page, user }) => {
    fs.rmSync(storyFile(user));
    assert.ok(await page.command('/checkpoint-create mesId=28'));
    assert.equal(readSolo(user, STORY).messages.length, LAST + 1);
});

scene('ordinary saves are not taken for forks', async ({ page, user, gateway, before }) => {
    const start = gateway.asked.length;
    await page.run(async () => {
        for (let round = 0; round < 3; round++) await SillyTavern.getContext().saveChat();
    });
    await page.saved();
    assert.deepEqual(gateway.api(start).filter(isFlow).map(({ path }) => path), Array(3).fill('/api/chats/save'));
    same(before, user);
    assert.deepEqual(chats(user), [STORY]);
});
