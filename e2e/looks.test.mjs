// Everything the extension shows, looked at: nothing is cut off, wider than a phone, or out of line.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { hold, isWrite } from './flow.mjs';
import { addLightTheme, look, openInOwnTheme } from './pictures.mjs';
import { BOOK, editChat, editSettings, editStory, fillQueue, forgetScenes, LAST, operation, STORY, storyFile } from './sample.mjs';
import { suite } from './suite.mjs';

const show = suite('looks');
const CJK = '宵待島の夜：灯台守と竜の歌';
const LONG = `${'ä'.repeat(60)} and then some more words`;
const COMPLAINTS = { complaints: [/./], odd: true };

/** @param {string} title @param {object} how @param {(scene: import('./suite.mjs').Scene) => Promise<void>} act */
function scene(title, how, act) {
    const change = (user) => {
        addLightTheme(user);
        how.change?.(user);
    };
    show(title, { ...COMPLAINTS, open: openInOwnTheme, ...how, change }, async (s) => {
        // A server that is kept waiting is not given up on while pictures are taken.
        await s.page.run(() => (AbortSignal.timeout = () => new AbortController().signal));
        await act(s);
    });
}

const isBook = ({ path }) => path === '/api/worldinfo/edit';
const isNewChat = ({ path, body }) => path === '/api/chats/save' && !body.includes(`"file_name":${JSON.stringify(STORY)},`);

scene('the name', {}, async ({ page }) => {
    await page.pressCheckpoint(28);
    await page.popupWith('Enter Checkpoint Name').waitFor();
    await look(page, 'name');
    await page.nameIt(LONG);
    await page.told('Checkpoint created');
    await tapForMore(page);
    await look(page, 'created-long');
    await page.clearNotices();
    await page.press(28, 'mes_bookmark', { modifiers: ['Shift'] });
    await page.popupWith('Enter Checkpoint Name').waitFor();
    await look(page, 'name-again');
    await page.cancel('Enter Checkpoint Name');
});

scene('the steps', {}, async ({ page, gateway }) => {
    const { reached, letGo } = hold(gateway, isNewChat);
    await page.pressCheckpoint(28);
    await page.nameIt('Before the storm');
    await reached;
    await page.tab.locator('.lorefork-progress').waitFor();
    await look(page, 'progress', { docs: 'dialog.popup[open]' });
    letGo();
    await page.told('Checkpoint created');
    await page.over();
    await stay(page);
    await look(page, 'created', { docs: '#toast-container .toast', everywhere: true });
    assert.ok(await isOneLine(page), 'one line, also on a phone');
    await tapForMore(page);
    await look(page, 'created-more', { docs: '#toast-container .toast' });
});

/** Pictures take longer than a notice stays. */
const stay = (page) => page.run(() => $('#toast-container .toast').trigger('mouseenter'));

async function isOneLine(page) {
    await page.tab.setViewportSize({ width: 390, height: 844 });
    const found = await page.run(() => {
        const text = document.querySelector('#toast-container .lorefork-brief');
        return text.getBoundingClientRect().height < 2 * parseFloat(getComputedStyle(text).fontSize);
    });
    await page.tab.setViewportSize({ width: 1280, height: 900 });
    return found;
}

async function tapForMore(page) {
    await page.notice('created').click();
    await page.tab.locator('.lorefork-brief').waitFor({ state: 'detached' });
}

scene('a branch', {}, async ({ page }) => {
    await page.branch(28);
    await page.told('Branch created');
    await stay(page);
    await look(page, 'created-branch');
});

scene('names in other scripts', {
    change: (user) => editStory(user, (_, messages) => {
        for (const { extra } of messages) if (extra?.auto_recap_memory?.scene_break_name) extra.auto_recap_memory.scene_break_name = CJK.repeat(3);
    }),
}, async ({ page }) => {
    await page.checkpoint(28, CJK.repeat(3));
    await tapForMore(page);
    await look(page, 'created-cjk');
});

const WORK = [
    operation(),
    operation({ id: 'op_2', type: 'generate_running_recap', status: 'in_progress', metadata: { scene_index: 53 } }),
    operation({ id: 'op_3', type: 'merge_lorebook_entry', status: 'retrying', metadata: { entry_comment: `location-${CJK}` } }),
];

scene('waiting work', { change: (user) => fillQueue(user, WORK) }, async ({ page }) => {
    await page.pressBranch(LAST);
    await page.popupWith('Cannot create branch').waitFor();
    await look(page, 'refusal', { docs: 'dialog.popup[open]' });
    await page.popupWith('Cannot create branch').getByText('Create when ready').click();
    await page.told('Waiting');
    await page.tab.waitForTimeout(2500);
    await look(page, 'waiting', { docs: '#toast-container .toast' });
    await page.notice('Create Branch').locator('.action-loader-stop').click();
});

