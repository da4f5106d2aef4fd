// What is said where the rest of the extension cannot be loaded, and with it all that speaks otherwise.

import { say } from './words.js';

/**
 * @param {string} what happened, in the user's language
 * @param {unknown} error
 */
export function tellUnloaded(what, error) {
    console.error('Lorefork:', error);
    toastr.error(`${what} ${say('Reload the page. If that does not help, update or switch off the extension.')}`, 'Lorefork', { timeOut: 0, extendedTimeOut: 0 });
}
