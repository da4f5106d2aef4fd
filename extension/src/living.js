// What users live with besides forking: notices, buttons, commands, the drawer. Loaded when SillyTavern is ready.

import { LEASE } from './claim.js';
import { addCommands } from './commands.js';
import { engine } from './engine.js';
import { watchHealth } from './health.js';
import { PageHost } from './host.js';
import { watchOpening } from './opened.js';
import { watchReadiness } from './readiness.js';
import { watchChat } from './stale.js';
import { intents } from './store.js';
import { addDrawer, addMenuItem } from './views/drawer.js';
import { tellHealed } from './views/notices.js';

/** Until SillyTavern has done what it does at its start, in milliseconds. */
const PAUSE = 2000;
/** How long another operation is waited for: the claim of the tab that crashed may be in force still. */
const PATIENCE = LEASE + 5000;

export function moveIn() {
    addCommands();
    addDrawer();
    addMenuItem();
    watchChat();
    watchOpening();
    watchReadiness();
    watchHealth();
    void heal().catch((error) => console.warn('Lorefork:', error));
    // Nobody's first fork waits for them.
    Promise.all([import('./forking.js'), import('./housekeeping.js')]).catch((error) => console.warn('Lorefork:', error));
}

/** Finishes or takes back what a crash interrupted. What this page begins itself meanwhile is none of that. */
async function heal() {
    const isLeft = (await intents()).length > 0;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    const lorefork = await engine();
    if (!isLeft) return;
    const result = await lorefork.recover(new PageHost({ fileOf: lorefork.chatFile, patience: PATIENCE }));
    if (result.error) console.warn('Lorefork:', result.error.message, result.error.hint);
    else tellHealed(result.healed);
}
