//! Where a chat stands inside a user folder.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whose chat it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// A character, by the folder of its chats: the avatar's file name without `.png`.
    Character(String),
    /// A group, by its id.
    Group(String),
}

/// One chat: whose, and its name as the file on disk has it, without `.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ChatRef {
    pub owner: Owner,
    pub name: String,
}

impl ChatRef {
    pub fn new(owner: Owner, name: impl Into<String>) -> Self {
        Self { owner, name: name.into() }
    }

    /// Another chat of the same character or group.
    pub fn sibling(&self, name: impl Into<String>) -> Self {
        Self::new(self.owner.clone(), name)
    }

    /// The file, relative to the user folder.
    pub fn file(&self) -> String {
        match &self.owner {
            Owner::Character(folder) => format!("chats/{folder}/{}.jsonl", self.name),
            // One flat folder for all groups; whose chat it is, only the group's record says.
            Owner::Group(_) => format!("group chats/{}.jsonl", self.name),
        }
    }
}

impl fmt::Display for ChatRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.owner {
            Owner::Character(folder) => write!(f, "{folder}/{}", self.name),
            Owner::Group(id) => write!(f, "group:{id}/{}", self.name),
        }
    }
}

/// One file that an operation changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileRef {
    Chat(ChatRef),
    /// By its name.
    Lorebook(String),
    /// By its id.
    Group(String),
}

impl FileRef {
    /// Relative to the user folder.
    pub fn file(&self) -> String {
        match self {
            Self::Chat(chat) => chat.file(),
            Self::Lorebook(name) => lorebook_file(name),
            Self::Group(id) => group_file(id),
        }
    }
}

/// The file of a lorebook, relative to the user folder.
pub fn lorebook_file(name: &str) -> String {
    format!("worlds/{name}.json")
}

/// The file of a group's record, relative to the user folder.
pub fn group_file(id: &str) -> String {
    format!("groups/{id}.json")
}
