#!/usr/bin/env node
// Starts the program of this machine, which npm has installed beside this package.
'use strict';

const { spawn } = require('node:child_process');
const path = require('node:path');

const { optionalDependencies: programs, version } = require('./package.json');

/** What people call these systems. */
const SYSTEMS = { android: 'Android', darwin: 'macOS', linux: 'Linux', win32: 'Windows' };
/** As the program itself when it could not do anything. */
const FAILED = 2;

const scope = '@lorefork/';
const name = `${scope}${process.platform}-${process.arch}`;
/** @param {string} platform such as `linux-x64` */
const words = (platform) => platform.replace(/^([^-]*)-/, (_, system) => `${SYSTEMS[system] ?? system} on `);

/** @param {string[]} lines */
function fail(...lines) {
    process.stderr.write(`${lines.join('\n')}\n`);
    process.exit(FAILED);
}

function find() {
    const here = words(name.slice(scope.length));
    if (!(name in programs)) {
        const all = Object.keys(programs).map((program) => words(program.slice(scope.length)));
        fail(`error: there is no Lorefork for ${here}.`, `It runs on ${all.join(', ')}.`);
    }
    let found;
    try {
        found = require.resolve(`${name}/package.json`);
    } catch {
        fail(`error: the part of Lorefork for ${here} is not installed (${name}).`,
            'npm leaves it out with --omit=optional or --no-optional, and when a node_modules folder comes from another machine.',
            `Install it here without them: npm install lorefork@${version}`);
    }
    const part = require(found);
    if (part.version !== version) {
        fail(`error: this is Lorefork ${version}, but its part for ${here} is ${part.version} (${name}).`,
            `Install it again: npm install lorefork@${version}`);
    }
    return path.join(path.dirname(found), process.platform === 'win32' ? 'bin/lorefork.exe' : 'bin/lorefork');
}

const program = find();
// So that commands it prints can be typed: who used npx has no `lorefork` of their own.
const env = process.env.npm_command === 'exec' ? { ...process.env, LOREFORK_NPX: '1' } : process.env;
// A terminal sends Ctrl+C to both: then it is the program that decides when to end. What was sent to us alone is passed on.
// Before it is started: who is ended right then must not leave it behind.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
const child = spawn(program, process.argv.slice(2), { env, stdio: 'inherit', windowsHide: true });
child.on('error', (error) => fail(`error: cannot start ${program}: ${error.message}`));
child.on('exit', (code, signal) => {
    if (!signal) return process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
});
