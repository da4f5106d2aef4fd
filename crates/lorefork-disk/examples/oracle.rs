//! Answers questions about the engine, so that the tests in `difftest/` can
//! compare it with the original in JavaScript.
//!
//! One JSON object per line in, `{"fn": name, "args": [...]}`; one JSON value
//! per line out. Text that may hold half an emoji comes as an array of UTF-16
//! code units.

use lorefork::json::{Json, Style, js};
use lorefork::memory::recap::hash::recap_hash_of_units;
use lorefork::tavern::effects::entry_hash;
use lorefork::tavern::names::{self, Kind, NewTimeline};
use lorefork::tavern::time::{LocalTime, iso};
use lorefork::tavern::timed::string_hash;
use lorefork::tavern::version::Version;
use lorefork_disk::card;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead, BufWriter, Write};

#[derive(Deserialize)]
struct Question {
    r#fn: String,
    args: Value,
}

#[derive(Deserialize)]
struct Fork {
    kind: String,
    version: String,
    parent: String,
    message: usize,
    given: Option<String>,
    /// Year to millisecond.
    now: (u16, u8, u8, u8, u8, u8, u16),
    chats: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let question: Question = serde_json::from_str(&line?)?;
        writeln!(out, "{}", answer(question)?)?;
    }
    Ok(())
}

/// A new function to compare gets a line here.
fn answer(Question { r#fn, args }: Question) -> Result<Value, Box<dyn Error>> {
    Ok(match r#fn.as_str() {
        "sanitize" => json!(names::sanitize(&only::<String>(args)?)),
        "same_name" => {
            let (a, b): (String, String) = serde_json::from_value(args)?;
            json!(names::same_name(&a, &b))
        }
        "timeline_name" => json!(timeline_name(&only(args)?)),
        "string_hash" => json!(string_hash(only::<Vec<u16>>(args)?.into_iter())),
        "recap_hash" => json!(recap_hash_of_units(&only::<Vec<u16>>(args)?)),
        "card" => card::read(&only::<Vec<u8>>(args)?)
            .map_or(Value::Null, |card| json!([card.name, card.chat, card.lorebook])),
        // The whole text comes as one string of JSON, so that nothing reads it before we do.
        "stringify" => {
            let text = only::<String>(args)?;
            json!(js::stringify(Json::parse(&text)?, Style::TAVERN)?)
        }
        "entry_hash" => {
            let (entry, world): (String, String) = serde_json::from_value(args)?;
            json!(entry_hash(Json::parse(&entry)?, &world)?)
        }
        "iso" => json!(iso(only::<u64>(args)?)),
        other => return Err(format!("no function {other:?}").into()),
    })
}

fn timeline_name(fork: &Fork) -> Option<String> {
    let (year, month, day, hour, minute, second, millisecond) = fork.now;
    let new = NewTimeline {
        kind: if fork.kind == "branch" { Kind::Branch } else { Kind::Checkpoint },
        version: Version::of_settings(Some(&fork.version)),
        parent: &fork.parent,
        message: fork.message,
        given: fork.given.as_deref(),
        now: LocalTime { year, month, day, hour, minute, second, millisecond },
        chats: fork.chats.len(),
    };
    let files: Vec<_> = fork.chats.iter().filter_map(|chat| names::chat_name(chat)).collect();
    new.name(|name| files.iter().any(|file| file == name)).ok()
}

/// The single argument of a function.
fn only<T: DeserializeOwned>(args: Value) -> Result<T, serde_json::Error> {
    serde_json::from_value::<(T,)>(args).map(|(arg,)| arg)
}