scene('much waiting work', {
    change: (user) => fillQueue(user, Array.from({ length: 40 }, (_, index) => operation({ id: `op_${index}`, metadata: { entry_comment: index === 1 ? LONG : `character-Number ${index}` } }))),
}, async ({ page }) => {
    await page.pressCheckpoint(LAST);
    await page.popupWith('Cannot create checkpoint').waitFor();
    await look(page, 'refusal-much');
    await page.accept('Cannot create checkpoint');
    await page.over();
    await page.command(`/branch-create ${LAST}`);
    await page.told('Cannot create branch');
    await stay(page);
    await look(page, 'refused-command');
});

scene('warnings before', {
    change: (user) => editSettings(user, (settings) => {
        settings.world_info_settings ??= {};
        settings.world_info_settings.world_info ??= {};
        settings.world_info_settings.world_info.globalSelect = [BOOK];
    }),
}, async ({ page }) => {
    await page.pressBranch(28);
    await page.popupWith('nevertheless').waitFor();
    await look(page, 'warning', { docs: 'dialog.popup[open]' });
    await page.cancel('nevertheless');
    await page.over();
    await page.command('/branch-create confirm=true 28');
    await page.told('acts in every timeline');
    await stay(page);
    await look(page, 'created-warned');
});

scene('nothing recorded', { change: forgetScenes }, async ({ page }) => {
    await page.pressBranch(5);
    await page.popupWith('Cannot create branch').waitFor();
    await look(page, 'no-snapshot', { docs: 'dialog.popup[open]' });
    await page.accept('Cannot create branch');
    const done = page.run(async () => (await import('/scripts/bookmarks.js')).createBranch(5));
    await page.popupWith('Which lorebook').waitFor();
    await look(page, 'which-lorebook');
    await page.popupWith('Which lorebook').locator('.popup-button-custom', { hasText: 'as it is now' }).click();
    await done;
    await page.told('Branch created');
    await stay(page);
    await look(page, 'caught');
});

scene('a name that is taken, and no lorebook', {
    change: (user) => editChat(storyFile(user), (metadata) => delete metadata.world_info),
}, async ({ page }) => {
    await page.pressCheckpoint(28);
    await page.nameIt(STORY);
    await page.popupWith('Cannot create checkpoint').waitFor();
    await look(page, 'name-taken');
    await page.accept('Cannot create checkpoint');
    await page.over();
    await page.checkpoint(28);
    await stay(page);
    await look(page, 'created-bare');
});

scene('one at a time', {}, async ({ page, gateway }) => {
    const { reached, letGo } = hold(gateway, isBook);
    await page.pressBranch(28);
    await reached;
    await page.command('/checkpoint-create mesId=13 Second');
    await page.told('being made');
    await page.tab.waitForTimeout(600);
    await look(page, 'busy');
    letGo();
    await page.switched(STORY);
});

/** Another chat to go to. */
function other(user) {
    fs.copyFileSync(storyFile(user), storyFile(user, 'Other'));
    editChat(storyFile(user, 'Other'), (metadata) => {
        metadata.integrity = '99999999-2222-4333-8444-555555555555';
        delete metadata.world_info;
    });
}

scene('the chat is switched meanwhile', { change: other }, async ({ page, gateway }) => {
    const { reached, letGo } = hold(gateway, isBook);
    await page.pressBranch(28);
    await reached;
    await page.run(() => SillyTavern.getContext().openCharacterChat('Other'));
    letGo();
    await page.told('switched');
    await page.over();
    await look(page, 'switched');
});

scene('an empty chat', {
    change: (user) => fs.writeFileSync(storyFile(user), fs.readFileSync(storyFile(user), 'utf8').split('\n')[0]),
    open: async (page) => {
        await page.openSolo();
        await page.run(() => void SillyTavern.getContext().chat.splice(0));
    },
}, async ({ page }) => {
    await page.command('/checkpoint-create');
    await page.run(() => void $('#option_new_bookmark').trigger('click'));
    await page.told('empty');
    await look(page, 'empty');
});

/** What is said where nothing can be forked, and where somebody else forks all the same. */
async function lookAtRefusals(page, { refused, passed, words }) {
    await page.pressBranch(28);
    await page.told('does not work');
    await look(page, refused);
    await page.clearNotices();
    await page.run(async () => (await import('/scripts/bookmarks.js')).createBranch(28));
    await page.told(words);
    await look(page, passed);
}

scene('a broken engine', {
    change: (user) => fs.truncateSync(path.join(user, 'extensions/lorefork/engine/lorefork_web_bg.wasm'), 1000),
}, ({ page }) => lookAtRefusals(page, { refused: 'broken', passed: 'passed', words: 'shares its lorebook' }));

scene('files of the extension that are missing', {}, async ({ page, user }) => {
    for (const name of ['forking', 'intercept-fork']) fs.rmSync(path.join(user, `extensions/lorefork/src/${name}.js`));
    await page.tab.reload();
    await page.ready();
    await page.openSolo();
    await lookAtRefusals(page, { refused: 'unloaded', passed: 'unloaded-passed', words: 'may share its lorebook' });
});

