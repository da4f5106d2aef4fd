// What users live with besides forking: notices, buttons, commands, the drawer. Loaded when SillyTavern is ready.

import { addCommands } from './commands.js';
import { engine } from './engine.js';
import { watchHealth } from './health.js';
import { PageHost } from './host.js';
import { watchOpening } from './opened.js';
import { watchReadiness } from './readiness.js';
import { intents } from './store.js';
import { addDrawer, addMenuItem } from './views/drawer.js';
import { tellHealed } from './views/notices.js';

export function moveIn() {
    addCommands();
    addDrawer();
    addMenuItem();
    watchOpening();
    watchReadiness();
    watchHealth();
    setTimeout(() => void heal().catch((error) => console.warn('Lorefork:', error)), 2000);
    // Nobody's first fork waits for them.
    Promise.all([import('./forking.js'), import('./keeping.js')]).catch((error) => console.warn('Lorefork:', error));
}

/** Finishes or takes back what a crash interrupted. */
async function heal() {
    const lorefork = await engine();
    if ((await intents()).length === 0) return;
    const result = await lorefork.recover(new PageHost({ fileOf: lorefork.chatFile, patience: 10_000 }));
    if (result.error) console.warn('Lorefork:', result.error.message, result.error.hint);
    else tellHealed(result.healed);
}
