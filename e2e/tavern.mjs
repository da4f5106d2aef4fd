// A real SillyTavern from npm on loopback, with a data folder of its own.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

import { NEWEST_TRIED } from '../extension/src/tried.js';
import { BROWSERS } from './browsers.mjs';
import { startGateway } from './gateway.mjs';
import { Page } from './page.mjs';
import { placeSample } from './sample.mjs';

const HERE = import.meta.dirname;
/** Where data folders, logs and pictures go. */
export const TARGET = process.env.LOREFORK_E2E_TARGET ?? path.join(HERE, '../target/e2e');
export const EXTENSION = process.env.LOREFORK_EXTENSION ?? path.join(HERE, '../target/extension/lorefork');
/** The first start compiles the front end. */
const PATIENCE = 600_000;

/** Folders that tests look at, and that are as in the sample at the start of each. */
const OURS = ['chats', 'group chats', 'groups', 'worlds', 'characters', 'settings.json', 'extensions', 'lorefork', 'user', 'backups'];

/** @param {string} version */
const homeOf = (version) => path.join(HERE, 'node_modules', version === NEWEST_TRIED ? 'sillytavern' : `sillytavern-${version}`);

/** Where the compiled front end of a SillyTavern is kept. @param {string} version */
const compiledFor = (version) => path.join(TARGET, `compiled-${version}`);

/** Whether a SillyTavern has compiled its front end. In a container it keeps it itself. @param {string} version */
export const isCompiled = (version) => fs.existsSync(compiledFor(version)) || fs.existsSync(path.join(homeOf(version), 'dist/_webpack'));

/**
 * Starts a server over the data in `root`, and resolves when it answers.
 * @param {{ root: string, version: string, port?: number }} how
 */
export async function startServer({ root, version, port }) {
    const home = homeOf(version);
    const compiled = compiledFor(version);
    const fresh = path.join(root, 'data/_webpack');
    // The front end is compiled once for all.
    if (fs.existsSync(compiled)) fs.cpSync(compiled, fresh, { recursive: true });
    const config = path.join(root, 'config.yaml');
    fs.writeFileSync(config, quietConfig(fs.readFileSync(path.join(home, 'default/config.yaml'), 'utf8')));

    port ??= await freePort();
    const log = path.join(root, 'server.log');
    const out = fs.openSync(log, 'w');
    const args = ['server.js', '--configPath', config, '--dataRoot', path.join(root, 'data'), '--port', String(port),
        '--browserLaunchEnabled', 'false', '--listen', 'false'];
    // It looks for a git repository that it could be part of, finds ours, and compiles anew after each commit.
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(home) };
    const process_ = spawn(process.execPath, args, { cwd: home, env, stdio: ['ignore', out, out] });
    fs.closeSync(out);
    const kill = () => void (process_.exitCode === null && process_.kill('SIGKILL'));
    // A test that dies leaves no server behind.
    process.on('exit', kill);
    const url = `http://127.0.0.1:${port}`;
    const tail = () => fs.readFileSync(log, 'utf8').slice(-2000);
    try {
        for (const until = Date.now() + PATIENCE; !(await fetch(`${url}/csrf-token`).catch(() => null))?.ok;) {
            if (process_.exitCode !== null) throw new Error(`SillyTavern ended:\n${tail()}`);
            if (Date.now() > until) throw new Error(`SillyTavern does not answer:\n${tail()}`);
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
    } catch (error) {
        kill();
        throw error;
    }
    if (!fs.existsSync(compiled) && fs.existsSync(fresh)) keepCompiled(fresh, compiled);
    const stop = async () => {
        process.off('exit', kill);
        if (process_.exitCode !== null) return;
        const ended = new Promise((resolve) => process_.once('exit', resolve));
        process_.kill('SIGTERM');
        const killer = setTimeout(kill, 5000);
        await ended;
        clearTimeout(killer);
    };
    return { url, process: process_, stop, log: () => fs.readFileSync(log, 'utf8') };
}

/** Made beside and then put in place: two test files may start at once. */
function keepCompiled(from, to) {
    const beside = `${to}-${process.pid}`;
    fs.cpSync(from, beside, { recursive: true });
    try {
        fs.renameSync(beside, to);
    } catch {
        // The other one was first.
        fs.rmSync(beside, { recursive: true, force: true });
    }
}

/**
 * @param {object} how
 * @param {string} how.name of the test file: its data folder is called so
 * @param {string} [how.version] one of those that were tried
 * @param {boolean} [how.extension] whether the extension is installed
 * @param {'chromium' | 'firefox'} [how.browser]
 */
