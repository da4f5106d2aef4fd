//! The lorebook that a chat names, as its file is.

use std::cell::OnceCell;

use super::Look;
use crate::error::{Code, Error, REPAIR_LOREBOOK};
use crate::host::{Document, HeaderOf, Host};
use crate::naming;
use crate::say;
use crate::tavern::chat::Header;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names;
use crate::tavern::place::lorebook_file;
use crate::timeline::record;

/// The lorebook a chat names.
#[derive(Debug, Clone)]
pub struct SeenLorebook {
    /// As the chat names it.
    pub name: String,
    /// As its file is called.
    pub file: String,
    /// `None` if there is no such file.
    pub document: Option<Document>,
}

/// Where its text lies: it is read once, and what was read points there.
#[derive(Debug, Default)]
pub(in crate::fork) struct Shelf(OnceCell<SeenLorebook>);

impl Shelf {
    /// The lorebook, read; an error that names its file if it cannot be. `None` if there is none.
    pub(in crate::fork) fn read(
        &self,
        seen: Option<&SeenLorebook>,
    ) -> Result<Option<Lorebook<'_>>, Error> {
        let Some(seen) = seen else { return Ok(None) };
        let Some(document) = &self.0.get_or_init(|| seen.clone()).document else { return Ok(None) };
        Lorebook::read(&document.text).map(Some).map_err(|problem| {
            Error::new(
                Code::CorruptLorebook,
                say!("{0}: this lorebook cannot be read: {1}", lorebook_file(&seen.file), &problem),
                REPAIR_LOREBOOK,
            )
        })
    }
}

pub(super) async fn named_by<H: Host>(
    host: &H,
    header: &Header<'_>,
) -> Result<Option<SeenLorebook>, Error> {
    let Some(name) = header.lorebook() else { return Ok(None) };
    // SillyTavern keeps the name as it was typed and cleans it each time it goes to the file.
    let file = names::lorebook_name(&name).unwrap_or_default();
    let document = if file.is_empty() { None } else { host.lorebook(&file).await? };
    Ok(Some(SeenLorebook { name, file, document }))
}

/// Whether a timeline used the lorebook together with others, and has its own by now.
pub(super) fn has_left(book: &Option<SeenLorebook>, other: &HeaderOf) -> bool {
    let Some(book) = book.as_ref().filter(|_| other.header.contains("\"shared\"")) else {
        return false;
    };
    let header = Header::read(&other.header).ok();
    let left = header.and_then(|header| record::shared(&header, &other.chat.name));
    left.is_some_and(|(left, _)| names::same_lorebook(&left, &book.name))
        && !naming::names(&other.header, &book.name)
}

/// A lorebook that cannot be taken apart.
pub(super) fn unreadable<C>(look: &Look<C>, problem: &dyn std::fmt::Display) -> Error {
    let file = look.lorebook.as_ref().map(|seen| lorebook_file(&seen.file)).unwrap_or_default();
    Error::new(
        Code::CorruptLorebook,
        say!("{0}: this lorebook cannot be copied: {1}", file, problem.to_string()),
        REPAIR_LOREBOOK,
    )
}
