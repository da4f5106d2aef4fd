//! Entries of which nobody can tell: the lorebook lists them until somebody decides.

use crate::error::{Code, Error};
use crate::host::{ChatView, Document, Host, HostError};
use crate::json::{Json, JsonError, Member, Splices, quote, remove, set};
use crate::memory::recap::recorded::uid_text;
use crate::memory::recap::registry::{self, Mend};
use crate::operation::What;
use crate::operation::change::{Done, FileChange, FileRef, To, apply};
use crate::operation::recover::{self, Healed};
use crate::operation::title;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::chat::Header;
use crate::tavern::lorebook::{Entry, Lorebook, ours};
use crate::tavern::names;
use crate::tavern::place::{ChatRef, lorebook_file};

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    pub uid: String,
    pub name: String,
    /// Why nobody can tell.
    pub why: String,
    /// Other timelines that have it, too.
    pub with: Vec<String>,
    /// What it says now.
    pub content: String,
}

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is this timeline's, as it is.
    Keep,
    /// It is not: the entry goes, with its lines in registries.
    Drop,
}

/// All that a timeline's lorebook lists.
#[derive(Debug, Clone)]
pub struct Listed {
    pub lorebook: String,
    pub all: Vec<Open>,
}

/// A decision that was made.
#[derive(Debug, Clone)]
pub struct Decided {
    pub lorebook: String,
    pub entry: Open,
    /// How many are still open.
    pub left: usize,
    pub done: Done,
    pub healed: Vec<Healed>,
}

/// What is open in the lorebook of `chat`. Reads only.
pub async fn undecided<H: Host>(host: &H, chat: &ChatRef) -> Result<Listed, Error> {
    let (name, document) = lorebook_of(host, chat).await?;
    let book = Lorebook::read(&document.text).map_err(|problem| corrupt(&name, &problem))?;
    Ok(Listed { lorebook: name.clone(), all: listed(&book) })
}

/// Decides about one entry, by its number or its name.
pub async fn decide<H: Host>(
    host: &H,
    chat: &ChatRef,
    entry: &str,
    verdict: Verdict,
) -> Result<Decided, Error> {
    let claim = host.claim(&format!("deciding about an entry of {chat}")).await;
    let _claim = claim.map_err(|error| Error::writing(&error))?;
    let healed = recover::heal(host).await?;
    host.settle(chat).await.map_err(|error| Error::writing(&error))?;
    let (name, document) = lorebook_of(host, chat).await?;
    let book = Lorebook::read(&document.text).map_err(|problem| corrupt(&name, &problem))?;
    let all = listed(&book);
    let open = find(&all, entry, &name)?.clone();
    let text = decided(&book, &open, verdict).map_err(|problem| corrupt(&name, &problem))?;
    let changes = vec![FileChange {
        file: FileRef::Lorebook(name.clone()),
        seen: Some(document.stamp),
        to: To::Text(text),
    }];
    let title = match verdict {
        Verdict::Keep => title::KEPT,
        Verdict::Drop => title::DROPPED,
    };
    let title = Sentence { says: title, with: vec![open.name.as_str().into(), chat.into()] };
    let done = apply(host, What::Decide, title, changes).await?;
    Ok(Decided { lorebook: name, entry: open, left: all.len() - 1, done, healed })
}

async fn lorebook_of<H: Host>(host: &H, chat: &ChatRef) -> Result<(String, Document), Error> {
    let unread = |error: HostError| Error::reading(&error);
    let view = host.open(chat).await.map_err(unread)?;
    let header = Header::read(view.header()).ok();
    let name = header.and_then(|header| header.lorebook());
    let name = name.and_then(|name| names::lorebook_name(&name)).unwrap_or_default();
    let document = match name.is_empty() {
        true => None,
        false => host.lorebook(&name).await.map_err(unread)?,
    };
    let document = document.ok_or_else(|| {
        Error::new(
            Code::MissingLorebook,
            say!("{0}: there is no lorebook to decide about", chat.file()),
            say!("Attach a lorebook to the chat in SillyTavern first."),
        )
    })?;
    Ok((name, document))
}

