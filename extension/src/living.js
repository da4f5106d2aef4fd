// What users live with besides forking: notices, buttons, commands, the drawer. Loaded when SillyTavern is ready.

import { addCommands } from './commands.js';
import { engine } from './engine.js';
import { watchHealth } from './health.js';
import { hostFor } from './host.js';
import { meet } from './meeting.js';
import { watchOpening } from './opened.js';
import { watchReadiness } from './readiness.js';
import { watchChat } from './stale.js';
import { intents } from './store.js';
import { AFTER_START, CRASHED_OPERATION } from './times.js';
import { addDrawer } from './views/drawer.js';
import { addMenuItem, addOption } from './views/menu.js';
import { tellHealed } from './views/notices.js';
import { watchSign } from './views/where.js';

export function moveIn() {
    addCommands();
    addDrawer();
    addMenuItem();
    addOption();
    watchChat();
    watchOpening();
    watchReadiness();
    watchHealth();
    meet();
    watchSign();
    void heal().catch((error) => console.warn('Lorefork:', error));
    // Nobody's first fork waits for them.
    Promise.all([import('./forking.js'), import('./housekeeping.js')]).catch((error) => console.warn('Lorefork:', error));
}

/** Finishes or takes back what a crash interrupted. What this page begins itself meanwhile is none of that. */
async function heal() {
    const isLeft = (await intents()).length > 0;
    await new Promise((resolve) => setTimeout(resolve, AFTER_START));
    const lorefork = await engine();
    if (!isLeft) return;
    const result = await lorefork.recover(hostFor(null, { patience: CRASHED_OPERATION }));
    if (result.error) console.warn('Lorefork:', result.error.message, result.error.hint);
    else tellHealed(result.healed);
}
