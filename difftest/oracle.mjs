// Asks the engine. LOREFORK_ORACLE is the built example `oracle`:
//   cargo build --release -p lorefork-disk --example oracle
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The engine's answers to calls of one function, given as lists of arguments. */
export async function ask(fn, calls) {
    const path = process.env.LOREFORK_ORACLE;
    if (!path) {
        throw new Error('LOREFORK_ORACLE is not set: build the example `oracle` and name it there');
    }
    const oracle = spawn(path, { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = new Promise((resolve, reject) => oracle.on('error', reject).on('close', resolve));
    // If it dies, its exit code tells more than our broken pipe.
    oracle.stdin.on('error', () => {});
    oracle.stdin.end(calls.map(args => JSON.stringify({ fn, args })).join('\n') + '\n');

    const answers = [];
    for await (const line of createInterface({ input: oracle.stdout, crlfDelay: Infinity })) {
        answers.push(JSON.parse(line));
    }
    const code = await ended;
    if (code !== 0 || answers.length !== calls.length) {
        throw new Error(`${fn}: ${answers.length} of ${calls.length} answers, exit code ${code}`);
    }
    return answers;
}

/** Text as the oracle wants it where it may hold half an emoji. */
export function units(text) {
    return Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
}
