// SillyTavern in a tab, driven as a user drives it.

import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { HERO } from './sample.mjs';

const PATIENCE = 90_000;

export class Page {
    constructor(tavern, tab) {
        this.tavern = tavern;
        this.tab = tab;
        this.gateway = tavern.gateway;
        /** What the console complained about, and what nobody caught. @type {string[]} */
        this.complaints = [];
        tab.on('console', (message) => message.type() === 'error' && this.complaints.push(message.text()));
        tab.on('pageerror', (error) => this.complaints.push(`uncaught: ${error.stack ?? error}`));
        tab.setDefaultTimeout(PATIENCE);
    }

    async load() {
        await this.tab.addInitScript(prepare);
        await this.tab.goto(this.gateway.url);
        await this.ready();
        await this.whole();
        this.begun = await this.run(settingsOf);
        await this.remember();
    }

    async reload() {
        await this.tab.reload();
        await this.ready();
        await this.whole();
    }

    /** Resolves when all of the extension is there, if it is installed: SillyTavern does not wait for it. */
    async whole() {
        await this.tab.waitForFunction(() => !globalThis.lorefork || document.querySelector('#lorefork_wand'));
    }

    /** Resolves when SillyTavern is ready. */
    async ready() {
        await this.tab.waitForFunction(() => globalThis.SillyTavern?.getContext?.()?.characters?.length > 0);
        // Told again to those who come late.
        await this.tab.evaluate(() => new Promise((resolve) => {
            const { eventSource, eventTypes } = SillyTavern.getContext();
            eventSource.once(eventTypes.APP_READY, resolve);
        }));
        await this.tab.waitForFunction(() => !document.querySelector('#loader, #load-spinner, #preloader'));
        await this.run(countTokens);
        const welcome = this.tab.locator('dialog.popup[open] .popup-button-ok');
        if (await welcome.count()) await welcome.last().click();
    }

    async close() {
        await this.tab.close();
    }

    // One page for many tests

    /** Remembers what a test must leave as it is, if the next one is to have this page. */
    async remember() {
        this.looked = { ...(await this.run(state)), open: [] };
    }

    /** Closes what is open, and the chat, if the test left everything else as it was. Whether it did. */
    async leave() {
        await this.run(closeAll);
        const now = await this.run(state);
        if (!isDeepStrictEqual(now, this.looked)) {
            if (process.env.LOREFORK_E2E_WHY) tellDifference(this.looked, now);
            return false;
        }
        await this.run(async () => {
            toastr.remove();
            $('#send_textarea').val('').trigger('input');
            await (await import('/script.js')).closeCurrentChat();
        });
        return true;
    }

    /**
     * Puts back the settings that the page began with.
     * @param {{ extensions: object, books?: string[] }} changed but for these
     */
    async putBack(changed) {
        await this.run(putBack, { ...this.begun, ...changed, extensions: { ...this.begun.extensions, ...changed.extensions } });
    }

    /** Reads anew what is on the server: everything there was replaced. */
    async beginAnew() {
        this.complaints.length = 0;
        await this.run(async () => {
            for (const { name } of await indexedDB.databases()) {
                const base = await new Promise((resolve, reject) => {
                    const request = indexedDB.open(name);
                    request.onsuccess = () => resolve(request.result);
                    request.onerror = () => reject(request.error);
                });
                const stores = [...base.objectStoreNames];
                if (stores.length) {
                    const emptied = base.transaction(stores, 'readwrite');
                    for (const store of stores) emptied.objectStore(store).clear();
                    await new Promise((resolve) => (emptied.oncomplete = resolve));
                }
                base.close();
            }
            const { worldInfoCache, updateWorldInfoList } = await import('/scripts/world-info.js');
            worldInfoCache.clear();
            await updateWorldInfoList();
            await (await import('/script.js')).getCharacters();
            toastr.remove();
            if (!globalThis.lorefork) return;
            // What is said once in the life of a page is said again.
            const { lost, missed, told } = await import('/scripts/extensions/third-party/lorefork/src/met.js');
            for (const met of [lost, missed, told]) met.clear();
        });
    }

    /** @template T @param {(arg: any) => T | Promise<T>} act @param {any} [arg] */
    run(act, arg) {
        return this.tab.evaluate(act, arg);
    }

    // Chats

    /** Opens a chat of a character; without a name, the one its card opens. */
    async openSolo(chat, hero = HERO) {
        await this.showSolo(chat, hero);
        await this.gateway.quiet();
    }

    /** The same while requests are held up. */
    async showSolo(chat, hero = HERO) {
        await this.run(async ([hero, chat]) => {
            const context = () => SillyTavern.getContext();
            const index = context().characters.findIndex(({ avatar }) => avatar === `${hero}.png`);
            if (Number(context().characterId) !== index || context().groupId) await context().selectCharacterById(index);
            if (chat && context().getCurrentChatId() !== chat) await context().openCharacterChat(chat);
        }, [hero, chat]);
        await this.shown();
    }

