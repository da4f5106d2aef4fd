// Runs test files one after the other with one server and one browser: to start these takes longer than most scenes.
//
// node e2e/together.mjs NAME QUEUE FILE...: each file of which there still is a name in the folder QUEUE is taken from there,
// and run here, with data in a folder that is called NAME; others take theirs from the same queue at the same time.

import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { endTogether, together } from './suite.mjs';

const [name, queue, ...files] = process.argv.slice(2);

/** Whether it is ours: only one can take a name away. */
function take(file) {
    try {
        fs.unlinkSync(path.join(queue, path.basename(file)));
        return true;
    } catch (error) {
        if (error.code === 'ENOENT') return false;
        throw error;
    }
}

for (const file of files) {
    if (take(file)) await test(file, (t) => together(name, t, () => import(pathToFileURL(file))));
}
await endTogether();