scene('an answer that stays lost', {}, async ({ page, gateway }) => {
    let isLost = false;
    gateway.onRequest = (asked) => {
        if (!asked.path.startsWith('/api/')) return undefined;
        if (isLost) return 'drop';
        if (!isNewChat(asked) || !isWrite(asked.path)) return undefined;
        isLost = true;
        return 'lose';
    };
    await page.pressBranch(28);
    await page.tab.locator('dialog.popup[open]:not(:has(.lorefork-progress)), #toast-container .toast').first().waitFor({ timeout: 60_000 });
    await page.tab.waitForTimeout(500);
    gateway.onRequest = () => {};
    await look(page, 'lost');
    if (await page.popup().count()) await page.accept();
    // The next start finds out, and says so.
    await page.clearNotices();
    await page.reload();
    await page.tab.waitForTimeout(4000);
    if ((await page.notices()).length) await look(page, 'healed');
});

/** A branch as SillyTavern makes it without us. */
function sharedBranch(user) {
    fs.copyFileSync(storyFile(user), storyFile(user, 'Old branch'));
    editChat(storyFile(user, 'Old branch'), (metadata, messages) => {
        metadata.main_chat = STORY;
        metadata.integrity = '11111111-2222-4333-8444-555555555555';
        messages.splice(29);
    });
}

scene('a shared timeline from before', { change: sharedBranch }, async ({ page }) => {
    await page.openSolo('Old branch');
    await page.told('is also used by');
    await look(page, 'offer');
    await page.notice('is also used by').locator('.lorefork-offer').click();
    await page.told('Lorebook isolated');
    await look(page, 'isolated');
});

// After the first fork

/** A checkpoint whose lorebook was deleted, and one whose chat was. */
async function deserted({ page, tavern, user }) {
    const kept = await page.command('/checkpoint-create mesId=28 Before the storm');
    const gone = await page.command('/checkpoint-create mesId=41 The long way round');
    await page.saved();
    const book = JSON.parse(fs.readFileSync(storyFile(user, kept), 'utf8').split('\n')[0]).chat_metadata.world_info;
    const again = await tavern.between(() => {
        fs.rmSync(path.join(user, 'worlds', `${book}.json`));
        fs.rmSync(storyFile(user, gone));
    });
    await again.openSolo(kept);
    return again;
}

scene('a missing lorebook, and lorebooks without a timeline', {}, async (s) => {
    const page = await deserted(s);
    await page.popupWith('The lorebook of this timeline is missing').waitFor();
    await page.clearNotices();
    await look(page, 'missing', { docs: 'dialog.popup[open]', everywhere: true });
    await page.accept();
    await page.told('is missing');
    await look(page, 'left-missing');
    await page.clearNotices();
    await page.run(async () => void (await import('/scripts/extensions/third-party/lorefork/src/views/orphans.js')).showOrphans());
    await page.popupWith('Lorebooks without a timeline').waitFor();
    await page.clearNotices();
    await page.popup().locator('input[type=checkbox]').check();
    await look(page, 'orphans', { docs: 'dialog.popup[open]', everywhere: true });
    await page.accept();
});

scene('the settings, the status, and how ready messages are', {
    change: (user) => editSettings(user, (settings) => (settings.extension_settings.lorefork = { shared: ['The Isle'] })),
}, async ({ page }) => {
    const name = await page.command('/checkpoint-create mesId=28 Before the storm');
    await page.clearNotices();
    await page.tab.waitForFunction(() => document.querySelector('#chat .mes_create_branch')?.dataset.lorefork);
    // Inside a scene, and at its end.
    for (const [at, picture] of [[12, 'buttons'], [13, 'buttons-ready']]) {
        const shown = `#chat .mes[mesid="${at}"]`;
        // One message shows its buttons at a time.
        await page.run((shown) => document.querySelector(`${shown} .extraMesButtonsHint`).click(), shown);
        await look(page, picture, { docs: shown, everywhere: true, shown });
    }
    await page.openSolo(name);
    await page.told('Checkpoint loaded');
    await page.clearNotices();
    await page.run(() => void document.querySelector('#lorefork_wand').click());
    await page.popup().locator('.menu_button', { hasText: 'Timeline status' }).click();
    await page.popupWith('Comes from').waitFor();
    await look(page, 'status', { docs: 'dialog.popup[open]', everywhere: true });
    await page.accept();
    await page.run(() => {
        document.querySelector('#extensions-settings-button .drawer-toggle').click();
        document.querySelector('#lorefork_settings .inline-drawer-toggle').click();
    });
    await page.tab.locator('#lorefork_off').waitFor();
    await page.tab.waitForTimeout(800);
    await look(page, 'drawer', { docs: '#lorefork_settings .inline-drawer', everywhere: true, shown: '#lorefork_settings .inline-drawer' });
});
