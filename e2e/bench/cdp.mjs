// A browser spoken to over the bare DevTools protocol: nothing sits between the page and what is measured.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { findChromium, FLAGS } from '../browsers.mjs';

export class Browser {
    constructor() {
        this.profile = fs.mkdtempSync(path.join(os.tmpdir(), 'lorefork-bench-'));
        const args = ['--headless=new', '--remote-debugging-pipe', `--user-data-dir=${this.profile}`, '--window-size=1280,900', ...FLAGS, 'about:blank'];
        this.process = spawn(findChromium(), args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
        this.kill = () => void this.process.kill('SIGKILL');
        process.on('exit', this.kill);
        [, , , this.out, this.in] = this.process.stdio;
        this.asked = new Map();
        this.listeners = [];
        this.last = 0;
        let rest = [];
        this.in.on('data', (chunk) => {
            // Messages end with a zero byte; a big one comes in many chunks.
            for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0)) {
                this.#take(JSON.parse(Buffer.concat([...rest, chunk.subarray(0, end)]).toString()));
                rest = [];
                chunk = chunk.subarray(end + 1);
            }
            rest.push(chunk);
        });
    }

    #take({ id, method, params, result, error, sessionId }) {
        if (id === undefined) return this.listeners.filter((one) => one.sessionId === sessionId && one.method === method).forEach(({ act }) => act(params));
        const { resolve, reject } = this.asked.get(id);
        this.asked.delete(id);
        if (error) reject(new Error(error.message));
        else resolve(result);
    }

    send(method, params = {}, sessionId) {
        const id = ++this.last;
        this.out.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
        return new Promise((resolve, reject) => this.asked.set(id, { resolve, reject }));
    }

    async open() {
        const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
        const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
        const tab = new Tab(this, targetId, sessionId);
        await tab.send('Page.enable');
        return tab;
    }

    async stop() {
        const ended = new Promise((resolve) => this.process.once('exit', resolve));
        await this.send('Browser.close').catch(() => {});
        await ended;
        process.off('exit', this.kill);
        fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    }
}

class Tab {
    constructor(browser, targetId, sessionId) {
        Object.assign(this, { browser, targetId, sessionId });
    }

    send(method, params) {
        return this.browser.send(method, params, this.sessionId);
    }

    on(method, act) {
        this.browser.listeners.push({ sessionId: this.sessionId, method, act });
    }

    async close() {
        this.browser.listeners = this.browser.listeners.filter(({ sessionId }) => sessionId !== this.sessionId);
        await this.browser.send('Target.closeTarget', { targetId: this.targetId });
    }

    /** Calls a function in the page and returns what it returns, or resolves to. */
    async run(act, ...args) {
        const expression = `(${act})(...${JSON.stringify(args)})`;
        const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
    }

    /** Goes there, and resolves when the new page has begun. */
    async go(url) {
        await this.send('Page.navigate', { url });
    }

    /** From here on, all requests with their bodies. Costs time, so nothing is timed meanwhile. */
    async listen() {
        /** @type {{ id: string, method: string, path: string, body: string | null }[]} */
        const all = [];
        await this.send('Network.enable', { maxPostDataSize: 64_000_000 });
        this.on('Network.requestWillBeSent', ({ requestId, request }) => {
            const { pathname, search } = new URL(request.url);
            const one = { id: requestId, method: request.method, path: pathname + search, body: request.postData ?? null };
            all.push(one);
            if (request.hasPostData && one.body === null) {
                one.later = this.send('Network.getRequestPostData', { requestId }).then(({ postData }) => (one.body = postData), () => {});
            }
        });
        return all;
    }
}
