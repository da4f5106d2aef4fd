// The requests of a fork, one by one: for breaking each of them, or doing something in between.

import { setTimeout as sleep } from 'node:timers/promises';

/** What a fork asks of the server; everything else that goes on meanwhile is SillyTavern's own. */
const FLOW = /^\/api\/(chats\/(group\/)?(save|get|info|delete)|chats\/recent|worldinfo\/(list|get|edit|delete)|characters\/chats|groups\/edit)$/;

export const isFlow = ({ path }) => FLOW.test(path);

/** Whether a request changes something on the server. */
export const isWrite = (path) => /\/(save|edit|delete)$/.test(path);

/** Asks for a fork by a command, as a user does, without waiting for what comes of it. */
export async function ask(page, command) {
    await page.run((command) => {
        globalThis.asked = SillyTavern.getContext().executeSlashCommandsWithOptions(command, { handleParserErrors: false })
            .then(({ pipe }) => (globalThis.answer = pipe), (error) => (globalThis.answer = `error: ${error.message}`));
        globalThis.answer = undefined;
    }, command);
}

/** Waits for the outcome; closes what says no. Returns the name, or an empty text, and what was said. */
export async function outcome(page) {
    const said = [];
    for (const end = Date.now() + 180_000; Date.now() < end; await sleep(50)) {
        const answer = await page.run(() => globalThis.answer);
        if (answer !== undefined) {
            await page.over();
            said.push(...(await page.notices()));
            await page.clearNotices();
            return { answer, said };
        }
        const popup = page.tab.locator('dialog.popup[open]:not(:has(.lorefork-progress))').last();
        const ok = popup.locator('.popup-button-ok');
        if (await ok.isVisible().catch(() => false)) {
            said.push(await popup.innerText({ timeout: 1000 }).catch(() => ''));
            await ok.click({ timeout: 1000 }).catch(() => {});
        }
    }
    throw new Error('the fork never ended');
}

/** The requests that a fork by this command sends, in order, up to its end. */
export async function requestsOf(page, command) {
    const start = page.gateway.asked.length;
    await ask(page, command);
    const { answer } = await outcome(page);
    const all = page.gateway.api(start).filter(isFlow).map(({ path }) => path);
    return { all, answer };
}

/**
 * Calls `act` for the request that is the one with this index in `all`; whatever it returns is the fault.
 * Told by its path and how often that came before: a parent that has children already is asked about them too.
 */
export function onNth(gateway, all, index, act) {
    const path = all[index];
    let before = all.slice(0, index).filter((other) => other === path).length;
    gateway.onRequest = (asked) => (asked.path === path && before-- === 0 ? act(asked) : undefined);
    return () => (gateway.onRequest = () => {});
}

/** Keeps a request of the flow until it is let go. */
export function hold(gateway, wanted) {
    let letGo;
    const held = new Promise((resolve) => (letGo = resolve));
    const reached = new Promise((resolve) => {
        gateway.onRequest = async (asked) => {
            if (!wanted(asked)) return undefined;
            gateway.onRequest = () => {};
            resolve();
            return held;
        };
    });
    return { reached, letGo };
}

/** How many operations the page remembers as unfinished. */
export const unfinished = (page) => page.run(() => new Promise((resolve, reject) => {
    const request = indexedDB.open('lorefork default-user');
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
        const base = request.result;
        if (!base.objectStoreNames.contains('intents')) return base.close(), resolve(0);
        const count = base.transaction('intents').objectStore('intents').count();
        count.onsuccess = () => (base.close(), resolve(count.result));
    };
}));
