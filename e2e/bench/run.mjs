// `cargo xtask bench --page`: what a fork costs, and what the extension costs those who do not fork.
// Prints one JSON document; what it means is said in xtask/src/bench/page.rs.

import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { NEWEST_TRIED } from '../../extension/src/tried.js';
import { startServer, TARGET } from '../tavern.mjs';
import { Browser } from './cdp.mjs';
import { BOOK, place } from './data.mjs';
import { costs } from './costs.mjs';
import { forkBy, rival } from './forks.mjs';
import { openings } from './openings.mjs';
import { openStory } from './page.mjs';
import { trees } from './trees.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' }, out: { type: 'string' }, only: { type: 'string' }, quick: { type: 'boolean', default: false } } });
const rounds = Number(values.rounds);
/** All is measured, or one part. */
const isWanted = (part) => !values.only || values.only === part;
const SIZES = values.quick ? [50] : [50, 200, 1000];
const FORKS = values.quick ? 1 : 5;
const RIVALS = values.quick ? 1 : 3;

const root = path.join(TARGET, 'bench');
fs.rmSync(root, { recursive: true, force: true });
const user = path.join(root, 'data/default-user');
fs.mkdirSync(user, { recursive: true });

const backend = http.createServer((request, response) => {
    request.resume();
    request.on('end', () => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(request.method === 'GET' ? { data: [{ id: 'scripted' }] } : { choices: [{ message: { role: 'assistant', content: 'The sea answers.' } }] }));
    });
});
await new Promise((resolve) => backend.listen(0, '127.0.0.1', resolve));
const backendUrl = `http://127.0.0.1:${backend.address().port}/v1`;

const server = await startServer({ root, version: NEWEST_TRIED });
const browser = new Browser();
try {
    const found = { forks: [], costs: null, openings: null, trees: null };
    if (isWanted('trees')) found.trees = await trees({ browser, url: server.url, user, backend: backendUrl, rounds });
    if (isWanted('openings')) found.openings = await openings({ browser, url: server.url, user, backend: backendUrl, rounds });
    for (const entries of isWanted('forks') ? SIZES : []) {
        place(user, { extension: true, entries, backend: backendUrl });
        const counted = await inTab(async (tab) => {
            await openStory(tab, server.url);
            return forkBy(tab, { listen: true });
        });
        console.error(`${entries} entries, one fork: ${counted.paths.join(', ')}`);
        place(user, { extension: true, entries, backend: backendUrl });
        const times = await inTab(async (tab) => {
            await openStory(tab, server.url);
            const times = [];
            // The first one compiles. It does not count, as with the others.
            for (let round = 0; round <= FORKS; round += 1) times.push((await forkBy(tab, { listen: false })).time);
            return times.slice(1);
        });
        const theirs = await inTab(async (tab) => {
            await openStory(tab, server.url);
            const all = [];
            for (let round = 0; round < (entries === 1000 ? RIVALS : 1); round += 1) all.push(await rival(tab, BOOK, `rival ${round}`));
            return all;
        });
        found.forks.push({ entries, ...counted, times, rival: { requests: theirs[0].requests, sent: theirs[0].sent, times: theirs.map(({ time }) => time) } });
        console.error(`${entries} entries: ${counted.requests} requests, ${times.map(Math.round)} ms; a request per entry: ${theirs[0].requests} requests, ${theirs.map(({ time }) => Math.round(time))} ms`);
    }
    if (isWanted('costs')) found.costs = await costs({ browser, url: server.url, user, backend: backendUrl, rounds });
    fs.writeFileSync(values.out, JSON.stringify(found));
} finally {
    await browser.stop();
    await server.stop();
    backend.closeAllConnections();
    backend.close();
}

async function inTab(act) {
    const tab = await browser.open();
    try {
        return await act(tab);
    } finally {
        await tab.close();
    }
}
