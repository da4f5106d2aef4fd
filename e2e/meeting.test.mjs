// The first meeting, the one place from which everything can be reached, and a SillyTavern that nobody has tried.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { NEWEST_TRIED, OLDEST_TRIED } from '../extension/src/tried.js';
import { addLightTheme, look } from './pictures.mjs';
import { editSettings, LAST } from './sample.mjs';
import { forks, same, suite } from './suite.mjs';

const scene = suite('meeting');

const NEXT = '9.9.0';
const newcomer = (user) => {
    addLightTheme(user);
    editSettings(user, ({ accountStorage }) => delete accountStorage.lorefork_met);
};
const nothingOpen = async () => {};
const remembered = (user) => JSON.parse(fs.readFileSync(path.join(user, 'settings.json'), 'utf8')).accountStorage;
/** SillyTavern says that it is this version. */
const saysToBe = (version) => (tab) => tab.route('**/version', async (route) => {
    const answer = await (await route.fetch()).json();
    await route.fulfill({ json: { ...answer, agent: answer.agent.replace(/:[^:]*:/, `:${version}:`), pkgVersion: version } });
});
const future = saysToBe(NEXT);
const PAST = '1.13.2';
/** One that does not know what the manifest asks for. */
const past = async (tab) => {
    await saysToBe(PAST)(tab);
    await tab.route('**/lorefork/manifest.json', async (route) => {
        const { minimum_client_version, ...manifest } = await (await route.fetch()).json();
        assert.ok(minimum_client_version);
        await route.fulfill({ json: manifest });
    });
};

scene('the first meeting is one notice, and its button checks the chat that opens next', { change: newcomer, open: nothingOpen, page: { fresh: true } }, async ({ page, user }) => {
    const words = await page.told('Lorefork is installed');
    assert.match(words, /own lorebook.*Extensions → Lorefork/s);
    assert.doesNotMatch(words, new RegExp(NEWEST_TRIED), 'this SillyTavern was tried');
    await look(page, 'meeting', { docs: '#toast-container .toast', everywhere: true });
    await page.notice('Lorefork is installed').locator('.lorefork-offer').click();
    await page.told('Open a chat');
    await page.openSolo();
    await page.accept('Timeline check');
    await page.saved();
    assert.equal(remembered(user).lorefork_met, 'yes');
    await page.reload();
    await page.openSolo();
    await page.saved();
    assert.deepEqual(await page.notices(), []);
});

scene('who does not close it meets it again, and nothing was stored', { change: newcomer, open: nothingOpen, page: { fresh: true } }, async ({ page, user }) => {
    await page.told('Lorefork is installed');
    await page.saved();
    assert.equal(remembered(user).lorefork_met, undefined);
    await page.reload();
    await page.told('Lorefork is installed');
});

scene('a newer SillyTavern than any that was tried: it forks, and says so once', { page: { prepare: future }, change: addLightTheme }, async (s) => {
    const { page, user } = s;
    const words = await page.told(`not tried with SillyTavern ${NEXT}`);
    assert.ok(words.includes(NEWEST_TRIED), words);
    await look(page, 'untried');
    await page.notice('was not tried').locator('.toast-close-button').click();
    await page.saved();
    assert.equal(remembered(user).lorefork_untried, NEXT);
    await forks(s, { at: 28, kind: 'branch', entries: 27 }, () => page.branch(28));
    await page.reload();
    await page.openSolo();
    await page.saved();
    assert.equal(await page.notice('was not tried').count(), 0);
});

scene('a SillyTavern that is too old: nothing is done, and that is said', { page: { prepare: past, fresh: true }, change: addLightTheme }, async ({ page, user, before }) => {
    const words = await page.told(`needs SillyTavern ${OLDEST_TRIED}`);
    assert.ok(words.includes(PAST), words);
    await look(page, 'too-old');
    assert.equal(await page.tab.locator('#lorefork_wand').count(), 0);
    assert.equal(await page.run(() => typeof globalThis.lorefork), 'undefined');
    same(before, user, 'nothing was written');
});

