// What is said once: what changed, to those who just installed it; and that a SillyTavern is newer than all that were tried.
// SillyTavern keeps what was said, for all devices of the user.

import { idle } from './idle.js';
import { context, openPlace, version } from './tavern.js';
import { isNewer } from './tried.js';
import { showFindings } from './views/findings.js';
import { introduce, tellUntried } from './views/meeting.js';
import { say } from './words.js';

/** Whether the user knows that it is here. */
const MET = 'lorefork_met';
/** The newest SillyTavern of which it was said that nobody tried it. */
const UNTRIED = 'lorefork_untried';

export function meet() {
    const { accountStorage } = context();
    const now = version();
    const untried = isNewer(now) && accountStorage.getItem(UNTRIED) !== now ? now : null;
    const wasTold = () => {
        accountStorage.setItem(MET, 'yes');
        if (untried) accountStorage.setItem(UNTRIED, untried);
    };
    // Stays until it is closed, so nothing is stored for those who do nothing.
    if (accountStorage.getItem(MET) === null) introduce({ untried, check: checkWhenOpen, onClosed: wasTold });
    else if (untried) tellUntried(untried, wasTold);
}

/** After the start no chat need be open; then it is the next one that is. */
function checkWhenOpen() {
    if (openPlace()) return void showFindings();
    toastr.info(say('Open a chat. Its timelines are checked then.'), 'Lorefork');
    const { eventSource, eventTypes } = context();
    const onOpened = () => {
        if (!openPlace()) return;
        eventSource.removeListener(eventTypes.CHAT_CHANGED, onOpened);
        // SillyTavern waits for whoever listens.
        void idle().then(showFindings);
    };
    eventSource.on(eventTypes.CHAT_CHANGED, onOpened);
}
