// What the extension costs when a long chat is opened: SillyTavern with it and without it, in turns.

import { LONG, place, STORY } from './data.mjs';
import { openStory, switchTo, watchOpening } from './page.mjs';

/** So often in one page, before it is the other's turn. */
const IN_A_ROW = 5;

export async function openings({ browser, url, user, backend, rounds }) {
    const found = { with: fresh(), without: fresh() };
    for (let turn = 0; turn < Math.ceil(rounds / IN_A_ROW); turn += 1) {
        for (const extension of turn % 2 ? [false, true] : [true, false]) {
            const kept = found[extension ? 'with' : 'without'];
            place(user, { extension, backend, long: true });
            const tab = await browser.open();
            try {
                await openStory(tab, url);
                // The first one fills the caches.
                for (let round = 0; round <= Math.min(IN_A_ROW, rounds); round += 1) {
                    const { time, longest } = await watchOpening(tab, LONG);
                    if (round > 0) {
                        kept.times.push(time);
                        kept.longest.push(longest);
                    }
                    await switchTo(tab, STORY);
                }
            } finally {
                await tab.close();
            }
            console.error(`  opening, ${extension ? 'with' : 'without'}: ${kept.times.slice(-IN_A_ROW).map(Math.round)} ms, longest task after it ${kept.longest.slice(-IN_A_ROW).map(Math.round)} ms`);
        }
    }
    return found;
}

const fresh = () => ({ times: [], longest: [] });
