//! The main chat: sixty-one messages, four recapped scenes, and the lorebook that grew with them.

use serde_json::{Map, Value, json};

use super::chat::{self, Chat};
use super::lore::{self, Book};
use super::recap;
use super::scenes::SCENES;
use super::script;
use super::{File, Hashes};

/// The main chat, with Tamsin.
pub const CHAT: &str = "The Last Lamp";
/// Its lorebook.
pub(crate) const BOOK: &str = "z-AutoLB-Tamsin-The Last Lamp";
/// The last message, which has three swipes.
pub const SWIPED: usize = 60;

/// 2026-03-14T19:30:00Z.
const START: i64 = 1_773_516_600_000;
const SLUG: &str = "5b0f6f0e-6d0c-4c54-9a53-1f7c0a9e4d21";
pub(super) const TEXT: &str = include_str!("text/last-lamp.txt");

/// What the player typed into an entry by hand, after the last scene: no snapshot knows it.
const EDITED: &str = "location-The Candlestick";
const EDIT: &str = "Ninety steps to the lamp room";
const EDIT_KEYS: [&str; 2] = ["lamp", "tower"];

pub(super) fn files(hashes: Hashes) -> Vec<File> {
    let (chat, document) = chat(hashes);
    vec![
        (format!("chats/Tamsin/{CHAT}.jsonl"), chat.bytes()),
        (format!("worlds/{BOOK}.json"), lore::pretty(&document)),
    ]
}

/// The chat, and its lorebook as it is now.
pub(super) fn chat(hashes: Hashes) -> (Chat, Value) {
    let lines = script::read(TEXT);
    let times = chat::times(START, &lines);
    let messages = lines.iter().zip(&times).enumerate().map(|(index, (line, sent))| match index {
        0 => chat::greeting(line, *sent),
        _ => chat::message(line, *sent),
    });
    let mut chat = Chat { metadata: chat::metadata(SLUG), messages: messages.collect() };
    let mut book = Book::new(BOOK, times[12] + 40_000);

    let mut versions = recap::play(&SCENES, &lines, &times, &mut chat, &mut book, hashes);
    reword(&mut versions);

    // Auto-Recap hides what the running recap covers; here the player brought all but the first
    // scene back.
    let (_, hidden) = script::scenes(&lines)[0];
    for message in &mut chat.messages[..=hidden] {
        message["is_system"] = json!(true);
    }

    let mut document = book.document();
    edit(&mut document, book.uid_of(EDITED));
    // Hidden messages are not sent, nor was the reply that the model was about to write.
    let sent = SWIPED - (hidden + 1);
    let timed = ["character-Pinch", "location-The Candlestick", "character-Tamsin Wick"]
        .iter()
        .filter_map(|comment| document["entries"][book.uid_of(comment)?.to_string()].as_object())
        .map(|entry| lore::sticky(BOOK, entry, sent, hashes))
        .collect::<Map<String, Value>>();
    recap::attach(&mut chat, CHAT, &book, &versions, &timed);
    chat.metadata.insert("variables".into(), json!({ "barrels": "0" }));
    (chat, document)
}

/// The player rewords the running recap after scene 3. Auto-Recap numbers such a version by the
/// count plus one, which leaves a hole, and writes its fields a little differently.
fn reword(versions: &mut Vec<Value>) {
    let written = &versions[2];
    let content = written["content"].as_str().unwrap_or_default();
    let reworded = json!({
        "version": 4,
        "timestamp": written["timestamp"].as_i64().unwrap_or_default() + 240_000,
        "content": content.replace("Where is Pell?", "Find Pell before the Tallow Company does"),
        "scene_count": written["scene_count"],
        "exclude_count": written["excluded_count"],
        "prev_scene_index": written["prev_scene_index"],
        "new_scene_index": written["new_scene_index"],
    });
    versions.insert(3, reworded);
    versions[4]["version"] = json!(5);
}

fn edit(document: &mut Value, uid: Option<u64>) {
    let uid = uid.expect("the edited entry exists");
    let entry = &mut document["entries"][uid.to_string()];
    let content = entry["content"].as_str().unwrap_or_default();
    entry["content"] = json!(format!("{content}\n{EDIT}"));
    entry["keysecondary"] = json!(EDIT_KEYS);
}
