//! Entries of a lorebook that are no lore, and the name by which an entry is recognised.

use super::ALL;
use crate::json::JsonError;

/// What an entry is for that a memory extension keeps for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It lists which entries the lorebook has.
    Registry,
    /// Work waits in it.
    Queue,
}

/// What an entry with this comment is for; `None` if it is lore.
pub fn role(comment: &str) -> Option<Role> {
    ALL.iter().find_map(|memory| memory.role(comment))
}

/// Whether it lists which entries the lorebook has.
pub fn is_registry(comment: &str) -> bool {
    role(comment) == Some(Role::Registry)
}

/// Whether work waits in it.
pub fn is_queue(comment: &str) -> bool {
    role(comment) == Some(Role::Queue)
}

/// Whether somebody records this as the comment of an entry that has none.
pub fn is_no_name(comment: &str) -> bool {
    ALL.iter().any(|memory| memory.is_no_name(comment))
}

/// The lorebook with its entries ordered by name, where somebody orders them.
pub fn by_name(text: String) -> Result<String, JsonError> {
    ALL.iter().try_fold(text, |text, memory| Ok(memory.arranged(&text)?.unwrap_or(text)))
}

/// The name by which an entry is recognised, from its comment.
pub fn plain_name(comment: &str) -> String {
    let name = ALL.iter().find_map(|memory| memory.plain_name(comment));
    name.unwrap_or_else(|| comment.to_lowercase())
}
