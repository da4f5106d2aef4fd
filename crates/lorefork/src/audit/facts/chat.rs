//! Facts of a chat: its header, its damage, its scenes and its links.

use super::header::HeaderFacts;
use crate::host::Damage;
use crate::json::{Json, JsonError};
use crate::limits;
use crate::memory::entries::plain_name;
use crate::memory::recorded;
use crate::memory::scene;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::chat::{Header, HeaderProblem, Message};
use crate::tavern::place::ChatRef;

/// Only lines that contain one of these are worth reading; all others say nothing about the audit.
pub const MARKS: [&str; 3] = [scene::KEYS_BEGIN, "\"bookmark_link\"", "\"branches\""];

/// A file that is no chat at all has a million damaged lines; nobody reads more than these.
pub const MOST_DAMAGE: usize = 20;

/// What the first line is.
#[derive(Debug, Clone, PartialEq)]
pub enum First {
    /// Nothing: SillyTavern writes such files for chats without messages.
    Empty,
    /// A header, with what it says.
    Header(Box<HeaderFacts>),
    /// A message.
    NoHeader,
    /// It cannot be read; the text, for what it may name.
    Damaged(String),
}

/// What a message says about the scene it closes.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneFacts {
    /// The message that closes it.
    pub at: usize,
    /// Whether it tells when the lorebook was changed.
    pub is_evidence: bool,
    /// Whether a lorebook can be rebuilt from it.
    pub has_snapshot: bool,
    /// What its recaps say the scene wrote: hashes of name and text. An entry that a scene makes
    /// holds these words.
    pub wrote: Vec<(u64, u64)>,
}

/// Where a link of a message leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The message, from 0.
    pub at: usize,
    /// Whether it is the flag of a checkpoint; else the list of branches.
    pub is_checkpoint: bool,
    /// The name of the chat it leads to, which need not exist.
    pub name: String,
}

/// What a chat says.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatFacts {
    /// Which chat it is.
    pub chat: ChatRef,
    /// The size of its file.
    pub bytes: u64,
    /// Its header, if it has one.
    pub first: First,
    /// Whether it begins with a byte order mark.
    pub has_mark: bool,
    /// How many there are, damaged ones included.
    pub messages: usize,
    /// Its first damaged lines.
    pub damage: Vec<Damage>,
    /// Damaged lines beyond those.
    pub more_damage: usize,
    /// Why the file could not be read to its end.
    pub trouble: Option<Sentence>,
    /// Scenes in the order of their messages.
    pub scenes: Vec<SceneFacts>,
    /// Where its messages lead.
    pub links: Vec<Mark>,
}

impl ChatFacts {
    /// Of an empty chat; lines are added in their order.
    pub fn new(chat: ChatRef) -> Self {
        Self {
            chat,
            bytes: 0,
            first: First::Empty,
            has_mark: false,
            messages: 0,
            damage: Vec::new(),
            more_damage: 0,
            trouble: None,
            scenes: Vec::new(),
            links: Vec::new(),
        }
    }

    /// The first line that is not blank, and whether it is sound.
    pub fn add_header(&mut self, line: &str) {
        let text = line.strip_prefix('\u{feff}');
        self.has_mark = text.is_some();
        let text = text.unwrap_or(line);
        self.first = match Header::read(text) {
            Ok(header) => First::Header(Box::new(HeaderFacts::read(&header, &self.chat.name))),
            Err(HeaderProblem::Empty) => First::Empty,
            Err(HeaderProblem::Missing) if Json::parse(text).is_ok_and(Json::is_object) => {
                First::NoHeader
            }
            Err(HeaderProblem::Malformed(JsonError::TooDeep)) => {
                self.trouble = Some(say!("line 1: {0}", limits::TOO_DEEP));
                First::Empty
            }
            Err(_) => First::Damaged(text.to_owned()),
        };
    }

    /// A message whose line contains one of [`MARKS`].
    pub fn add_message(&mut self, at: usize, line: &str) {
        let Ok(message) = Message::read(line) else { return };
        if line.contains(scene::KEYS_BEGIN)
            && let Ok(Some(scene)) = scene::read(at, line)
            && (scene.is_break || scene.is_evidence)
        {
            self.scenes.push(SceneFacts {
                at,
                is_evidence: scene.is_evidence,
                has_snapshot: scene.snapshot.is_some(),
                wrote: wrote(message.json),
            });
        }
        for extra in message.extra().into_iter().chain(message.swipe_extras()) {
            let mut add = |is_checkpoint: bool, link: Option<Json<'_>>| {
                let name = link.and_then(Json::str).filter(|name| !name.is_empty());
                let Some(name) = name else { return };
                let mark = Mark { at, is_checkpoint, name: name.into_owned() };
                // Those of this message came last.
                let mut own = self.links.iter().rev().take_while(|link| link.at == at);
                if !own.any(|link| *link == mark) {
                    self.links.push(mark);
                }
            };
            add(true, extra.some("bookmark_link"));
            for branch in extra.get("branches").map(Json::items).unwrap_or_default() {
                add(false, Some(branch));
            }
        }
    }

    /// Notes a damaged line; of very many, only that there are more.
    pub fn add_damage(&mut self, damage: Damage) {
        if self.damage.len() < MOST_DAMAGE {
            self.damage.push(damage);
        } else {
            self.more_damage += 1;
        }
    }

    /// What its header says, if it can be read.
    pub fn header(&self) -> Option<&HeaderFacts> {
        match &self.first {
            First::Header(header) => Some(header),
            _ => None,
        }
    }

    /// Whether nobody knows what its header says: it is damaged, lost or was not read.
    pub(crate) fn is_header_lost(&self) -> bool {
        match self.first {
            First::Header(_) => false,
            First::NoHeader | First::Damaged(_) => true,
            First::Empty => self.trouble.is_some(),
        }
    }

    /// Whether all of it could be read, so that what is missing in it really is.
    pub(crate) fn is_whole(&self) -> bool {
        self.trouble.is_none() && self.damage.is_empty()
    }
}

fn wrote(message: Json<'_>) -> Vec<(u64, u64)> {
    let recorded = recorded::all(message).into_iter();
    let words = recorded.flat_map(|recorded| recorded.touched.words);
    words
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(name, text)| (name_hash(&name), short_hash(&text)))
        .collect()
}

/// Tells one entry's name from another.
pub(in crate::audit) fn name_hash(comment: &str) -> u64 {
    short_hash(&plain_name(comment))
}

/// Tells one text from another: a hash, since a folder has many snapshots.
pub(super) fn short_hash(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    hash.as_bytes()[..8].iter().fold(0, |all, byte| all << 8 | u64::from(*byte))
}
