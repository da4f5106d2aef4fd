// Slash commands of our own.

import { isTrue, LORE, OWN_LORE, QUEUE, wordOf } from './choosing.js';
import { look } from './health.js';
import { decideOpen, deleteOpen, rewindOpen, takeBack } from './mending.js';
import { isolateOpen, lookAtOpen } from './opened.js';
import { preferences } from './preferences.js';
import { context, openPlace } from './tavern.js';
import { readDiary, showDiary } from './views/diary.js';
import { showFindings } from './views/findings.js';
import { sentence } from './views/greeting.js';
import { readStatus, showStatus } from './views/status.js';
import { showStory } from './views/story-tree.js';
import { said, say, told } from './words.js';

export function addCommands() {
    const { SlashCommandParser, SlashCommand, SlashCommandArgument, SlashCommandNamedArgument, ARGUMENT_TYPE } = context();
    const quiet = () => SlashCommandNamedArgument.fromProps({
        name: 'quiet',
        description: say('whether to return the answer without showing it'),
        typeList: [ARGUMENT_TYPE.BOOLEAN],
        defaultValue: 'false',
        enumList: ['true', 'false'],
    });
    const add = (/** @type {object} */ props) => SlashCommandParser.addCommandObject(SlashCommand.fromProps(props));
    add({
        name: 'lorefork-status',
        aliases: ['recap-checkpoint-status'],
        callback: guarded(status),
        namedArgumentList: [
            quiet(),
            SlashCommandNamedArgument.fromProps({
                name: 'popup',
                description: say('whether to show it as a popup'),
                typeList: [ARGUMENT_TYPE.BOOLEAN],
                defaultValue: 'false',
                enumList: ['true', 'false'],
            }),
        ],
        returns: say('the status of the open timeline, as JSON'),
        helpString: help('Tells what the open chat is: its parent, its lorebook, its running recap, and whether they are as recorded.', '/lorefork-status quiet=true | /echo'),
    });
    add({
        name: 'lorefork-check',
        callback: guarded(check),
        namedArgumentList: [quiet()],
        returns: say('what is wrong with the timelines of the open chat, as a JSON list; empty if nothing is'),
        helpString: help('Looks for problems in all timelines of the open chat and their lorebooks, and shows them, with what would put them right.', '/lorefork-check'),
    });
    add({
        name: 'lorefork-tree',
        callback: guarded(tree),
        returns: say('nothing'),
        helpString: help('Shows the story tree: where the timelines of the open chat part, and what became of each.', '/lorefork-tree'),
    });
    const confirm = () => SlashCommandNamedArgument.fromProps({
        name: 'confirm',
        description: say('whether to do it without asking'),
        typeList: [ARGUMENT_TYPE.BOOLEAN],
        defaultValue: 'false',
        enumList: ['true', 'false'],
    });
    add({
        name: 'lorefork-rewind',
        callback: guarded(rewind),
        namedArgumentList: [confirm()],
        unnamedArgumentList: [SlashCommandArgument.fromProps({ description: say('the message'), typeList: [ARGUMENT_TYPE.NUMBER], isRequired: true })],
        returns: say('the id of the operation; empty if nothing was changed'),
        helpString: help('Sets lorebook and running recap of the open timeline back to a message. All messages stay.', '/lorefork-rewind 28'),
    });
    const entries = (/** @type {string} */ name, /** @type {string} */ words) => SlashCommandNamedArgument.fromProps({ name, description: words, typeList: [ARGUMENT_TYPE.STRING] });
    add({
        name: 'lorefork-decide',
        callback: guarded(decide),
        namedArgumentList: [entries('keep', say('numbers of entries that stay, with commas between them')), entries('drop', say('numbers of entries that go'))],
        returns: say('the id of the operation; empty if nothing was changed'),
        helpString: help('Shows the entries of the open timeline of which nobody can tell whether they belong to it, and keeps or drops them as you say.', '/lorefork-decide keep=12,13 drop=21'),
    });
    add({
        name: 'lorefork-delete',
        callback: guarded(remove),
        namedArgumentList: [confirm()],
        returns: say('the id of the operation; empty if nothing was changed'),
        helpString: help('Deletes the open timeline, with the lorebook that only it uses. Both go to the trash.', '/lorefork-delete'),
    });
    add({
        name: 'lorefork-undo',
        callback: guarded(undo),
        namedArgumentList: [confirm()],
        unnamedArgumentList: [SlashCommandArgument.fromProps({ description: say('the id of an operation; without it, the newest'), typeList: [ARGUMENT_TYPE.STRING] })],
        returns: say('the id of the operation; empty if nothing was changed'),
        helpString: help('Takes back what Lorefork did last, or the operation with this id.', '/lorefork-undo'),
    });
    add({
        name: 'lorefork-log',
        callback: guarded(log),
        namedArgumentList: [quiet()],
        returns: say('what Lorefork did, newest first, as JSON'),
        helpString: help('Shows what Lorefork did, with buttons that take it back.', '/lorefork-log'),
    });
    add({
        name: 'lorefork-isolate',
        callback: guarded(isolate),
        namedArgumentList: [SlashCommandNamedArgument.fromProps({ name: 'lore', description: say('which lorebook it gets'), typeList: [ARGUMENT_TYPE.STRING], defaultValue: 'auto', enumList: OWN_LORE })],
        returns: say('the name of the new lorebook; empty if nothing was changed'),
        helpString: help('Gives the open timeline its own lorebook, as it was at its last message, if it shares one.', '/lorefork-isolate'),
    });
    const choices = () => [
        SlashCommandNamedArgument.fromProps({ name: 'lore', description: say('which lorebook it gets'), typeList: [ARGUMENT_TYPE.STRING], enumList: LORE }),
        SlashCommandNamedArgument.fromProps({ name: 'queue', description: say('whether to wait for work of the memory extension, or to go ahead without it'), typeList: [ARGUMENT_TYPE.STRING], enumList: QUEUE }),
        confirm(),
    ];
    for (const name of ['branch-create', 'checkpoint-create']) SlashCommandParser.commands[name]?.namedArgumentList?.push(...choices());
}

