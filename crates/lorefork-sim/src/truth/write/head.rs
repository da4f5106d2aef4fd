//! The first line of a chat.

use lorefork::json::quote;
use lorefork::memory::fingerprint::fingerprint;
use lorefork::memory::recap::hash::recap_hash;
use lorefork::tavern::lorebook::Lorebook;

use super::super::played::{Line, Played};
use super::book;
use crate::make::header;

pub(super) fn head(played: &Played, line: &Line) -> String {
    let versions: Vec<String> = line
        .versions
        .iter()
        .enumerate()
        .map(|(number, version)| {
            let events: Vec<String> =
                version.events.iter().map(|(name, content)| quote(&format!("{number}:{name}:{}", recap_hash(content)))).collect();
            format!(
                r#"{{"version":{number},"timestamp":{},"content":"So far {number}","scene_count":1,"prev_scene_index":0,"new_scene_index":{},"event_keys":[{}]}}"#,
                version.time, version.scene, events.join(",")
            )
        })
        .collect();
    let parent = line.parent.map_or(String::new(), |parent| {
        format!(r#""main_chat":{},"#, quote(&played.lines[parent].name))
    });
    let lorebook = quote(&played.books[line.writes_to].name);
    let recorded = recorded(played, line) + &mixed(played, line);
    header(&format!(
        r#"{{"integrity":{},{parent}"world_info":{lorebook},"auto_lorebooks":{{"lorebookName":{lorebook},"registry":{{"index":{{}}}}}},"auto_recap_running_scene_recaps":{{"chat_id":{},"current_version":{},"versions":[{}]}}{}{recorded}}}"#,
        quote(&slug(line)),
        quote(&line.name),
        line.versions.len().saturating_sub(1),
        versions.join(","),
        memories(played, line)
    ))
}

fn slug(line: &Line) -> String {
    format!("slug of {}", line.name)
}

fn id(line: &Line) -> String {
    format!("own {}", line.name)
}

/// How far MemoryBooks has come.
fn memories(played: &Played, line: &Line) -> String {
    let entries = played.books[line.writes_to].entries.values();
    let ends = entries.filter_map(|own| own.memory.as_ref());
    let last = ends.filter(|(chat, ..)| *chat == line.name).map(|(.., end)| *end).max();
    last.map_or(String::new(), |last| {
        format!(r#","STMemoryBooks":{{"sceneStart":null,"sceneEnd":null,"highestMemoryProcessed":{last}}}"#)
    })
}

/// Our record of a timeline whose lorebook we made. SillyTavern's copies of it have it, too.
fn recorded(played: &Played, line: &Line) -> String {
    let parent = line.parent.map(|parent| &played.lines[parent]);
    let Some(own) = &line.own else {
        return parent.map_or(String::new(), |parent| {
            if parent.own.is_some() { recorded(played, parent) } else { String::new() }
        });
    };
    let from = &played.books[own.of].name;
    let text = book::book(&own.made, &[], &stamp(played, line));
    let hash = Lorebook::read(&text).ok().and_then(|book| fingerprint(&book).ok());
    let shared = match own.is_isolated {
        true => format!(r#","shared":{{"lorebook":{},"until":{}}}"#, quote(from), own.time),
        false => String::new(),
    };
    let parent = parent.map_or("null".to_owned(), |parent| {
        format!(r#"{{"chat":{},"slug":{},"id":null}}"#, quote(&parent.name), quote(&slug(parent)))
    });
    format!(
        r#","lorefork":{{"v":1,"id":{},"kind":"{}","chat":{},"slug":{},"parent":{parent},"at":{},"base":{},"lore":{{"source":"live","quality":"exact","from":null,"of":{},"hash":{}}}{shared}}},"auto_recap_checkpoint_state":{{"timestamp":{},"message_id":{},"cloned_lorebook_name":{},"original_lorebook_name":{}}}"#,
        quote(&id(line)),
        if line.is_checkpoint { "checkpoint" } else { "branch" },
        quote(&line.name),
        quote(&slug(line)),
        own.at,
        quote(from),
        quote(from),
        hash.map_or("null".to_owned(), |hash| quote(&hash)),
        own.time,
        own.at,
        quote(&own.made.name),
        quote(from)
    )
}

/// Until when snapshots in its messages may show what others wrote, and what they do. Copies have it,
/// too.
fn mixed(played: &Played, line: &Line) -> String {
    let own = line.own.as_ref().filter(|own| own.is_mixed);
    let parent = line.parent.map(|parent| &played.lines[parent]);
    match (own, parent) {
        (Some(own), _) => {
            let foreign = own.foreign.iter().map(|(uid, name)| {
                format!(r#"{{"uid":"{uid}","name":{},"until":{}}}"#, quote(name), own.time)
            });
            let foreign = foreign.collect::<Vec<_>>().join(",");
            format!(r#","lorefork_mixed":{},"lorefork_foreign":[{foreign}]"#, own.time)
        }
        (None, Some(parent)) => mixed(played, parent),
        (None, None) => String::new(),
    }
}

/// What a lorebook that we made says of itself.
pub(super) fn stamp(played: &Played, line: &Line) -> String {
    line.own.as_ref().map_or(String::new(), |own| {
        format!(
            r#","extensions":{{"lorefork":{{"v":1,"id":{},"timeline":{},"from":{},"at":{}}}}}"#,
            quote(&id(line)),
            quote(&line.name),
            quote(&played.books[own.of].name),
            own.at
        )
    })
}
