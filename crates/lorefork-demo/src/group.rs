//! The group of both characters: a chat without any memory extension, and a lorebook written by
//! hand.

use serde_json::{Map, Value, json};

use super::File;
use super::cast;
use super::chat::{self, Chat};
use super::lore;
use super::script::{self, Line};

/// The group's name.
pub const NAME: &str = "The Night Watch";
/// Its chat. SillyTavern names group chats by their time alone.
pub const CHAT: &str = "2026-04-11@21h40m12s408ms";
/// Its lorebook.
pub(crate) const BOOK: &str = "Night Watch lore";

/// The group's id is the time it was made, 2026-04-11T21:40:12.408Z.
const START: i64 = 1_775_943_612_408;
const SLUG: &str = "0e9a7b53-2f41-4d6b-b7c8-5a1f3e6d8c02";
const TEXT: &str = include_str!("text/night-watch.txt");

pub(super) fn files() -> Vec<File> {
    vec![
        (format!("groups/{START}.json"), lore::pretty(&record())),
        (format!("group chats/{CHAT}.jsonl"), chat().bytes()),
        (format!("worlds/{BOOK}.json"), lore::pretty(&book())),
    ]
}

fn record() -> Value {
    json!({
        "id": START.to_string(),
        "name": NAME,
        "members": [cast::TAMSIN.file(), cast::NAGI.file()],
        "avatar_url": "img/five.png",
        "allow_self_responses": false,
        "activation_strategy": 0,
        "generation_mode": 0,
        "disabled_members": [],
        "fav": false,
        "chat_id": CHAT,
        "chats": [CHAT],
        "auto_mode_delay": 5,
        "generation_mode_join_prefix": "",
        "generation_mode_join_suffix": "",
    })
}

fn chat() -> Chat {
    let lines = script::read(TEXT);
    let times = chat::times(START, &lines);
    let messages =
        lines.iter().zip(times).enumerate().map(|(index, (line, sent))| match line.speaker {
            chat::USER => chat::message(line, sent),
            // Both members greet first.
            _ if index < 2 => member_greeting(line, sent),
            _ => member_reply(line, sent),
        });
    let mut metadata = chat::metadata(SLUG);
    metadata.insert("world_info".into(), json!(BOOK));
    Chat { metadata, messages: messages.collect() }
}

/// A greeting in a group. Its `gen_id` is a time multiplied by chance, far beyond what JavaScript
/// counts exactly.
fn member_greeting(line: &Line, sent: i64) -> Value {
    let avatar = avatar(line);
    let extra = json!({ "gen_id": sent * 731_000 });
    json!({
        "is_user": false,
        "is_system": false,
        "name": line.speaker,
        "send_date": chat::iso(sent),
        "original_avatar": avatar,
        "extra": extra,
        "mes": line.shown(),
        "force_avatar": thumbnail(&avatar),
        "swipes": line.swipes,
        "swipe_id": 0,
        "swipe_info": [{ "send_date": chat::iso(sent), "extra": extra }],
    })
}

fn member_reply(line: &Line, sent: i64) -> Value {
    let avatar = avatar(line);
    let mut message = chat::object(chat::message(line, sent));
    message.shift_insert(5, "force_avatar".into(), json!(thumbnail(&avatar)));
    message.shift_insert(6, "original_avatar".into(), json!(avatar));
    Value::Object(message)
}

fn avatar(line: &Line) -> String {
    format!("{}.png", line.speaker)
}

/// The address of a character's picture. SillyTavern encodes it as JavaScript's
/// `encodeURIComponent` does.
fn thumbnail(avatar: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte);
    let encoded: String = avatar
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    format!("/thumbnail?type=avatar&file={encoded}")
}

/// Three entries as the lorebook editor leaves them: titles, display order, a filter by character.
fn book() -> Value {
    let entry = |uid: u64, title: &str, keys: &[&str], content: &str, only_for: &[&str]| {
        let mut entry = lore::blank(uid, title, keys, content);
        entry["addMemo"] = json!(true);
        entry["role"] = Value::Null;
        entry.insert("displayIndex".into(), json!(uid));
        entry.insert(
            "characterFilter".into(),
            json!({ "isExclude": false, "names": only_for, "tags": [] }),
        );
        entry
    };
    let entries: Map<String, Value> = [
        entry(
            0,
            "Pinch",
            &["pinch", "coal scuttle"],
            "Ashkeel's hatchling lights the Candlestick. His flame is blue.",
            &[],
        ),
        entry(
            1,
            "The Plover",
            &["plover", "ship"],
            "The first ship to enter Merrowby in a year. Nagi is her navigator.",
            &[],
        ),
        entry(
            2,
            "Rules of the watch",
            &["rule", "midnight"],
            "Nobody feeds Pinch after midnight.",
            &["Tamsin"],
        ),
    ]
    .into_iter()
    .map(|entry| (entry["uid"].to_string(), Value::Object(entry)))
    .collect();
    json!({ "entries": entries })
}
