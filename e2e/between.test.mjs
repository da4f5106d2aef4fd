// SillyTaverns between the oldest and the newest that are supported, which have runs of their own: what a player does, briefly.

import assert from 'node:assert/strict';
import { describe } from 'node:test';

import { TRIED } from '../extension/src/tried.js';
import { briefly } from './brief.mjs';
import { byCommand } from './command.mjs';
import { suite } from './suite.mjs';

for (const version of TRIED.slice(1, -1)) {
    describe(version, () => {
        const scene = suite(`between-${version}`, { version });

        scene(`${version} is what runs`, async ({ page }) => {
            assert.match(await page.run(async () => (await import('/script.js')).CLIENT_VERSION), new RegExp(`:${version}\\.`));
        });

        briefly(scene, version);
        byCommand(scene, version);
    });
}