/**
 * @param {string} words
 * @param {string} example
 */
const help = (words, example) =>
    `<div>${say(words)}</div><div><strong>${say('Example:')}</strong><ul><li><pre><code>${example}</code></pre></li></ul></div>`;

/**
 * @typedef {Record<string, unknown>} Named
 * @param {(named: Named, value: string) => Promise<string>} act
 */
const guarded = (act) => async (/** @type {Named} */ named, /** @type {unknown} */ value) => {
    if (!openPlace()) {
        toastr.warning(say('No chat is open.'), 'Lorefork');
        return '';
    }
    try {
        return await act(named, String(value ?? '').trim());
    } catch (error) {
        toastr.error(told(error), 'Lorefork');
        return '';
    }
};

/** @param {Named} named */
async function status({ quiet, popup }) {
    const found = await readStatus();
    if (!found) return '';
    if (isTrue(popup)) void showStatus();
    else if (!isTrue(quiet)) {
        const { current_chat } = found.status;
        if (found.isFine) toastr.success(say('“{0}”: all checks passed.', current_chat), say('Timeline status'));
        else toastr.warning(say('“{0}” is not as recorded. /lorefork-check says what differs.', current_chat), say('Timeline status'));
    }
    return JSON.stringify(found.status);
}

/** @param {Named} named */
async function check({ quiet }) {
    const [found, opened] = await Promise.all([look(), lookAtOpen()]);
    if (!isTrue(quiet)) void showFindings();
    const remarks = (opened?.remarks ?? []).filter(({ level }) => level !== 'info').map((remark) => sentence(said(remark)));
    return JSON.stringify([...(found ?? []).map(said), ...remarks]);
}

async function tree() {
    void showStory();
    return '';
}

/**
 * @param {Named} named
 * @param {string} value
 */
async function rewind({ confirm }, value) {
    if (!/^\d+$/.test(value)) throw new Error(say('Which message? Give its number.'));
    return (await rewindOpen(Number(value), isTrue(confirm)))?.id ?? '';
}

/** @param {Named} named */
async function decide({ keep, drop }) {
    const numbers = (/** @type {unknown} */ text) => String(text ?? '').split(',').map((part) => part.trim()).filter(Boolean);
    const given = { keep: numbers(keep), drop: numbers(drop) };
    const decided = await decideOpen(given.keep.length + given.drop.length ? given : undefined);
    return decided?.id ?? '';
}

/** @param {Named} named */
async function remove({ confirm }) {
    return (await deleteOpen(isTrue(confirm)))?.id ?? '';
}

/**
 * @param {Named} named
 * @param {string} value
 */
async function undo({ confirm }, value) {
    return (await takeBack(value || undefined, isTrue(confirm), !isTrue(confirm)))?.id ?? '';
}

/** @param {Named} named */
async function log({ quiet }) {
    const { operations } = await readDiary();
    if (!isTrue(quiet)) void showDiary();
    return JSON.stringify(operations);
}

/** @param {Named} named */
async function isolate({ lore }) {
    const made = await isolateOpen({ lore: wordOf('lore', lore, OWN_LORE), isAsking: false });
    if (made === null && preferences().notices === 'all') toastr.info(say('Nothing was changed.'), 'Lorefork');
    return made ?? '';
}
