// Two timelines beside each other: where they part, what one knows that the other does not, and entries that go over.

import { engine } from '../engine.js';
import { GlanceHost } from '../glance.js';
import { hostFor } from '../host.js';
import { carry, planCarry } from '../story-acts.js';
import { context, isOpen } from '../tavern.js';
import { said, say } from '../words.js';
import { differences } from './differences.js';
import { draw, icon, point } from './draw.js';

/**
 * @typedef {import('../../types/lorefork').Place} Place
 * @typedef {import('../../types/lorefork').Comparison} Comparison
 * @typedef {import('../../types/lorefork').Chosen} Chosen
 * @typedef {import('../../types/lorefork').Message} Message
 * @typedef {{ uid: string, isHere: boolean }} Picked
 */

/** What is the answer to a button of the popup. */
const TO_HERE = 1001;
const TO_THERE = 1002;
/** As much of an entry, in letters. */
const SOME = 280;

/**
 * Shows what the open timeline and another one know.
 * @param {Place} here the open one
 * @param {Place} there
 */
export async function showComparison(here, there) {
    for (;;) {
        const { compareTimelines } = await engine();
        const found = await compareTimelines(hostFor(null, {}, GlanceHost), JSON.stringify(here), JSON.stringify(there));
        if (found.error) throw new Error(said(found.error));
        if (!isOpen(here)) return tellSwitched();
        /** @type {Picked[]} */
        const picked = [];
        const show = await differences();
        const content = contentOf(found, show, picked);
        const { Popup, POPUP_TYPE } = context();
        const { hereOnly, thereOnly, changed } = found.entries;
        const canCarry = !found.sameLorebook && found.here.lorebookExists && found.there.lorebookExists;
        const popup = new Popup(content, POPUP_TYPE.TEXT, '', {
            okButton: say('Close'),
            customButtons: [
                ...(canCarry && thereOnly.length + changed.length ? [{ text: say('Carry over to here…'), result: TO_HERE }] : []),
                ...(canCarry && hereOnly.length + changed.length ? [{ text: say('Carry over to there…'), result: TO_THERE }] : []),
            ],
            wider: true,
            leftAlign: true,
            allowVerticalScrolling: true,
        });
        const result = await whileOpen(here, popup);
        if (result !== TO_HERE && result !== TO_THERE) return;
        const isToHere = result === TO_HERE;
        const uids = picked.filter(({ isHere }) => isHere !== isToHere).map(({ uid }) => uid);
        if (uids.length === 0) toastr.info(say('Choose entries first: tick them in the list.'), 'Lorefork');
        else if (isToHere) await carryOver(there, here, uids);
        else await carryOver(here, there, uids);
    }
}

const tellSwitched = () => void toastr.info(say('Another chat is open now.'), 'Lorefork');

/**
 * Shows a popup about the open chat: when another is opened, “here” is elsewhere, so it is closed.
 * @param {Place} here
 * @param {InstanceType<import('../../types/tavern').Context['Popup']>} popup
 */
async function whileOpen(here, popup) {
    const { eventSource, eventTypes } = context();
    const look = () => {
        if (isOpen(here)) return;
        void popup.completeCancelled();
        tellSwitched();
    };
    eventSource.on(eventTypes.CHAT_CHANGED, look);
    try {
        return await popup.show();
    } finally {
        eventSource.removeListener(eventTypes.CHAT_CHANGED, look);
    }
}

/**
 * @param {Place} from
 * @param {Place} to
 * @param {string[]} uids
 */
async function carryOver(from, to, uids) {
    const plan = await planCarry(from, to, uids.map((uid) => ({ uid })));
    const chosen = plan && (await askToCarry(plan));
    if (chosen) await carry(from, to, chosen);
}

/**
 * Who decides what becomes of entries that are there already.
 * @param {import('../../types/lorefork').CarryPlan} plan
 * @returns {Promise<Chosen[] | null>}
 */
