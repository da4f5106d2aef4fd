// Lorebooks that MemoryBooks binds to a chat besides its own.

import { engine } from './engine.js';
import { PageHost } from './host.js';
import { preferences } from './preferences.js';

const OTHER_BOOKS = 'OTHER_BOOKS_SHARED';
const PATIENCE = 5000;

/**
 * The new timeline gets its own of those, too.
 * @param {{ warnings: { code: string }[] }} created
 * @param {import('../types/lorefork').Place} place
 */
export async function copyBound(created, place) {
    // Said by the engine only if there are any.
    if (!created.warnings.some(({ code }) => code === OTHER_BOOKS)) return;
    const { copyBound, chatFile } = await engine();
    const copied = await copyBound(new PageHost({ fileOf: chatFile, patience: PATIENCE }), JSON.stringify(place), JSON.stringify(preferences().shared));
    if (copied.error || copied.books.length === 0) return;
    created.warnings = created.warnings.filter(({ code }) => code !== OTHER_BOOKS);
}
