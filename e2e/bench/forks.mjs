// A fork of ours, and the way of a request or two per entry.

/**
 * What SillyTavern may still be at when the fork begins: it counts the tokens of each message of a chat that was
 * opened, and saves settings a second after they changed. A fork does neither before its release.
 */
const OWN = /^\/api\/(tokenizers\/|settings\/save$)/;

/**
 * Makes a checkpoint of the last message. `listen`: counts its requests, up to the release of its claim.
 */
export async function forkBy(tab, { listen }) {
    let released = null;
    const all = listen ? await tab.listen() : [];
    if (listen) {
        await tab.send('Runtime.addBinding', { name: 'forkReleased' });
        tab.on('Runtime.bindingCalled', () => (released ??= all.length));
        await tab.send('Runtime.enable');
        await tab.run(() => {
            const request = navigator.locks.request.bind(navigator.locks);
            navigator.locks.request = (name, options, act) => request(name, options, async (lock) => {
                try {
                    return await act(lock);
                } finally {
                    if (lock && name.startsWith('lorefork')) globalThis.forkReleased('');
                }
            });
        });
    }
    const time = await tab.run(async () => {
        toastr.remove();
        const { executeSlashCommandsWithOptions, chat } = SillyTavern.getContext();
        const start = performance.now();
        const { pipe } = await executeSlashCommandsWithOptions(`/checkpoint-create mesId=${chat.length - 1}`);
        const time = performance.now() - start;
        if (!pipe) throw new Error(`no checkpoint was made: ${document.body.querySelector('dialog[open]')?.innerText ?? ''}`);
        return time;
    });
    if (!listen) return { time };
    if (released === null) throw new Error('the fork never released its claim');
    const until = all.slice(0, released).filter(({ path }) => !OWN.test(path));
    await Promise.all(until.map(({ later }) => later));
    const sent = until.reduce((sum, { body }) => sum + Buffer.byteLength(body ?? ''), 0);
    return { requests: until.length, sent, paths: until.map(({ method, path }) => `${method} ${path}`) };
}

/**
 * Copies a lorebook entry by entry: for each one the copy is read, and written back whole with that entry added.
 */
export const rival = (tab, book, copy) => tab.run(async (book, copy) => {
    const { getRequestHeaders } = SillyTavern.getContext();
    let requests = 0;
    let sent = 0;
    const post = async (path, body) => {
        requests += 1;
        sent += body.length;
        const response = await fetch(path, { method: 'POST', headers: getRequestHeaders(), body, cache: 'no-cache' });
        if (!response.ok) throw new Error(`${path}: ${response.status}`);
        return response.json();
    };
    const get = (name) => post('/api/worldinfo/get', JSON.stringify({ name }));
    const edit = (name, data) => post('/api/worldinfo/edit', JSON.stringify({ name, data }));
    const start = performance.now();
    const { entries } = await get(book);
    await edit(copy, { entries: {} });
    for (const [uid, entry] of Object.entries(entries)) {
        const data = await get(copy);
        data.entries[uid] = entry;
        await edit(copy, data);
    }
    return { time: performance.now() - start, requests, sent };
}, book, copy);
