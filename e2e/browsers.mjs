// The browsers that pages are opened in: Chromium for everything, Firefox for what a player does. Each can forget what the
// pages of a site stored, and none asks for anything but loopback.

import fs from 'node:fs';
import path from 'node:path';
import { chromium, firefox } from 'playwright-core';

export const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
    // Whoever asks for anything but loopback gets no address.
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];

/** The same for Firefox: everything but loopback goes to a proxy that nobody is. */
const PREFERENCES = {
    'network.proxy.type': 1,
    'network.proxy.http': '127.0.0.1',
    'network.proxy.http_port': 9,
    'network.proxy.ssl': '127.0.0.1',
    'network.proxy.ssl_port': 9,
    'network.proxy.no_proxies_on': '127.0.0.1',
    'ui.prefersReducedMotion': 1,
};

/** @typedef {{ context: import('playwright-core').BrowserContext, forget(origin: string): Promise<void>, stop(): Promise<void> }} Browser */

/** @type {Record<string, (profile: string) => Promise<Browser>>} */
export const BROWSERS = { chromium: openChromium, firefox: openFirefox };

/** With a profile on disk the browser keeps what it compiled: each page starts a second sooner. @param {string} profile */
async function openChromium(profile) {
    const context = await chromium.launchPersistentContext(profile, { executablePath: findChromium(), args: FLAGS, reducedMotion: 'reduce' });
    // Asked from the empty tab that the browser began with.
    const devtools = await context.newCDPSession(context.pages()[0]);
    return {
        context,
        // The cache stays, or each page would take twice as long.
        forget: (origin) => devtools.send('Storage.clearDataForOrigin', {
            origin, storageTypes: 'cookies,indexeddb,local_storage,websql,service_workers,cache_storage',
        }),
        stop: () => context.close(),
    };
}

/** As people have it, spoken to by WebDriver BiDi. @param {string} profile */
async function openFirefox(profile) {
    fs.mkdirSync(profile, { recursive: true });
    const context = await firefox.launchPersistentContext(profile, { channel: 'moz-firefox', executablePath: findFirefox() ?? '', firefoxUserPrefs: PREFERENCES });
    return {
        context,
        async forget(origin) {
            const tab = await context.newPage();
            // A page of the same site, and nothing of SillyTavern.
            await tab.goto(`${origin}/robots.txt`);
            await tab.evaluate(async () => {
                localStorage.clear();
                for (const { name } of await indexedDB.databases()) {
                    await new Promise((resolve, reject) => {
                        const request = indexedDB.deleteDatabase(name ?? '');
                        request.onsuccess = resolve;
                        request.onerror = request.onblocked = reject;
                    });
                }
            });
            await context.clearCookies();
            await tab.close();
        },
        stop: () => context.close(),
    };
}

/** @param {string | undefined} named @param {string[]} names */
function find(named, names) {
    const folders = (process.env.PATH ?? '').split(path.delimiter);
    const places = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
    return [named, ...places].find((file) => file && fs.existsSync(file));
}

export function findChromium() {
    const found = find(process.env.CHROMIUM, ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']) ?? find('/usr/bin/chromium', []);
    if (!found) throw new Error('Chromium is missing: install it, or say where it is in CHROMIUM');
    return found;
}

/** Firefox is not everywhere; without it, its tests are skipped. */
export const findFirefox = () => find(process.env.FIREFOX, ['firefox-esr', 'firefox']);
