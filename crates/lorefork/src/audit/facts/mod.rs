//! Facts: what one file says, without looking at any other.

mod chat;
mod header;
mod links;
mod lorebook;

pub(in crate::audit) use chat::name_hash;
pub use chat::{ChatFacts, First, MARKS, MOST_DAMAGE, Mark, SceneFacts};
pub use header::{Child, HeaderFacts, RunningFacts};
pub use links::{GroupFacts, LinkedBook, linked_by_settings};
pub use lorebook::{Book, BookFacts, EntryFacts, OperationFacts, QueueFacts};

use crate::tavern::names::same_lorebook;

/// All facts of one user folder.
#[derive(Debug, Clone, Default)]
pub struct Folder {
    pub chats: Vec<ChatFacts>,
    pub lorebooks: Vec<BookFacts>,
    pub groups: Vec<GroupFacts>,
    /// Lorebooks that act besides those of chats, by settings and cards.
    pub links: Vec<LinkedBook>,
    /// Operations that were begun and not ended: the texts of their intents.
    pub unfinished: Vec<String>,
}

impl Folder {
    pub(super) fn has_lorebook(&self, name: &str) -> bool {
        self.lorebooks.iter().any(|facts| same_lorebook(&facts.name, name))
    }
}
