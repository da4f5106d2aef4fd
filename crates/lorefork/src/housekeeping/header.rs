//! What of a header follows a name. Pure.

use crate::json::{Json, JsonError};
use crate::memory::back::Exchange;
use crate::memory::checkpoints::{self, MAP, in_map};
use crate::memory::names as memories;
use crate::moment::metadata::follow_lorebook;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names::same_lorebook;
use crate::timeline::record::{self, KEY, Record, SHARED_BOOK};

/// Where it says which lorebook is its own, or was the source of that.
const BOOK_NAMES: [&[&str]; 5] = [
    &["world_info"],
    &checkpoints::COPY,
    &checkpoints::ORIGINAL,
    &[KEY, "lore", "of"],
    &SHARED_BOOK,
];

/// The header of a chat that was called `from`.
pub(crate) fn renamed(text: &str, from: &str, to: &str) -> Result<String, JsonError> {
    let Ok(header) = Header::read(text) else { return Ok(text.to_owned()) };
    let mut edit = HeaderEdit::new(text);
    let is_own = record::own_id(&header, from).is_some() && !Record::is_newer(&header);
    if is_own && header.meta(&[KEY, "chat"]).is_some_and(|name| !name.says(to)) {
        edit.set_text(&[KEY, "chat"], to)?;
    }
    memories::follow_chat(&mut edit, from, to)?;
    Ok(edit.into_text())
}

/// Gives the timeline `chat` another parent, or none.
pub(crate) fn set_parent(
    edit: &mut HeaderEdit,
    chat: &str,
    parent: Option<&str>,
) -> Result<(), JsonError> {
    let before = edit.text().to_owned();
    let Ok(header) = Header::read(&before) else { return Ok(()) };
    let Some(parent) = parent else {
        edit.remove(&["main_chat"])?;
        // Without a parent a recap that says it is of another chat would be emptied.
        return memories::name_recap(edit, chat);
    };
    edit.set_text(&["main_chat"], parent)?;
    if header.meta(&[KEY, "parent"]).is_some_and(Json::is_object) && !Record::is_newer(&header) {
        edit.set_text(&[KEY, "parent", "chat"], parent)?;
    }
    Ok(())
}

/// The header whose map knows a timeline by its new name, or not any more.
pub(super) fn mapped(text: &str, from: &str, to: Option<&str>) -> Result<String, JsonError> {
    let Ok(header) = Header::read(text) else { return Ok(text.to_owned()) };
    let Some(book) = header.meta(&in_map(from)) else { return Ok(text.to_owned()) };
    let mut edit = HeaderEdit::new(text);
    edit.remove(&in_map(from))?;
    if let Some(to) = to {
        edit.set(&in_map(to), book.text())?;
    }
    Ok(edit.into_text())
}

/// The header as it names the lorebook `book`, which was called `from`.
pub(crate) fn with_book(
    text: &str,
    from: &str,
    to: &str,
    book: &Lorebook<'_>,
) -> Result<String, JsonError> {
    let Ok(header) = Header::read(text) else { return Ok(text.to_owned()) };
    let mut edit = HeaderEdit::new(text);
    let is_it = |json: Json<'_>| json.str().is_some_and(|name| same_lorebook(&name, from));
    for path in BOOK_NAMES {
        if header.meta(path).is_some_and(is_it) {
            edit.set_text(path, to)?;
        }
    }
    for child in header.meta(&MAP).map(Json::members).unwrap_or_default() {
        if let Some(name) = child.key.str().filter(|_| is_it(child.value)) {
            edit.set_text(&in_map(&name), to)?;
        }
    }
    memories::follow_lorebook(&mut edit, from, to)?;
    if header.meta(&["timedWorldInfo"]).is_some_and(|effects| effects.text().contains(from)) {
        let same = Exchange { from, live: Some(book), to, new: book, is_rebuilt: false };
        follow_lorebook(&mut edit, &header, &same)?;
    }
    Ok(edit.into_text())
}
