//! What one timeline knows that another does not: where they part, and what differs in lorebook,
//! registries, running recap, variables and notes. What differs is decided here; how the words of it
//! are shown is up to whoever draws.

mod entries;
mod json;

pub use entries::{Changed, Entries, EntryOf, Field};
pub(super) use entries::{Match, fields, is_lore, matches};

use super::identity::Identity;
use crate::error::{Code, Error};
use crate::host::{ChatView, Host, HostError};
use crate::json::{Json, Style, js};
use crate::memory::entries::plain_name;
use crate::memory::registries::{self, Item};
use crate::memory::running::Running;
use crate::say;
use crate::sorted;
use crate::tavern::chat::Header;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names;
use crate::tavern::place::ChatRef;

/// Messages that are shown where two timelines part: of the common ones, and of each.
const AROUND: usize = 2;

/// The author's note: its text, and where it goes.
const NOTES: [&str; 5] =
    ["note_prompt", "note_interval", "note_position", "note_depth", "note_role"];

/// Two timelines beside each other.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The one that was asked about.
    pub here: Side,
    /// The one beside it.
    pub there: Side,
    /// How many messages both have, from the beginning.
    pub shared: usize,
    /// The last of those.
    pub before: Vec<Said>,
    /// What the lorebooks say.
    pub entries: Entries,
    /// Lines of registries that differ.
    pub registries: Vec<Listed>,
    /// The running recaps, if they are not the same.
    pub recap: Option<Pair>,
    /// Variables of the chat that differ.
    pub variables: Vec<Pair>,
    /// The author's notes, where they differ.
    pub notes: Vec<Pair>,
}

/// One of the two.
#[derive(Debug, Clone)]
pub struct Side {
    /// Which timeline it is.
    pub chat: ChatRef,
    /// How many messages it has.
    pub messages: usize,
    /// Its lorebook's name, if it has one.
    pub lorebook: Option<String>,
    /// Whether that is there.
    pub has_lorebook: bool,
    /// Its first messages that the other does not have.
    pub after: Vec<Said>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Its number, from 0.
    pub at: usize,
    /// Who says it.
    pub name: String,
    /// Its beginning.
    pub text: String,
}

/// Something that is not the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// What it is called.
    pub key: String,
    /// `None` if this side does not have it.
    pub here: Option<String>,
    /// `None` if the other side does not.
    pub there: Option<String>,
}

/// A line of a registry that is not the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The type of the registry.
    pub kind: String,
    /// `None` if this side does not list it.
    pub here: Option<Item>,
    /// `None` if the other side does not.
    pub there: Option<Item>,
}

impl Comparison {
    /// Whether nothing differs.
    pub fn is_same(&self) -> bool {
        self.here.messages == self.shared
            && self.there.messages == self.shared
            && self.entries.is_same()
            && self.registries.is_empty()
            && self.recap.is_none()
            && self.variables.is_empty()
            && self.notes.is_empty()
    }

    /// Whether both name the same lorebook.
    pub fn is_same_book(&self) -> bool {
        match (&self.here.lorebook, &self.there.lorebook) {
            (Some(here), Some(there)) => names::same_lorebook(here, there),
            _ => false,
        }
    }
}

/// Compares two timelines. Reads only.
pub async fn compare<H: Host>(
    host: &H,
    here: &ChatRef,
    there: &ChatRef,
) -> Result<Comparison, Error> {
    let one = host.open(here).await?;
    let other = host.open(there).await?;
    let shared = common(&one, &other)?;
    let before = said(&one, shared.saturating_sub(AROUND)..shared)?;
    let mut sides = Vec::new();
    let mut texts = Vec::new();
    for view in [&one, &other] {
        let name = header(view)?.lorebook();
        let text = match name.as_deref().and_then(names::lorebook_name) {
            Some(file) => host.lorebook(&file).await?.map(|book| book.text),
            None => None,
        };
        sides.push(Side {
            chat: view.chat().clone(),
            messages: view.len(),
            lorebook: name,
            has_lorebook: text.is_some(),
            after: said(view, shared..shared + AROUND)?,
        });
        texts.push(text.unwrap_or_else(crate::tavern::lorebook::empty_book));
    }
    let (Some(there_side), Some(here_side)) = (sides.pop(), sides.pop()) else {
        return Err(Error::new(Code::ReadFailed, say!("there is nothing to compare"), None));
    };
    let mine = book(&texts[0], &here_side)?;
    let theirs = book(&texts[1], &there_side)?;
    let (head, other_head) = (header(&one)?, header(&other)?);
    Ok(Comparison {
        shared,
        before,
        entries: Entries::of(&mine, &theirs)?,
        registries: registries(&mine, &theirs),
        recap: differs("recap", recap(&head), recap(&other_head)),
        variables: variables(&head, &other_head),
        notes: NOTES
            .iter()
            .filter_map(|key| {
                differs(key, plain(head.meta(&[key])), plain(other_head.meta(&[key])))
            })
            .collect(),
        here: here_side,
        there: there_side,
    })
}

