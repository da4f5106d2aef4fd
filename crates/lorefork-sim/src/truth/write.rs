//! The story as files: one book, and a chat for every timeline, as plain SillyTavern has them.

use lorefork::json::quote;
use lorefork::memory::recap::hash::recap_hash;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork::tavern::time::iso;

use super::play::{Book, Line, Message, Played, Scene, Shared};
use super::{BOOK, birth_key};
use crate::folder::Folder;
use crate::make::header;

pub(super) fn folder(played: &Played) -> Folder {
    let mut folder = Folder::new();
    for line in &played.lines {
        let chat = ChatRef::new(Owner::Character("Isle".to_owned()), line.name.clone());
        let messages: Vec<String> = line
            .messages
            .iter()
            .enumerate()
            .map(|(at, own)| message(at, own, played, line))
            .collect();
        folder = folder.with_chat(&chat, &head(played, line), &messages);
    }
    folder.put(format!("worlds/{BOOK}.json"), book(played));
    folder
}

/// As if the timelines had never shared a book: each has its own, which nothing records.
pub(super) fn apart(played: &Played) -> Folder {
    let mut apart = folder(played);
    apart.remove(&format!("worlds/{BOOK}.json"));
    for (number, line) in played.lines.iter().enumerate() {
        let name = format!("{BOOK} {number}");
        let chat = ChatRef::new(Owner::Character("Isle".to_owned()), line.name.clone());
        let text = apart.text(&chat.file()).unwrap_or_default();
        let named = text.replace(&format!("\"{BOOK}\""), &quote(&name));
        apart.put(chat.file(), named);
        let entries: Vec<String> = line
            .book
            .iter()
            .map(|(birth, lore)| {
                format!(
                    r#""{birth}":{{"uid":{birth},"key":["{}"],"comment":{},"content":{},"disable":{}}}"#,
                    birth_key(*birth),
                    quote(&lore.name),
                    quote(&lore.content),
                    lore.disabled
                )
            })
            .collect();
        apart.put(
            format!("worlds/{name}.json"),
            format!(r#"{{"entries":{{{}}}}}"#, entries.join(",")),
        );
    }
    apart
}

fn head(played: &Played, line: &Line) -> String {
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
    header(&format!(
        r#"{{"integrity":{},{parent}"world_info":"{BOOK}","auto_lorebooks":{{"lorebookName":"{BOOK}","registry":{{"index":{{}}}}}},"auto_recap_running_scene_recaps":{{"chat_id":{},"current_version":{},"versions":[{}]}}}}"#,
        quote(&format!("slug of {}", line.name)),
        quote(&line.name),
        line.versions.len().saturating_sub(1),
        versions.join(",")
    ))
}

fn message(at: usize, own: &Message, played: &Played, line: &Line) -> String {
    let mut extra: Vec<String> = own.scene.iter().map(|scene| memory(at, scene)).collect();
    let forks: Vec<&Line> = played
        .lines
        .iter()
        .filter(|other| {
            other.fork == at
                && other.parent.is_some_and(|parent| played.lines[parent].name == line.name)
        })
        .collect();
    let checkpoint = forks.iter().find(|fork| fork.is_checkpoint);
    extra.extend(checkpoint.map(|link| format!(r#""bookmark_link":{}"#, quote(&link.name))));
    let branches: Vec<String> =
        forks.iter().filter(|fork| !fork.is_checkpoint).map(|fork| quote(&fork.name)).collect();
    if !branches.is_empty() {
        extra.push(format!(r#""branches":[{}]"#, branches.join(",")));
    }
    format!(
        r#"{{"name":"Isle","is_user":{},"is_system":false,"send_date":"{}","mes":"Message {}","extra":{{{}}}}}"#,
        at % 2 == 1,
        iso(own.date),
        own.id,
        extra.join(",")
    )
}

fn memory(at: usize, scene: &Scene) -> String {
    let entities: Vec<String> = scene
        .names
        .iter()
        .zip(&scene.words)
        .map(|(name, words)| {
            let (kind, name) = name.split_once('-').unwrap_or(("lore", name));
            format!(r#"{{"type":"{kind}","name":"{name}","content":["{words}"]}}"#)
        })
        .collect();
    let recap = format!(r#"{{"scene_name":"S","stage4":{{"entities":[{}]}}}}"#, entities.join(","));
    let recap = quote(&recap);
    let created = scene.created.as_ref().map_or(String::new(), |uids| {
        let uids: Vec<String> = uids.iter().map(|uid| format!("\"{uid}\"")).collect();
        format!(r#""created_entry_uids":[{}],"#, uids.join(","))
    });
    let all = scene.book.as_ref().map_or(String::new(), |book| snapshot(book).join(","));
    let time = scene.time;
    format!(
        r#""auto_recap_memory":{{"scene_break":true,"scene_break_visible":true,"scene_break_name":"S","scene_recap_versions":["",{recap}],"scene_recap_current_index":1,"scene_recap_memory":{recap},"scene_recap_metadata":{{"1":{{"timestamp":{},"startIdx":0,"endIdx":{at},"totalActivatedEntries":2,"chatLorebookName":"{BOOK}",{created}"combined_at":{time},"entries":[],"allEntries":[{all}]}}}}}}"#,
        time - 1000
    )
}

fn lines(book: &Book) -> String {
    let mut lines: Vec<String> = book
        .lines
        .iter()
        .map(|(uid, (name, synopsis))| {
            format!("- UID={uid} | name: {name} | aliases: — | synopsis: {synopsis}")
        })
        .collect();
    lines.sort_by_key(|line| line.split_once("name: ").map(|(_, rest)| rest.to_owned()));
    lines.insert(0, "[Registry: character]".to_owned());
    lines.join("\n")
}

fn snapshot(book: &Book) -> Vec<String> {
    let record = |uid: u64,
                  comment: &str,
                  keys: &str,
                  content: &str,
                  order: usize,
                  disable: bool,
                  tags: &str| {
        format!(
            r#"{{"comment":{},"uid":{uid},"world":"{BOOK}","key":[{keys}],"keysecondary":[],"content":{},"position":0,"depth":4,"order":{order},"role":0,"constant":false,"vectorized":false,"selective":true,"selectiveLogic":0,"sticky":4,"disable":{disable},"addMemo":false,"excludeRecursion":false,"preventRecursion":false,"ignoreBudget":true,"probability":100,"useProbability":true,"group":"","groupOverride":false,"groupWeight":100,"tags":[{tags}],"strategy":"normal"}}"#,
            quote(comment),
            quote(content)
        )
    };
    let mut all = vec![record(
        0,
        "_registry_character",
        "",
        &lines(book),
        900,
        true,
        "\"auto_lorebooks_registry\"",
    )];
    all.extend(book.entries.iter().map(|(uid, own)| {
        let keys = quote(&birth_key(own.birth));
        record(*uid, &own.lore.name, &keys, &own.lore.content, own.order, own.lore.disabled, "")
    }));
    all
}

fn book(played: &Played) -> String {
    let entry = |uid: u64, own: &Shared| {
        format!(
            r#""{uid}":{{"uid":{uid},"key":["{}"],"keysecondary":["odd"],"comment":{},"content":{},"constant":false,"vectorized":false,"selective":true,"order":{},"disable":{},"ignoreBudget":true,"sticky":4,"scanDepth":{uid},"unknown":1.0}}"#,
            birth_key(own.birth),
            quote(&own.lore.name),
            quote(&own.lore.content),
            own.order,
            own.lore.disabled
        )
    };
    let mut entries = vec![format!(
        r#""0":{{"uid":0,"key":[],"comment":"_registry_character","content":{},"disable":true,"ignoreBudget":true,"sticky":4,"tags":["auto_lorebooks_registry"]}}"#,
        quote(&lines(&played.book))
    )];
    entries.extend(played.book.entries.iter().map(|(uid, own)| entry(*uid, own)));
    let operations: Vec<String> = played
        .queue
        .iter()
        .map(|own| {
            format!(
                r#"{{"id":"{}","type":"validate_recap","status":"pending","params":{{"index":{}}},"created_at":{}}}"#,
                own.id, own.at, own.time
            )
        })
        .collect();
    let queue = format!(r#"{{"queue":[{}],"paused":false}}"#, operations.join(","));
    entries.push(format!(
        r#""1790000000000":{{"uid":1790000000000,"comment":"__operation_queue","content":{},"disable":true}}"#,
        quote(&queue)
    ));
    format!(r#"{{"entries":{{{}}},"unknown":[1e5]}}"#, entries.join(","))
}
