//! Chats and lorebooks, read just far enough to be judged.

use std::borrow::Cow;
use std::collections::BTreeSet;

use lorefork::json::{Json, Kind};
use lorefork::tavern::place::lorebook_file;

use crate::folder::Folder;
use crate::view::rows;

/// A chat whose header could be read.
#[derive(Debug, Clone)]
pub(super) struct Chat<'a> {
    pub(super) file: &'a str,
    pub(super) header: &'a str,
    pub(super) messages: Vec<&'a [u8]>,
}

impl<'a> Chat<'a> {
    /// `None` if there is no such file or no header in it.
    pub(super) fn read(folder: &'a Folder, file: &'a str) -> Option<Self> {
        let mut lines = rows(folder.get(file)?).into_iter().map(|row| row.bytes);
        let header = std::str::from_utf8(lines.next()?).ok()?;
        Json::parse(header).ok().filter(|json| json.is_object())?;
        Some(Self { file, header, messages: lines.collect() })
    }

    /// The chat's name: its file without folder and ending.
    pub(super) fn name(&self) -> &'a str {
        name_of(self.file)
    }

    pub(super) fn metadata(&self, path: &[&str]) -> Option<Json<'a>> {
        Json::parse(self.header).ok()?.get("chat_metadata")?.at(path)
    }

    /// The lorebook this chat names.
    pub(super) fn lorebook(&self) -> Option<Cow<'a, str>> {
        self.metadata(&["world_info"])?.str().filter(|name| !name.is_empty())
    }

    pub(super) fn message(&self, index: usize) -> Option<Json<'a>> {
        let text = std::str::from_utf8(self.messages.get(index)?).ok()?;
        Json::parse(text).ok()
    }
}

/// A chat's name, from its file.
pub(super) fn name_of(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.strip_suffix(".jsonl").unwrap_or(name)
}

/// All chats of a folder that have a header.
pub(super) fn chats(folder: &Folder) -> impl Iterator<Item = Chat<'_>> {
    folder.chats().filter_map(|file| Chat::read(folder, file))
}

/// Every lorebook some chat names.
pub(super) fn named(folder: &Folder) -> BTreeSet<String> {
    chats(folder).filter_map(|chat| chat.lorebook().map(Cow::into_owned)).collect()
}

/// A lorebook, if it is there and has entries.
pub(super) fn lorebook<'a>(folder: &'a Folder, name: &str) -> Option<Json<'a>> {
    readable(folder.get(&lorebook_file(name))?)
}

/// A lorebook's bytes, if they are a lorebook.
pub(super) fn readable(bytes: &[u8]) -> Option<Json<'_>> {
    let book = Json::parse(std::str::from_utf8(bytes).ok()?).ok()?;
    let entries = book.get("entries")?;
    matches!(entries.kind(), Kind::Object | Kind::Array).then_some(book)
}

/// Whether a lorebook says that we made it.
pub(super) fn is_ours(book: Json<'_>) -> bool {
    book.at(&["extensions", "lorefork"]).is_some_and(Json::is_object)
}

/// A lorebook's entries with their keys.
pub(super) fn entries(book: Json<'_>) -> Vec<(String, Json<'_>)> {
    let Some(entries) = book.get("entries") else { return Vec::new() };
    let keyed = entries.members().into_iter();
    keyed.map(|m| (m.key.str().unwrap_or_default().into_owned(), m.value)).collect()
}

/// Auto-Recap's queue is an entry that belongs to no moment.
pub(super) fn is_queue(entry: Json<'_>) -> bool {
    entry.get("comment").is_some_and(|comment| comment.says("__operation_queue"))
}
