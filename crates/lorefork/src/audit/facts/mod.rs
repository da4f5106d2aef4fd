//! Facts: what one file says, without looking at any other.

mod ahead;
mod chat;
mod header;
mod links;
mod lorebook;

pub(in crate::audit) use chat::name_hash;
pub use chat::{ChatFacts, First, MARKS, MOST_DAMAGE, Mark, SceneFacts};
pub use header::{Child, HeaderFacts, RunningFacts};
use links::linked_by_settings;
pub use links::{GroupFacts, LinkedBook};
pub use lorebook::{Book, BookFacts, EntryFacts, OperationFacts, QueueFacts};

use crate::sentence::Sentence;
use crate::tavern::names::same_lorebook;

/// All facts of one user folder.
#[derive(Debug, Clone, Default)]
pub struct Folder {
    /// Chats of all characters and groups.
    pub chats: Vec<ChatFacts>,
    /// All lorebooks, those that cannot be read included.
    pub lorebooks: Vec<BookFacts>,
    /// Groups whose record can be read.
    pub groups: Vec<GroupFacts>,
    /// Groups whose record cannot be read: their ids, and why. Which chats are theirs is not known.
    pub damaged_groups: Vec<(String, Sentence)>,
    /// Why the settings cannot be read. What they say is not known then.
    pub damaged_settings: Option<Sentence>,
    /// Lorebooks that act besides those of chats, by settings and cards.
    pub links: Vec<LinkedBook>,
    /// Operations that were begun and not ended: the texts of their intents.
    pub unfinished: Vec<String>,
}

impl Folder {
    /// Takes what a group's record says.
    pub fn add_group(&mut self, id: &str, text: &str) {
        match GroupFacts::read(id, text) {
            Ok(group) => self.groups.push(group),
            Err(why) => self.damaged_groups.push((id.to_owned(), why)),
        }
    }

    /// Takes what `settings.json` says.
    pub fn add_settings(&mut self, text: &str) {
        match linked_by_settings(text) {
            Ok(links) => self.links.extend(links),
            Err(why) => self.damaged_settings = Some(why),
        }
    }

    pub(super) fn has_lorebook(&self, name: &str) -> bool {
        self.lorebooks.iter().any(|facts| same_lorebook(&facts.name, name))
    }
}
