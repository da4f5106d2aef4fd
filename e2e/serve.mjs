// `cargo xtask tavern`: a real SillyTavern with the extension and the story of the demo, ready to click.

import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { editSettings, sample } from './sample.mjs';
import { installExtension, startServer, TARGET } from './tavern.mjs';

const { values } = parseArgs({
    options: { port: { type: 'string' }, version: { type: 'string', default: '1.19' }, keep: { type: 'boolean', default: false } },
});
const root = path.join(TARGET, '../tavern');
const user = path.join(root, 'data/default-user');
if (!values.keep || !fs.existsSync(user)) {
    fs.rmSync(root, { recursive: true, force: true });
    fs.mkdirSync(user, { recursive: true });
    fs.cpSync(sample(), user, { recursive: true });
    // For people, with everything that SillyTavern has.
    editSettings(user, (settings) => (settings.extension_settings.disabledExtensions = []));
}
fs.rmSync(path.join(user, 'extensions/lorefork'), { recursive: true, force: true });
installExtension(user);

const server = await startServer({ root, version: values.version, port: values.port && Number(values.port) });
console.log(`
SillyTavern ${values.version} is at ${server.url}

Open “Tamsin”, and at any message the “…” and then the flag (checkpoint) or the fork (branch).
Its files are in ${user}
`);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void server.stop().then(() => process.exit(0)));
server.process.on('exit', (code) => process.exit(code ?? 0));
