// How the open family is, at a glance: an icon, and what it means in words.

import { onHealth } from '../health.js';
import { say } from '../words.js';
import { draw } from './draw.js';
import { showFindings } from './findings.js';

/** @typedef {import('../health.js').Health} Health */

const ICONS = {
    unknown: 'fa-heart-pulse',
    looking: 'fa-hourglass-half',
    large: 'fa-heart-pulse',
    well: 'fa-circle-check',
    problems: 'fa-triangle-exclamation',
    failed: 'fa-circle-question',
};

/** @param {Health} health */
export function inWords(health) {
    switch (health.state) {
        case 'looking': return say('Looking at the timelines of this chat…');
        case 'large': return say('These timelines are large, so they are looked at when you ask. Click to look.');
        case 'well': return health.timelines === 1 ? say('This chat is well.') : say('All {0} timelines of this chat are well.', health.timelines);
        case 'problems': return health.problems.length === 1 ? say('One problem was found. Click to see it.') : say('{0} problems were found. Click to see them.', health.problems.length);
        case 'failed': return say('The timelines of this chat could not be looked at: {0}', health.why);
        default: return say('The timelines of this chat were not looked at yet. Click to look.');
    }
}

/**
 * An icon that opens the findings.
 * @param {string} className
 */
export function badge(className) {
    const number = draw('span', 'lorefork-badge-number');
    const sign = draw('i', '');
    const element = draw('div', `lorefork-badge interactable ${className}`, sign, number);
    element.setAttribute('role', 'button');
    element.tabIndex = 0;
    element.addEventListener('click', (event) => {
        // It stands in the head of a drawer, which would open.
        event.stopPropagation();
        void showFindings();
    });
    onHealth((health) => wear(element, sign, number, health));
    return element;
}

/**
 * @param {HTMLElement} element
 * @param {HTMLElement} sign
 * @param {HTMLElement} number
 * @param {Health} health
 */
function wear(element, sign, number, health) {
    element.dataset.state = health.state;
    element.title = inWords(health);
    element.setAttribute('aria-label', element.title);
    sign.className = `fa-solid fa-fw ${ICONS[health.state]}`;
    number.textContent = health.state === 'problems' ? String(health.problems.length) : '';
}
