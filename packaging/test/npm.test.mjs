// The packages of `cargo xtask dist`, as a player meets them: installed by npm from the files into an empty folder, without
// Rust on the PATH and without the net.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
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

/** The same, while this process goes on. @param {string} program @param {string[]} args */
function start(program, args, how = {}) {
    return new Promise((resolve, reject) => {
        const child = spawn(program, args, { cwd: player, env, shell: program.endsWith('.cmd'), stdio: ['ignore', 'pipe', 'pipe'], ...how });
        const heard = { said: '', complained: '' };
        child.stdout.on('data', (data) => (heard.said += data));
        child.stderr.on('data', (data) => (heard.complained += data));
        child.on('error', reject);
        child.on('close', (status, signal) => resolve({ status, signal, ...heard }));
    });
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

/** Chats and lorebooks below a folder: path -> text. @param {string} folder */
function stories(folder) {
    const all = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
    const paths = all.map(({ parentPath, path: folder, name }) => path.join(parentPath ?? folder, name));
    return new Map(paths.filter((file) => !file.includes(`${path.sep}lorefork${path.sep}`)).map((file) => [file, fs.readFileSync(file, 'utf8')]));
}

test('the program of the package forks, repairs and takes back', () => {
    const story = (...args) => {
        const { status, said } = lorefork('--root', 'repaired', '--json', ...args);
        return { status, said: JSON.parse(said) };
    };
    assert.equal(lorefork('demo', 'repaired').status, 0);
    const root = path.join(player, 'repaired/default-user');
    const before = stories(root);
    const made = story('checkpoint', 'Tamsin/The Last Lamp', '--at', '28', '--name', 'By npx');
    assert.equal(made.status, 0, JSON.stringify(made.said));
    const chat = fs.readFileSync(path.join(root, 'chats/Tamsin/By npx.jsonl'), 'utf8').split('\n');
    assert.equal(chat.length, 30, 'the header, and messages 0 to 28');
    const book = JSON.parse(chat[0]).chat_metadata.world_info;
    assert.ok(!before.has(path.join(root, 'worlds', `${book}.json`)));
    const entries = Object.values(JSON.parse(fs.readFileSync(path.join(root, 'worlds', `${book}.json`), 'utf8')).entries);
    assert.equal(entries.filter(({ comment }) => comment !== '__operation_queue').length, 27, 'as it was at that message');

    const forked = stories(root);
    assert.equal(story('fix', '--apply').status, 0);
    assert.equal(story('check').status, 0, 'nothing is wrong any more');
    assert.notDeepEqual(stories(root), forked);
    assert.equal(story('undo', '--apply').status, 0);
    assert.deepEqual(stories(root), forked, 'every byte is back');
});

test('it is the static program, which needs nothing of the system', { skip: process.platform !== 'linux' && 'only on Linux it is static' }, () => {
    const program = fs.readFileSync(path.join(part(), 'bin/lorefork'));
    // In the list of what the kernel loads, a program that needs a library names its loader.
    const [at, size, count] = [Number(program.readBigUInt64LE(32)), program.readUInt16LE(54), program.readUInt16LE(56)];
    const kinds = Array.from({ length: count }, (_, index) => program.readUInt32LE(at + index * size));
    assert.ok(kinds.includes(1), 'it has something to load');
    assert.ok(!kinds.includes(3), 'and no loader');
});

test('the version is the package’s', () => {
    const { version } = JSON.parse(fs.readFileSync(path.join(player, 'node_modules/lorefork/package.json'), 'utf8'));
    assert.equal(lorefork('--version').said.trim(), `lorefork ${version}`);
});

test('completions, manual pages and licence are in the packages', () => {
    for (const folder of [path.dirname(launcher()), part()]) {
        for (const name of ['completions/_lorefork', 'completions/lorefork.bash', 'completions/lorefork.elv', 'completions/lorefork.fish', 'completions/lorefork.ps1', 'man/lorefork.1', 'man/lorefork-check.1', 'LICENSE', 'README.md']) {
            assert.ok(fs.statSync(path.join(folder, name)).size > 100, name);
        }
    }
    const { man } = JSON.parse(fs.readFileSync(path.join(player, 'node_modules/lorefork/package.json'), 'utf8'));
    for (const page of man) assert.ok(fs.existsSync(path.join(path.dirname(launcher()), page)), page);
});

test('installed for all, `lorefork` is a command and `man lorefork` finds its page', { skip: process.platform === 'win32' && 'Windows has no manual pages' }, () => {
    const prefix = path.join(home, 'for all');
    const install = run(NPM, ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', file('lorefork'), file(`lorefork-${HERE}`)]);
    assert.equal(install.status, 0, install.complained);
    const check = run(path.join(prefix, 'bin/lorefork'), ['--root', 'story', 'check']);
    assert.equal(check.status, 1, check.complained);
    for (const page of ['lorefork.1', 'lorefork-check.1']) assert.ok(fs.statSync(path.join(prefix, 'share/man/man1', page)).size > 100, page);
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

const SIGNALS = { skip: process.platform === 'win32' && 'Windows has no such signals' };

/** Starts a program that does nothing, lets `end` end it, and resolves to how the launcher ended. @param {(launcher: import('node:child_process').ChildProcess) => void} end */
async function ended(end) {
    const program = path.join(part(), 'bin/lorefork');
    fs.renameSync(program, `${program}-real`);
    fs.writeFileSync(program, '#!/bin/sh\necho $$\nexec sleep 600\n', { mode: 0o755 });
    let pid = 0;
    try {
        // As a terminal does it, both are a group.
        const child = spawn(process.execPath, [launcher()], { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
        pid = Number(await new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data)))));
        const signal = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
        end(child);
        const how = await signal;
        assert.throws(() => process.kill(pid, 0), 'the program is gone');
        pid = 0;
        return how;
    } finally {
        // Nobody waits for what was left behind.
        if (pid) spawnSync('kill', ['-9', String(pid)]);
        fs.renameSync(`${program}-real`, program);
    }
}

test('who ends the launcher ends the program', SIGNALS, async () => {
    assert.equal(await ended((child) => child.kill('SIGTERM')), 'SIGTERM');
});

test('Ctrl+C ends both, and shells tell it as 130', SIGNALS, async () => {
    assert.equal(await ended((child) => process.kill(-child.pid, 'SIGINT')), 'SIGINT');
});

// From a registry

/** A registry on loopback that has these packages since some days. @param {number} days */
async function registry(days) {
    const time = new Date(Date.now() - days * 86_400_000).toISOString();
    const known = new Map([launcher(), path.join(part(), 'x')].map((file) => {
        const manifest = JSON.parse(fs.readFileSync(path.join(path.dirname(file), 'package.json'), 'utf8'));
        return [manifest.name, manifest];
    }));
    // npm asks for all, and takes the one that fits.
    for (const [name, version] of Object.entries(known.get('lorefork').optionalDependencies)) {
        const [os, cpu] = name.replace(/.*\//, '').split('-');
        if (!known.has(name)) known.set(name, { name, version, os: [os], cpu: [cpu] });
    }
    const server = http.createServer(({ url = '' }, response) => {
        const name = decodeURIComponent(url.slice(1));
        if (name.endsWith('.tgz')) return fs.createReadStream(path.join(PACKAGES, path.basename(name))).pipe(response);
        const manifest = known.get(name);
        if (!manifest) return response.writeHead(404).end('{}');
        const tarball = `${address}/${path.basename(file(name.replace(/^@lorefork\//, 'lorefork-')))}`;
        const all = { [manifest.version]: { ...manifest, dist: { tarball } } };
        response.end(JSON.stringify({ name, 'dist-tags': { latest: manifest.version }, versions: all, time: { created: time, modified: time, [manifest.version]: time } }));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
    const address = `http://127.0.0.1:${server.address().port}`;
    return { address, stop: () => server.close() };
}

/** A SillyTavern's folder, with what SillyTavern tells npm there, and a story in it. */
function tavern() {
    const folder = path.join(home, 'SillyTavern');
    if (fs.existsSync(folder)) return folder;
    fs.mkdirSync(folder);
    assert.equal(lorefork('demo', path.join(folder, 'data')).status, 0);
    fs.writeFileSync(path.join(folder, 'server.js'), '');
    fs.writeFileSync(path.join(folder, 'config.yaml'), 'dataRoot: ./data\n');
    fs.writeFileSync(path.join(folder, 'package.json'), '{ "name": "sillytavern", "version": "1.19.0" }');
    fs.writeFileSync(path.join(folder, '.npmrc'), 'ignore-scripts=true\nmin-release-age=7\nallow-directory=none\nallow-file=none\nallow-git=none\nallow-remote=none\n');
    return folder;
}

const MINUTE = 60_000;

/** npx, as someone who has nothing yet, in a folder. */
async function npx(days, cwd, ...args) {
    const { address, stop } = await registry(days);
    const cache = fs.mkdtempSync(path.join(home, 'cache-'));
    const online = { ...env, npm_config_registry: address, npm_config_offline: 'false', npm_config_cache: cache, npm_config_fetch_retries: '0' };
    try {
        return await start(NPX, ['--yes', ...args], { cwd, env: online, timeout: MINUTE });
    } finally {
        stop();
    }
}

/** What people read before they have it, and when they do. */
const readmes = () => [new URL('../extension/README.md', import.meta.url), path.join(path.dirname(launcher()), 'README.md')].map((file) => fs.readFileSync(file, 'utf8'));

test('one line in SillyTavern’s folder: npx lorefork check', async () => {
    for (const readme of readmes()) assert.match(readme, /npx lorefork check/);
    const { status, said, complained } = await npx(8, tavern(), 'lorefork', 'check');
    assert.equal(status, 1, complained);
    assert.match(said, /Frozen Harbour/);
});

const ages = spawnSync(NPM, ['config', 'get', 'min-release-age'], { env, encoding: 'utf8', shell: NPM.endsWith('.cmd') }).stdout.trim();

test('in the first week npm says no there, and what the README says helps', { skip: ages === 'undefined' && 'this npm does not ask how old a release is' }, async () => {
    const lines = new Set(readmes().map((readme) => readme.match(/`npx (--[^`]* lorefork check)`/)?.[1]));
    const [helps = ''] = lines;
    assert.deepEqual([lines.size, helps !== ''], [1, true], 'both say the same');
    const refused = await npx(1, tavern(), 'lorefork', 'check');
    assert.notEqual(refused.status, 0);
    assert.match(refused.complained, /No versions available for lorefork/);
    const { status, said, complained } = await npx(1, tavern(), ...helps.split(' '));
    assert.equal(status, 1, complained);
    assert.match(said, /Frozen Harbour/);
});
