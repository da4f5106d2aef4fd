// What happens when SillyTavern loads the extension: as little as possible. Its start waits for these modules, each of
// which is a request; for the others it does not.

import { offerApi } from './api.js';
import { watchBooks } from './books.js';
import { closeGates } from './gates.js';
import { interceptRequests } from './intercept.js';
import { version, whenReady } from './tavern.js';
import { isOlder } from './tried.js';

let isStarted = false;

export function start() {
    if (isStarted) return;
    isStarted = true;
    if (isOlder(version())) {
        // Such a SillyTavern may not know that the manifest forbids it, and what it does was never looked at.
        import('./views/meeting.js').then(({ tellTooOld }) => tellTooOld(version()), (error) => console.error('Lorefork:', error));
        return;
    }
    // Before SillyTavern reads the first lorebook.
    interceptRequests();
    watchBooks();
    offerApi();
    whenReady(() => {
        closeGates();
        import('./living.js').then(({ moveIn }) => moveIn(), (error) => console.error('Lorefork:', error));
    });
}
