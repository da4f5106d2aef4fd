// Settings that Auto-Recap keeps by the name of the chat: a new timeline gets its parent's (N-7).

import { context } from './tavern.js';

/**
 * @param {import('../types/lorefork').Engine} lorefork
 * @param {string} from
 * @param {string} to
 */
export function copyChatSettings(lorefork, from, to) {
    const { extensionSettings, saveSettingsDebounced } = context();
    const settings = extensionSettings.auto_recap_memory;
    if (!settings) return;
    const keys = lorefork.keptSettings(JSON.stringify({ extension_settings: { auto_recap_memory: settings } }), from);
    for (const key of keys) settings[key][to] ??= structuredClone(settings[key][from]);
    if (keys.length) saveSettingsDebounced();
}
