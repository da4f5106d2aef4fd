// Firefox, as people have it: what a player does, briefly. Where there is none, nothing is tried, and that is said.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { briefly } from './brief.mjs';
import { findFirefox } from './browsers.mjs';
import { act, family, openRow, openTree } from './family.mjs';
import { STORY } from './sample.mjs';
import { suite } from './suite.mjs';

if (findFirefox()) scenes();
else test('Firefox', { skip: 'there is none on this machine; FIREFOX can say where it is' });

function scenes() {
    const scene = suite('firefox', { browser: 'firefox' });

    scene('Firefox is what runs', async ({ page }) => {
        assert.match(await page.run(() => navigator.userAgent), / Firefox\//);
    });

    briefly(scene, 'Firefox');

    scene('Firefox: the story tree leads to another timeline', { change: family, odd: true }, async ({ page }) => {
        await openTree(page);
        await openRow(page, 'Branch - the boat');
        await act(page, 'open');
        assert.equal((await page.switched(STORY)).name, 'Branch - the boat');
    });
}
