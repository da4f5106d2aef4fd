// Slash commands of our own.

import { isolateOpen, lookAtOpen } from './opened.js';
import { preferences } from './preferences.js';
import { context, openPlace } from './tavern.js';
import { sentence } from './views/greeting.js';
import { readStatus, showStatus } from './views/status.js';
import { heard, say } from './words.js';

export function addCommands() {
    const { SlashCommandParser, SlashCommand, SlashCommandNamedArgument, ARGUMENT_TYPE } = context();
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
        returns: say('what is wrong with the open timeline, as a JSON list; empty if nothing is'),
        helpString: help('Verifies the open timeline against its record, and looks for others that share its lorebook.', '/lorefork-check'),
    });
    add({
        name: 'lorefork-isolate',
        callback: guarded(isolate),
        returns: say('the name of the new lorebook; empty if nothing was changed'),
        helpString: help('Gives the open timeline its own lorebook, as it was at its last message, if it shares one.', '/lorefork-isolate'),
    });
}

/**
 * @param {string} words
 * @param {string} example
 */
const help = (words, example) =>
    `<div>${say(words)}</div><div><strong>${say('Example:')}</strong><ul><li><pre><code>${example}</code></pre></li></ul></div>`;

/**
 * @typedef {Record<string, unknown>} Named
 * @param {(named: Named) => Promise<string>} act
 */
const guarded = (act) => async (/** @type {Named} */ named) => {
    if (!openPlace()) {
        toastr.warning(say('No chat is open.'), 'Lorefork');
        return '';
    }
    try {
        return await act(named);
    } catch (error) {
        toastr.error(error instanceof Error ? heard(error.message) : String(error), 'Lorefork');
        return '';
    }
};

/** @param {unknown} value */
const isTrue = (value) => ['true', 'on', '1'].includes(String(value).toLowerCase());

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
    const opened = await lookAtOpen();
    if (!opened) return '';
    const problems = opened.remarks.filter(({ level }) => level !== 'info').map(({ message }) => sentence(heard(message)));
    if (opened.sharedWith.length && opened.parent) problems.push(say('Its lorebook is also used by: {0}', opened.sharedWith.join(', ')));
    if (!isTrue(quiet)) {
        if (problems.length) toastr.warning(problems.join('\n'), say('Timeline check'), { timeOut: 10_000 });
        else toastr.success(say('Nothing is wrong.'), say('Timeline check'));
    }
    return JSON.stringify(problems);
}

async function isolate() {
    const made = await isolateOpen();
    if (made === null && preferences().notices === 'all') toastr.info(say('Nothing was changed.'), 'Lorefork');
    return made ?? '';
}
