//! Facts of a lorebook.

use super::chat::short_hash;
use crate::json::Json;
use crate::memory::entries::{is_queue, is_registry};
use crate::memory::queues::{self, About, Queue};
use crate::memory::ranges;
use crate::memory::registries::{self, Item};
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::lorebook::Lorebook;

/// What a lorebook says.
#[derive(Debug, Clone, PartialEq)]
pub struct BookFacts {
    /// As its file is called.
    pub name: String,
    /// The size of its file.
    pub bytes: u64,
    /// Or why it cannot be read.
    pub book: Result<Book, Sentence>,
}

/// What a lorebook that can be read says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Book {
    /// Whether its user marked it so.
    pub is_shared_on_purpose: bool,
    /// When what others wrote to it was taken out.
    pub apart: Option<i64>,
    /// Whether Lorefork made it, or it says so.
    pub is_ours: bool,
    /// All of them, queues and registries included.
    pub entries: Vec<EntryFacts>,
    /// Registries by their type.
    pub registries: Vec<String>,
    /// The lines of its registries.
    pub items: Vec<Item>,
    /// Where work waits; there should be one at most.
    pub queues: Vec<QueueFacts>,
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryFacts {
    /// The number it says it has.
    pub uid: Option<i64>,
    /// Whether it stands under its own uid.
    pub is_in_place: bool,
    /// Its title.
    pub comment: String,
    /// A hash of its content.
    pub content: u64,
    /// What a memory says it was made from: its chat, if recorded, and the last message it is of.
    pub memory: Option<(Option<String>, i64)>,
}

impl EntryFacts {
    /// Whether it is a registry or the work queue, not lore.
    pub fn is_internal(&self) -> bool {
        is_registry(&self.comment) || is_queue(&self.comment)
    }
}

/// What a work queue says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueFacts {
    /// Whether its content is what the extension writes that keeps it.
    pub is_readable: bool,
    /// The work that waits in it.
    pub operations: Vec<OperationFacts>,
}

/// What a waiting operation is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationFacts {
    /// The highest message it names.
    pub message: Option<i64>,
    /// The lorebook it is for, if it names one.
    pub lorebook: Option<String>,
}

impl From<About> for OperationFacts {
    fn from(about: About) -> Self {
        Self {
            message: about.messages.into_iter().max(),
            lorebook: about.lorebook.filter(|name| !name.is_empty()),
        }
    }
}

impl BookFacts {
    /// Reads the bytes of a lorebook's file.
    pub fn read(name: &str, bytes: &[u8]) -> Self {
        let book = match std::str::from_utf8(bytes) {
            Err(_) => Err(say!("it is not UTF-8")),
            Ok(text) => Lorebook::read(text)
                .map(|book| read(&book))
                .map_err(|problem| Sentence::from(&problem)),
        };
        Self { name: name.to_owned(), bytes: bytes.len() as u64, book }
    }
}

fn read(book: &Lorebook<'_>) -> Book {
    let mut facts = Book {
        is_shared_on_purpose: book.is_shared_on_purpose(),
        apart: book.ours().and_then(|ours| ours.get("apart")?.integer()),
        is_ours: book.ours().is_some_and(|ours| ours.get("id").is_some()),
        ..Book::default()
    };
    for entry in &book.entries {
        let uid = entry.some("uid");
        let key = String::from_utf16_lossy(&entry.key);
        let comment = entry.comment().into_owned();
        if let Some(registry) = registries::of(&comment) {
            facts.registries.push(registry.kind.to_owned());
            facts.items.extend(registry.items(&entry.content()));
        } else if is_queue(&comment) {
            facts.queues.push(QueueFacts {
                is_readable: Queue::read(entry) != Queue::Unreadable,
                operations: queues::about(entry).into_iter().map(Into::into).collect(),
            });
        }
        facts.entries.push(EntryFacts {
            uid: uid.and_then(Json::integer),
            is_in_place: book.is_array
                || uid.is_none_or(|uid| crate::json::js::number(uid) == key || uid.says(&key)),
            memory: ranges::range(entry),
            content: short_hash(&entry.content()),
            comment,
        });
    }
    facts
}
