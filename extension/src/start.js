// What happens when SillyTavern loads the extension: as little as possible.

import { offerApi } from './api.js';
import { watchBooks } from './books.js';
import { addCommands } from './commands.js';
import { engine } from './engine.js';
import { closeGates } from './gates.js';
import { watchHealth } from './health.js';
import { PageHost } from './host.js';
import { spreadNet } from './net.js';
import { watchOpening } from './opened.js';
import { watchReadiness } from './readiness.js';
import { intents } from './store.js';
import { whenReady } from './tavern.js';
import { addDrawer, addMenuItem } from './views/drawer.js';
import { tellHealed } from './views/notices.js';

let isStarted = false;

export function start() {
    if (isStarted) return;
    isStarted = true;
    // Before SillyTavern reads the first lorebook.
    spreadNet();
    watchBooks();
    watchOpening();
    watchReadiness();
    watchHealth();
    offerApi();
    whenReady(() => {
        closeGates();
        addCommands();
        addDrawer();
        addMenuItem();
        setTimeout(() => void heal().catch((error) => console.warn('Lorefork:', error)), 2000);
    });
}

/** Finishes or takes back what a crash interrupted. */
async function heal() {
    const lorefork = await engine();
    if ((await intents()).length === 0) return;
    const result = await lorefork.recover(new PageHost({ fileOf: lorefork.chatFile, patience: 10_000 }));
    if (result.error) console.warn('Lorefork:', result.error.message, result.error.hint);
    else tellHealed(result.healed);
}
