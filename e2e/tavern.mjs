// A real SillyTavern from npm on loopback, with a data folder of its own.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { chromium } from 'playwright-core';

import { startGateway } from './gateway.mjs';
import { Page } from './page.mjs';
import { sample } from './sample.mjs';

const HERE = import.meta.dirname;
/** Where data folders, logs and pictures go. */
export const TARGET = process.env.LOREFORK_E2E_TARGET ?? path.join(HERE, '../target/e2e');
const EXTENSION = process.env.LOREFORK_EXTENSION ?? path.join(HERE, '../target/extension/lorefork');
const PATIENCE = 120_000;

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
    // Whoever asks for anything but loopback gets no address.
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];

/** Folders that tests look at, and that are as in the sample at the start of each. */
const OURS = ['chats', 'group chats', 'groups', 'worlds', 'characters', 'settings.json', 'extensions', 'lorefork', 'user', 'backups'];

/**
 * @param {object} how
 * @param {string} how.name of the test file: its data folder is called so
 * @param {'1.19' | '1.16'} [how.version]
 * @param {boolean} [how.extension] whether the extension is installed
 */
export async function startTavern({ name, version = '1.19', extension = true }) {
    const root = path.join(TARGET, name);
    fs.rmSync(root, { recursive: true, force: true });
    fs.mkdirSync(path.join(root, 'data/default-user'), { recursive: true });
    const home = path.join(HERE, 'node_modules', version === '1.19' ? 'sillytavern' : `sillytavern-${version}`);
    const compiled = path.join(TARGET, `compiled-${version}`);
    const fresh = path.join(root, 'data/_webpack');
    // The front end is compiled once for all. (In a container SillyTavern keeps it elsewhere by itself.)
    if (fs.existsSync(compiled)) fs.cpSync(compiled, fresh, { recursive: true });
    const config = path.join(root, 'config.yaml');
    fs.writeFileSync(config, quietConfig(fs.readFileSync(path.join(home, 'default/config.yaml'), 'utf8')));

    const port = await freePort();
    const log = fs.openSync(path.join(root, 'server.log'), 'w');
    const args = ['server.js', '--configPath', config, '--dataRoot', path.join(root, 'data'), '--port', String(port),
        '--browserLaunchEnabled', 'false', '--listen', 'false'];
    const server = spawn(process.execPath, args, { cwd: home, stdio: ['ignore', log, log] });
    fs.closeSync(log);
    const tavern = new Tavern({ root, version, server, extension });
    // A test that dies leaves no server behind.
    process.on('exit', tavern.kill);
    try {
        await tavern.answers(`http://127.0.0.1:${port}`);
        tavern.gateway = await startGateway(`http://127.0.0.1:${port}`);
        if (!fs.existsSync(compiled) && fs.existsSync(fresh)) fs.cpSync(fresh, compiled, { recursive: true });
        tavern.browser = await chromium.launch({ executablePath: findChromium(), args: FLAGS });
        tavern.context = await tavern.browser.newContext();
    } catch (error) {
        tavern.kill();
        throw error;
    }
    return tavern;
}

class Tavern {
    constructor({ root, version, server, extension }) {
        this.root = root;
        this.version = version;
        this.server = server;
        this.extension = extension;
        this.user = path.join(root, 'data/default-user');
        this.pages = [];
        this.kill = () => void (server.exitCode === null && server.kill('SIGKILL'));
    }

    get log() {
        return fs.readFileSync(path.join(this.root, 'server.log'), 'utf8');
    }

    async answers(url) {
        for (const until = Date.now() + PATIENCE; Date.now() < until;) {
            if (this.server.exitCode !== null) throw new Error(`SillyTavern ended:\n${this.log.slice(-2000)}`);
            if ((await fetch(`${url}/csrf-token`).catch(() => null))?.ok) return;
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
        throw new Error(`SillyTavern does not answer:\n${this.log.slice(-2000)}`);
    }

    /**
     * Closes all pages and puts the sample data in place, changed as the test wants it.
     * @param {(user: string) => void} [change]
     */
    async fresh(change = () => {}) {
        await this.close();
        for (const name of OURS) fs.rmSync(path.join(this.user, name), { recursive: true, force: true });
        fs.cpSync(sample(), this.user, { recursive: true });
        if (this.extension) fs.cpSync(EXTENSION, path.join(this.user, 'extensions/lorefork'), { recursive: true });
        for (const name of ['user/files', 'user/images', 'backups', 'extensions']) fs.mkdirSync(path.join(this.user, name), { recursive: true });
        change(this.user);
        this.gateway.forget();
    }

    async close() {
        await Promise.all(this.pages.splice(0).map((page) => page.close()));
        await this.gateway.quiet();
        await this.#forgetSite();
    }

    /** Cookies, databases and the like; the cache stays, or each page would take twice as long. */
    async #forgetSite() {
        const tab = await this.context.newPage();
        const devtools = await this.context.newCDPSession(tab);
        await devtools.send('Storage.clearDataForOrigin', {
            origin: this.gateway.url,
            storageTypes: 'cookies,indexeddb,local_storage,websql,service_workers,cache_storage',
        });
        await tab.close();
    }

    /**
     * Opens SillyTavern in a tab.
     * @param {{ viewport?: { width: number, height: number }, prepare?: (tab: any) => Promise<void> }} [how]
     */
    async open({ viewport = { width: 1280, height: 900 }, prepare = async () => {} } = {}) {
        const page = new Page(this, await this.context.newPage());
        this.pages.push(page);
        await page.tab.setViewportSize(viewport);
        await prepare(page.tab);
        await page.load();
        return page;
    }

    async stop() {
        await this.close().catch(() => {});
        await this.browser?.close();
        await this.gateway?.stop();
        const ended = new Promise((resolve) => this.server.once('exit', resolve));
        if (this.server.exitCode === null) this.server.kill('SIGTERM');
        const killer = setTimeout(this.kill, 5000);
        await ended;
        clearTimeout(killer);
        process.off('exit', this.kill);
    }
}

/** Nothing is fetched from anywhere. */
function quietConfig(text) {
    const set = (from, to) => (text = text.replace(from, to));
    set(/^(\s+autoUpdate:) true/m, '$1 false');
    set(/^(\s+autoDownload:) true/m, '$1 false');
    set(/^(enableDownloadableTokenizers:) true/m, '$1 false');
    set(/^(whitelistDockerHosts:) true/m, '$1 false');
    set(/^(enableServerPluginsAutoUpdate:) true/m, '$1 false');
    return text;
}

function freePort() {
    return new Promise((resolve, reject) => {
        const probe = net.createServer().on('error', reject);
        probe.listen(0, '127.0.0.1', () => {
            const { port } = probe.address();
            probe.close(() => resolve(port));
        });
    });
}

export function findChromium() {
    const folders = (process.env.PATH ?? '').split(path.delimiter);
    const places = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'].flatMap((name) => folders.map((folder) => path.join(folder, name)));
    const found = [process.env.CHROMIUM, '/usr/bin/chromium', ...places].find((file) => file && fs.existsSync(file));
    if (!found) throw new Error('Chromium is missing: install it, or say where it is in CHROMIUM');
    return found;
}