export async function startTavern({ name, version = NEWEST_TRIED, extension = true, browser = 'chromium' }) {
    const root = path.join(TARGET, name);
    fs.rmSync(root, { recursive: true, force: true });
    fs.mkdirSync(path.join(root, 'data/default-user'), { recursive: true });
    const server = await startServer({ root, version });
    const tavern = new Tavern({ root, version, server, extension });
    try {
        tavern.gateway = await startGateway(server.url);
        tavern.browser = await BROWSERS[browser](path.join(root, 'browser'));
    } catch (error) {
        await tavern.stop();
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
    }

    get log() {
        return this.server.log();
    }

    /**
     * Puts the sample data in place, changed as the test wants it, and opens SillyTavern on it. To start takes a page
     * longer than what most tests do, so one that was left as it was found is used again.
     * @param {(user: string) => void} [change]
     * @param {{ fresh?: boolean } & Parameters<Tavern['open']>[0]} [how] a page that was opened in another way is not used
     */
    async begin(change, { fresh = false, ...how } = {}) {
        const kept = !fresh && isSame(how, this.pages[0]?.how) ? await this.#keep() : null;
        await this.close(kept);
        // All at once: this process stands between page and server, and no request passes before it is done.
        this.#place(change);
        this.gateway.forget();
        if (kept && (await this.#takeOver(kept))) return kept;
        await this.close();
        // The page that was still open may have saved its settings over the new ones.
        if (kept) this.#place(change);
        this.gateway.forget();
        return this.open(how);
    }

    /** Lets a page that is open take over what is on disk now. Whether it could: some is read at its start alone. */
    async #takeOver(page) {
        const { fixed, extensions, books } = readAtStart(this.user);
        if (fixed !== page.read.fixed) return false;
        const changed = { extensions: {}, ...(String(books) !== String(page.read.books) && { books }) };
        for (const name of Object.keys({ ...extensions, ...page.read.extensions })) {
            if (JSON.stringify(extensions[name]) !== JSON.stringify(page.read.extensions[name])) changed.extensions[name] = extensions[name] ?? null;
        }
        try {
            await page.putBack(changed);
            await page.beginAnew();
        } catch {
            return false;
        }
        this.gateway.forget();
        return true;
    }

    /**
     * Changes files of the story while nothing is open, and returns a page that has read them: the same one, if it can be
     * used again.
     * @param {() => void} change
     */
    async between(change) {
        const { how } = this.pages[0];
        const kept = await this.#keep();
        await this.close(kept);
        change();
        if (!kept) return this.open(how);
        await kept.beginAnew();
        return kept;
    }

    /** Puts the sample data in place while no page is open. @param {(user: string) => void} [change] */
    async fresh(change) {
        await this.close();
        this.#place(change);
        this.gateway.forget();
    }

    #place(change = () => {}) {
        for (const name of OURS) fs.rmSync(path.join(this.user, name), { recursive: true, force: true });
        placeSample(this.user);
        if (this.extension) installExtension(this.user);
        for (const name of ['user/files', 'user/images', 'backups', 'extensions']) fs.mkdirSync(path.join(this.user, name), { recursive: true });
        change(this.user);
    }

    /** The page that can be used again, if there is one. */
    async #keep() {
        const [page] = this.pages;
        if (!page || page.tab.isClosed()) return null;
        return (await page.leave().catch(() => false)) ? page : null;
    }

    /** Closes all pages but one, and makes the browser forget what they stored if none is left. */
    async close(kept = null) {
        const others = this.pages.filter((page) => page !== kept);
        this.pages = kept ? [kept] : [];
        await Promise.all(others.map((page) => page.close()));
        await this.gateway.quiet();
        if (!kept) await this.browser.forget(this.gateway.url);
    }

    /**
     * Opens SillyTavern in a tab.
     * @param {{ viewport?: { width: number, height: number }, prepare?: (tab: any) => Promise<void> }} [how]
     */
    async open(how = {}) {
        const { viewport = { width: 1280, height: 900 }, prepare = async () => {} } = how;
        const page = new Page(this, await this.browser.context.newPage());
        this.pages.push(page);
        await page.tab.setViewportSize(viewport);
        await prepare(page.tab);
        page.how = how;
        page.read = readAtStart(this.user);
        await page.load();
        return page;
    }

    async stop() {
        await this.close().catch(() => {});
        await this.browser?.stop();
        await this.gateway?.stop();
        await this.server.stop();
    }
}

/** Whether two pages are opened in the same way. */
const isSame = (how, other = {}) => how.viewport === other.viewport && how.prepare === other.prepare;

/** What a page reads at its start: what it never reads again, and settings that can be put into a running page. @param {string} user */
function readAtStart(user) {
    const folder = path.join(user, 'extensions');
    const files = fs.readdirSync(folder, { recursive: true }).sort().map((name) => [name, fs.statSync(path.join(folder, name)).size]);
    const settings = JSON.parse(fs.readFileSync(path.join(user, 'settings.json'), 'utf8'));
    const { disabledExtensions, ...extensions } = settings.extension_settings;
    const books = settings.world_info_settings?.world_info?.globalSelect ?? [];
    delete settings.extension_settings;
    delete settings.world_info_settings?.world_info?.globalSelect;
    return { fixed: JSON.stringify([settings, disabledExtensions, files]), extensions, books };
}

/** @param {string} user */
export function installExtension(user) {
    fs.cpSync(EXTENSION, path.join(user, 'extensions/lorefork'), { recursive: true, preserveTimestamps: true });
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
