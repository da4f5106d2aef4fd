// The engine: loaded when it is first needed, or when the page has nothing else to do.

import { readRecordsBy } from './api.js';
import { plainFetch } from './requests.js';

/** @typedef {import('../types/lorefork').Engine} Engine */

const NAME = 'lorefork_web';

/** The engine if it is there. @type {Engine | null} */
let ready = null;
/** @type {Promise<Engine> | null} */
let loaded = null;

/** @returns {Promise<Engine>} */
export function engine() {
    loaded ??= load().then(offer).catch((error) => {
        // The next attempt may do better: a server that was away, an update that was under way.
        loaded = null;
        throw error;
    });
    return loaded;
}

export const engineIfReady = () => ready;

/**
 * @param {any} glue
 * @returns {Engine}
 */
function offer(glue) {
    const answering = guarded(glue);
    ready = {
        version: () => glue.version(),
        chatFile: (name) => glue.chatFile(name),
        told: (metadata, chat) => JSON.parse(glue.told(metadata, chat)),
        keptSettings: (settings, chat) => JSON.parse(glue.keptSettings(settings, chat)),
        whereAmI: (metadata, chat) => JSON.parse(glue.whereAmI(metadata, chat)),
        storyKeys: () => JSON.parse(glue.storyKeys()),
        newName: (name, taken) => JSON.parse(glue.newName(name, taken)),
        // Making timelines, catching those of others, healing.
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
        // Looking for problems, repairing, taking back.
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
        undecided: answering('undecided'),
        decide: answering('decide'),
        follow: answering('follow'),
        keepCopy: answering('keepCopy'),
        copyBound: answering('copyBound'),
        lostLorebook: answering('lostLorebook'),
        replaceLost: answering('replaceLost'),
        orphans: answering('orphans'),
        sweepOrphans: answering('sweepOrphans'),
        // The story tree.
        storyTree: answering('storyTree'),
        storyLook: answering('storyLook'),
        compareTimelines: answering('compareTimelines'),
        planCarry: answering('planCarry'),
        carry: answering('carry'),
        label: answering('label'),
    };
    readRecordsBy(ready.told);
    return ready;
}

async function load() {
    const glue = await import(new URL(`../engine/${NAME}.js`, import.meta.url).href);
    const url = new URL(`../engine/${NAME}_bg.wasm`, import.meta.url);
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
