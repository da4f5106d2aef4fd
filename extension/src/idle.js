// When the page has nothing else to do.

import { IDLE_AT_LATEST, PROBABLY_IDLE } from './times.js';

/** @returns {Promise<void>} */
export const idle = () => new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: IDLE_AT_LATEST });
    else setTimeout(resolve, PROBABLY_IDLE);
});
