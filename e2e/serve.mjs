// `cargo xtask tavern`: a real SillyTavern with the extension and the story of the demo, ready to click.

import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { NEWEST_TRIED, TRIED } from '../extension/src/tried.js';
import { editSettings, HERO, placeSample, STORY } from './sample.mjs';
import { installExtension, startServer, TARGET } from './tavern.mjs';

const { values } = parseArgs({
    options: { port: { type: 'string' }, version: { type: 'string', default: NEWEST_TRIED }, keep: { type: 'boolean', default: false } },
});
if (!TRIED.includes(values.version)) throw new Error(`There is ${TRIED.join(', ')} here, and no ${values.version}`);
const root = path.join(TARGET, '../tavern');
const user = path.join(root, 'data/default-user');
if (!values.keep || !fs.existsSync(user)) {
    fs.rmSync(root, { recursive: true, force: true });
    fs.mkdirSync(user, { recursive: true });
    placeSample(user);
    editSettings(user, (settings) => {
        // For people, with everything that SillyTavern has; the story is open, and its buttons need no “…” first.
        settings.extension_settings.disabledExtensions = [];
        settings.firstRun = false;
        settings.active_character = `${HERO}.png`;
        Object.assign(settings.power_user, { auto_load_chat: true, expand_message_actions: true });
    });
}
fs.rmSync(path.join(user, 'extensions/lorefork'), { recursive: true, force: true });
installExtension(user);

const server = await startServer({ root, version: values.version, port: values.port && Number(values.port) });
let isEnding = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
        isEnding = true;
        void server.stop().then(() => {
            console.log('SillyTavern has ended.');
            process.exit(0);
        });
    });
}
server.process.on('exit', (code) => {
    if (isEnding) return;
    console.log(`SillyTavern ended by itself:\n${server.log().slice(-2000)}`);
    process.exit(code || 1);
});
console.log(`
SillyTavern ${values.version} with Lorefork is at ${server.url}

Open it. The story “${STORY}” is on the screen, with these buttons at each of its messages:
  the flag    makes a checkpoint: press Enter at its name, then click the flag again to open it
  the fork    makes a branch, and opens it
In what opens, look at the lorebook (the passport icon, “Chat Lore”, in the character panel on the right):
it is a copy that knows what was known at that message, and nothing of later ones.

Its files: ${user}
Try again from the start: end this with Ctrl+C and start it again. To go on instead: --keep.
`);
