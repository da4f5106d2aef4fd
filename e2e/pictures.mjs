// How the extension looks: each thing it shows, in a dark and a light theme, on a desktop and on a phone.
//
// Pictures are kept only when asked for (`cargo xtask pictures`); what a user would trip over is always checked.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

/** Where all pictures go, and where those of the documentation. */
const ALL = process.env.LOREFORK_PICTURES;
const DOCS = process.env.LOREFORK_DOCS_PICTURES;

const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
/** The page's own comes last, so that it is left with it. */
const OWN = 'Dark Lite';
const THEMES = ['Light', OWN];

/** SillyTavern comes with dark themes only; this is what a light one of a user looks like. */
const LIGHT = {
    name: 'Light', blur_strength: 0, main_text_color: 'rgba(40, 40, 40, 1)', italics_text_color: 'rgba(95, 95, 95, 1)',
    underline_text_color: 'rgba(30, 100, 80, 1)', quote_text_color: 'rgba(160, 80, 20, 1)', blur_tint_color: 'rgba(250, 249, 246, 1)',
    chat_tint_color: 'rgba(250, 249, 246, 1)', user_mes_blur_tint_color: 'rgba(235, 235, 232, 1)', bot_mes_blur_tint_color: 'rgba(245, 245, 243, 1)',
    shadow_color: 'rgba(0, 0, 0, 0.15)', shadow_width: 1, border_color: 'rgba(0, 0, 0, 0.25)', font_scale: 1, fast_ui_mode: true, noShadows: true, chat_width: 50,
};

/** @param {string} user */
export function addLightTheme(user) {
    fs.mkdirSync(path.join(user, 'themes'), { recursive: true });
    fs.writeFileSync(path.join(user, 'themes/Light.json'), JSON.stringify(LIGHT));
}

/** Puts on the theme that the page is left with, before it is remembered how it was found. */
export async function openInOwnTheme(page) {
    await page.openSolo();
    await page.command(`/theme ${OWN}`);
}

/**
 * Looks at what is shown, in all themes and sizes.
 * @param {any} page
 * @param {string} name of the picture
 * @param {{ docs?: string, everywhere?: boolean, shown?: string, tall?: number }} [options] `docs`: what of the page the documentation shows;
 *   `everywhere`: also in the light theme and on a phone; `shown`: what is looked at, if it is no popup or notice; `tall`: so
 *   much more of the desktop is seen
 */
export async function look(page, name, { docs, everywhere = false, shown, tall = 0 } = {}) {
    for (const theme of THEMES) {
        await page.command(`/theme ${theme}`);
        for (const [size, viewport] of Object.entries(SIZES)) {
            await page.tab.setViewportSize(size === 'desktop' ? { ...viewport, height: viewport.height + tall } : viewport);
            await page.tab.mouse.move(0, 0);
            await page.run(async () => {
                const isStill = () => !document.querySelector('dialog[opening], dialog[closing]')
                    && [...document.querySelectorAll('#toast-container .toast')].every((toast) => Number(getComputedStyle(toast).opacity) > 0.7);
                const frame = () => new Promise(requestAnimationFrame);
                await frame();
                for (const end = Date.now() + 2000; !isStill() && Date.now() < end;) await frame();
                await frame();
            });
            const where = `${name}, ${theme}, ${size}`;
            if (shown) await page.run((shown) => document.querySelector(shown).scrollIntoView({ block: 'start' }), shown);
            if (ALL) await page.tab.screenshot({ path: path.join(ALL, `${name}-${theme === 'Light' ? 'light' : 'dark'}-${size}.png`) });
            const end = `${theme === 'Light' ? '-light' : ''}${size === 'phone' ? '-phone' : ''}`;
            const isInDocs = end === '' || (everywhere && end !== '-light-phone');
            if (DOCS && docs && isInDocs) await crop(page, docs, path.join(DOCS, `${name}${end}.png`));
            assert.deepEqual(await page.run(flaws, { size, shown }), [], where);
        }
    }
    await page.tab.setViewportSize({ width: 1280, height: 900 });
}

/** What is shown, with a little of what is around it. */
async function crop(page, selector, file) {
    const box = await page.tab.locator(selector).last().boundingBox();
    const margin = 24;
    const clip = { x: Math.max(0, box.x - margin), y: Math.max(0, box.y - margin), width: box.width + 2 * margin, height: box.height + 2 * margin };
    const { width, height } = page.tab.viewportSize();
    clip.width = Math.min(clip.width, width - clip.x);
    clip.height = Math.min(clip.height, height - clip.y);
    await page.tab.screenshot({ path: file, clip });
}

/** Runs in the page. @param {{ size: string, shown?: string }} what */
function flaws({ size, shown: selector = 'dialog.popup[open], #toast-container .toast, #extensionsMenu, #lorefork_settings .inline-drawer' }) {
    const found = [];
    const shown = [...document.querySelectorAll(selector)].filter((box) => box.checkVisibility());
    if (shown.length === 0) found.push('nothing is shown');
    for (const box of shown) {
        const { left, right, top, bottom } = box.getBoundingClientRect();
        if (left < 0 || right > innerWidth + 1) found.push(`wider than the screen: ${box.innerText.slice(0, 80)}`);
        if (box.matches('dialog') && (top < 0 || bottom > innerHeight + 1)) found.push(`higher than the screen: ${box.innerText.slice(0, 80)}`);
        for (const part of box.querySelectorAll('.popup-content, .popup-content *, .lorefork-notice, .lorefork-notice *, .lorefork-drawer *')) {
            if (part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).display !== 'inline' && !part.matches('input, textarea')
                && getComputedStyle(part).textOverflow !== 'ellipsis') {
                found.push(`cut off: ${part.textContent.slice(0, 80)}`);
            }
        }
        const buttons = [...box.querySelectorAll('.popup-controls .menu_button')].filter((button) => button.offsetParent);
        for (const button of buttons) {
            const { paddingTop, paddingBottom, fontSize } = getComputedStyle(button);
            const lines = (button.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom)) / (parseFloat(fontSize) * 1.6);
            if (lines > 1.5) found.push(`a button of several lines: ${button.innerText}`);
        }
        const rows = new Set(buttons.map((button) => Math.round(button.getBoundingClientRect().top)));
        if (size === 'desktop' && rows.size > 1 && rows.size < buttons.length) found.push('buttons neither in a row nor in a column');
    }
    return found;
}
