// Gives every checkpoint and branch its own lorebook. See src/start.js.

import { start } from './src/start.js';

// SillyTavern 1.16 knows no hooks, later ones call this one; starting twice does nothing.
export function activate() {
    start();
}

start();
