// Stands between the page and SillyTavern's server: counts what is asked, and breaks what a test wants broken.
//
// Not the browser's own interception: a real connection that is cut, and a reply that really streams, come out
// of a socket, and interception would switch off the browser's cache and slow down every page.

import http from 'node:http';

/** Files of SillyTavern itself: the same all day, so that 300 of them need not be asked for at each start. */
const LASTING = /^\/(?!api\/|csrf-token|version|scripts\/extensions\/third-party\/|characters\/|thumbnail|user\/|$)/;
const FOREVER = 'public, max-age=86400, immutable';

/**
 * How long something waits until nothing else comes, so that a person can go on meanwhile: no test has to wait for so
 * long. What is waited for at most stays as it is, or a slow machine would run out of it.
 * @type {[RegExp, [string, string][]][]}
 */
const HURRIED = [
    [/^\/scripts\/constants\.js$/, [['relaxed: 1000', 'relaxed: 100']]],
    // A save waits at most for so long for the one before, and is given up then.
    [/^\/script\.js$/, [['!isChatSaving, DEFAULT_SAVE_EDIT_TIMEOUT,', '!isChatSaving, 1000,']]],
    [/\/lorefork\/src\/times\.js$/, [
        ['TRY_AGAIN = 1500', 'TRY_AGAIN = 200'],
        ['AFTER_START = 2000', 'AFTER_START = 300'],
        ['WAITING_WORK = 2000', 'WAITING_WORK = 300'],
        ['CHAT_STAYS = 600', 'CHAT_STAYS = 200'],
        ['CHAT_STAYS_FOR_LONG = 3000', 'CHAT_STAYS_FOR_LONG = 800'],
        ['BUTTONS = 1000', 'BUTTONS = 300'],
    ]],
];

/** What SillyTavern would ask the internet for. Nothing leaves the machine. */
const OUTSIDE = /^\/api\/(horde|backends|openai|openrouter|novelai|extra|translate|sd|speech|google|azure|minimax)\//;

/**
 * @typedef {object} Asked
 * @property {string} method
 * @property {string} path
 * @property {string} body
 * @property {number} [status] once it was answered
 *
 * @typedef {'refuse' | 'drop' | 'lose' | 'hang' | 'hang-after' | { until: Promise<unknown> }} Fault
 * refuse: 500, and the server never hears of it; drop: the connection breaks before the server hears of it;
 * lose: the server does it, and the connection breaks before the answer; hang: nobody hears of it and no answer
 * ever comes; hang-after: the server does it and no answer ever comes.
 */

/** @param {string} server */
export async function startGateway(server) {
    const gateway = new Gateway(server);
    await new Promise((resolve) => gateway.http.listen(0, '127.0.0.1', resolve));
    gateway.url = `http://127.0.0.1:${gateway.http.address().port}`;
    return gateway;
}

