//! How lorebooks are used, as far as headers tell.

use super::tree::Lore;
use crate::sorted::{self, Index};
use crate::tavern::names;

/// Who uses which lorebook. Counted from chats that are there.
#[derive(Debug, Clone, Default)]
pub struct Books {
    /// In their order, as those below.
    existing: Vec<String>,
    used: Index<String, usize>,
    on_purpose: Vec<String>,
}

impl Books {
    /// Of all names that files of lorebooks have.
    pub fn new(existing: impl IntoIterator<Item = String>) -> Self {
        let mut existing: Vec<String> = existing.into_iter().collect();
        sorted::sort(&mut existing);
        Self { existing, ..Self::default() }
    }

    /// A chat names this one.
    pub fn count(&mut self, lorebook: Option<&str>) {
        if let Some(file) = lorebook.and_then(names::lorebook_name) {
            *self.used.or_insert(file, 0) += 1;
        }
    }

    /// Those that more than one chat names.
    pub fn shared(&self) -> Vec<String> {
        let shared = self.used.iter().filter(|(_, users)| *users > 1);
        shared.map(|(book, _)| book.clone()).collect()
    }

    /// This one is shared because somebody wants it so.
    pub fn mean(&mut self, lorebook: &str) {
        if let Some(file) = names::lorebook_name(lorebook) {
            sorted::insert(&mut self.on_purpose, file);
        }
    }

    /// How a chat that names this one stands.
    pub fn lore(&self, book: &str) -> Lore {
        let is_in = |list: &[String]| list.binary_search_by(|name| name.as_str().cmp(book)).is_ok();
        match self.used.get(book) {
            _ if !is_in(&self.existing) => Lore::Missing,
            Some(users) if *users > 1 && is_in(&self.on_purpose) => Lore::OnPurpose,
            Some(users) if *users > 1 => Lore::Shared(users - 1),
            _ => Lore::Own,
        }
    }
}
