// What forking costs when every message is parsed and printed, as a script over SillyTavern's files would do it.
// node rival.mjs CHAT OUT LINES
import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs';

const [from, to, count] = process.argv.slice(2);
const lines = readFileSync(from, 'utf8').split('\n').slice(0, Number(count));
const text = lines.map((line) => JSON.stringify(JSON.parse(line))).join('\n');
const out = openSync(to, 'w');
writeFileSync(out, text);
fsyncSync(out);
closeSync(out);
