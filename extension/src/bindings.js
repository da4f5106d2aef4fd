// Lorebooks that MemoryBooks binds to a chat besides its own.

import { engine } from './engine.js';
import { hostFor } from './host.js';
import { preferences } from './preferences.js';
import { OTHER_OPERATION } from './times.js';

const OTHER_BOOKS = 'OTHER_BOOKS_SHARED';

/**
 * The new timeline gets its own of those, too.
 * @param {{ warnings: { code: string }[] }} created
 * @param {import('../types/lorefork').Place} place
 */
export async function copyBound(created, place) {
    // Said by the engine only if there are any.
    if (!created.warnings.some(({ code }) => code === OTHER_BOOKS)) return;
    const { copyBound } = await engine();
    const copied = await copyBound(hostFor(null, { patience: OTHER_OPERATION }), JSON.stringify(place), JSON.stringify(preferences().shared));
    if (copied.error || copied.books.length === 0) return;
    created.warnings = created.warnings.filter(({ code }) => code !== OTHER_BOOKS);
}
