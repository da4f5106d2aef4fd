// What the extension costs when nobody forks: SillyTavern with it and without it, in turns.

import { place, OTHER, STORY } from './data.mjs';
import { openStory, sendMessage, settle, start as startIn, switchTo } from './page.mjs';

export async function costs({ browser, url, user, backend, rounds }) {
    const times = { with: fresh(), without: fresh() };
    // Round 0 fills the caches of browser and server. It does not count.
    for (let round = 0; round <= rounds; round += 1) {
        const order = round % 2 ? [false, true] : [true, false];
        for (const extension of order) {
            const one = await evening({ browser, url, user, backend, extension });
            if (round === 0) continue;
            const kept = times[extension ? 'with' : 'without'];
            for (const [what, time] of Object.entries(one)) kept[what].push(time);
        }
        if (round > 0) console.error(`  round ${round}: ${['start', 'switch', 'send'].map((what) => `${what} ${Math.round(times.without[what].at(-1))} -> ${Math.round(times.with[what].at(-1))}`).join(', ')} ms`);
    }
    const heard = [];
    for (const extension of [false, true]) heard.push(await requests({ browser, url, user, backend, extension }));
    const [without, withIt] = heard;
    return { times, requests: without.length, differing: differences(without, withIt) };
}

/** One differs from the next by more than what is measured. */
const [STARTS, SWITCHES, SENDS] = [2, 4, 4];
const mean = (times) => times.reduce((sum, time) => sum + time, 0) / times.length;

const fresh = () => ({ start: [], switch: [], send: [] });

async function evening({ browser, url, user, backend, extension, listen = false }) {
    place(user, { extension, backend });
    const starts = [];
    for (let count = 1; count < STARTS && !listen; count += 1) {
        const tab = await browser.open();
        starts.push(await startIn(tab, url));
        await settle(tab, 1000);
        await tab.close();
    }
    const tab = await browser.open();
    try {
        const all = listen ? await tab.listen() : [];
        starts.push(await openStory(tab, url));
        const switches = [];
        for (let count = 0; count < SWITCHES; count += 1) {
            switches.push(await switchTo(tab, count % 2 ? STORY : OTHER));
            await settle(tab, 300);
        }
        await settle(tab);
        const sends = [];
        for (let count = 0; count < SENDS; count += 1) {
            sends.push(await sendMessage(tab));
            await settle(tab, 300);
        }
        if (!listen) return { start: mean(starts), switch: mean(switches), send: mean(sends) };
        await settle(tab, 4000);
        await Promise.all(all.map(({ later }) => later));
        return all;
    } finally {
        await tab.close();
    }
}

/** All requests of an evening, without what differs from one to the next by itself. */
async function requests(how) {
    const all = await evening({ ...how, listen: true });
    return all
        .filter(({ path }) => !path.startsWith('/scripts/extensions/third-party/lorefork/'))
        // Saved a second after the last change: how often is chance.
        .filter(({ path }) => path !== '/api/settings/save')
        .map(({ method, path, body }) => `${method} ${path.replace(/([?&](t|_)=)\d+/g, '$1TIME')} ${plain(body ?? '')}`)
        .sort();
}

function plain(body) {
    return body
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replace(/"(gen_id|time_to_first_token|token_count|date_added|date_last_chat|chat_size|create_date|data_size|gen_started|gen_finished)":[^,}]+/g, '"$1":0')
        .replace(/------WebKitFormBoundary\w+/g, 'BOUNDARY')
        .replace(/\b1[6-9]\d{11}(\.\d+)?\b/g, 'TIME')
        .replace(/"[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}"/g, '"UUID"');
}

function differences(without, withIt) {
    const count = (list, words) => list.filter((other) => other === words).length;
    return [...new Set([...without, ...withIt])]
        .map((words) => ({ without: count(without, words), with: count(withIt, words), request: words.slice(0, 300) }))
        .filter((one) => one.without !== one.with);
}
