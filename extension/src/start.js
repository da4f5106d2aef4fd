// What happens when SillyTavern loads the extension: as little as possible. Its start waits for these modules, each of
// which is a request; for the others it does not.

import { offerApi } from './api.js';
import { watchBooks } from './books.js';
import { closeGates } from './gates.js';
import { interceptRequests } from './intercept.js';
import { whenReady } from './tavern.js';

let isStarted = false;

export function start() {
    if (isStarted) return;
    isStarted = true;
    // Before SillyTavern reads the first lorebook.
    interceptRequests();
    watchBooks();
    offerApi();
    whenReady(() => {
        closeGates();
        import('./living.js').then(({ moveIn }) => moveIn(), (error) => console.error('Lorefork:', error));
    });
}