scene('the first meeting with a newer SillyTavern is still one notice', { change: newcomer, open: nothingOpen, page: { prepare: future, fresh: true } }, async ({ page, user }) => {
    const words = await page.told('Lorefork is installed');
    assert.ok(words.includes(NEXT), words);
    assert.equal((await page.notices()).length, 1);
    await page.notice('Lorefork is installed').locator('.toast-close-button').click();
    await page.saved();
    const { lorefork_met, lorefork_untried } = remembered(user);
    assert.deepEqual([lorefork_met, lorefork_untried], ['yes', NEXT]);
});

// One place for everything

/** Each command, the name in the menu, and what opens. */
const NAMES = [
    ['lorefork-tree', 'Story tree', 'Story tree'],
    ['lorefork-check', 'Check timelines', 'Timeline check'],
    ['lorefork-status', 'Timeline status', 'Kind'],
    ['lorefork-isolate', 'Give it its own lorebook', 'Nothing was changed'],
    ['lorefork-decide', 'Decide what belongs to it', 'nothing to decide'],
    ['lorefork-rewind', 'Rewind its lorebook', 'Which message?'],
    ['lorefork-delete', 'Delete this timeline', 'the only chat here'],
    ['lorefork-log', 'What Lorefork did', 'Nothing was done yet'],
    ['lorefork-undo', 'Undo the last change', 'cannot be taken back'],
    [null, 'Lorebooks without a timeline', 'There are none'],
];

async function choose(page, name) {
    await page.tab.click('#extensionsMenuButton');
    await page.tab.locator('#lorefork_wand').click();
    await page.popup().locator('.lorefork-menu .menu_button', { hasText: name }).click();
}

scene('whatever a command does has a name in the menu of the wand', async ({ page, user, before }) => {
    const commands = await page.run(() => Object.values(SillyTavern.getContext().SlashCommandParser.commands).map(({ name }) => name));
    const ours = [...new Set(commands.filter((name) => name.startsWith('lorefork-')))].sort();
    assert.deepEqual(ours, NAMES.map(([command]) => command).filter(Boolean).sort());
    assert.equal(await page.tab.locator('#extensionsMenu', { hasText: 'Lorefork' }).locator('[id^=lorefork]').count(), 1, 'one entry');
    for (const [, name, opens] of NAMES) {
        await choose(page, name);
        const shown = page.tab.locator('dialog.popup[open], #toast-container .toast', { hasText: opens }).last();
        await shown.waitFor();
        if (await page.popup().count()) await page.popup().locator('.popup-button-ok, .popup-button-cancel').locator('visible=true').last().click();
        await page.tab.locator('dialog.popup[open]').waitFor({ state: 'detached' });
        await page.clearNotices();
    }
    await choose(page, 'Settings');
    await page.tab.locator('#lorefork_policy').waitFor();
    await page.saved();
    same(before, user, 'to look changes nothing');
});

scene('without a chat the menu has what is about all chats', { open: nothingOpen }, async ({ page }) => {
    await page.tab.click('#extensionsMenuButton');
    await page.tab.locator('#lorefork_wand').click();
    const menu = page.popupWith('All chats');
    await menu.waitFor();
    assert.match(await menu.innerText(), /No chat is open/);
    assert.equal(await menu.locator('.lorefork-menu .menu_button', { hasText: 'Check timelines' }).count(), 0);
    await page.accept('All chats');
});

scene('who never forks sees nothing else', async ({ page }) => {
    await page.type('Is the lamp lit?');
    await page.tab.waitForFunction((length) => SillyTavern.getContext().chat.length === length, LAST + 3);
    await page.saved();
    await page.saved();
    assert.deepEqual(await page.notices(), []);
    assert.equal(await page.popup().count(), 0);
});
