// Where am I: a small sign at the head of the chat. It is told from the chat's own header, so nobody is asked.

import { onChanges } from '../changing.js';
import { engineIfReady, engine } from '../engine.js';
import { onHealth } from '../health.js';
import { idle } from '../idle.js';
import { isOff, preferences } from '../preferences.js';
import { context, openPlace } from '../tavern.js';
import { say } from '../words.js';
import { inWords } from './badge.js';
import { draw, icon } from './draw.js';
import { showStory } from './story-tree.js';

const SIGNS = { main: 'fa-book-open', checkpoint: 'fa-flag', branch: 'fa-code-branch' };

/** @type {HTMLElement | null} */
let sign = null;
/** @type {import('../health.js').Health} */
let health = { state: 'unknown' };

export function watchSign() {
    const { eventSource, eventTypes } = context();
    eventSource.on(eventTypes.CHAT_CHANGED, () => void fillSign());
    onChanges((isUnderWay) => !isUnderWay && void fillSign());
    onHealth((found) => {
        health = found;
        if (sign?.isConnected) wear();
        else if (found.state === 'problems') void fillSign();
    });
    void fillSign();
}

/** Says where the open chat stands, or nothing. */
export async function fillSign() {
    const place = openPlace();
    if (!place || !preferences().sign || isOff()) return void sign?.remove();
    if (!engineIfReady()) {
        await idle();
        await engine();
        if (openPlace()?.name !== place.name) return;
    }
    const found = engineIfReady()?.whereAmI(JSON.stringify(context().chatMetadata ?? {}), place.name);
    if (!found) return void sign?.remove();
    const { label, kind, parent, at } = found;
    // A chat alone that is well has nothing to say.
    const isAlone = kind === 'main' && !label && !isFamily();
    if (isAlone && health.state !== 'problems') return void sign?.remove();
    // Some name themselves.
    const from = parent === null || parent === place.name ? null : at === null ? say('from “{0}”', parent) : say('from “{0}”, at {1}', parent, at);
    const name = label ?? (kind === 'main' ? say('main chat') : place.name);
    sign?.remove();
    sign = draw('div', 'lorefork-where-am-i interactable',
        icon(SIGNS[kind]), draw('b', '', name), from ? draw('span', '', from) : null, draw('i', 'lorefork-health'));
    if (found.colour) sign.style.setProperty('--lorefork-colour', found.colour);
    sign.setAttribute('role', 'button');
    sign.tabIndex = 0;
    sign.addEventListener('click', () => void showStory());
    const chat = document.getElementById('chat');
    chat?.before(sign);
    wear();
}

/** Whether messages of the open chat lead to other timelines. */
function isFamily() {
    const { chat } = context();
    return chat.some(({ extra }) => extra?.bookmark_link || extra?.branches?.length);
}

/** A dot, if the family is not well. */
function wear() {
    if (!sign) return;
    const isWell = health.state !== 'problems';
    sign.dataset.health = isWell ? '' : 'problems';
    const words = [sign.querySelector('b')?.textContent ?? '', sign.querySelector('span')?.textContent ?? '', isWell ? '' : inWords(health)];
    sign.title = [...words.filter(Boolean), say('Click to see the story tree.')].join('\n');
    sign.setAttribute('aria-label', words.filter(Boolean).join(', '));
}
