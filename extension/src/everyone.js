// The page for those who must know of everybody: an orphan is one only if nobody names it.

import { PageHost } from './host.js';
import { firstLine, listEverybody } from './listing.js';
import { read } from './requests.js';

export class EveryoneHost extends PageHost {
    /** @param {ConstructorParameters<typeof PageHost>[0]} how */
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

async function everyone() {
    const headers = [];
    for (const { chat, header } of await listEverybody()) {
        // One whose first line SillyTavern cannot read may name a lorebook all the same.
        headers.push({ chat, header: header ?? (await firstLine(chat)) ?? '' });
    }
    return { names: headers.map(({ chat }) => chat.name), headers, counts: new Map(), own: [] };
}
