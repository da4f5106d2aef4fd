// Names as odd as they come: text stays text, and files get the names that SillyTavern gives them.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { allChats, books, chats, readBook, readSolo } from './files.mjs';
import { BOOK, editBook, editStory, fillQueue, HERO, LAST, operation, STORY, storyFile } from './sample.mjs';
import { forks, same, suite } from './suite.mjs';

const scene = suite('names');
const EVIL = '<img src=x onerror="globalThis.pwned=1">';
const CJK = '宵待島の夜：灯台守と竜の歌';
const LONG = 'ä'.repeat(100);
const QUOTES = `"It's" 'so' \`said\` & done`;
const ODD = [EVIL, QUOTES, CJK, LONG];

async function assertHarmless(page) {
    assert.equal(await page.run(() => globalThis.pwned), undefined, 'no script ran');
    assert.equal(await page.tab.locator('#toast-container img[src="x"], dialog img[src="x"]').count(), 0, 'no picture was made of a name');
}

scene('names of entries, scenes and waiting work are shown as text', {
    change: (user) => {
        editBook(user, BOOK, ({ entries }) => ODD.forEach((name, index) => (entries[9 + index].comment = name)));
        editStory(user, (_, messages) => {
            for (const message of messages) {
                if (message.extra?.auto_recap_memory?.scene_break_name !== undefined) message.extra.auto_recap_memory.scene_break_name = EVIL;
            }
        });
        fillQueue(user, ODD.map((name, index) => operation({ id: `op_${index}`, type: name, metadata: { entry_comment: name } })));
    },
}, async ({ page, user }) => {
    await page.pressBranch(LAST);
    const popup = page.popupWith('Cannot create branch');
    await popup.waitFor();
    const words = await popup.innerText();
    for (const name of ODD) assert.ok(words.includes(name), `${name} is there, as it is`);
    await popup.getByText('Create without the waiting work').click();
    const { book } = await page.switched(STORY);
    await assertHarmless(page);
    ODD.forEach((name, index) => assert.equal(readBook(user, book).book.entries[9 + index].comment, name));
});

for (const [what, given, wanted] of [
    ['HTML', EVIL, 'img src=x onerror=globalThis.pwned=1'],
    ['quotes', QUOTES, `It's 'so' \`said\` & done`],
    ['CJK', CJK, CJK],
    ['200 bytes', LONG, LONG],
    ['what a path would be', '../../elsewhere', '....elsewhere'],
    ['emoji', '🗼 lamp 🐉', '🗼 lamp 🐉'],
    ['per cent and hash', '100% #5 a+b=c', '100% #5 a+b=c'],
]) {
    scene(`a checkpoint's name with ${what}`, async (s) => {
        const { page, user } = s;
        const { name, book } = await forks(s, { at: 28, kind: 'checkpoint', entries: 27, name: wanted }, () => page.checkpoint(28, given));
        await assertHarmless(page);
        assert.ok(Buffer.byteLength(book) <= 239);
        await page.press(28, 'mes_bookmark');
        const opened = await page.switched(STORY);
        assert.equal(opened.book, book, 'it opens, with its lorebook');
        assert.equal(opened.length, 29);
        await page.saved();
        assert.deepEqual(chats(user), [STORY, name].sort(), 'no other file appears');
    });
}

scene('a name that is too long is refused', async ({ page, user, before }) => {
    await page.pressCheckpoint(28);
    await page.nameIt('灯'.repeat(100));
    await page.popupWith('Cannot create checkpoint').waitFor();
    await page.accept('Cannot create checkpoint');
    await page.over();
    same(before, user);
});

/** Renames the story's chat and lorebook on disk, as a user may have. */
function renamed(chat, book) {
    return (user) => {
        fs.renameSync(path.join(user, `worlds/${BOOK}.json`), path.join(user, `worlds/${book}.json`));
        fs.renameSync(storyFile(user), storyFile(user, chat));
        const file = storyFile(user, chat);
        fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll(JSON.stringify(BOOK), JSON.stringify(book)));
    };
}

