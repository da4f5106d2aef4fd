// Chats between page and server.

import { become, Frozen, headerText } from './frozen.js';
import { Lines } from './lines.js';
import { ask, changedElsewhere, HostError, read, write } from './requests.js';
import { characterIn, context, isLoading, openPlace } from './tavern.js';
import { TRY_AGAIN } from './times.js';
import { say } from './words.js';

/** @typedef {import('../types/lorefork').Place} Place */

/**
 * Whether two places are one file.
 * @param {Place} a
 * @param {Place | null} b
 * @param {(name: string) => string} fileOf
 */
export function isSame(a, b, fileOf) {
    return b !== null && JSON.stringify(a.owner) === JSON.stringify(b.owner) && a.name === fileOf(b.name);
}

/** @param {Place} place */
export const fileName = ({ owner, name }) =>
    'group' in owner ? `group chats/${name}.jsonl` : `chats/${owner.character}/${name}.jsonl`;

/**
 * Freezes the open chat.
 * @param {Place} place
 */
export function freezeOpen(place) {
    const { chat, chatMetadata } = context();
    return new Frozen(place, headerText({ ...chatMetadata }), chat.map((message) => JSON.stringify(message)), true);
}

/**
 * Freezes a chat that is on the server.
 * @param {Place} place
 */
export async function freezeStored(place) {
    const absent = () => new HostError('absent', say('There is no such chat.'), fileName(place));
    const { owner, name } = place;
    let text;
    if ('group' in owner) {
        text = await read('/api/chats/group/get', { id: name });
    } else {
        const character = characterIn(owner.character);
        // The server would make a folder for any name.
        if (!character) throw absent();
        text = await read('/api/chats/get', { ch_name: character.name, file_name: name, avatar_url: character.avatar });
    }
    const lines = JSON.parse(text);
    // A missing file is an empty answer.
    if (!Array.isArray(lines) || lines.length === 0) throw absent();
    const [header, ...messages] = lines.map((line) => JSON.stringify(line));
    return new Frozen(place, header, messages, false);
}

/**
 * The very lines of a chat's file. SillyTavern leaves out those that it cannot read; here they are.
 * @param {Place} place
 */
export async function rawLines(place) {
    const { owner, name } = place;
    const whose = 'group' in owner ? { is_group: true } : { is_group: false, avatar_url: `${owner.character}.png` };
    const file = `${name}.jsonl`;
    try {
        return new Lines(await ask('/api/chats/export', { ...whose, file, exportfilename: file, format: 'jsonl' }), 'result');
    } catch (error) {
        if (error instanceof HostError && error.status === 404) throw new HostError('absent', say('There is no such chat.'), fileName(place));
        throw error;
    }
}

/**
 * The same as one text.
 * @param {Place} place
 */
export const rawChat = async (place) => (await rawLines(place)).all();

/**
 * The text of a chat's file, if it says what was frozen, and nothing that would get lost.
 * @param {Frozen} frozen
 */
export async function soundChat(frozen) {
    const text = await rawChat(frozen.place);
    const lines = linesOf(text, frozen.place);
    if (lines.join('\n') !== [frozen.head, ...frozen.lines].join('\n')) {
        throw new HostError('changed', say('the chat has changed meanwhile'), fileName(frozen.place));
    }
    return text;
}

/**
 * The lines of a chat as SillyTavern would save them.
 * @param {string} text
 * @param {Place} place
 */
function linesOf(text, place) {
    return text.split('\n').filter((line) => line.trim()).map((line) => {
        try {
            return JSON.stringify(JSON.parse(line));
        } catch {
            throw new HostError('damaged', say('a line of it cannot be read, and would be lost'), fileName(place));
        }
    });
}

/**
 * Makes a chat again from the text of its file. Resolves to its stamp.
 * @param {Place} place
 * @param {string} text
 */
export async function restoreChat(place, text) {
    const there = await rawChat(place).then(() => true, (error) => {
        if (error instanceof HostError && error.kind === 'absent') return false;
        throw error;
    });
    if (there) throw new HostError('exists', say('There already is a chat of that name.'), fileName(place));
    const [header = '', ...lines] = linesOf(text, place);
    await saveChat(place, header, lines);
    return new Frozen(place, header, lines, false).stamp();
}

/**
 * Saves a chat under the place it has, or makes it.
 * @param {Place} place
 * @param {string} header
 * @param {string[]} lines
 */
