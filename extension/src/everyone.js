// The page for those who must know of everybody: an orphan is one only if nobody names it.

import { rawChat } from './chats.js';
import { headerText } from './frozen.js';
import { PageHost } from './host.js';
import { LONG, read } from './requests.js';
import { folderOf } from './tavern.js';

/** @typedef {import('../types/lorefork').Place} Place */

export class EveryoneHost extends PageHost {
    /** @param {{ fileOf: (name: string) => string, patience?: number }} how */
    constructor(how) {
        super(how);
        // Whoever it is, all are looked at; also if no chat is open.
        this.owner = { character: '' };
    }

    list() {
        this.chats ??= everyone();
        return this.chats;
    }

    /** Only books of ours are asked for: the list says which those are. */
    async lorebookNames() {
        const books = JSON.parse(await read('/api/worldinfo/list', {}));
        const ours = books.filter((/** @type {any} */ { extensions }) => extensions?.lorefork);
        return JSON.stringify(ours.map((/** @type {{ file_id: string }} */ { file_id }) => file_id));
    }
}

/** All chats of all characters and groups. The server reads each of them from beginning to end. */
async function everyone() {
    const all = JSON.parse(await read('/api/chats/recent', { max: Number.MAX_SAFE_INTEGER, pinned: [], metadata: true }, LONG));
    const headers = [];
    for (const info of all) {
        const name = info.file_name.replace(/\.jsonl$/, '');
        const owner = info.group ? { group: String(info.group) } : info.avatar ? { character: folderOf(info.avatar) } : null;
        if (!owner) continue;
        // One whose first line SillyTavern cannot read may name a lorebook all the same.
        const header = info.chat_metadata ? headerText(info.chat_metadata) : ((await rawChat({ owner, name })).split('\n')[0] ?? '');
        headers.push({ chat: { owner, name }, header });
    }
    return { names: headers.map(({ chat }) => chat.name), headers };
}
