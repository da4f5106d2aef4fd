// A story that went in several directions, and its tree in the page.

import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import { BOOK, editBook, STORY, storyFile } from './sample.mjs';
import { alone } from './tangled.mjs';

export const ROW = '.lorefork-story [role="treeitem"]';
/** As long as a chat's name may be. */
export const LONG = `枝 & 長い名前 ${'長'.repeat(60)}`;

/** A timeline of the story with a record and a lorebook of its own, made on disk. */
export function timeline(user, name, { from = STORY, at, own = 0, kind = 'branch', label, more = {}, says = ['A quiet step.'], ends = 'And nobody ever spoke of it again.' }) {
    const [header, ...all] = fs.readFileSync(storyFile(user, from), 'utf8').split('\n').map((line) => JSON.parse(line));
    const slug = crypto.randomUUID();
    const parent = header.chat_metadata;
    const book = `Lore of ${name}`;
    fs.copyFileSync(path.join(user, 'worlds', `${BOOK}.json`), path.join(user, 'worlds', `${book}.json`));
    const messages = all.slice(0, at + 1);
    for (let n = 0; n < own; n++) {
        messages.push({ name: n % 2 ? 'Tamsin' : 'You', is_user: n % 2 === 0, is_system: false, send_date: `2026-05-01T10:00:${String(n).padStart(2, '0')}.${crypto.randomInt(100, 999)}Z`, mes: says[n] ?? (n === own - 1 ? ends : `And then, ${n}.`), extra: {} });
    }
    const record = {
        v: 1, id: crypto.randomUUID(), kind, chat: name, slug, parent: { chat: from, slug: parent.integrity, id: null }, at,
        lorebook: book, base: null, lore: { source: 'live', quality: 'exact', from: BOOK, of: null, hash: null }, ...(label ? { label } : {}), ...more,
    };
    const metadata = { ...parent, main_chat: from, world_info: book, integrity: slug, lorefork: record };
    fs.writeFileSync(storyFile(user, name), [{ ...header, chat_metadata: metadata }, ...messages].map((line) => JSON.stringify(line)).join('\n'));
}

/** A story that went in several directions. */
export function family(user) {
    timeline(user, 'Checkpoint - the storm', { at: 28, kind: 'checkpoint' });
    timeline(user, 'Branch - she stays', { at: 28, own: 9, says: ['*Tamsin stays in the lighthouse.* "Somebody has to."'], ends: 'The light goes round, and she with it, for eleven winters.' });
    timeline(user, 'Branch - she stays, and sleeps', { from: 'Branch - she stays', at: 33, own: 4, says: ['She falls asleep beside the lamp.'], ends: 'In the morning there is a ship on the reef.', more: { canon: true } });
    timeline(user, 'Branch - the boat', { at: 41, own: 12, label: 'Out to sea', says: ['They take the boat.', '*She does not look back until the tower is a match with its head still lit.*'], more: { colour: '#5b86d6', note: 'For the finale.' } });
    timeline(user, 'Branch - a dead end', { at: 13, own: 2, more: { archived: true } });
    alone(user, 'Old branch', 54);
    editBook(user, 'Lore of Branch - the boat', (book) => {
        const [first, second] = Object.values(book.entries).filter(({ comment }) => !comment.startsWith('_'));
        first.content += ' Whoever knows her knows that she can sail.';
        delete book.entries[Object.keys(book.entries).find((key) => book.entries[key] === second)];
        book.entries[900] = { ...structuredClone(second), uid: 900, comment: 'item-The boat', key: ['boat'], content: 'A small boat with a red sail.' };
    });
}

export async function openTree(page) {
    await page.run(() => void SillyTavern.getContext().executeSlashCommandsWithOptions('/lorefork-tree'));
    await page.tab.locator(ROW).first().waitFor();
    await page.gateway.quiet();
}

export const names = (page) => page.run(() => [...document.querySelectorAll('.lorefork-story [role="treeitem"]')].map((row) => row.dataset.chat));
export const row = (page, chat) => page.tab.locator(`${ROW}[data-chat="${chat}"]:not([data-stands="start"], [data-stands="fork"])`);
export const act = (page, name) => page.tab.locator(`.lorefork-story-acts [data-act="${name}"]`).click();

/** Opens the details of a row, and waits until it was read. */
export async function openRow(page, chat) {
    await row(page, chat).locator('.lorefork-story-line').click();
    await row(page, chat).locator('.lorefork-story-details').waitFor();
    await page.gateway.quiet();
}
