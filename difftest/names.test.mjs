import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import test from 'node:test';
import sanitize from 'sanitize-filename';
import { generator } from './generate.mjs';
import { ask } from './oracle.mjs';
import { cut, run } from './original.mjs';

const { below, pick, text } = generator(3);
const BOOKMARKS = 'public/scripts/bookmarks.js';
const NEWEST = createRequire(import.meta.url)('sillytavern/package.json').version;
const DATES = 'public/scripts/RossAscends-mods.js';

const onDisk = name => sanitize(`${name}.jsonl`).replace(/\.jsonl$/, '');

/** Makes a fork with SillyTavern's own functions; the answer is its name. */
async function original(fork, npmPackage) {
    const [year, month, day, hour, minute, second, millisecond] = fork.now;
    // The functions ask for the time; give them the one of the case.
    class Clock extends Date {
        constructor() {
            super(year, month - 1, day, hour, minute, second, millisecond);
        }
        static now() {
            return 0;
        }
    }
    const humanizedDateTime = run('humanizedDateTime', [cut(DATES, 'humanizedDateTime', npmPackage)], { Date: Clock });
    const standIns = {
        humanizedDateTime,
        selected_group: 'g',
        groups: [{ id: 'g', chat_id: fork.parent, chats: fork.chats }],
        getCurrentChatDetails: () => ({ sessionName: fork.parent }),
        getUniqueName: npmPackage ? null : run('getUniqueName', [cut('public/scripts/utils.js', 'getUniqueName')]),
        renderTemplateAsync: async () => '',
        Popup: { show: { input: async () => fork.given ?? '' } },
        chat: Array.from({ length: fork.message + 1 }, () => ({})),
        uuidv4: () => '',
        saveGroupBookmarkChat: async () => {},
    };
    const pieces = ['bookmarkNameToken', 'getExistingChatNames', 'getBookmarkName', 'createBranch', ...(npmPackage ? [] : ['getBranchChatSnapshot'])]
        .map(name => cut(BOOKMARKS, name, npmPackage));
    if (fork.kind === 'branch') {
        return run('createBranch', pieces, standIns)(fork.message);
    }
    return run('getBookmarkName', pieces, standIns)({});
}

function forks(version, n) {
    const token = () => pick(['Branch #', 'Checkpoint #', 'branch #', 'Branch#']);
    const number = () => pick(['', '0', '1', '2', '12', '٣']);
    const dash = () => pick([' - ', ' - ', ' -', '- ', ' ']);
    const title = () => pick(['Tavern', 'My: Check?', '日本の夜', 'é😀', '', text(5).toWellFormed()]);
    return Array.from({ length: n }, () => {
        const parent = pick(['', token() + number() + dash()]) + title() + pick(['', dash() + token() + number()]) + pick(['', dash() + token() + number()]);
        const kind = pick(['branch', 'checkpoint']);
        // Chats that are in the way: the first few names it could get.
        const stem = parent.replace(/ - (Branch|Checkpoint) #\d+$/, '').replace(/^(Branch|Checkpoint) #\d+ - /, '');
        const chats = Array.from({ length: below(4) }, (_, i) => pick([
            `${stem} - Branch #${i + 1}`, `${stem} - Checkpoint #${i + 1}`, `Checkpoint #${below(5)}`, 'else',
        ]));
        const given = kind === 'branch' ? null : pick([null, null, 'My plan', 'My: plan?', ' a. ', 'é😀']);
        const now = [2020 + below(10), 1 + below(12), 1 + below(28), 3 + below(20), below(60), below(60), below(1000)];
        return { version, kind, parent, message: below(30), given, now, chats };
    });
}

for (const [version, npmPackage] of [[NEWEST, undefined], ['1.14.0', 'sillytavern-1.14']]) {
    test(`new timelines are named as by SillyTavern ${version}`, async () => {
        const cases = forks(version, 3_000);
        const answers = await ask('timeline_name', cases.map(fork => [fork]));
        let compared = 0;
        for (const [i, fork] of cases.entries()) {
            const name = await original(fork, npmPackage);
            const wanted = onDisk(name);
            // SillyTavern compares names as they were typed. Where that name is
            // a chat on disk already, we count on or refuse instead.
            if (!fork.chats.map(onDisk).includes(wanted)) {
                assert.equal(answers[i], wanted, JSON.stringify(fork));
                compared++;
            }
        }
        assert.ok(compared > 2_500, `only ${compared} were compared`);
    });
}

test('names are the same as to SillyTavern', async () => {
    const original = run('equalsIgnoreCaseAndAccents', ['equalsIgnoreCaseAndAccents', 'compareIgnoreCaseAndAccents'].map(name => cut('public/scripts/utils.js', name)));
    const letters = [...'aAàÀáäeéÉEiİıIßsSοόΟςσΣиЙйёЕカガ日각'];
    const word = () => Array.from({ length: 1 + below(3) }, () => pick(letters)).join('').normalize(pick(['NFC', 'NFD']));
    const pairs = Array.from({ length: 20_000 }, () => [word(), word()]);
    const answers = await ask('same_name', pairs);
    let same = 0;
    pairs.forEach((pair, i) => {
        assert.equal(answers[i], original(...pair), JSON.stringify(pair));
        same += Number(answers[i]);
    });
    assert.ok(same > 200, `only ${same} pairs were the same`);
});