for (const [what, chat, book] of [
    ['quotes and brackets', "It's the (last) [lamp] & 'so' on", "Tamsin's {lore} & 100%"],
    ['CJK', CJK, '宵待島の書'],
    ['200 bytes', LONG, `${'é'.repeat(99)} L`],
]) {
    scene(`a story and a lorebook whose names have ${what}`, { change: renamed(chat, book), open: (page) => page.openSolo(chat) }, async (s) => {
        const { page, user } = s;
        const parent = `chats/${HERO}/${chat}.jsonl`;
        await forks(s, { parent, at: 28, kind: 'checkpoint', entries: 27 }, () => page.checkpoint(28));
        await forks(s, { parent, at: 13, kind: 'branch', entries: 21 }, async () => {
            await page.pressBranch(13);
            return page.switched(chat);
        });
        await assertHarmless(page);
        assert.equal(books(user).length, 5);
    });
}

/** SillyTavern keeps a lorebook's name as it was typed; the file has what a file name can have of it. */
scene('a lorebook whose name is HTML', {
    odd: true,
    change: (user) => {
        renamed(STORY, EVIL.replace(/[<>"]/g, ''))(user);
        editStory(user, (meta) => (meta.world_info = EVIL));
    },
}, async ({ page, user }) => {
    const { name, book } = await page.branch(28);
    await assertHarmless(page);
    assert.equal(readBook(user, book).entries.length, 27);
    assert.equal(readSolo(user, name).meta.world_info, book);
    assert.equal(readSolo(user, STORY).meta.world_info, EVIL, 'the story keeps its own');
    assert.equal(books(user).length, 4);
});

for (const [what, character] of [['HTML', EVIL], ['quotes', QUOTES], ['200 bytes', LONG]]) scene(`a character whose name has ${what}`, {
    open: async (page) => {
        await page.run(async (name) => {
            const { getRequestHeaders, getCharacters } = SillyTavern.getContext();
            const form = new FormData();
            for (const [key, value] of Object.entries({ ch_name: name, first_mes: 'Good evening.', description: name, avatar: '' })) form.append(key, value);
            const answer = await fetch('/api/characters/create', { method: 'POST', headers: getRequestHeaders({ omitContentType: true }), body: form });
            const file = await answer.text();
            // SillyTavern makes such names harmless where it makes a card itself, not where one comes from elsewhere.
            await fetch('/api/characters/merge-attributes', { method: 'POST', headers: getRequestHeaders(), body: JSON.stringify({ avatar: file, name, data: { name } }) });
            await getCharacters();
            const { characters, selectCharacterById } = SillyTavern.getContext();
            const index = characters.findIndex(({ avatar }) => avatar === file);
            // It takes scripts out when it loads the card; what is left is still HTML.
            if (characters[index]?.name.slice(0, 4) !== name.slice(0, 4)) throw new Error(`the character is called ${characters[index]?.name}`);
            await selectCharacterById(index);
        }, character);
        await page.settled();
        await page.run(async (book) => {
            const { chatMetadata, saveMetadata } = SillyTavern.getContext();
            chatMetadata.world_info = book;
            chatMetadata.tainted = true;
            await saveMetadata();
        }, 'Night Watch lore');
        await page.saved();
    },
}, async ({ page, user }) => {
    const { name } = await page.chat();
    await page.pressCheckpoint(0);
    await page.nameIt();
    await page.told('Checkpoint created');
    await page.over();
    await assertHarmless(page);
    const made = allChats(user).find(({ meta }) => meta.main_chat === name);
    assert.ok(made, 'the checkpoint is there');
    assert.notEqual(made.meta.world_info, 'Night Watch lore');
    assert.equal(readBook(user, made.meta.world_info).entries.length, 3);
});

scene('a chat in a script of its own forks like any other', { open: (page) => page.openSolo(undefined, '凪') }, async (s) => {
    const { page, user } = s;
    const parent = 'chats/凪/宵待島の夜.jsonl';
    const { name } = await forks(s, { parent, at: 8, kind: 'checkpoint', entries: 13 }, () => page.checkpoint(8));
    assert.equal(name, '宵待島の夜 - Checkpoint #1');
    assert.equal(readSolo(user, name, '凪').messages.length, 9);
});
