// Lets each SillyTavern that is tried compile its front end, where that was not done yet, so that no two servers do it at once.

import fs from 'node:fs';
import path from 'node:path';

import { TRIED } from '../extension/src/tried.js';
import { isCompiled, startServer, TARGET } from './tavern.mjs';

for (const version of TRIED.filter((version) => !isCompiled(version))) {
    const root = path.join(TARGET, 'compile');
    fs.rmSync(root, { recursive: true, force: true });
    fs.mkdirSync(path.join(root, 'data/default-user'), { recursive: true });
    const server = await startServer({ root, version });
    await server.stop();
}
