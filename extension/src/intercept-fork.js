// The save request of a new timeline, caught on its way: sent on with a lorebook of its own.
//
// It never refuses: SillyTavern would go on and open an empty chat under that name. What it cannot isolate it lets
// pass, says so, and remembers for when the timeline is opened. If the user does not want it after all, there is no
// answer at all: whoever asked does not go on.

import { copyBound } from './bindings.js';
import { copyChatSettings } from './chat-settings.js';
import { freezeOpen } from './chats.js';
import { engine } from './engine.js';
import { Frozen } from './frozen.js';
import { hostFor, refreshBooks } from './host.js';
import { missed, wasTold } from './met.js';
import { HostError, plainFetch, refusal, write } from './requests.js';
import { savesAsItself, tellSaved } from './saves.js';
import { context, groupOf, isLoading, keyOf, openPlace } from './tavern.js';
import { OTHER_OPERATION } from './times.js';
import { tellCreated, tellPassed } from './views/notices.js';
import { askForNewLore } from './views/refusal.js';
import { failure, say } from './words.js';

/**
 * @param {RequestInfo | URL} input
 * @param {RequestInit | undefined} init
 * @param {import('../types/lorefork').Place} place the chat that was open when it was sent
 * @returns {Promise<Response>}
 */
export async function interceptFork(input, init, place) {
    const pass = () => plainFetch(input, init);
    const body = await textOf(input instanceof Request ? await input.clone().arrayBuffer() : init?.body);
    if (body === null) return pass();
    if (savesAsItself(body, place)) {
        tellSaved();
        return pass();
    }

    /** @type {Promise<Response> | null} */
    let answer = null;
    const send = async (/** @type {string} */ text) => {
        answer = plainFetch(input instanceof Request ? input.url : input, withBody(input, init, text));
        let response;
        try {
            response = (await answer).clone();
        } catch (error) {
            throw new HostError('lost', String(error));
        }
        if (!response.ok) throw refusal(response.status, await response.text());
        const [header, ...lines] = JSON.parse(text).chat.map((/** @type {object} */ line) => JSON.stringify(line));
        return new Frozen(place, header, lines, false).stamp();
    };
    let result;
    try {
        if (isLoading() || keyOf(openPlace() ?? place) !== keyOf(place)) throw new Error(say('The chat was switched or changed meanwhile.'));
        const slug = JSON.parse(freezeOpen(place).header()).chat_metadata.integrity ?? null;
        const open = JSON.stringify({ chat: place, id: place.name, slug });
        result = await isolateRequest(open, body, send);
    } catch (error) {
        result = { error: failure(error) };
    }
    if (result === 'cancelled') {
        await unlist(place, body);
        return new Promise(() => {});
    }
    if (answer) {
        if (result && !result.error) await settleIn(result, place);
        return answer;
    }
    if (result?.error && comesFrom(place, body)) {
        const { file_name, id } = JSON.parse(body);
        missed.add(keyOf({ owner: place.owner, name: file_name ?? id }));
        tellPassed(result.error);
    }
    return pass();
}

/**
 * @param {import('../types/lorefork').Created} created
 * @param {import('../types/lorefork').Place} place its parent
 */
async function settleIn(created, place) {
    const own = { ...place, name: created.chat };
    await copyBound(created, own).catch((error) => console.warn('Lorefork:', error));
    tellCreated(created);
    void engine().then((lorefork) => copyChatSettings(lorefork, place.name, created.chat));
    const { eventSource, eventTypes, chat } = context();
    // Whoever made it is likely to open it now; then all has been said.
    if (created.kind === 'branch') eventSource.once(eventTypes.CHAT_CHANGED, () => keyOf(openPlace() ?? place) === keyOf(own) && wasTold(own));
    // SillyTavern adds it to the list of the message, too.
    const message = chat[created.at];
    setTimeout(() => {
        const { extra } = message ?? {};
        if (Array.isArray(extra?.branches)) extra.branches = [...new Set(extra.branches)];
    });
}

/**
 * SillyTavern lists the chats of a group before it saves them.
 * @param {import('../types/lorefork').Place} place
 * @param {string} body
 */
async function unlist({ owner }, body) {
    const group = 'group' in owner ? groupOf(owner.group) : null;
    const at = group?.chats.lastIndexOf(JSON.parse(body).id) ?? -1;
    if (!group || at < 0) return;
    group.chats.splice(at, 1);
    await write('/api/groups/edit', JSON.stringify(group)).catch((error) => console.warn('Lorefork:', error));
}

/**
 * Whether it says so itself; the engine would know better, but may not be there. SillyTavern saves other chats, too, when
 * a character is renamed.
 * @param {import('../types/lorefork').Place} place
 * @param {string} body
 */
const comesFrom = (place, body) => JSON.parse(body).chat?.[0]?.chat_metadata?.main_chat === place.name;

/**
 * @param {string} open
 * @param {string} body
 * @param {(body: string) => Promise<string>} send resolves to the stamp of the chat
 * @returns {Promise<'cancelled' | Awaited<ReturnType<import('../types/lorefork').Engine['intercept']>>>}
 */
async function isolateRequest(open, body, send) {
    const { intercept } = await engine();
    const attempt = (/** @type {string | undefined} */ lore) =>
        intercept(hostFor(null, { patience: OTHER_OPERATION, send }), open, body, lore);
    let result = await attempt(undefined);
    if (result?.error?.code === 'NO_SNAPSHOT') {
        const lore = await askForNewLore(result.error);
        if (lore === null) return 'cancelled';
        result = await attempt(lore);
    }
    if (result && !result.error) setTimeout(refreshBooks);
    return result;
}

/**
 * The text of a body, or null if it is none that SillyTavern sends.
 * @param {unknown} body
 * @returns {Promise<string | null>}
 */
async function textOf(body) {
    if (typeof body === 'string') return body;
    const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body;
    if (!(bytes instanceof Uint8Array)) return null;
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream();
    return new Response(isGzip ? stream.pipeThrough(new DecompressionStream('gzip')) : stream).text();
}

/**
 * The same request with plain text as its body.
 * @param {RequestInfo | URL} input
 * @param {RequestInit | undefined} init
 * @param {string} body
 * @returns {RequestInit}
 */
function withBody(input, init, body) {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    headers.delete('Content-Encoding');
    return { ...init, method: 'POST', headers, body };
}
