// Message buttons say whether it can be forked there: by a sign and in words, not by colour alone.
//
// Judged by the engine from what the page has in memory, when the chat, its lorebook or its recap change. A new
// message is like the one before it, so it is not judged anew for each.

import { debounced } from './debounce.js';
import { engine } from './engine.js';
import { MemoryHost } from './glance.js';
import { hostFor } from './host.js';
import { idle } from './idle.js';
import { forkPreferences, isOff, preferences } from './preferences.js';
import { onSave } from './saves.js';
import { context, keyOf, openPlace } from './tavern.js';
import { BUTTONS } from './times.js';
import { traces } from './traces.js';
import { said, say } from './words.js';

/**
 * @typedef {import('../types/lorefork').Span} Span
 * @typedef {import('./traces.js').Traces} Traces
 */

const MARKED = /** @type {const} */ ([['.mes_create_bookmark', 'Create checkpoint'], ['.mes_create_branch', 'Create branch']]);

/** How ready the messages of the open chat are, and what that was told from. @type {{ key: string, spans: Span[], from: Traces } | null} */
let judged = null;

/** The settings that they were judged with. */
let judgedWith = '';

/** The open chat was saved. New messages are no reason to judge the others anew. */
function savedOpen() {
    if (!judged) return;
    const { first, carried } = judged.from;
    if (JSON.stringify(traces(first, first + carried.length)) !== JSON.stringify(judged.from)) judgeAgain();
}

/** Something changed that SillyTavern does not tell of. */
export const judgeAgain = () => void judge().catch((error) => console.debug('Lorefork: readiness is not known:', error));

export function watchReadiness() {
    const { eventSource, eventTypes } = context();
    const again = judgeAgain;
    const { CHAT_CHANGED, WORLDINFO_UPDATED, WORLDINFO_SETTINGS_UPDATED, MESSAGE_EDITED, MESSAGE_SWIPED, MESSAGE_DELETED, SETTINGS_UPDATED } = eventTypes;
    for (const event of [CHAT_CHANGED, WORLDINFO_SETTINGS_UPDATED, MESSAGE_EDITED, MESSAGE_SWIPED, MESSAGE_DELETED]) eventSource.on(event, again);
    // Told whenever SillyTavern saves any setting.
    eventSource.on(SETTINGS_UPDATED, () => judgedWith !== JSON.stringify(preferences()) && again());
    eventSource.on(WORLDINFO_UPDATED, (/** @type {string} */ name) => name === context().chatMetadata?.world_info && again());
    for (const event of [eventTypes.USER_MESSAGE_RENDERED, eventTypes.CHARACTER_MESSAGE_RENDERED]) {
        eventSource.on(event, (/** @type {number} */ index) => show(`#chat .mes[mesid="${index}"]`));
    }
    eventSource.on(eventTypes.MORE_MESSAGES_LOADED, again);
    onSave(savedOpen);
    again();
}

/** The messages before it are not on the page, so they are not judged: there can be thousands. */
const firstShown = () => Number(document.querySelector('#chat .mes')?.getAttribute('mesid') ?? 0);

const judge = debounced(BUTTONS, async () => {
    const place = openPlace();
    judged = null;
    judgedWith = JSON.stringify(preferences());
    if (!place || context().chat.length === 0 || !preferences().buttons || isOff()) return show('#chat .mes');
    await idle();
    const lorefork = await engine();
    if (!MemoryHost.isReady()) return;
    const request = JSON.stringify({ kind: 'branch', chat: place, ...forkPreferences() });
    const from = traces(firstShown());
    const spans = await lorefork.readiness(hostFor(null, {}, MemoryHost), request, from.first);
    if (!Array.isArray(spans) || keyOf(openPlace() ?? place) !== keyOf(place)) return;
    judged = { key: keyOf(place), spans, from };
    show('#chat .mes');
});

/**
 * Shows what is known on the buttons of some messages.
 * @param {string} selector
 */
function show(selector) {
    const place = openPlace();
    const spans = place && judged?.key === keyOf(place) ? judged.spans : [];
    /** A span's words are found once: it is shown on many buttons. @type {Map<Span, string[]>} */
    const words = new Map();
    for (const message of document.querySelectorAll(selector)) {
        const at = Number(message.getAttribute('mesid'));
        const span = spans.find(({ to }) => at <= to) ?? spans.at(-1);
        if (span && !words.has(span)) words.set(span, MARKED.map(([, title]) => wordsOf(span, say(title))));
        for (const [index, [name]] of MARKED.entries()) {
            const button = message.querySelector(name);
            if (button instanceof HTMLElement) mark(button, span && { state: span.state, title: words.get(span)?.[index] ?? '' });
        }
    }
}

/**
 * @param {Span} span
 * @param {string} title
 */
const wordsOf = ({ state, why }, title) => ({
    ready: () => say('{0} (ready ✓)', title),
    warned: () => say('{0} (ready, but: {1})', title, said(why)),
    blocked: () => say('{0} (blocked: {1})', title, said(why)),
})[state]();

/**
 * @param {HTMLElement} button
 * @param {{ state: Span['state'], title: string } | undefined} known
 */
function mark(button, known) {
    // SillyTavern's own words stand there as long as nothing is known.
    button.dataset.loreforkTitle ??= button.title;
    if (!known) {
        delete button.dataset.lorefork;
        button.title = button.dataset.loreforkTitle;
        return;
    }
    button.dataset.lorefork = known.state;
    button.title = known.title;
    button.setAttribute('aria-label', known.title);
}
