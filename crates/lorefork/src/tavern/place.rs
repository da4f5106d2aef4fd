//! Where a chat stands inside a user folder.

use std::fmt;

use super::names::same_lorebook;
use crate::json::{Json, Object};
use crate::sentence::Value;

/// Whose chat it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// A character, by the folder of its chats: the avatar's file name without `.png`.
    Character(String),
    /// A group, by its id.
    Group(String),
}

impl Owner {
    /// As answers and records have it.
    pub fn json(&self) -> String {
        match self {
            Self::Character(folder) => Object::new().text("character", folder).done(),
            Self::Group(id) => Object::new().text("group", id).done(),
        }
    }
}

/// One chat: whose, and its name as the file on disk has it, without `.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChatRef {
    /// The character or group whose chat it is.
    pub owner: Owner,
    /// The file's name, without folder and extension.
    pub name: String,
}

impl ChatRef {
    /// A chat of this owner, by its file's name.
    pub fn new(owner: Owner, name: impl Into<String>) -> Self {
        Self { owner, name: name.into() }
    }

    /// Reads `{ "owner": { "character" or "group": … }, "name": … }`.
    pub fn read(json: Json<'_>) -> Option<Self> {
        let owner = json.get("owner")?;
        let owner = match owner.get("character") {
            Some(folder) => Owner::Character(folder.str()?.into_owned()),
            None => Owner::Group(owner.get("group")?.str()?.into_owned()),
        };
        Some(Self::new(owner, json.get("name")?.str()?))
    }

    /// What [`ChatRef::read`] reads.
    pub fn json(&self) -> String {
        let owner = self.owner.json();
        Object::new().raw("owner", &owner).text("name", &self.name).done()
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

impl From<&ChatRef> for Value {
    fn from(chat: &ChatRef) -> Self {
        Self::Name(chat.to_string())
    }
}

/// One file that an operation changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileRef {
    /// A chat's file.
    Chat(ChatRef),
    /// By its name.
    Lorebook(String),
    /// By its id.
    Group(String),
}

impl FileRef {
    /// Whether it is the same file: names of lorebooks are spelled as they were typed, and whose a
    /// group chat is may change.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Lorebook(one), Self::Lorebook(other)) => same_lorebook(one, other),
            _ => self.file() == other.file(),
        }
    }

    /// Relative to the user folder.
    pub fn file(&self) -> String {
        match self {
            Self::Chat(chat) => chat.file(),
            Self::Lorebook(name) => lorebook_file(name),
            Self::Group(id) => group_file(id),
        }
    }

    /// Its name, if it is a lorebook.
    pub(crate) fn lorebook(&self) -> Option<String> {
        match self {
            Self::Lorebook(name) => Some(name.clone()),
            _ => None,
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
