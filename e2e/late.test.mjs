// SillyTavern does not wait for all of the extension when it starts: what happens before the rest is there.

import assert from 'node:assert/strict';

import { chats, photograph, readSolo } from './files.mjs';
import { until } from './page.mjs';
import { BOOK, editSettings, HERO, STORY } from './sample.mjs';
import { forks, same, suite } from './suite.mjs';
import { alone } from './tangled.mjs';

const scene = suite('late', { fresh: true });
/** What SillyTavern waits for; all else comes when the test lets it. */
const REST = /\/lorefork\/src\/(?!(?:api|books|gates|intercept|preferences|requests|saves|start|tavern|times|tried|unloaded|words)\.js)/;

/** Loads the page anew, without the rest. Returns what lets it come. */
async function loadWithoutRest({ page, gateway }) {
    let letCome;
    const held = new Promise((resolve) => (letCome = resolve));
    let asked = 0;
    gateway.onRequest = ({ path }) => {
        if (!REST.test(path)) return;
        asked += 1;
        return held;
    };
    await page.tab.reload();
    await page.ready();
    await until(() => asked > 0, 'the rest is asked for');
    return letCome;
}

scene('a click on the branch button waits for the rest, and the branch gets its own lorebook', async (s) => {
    const letCome = await loadWithoutRest(s);
    const { page, user } = s;
    await page.showSolo();
    const before = photograph(user);
    await forks(s, { at: 28, kind: 'branch', entries: 27 }, async () => {
        await page.pressBranch(28);
        await page.tab.waitForTimeout(1000);
        same(before, user);
        letCome();
        return page.switched(STORY);
    });
});

scene('so does a branch that another module makes', async (s) => {
    const letCome = await loadWithoutRest(s);
    const { page } = s;
    await page.showSolo();
    await forks(s, { at: 28, kind: 'branch', entries: 27 }, async () => {
        const made = page.run(async () => (await import('/scripts/bookmarks.js')).createBranch(28));
        await page.tab.waitForTimeout(1000);
        letCome();
        return made;
    });
});

scene('another chat is opened before the rest is there: nothing is made in it, and that is said', { change: (user) => alone(user, 'Old branch', 29), odd: true }, async (s) => {
    const letCome = await loadWithoutRest(s);
    const { page, user, gateway } = s;
    await page.showSolo();
    const made = () => chats(user).length;
    const before = made();
    await page.pressBranch(28);
    await page.showSolo('Old branch');
    letCome();
    await page.told('The chat was switched');
    await gateway.quiet();
    assert.equal(made(), before);
});

scene('two clicks before the rest is there make one branch', async (s) => {
    const letCome = await loadWithoutRest(s);
    const { page } = s;
    await page.showSolo();
    await forks(s, { at: 28, kind: 'branch', entries: 27 }, async () => {
        await page.pressBranch(28);
        await page.pressBranch(28);
        letCome();
        return page.switched(STORY);
    });
});

function opensByItself(user) {
    alone(user, 'Old branch', 29);
    editSettings(user, (settings) => {
        settings.active_character = `${HERO}.png`;
        settings.power_user.auto_load_chat = true;
    });
}

scene('a chat that SillyTavern opens by itself before is looked at all the same', { change: opensByItself }, async (s) => {
    const { page } = s;
    await page.openSolo('Old branch');
    await page.saved();
    const letCome = await loadWithoutRest(s);
    await until(async () => (await page.chat()).name === 'Old branch', 'it is open');
    await page.shown();
    assert.deepEqual(await page.notices(), []);
    letCome();
    await page.told('is also used by');
    const button = page.message(28).locator('.mes_create_branch');
    await until(async () => (await button.getAttribute('data-lorefork')) !== null, 'its buttons say how ready it is');
});

scene('where the rest cannot be loaded, a click says so, and nothing is made', { complaints: [/./] }, async ({ page, user, gateway }) => {
    gateway.onRequest = ({ path }) => (REST.test(path) ? 'refuse' : undefined);
    await page.tab.reload();
    await page.ready();
    await page.openSolo();
    const before = photograph(user);
    await page.pressBranch(28);
    await page.told('Lorefork does not work');
    await gateway.quiet();
    same(before, user);
});

scene('a branch that another module makes passes then, and that is said', { complaints: [/./], odd: true }, async ({ page, user, gateway }) => {
    gateway.onRequest = ({ path }) => (REST.test(path) ? 'refuse' : undefined);
    await page.tab.reload();
    await page.ready();
    await page.openSolo();
    const name = await page.run(async () => (await import('/scripts/bookmarks.js')).createBranch(28));
    await page.told('may share its lorebook');
    assert.equal(readSolo(user, name).meta.world_info, BOOK);
});

scene('a chat is renamed all the same, and that its timelines do not follow is said', { complaints: [/./], odd: true }, async ({ page, user, gateway }) => {
    gateway.onRequest = ({ path }) => (REST.test(path) ? 'refuse' : undefined);
    await page.tab.reload();
    await page.ready();
    await page.openSolo();
    await page.command('/renamechat The Lamp');
    await page.told('may still name what was renamed');
    await until(() => chats(user).includes('The Lamp'), 'it is renamed');
});
