//! How lorebooks are used, as far as headers tell.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::Lore;
use crate::tavern::names;

/// Who uses which lorebook. Counted from chats that are there.
#[derive(Debug, Clone, Default)]
pub struct Books {
    existing: BTreeSet<String>,
    used: BTreeMap<String, usize>,
    on_purpose: BTreeSet<String>,
}

impl Books {
    /// Of all names that files of lorebooks have.
    pub fn new(existing: impl IntoIterator<Item = String>) -> Self {
        Self { existing: existing.into_iter().collect(), ..Self::default() }
    }

    /// A chat names this one.
    pub fn count(&mut self, lorebook: Option<&str>) {
        if let Some(file) = lorebook.and_then(names::lorebook_name) {
            *self.used.entry(file).or_default() += 1;
        }
    }

    /// Those that more than one chat names.
    pub fn shared(&self) -> Vec<String> {
        let shared = self.used.iter().filter(|(_, users)| **users > 1);
        shared.map(|(book, _)| book.clone()).collect()
    }

    /// This one is shared because somebody wants it so.
    pub fn mean(&mut self, lorebook: &str) {
        self.on_purpose.extend(names::lorebook_name(lorebook));
    }

    /// How a chat that names this one stands.
    pub fn lore(&self, book: &str) -> Lore {
        match self.used.get(book) {
            _ if !self.existing.contains(book) => Lore::Missing,
            Some(users) if *users > 1 && self.on_purpose.contains(book) => Lore::OnPurpose,
            Some(users) if *users > 1 => Lore::Shared(users - 1),
            _ => Lore::Own,
        }
    }
}
