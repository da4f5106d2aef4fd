// Drawing. Texts from files come in as text, never as HTML.

import { say } from '../words.js';

/**
 * @param {string} tag
 * @param {string} className
 * @param {(Node | string | null)[]} children
 */
export function draw(tag, className, ...children) {
    const element = document.createElement(tag);
    element.className = className;
    element.append(...children.filter((child) => child !== null));
    return element;
}

/** @param {string} name a Font Awesome icon */
export const icon = (name) => draw('i', `fa-solid fa-fw ${name}`);

/**
 * A sentence behind an icon.
 * @param {string} sign a Font Awesome icon
 * @param {string} words
 */
export const point = (sign, words) => draw('div', 'lorefork-point', icon(sign), draw('span', '', words));

/**
 * @param {string} name a Font Awesome icon
 * @param {string} words
 * @param {() => void} act
 */
export function button(name, words, act) {
    // SillyTavern makes it a stop of the Tab key, and Enter a click; a real button would be clicked twice.
    const element = draw('div', 'menu_button menu_button_icon', icon(name), draw('span', '', words));
    element.setAttribute('role', 'button');
    element.addEventListener('click', act);
    return element;
}

/** @param {'checkpoint' | 'branch'} kind */
export const title = (kind) => (kind === 'branch' ? say('Create Branch') : say('Create Checkpoint'));