async function askToCarry(plan) {
    const { Popup, POPUP_TYPE, POPUP_RESULT } = context();
    const show = await differences();
    /** @type {Map<string, Chosen['decision']>} */
    const decisions = new Map();
    const rows = plan.entries.map((entry) => {
        const name = entry.name || say('(without a name)');
        if (entry.fate === 'same') return point('fa-equals', say('“{0}” is there already, the same.', name));
        if (entry.fate !== 'undecided') return point('fa-plus', say('“{0}” is added.', name));
        decisions.set(entry.uid, 'replace');
        const select = /** @type {HTMLSelectElement} */ (draw('select', 'text_pole'));
        select.setAttribute('aria-label', name);
        for (const [value, words] of /** @type {const} */ ([['replace', say('Replace the one there')], ['both', say('Keep both')], ['keep', say('Leave the one there')]])) {
            const option = /** @type {HTMLOptionElement} */ (draw('option', '', words));
            option.value = value;
            select.append(option);
        }
        select.addEventListener('change', () => decisions.set(entry.uid, /** @type {Chosen['decision']} */ (select.value)));
        return draw('div', 'lorefork-step', point('fa-code-compare', say('“{0}” is there, and says something else:', name)),
            show(entry.there ?? '', entry.content), select);
    });
    const content = draw('div', 'lorefork-preview', draw('h3', '', say('Carry this over?')),
        point('fa-arrow-right', say('From “{0}” to “{1}”, into its lorebook “{2}”.', plan.from, plan.to, plan.lorebook)),
        ...rows,
        ...plan.warnings.map((warning) => point('fa-triangle-exclamation', said(warning))),
        draw('small', '', say('It can be taken back afterwards.')));
    const result = await new Popup(content, POPUP_TYPE.CONFIRM, null, {
        okButton: say('Carry over'), cancelButton: say('Cancel'), allowVerticalScrolling: true, leftAlign: true, wide: true,
    }).show();
    if (result !== POPUP_RESULT.AFFIRMATIVE) return null;
    return plan.entries.map(({ uid }) => ({ uid, ...(decisions.has(uid) ? { decision: decisions.get(uid) } : {}) }));
}

/**
 * @param {Comparison} found
 * @param {import('./differences.js').Show} show
 * @param {Picked[]} picked
 */
function contentOf(found, show, picked) {
    const { here, there } = found;
    return draw('div', 'lorefork-compare',
        draw('h3', '', icon('fa-right-left'), ` ${say('Two timelines')}`),
        draw('div', 'lorefork-sides',
            sideOf('here', say('here'), here.chat), sideOf('there', say('there'), there.chat)),
        found.same ? point('fa-circle-check', say('They say the same: messages, lorebooks, recaps, variables and notes.')) : null,
        ...(found.same ? [] : [messagesOf(found), loreOf(found, show, picked), ...restOf(found, show)]));
}

/**
 * @param {string} side
 * @param {string} words
 * @param {string} name
 */
function sideOf(side, words, name) {
    const element = draw('div', 'lorefork-side', draw('small', '', words), draw('b', '', name));
    element.dataset.side = side;
    return element;
}

/**
 * @param {string} heading
 * @param {(Node | null)[]} parts
 */
const section = (heading, ...parts) => draw('section', '', draw('h4', '', heading), ...parts);

/** @param {Comparison} found */
function messagesOf({ here, there, shared, partsAfter, before }) {
    const isOver = here.messages === shared && there.messages === shared;
    const heading = partsAfter === null ? say('They share no message')
        : isOver ? say('All {0} messages are the same', shared)
        : say('They part after message {0}', partsAfter);
    const column = (/** @type {Comparison['here']} */ side, /** @type {string} */ name) => {
        const more = side.messages - shared - side.after.length;
        const element = draw('div', 'lorefork-side', ...side.after.map(messageOf),
            side.messages === shared ? draw('small', '', say('It ends here.')) : null,
            more > 0 ? draw('small', '', say('… {0} more', more)) : null);
        element.dataset.side = name;
        return element;
    };
    return section(heading, ...before.map(messageOf), isOver ? null : draw('div', 'lorefork-sides', column(here, 'here'), column(there, 'there')));
}

