//! What a timeline leaves behind that goes a way of its own from now on: none of what memory
//! extensions keep for the one it comes from may act on that any more.

use super::ALL;
use crate::tavern::chat::{Header, HeaderEdit};

/// By which each of them knows a chat, in the order of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identities(Vec<Option<String>>);

impl Identities {
    /// Those that stand in a header.
    pub fn of(header: &Header<'_>) -> Self {
        Self(ALL.iter().map(|memory| memory.identity(header)).collect())
    }

    /// Whether one of them stands in a text.
    pub fn are_in(&self, text: &str) -> bool {
        self.0.iter().flatten().any(|own| text.contains(own))
    }
}

/// What a timeline leaves behind that goes a way of its own from now on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parting {
    /// Whether it did not exist before, so that nothing in its metadata is of its own making.
    pub is_new: bool,
    /// For each row of the table the identity that it has with somebody else, and the one it gets
    /// instead.
    renewed: Vec<Option<(String, String)>>,
}

impl Parting {
    /// Of a new timeline with the metadata of `from`.
    pub fn of_new(from: &Header<'_>, chat: &str, operation: &str) -> Self {
        Self { is_new: true, renewed: renewed(from, chat, operation, &|_, _| true) }
    }

    /// Of a timeline that was there before. `others` are the headers of those that may have the same
    /// identity. The main chat keeps it; if nobody or everybody is that, each gets its own.
    pub fn of_former<'h>(
        own: &Header<'_>,
        others: impl IntoIterator<Item = &'h str>,
        chat: &str,
        operation: &str,
    ) -> Self {
        // Most have none, and a header may hold a megabyte of recaps.
        if Identities::of(own).0.iter().all(Option::is_none) {
            return Self::default();
        }
        let others = others.into_iter().filter_map(|other| Header::read(other).ok());
        let others: Vec<_> =
            others.map(|other| (Identities::of(&other), other.main_chat().is_none())).collect();
        let is_child = own.main_chat().is_some();
        let is_taken = |row: usize, old: &str| {
            others.iter().any(|(identities, is_main)| {
                identities.0[row].as_deref() == Some(old) && (is_child || *is_main)
            })
        };
        Self { is_new: false, renewed: renewed(own, chat, operation, &is_taken) }
    }

    /// Whether it gets another identity.
    pub fn renews(&self) -> bool {
        self.renewed.iter().any(Option::is_some)
    }

    /// What was there before, but with these identities.
    pub(crate) fn of_one_that_was(self) -> Self {
        Self { is_new: false, ..self }
    }
}

/// The former identities that are to go, and ones that nobody else has.
fn renewed(
    header: &Header<'_>,
    chat: &str,
    operation: &str,
    goes: &dyn Fn(usize, &str) -> bool,
) -> Vec<Option<(String, String)>> {
    let rows = ALL.iter().enumerate().map(|(row, memory)| {
        let old = memory.identity(header).filter(|old| goes(row, old))?;
        let mut hasher = blake3::Hasher::new();
        for part in [&old, chat, operation] {
            hasher.update(part.as_bytes()).update(b"\n");
        }
        let mut random = [0; 16];
        hasher.finalize_xof().fill(&mut random);
        Some((old, memory.new_identity(random)))
    });
    rows.collect()
}

/// The metadata of a timeline that goes its own way.
pub fn part(header: &mut HeaderEdit, parting: &Parting) {
    for (row, memory) in ALL.iter().enumerate() {
        let identity = parting.renewed.get(row).and_then(Option::as_ref);
        memory.part(header, parting, identity.map(|(_, new)| new.as_str()));
    }
}

/// The lorebook with entries that say they are of the timeline with this header, or the identity that
/// it gets; `others` are further ones that stand for it.
pub fn for_timeline(
    mut text: String,
    header: &Header<'_>,
    parting: &Parting,
    others: Option<&Identities>,
) -> String {
    for (row, memory) in ALL.iter().enumerate() {
        let own = memory.identity(header);
        let renewed = parting.renewed.get(row).and_then(Option::as_ref);
        let Some(to) = renewed.map(|(_, new)| new).or(own.as_ref()) else { continue };
        let other = others.and_then(|others| others.0.get(row)?.as_ref());
        let from: Vec<&str> = own.iter().chain(other).map(String::as_str).collect();
        text = memory.for_identity(text, &from, to);
    }
    text
}

/// The lorebook with entries that say so, only where the identity changes.
pub fn for_renewed(mut text: String, parting: &Parting) -> String {
    for (memory, renewed) in ALL.iter().zip(&parting.renewed) {
        if let Some((old, new)) = renewed {
            text = memory.for_identity(text, &[old], new);
        }
    }
    text
}