    async openGroup(id, chat) {
        await this.run(async ([id, chat]) => {
            const { openGroupById } = await import('/scripts/group-chats.js');
            await openGroupById(id);
            if (chat && SillyTavern.getContext().getCurrentChatId() !== chat) await SillyTavern.getContext().openGroupChat(id, chat);
        }, [id, chat]);
        await this.settled();
    }

    /** Resolves when the open chat is there in full. */
    async settled() {
        await this.shown();
        await this.gateway.quiet();
    }

    async shown() {
        await this.tab.waitForFunction(() => {
            const { chat, chatMetadata } = SillyTavern.getContext();
            return chatMetadata?.integrity && document.querySelectorAll('#chat .mes').length >= Math.min(chat.length, 100);
        });
    }

    /** The open chat as the page has it. */
    chat() {
        return this.run(() => {
            const { getCurrentChatId, chat, chatMetadata, groupId, name2 } = SillyTavern.getContext();
            return { name: getCurrentChatId(), length: chat.length, book: chatMetadata.world_info, main: chatMetadata.main_chat, slug: chatMetadata.integrity, groupId, hero: name2 };
        });
    }

    /** Waits until a chat of another name is open, and returns it. */
    async switched(from) {
        await this.tab.waitForFunction((from) => {
            const { getCurrentChatId, chatMetadata } = SillyTavern.getContext();
            return getCurrentChatId() && getCurrentChatId() !== from && chatMetadata?.integrity;
        }, from);
        await this.settled();
        return this.chat();
    }

    // Messages

    message(at) {
        return this.tab.locator(`#chat .mes[mesid="${at}"]`);
    }

    /** Clicks a button of a message, with the mouse. @param {number} at @param {string} name */
    async press(at, name, options = {}) {
        const message = this.message(at);
        await message.scrollIntoViewIfNeeded();
        const button = message.locator(`.${name}`).first();
        const hint = message.locator('.extraMesButtonsHint');
        // Whatever is drawn anew meanwhile closes them again: also between a look and the click.
        await until(async () => {
            if (!(await button.isVisible())) await hint.click({ timeout: 1000 });
            return button.click({ ...options, timeout: 2000 }).then(() => true, (error) => isUnderWay(error));
        }, `${name} of message ${at} is clicked`);
    }

    pressBranch = (at) => this.press(at, 'mes_create_branch');
    pressCheckpoint = (at) => this.press(at, 'mes_create_bookmark');

    // Popups and notices

    popup() {
        return this.tab.locator('dialog.popup[open]').last();
    }

    /** The popup with this text. */
    popupWith(text) {
        return this.tab.locator('dialog.popup[open]', { hasText: text }).last();
    }

    async accept(text) {
        const popup = text ? this.popupWith(text) : this.popup();
        await popup.locator('.popup-button-ok').click();
    }

    async cancel(text) {
        const popup = text ? this.popupWith(text) : this.popup();
        await popup.locator('.popup-button-cancel').click();
    }

    /** Answers the popup that asks for a checkpoint's name; without one, with what it suggests. */
    async nameIt(name) {
        const popup = this.popupWith('Enter Checkpoint Name');
        await popup.waitFor();
        if (name !== undefined) await popup.locator('.popup-input').fill(name);
        await popup.locator('.popup-button-ok').click();
    }

    /** A notice with this text. */
    notice(text) {
        return this.tab.locator('#toast-container .toast', { hasText: text }).last();
    }

    async told(text) {
        const notice = this.notice(text);
        await notice.waitFor();
        // While a popup opens, SillyTavern takes the notices off the page and puts them above it.
        return until(async () => (await notice.innerText()).trim(), `“${text}” is said`);
    }

    /** All notices that are shown. */
    async notices() {
        return this.run(() => [...document.querySelectorAll('#toast-container .toast')].map((toast) => `${toast.className.match(/toast-(\w+)/)?.[1]}: ${toast.innerText}`));
    }

    clearNotices() {
        return this.run(() => toastr.remove());
    }

    /** Resolves when the fork that was asked for is over, whatever came of it. */
    async over() {
        await this.tab.waitForFunction(() => !document.querySelector('[data-lorefork-busy], .lorefork-progress'));
        await this.gateway.quiet(300);
    }

    /** Makes a checkpoint with the mouse and returns what was said. */
    async checkpoint(at, name) {
        await this.pressCheckpoint(at);
        await this.nameIt(name);
        const words = await this.told('Checkpoint created');
        await this.over();
        return words;
    }

    /** Makes a branch with the mouse and returns the chat that opened. */
    async branch(at) {
        const { name } = await this.chat();
        await this.pressBranch(at);
        return this.switched(name);
    }

    // Commands

    /** Runs slash commands as the user types them, and returns what they return. */
    command(text) {
        return this.run(async (text) => (await SillyTavern.getContext().executeSlashCommandsWithOptions(text, { handleParserErrors: false })).pipe, text);
    }

    /** Types into the box at the bottom and sends it. */
    async type(text) {
        await this.tab.fill('#send_textarea', text);
        await this.tab.click('#send_but');
    }

    /** Time runs out for every request that waits for an answer. */
    runOut() {
        return this.run(() => globalThis.runOut());
    }

