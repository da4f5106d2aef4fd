// A git server on loopback, as the one that people install the extension from: `git http-backend` behind a small server.

import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

/** Nothing of the developer's own settings. */
const ENV = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
const NAME = ['-c', 'user.name=Nobody', '-c', 'user.email=nobody@example.org', '-c', 'init.defaultBranch=main'];

/** @param {string} folder @param {string[]} args */
const git = (folder, ...args) => execFileSync('git', [...NAME, ...args], { cwd: folder, env: ENV, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/**
 * A repository of one name, and its address.
 * @param {string} root an empty folder for it
 * @param {string} name
 */
export async function serveRepository(root, name) {
    fs.rmSync(root, { recursive: true, force: true });
    const bare = path.join(root, 'served', name);
    const work = path.join(root, 'work');
    fs.mkdirSync(bare, { recursive: true });
    fs.mkdirSync(work);
    git(bare, 'init', '--bare', '--quiet');
    git(work, 'init', '--quiet');
    const server = http.createServer((request, response) => answer(path.join(root, 'served'), request, response));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
        url: `http://127.0.0.1:${server.address().port}/${name}`,
        /** Replaces all files by those of a folder, changed, and publishes that. @param {string} folder @param {(work: string) => void} change */
        publish(folder, change) {
            for (const item of fs.readdirSync(work)) if (item !== '.git') fs.rmSync(path.join(work, item), { recursive: true });
            fs.cpSync(folder, work, { recursive: true });
            change(work);
            git(work, 'add', '--all', '--force');
            git(work, 'commit', '--quiet', '--message', 'Next');
            git(work, 'push', '--quiet', bare, 'HEAD:main');
            return git(work, 'rev-parse', 'HEAD');
        },
        stop: () => new Promise((resolve) => server.close(resolve)),
    };
}

/** Hands a request to git, as web servers do. */
function answer(root, request, response) {
    const url = new URL(request.url, 'http://127.0.0.1');
    const backend = spawn('git', ['http-backend'], {
        env: {
            ...ENV,
            GIT_PROJECT_ROOT: root,
            GIT_HTTP_EXPORT_ALL: '1',
            GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
            PATH_INFO: url.pathname,
            QUERY_STRING: url.search.slice(1),
            REQUEST_METHOD: request.method,
            CONTENT_TYPE: request.headers['content-type'] ?? '',
            HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
            REMOTE_ADDR: '127.0.0.1',
        },
        stdio: ['pipe', 'pipe', 'inherit'],
    });
    request.pipe(backend.stdin);
    const chunks = [];
    backend.stdout.on('data', (chunk) => chunks.push(chunk));
    backend.on('close', () => {
        const all = Buffer.concat(chunks);
        const end = all.indexOf('\r\n\r\n');
        const head = all.subarray(0, end).toString('latin1').split('\r\n').map((line) => line.split(/:\s*/, 2));
        const status = head.find(([name]) => /^status$/i.test(name))?.[1] ?? '200';
        response.writeHead(parseInt(status), Object.fromEntries(head.filter(([name]) => !/^status$/i.test(name))));
        response.end(all.subarray(end + 4));
    });
}
