//! Whether what refers to a chat or lorebook by its name would lead anywhere.

use super::change::{FileChange, FileRef, To};
use crate::error::{Code, Error};
use crate::host::{ChatView, Host, Line};
use crate::memory;
use crate::say;
use crate::tavern::chat::{Header, links};
use crate::tavern::names;
use crate::tavern::place::lorebook_file;

/// What followed a name goes back only to a name that is there. SillyTavern makes an empty chat, or
/// an empty lorebook, of one that it does not find.
pub(super) async fn leads_somewhere<H: Host>(
    host: &H,
    changes: &[FileChange],
) -> Result<(), Error> {
    for change in changes {
        let (FileRef::Chat(chat), To::Lines(edits)) = (&change.file, &change.to) else { continue };
        let view = host.open(chat).await?;
        let there = host.chat_names(&chat.owner).await?;
        for edit in edits {
            let now = match edit.line {
                Line::Header => view.header().to_owned(),
                Line::Message(at) => view.line(at)?,
            };
            let ((chats, lorebook), before) =
                (named(edit.line, &edit.text), named(edit.line, &now));
            let file = |name: &String| names::chat_name(name).unwrap_or_else(|| name.clone());
            let mut back = chats.iter().filter(|name| !before.0.contains(name));
            if let Some(gone) = back.find(|name| !there.contains(&file(name))) {
                return Err(nowhere(Code::ChatNotFound, &chat.sibling(file(gone)).file()));
            }
            let book = lorebook.filter(|name| before.1.as_ref() != Some(name));
            let Some(book) = book.and_then(|name| names::lorebook_name(&name)) else { continue };
            if host.lorebook(&book).await?.is_none() {
                return Err(nowhere(Code::MissingLorebook, &lorebook_file(&book)));
            }
        }
    }
    Ok(())
}

/// The chats and the lorebook that a line names.
fn named(line: Line, text: &str) -> (Vec<String>, Option<String>) {
    if line != Line::Header {
        return (links(text), None);
    }
    let Ok(header) = Header::read(text) else { return Default::default() };
    let chats = header.main_chat().into_iter().chain(memory::names::chats(&header));
    (chats.collect(), header.lorebook())
}

fn nowhere(code: Code, file: &str) -> Error {
    Error::new(
        code,
        say!("{0}: it is not there, so what names it would lead nowhere", &file),
        say!(
            "Give it that name again in SillyTavern, or bring it back: then what names it follows."
        ),
    )
}
