// The packages of `cargo xtask dist`, as a player meets them: installed by npm from the files into an empty folder, without
// Rust on the PATH and without the net.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

const PACKAGES = process.env.LOREFORK_PACKAGES;
assert.ok(PACKAGES, 'LOREFORK_PACKAGES says where the packages are');
const HERE = `${process.platform}-${process.arch}`;
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const NPX = process.platform === 'win32' ? 'npx.cmd' : 'npx';

const files = fs.readdirSync(PACKAGES).filter((name) => name.endsWith('.tgz'));
/** @param {string} name */
const file = (name) => path.join(PACKAGES, files.find((file) => new RegExp(`^${name}-\\d`).test(file)) ?? name);
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'lorefork-npm-'));
const player = path.join(home, 'a player’s folder');

/** Node, npm and the system's own programs; npm asks nobody, and knows nothing of other projects. */
const env = {
    PATH: [path.dirname(process.execPath), ...(process.platform === 'win32' ? [process.env.PATH] : ['/usr/bin', '/bin'])].join(path.delimiter),
    HOME: home,
    TMPDIR: os.tmpdir(),
    SystemRoot: process.env.SystemRoot,
    npm_config_cache: path.join(home, 'cache'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    NO_COLOR: '1',
};

/** @param {string} program @param {string[]} args */
function run(program, args, how = {}) {
    const shell = program.endsWith('.cmd');
    const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: player, env, encoding: 'utf8', shell, ...how });
    assert.ifError(error);
    return { status, said: stdout, complained: stderr };
}

/** @param {string[]} args */
const lorefork = (...args) => run(NPX, ['--no-install', 'lorefork', ...args]);
const launcher = () => path.join(player, 'node_modules/lorefork/lorefork.js');
const part = () => path.join(player, 'node_modules/@lorefork', HERE);

before(() => {
    fs.mkdirSync(player);
    const install = run(NPM, ['install', '--no-audit', '--no-fund', file('lorefork'), file(`lorefork-${HERE}`)]);
    assert.equal(install.status, 0, install.complained);
});
after(() => fs.rmSync(home, { recursive: true, force: true }));

test('nothing of Rust is needed', () => {
    const cargo = env.PATH.split(path.delimiter).some((folder) => fs.existsSync(path.join(folder, 'cargo')));
    if (process.platform !== 'win32') assert.equal(cargo, false, 'this test proves nothing with Rust on the PATH');
    assert.deepEqual(fs.readdirSync(path.join(player, 'node_modules')).filter((name) => !name.startsWith('.')).sort(), ['@lorefork', 'lorefork']);
});

test('npx lorefork demo, and check on what it wrote', () => {
    const demo = lorefork('demo', 'story');
    assert.equal(demo.status, 0, demo.complained);
    assert.match(demo.said, /npx lorefork --root story check/, 'what it prints can be typed');
    const check = lorefork('--root', 'story', '--json', 'check');
    assert.equal(check.status, 1, 'the exit code is the program’s own: something is tangled in the story');
    assert.ok(JSON.parse(check.said).problems.length > 0);
    const here = run(NPX, ['--no-install', 'lorefork', 'check'], { cwd: path.join(player, 'story') });
    assert.equal(here.status, 1, 'in the folder itself nothing need be said');
    assert.match(here.said, /lorebook/);
});

test('the version is the package’s', () => {
    const { version } = JSON.parse(fs.readFileSync(path.join(player, 'node_modules/lorefork/package.json'), 'utf8'));
    assert.equal(lorefork('--version').said.trim(), `lorefork ${version}`);
});

test('completions, manual pages and licence are in the packages', () => {
    for (const folder of [path.dirname(launcher()), part()]) {
        for (const name of ['completions/_lorefork', 'completions/lorefork.bash', 'completions/lorefork.fish', 'completions/lorefork.ps1', 'man/lorefork.1', 'man/lorefork-check.1', 'LICENSE', 'README.md']) {
            assert.ok(fs.statSync(path.join(folder, name)).size > 100, name);
        }
    }
    const { man } = JSON.parse(fs.readFileSync(path.join(player, 'node_modules/lorefork/package.json'), 'utf8'));
    for (const page of man) assert.ok(fs.existsSync(path.join(path.dirname(launcher()), page)), page);
});

