import fs from 'node:fs'; import http from 'node:http'; import path from 'node:path';
import { startServer, TARGET } from '../tavern.mjs';
import { Browser } from './cdp.mjs';
import { BOOK, place } from './data.mjs';
import { rival } from './forks.mjs';
import { openStory } from './page.mjs';
const entries = Number(process.argv[2] ?? 1000);
const root = path.join(TARGET, 'prof'); fs.rmSync(root, { recursive: true, force: true });
const user = path.join(root, 'data/default-user'); fs.mkdirSync(user, { recursive: true });
const server = await startServer({ root, version: '1.19' });
const browser = new Browser();
place(user, { extension: true, entries, backend: 'http://127.0.0.1:1/v1' });
const tab = await browser.open();
await openStory(tab, server.url);
await tab.send('Profiler.enable'); await tab.send('Profiler.setSamplingInterval', { interval: 200 });
for (let r = 0; r < 4; r++) {
    if (r === 3) await tab.send('Profiler.start');
    const out = await tab.run(async () => {
        toastr.remove();
        performance.clearResourceTimings();
        const { executeSlashCommandsWithOptions, chat } = SillyTavern.getContext();
        const start = performance.now();
        const { pipe } = await executeSlashCommandsWithOptions(`/checkpoint-create mesId=${chat.length - 1}`);
        const time = performance.now() - start;
        const list = performance.getEntriesByType('resource').map((e) => `${Math.round(e.startTime - start)}+${Math.round(e.duration)} ${new URL(e.name).pathname}`);
        return { time, pipe, list };
    });
    console.log(Math.round(out.time), out.pipe, '\n  ' + out.list.filter((l) => !l.includes('tokenizers')).join('\n  '));
}
const { profile } = await tab.send('Profiler.stop');
const self = new Map(), byId = new Map(profile.nodes.map((n) => [n.id, n]));
const parent = new Map(); for (const n of profile.nodes) for (const c of n.children ?? []) parent.set(c, n.id);
const total = new Map();
profile.samples.forEach((id, i) => { const d = profile.timeDeltas[i] / 1000; const key = (x) => { const f = byId.get(x).callFrame; return f.functionName + ' ' + f.url.split('/').pop().slice(0, 30); };
  self.set(key(id), (self.get(key(id)) ?? 0) + d); const seen = new Set(); for (let x = id; x; x = parent.get(x)) { const k = key(x); if (!seen.has(k)) { seen.add(k); total.set(k, (total.get(k) ?? 0) + d); } } });
const top = (m, n) => [...m].sort((a, b) => b[1] - a[1]).slice(0, n).map(([k, v]) => `${v.toFixed(1)} ${k}`).join('\n');
console.log('SELF\n' + top(self, 40)); console.log('TOTAL\n' + top(total, 70));
if (process.argv[3]) console.log(await rival(tab, BOOK, 'rival 0'));
await tab.close(); await browser.stop(); await server.stop(); process.exit(0);