/// How many messages two chats have in common, from the beginning.
fn common<C: ChatView>(a: &C, b: &C) -> Result<usize, HostError> {
    let most = a.len().min(b.len());
    for at in 0..most {
        let (one, other) = (a.line(at)?, b.line(at)?);
        if one != other && Identity::of(one.as_bytes()) != Identity::of(other.as_bytes()) {
            return Ok(at);
        }
    }
    Ok(most)
}

fn said<C: ChatView>(view: &C, range: std::ops::Range<usize>) -> Result<Vec<Said>, HostError> {
    let mut all = Vec::new();
    for at in range.start..range.end.min(view.len()) {
        let line = view.line(at)?;
        let json = Json::parse(&line).ok();
        let text = |key: &str| {
            let text = json.and_then(|json| json.get(key)?.str());
            text.map(|text| text.into_owned()).unwrap_or_default()
        };
        all.push(Said { at, name: text("name"), text: text("mes") });
    }
    Ok(all)
}

pub(super) fn header<C: ChatView>(view: &C) -> Result<Header<'_>, Error> {
    let text = view.header().trim_start_matches('\u{feff}');
    Header::read(text).map_err(|problem| {
        let message = say!("{0}: {1}", view.chat().file(), &problem);
        Error::new(Code::MissingHeader, message, say!("Restore the chat from a backup."))
    })
}

fn book<'a>(text: &'a str, side: &Side) -> Result<Lorebook<'a>, Error> {
    Lorebook::read(text).map_err(|problem| {
        let name = side.lorebook.as_deref().unwrap_or_default();
        unreadable(name, &problem)
    })
}

pub(super) fn unreadable(name: &str, problem: &crate::tavern::lorebook::LorebookProblem) -> Error {
    let message = say!("the lorebook “{0}” cannot be read: {1}", name, problem);
    Error::new(Code::CorruptLorebook, message, say!("Repair or replace it, then try again."))
}

/// Lines of registries, each known by its kind and name.
fn registries(here: &Lorebook<'_>, there: &Lorebook<'_>) -> Vec<Listed> {
    let (mine, theirs) = (registries::items(here), registries::items(there));
    let key = |item: &Item| (item.kind.clone(), plain_name(&item.name));
    let find =
        |items: &[Item], of: &Item| items.iter().find(|other| key(other) == key(of)).cloned();
    // The number is where it is kept, not what it says.
    let says = |item: &Item| (item.aliases.clone(), item.synopsis.clone());
    let mut listed = Vec::new();
    for item in &mine {
        let other = find(&theirs, item);
        if other.as_ref().map(says) != Some(says(item)) {
            listed.push(Listed { kind: item.kind.clone(), here: Some(item.clone()), there: other });
        }
    }
    for item in theirs.iter().filter(|item| find(&mine, item).is_none()) {
        listed.push(Listed { kind: item.kind.clone(), here: None, there: Some(item.clone()) });
    }
    listed
}

/// The running recap's version in use.
fn recap(header: &Header<'_>) -> Option<String> {
    let running = Running::of(header)?;
    let content = running.current()?.content.clone()?;
    Json::parse(&content).ok()?.str().map(|text| text.into_owned())
}

fn variables(here: &Header<'_>, there: &Header<'_>) -> Vec<Pair> {
    let all = |header: &Header<'_>| -> Vec<(String, Option<String>)> {
        let members = header.meta(&["variables"]).map(Json::members).unwrap_or_default();
        let name = |key: Json<'_>| key.str().map(|name| name.into_owned());
        let pair = |(key, value)| Some((name(key)?, plain(Some(value))));
        members.iter().map(|member| (member.key, member.value)).filter_map(pair).collect()
    };
    let (mine, theirs) = (all(here), all(there));
    let find = |all: &[(String, Option<String>)], key: &str| {
        all.iter().find(|(name, _)| name == key).and_then(|(_, value)| value.clone())
    };
    let mut names: Vec<&String> = mine.iter().chain(&theirs).map(|(name, _)| name).collect();
    sorted::sort(&mut names);
    names.dedup();
    let pairs = names.into_iter().map(|name| differs(name, find(&mine, name), find(&theirs, name)));
    pairs.flatten().collect()
}

fn differs(key: &str, here: Option<String>, there: Option<String>) -> Option<Pair> {
    (here != there).then(|| Pair { key: key.to_owned(), here, there })
}

/// A text as it is, anything else as it is printed.
fn plain(json: Option<Json<'_>>) -> Option<String> {
    let json = json?;
    let printed = || js::stringify(json, Style::Compact).unwrap_or_default();
    Some(json.str().map_or_else(printed, |text| text.into_owned()))
}
