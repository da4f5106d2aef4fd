//! A family that plain SillyTavern made: a main chat, a checkpoint and a branch, all with one
//! lorebook. The dragon dies in the branch, and main has known it ever since.

use serde_json::{Map, Value, json};

use super::chat::{self, Chat};
use super::lore::{self, Book, Entity};
use super::recap::{self, Scene};
use super::script::{self, Line};
use super::{File, Hashes};

/// The main chat.
pub const CHAT: &str = "The Frozen Harbour";
/// As SillyTavern names them.
pub const CHECKPOINT: &str = "The Frozen Harbour - Checkpoint #1";
pub const BRANCH: &str = "The Frozen Harbour - Branch #1";
/// The lorebook of all three.
pub const BOOK: &str = "z-AutoLB-Tamsin-The Frozen Harbour";

/// Both were made at the end of the first scene.
const FORK: usize = 5;

/// 2026-01-09T18:00:00Z, and two days later in the branch.
const START: i64 = 1_767_981_600_000;
const BRANCH_START: i64 = START + 2 * 24 * 3_600_000;
const SLUGS: [&str; 3] = [
    "0d3c2b6e-51a7-4be9-8f0e-6a1c9d7e3b52",
    "9a4e7f10-c8d2-47b6-b1f3-2e5d8c6a9071",
    "e7b15c94-2f6d-4a83-9c0b-d4f8a3e61725",
];
const TEXT: &str = include_str!("text/frozen-harbour.txt");
const BRANCH_TEXT: &str = include_str!("text/frozen-harbour-branch.txt");

/// All files, below the user's folder.
pub(super) fn files(hashes: Hashes) -> Vec<File> {
    let lines = script::read(TEXT);
    let times = chat::times(START, &lines);
    let mut main = Chat { metadata: chat::metadata(SLUGS[0]), messages: said(&lines, &times) };
    let mut book = Book::new(BOOK, times[4] + 40_000);
    let versions = recap::play(&SCENES, &lines, &times, &mut main, &mut book, hashes);
    recap::attach(&mut main, CHAT, &book, &versions, &Map::new());

    // SillyTavern copies the metadata as it is now: the lorebook, and a running recap that knows
    // how the second scene ends.
    let fork = |slug: &str| {
        let mut fork = Chat { messages: main.messages[..=FORK].to_vec(), ..main.clone() };
        fork.metadata["integrity"] = json!(slug);
        fork.metadata.insert("main_chat".into(), json!(CHAT));
        fork
    };
    let checkpoint = fork(SLUGS[1]);
    let branch = branch(fork(SLUGS[2]), versions, (&lines, &times), &mut book, hashes);
    let at = &mut main.messages[FORK]["extra"];
    at["bookmark_link"] = json!(CHECKPOINT);
    at["branches"] = json!([BRANCH]);

    let chats = [(CHAT, main), (CHECKPOINT, checkpoint), (BRANCH, branch)];
    let mut files: Vec<File> = chats
        .map(|(name, chat)| (format!("chats/Tamsin/{name}.jsonl"), chat.bytes()))
        .into_iter()
        .collect();
    files.push((format!("worlds/{BOOK}.json"), lore::pretty(&book.document())));
    files
}

fn said(lines: &[Line], times: &[i64]) -> Vec<Value> {
    let message = |(at, (line, sent)): (usize, (&Line, &i64))| match at {
        0 => chat::greeting(line, *sent),
        _ => chat::message(line, *sent),
    };
    lines.iter().zip(times).enumerate().map(message).collect()
}

