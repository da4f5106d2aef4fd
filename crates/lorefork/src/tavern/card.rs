//! Character cards.

/// What a fork needs to know of a character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    pub name: String,
    pub chat: Option<String>,
    pub lorebook: Option<String>,
}
