//! Chat files and their messages, laid out as SillyTavern 1.19 writes them.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::script::Line;

/// The name of the user's persona.
pub(super) const USER: &str = "Rook";
const USER_AVATAR: &str = "/thumbnail?type=persona&file=user-default.png";

/// Between two messages, between two swipes of one, and what a finished scene adds while it is
/// recapped.
const MESSAGE_MS: i64 = 97_000;
const SWIPE_MS: i64 = 31_000;
const SCENE_MS: i64 = 1_500_000;

/// A chat: the header's metadata and the messages.
#[derive(Clone)]
pub(super) struct Chat {
    pub(super) metadata: Map<String, Value>,
    pub(super) messages: Vec<Value>,
}

impl Chat {
    /// The bytes of the `.jsonl`: compact lines, no newline at the end.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let header = json!({
            "chat_metadata": self.metadata,
            "user_name": "unused",
            "character_name": "unused",
        });
        let lines: Vec<String> =
            std::iter::once(&header).chain(&self.messages).map(Value::to_string).collect();
        lines.join("\n").into_bytes()
    }
}

/// Metadata every chat begins with, in the order SillyTavern adds it.
pub(super) fn metadata(slug: &str) -> Map<String, Value> {
    object(json!({
        "integrity": slug,
        "note_prompt": "",
        "note_interval": 1,
        "note_position": 1,
        "note_depth": 4,
        "note_role": 0,
        "tainted": true,
    }))
}

/// When each message of a chat was sent, in milliseconds: the time of its shown swipe.
pub(super) fn times(start: i64, lines: &[Line]) -> Vec<i64> {
    let mut now = start;
    let mut times = Vec::with_capacity(lines.len());
    for line in lines {
        times.push(now + SWIPE_MS * (line.swipes.len() as i64 - 1));
        now += MESSAGE_MS + if line.ends_scene { SCENE_MS } else { 0 };
    }
    times
}

/// A message of the user, or the reply of a character.
pub(super) fn message(line: &Line, sent: i64) -> Value {
    if line.speaker == USER { said_by_user(line.shown(), sent) } else { reply(line, sent) }
}

fn said_by_user(text: &str, sent: i64) -> Value {
    json!({
        "name": USER,
        "is_user": true,
        "is_system": false,
        "send_date": iso(sent),
        "mes": text,
        "extra": { "isSmallSys": false },
        "force_avatar": USER_AVATAR,
    })
}

fn reply(line: &Line, sent: i64) -> Value {
    let last = line.swipes.len() - 1;
    let swipe_info: Vec<Value> = (0..=last)
        .map(|swipe| {
            let sent = sent - SWIPE_MS * (last - swipe) as i64;
            json!({
                "send_date": iso(sent),
                "gen_started": iso(sent - generation(line.swipes[swipe])),
                "gen_finished": iso(sent),
                "extra": generated(sent),
            })
        })
        .collect();
    json!({
        "name": line.speaker,
        "is_user": false,
        "is_system": false,
        "send_date": iso(sent),
        "mes": line.shown(),
        "extra": generated(sent),
        "swipe_id": last,
        "swipes": line.swipes,
        "swipe_info": swipe_info,
        "gen_started": iso(sent - generation(line.shown())),
        "gen_finished": iso(sent),
    })
}

/// How long a model would have taken to write a text.
fn generation(text: &str) -> i64 {
    1_700 + 31 * text.chars().count() as i64
}

fn generated(sent: i64) -> Value {
    json!({
        "bias": null,
        "gen_id": sent,
        "isSmallSys": false,
        "api": "openai",
        "model": "lorefork-demo",
    })
}

/// The first message of a solo chat, which no model wrote.
pub(super) fn greeting(line: &Line, sent: i64) -> Value {
    json!({
        "name": line.speaker,
        "is_user": false,
        "is_system": false,
        "send_date": iso(sent),
        "mes": line.shown(),
        "extra": {},
        "swipes": line.swipes,
        "swipe_id": 0,
        "swipe_info": [{ "send_date": iso(sent), "extra": {} }],
    })
}

/// A date as SillyTavern writes it into messages.
pub(super) fn iso(ms: i64) -> String {
    let time = Timestamp::from_millisecond(ms).expect("the story's dates are within range");
    time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// The map inside a JSON object.
pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => unreachable!("not an object: {other}"),
    }
}
