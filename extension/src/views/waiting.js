// "Create when ready": waits until the engine no longer speaks of waiting work.

import { hostFor } from '../host.js';
import { isLoading, openPlace } from '../tavern.js';
import { WAITING_WORK } from '../times.js';
import { said, say } from '../words.js';
import { draw, icon, title } from './draw.js';
import { tellSwitched } from './notices.js';

const pause = () => new Promise((resolve) => setTimeout(resolve, WAITING_WORK));

/**
 * Resolves to true when the work is done, to false when the user does not want to wait any more.
 * @param {import('../../types/lorefork').Engine} lorefork
 * @param {import('../../types/lorefork').Request} request
 * @returns {Promise<boolean>}
 */
export async function waitUntilReady(lorefork, request) {
    let isCancelled = false;
    const message = draw('span', 'action-loader-message', say('Waiting for the memory extension to finish its work…'));
    const stop = draw('i', 'fa-solid fa-stop-circle action-loader-stop interactable');
    stop.title = say('Do not wait');
    stop.addEventListener('click', () => (isCancelled = true));
    const content = draw('div', 'action-loader-toast', icon('fa-hourglass-half fa-fade'), message, stop);
    const toast = toastr.info($(content), title(request.kind), {
        timeOut: 0,
        extendedTimeOut: 0,
        tapToDismiss: false,
        escapeHtml: false,
    });
    const place = JSON.stringify(openPlace());
    try {
        while (!isCancelled && JSON.stringify(openPlace()) === place) {
            // Nobody can tell while SillyTavern loads it anew.
            if (isLoading()) {
                await pause();
                continue;
            }
            const report = await lorefork.assess(hostFor(null), JSON.stringify(request));
            if (!('errors' in report) || !report.waits) return true;
            message.textContent = said(report.errors[0] ?? null);
            await pause();
        }
        if (!isCancelled) tellSwitched(request.kind);
        return false;
    } finally {
        toastr.clear(toast, { force: true });
    }
}
