//! What an operation is about to do. Stored before the first write, kept as its record afterwards.

use serde::{Deserialize, Serialize};

use super::record::{self, LineChange, Operation, Touched};
use super::what::What;
use crate::moment::live::RECORD_VERSION;
use crate::tavern::place::{ChatRef, FileRef};

/// One operation, enough to finish it or take it back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Intent {
    pub v: u32,
    pub id: String,
    pub what: What,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The timeline that is made, or changed.
    pub chat: ChatRef,
    /// The slug it gets, by which it is recognised.
    pub slug: String,
    pub at: usize,
    /// The lorebook that is made.
    pub lorebook: Option<NewFile>,
    /// The group whose list the timeline enters.
    pub group: Option<String>,
    pub link: Option<LinkIntent>,
    /// Lines of existing chats that change, with what they said before.
    #[serde(default)]
    pub changes: Vec<Change>,
    #[serde(default)]
    pub done: bool,
}

/// A file of ours, recognised by its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewFile {
    pub name: String,
    pub hash: String,
}

impl NewFile {
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), hash: hash(text) }
    }

    pub fn is(&self, text: &str) -> bool {
        self.hash == hash(text)
    }
}

/// Tells one text from another.
pub fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The link that the parent gets last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkIntent {
    pub parent: ChatRef,
    /// Its new slug, if it is changed from outside.
    pub slug: Option<String>,
    /// The id of the family, if the parent has none yet.
    pub id: String,
    /// The hash of message N as it was judged. If it says something else later, it is not linked.
    pub message: String,
}

/// A line that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub chat: ChatRef,
    /// `null` is the header.
    pub message: Option<usize>,
    /// The former text, byte for byte.
    pub before: String,
    /// What the new one says, for taking it back.
    #[serde(default)]
    pub after: Option<String>,
}

/// What became of an intent, besides what it says itself.
#[derive(Debug, Clone, Default)]
pub struct Made {
    /// The stamp of the new timeline.
    pub chat: Option<String>,
    /// Whether the lines were changed, and the stamps before and after, where they are known.
    pub edited: Option<(Option<String>, Option<String>)>,
}

impl Intent {
    /// The record of a fork or isolation that is done.
    pub fn operation(&self, made: &Made) -> Operation {
        let mut files = Vec::new();
        let mut add = |file, change| files.push(Touched { file, change });
        if let Some(book) = &self.lorebook {
            let is = Some(book.hash.clone());
            add(FileRef::Lorebook(book.name.clone()), record::Change::Created { is });
        }
        if self.what != What::Isolate {
            let is = made.chat.clone();
            add(FileRef::Chat(self.chat.clone()), record::Change::Created { is });
        }
        if let Some(group) = &self.group {
            let chat = self.chat.name.clone();
            add(FileRef::Group(group.clone()), record::Change::Listed { chat });
        }
        if let (Some((from, to)), Some(first)) = (&made.edited, self.changes.first()) {
            let lines = self.changes.iter().filter_map(|change| {
                let (message, was) = (change.message, change.before.clone());
                Some(LineChange { message, was, is: change.after.clone()? })
            });
            let lines = lines.collect();
            let (from, to) = (from.clone(), to.clone());
            add(FileRef::Chat(first.chat.clone()), record::Change::Lines { from, to, lines });
        }
        Operation {
            id: self.id.clone(),
            what: self.what,
            title: self.chat.to_string(),
            time: self.time,
            undoes: None,
            files,
            done: true,
        }
    }

    pub fn text(&self) -> String {
        // There is nothing in it that JSON cannot say.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Reads one back; a newer Lorefork's is an error, since we would lose what we do not know.
    pub fn read(text: &str) -> Result<Self, String> {
        let intent: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if intent.v > RECORD_VERSION {
            Err("it was made by a newer Lorefork".to_owned())
        } else {
            Ok(intent)
        }
    }
}