fn corrupt(name: &str, problem: &dyn std::fmt::Display) -> Error {
    Error::new(
        Code::CorruptLorebook,
        say!("{0}: this lorebook cannot be read: {1}", lorebook_file(name), problem.to_string()),
        say!(
            "Repair the file or restore it from a backup of yours; SillyTavern keeps none of lorebooks."
        ),
    )
}

/// Marks whose entry is there: one that was deleted by hand is decided.
fn listed(book: &Lorebook<'_>) -> Vec<Open> {
    let marks = book.ours().and_then(|ours| ours.get("undecided")).map(Json::items);
    let open = |mark: Json<'_>| {
        let uid = uid_text(mark.some("uid")?);
        let entry = book.entries.iter().find(|entry| is_it(entry, &uid))?;
        let text = |key: &str| mark.get(key).and_then(Json::str).unwrap_or_default().into_owned();
        let with = mark.get("with").map(Json::items).unwrap_or_default();
        Some(Open {
            name: entry.comment().into_owned(),
            why: text("why"),
            with: with.iter().filter_map(|name| Some(name.str()?.into_owned())).collect(),
            content: entry.content().into_owned(),
            uid,
        })
    };
    marks.unwrap_or_default().into_iter().filter_map(open).collect()
}

fn is_it(entry: &Entry<'_>, uid: &str) -> bool {
    let key = || String::from_utf16_lossy(&entry.key);
    entry.some("uid").map_or_else(key, uid_text) == uid
}

fn find<'o>(all: &'o [Open], entry: &str, lorebook: &str) -> Result<&'o Open, Error> {
    let by_name: Vec<&Open> = all.iter().filter(|open| open.name == entry).collect();
    let by_number = all.iter().find(|open| open.uid == entry);
    match (by_number, by_name.as_slice()) {
        (Some(open), _) => Ok(open),
        (None, [open]) => Ok(*open),
        (None, several) => Err(Error::new(
            Code::NoSuchEntry,
            match several {
                [] => say!("“{0}” is not among the open entries of “{1}”", entry, lorebook),
                _ => say!("several open entries of “{1}” are called “{0}”", entry, lorebook),
            },
            say!("Look at the list, and take the number that stands there."),
        )),
    }
}

/// The lorebook without the mark, and without the entry if it goes.
fn decided(book: &Lorebook<'_>, open: &Open, verdict: Verdict) -> Result<String, JsonError> {
    let text = match verdict {
        Verdict::Keep => book.text.to_owned(),
        Verdict::Drop => without(book, open)?,
    };
    let root = Json::parse(&text)?;
    let marks = root.at(&ours("undecided")).map(Json::items).unwrap_or_default();
    let is_other = |mark: &&Json<'_>| mark.some("uid").map(uid_text).as_ref() != Some(&open.uid);
    let left: Vec<String> =
        marks.iter().filter(is_other).map(|mark| mark.text().to_owned()).collect();
    match left.is_empty() {
        true => remove(&text, &ours("undecided")),
        false => set(&text, &ours("undecided"), &format!("[{}]", left.join(","))),
    }
}

fn without(book: &Lorebook<'_>, open: &Open) -> Result<String, JsonError> {
    let mut splices = Splices::new(book.text);
    let entries = Json::parse(book.text)?.get("entries").unwrap_or(Json::EMPTY);
    let gone = book.entries.iter().find(|entry| is_it(entry, &open.uid));
    let key = gone.map(|entry| entry.key.clone());
    splices.cut_members(entries, |member: &Member<'_>| member.key.units() == key);
    let number = open.uid.parse::<i64>().ok();
    for entry in book.entries.iter().filter(|entry| registry::is_registry(&entry.comment())) {
        let content = entry.content();
        let mended = registry::mended(&content, |item| {
            let is_line = Some(item.uid) == number && registry::means(&item.name, &open.name);
            if is_line { Mend::Drop } else { Mend::Keep }
        });
        let shown = entry.json.get("content");
        if let Some(shown) = shown.filter(|_| mended != content) {
            splices.replace(shown, quote(&mended));
        }
    }
    Ok(splices.apply())
}
