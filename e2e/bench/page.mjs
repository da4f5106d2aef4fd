// SillyTavern in a tab: opened, and asked to do what users do. Times are taken inside the page.

import { HERO, STORY } from '../sample.mjs';

/** Loads SillyTavern; resolves to the milliseconds from the navigation until it is ready. */
export async function start(tab, url) {
    await tab.go(url);
    return tab.run(async () => {
        const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
        // It is there before all modules are, and throws then.
        const context = () => {
            try {
                return globalThis.SillyTavern?.getContext();
            } catch {
                return null;
            }
        };
        while (!context()) await pause();
        const { eventSource, eventTypes } = context();
        await new Promise((resolve) => eventSource.once(eventTypes.APP_READY, resolve));
        const time = performance.now();
        while (document.querySelector('#loader, #load-spinner, #preloader')) await pause();
        document.querySelector('dialog.popup[open] .popup-button-ok')?.click();
        return time;
    });
}

/** Loads SillyTavern and opens the story. */
export async function openStory(tab, url) {
    const time = await start(tab, url);
    await tab.run(async (hero, story) => {
        const context = () => SillyTavern.getContext();
        await context().selectCharacterById(context().characters.findIndex(({ avatar }) => avatar === `${hero}.png`));
        if (context().getCurrentChatId() !== story) await context().openCharacterChat(story);
    }, HERO, STORY);
    await settle(tab);
    return time;
}

/** Until what SillyTavern does by itself after opening a chat, and what the extension loads ahead, is done. */
export const settle = (tab, milliseconds = 2500) => tab.run((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)), milliseconds);

export const switchTo = (tab, name) => tab.run(async (name) => {
    const start = performance.now();
    await SillyTavern.getContext().openCharacterChat(name);
    return performance.now() - start;
}, name);

/** Opens a chat; the time until it is open, and the longest task of the page in the seconds after. */
export const watchOpening = (tab, name) => tab.run(async (name) => {
    /** @type {PerformanceEntry[]} */
    const tasks = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
    observer.observe({ type: 'longtask' });
    const start = performance.now();
    await SillyTavern.getContext().openCharacterChat(name);
    const end = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 4000));
    observer.disconnect();
    toastr.remove();
    return { time: end - start, longest: Math.max(0, ...tasks.filter(({ startTime }) => startTime >= end).map(({ duration }) => duration)) };
}, name);

/**
 * Opens the story tree and closes it: its requests, the time from the last answer to the first rows, and the longest task of
 * the page until a moment after all rows stand.
 */
export const watchTree = (tab, timelines) => tab.run(async (timelines) => {
    const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    const rows = () => document.querySelectorAll('.lorefork-story [role="treeitem"]').length;
    const tasks = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
    observer.observe({ type: 'longtask' });
    let first = 0;
    const drawing = new MutationObserver(() => {
        if (!first && rows()) first = performance.now();
    });
    drawing.observe(document.body, { childList: true, subtree: true });
    performance.clearResourceTimings();
    void SillyTavern.getContext().executeSlashCommandsWithOptions('/lorefork-tree');
    while (rows() <= timelines) await pause(20);
    await pause(500);
    observer.disconnect();
    drawing.disconnect();
    const asked = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/'));
    const answered = Math.max(...asked.map(({ responseEnd }) => responseEnd).filter((end) => end < first));
    document.querySelector('dialog.popup[open] .popup-button-ok').click();
    while (rows()) await pause(20);
    return { requests: asked.length, first: first - answered, longest: Math.max(0, ...tasks.map(({ duration }) => duration)) };
}, timelines);

/** Sends a message; until the reply of the model is shown and the chat is saved. */
export const sendMessage = (tab) => tab.run(async () => {
    const { generate, chat } = SillyTavern.getContext();
    const length = chat.length;
    document.querySelector('#send_textarea').value = 'Is the lamp lit?';
    const start = performance.now();
    await generate('normal');
    const time = performance.now() - start;
    if (chat.length !== length + 2) throw new Error(`the reply did not come: ${document.querySelector('#toast-container')?.innerText}`);
    return time;
});