    /** Saves the open chat, if there is one. */
    async saveOpen() {
        await this.run(async () => {
            const { getCurrentChatId, saveChat } = SillyTavern.getContext();
            if (getCurrentChatId()) await saveChat();
        });
        await this.gateway.quiet();
    }

    /** Resolves when everything that is saved with a delay has been sent and answered. */
    async saved() {
        // The page's own clock: what it saves comes before, however busy it is.
        await this.run(() => new Promise((resolve) => setTimeout(resolve, 400)));
        await this.gateway.quiet();
    }
}

/** Whether a click was made all the same, of which a busy page did not tell in time. */
const isUnderWay = ({ message }) => /performing click action/.test(message);

/** Settings that a running page takes over when they are put back. */
async function settingsOf() {
    const { selected_world_info } = await import('/scripts/world-info.js');
    return JSON.parse(JSON.stringify({ extensions: SillyTavern.getContext().extensionSettings, books: selected_world_info }));
}

/** @param {Awaited<ReturnType<typeof settingsOf>>} settings an extension that is null there has none */
async function putBack({ extensions, books }) {
    const { extensionSettings } = SillyTavern.getContext();
    for (const name of new Set([...Object.keys(extensionSettings), ...Object.keys(extensions)])) {
        // It has a copy of its own, and notes each character that was open.
        if (name === 'quickReplyV2') continue;
        if (extensions[name] == null) delete extensionSettings[name];
        else if (JSON.stringify(extensionSettings[name]) !== JSON.stringify(extensions[name])) extensionSettings[name] = extensions[name];
    }
    const { selected_world_info, world_info } = await import('/scripts/world-info.js');
    selected_world_info.splice(0, Infinity, ...books);
    world_info.globalSelect = selected_world_info;
    if (!globalThis.lorefork) return;
    const { preferences } = await import('/scripts/extensions/third-party/lorefork/src/preferences.js');
    for (const [key, value] of Object.entries(preferences())) {
        const field = document.getElementById(`lorefork_${key}`);
        if (field?.type === 'checkbox') field.checked = value === true;
        else if (field && typeof value === 'string') field.value = value;
    }
}

/** Closes popups, drawers and menus. */
async function closeAll() {
    const { Popup } = SillyTavern.getContext();
    // One that cannot be closed is not waited for.
    const late = new Promise((resolve) => setTimeout(resolve, 2000));
    for (const popup of [...Popup.util.popups].reverse()) await Promise.race([popup.completeCancelled(), late]);
    for (const drawer of document.querySelectorAll('.openDrawer')) drawer.parentElement.querySelector('.drawer-toggle')?.click();
    document.querySelector('#select_chat_cross')?.click();
}

/** Counts as the gateway does, without asking it once for each message of each chat. */
function countTokens() {
    const counted = { send: (_, done) => done(200, 'OK', { json: { token_count: 10, count: 10, ids: [] } }), abort: () => {} };
    $.ajaxTransport('+json', ({ url }) => (url.startsWith('/api/tokenizers/') ? counted : undefined));
}

/** What closing a chat does not put back: what is open, and what somebody added to the page. */
async function state() {
    const { powerUserSettings } = SillyTavern.getContext();
    const { isGenerating } = await import('/script.js');
    const shown = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility()).map(({ id, className }) => id || className);
    return {
        globals: Object.keys(globalThis).filter((name) => !['asked', 'answer'].includes(name)).sort(),
        power: JSON.stringify(powerUserSettings),
        open: shown('dialog[open], .openDrawer, #select_chat_popup, #options, [data-lorefork-busy]'),
        busy: isGenerating(),
    };
}

/** Says why the next test gets a new page. */
function tellDifference(was, is) {
    const lines = (value) => JSON.stringify(value, null, 1).split('\n');
    for (const name of Object.keys(is)) {
        if (JSON.stringify(was[name]) === JSON.stringify(is[name])) continue;
        const known = lines(was[name]);
        console.log(`  a new page, because of ${name}: ${lines(is[name]).filter((line) => !known.includes(line)).join('').slice(0, 200)}`);
    }
}

/** Runs in the page before anything of SillyTavern. */
function prepare() {
    // Nobody wants to wait a minute for a server that a test made deaf, and no clock should run out on a slow machine.
    const clocks = new Set();
    AbortSignal.timeout = () => {
        const clock = new AbortController();
        clocks.add(clock);
        return clock.signal;
    };
    globalThis.runOut = () => {
        for (const clock of clocks) clock.abort(new DOMException('signal timed out', 'TimeoutError'));
        clocks.clear();
    };
}

/**
 * Polls until something holds: files appear when they appear.
 * @template T @param {() => T} look @param {string} what
 * @returns {Promise<T>}
 */
export async function until(look, what, patience = PATIENCE) {
    let last;
    for (const end = Date.now() + patience; Date.now() < end;) {
        try {
            const seen = await look();
            if (seen) return seen;
        } catch (error) {
            last = error;
        }
        await sleep(50);
    }
    throw last ?? new Error(`it never came true that ${what}`);
}
