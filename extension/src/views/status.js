// The status of the open timeline, for people to read.

import { engine } from '../engine.js';
import { GlanceHost } from '../glance.js';
import { hostFor } from '../host.js';
import { decideOpen, deleteOpen, rewindOpen } from '../mending.js';
import { isolateOpen, lookAtOpen } from '../opened.js';
import { context, openPlace } from '../tavern.js';
import { said, say, told } from '../words.js';
import { draw, icon } from './draw.js';
import { showFindings } from './findings.js';
import { openWords, sentence } from './greeting.js';
import { askForMessage } from './name.js';

/** @typedef {import('../../types/lorefork').Opened} Opened */

/** What else can be done with a timeline. */
const ISOLATE = 1001;
const CHECK = 1002;
const REWIND = 1003;
const DELETE = 1004;
const DECIDE = 1005;
const LEVELS = { info: 'fa-circle-info', warning: 'fa-triangle-exclamation', error: 'fa-circle-xmark' };

export async function showStatus() {
    const { Popup, POPUP_TYPE } = context();
    if (!openPlace()) {
        toastr.info(say('No chat is open.'), 'Lorefork');
        return;
    }
    let opened;
    try {
        opened = await lookAtOpen();
    } catch (error) {
        toastr.error(told(error), 'Lorefork');
        return;
    }
    if (!opened) return;
    const isShared = opened.sharedWith.length > 0;
    const result = await new Popup(contentOf(opened), POPUP_TYPE.TEXT, '', {
        okButton: say('Close'),
        customButtons: [
            ...(isShared ? [{ text: say('Give it its own lorebook'), result: ISOLATE }] : []),
            ...(opened.undecided ? [{ text: say('Decide…'), result: DECIDE }] : []),
            { text: say('Check…'), result: CHECK },
            ...(opened.lorebook ? [{ text: say('Rewind…'), result: REWIND }] : []),
            { text: say('Delete…'), result: DELETE },
        ],
        allowVerticalScrolling: true,
        leftAlign: true,
    }).show();
    if (result === ISOLATE) await isolateOpen();
    else if (result === CHECK) await showFindings();
    else if (result === DECIDE) await decideOpen();
    else if (result === DELETE) await deleteOpen();
    else if (result === REWIND) {
        const at = await askForMessage();
        if (at !== null) await rewindOpen(at);
    }
}

/** @param {Opened} opened */
function contentOf(opened) {
    const { kind, chat, parent, at, lorebook, entries, undecided, scene, version, scenes, made, remarks, sharedWith } = opened;
    const kinds = { main: 'Main chat', checkpoint: 'Checkpoint', branch: 'Branch' };
    const what = kind ? kinds[kind] : parent ? 'Timeline without a record' : 'Main chat';
    /** @type {[string, string | null][]} */
    const rows = [
        ['Timeline', chat],
        ['Kind', say(what)],
        ['Comes from', parent && at !== null ? say('{0}, message {1}', parent, at) : parent],
        ['Lorebook', lorebook ?? say('none')],
        ['Entries', entries === null ? null : String(entries)],
        ['Scene', scene],
        ['Running recap', version === null ? null : say('version {0}, scenes: {1}', version, scenes ?? '?')],
        ['Made', made === null ? null : new Date(made).toLocaleString()],
    ];
    const table = draw('dl', '', ...rows.flatMap(([name, value]) =>
        value === null ? [] : [draw('dt', '', say(name)), draw('dd', '', value)]));
    const shared = sharedWith.length
        ? [
            { level: /** @type {const} */ ('warning'), message: say('Its lorebook is also used by: {0}', sharedWith.join(', ')) },
            { level: /** @type {const} */ ('info'), message: say('“Check…” takes them apart: each gets what its own story wrote. A lorebook given to one alone holds what the others wrote until now.') },
        ]
        : [];
    const open = undecided ? [{ level: /** @type {const} */ ('info'), message: openWords(undecided) }] : [];
    const all = [...shared, ...open, ...remarks.map((remark) => ({ level: remark.level, message: sentence(said(remark)) }))];
    const list = all.length
        ? draw('ul', '', ...all.map(({ level, message }) => remark(level, message)))
        : draw('ul', '', remark('fine', say('Everything is as it should be.')));
    return draw('div', 'lorefork-status', draw('h3', '', say('Timeline status')), table, list);
}

/**
 * @param {'info' | 'warning' | 'error' | 'fine'} level
 * @param {string} message
 */
function remark(level, message) {
    const name = level === 'fine' ? 'fa-circle-check' : LEVELS[level];
    const row = draw('li', '', icon(name), draw('span', '', message));
    row.dataset.level = level;
    return row;
}

/**
 * The status of R-144, and whether everything is as recorded.
 * @returns {Promise<{ status: import('../../types/lorefork').Status, isFine: boolean } | null>}
 */
export async function readStatus() {
    const place = openPlace();
    if (!place) return null;
    const { status } = await engine();
    const found = await status(hostFor(null, {}, GlanceHost), JSON.stringify(place));
    if (found.error) throw new Error(said(found.error));
    const isFine = found.lorebook_match !== false && found.running_recap_version_match !== false && found.lorebook_exists !== false;
    return { status: found, isFine };
}