test('checksums are those of the files', () => {
    const lines = fs.readFileSync(path.join(PACKAGES, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
    assert.deepEqual(lines.map((line) => line.split('  ')[1]), files.sort());
    for (const line of lines) {
        const [sum, name] = line.split('  ');
        assert.equal(crypto.createHash('sha256').update(fs.readFileSync(path.join(PACKAGES, name))).digest('hex'), sum, name);
    }
});

/** Lets the launcher believe that it is somewhere else. @param {{ platform?: string, arch?: string }} where */
function elsewhere(where) {
    const lie = path.join(home, 'elsewhere.cjs');
    fs.writeFileSync(lie, `for (const [key, value] of Object.entries(${JSON.stringify(where)})) Object.defineProperty(process, key, { value });`);
    return run(process.execPath, ['--require', lie, launcher(), 'check']);
}

test('the wrong platform: a clear sentence', () => {
    const { status, said, complained } = elsewhere({ platform: 'sunos', arch: 'x64' });
    assert.deepEqual([status, said], [2, '']);
    const [first, second] = complained.split('\n');
    assert.equal(first, 'error: there is no Lorefork for sunos on x64.');
    assert.match(second, /^It runs on Linux on x64, Linux on arm64, Android on arm64, Windows on x64, macOS on x64, macOS on arm64\.$/);
    assert.match(elsewhere({ platform: 'linux', arch: 'arm' }).complained, /^error: there is no Lorefork for Linux on arm\./);
});

test('a platform whose part npm left out, or that is of another version: what to do', () => {
    const other = HERE === 'darwin-x64' ? 'linux' : 'darwin';
    const missing = elsewhere({ platform: other, arch: 'x64' });
    assert.equal(missing.status, 2);
    assert.match(missing.complained, new RegExp(`is not installed \\(@lorefork/${other}-x64\\)`));
    assert.match(missing.complained, /npm install lorefork@\d/);

    const manifest = path.join(part(), 'package.json');
    const text = fs.readFileSync(manifest, 'utf8');
    fs.writeFileSync(manifest, text.replace(/"version": "[^"]*"/, '"version": "0.0.1"'));
    const old = run(process.execPath, [launcher(), 'check']);
    fs.writeFileSync(manifest, text);
    assert.equal(old.status, 2);
    assert.match(old.complained, /but its part for .* is 0\.0\.1/);
});

test('npm is told where the program runs', () => {
    const manifest = JSON.parse(fs.readFileSync(path.join(part(), 'package.json'), 'utf8'));
    assert.deepEqual([manifest.os, manifest.cpu], [[process.platform], [process.arch]]);
});

test('who ends the launcher ends the program', { skip: process.platform === 'win32' && 'Windows has no such signals' }, async () => {
    // Waits for input until it is told to end.
    const waiting = path.join(part(), 'bin/lorefork');
    fs.renameSync(waiting, `${waiting}-real`);
    fs.writeFileSync(waiting, '#!/bin/sh\necho $$\nexec sleep 600\n', { mode: 0o755 });
    let pid = 0;
    try {
        const child = spawn(process.execPath, [launcher()], { env, stdio: ['ignore', 'pipe', 'inherit'] });
        pid = Number(await new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data)))));
        const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal)));
        child.kill('SIGTERM');
        assert.equal(await ended, 'SIGTERM');
        assert.throws(() => process.kill(pid, 0), 'the program is gone');
        pid = 0;
    } finally {
        // Nobody waits for what was left behind.
        if (pid) spawnSync('kill', ['-9', String(pid)]);
        fs.renameSync(`${waiting}-real`, waiting);
    }
});
