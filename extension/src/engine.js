// The engine, in two parts. Each is loaded when it is first needed; the first also when the page has nothing else to do.

import { plainFetch } from './requests.js';

/**
 * @typedef {import('../types/lorefork').Engine} Engine
 * @typedef {import('../types/lorefork').Care} Care
 */

/** The engine if it is there. @type {Engine | null} */
let ready = null;

/** Making timelines, catching those of others, healing. */
export const engine = loader('lorefork_web', async (glue, answering) => {
    /** @type {Engine} */
    const lorefork = {
        version: () => glue.version(),
        chatFile: (name) => glue.chatFile(name),
        create: answering('create'),
        assess: answering('assess'),
        suggest: answering('suggest'),
        isolate: answering('isolate'),
        status: answering('status'),
        verify: answering('verify'),
        recover: answering('recover'),
        intercept: answering('intercept'),
        opened: answering('opened'),
        readiness: answering('readiness'),
        keptSettings: (settings, chat) => JSON.parse(glue.keptSettings(settings, chat)),
    };
    return (ready = lorefork);
});

export const engineIfReady = () => ready;

/** Looking for problems, repairing, taking back: nobody's start pays for it. */
export const care = loader('lorefork_care', async (_, answering) => {
    /** @type {Care} */
    const lorefork = {
        check: answering('check'),
        planFix: answering('planFix'),
        fix: answering('fix'),
        log: answering('log'),
        planUndo: answering('planUndo'),
        undo: answering('undo'),
        saveBeside: answering('saveBeside'),
        planRewind: answering('planRewind'),
        rewind: answering('rewind'),
        planDeletion: answering('planDeletion'),
        remove: answering('remove'),
        follow: answering('follow'),
        keepCopy: answering('keepCopy'),
        copyBound: answering('copyBound'),
        lostLorebook: answering('lostLorebook'),
        replaceLost: answering('replaceLost'),
        orphans: answering('orphans'),
        sweepOrphans: answering('sweepOrphans'),
    };
    return lorefork;
});

/**
 * @template T
 * @param {string} name
 * @param {(glue: any, answering: (name: string) => (...args: any[]) => Promise<any>) => Promise<T>} offer
 * @returns {() => Promise<T>}
 */
function loader(name, offer) {
    /** @type {Promise<T> | null} */
    let loaded = null;
    return () => {
        loaded ??= load(name).then((glue) => offer(glue, guarded(glue))).catch((error) => {
            // The next attempt may do better: a server that was away, an update that was under way.
            loaded = null;
            throw error;
        });
        return loaded;
    };
}

/** @param {string} name */
async function load(name) {
    const glue = await import(new URL(`../engine/${name}.js`, import.meta.url).href);
    const url = new URL(`../engine/${name}_bg.wasm`, import.meta.url);
    try {
        await glue.default({ module_or_path: plainFetch(url) });
    } catch {
        // A server that names the wrong type, or a browser that cannot compile while loading.
        const response = await plainFetch(url, { cache: 'no-cache' });
        if (!response.ok) throw new Error(`the server answers ${response.status} for ${url.pathname}`);
        await glue.default({ module_or_path: await response.arrayBuffer() });
    }
    return glue;
}

/**
 * Functions of a module, with their answers parsed. Should it ever stop dead, its promises would stay open for good.
 * @param {any} glue
 */
function guarded(glue) {
    /** @type {(reason: Error) => void} */
    let stop = () => {};
    const stopped = new Promise((_, reject) => (stop = reject));
    stopped.catch(() => {});
    const watch = (/** @type {{ reason?: unknown, error?: unknown }} */ event) => {
        const reason = event.reason ?? event.error;
        if (reason instanceof WebAssembly.RuntimeError) stop(new Error(`Lorefork stopped working (${reason.message}); reload the page`));
    };
    addEventListener('unhandledrejection', watch);
    addEventListener('error', watch);
    return (/** @type {string} */ name) => async (/** @type {any[]} */ ...args) => {
        const answer = await Promise.race([glue[name](...args), stopped]);
        return answer === undefined ? null : JSON.parse(answer);
    };
}
