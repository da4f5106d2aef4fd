//! The story as files: lorebooks, and a chat for every timeline, as plain SillyTavern has them.

mod book;
mod head;
mod scene;

use lorefork::housekeeping::{DeletedChat, Happened, follow};
use lorefork::json::quote;
use lorefork::removal::delete::delete;
use lorefork::tavern::place::{ChatRef, Owner, lorebook_file};
use lorefork::tavern::time::iso;

use super::played::{Gone, Line, Message, Played};
use super::{BOOK, birth_key};
use crate::folder::Folder;
use crate::host::SimHost;

pub(super) fn folder(played: &Played) -> Folder {
    let mut folder = Folder::new();
    for line in played.lines.iter().filter(|line| is_written(line)) {
        let messages: Vec<String> = line
            .messages
            .iter()
            .enumerate()
            .map(|(at, own)| message(at, own, played, line))
            .collect();
        folder = folder.with_chat(&chat(line), &head::head(played, line), &messages);
    }
    for (number, own) in played.books.iter().enumerate() {
        let queue = if number == 0 { played.queue.as_slice() } else { &[] };
        let from = played.lines.iter().find(|line| line.own.is_some() && line.writes_to == number);
        let stamp = from.map(|line| head::stamp(played, line)).unwrap_or_default();
        folder.put(lorebook_file(&own.name), book::book(own, queue, &stamp));
    }
    let has_tombstones = played.features.tombstones;
    played.lines.iter().fold(folder, |folder, line| deleted(folder, line, has_tombstones))
}

fn chat(line: &Line) -> ChatRef {
    ChatRef::new(Owner::Character("Isle".to_owned()), line.name.clone())
}

fn is_written(line: &Line) -> bool {
    !matches!(line.gone, Some(Gone::Linked | Gone::Unlinked))
}

/// The folder after a timeline was deleted that we know of, with all that we leave of it.
fn deleted(mut folder: Folder, line: &Line, has_tombstones: bool) -> Folder {
    let chat = chat(line);
    let done = match line.gone {
        Some(Gone::ByUs) => {
            let host = SimHost::new(folder).outside();
            let done = host.run(delete(&host, &chat, &[])).returned();
            folder = host.folder();
            done.is_some_and(|done| done.is_ok())
        }
        Some(Gone::Seen) => {
            let text = folder.remove(&chat.file()).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let mut lines = text.lines().map(str::to_owned);
            let header = lines.next().unwrap_or_default();
            let messages = if has_tombstones { lines.collect() } else { Vec::new() };
            let chats = vec![DeletedChat { chat, header, messages }];
            let host = SimHost::new(folder);
            let happened = Happened::ChatsDeleted { chats };
            let done = host.run(follow(&host, &happened)).returned();
            folder = host.folder();
            done.is_some_and(|done| done.is_ok())
        }
        _ => true,
    };
    assert!(done, "{} is not deleted", line.name);
    folder
}

/// As if the timelines had never shared a book: each has its own, which nothing records.
pub(super) fn apart(played: &Played) -> Folder {
    let mut apart = folder(played);
    apart.remove(&lorebook_file(BOOK));
    for (number, line) in played.lines.iter().enumerate().filter(|(_, line)| line.gone.is_none()) {
        let name = format!("{BOOK} {number}");
        let chat = chat(line);
        let text = apart.text(&chat.file()).unwrap_or_default();
        let named = text.replace(&format!("\"{BOOK}\""), &quote(&name));
        apart.put(chat.file(), named);
        let entries: Vec<String> = line
            .now
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
        apart.put(lorebook_file(&name), format!(r#"{{"entries":{{{}}}}}"#, entries.join(",")));
    }
    apart
}

fn message(at: usize, own: &Message, played: &Played, line: &Line) -> String {
    let lorebook = &played.books[line.writes_to].name;
    let mut extra: Vec<String> = scene::memory(at, own, lorebook).into_iter().collect();
    let swipes = scene::swipes(at, own, lorebook);
    let forks: Vec<&Line> = played
        .lines
        .iter()
        .filter(|other| {
            other.fork == at
                && other.gone != Some(Gone::Unlinked)
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
        r#"{{"name":"Isle","is_user":{},"is_system":false,"send_date":"{}","mes":{},"extra":{{{}}}{swipes}}}"#,
        at % 2 == 1,
        iso(own.date),
        quote(&scene::said(own)),
        extra.join(",")
    )
}
