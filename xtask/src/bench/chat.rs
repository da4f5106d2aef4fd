//! The chat that is forked: written line by line, so that it may be larger than memory.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::prose;
use super::random::Random;
use super::recap;

pub(crate) const CHARACTER: &str = "Bench";
pub(crate) const CHAT: &str = "Bench - 1";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Messages and nothing else.
    Plain,
    /// A lorebook, and every so often a recapped scene with a snapshot of it. Every message carries memory data.
    Recapped,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Recapped => "recapped",
        }
    }
}

/// Writes a header and `messages` messages, joined by line ends as SillyTavern does.
pub(crate) fn write(out: &mut impl Write, kind: Kind, messages: usize) -> io::Result<()> {
    let mut random = Random::new(2);
    let mut line = Vec::new();
    out.write_all(header(kind, messages).to_string().as_bytes())?;
    for index in 0..messages {
        line.clear();
        line.push(b'\n');
        message(&mut line, kind, index, &mut random);
        out.write_all(&line)?;
    }
    Ok(())
}

fn header(kind: Kind, messages: usize) -> Value {
    let mut metadata = json!({
        "integrity": "6f1c1f9e-52b0-4f0e-9d0f-3c1d2a7b8e90",
        "note_prompt": "",
        "note_interval": 1,
        "note_position": 1,
        "note_depth": 4,
        "note_role": 0,
        "tainted": true,
    });
    if kind == Kind::Recapped {
        metadata["world_info"] = recap::BOOK.into();
        metadata["auto_recap_running_scene_recaps"] = recap::running(messages);
        metadata["auto_lorebooks"] = json!({
            "lorebookName": recap::BOOK,
            "attachedAt": recap::TIME,
            "registry": { "index": {} },
        });
    }
    json!({ "chat_metadata": metadata, "user_name": "unused", "character_name": "unused" })
}

/// User and character take turns; what the character says is long and has swipes.
fn message(line: &mut Vec<u8>, kind: Kind, index: usize, random: &mut Random) {
    let memory = match kind {
        Kind::Plain => String::new(),
        Kind::Recapped => format!(r#","auto_recap_memory":{}"#, recap::memory(index)),
    };
    let date = date(index);
    let mut add = |text: &str| line.extend_from_slice(text.as_bytes());
    if index % 2 == 1 {
        add(&format!(
            r#"{{"name":"User","is_user":true,"is_system":false,"send_date":"{date}","mes":""#
        ));
        prose::write(line, 200 + random.below(900), random);
        line.extend_from_slice(
            format!(
                r#"","extra":{{"isSmallSys":false{memory}}},"force_avatar":"User Avatars/user-default.png"}}"#
            )
            .as_bytes(),
        );
        return;
    }
    add(&format!(
        r#"{{"name":"{CHARACTER}","is_user":false,"is_system":false,"send_date":"{date}","mes":""#
    ));
    let start = line.len();
    prose::write(line, 1000 + random.below(1700), random);
    let said = start..line.len();
    let extra = r#""api":"openai","model":"bench-1","token_count":417"#;
    line.extend_from_slice(
        format!(r#"","title":"","gen_started":"{date}","gen_finished":"{date}","swipe_id":0,"extra":{{{extra}{memory}}},"swipes":[""#)
            .as_bytes(),
    );
    line.extend_from_within(said);
    let others = random.below(3);
    for _ in 0..others {
        line.extend_from_slice(b"\",\"");
        prose::write(line, 800 + random.below(1700), random);
    }
    line.extend_from_slice(b"\"],\"swipe_info\":[");
    let info = format!(
        r#"{{"send_date":"{date}","gen_started":"{date}","gen_finished":"{date}","extra":{{{extra}}}}}"#
    );
    for swipe in 0..=others {
        if swipe > 0 {
            line.push(b',');
        }
        line.extend_from_slice(info.as_bytes());
    }
    line.extend_from_slice(b"]}");
}

/// When a message was written, in milliseconds since 1970.
pub(super) fn time(index: usize) -> u64 {
    let [year, month, day] = day(index);
    // Years begin in March here, so that a leap day is the last of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1;
    let since_1970 = days - 719_468;
    (since_1970 * 24 * 60 + index % (24 * 60)) as u64 * 60_000 + 7_123
}

/// Months of 28 days.
fn day(index: usize) -> [usize; 3] {
    let days = index / (60 * 24);
    [2026 + days / (28 * 12), days / 28 % 12 + 1, days % 28 + 1]
}

/// One message a minute.
fn date(index: usize) -> String {
    let (minutes, hours) = (index % 60, index / 60 % 24);
    let [year, month, day] = day(index);
    format!("{year}-{month:02}-{day:02}T{hours:02}:{minutes:02}:07.123Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(kind: Kind) -> Vec<Value> {
        let mut text = Vec::new();
        write(&mut text, kind, 900).expect("a vector takes everything");
        // Half an emoji is text for JavaScript, but not for serde.
        let text = String::from_utf8(text).expect("UTF-8").replace("\\ud83d", "");
        let parse = |line| serde_json::from_str(line).expect("every line is JSON");
        text.split('\n').map(parse).collect()
    }

    #[test]
    fn a_plain_chat_is_one_that_sillytavern_could_have_written() {
        let lines = lines(Kind::Plain);
        assert_eq!(lines.len(), 901);
        assert!(lines[0]["chat_metadata"]["integrity"].is_string());
        assert!(lines[1..].iter().all(|line| line["mes"].is_string()));
    }

    #[test]
    fn scenes_of_a_recapped_chat_have_snapshots_that_grow() {
        let lines = lines(Kind::Recapped);
        let entries = |message: usize| {
            let memory = &lines[message + 1]["extra"]["auto_recap_memory"];
            memory["scene_recap_metadata"]["1"]["allEntries"].as_array().map(Vec::len)
        };
        assert_eq!(entries(398), None);
        assert!(entries(399) < entries(799));
        assert!(entries(399).is_some());
    }

    #[test]
    fn the_same_chat_every_time() {
        let mut chats = [Vec::new(), Vec::new()];
        for chat in &mut chats {
            write(chat, Kind::Recapped, 50).expect("a vector takes everything");
        }
        assert_eq!(chats[0], chats[1]);
    }
}