/// The branch, played on: its scene goes into the lorebook that main uses as well.
fn branch(
    mut branch: Chat,
    mut versions: Vec<Value>,
    (main, main_times): (&[Line], &[i64]),
    book: &mut Book,
    hashes: Hashes,
) -> Chat {
    let own = script::read(BRANCH_TEXT);
    let own_times = chat::times(BRANCH_START, &own);
    branch
        .messages
        .extend(own.iter().zip(&own_times).map(|(line, sent)| chat::message(line, *sent)));
    let (_, end) = script::scenes(&own)[0];
    let scene = (FORK + 1, FORK + 1 + end);
    let lines = [&main[..=FORK], &own].concat();
    let times = [&main_times[..=FORK], &own_times].concat();
    recap::play_scene(&BRANCH_SCENE, &lines, &times, scene, &mut branch, book, hashes);
    versions.push(recap::version(&BRANCH_SCENE, versions.len(), 2, (FORK, scene.1), &times));
    recap::attach_running(&mut branch, BRANCH, &versions);
    branch.metadata["auto_lorebooks"]["registry"]["index"] = book.index();
    branch
}

const SCENES: [Scene; 2] = [
    Scene {
        name: "Under the ice",
        extracted: &["the harbour is frozen", "a dragon sleeps under it"],
        outcomes: &["Tamsin and {{user}} found Old Rime asleep under the harbour ice."],
        open: &["Wake her, or kill her before the thaw?"],
        state: &["Evening, deep frost. Widow Sark waits on the ice with her harpoon."],
        resolved: &[],
        learned: &[
            Entity {
                kind: "character",
                name: "Old Rime",
                keywords: &["old rime", "dragon"],
                facts: &["Asleep under the ice", "Dragon; comes with the cold, in the old songs"],
            },
            Entity {
                kind: "character",
                name: "Widow Sark",
                keywords: &["widow sark", "sark", "hanne"],
                facts: &["Whaler with a harpoon; lost her husband to something under the ice"],
            },
            Entity {
                kind: "location",
                name: "Merrowby",
                keywords: &["merrowby", "harbour"],
                facts: &["Harbour town, frozen in; the boats stand on the dragon's back"],
            },
        ],
        dropped: &[],
        running: "DEVELOPMENTS:\n\
            Old Rime sleeps under the frozen harbour\n\
            \n\
            OPEN:\n\
            Wake her, or kill her before the thaw?",
    },
    Scene {
        name: "The bell",
        extracted: &["{{user}} rings the silver bell", "the dragon wakes and melts the ice"],
        outcomes: &["{{user}} woke Old Rime with the silver bell; she keeps the harbour now."],
        open: &["What do dragons eat?"],
        state: &["Open water to the bar, and herring in it."],
        resolved: &["Wake her, or kill her before the thaw?"],
        learned: &[
            Entity {
                kind: "character",
                name: "Old Rime",
                keywords: &["old rime", "dragon"],
                facts: &["Awake and friendly", "Lies across the harbour mouth and keeps it"],
            },
            Entity {
                kind: "item",
                name: "Silver bell",
                keywords: &["silver bell", "bell"],
                facts: &["Wakes Old Rime", "From the chapel; hangs by the door"],
            },
        ],
        dropped: &[],
        running: "DEVELOPMENTS:\n\
            Old Rime woke for the silver bell and keeps the harbour\n\
            \n\
            OPEN:\n\
            What do dragons eat?",
    },
];

const BRANCH_SCENE: Scene = Scene {
    name: "The harpoon",
    extracted: &["Widow Sark kills the dragon", "the heart does not thaw"],
    outcomes: &["Widow Sark killed Old Rime under the ice, and {{user}} had asked her to."],
    open: &["What is the heart?"],
    state: &["The harbour is free and red, and nobody goes out."],
    resolved: &["Wake her, or kill her before the thaw?"],
    learned: &[
        Entity {
            kind: "character",
            name: "Old Rime",
            keywords: &["old rime", "dragon"],
            facts: &["Dead", "Killed in her sleep by Widow Sark's harpoon"],
        },
        Entity {
            kind: "item",
            name: "Frost heart",
            keywords: &["frost heart", "heart"],
            facts: &["Cut from Old Rime", "Blue, hard as glass, never thaws"],
        },
    ],
    dropped: &[],
    running: "DEVELOPMENTS:\n\
        Widow Sark killed Old Rime in her sleep\n\
        \n\
        OPEN:\n\
        What is the heart?",
};