export async function saveChat({ owner, name }, header, lines) {
    const chat = `[${[header, ...lines].join(',')}]`;
    if ('group' in owner) {
        await write('/api/chats/group/save', `{"id":${JSON.stringify(name)},"chat":${chat},"force":false}`);
        return;
    }
    const character = characterIn(owner.character);
    if (!character) throw new HostError('absent', say('The character is gone.'), `characters/${owner.character}.png`);
    const { name: ch_name, avatar: avatar_url } = character;
    const rest = JSON.stringify({ ch_name, file_name: name, avatar_url, force: false });
    await write('/api/chats/save', `${rest.slice(0, -1)},"chat":${chat}}`);
}

/** Saves what was changed in the open chat and not sent yet. */
export async function settleOpen() {
    const place = openPlace();
    if (!place || isLoading()) throw new HostError('busy', say('The chat is empty, or still being loaded.'));
    const { head, lines } = freezeOpen(place);
    try {
        await saveChat(place, head, lines);
    } catch (error) {
        if (error instanceof HostError && error.kind === 'changed') throw changedElsewhere(fileName(place));
        throw error;
    }
}

/**
 * Makes a chat that does not exist.
 * @param {Place} place
 * @param {string} header
 * @param {string[]} lines
 */
export async function createChat(place, header, lines) {
    const exists = () => new HostError('exists', say('There already is a chat of that name.'), fileName(place));
    // Files of groups are not all listed anywhere.
    if ('group' in place.owner && (await isGroupFile(place.name))) throw exists();
    try {
        await saveChat(place, header, lines);
    } catch (error) {
        if (error instanceof HostError && error.kind === 'changed') throw exists();
        throw error;
    }
    return new Frozen(place, asSaved(header), lines.map(asSaved), false).stamp();
}

/** @param {string} line */
const asSaved = (line) => JSON.stringify(JSON.parse(line));

/**
 * Asked by reading it: in 1.16 a question about a file that is not there (`/group/info`) ends the server.
 * @param {string} id
 */
async function isGroupFile(id) {
    return JSON.parse(await read('/api/chats/group/get', { id })).length > 0;
}

/**
 * Changes lines of the open chat, in memory and on the server.
 * @param {Frozen} frozen
 * @param {[number | null, string][]} edits
 */
export async function editOpen(frozen, edits) {
    const { chat, chatMetadata } = context();
    const changed = () => new HostError('changed', say('the chat has changed meanwhile'), fileName(frozen.place));
    if (isLoading()) throw new HostError('switched', say('Another chat is being opened.'));
    const targets = edits.map(([index, after]) => {
        const now = index === null ? headerText({ ...chatMetadata }) : JSON.stringify(chat[index]);
        if (now !== (index === null ? frozen.head : frozen.lines[index])) throw changed();
        const target = index === null ? { chat_metadata: chatMetadata } : chat[index];
        return { target, before: JSON.parse(now), after: JSON.parse(after) };
    });
    for (const { target, before, after } of targets) become(target, before, after);
    try {
        await settleOpen().catch(async (error) => {
            if (!(error instanceof HostError && error.kind === 'lost')) throw error;
            // Saving the same once more does no harm.
            await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN));
            if (context().chatMetadata !== chatMetadata || isLoading()) throw error;
            await settleOpen();
        });
    } catch (error) {
        if (!(error instanceof HostError && error.kind === 'lost')) {
            for (const { target, before, after } of targets) become(target, after, before);
        }
        throw error;
    }
    return freezeOpen(frozen.place).stamp();
}

/**
 * Changes lines of a chat that is not open.
 * @param {Frozen} frozen
 * @param {[number | null, string][]} edits
 * @param {() => boolean} isOpen whether it was opened after all
 */
export async function editStored(frozen, edits, isOpen) {
    const now = await freezeStored(frozen.place);
    if (now.head !== frozen.head || now.lines.join('\n') !== frozen.lines.join('\n')) {
        throw new HostError('changed', say('the chat has changed meanwhile'), fileName(frozen.place));
    }
    // What SillyTavern cannot read it would not write either.
    await soundChat(now);
    // SillyTavern would save what it has loaded over this.
    if (isOpen()) throw new HostError('changed', say('the chat was opened meanwhile'), fileName(frozen.place));
    for (const [index, text] of edits) {
        if (index === null) now.head = asSaved(text);
        else now.lines[index] = asSaved(text);
    }
    await saveChat(frozen.place, now.head, now.lines);
    return now.stamp();
}

/** @param {Place} place */
export async function removeChat({ owner, name }) {
    if ('group' in owner) return write('/api/chats/group/delete', JSON.stringify({ id: name }));
    const avatar_url = `${owner.character}.png`;
    return write('/api/chats/delete', JSON.stringify({ avatar_url, chatfile: `${name}.jsonl` }));
}