/** @param {Message} message */
function messageOf({ at, name, text }) {
    // Stars only mean how it looks.
    const words = draw('div', 'lorefork-message', draw('small', '', `#${at} ${name}`), draw('span', '', text.replaceAll('*', '')));
    words.dir = 'auto';
    return words;
}

/**
 * @param {Comparison} found
 * @param {import('./differences.js').Show} show
 * @param {Picked[]} picked
 */
function loreOf({ here, there, sameLorebook, entries }, show, picked) {
    if (sameLorebook) return section(say('Lorebook'), point('fa-triangle-exclamation', say('Both use “{0}”: what one learns, the other knows.', here.lorebook ?? '')));
    const missing = [here, there].map(({ chat, lorebook, lorebookExists }) => (lorebook === null
        ? point('fa-circle-info', say('“{0}” has no lorebook.', chat))
        : lorebookExists ? null : point('fa-circle-xmark', say('The lorebook “{0}” is missing.', lorebook))));
    const list = (/** @type {string} */ side, /** @type {string} */ heading, /** @type {import('../../types/lorefork').Entry[]} */ all) => (all.length === 0 ? null
        : draw('div', 'lorefork-entries', draw('div', 'lorefork-label', heading), ...all.map(({ uid, name, content }) =>
            entryOf(side, name, [{ uid, isHere: side === 'here' }], picked, draw('div', 'lorefork-entry-text', cut(content))))));
    return section(entries.same === 1 ? say('Lorebooks: one entry is the same') : say('Lorebooks: {0} entries are the same', entries.same),
        ...missing,
        list('here', say('Only here'), entries.hereOnly),
        list('there', say('Only there'), entries.thereOnly),
        entries.changed.length === 0 ? null : draw('div', 'lorefork-entries', draw('div', 'lorefork-label', say('Different')),
            ...entries.changed.map(({ name, hereUid, thereUid, fields }) =>
                entryOf('both', name, [{ uid: hereUid, isHere: true }, { uid: thereUid, isHere: false }], picked,
                    ...fields.map(({ field, here, there }) => draw('div', 'lorefork-field',
                        field === 'content' ? null : draw('small', '', field), show(here ?? '', there ?? '')))))));
}

/** @param {string} text */
const cut = (text) => (text.length > SOME ? `${text.slice(0, SOME)}…` : text);

/**
 * An entry that can be ticked.
 * @param {string} side
 * @param {string} name
 * @param {Picked[]} own
 * @param {Picked[]} picked
 * @param {Node[]} parts
 */
function entryOf(side, name, own, picked, ...parts) {
    const input = /** @type {HTMLInputElement} */ (draw('input', ''));
    input.type = 'checkbox';
    input.addEventListener('change', () => {
        for (const one of own) {
            const at = picked.indexOf(one);
            if (input.checked && at < 0) picked.push(one);
            if (!input.checked && at >= 0) picked.splice(at, 1);
        }
    });
    const element = draw('div', 'lorefork-entry', draw('label', 'checkbox_label', input, draw('b', '', name || say('(without a name)'))), ...parts);
    element.dataset.side = side;
    return element;
}

/**
 * @param {Comparison} found
 * @param {import('./differences.js').Show} show
 */
function restOf({ recap, registries, variables, notes }, show) {
    const pairs = (/** @type {string} */ heading, /** @type {import('../../types/lorefork').Pair[]} */ all) => (all.length === 0 ? null
        : section(heading, ...all.map(({ key, here, there }) => draw('div', 'lorefork-field', draw('small', '', key), show(here ?? '', there ?? '')))));
    const items = registries.map(({ kind, here, there }) => ({
        key: `${kind}: ${(here ?? there)?.name ?? ''}`, here: here && itemInWords(here), there: there && itemInWords(there),
    }));
    return [
        recap ? section(say('Running recap'), show(recap.here ?? '', recap.there ?? '')) : null,
        pairs(say('Registries'), items),
        pairs(say('Variables'), variables),
        pairs(say('Author\'s note'), notes),
    ];
}

/** @param {import('../../types/lorefork').RegistryItem} item */
const itemInWords = ({ name, aliases, synopsis }) => [name, ...aliases].join(', ') + (synopsis ? ` — ${synopsis}` : '');
