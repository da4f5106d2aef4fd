// What the story tree costs: a hundred timelines, from the command until all rows stand.

import { timeline } from '../family.mjs';
import { place } from './data.mjs';
import { openStory, watchTree } from './page.mjs';

const TIMELINES = 100;

export async function trees({ browser, url, user, backend, rounds }) {
    place(user, { extension: true, backend });
    for (let n = 1; n < TIMELINES; n += 1) timeline(user, `Branch #${n}`, { at: 2 + ((n * 7) % 50), own: n % 5, kind: n % 3 ? 'branch' : 'checkpoint' });
    const found = { timelines: TIMELINES, requests: 0, first: [], longest: [] };
    const tab = await browser.open();
    try {
        await openStory(tab, url);
        // The first one compiles. It does not count, as with the others.
        for (let round = 0; round <= rounds; round += 1) {
            const { requests, first, longest } = await watchTree(tab, TIMELINES);
            if (round === 0) continue;
            found.requests = Math.max(found.requests, requests);
            found.first.push(first);
            found.longest.push(longest);
        }
    } finally {
        await tab.close();
    }
    console.error(`  tree of ${TIMELINES}: ${found.requests} requests, first rows after ${found.first.map(Math.round)} ms, longest task ${found.longest.map(Math.round)} ms`);
    return found;
}
