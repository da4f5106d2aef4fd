//! Lorebooks, and what snapshots hold of them.

use lorefork::json::quote;

use super::super::birth_key;
use super::super::played::{Book, Operation, Shared};

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

/// The whole, or with `own` only these.
pub(super) fn snapshot(book: &Book, lorebook: &str, own: Option<&[u64]>) -> Vec<String> {
    let world = quote(lorebook);
    let record = |uid: u64,
                  comment: &str,
                  keys: &str,
                  content: &str,
                  order: usize,
                  disable: bool,
                  tags: &str| {
        format!(
            r#"{{"comment":{},"uid":{uid},"world":{world},"key":[{keys}],"keysecondary":[],"content":{},"position":0,"depth":4,"order":{order},"role":0,"constant":false,"vectorized":false,"selective":true,"selectiveLogic":0,"sticky":4,"disable":{disable},"addMemo":false,"excludeRecursion":false,"preventRecursion":false,"ignoreBudget":true,"probability":100,"useProbability":true,"group":"","groupOverride":false,"groupWeight":100,"tags":[{tags}],"strategy":"normal"}}"#,
            quote(comment),
            quote(content)
        )
    };
    let tags = "\"auto_lorebooks_registry\"";
    let registry = record(0, "_registry_character", "", &lines(book), 900, true, tags);
    let mut all: Vec<String> = if own.is_none() { vec![registry] } else { Vec::new() };
    let shown = book.entries.iter().filter(|(uid, _)| own.is_none_or(|own| own.contains(uid)));
    all.extend(shown.map(|(uid, own)| {
        let keys = quote(&birth_key(own.birth));
        record(*uid, &own.lore.name, &keys, &own.lore.content, own.order, own.lore.disabled, "")
    }));
    all
}

/// Every other entry, as the oldest format has those that were active, and their names.
pub(super) fn activated(book: &Book, lorebook: &str) -> (String, String) {
    let world = quote(lorebook);
    let active = || book.entries.iter().filter(|(uid, own)| *uid % 2 == 0 && !own.lore.disabled);
    let entry = |(uid, own): (&u64, &Shared)| {
        let content = format!(
            "<setting_lore name=\"{}\" uid=\"{uid}\" world=\"{lorebook}\">{}</setting_lore>",
            own.lore.name, own.lore.content
        );
        format!(
            r#"{{"comment":{},"uid":{uid},"world":{world},"key":["{}"],"position":0,"depth":4,"order":{},"role":0,"constant":false,"vectorized":false,"sticky":4,"strategy":"normal","content":{}}}"#,
            quote(&own.lore.name),
            birth_key(own.birth),
            own.order,
            quote(&content)
        )
    };
    let entries: Vec<String> = active().map(entry).collect();
    let names: Vec<String> = active().map(|(_, own)| quote(&own.lore.name)).collect();
    (entries.join(","), names.join(","))
}

/// The file. `stamp` is what we say in it of ourselves.
pub(super) fn book(book: &Book, queue: &[Operation], stamp: &str) -> String {
    let entry = |uid: u64, own: &Shared| {
        let memory = own.memory.as_ref().map_or(String::new(), |(chat, start, end)| {
            format!(
                r#","stmemorybooks":true,"STMB_start":{start},"STMB_end":{end},"STMB_chatId":{}"#,
                quote(chat)
            )
        });
        format!(
            r#""{uid}":{{"uid":{uid},"key":["{}"],"keysecondary":["odd"],"comment":{},"content":{},"constant":false,"vectorized":false,"selective":true,"order":{},"disable":{},"ignoreBudget":true,"sticky":4,"scanDepth":{uid},"unknown":1.0{memory}}}"#,
            birth_key(own.birth),
            quote(&own.lore.name),
            quote(&own.lore.content),
            own.order,
            own.lore.disabled
        )
    };
    let mut entries = vec![format!(
        r#""0":{{"uid":0,"key":[],"comment":"_registry_character","content":{},"disable":true,"ignoreBudget":true,"sticky":4,"tags":["auto_lorebooks_registry"]}}"#,
        quote(&lines(book))
    )];
    entries.extend(book.entries.iter().map(|(uid, own)| entry(*uid, own)));
    let operations: Vec<String> = queue
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
    format!(r#"{{"entries":{{{}}}{stamp},"unknown":[1e5]}}"#, entries.join(","))
}
