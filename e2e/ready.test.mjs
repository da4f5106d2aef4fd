// Message buttons say whether it can be forked there, in words, and follow whatever changes that.

import assert from 'node:assert/strict';

import { readSolo } from './files.mjs';
import { until } from './page.mjs';
import { BOOK, editSettings, LAST, STORY } from './sample.mjs';
import { suite } from './suite.mjs';

const scene = suite('ready');
const prefer = (changes) => (user) => editSettings(user, (settings) => (settings.extension_settings.lorefork = changes));

const button = (page, at) => page.message(at).locator('.mes_create_branch');

scene('message buttons say whether it can be forked there, in words (R-141)', async ({ page, user }) => {
    await until(async () => (await button(page, 28).getAttribute('data-lorefork')) === 'ready', 'it is ready');
    assert.match(await button(page, 28).getAttribute('title'), /ready/);
    // Before the first scene ends, too: what that scene wrote is known.
    assert.equal(await button(page, 5).getAttribute('data-lorefork'), 'ready');
    // Waiting work blocks all of them, as soon as it is there, and no longer.
    const queue = (operations) => page.run(async ([book, operations]) => {
        const { loadWorldInfo, saveWorldInfo } = SillyTavern.getContext();
        const data = structuredClone(await loadWorldInfo(book));
        const entry = Object.values(data.entries).find(({ comment }) => comment === '__operation_queue');
        entry.content = JSON.stringify({ ...JSON.parse(entry.content), queue: operations });
        await saveWorldInfo(book, data, true);
    }, [BOOK, operations]);
    await queue([{ id: 'x', type: 'lorebook_entry_lookup', status: 'pending' }]);
    await until(async () => (await button(page, 28).getAttribute('data-lorefork')) === 'blocked', 'it is blocked');
    assert.match(await button(page, 28).getAttribute('title'), /1 operation of Auto-Recap is still waiting/);
    await queue([]);
    await until(async () => (await button(page, 28).getAttribute('data-lorefork')) === 'ready', 'it is ready again');
    // A new message is like the one before, and the others are not judged anew because of it.
    await button(page, 28).evaluate((button) => (button.title = 'as it was'));
    await page.type('Is the lamp lit?');
    await page.tab.waitForFunction((length) => SillyTavern.getContext().chat.length === length, LAST + 3);
    await until(async () => (await button(page, LAST + 2).getAttribute('data-lorefork')) === 'ready', 'so is the new one');
    await page.saved();
    await page.tab.waitForTimeout(3000);
    assert.equal(await button(page, 28).getAttribute('title'), 'as it was');
    assert.ok(readSolo(user, STORY));
});

scene('strict: buttons inside a scene are blocked', { change: prefer({ policy: 'strict' }) }, async ({ page }) => {
    await until(async () => (await button(page, 20).getAttribute('data-lorefork')) === 'blocked', 'it is blocked');
    assert.match(await button(page, 20).getAttribute('title'), /does not end a scene/);
    assert.equal(await button(page, 28).getAttribute('data-lorefork'), 'ready');
});

/** Waits until a message's button has this state, and returns its words. */
async function becomes(page, at, state) {
    const is = () => button(page, at).getAttribute('data-lorefork');
    await until(async () => (await is()) === state, `message ${at} is ${state}`, 30_000)
        .catch(async (error) => assert.fail(`${error.message}: it is ${await is()}, ${await button(page, at).getAttribute('title')}`));
    return button(page, at).getAttribute('title');
}

scene('a scene that ends, and one that does not any more', { change: prefer({ policy: 'strict' }), odd: true }, async ({ page }) => {
    const says = (words) => until(async () => words.test(await button(page, 20).getAttribute('title')), `it says ${words}`);
    /** As Auto-Recap does: into the message, then the chat is saved. */
    const carry = (from) => page.run(async (from) => {
        const { chat, saveChat } = SillyTavern.getContext();
        chat[20].extra = from === null ? {} : structuredClone(chat[from].extra);
        await saveChat();
    }, from);
    await says(/does not end a scene/);
    await carry(28);
    await says(/blocked: The scene that ends at message 20 is not part of the running recap yet/);
    await carry(null);
    await says(/does not end a scene/);
});

scene('a running recap that goes on says so at the messages before', { odd: true }, async ({ page }) => {
    await becomes(page, LAST, 'ready');
    await page.run(async () => {
        const { chatMetadata, saveMetadata } = SillyTavern.getContext();
        const { versions } = chatMetadata.auto_recap_running_scene_recaps;
        versions.at(-1).new_scene_index = 999;
        await saveMetadata();
    });
    await until(async () => (await button(page, LAST).getAttribute('data-lorefork')) !== 'ready', 'it is said that the recap is of later');
    assert.match(await button(page, LAST).getAttribute('title'), /\(.+: .+\)/, 'with its cause');
});

scene('a lorebook that acts everywhere', { odd: true }, async ({ page }) => {
    await becomes(page, 28, 'ready');
    await page.command(`/world state=on silent=true ${BOOK}`);
    assert.match(await becomes(page, 28, 'warned'), /acts in every timeline/);
    await page.command(`/world state=off silent=true ${BOOK}`);
    await becomes(page, 28, 'ready');
});

scene('the end of a scene that is deleted', { change: prefer({ policy: 'strict' }), odd: true }, async ({ page }) => {
    await becomes(page, 28, 'ready');
    await page.command('/cut 28');
    // What was 41 is 40 now, and at first says what it said before. Nobody told the running recap of it.
    assert.match(await becomes(page, 40, 'blocked'), /not part of the running recap yet/);
    assert.match(await becomes(page, 28, 'blocked'), /does not end a scene/);
});

scene('another setting, another chat', { odd: true }, async ({ page }) => {
    await becomes(page, 20, 'ready');
    await page.run(() => {
        const select = document.querySelector('#lorefork_settings select');
        select.value = [...select.options].find(({ value }) => value === 'strict').value;
        select.dispatchEvent(new Event('change', { bubbles: true }));
    });
    assert.match(await becomes(page, 20, 'blocked'), /does not end a scene/);
    const name = await page.command('/checkpoint-create mesId=28 Keep');
    await page.openSolo(name);
    await becomes(page, 28, 'ready');
    await becomes(page, 20, 'blocked');
});
