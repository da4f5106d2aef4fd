// The page as the engine asks for it: verbs, no rules. One object serves one operation.

import { bookNames, createBook, fromServer, refuseIfChanged, removeBook, replaceBook, settleBook } from './books.js';
import { createChat, editOpen, editStored, freezeOpen, freezeStored, isSame, rawLines, removeChat, restoreChat, settleOpen, soundChat } from './chats.js';
import { claim } from './claim.js';
import { engineIfReady } from './engine.js';
import { become, headerText } from './frozen.js';
import { listChats, listNames } from './listing.js';
import { OperationStore } from './operation-store.js';
import { HostError, read, write } from './requests.js';
import { isEmpty, refuseIfStale } from './stale.js';
import { characterIn, context, folderOf, groupOf, hasHeader, isGenerating, isLoading, keyOf, openPlace, script, version, worldInfo } from './tavern.js';
import { TRY_AGAIN } from './times.js';
import { say } from './words.js';

/**
 * @typedef {import('./frozen.js').Frozen} Frozen
 * @typedef {import('../types/lorefork').Place} Place
 * @typedef {import('../types/lorefork').Owner} Owner
 *
 * @typedef {object} Given what `hostFor` adds
 * @property {(name: string) => string} fileOf the file name of a chat, by the engine
 * @property {Place | null} origin the open chat that the operation is about: whoever leaves it does not want it any more
 *
 * @typedef {object} How
 * @property {(step: string, others: number) => void} [onProgress]
 * @property {number} [patience] how long to wait for another operation, in milliseconds
 * @property {(body: string) => Promise<string>} [send] sends the request that is under way; resolves to the chat's stamp
 * @property {Place} [removed] the timeline that is to be removed
 * @property {boolean} [everyone] whether the chats of all others are looked at, however many there are
 */

const NO_ENTRIES = '{"entries":{}}';

export class PageHost extends OperationStore {
    /** @param {Given & How} how */
    constructor({ fileOf, origin, onProgress = () => {}, patience = 0, send, removed, everyone = false }) {
        super();
        this.fileOf = fileOf;
        this.origin = origin;
        this.onProgress = onProgress;
        this.patience = patience;
        this.sendRequest = send;
        this.removed = removed;
        this.everyone = everyone;
        /** @type {Owner | null} */
        this.owner = null;
        /** @type {Promise<string[]> | null} */
        this.books = null;
        /** @type {ReturnType<typeof listChats> | null} */
        this.chats = null;
        this.isUnsure = false;
        /** The open chat, as `keyOf` names it, if it is known that it did not go on elsewhere. */
        this.latest = '';
        /** Texts of books that settling has just brought in line with the server. @type {Map<string, string>} */
        this.settled = new Map();
    }

    async claim() {
        return { release: await claim(this.patience) };
    }

    /** @param {string} placeText */
    async settle(placeText) {
        const place = JSON.parse(placeText);
        this.refuseIfLeft(place);
        // Refused for that in a moment; a half-written reply is not saved.
        if (isGenerating()) return;
        this.settled.clear();
        await this.refuseIfStale(place);
        this.refuseIfLeft(place);
        if (this.isOpen(place) && !(isLoading() && (await isEmpty(place)))) await settleOpen();
        this.refuseIfLeft(place);
        const name = context().chatMetadata?.world_info;
        if (typeof name !== 'string' || !name) return;
        const text = await settleBook(name);
        if (text !== null) this.settled.set(name, text);
    }

    /** @param {Frozen} frozen */
    stillThere(frozen) {
        if (!frozen.isOpen) return;
        const { chat, chatMetadata } = context();
        const slug = JSON.parse(frozen.header()).chat_metadata.integrity;
        if (!this.isOpen(frozen.place) || chatMetadata.integrity !== slug || chat.length !== frozen.count()) {
            throw switched();
        }
    }

    /** @param {Place} place */
    refuseIfLeft(place) {
        if (this.origin && isSame(place, this.origin, this.fileOf) && !this.isOpen(place)) throw switched();
    }

    /**
     * Before the open chat is saved; asked once.
     * @param {Place} place
     */
    async refuseIfStale(place) {
        if (!this.isOpen(place) || this.latest === keyOf(place)) return;
        // It will be asked for in a moment anyway.
        const { counts } = await this.list(place.owner);
        if (!this.isOpen(place)) return;
        await refuseIfStale(place, counts.get(keyOf({ owner: place.owner, name: this.fileOf(place.name) })));
        this.latest = keyOf(place);
    }

    pause() {
        return new Promise((resolve) => setTimeout(resolve, TRY_AGAIN));
    }

