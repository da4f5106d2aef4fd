//! Registries: entries of a lorebook that list which of its entries a memory extension knows, by
//! number and name; and the index of them in the metadata of a chat.

use super::ALL;
use super::entries::plain_name;
use crate::json::{Json, JsonError, Member, quote, set};
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::lorebook::{Entry, Lorebook};

/// One line of a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The type of the entry, which is that of the registry.
    pub kind: String,
    /// The entry that the line leads to.
    pub uid: i64,
    /// What that entry should be called.
    pub name: String,
    /// Further names of the same thing.
    pub aliases: Vec<String>,
    /// A line about it, for the model that decides what to update.
    pub synopsis: String,
}

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mend {
    /// It is right.
    Keep,
    /// It leads to this entry.
    Uid(i64),
    /// It leads nowhere, and goes.
    Drop,
}

/// How a memory extension keeps its registries.
pub(super) trait Registries: Sync {
    /// Which entries a registry with this comment lists; `None` if it is none.
    fn kind<'c>(&self, comment: &'c str) -> Option<&'c str>;

    /// What a registry's content lists.
    fn items(&self, content: &str) -> Vec<Item>;

    /// What a line of it lists, without its kind.
    fn line_item(&self, line: &str) -> Option<Item>;

    /// A line that listed an entry by the number `from`, with the number `to`.
    fn renumbered(&self, line: &str, from: &str, to: &str) -> Option<String>;

    /// A registry's content with its lines mended; all others stay as they are spelled.
    fn mended(&self, content: &str, mend: &dyn Fn(&Item) -> Mend) -> String;

    /// Whether a line could not be added to the content so that anybody reads it.
    fn is_closed(&self, content: &str) -> bool;

    /// A registry's content with more lines, each among its neighbours in the alphabet.
    fn with_items(&self, content: &str, kind: &str, new: &[Item]) -> String;

    /// The names under which lines can list an entry with this comment; the last is the one that a
    /// new line would have.
    fn names_of(&self, comment: &str) -> Vec<String>;
}

/// A registry among the entries of a lorebook.
#[derive(Clone, Copy)]
pub struct Registry<'c> {
    /// What it lists.
    pub kind: &'c str,
    of: &'static dyn Registries,
}

/// The registry that an entry with this comment is.
pub fn of(comment: &str) -> Option<Registry<'_>> {
    all().find_map(|of| Some(Registry { kind: of.kind(comment)?, of }))
}

impl Registry<'_> {
    /// What its content lists.
    pub fn items(self, content: &str) -> Vec<Item> {
        self.of.items(content)
    }

    /// Its content with its lines mended.
    pub fn mended(self, content: &str, mend: impl Fn(&Item) -> Mend) -> String {
        self.of.mended(content, &mend)
    }

    /// Whether a line could not be added to the content so that anybody reads it.
    pub fn is_closed(self, content: &str) -> bool {
        self.of.is_closed(content)
    }

    /// Its content with more lines.
    pub fn with_items(self, content: &str, new: &[Item]) -> String {
        self.of.with_items(content, self.kind, new)
    }
}

/// What people call the extension that keeps registries.
pub fn keeper() -> &'static str {
    super::name_of(|memory| memory.registries().is_some())
}

fn all() -> impl Iterator<Item = &'static dyn Registries> {
    ALL.iter().filter_map(|memory| memory.registries())
}

/// All that the registries of a lorebook list.
pub fn items(book: &Lorebook<'_>) -> Vec<Item> {
    let items = |entry: &Entry<'_>| Some(of(&entry.comment())?.items(&entry.content()));
    book.entries.iter().filter_map(items).flatten().collect()
}

/// What a line of a registry lists, without its kind.
pub fn line_item(line: &str) -> Option<Item> {
    all().find_map(|of| of.line_item(line))
}

/// A line that listed an entry by the number `from`, with the number `to`; as it is if it does not
/// say so.
pub fn renumbered(line: &str, from: &str, to: &str) -> String {
    all().find_map(|of| of.renumbered(line, from, to)).unwrap_or_else(|| line.to_owned())
}

/// Whether a line's name is that of an entry with this comment.
pub fn means(name: &str, comment: &str) -> bool {
    names_of(comment).contains(&plain_name(name.trim()))
}

/// The names under which lines can list an entry with this comment; the last is the one that a new
/// line would have.
pub fn names_of(comment: &str) -> Vec<String> {
    all().flat_map(|of| of.names_of(comment)).collect()
}

/// An entry of a lorebook, which may be a registry, with its lines mended; its bytes if nothing is.
pub fn mended(entry: Json<'_>, mend: impl Fn(&Item) -> Mend) -> Result<String, JsonError> {
    let comment = entry.get("comment").and_then(Json::str).unwrap_or_default();
    let Some(registry) = of(&comment) else { return Ok(entry.text().to_owned()) };
    let content = entry.get("content").and_then(Json::str).unwrap_or_default();
    let mended = registry.mended(&content, mend);
    if mended == content {
        return Ok(entry.text().to_owned());
    }
    set(entry.text(), &["content"], &quote(&mended))
}

/// What the metadata lists beside the registries, by number and name.
pub fn index(metadata: &[Member<'_>]) -> Vec<(i64, String)> {
    ALL.iter().flat_map(|memory| memory.index(metadata)).collect()
}

/// The metadata lists just these.
pub(crate) fn set_index(header: &mut HeaderEdit, items: &[Item]) -> Result<(), JsonError> {
    ALL.iter().try_for_each(|memory| memory.set_index(header, items))
}

/// The metadata lists these besides, if it lists any.
pub(crate) fn add_to_index(
    header: &mut HeaderEdit,
    before: &Header<'_>,
    items: &[Item],
) -> Result<(), JsonError> {
    ALL.iter().try_for_each(|memory| memory.add_to_index(header, before, items))
}