class Gateway {
    constructor(server) {
        this.server = new URL(server);
        this.http = http.createServer((request, response) => this.#take(request, response));
        this.forget();
        this.open = 0;
        /** @type {Map<string, { status: number, headers: http.IncomingHttpHeaders, bytes: Buffer }>} */
        this.lasting = new Map();
    }

    /** Everything as at the start of a test. */
    forget() {
        /** @type {Asked[]} */
        this.asked = [];
        /** @type {(asked: Asked) => Fault | Promise<Fault | void> | void} */
        this.onRequest = () => {};
        /** Called when a request hangs: nobody will answer it. */
        this.onHang = () => {};
        /** The scripted model. @type {(asked: Asked, response: http.ServerResponse) => void} */
        this.model = (_, response) => {
            answer(response, { choices: [{ message: { content: 'The sea answers.' } }] });
        };
    }

    /** Requests to the API since the start of the test, or since `from`. */
    api(from = 0) {
        return this.asked.slice(from).filter(({ path }) => path.startsWith('/api/') && !path.startsWith('/api/tokenizers/'));
    }

    /** Resolves when nothing has been under way for a moment. */
    async quiet(still = 150) {
        let since = Date.now();
        while (Date.now() - since < still) {
            if (this.open > 0) since = Date.now();
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
    }

    async stop() {
        this.http.closeAllConnections();
        await new Promise((resolve) => this.http.close(resolve));
    }

    async #take(request, response) {
        // A reply of the model may take as long as the test wants.
        const counts = !OUTSIDE.test(request.url);
        if (counts) {
            this.open += 1;
            response.on('close', () => (this.open -= 1));
        }
        // On a connection that was used before, the browser sends once more what broke, and nobody notices.
        response.shouldKeepAlive = false;
        const isStatic = request.method === 'GET' || request.method === 'HEAD';
        const bytes = isStatic ? null : await bodyOf(request);
        const asked = { method: request.method, path: request.url, body: bytes?.toString() ?? '' };
        this.asked.push(asked);
        if (OUTSIDE.test(request.url)) return this.#answerForOthers(asked, response);
        // One for each message of the chat, whenever a chat is opened.
        if (request.url.startsWith('/api/tokenizers/')) return answer(response, { token_count: 10, count: 10, ids: [] });
        if (isStatic && (LASTING.test(request.url) || waitsOf(request.url))) return this.#answerLasting(request, response);
        const fault = await this.onRequest(asked);
        const cut = () => request.socket.destroy();
        if (fault === 'drop') return cut();
        if (fault === 'hang') return void this.onHang();
        if (fault === 'refuse') {
            asked.status = 500;
            response.writeHead(500, { 'Content-Type': 'application/json' });
            return response.end('{"error":"as the test wanted it"}');
        }
        const { hostname, port } = this.server;
        const headers = { ...request.headers, host: this.server.host };
        // The page's origin is the gateway; the server compares it with itself.
        if (headers.origin) headers.origin = this.server.origin;
        if (headers.referer) headers.referer = headers.referer.replace(/^http:\/\/[^/]+/, this.server.origin);
        const passed = http.request({ hostname, port, method: request.method, path: request.url, headers }, async (answer) => {
            // The server has answered; the page learns of it later.
            if (typeof fault === 'object') await fault.until;
            else if (fault) {
                answer.resume();
                answer.on('end', () => (fault === 'lose' ? cut() : this.onHang()));
                return;
            }
            asked.status = answer.statusCode;
            response.writeHead(answer.statusCode, { ...answer.headers, connection: 'close' });
            answer.pipe(response);
        });
        passed.on('error', cut);
        passed.end(bytes);
    }

    async #answerLasting(request, response) {
        const waits = waitsOf(request.url);
        const encoding = waits ? 'identity' : String(request.headers['accept-encoding'] ?? '');
        const key = `${request.url} ${encoding}`;
        if (!this.lasting.has(key)) {
            const { hostname, port } = this.server;
            const headers = { 'accept-encoding': encoding, cookie: request.headers.cookie ?? '' };
            const found = await new Promise((resolve, reject) => {
                const passed = http.request({ hostname, port, path: request.url, headers }, async (answer) =>
                    resolve({ status: answer.statusCode, headers: answer.headers, bytes: await bodyOf(answer) }));
                passed.on('error', reject).end();
            });
            if (waits && found.status === 200) hurry(found, waits);
            this.lasting.set(key, found);
        }
        const { status, headers, bytes } = this.lasting.get(key);
        const { 'transfer-encoding': _, connection: __, 'keep-alive': ___, ...rest } = headers;
        response.writeHead(status, status === 200 ? { ...rest, 'cache-control': FOREVER } : rest);
        response.end(bytes);
    }

    #answerForOthers(asked, response) {
        asked.status = 200;
        if (asked.path === '/api/backends/chat-completions/generate') return this.model(asked, response);
        // The models that there are, and whatever else asks whether somebody is there.
        answer(response, asked.path.endsWith('/status') ? { data: [{ id: 'scripted' }] } : []);
    }
}

/** How long what waits in this file is to wait. */
const waitsOf = (url) => HURRIED.find(([file]) => file.test(url))?.[1];

/** Writes other times into a file; each must be there. */
function hurry(found, waits) {
    let text = found.bytes.toString();
    for (const [from, to] of waits) {
        if (!text.includes(from)) throw new Error(`no file of SillyTavern or ours has “${from}” any more`);
        text = text.replace(from, to);
    }
    found.bytes = Buffer.from(text);
    found.headers['content-length'] = String(found.bytes.length);
}

function answer(response, json) {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(json));
}

async function bodyOf(request) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    return Buffer.concat(chunks);
}