    /** In long work, after each stretch. @returns {Promise<void>} */
    breathe() {
        return new Promise((resolve) => setTimeout(resolve));
    }

    /** @param {Place} place */
    isOpen(place) {
        return isSame(place, openPlace(), this.fileOf);
    }

    /** @param {string} placeText */
    async open(placeText) {
        const place = JSON.parse(placeText);
        this.owner ??= place.owner;
        // After a lost answer only the server knows what was saved.
        if (this.isUnsure) return freezeStored(place);
        this.refuseIfLeft(place);
        if (!this.isOpen(place)) return this.stored(place);
        if (isLoading() && !(await isEmpty(place))) throw new HostError('busy', say('The chat is empty, or still being loaded.'));
        return freezeOpen(place);
    }

    /**
     * What is on the server. Where a timeline is removed, others of its family only if all of them can be written back.
     * @param {Place} place
     */
    async stored(place) {
        const frozen = await freezeStored(place);
        if (this.removed && !isSame(place, this.removed, this.fileOf)) await soundChat(frozen);
        return frozen;
    }

    /** @param {string} placeText */
    rawChat(placeText) {
        return rawLines(JSON.parse(placeText));
    }

    /** @param {Owner | null} owner */
    list(owner) {
        this.chats ??= listChats(owner, this.everyone);
        return this.chats;
    }

    /** @param {string} ownerText */
    async chatNames(ownerText) {
        // Without headers, names alone are enough.
        const names = this.chats ? (await this.chats).names : await listNames(JSON.parse(ownerText));
        return JSON.stringify(names);
    }

    names() {
        this.books ??= bookNames();
        return this.books;
    }

    async lorebookNames() {
        return JSON.stringify(await this.names());
    }

    /** @param {string} name */
    async lorebook(name) {
        const settled = this.settled.get(name);
        // Only the first look may be at what settling saw: later ones ask whether it changed.
        this.settled.delete(name);
        const text = settled ?? (await fromServer(name));
        // Of a book that is not there the server says that it is empty. (To list all, it reads all: not for nothing.)
        if (text === NO_ENTRIES && !(await this.names()).includes(name)) return null;
        if (settled === undefined) await refuseIfChanged(name, text);
        return text;
    }

    /** All headers that can be seen from here; which of them matter, the engine decides. */
    async headers() {
        const place = openPlace();
        const { headers } = await this.list(this.owner ?? place?.owner ?? null);
        const found = new Map(headers.map((entry) => [JSON.stringify(entry.chat), entry]));
        if (place && hasHeader()) {
            // What is open is ahead of the server.
            const chat = { owner: place.owner, name: this.fileOf(place.name) };
            found.set(JSON.stringify(chat), { chat, header: headerText({ ...context().chatMetadata }) });
        }
        return JSON.stringify([...found.values()]);
    }

    settings() {
        const { powerUserSettings, extensionSettings } = context();
        return JSON.stringify({
            currentVersion: version(),
            world_info_settings: {
                world_info: { globalSelect: worldInfo.selected_world_info, charLore: worldInfo.world_info.charLore },
            },
            power_user: {
                persona_description_lorebook: powerUserSettings.persona_description_lorebook,
                persona_descriptions: powerUserSettings.persona_descriptions,
            },
            extension_settings: {
                auto_recap_memory: extensionSettings.auto_recap_memory,
                STMemoryBooks: { characterMemoryBookLocks: extensionSettings.STMemoryBooks?.characterMemoryBookLocks },
            },
        });
    }

    characters() {
        return JSON.stringify(context().characters.map(({ avatar }) => folderOf(avatar)));
    }

    groups() {
        return JSON.stringify(context().groups.map(({ id }) => String(id)));
    }

    /** @param {string} folder */
    async card(folder) {
        const character = characterIn(folder);
        if (!character) return null;
        // Of those that SillyTavern has not needed yet it may know the name only.
        const { name, chat, data } = character.shallow
            ? JSON.parse(await read('/api/characters/get', { avatar_url: character.avatar }))
            : character;
        const world = data?.extensions?.world;
        return JSON.stringify({ spec: 'chara_card_v2', name, chat, data: { name, extensions: { world } } });
    }

    /** @param {string} id */
    group(id) {
        const group = groupOf(id);
        return group && JSON.stringify(group, null, 4);
    }

    /**
     * @param {string} name
     * @param {string} text
     */
    async createLorebook(name, text) {
        const names = this.books ? await this.books : worldInfo.world_names;
        if (names.includes(name)) throw new HostError('exists', say('There already is a lorebook of that name.'), `worlds/${name}.json`);
        this.books = null;
        // Of a book that is not there SillyTavern has an empty one in memory.
        this.settled.delete(name);
        await createBook(name, text);
    }

    /**
     * @param {string} placeText
     * @param {string} header
     * @param {string} piecesText
     * @param {Frozen} from
     */
    async createChat(placeText, header, piecesText, from) {
        const lines = JSON.parse(piecesText).flatMap((/** @type {string | [number, number]} */ piece) =>
            typeof piece === 'string' ? [piece] : from.lines.slice(...piece));
        this.chats = null;
        return createChat(JSON.parse(placeText), header, lines);
    }

    /**
     * @param {string} name
     * @param {string} text
     */
    replaceLorebook(name, text) {
        this.settled.delete(name);
        return replaceBook(name, text);
    }

    /**
     * @param {Frozen} frozen
     * @param {string} editsText
     */
    async editChat(frozen, editsText) {
        const edits = JSON.parse(editsText);
        if (frozen.isOpen) await this.refuseIfStale(frozen.place);
        this.chats = null;
        if (!frozen.isOpen && !this.isOpen(frozen.place)) return editStored(frozen, edits, () => this.isOpen(frozen.place));
        if (frozen.isOpen && this.isOpen(frozen.place)) {
            try {
                return await editOpen(frozen, edits);
            } catch (error) {
                this.isUnsure = error instanceof HostError && error.kind === 'lost';
                throw error;
            }
        }
        // Left meanwhile: then it is what the server has. Opened meanwhile: then it is what the page has.
        throw new HostError('changed', say('the chat was opened or left meanwhile'));
    }

    /**
     * @param {string} id
     * @param {string} before
     * @param {string} after
     */
    async replaceGroup(id, before, after) {
        const group = groupOf(id);
        if (!group) throw new HostError('absent', say('The group is gone.'), `groups/${id}.json`);
        become(group, JSON.parse(before), JSON.parse(after));
        try {
            await write('/api/groups/edit', JSON.stringify(group));
        } catch (error) {
            if (!(error instanceof HostError && error.kind === 'lost')) become(group, JSON.parse(after), JSON.parse(before));
            throw error;
        }
    }

    /** @param {string} name */
    async removeLorebook(name) {
        this.books = null;
        await removeBook(name);
    }

    /** @param {string} placeText */
    async removeChat(placeText) {
        this.chats = null;
        await removeChat(JSON.parse(placeText));
    }

    /** @param {string} body */
    send(body) {
        return this.sendRequest?.(body);
    }

    /**
     * @param {string} id
     * @param {string} file
     * @param {Frozen} frozen
     */
    async keepChat(id, file, frozen) {
        // SillyTavern would write it again.
        if (this.isOpen(frozen.place)) throw new HostError('busy', say('The chat is open. Open another one first.'), file);
        await this.keep(id, file, await soundChat(frozen));
    }

    /**
     * @param {string} placeText
     * @param {string} text
     */
    restoreChat(placeText, text) {
        this.chats = null;
        return restoreChat(JSON.parse(placeText), text);
    }

    now() {
        const now = new Date();
        return Float64Array.of(now.getTime(), now.getFullYear(), now.getMonth() + 1, now.getDate(),
            now.getHours(), now.getMinutes(), now.getSeconds(), now.getMilliseconds());
    }

    random() {
        return crypto.getRandomValues(new Uint8Array(16));
    }

    isGenerating() {
        return isGenerating();
    }

    /**
     * @param {string} step
     * @param {number} others how many other chats are read, if that is the step
     */
    progress(step, others) {
        this.onProgress(step, others);
    }
}

/**
 * The page for one operation of the engine, which is there already.
 * @template {PageHost} [T=PageHost]
 * @template {How} [H=How]
 * @param {Place | null} place the open chat that it is about, if it ends when that chat is left
 * @param {H} [how]
 * @param {new (how: Given & H) => T} [Host]
 * @returns {T}
 */
export function hostFor(place, how, Host) {
    const lorefork = engineIfReady();
    if (!lorefork) throw new Error('no operation begins before the engine is there');
    const Kind = Host ?? /** @type {new (how: Given & How) => any} */ (PageHost);
    return new Kind({ .../** @type {H} */ (how ?? {}), fileOf: lorefork.chatFile, origin: place });
}

const switched = () => new HostError('switched', say('The chat was switched or changed meanwhile.'));

/** Shows a lorebook that was made behind SillyTavern's back. */
export async function refreshBooks() {
    await context().updateWorldInfoList();
}

/**
 * Keeps the prompts of the messages for the new timeline too.
 * @param {string} name
 */
export const keepPrompts = (name) => script.saveItemizedPrompts(name);
