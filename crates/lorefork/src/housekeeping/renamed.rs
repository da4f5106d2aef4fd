//! Names that changed.

use super::family::{headers_of, parent_of, relink};
use super::header::{renamed, set_parent, with_book};
use crate::error::Error;
use crate::fork::look::messages_naming;
use crate::fork::plan::unwritable;
use crate::host::{ChatView, HeaderOf, Host, HostErrorKind, Line};
use crate::json::quote;
use crate::memory::names as memories;
use crate::operation::staging::Desk;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::lorebook::{Entry, Lorebook};
use crate::tavern::names::{is_chat, lorebook_name, same_lorebook};
use crate::tavern::place::ChatRef;
use crate::timeline::record::{Record, own_id};

/// The chat's own file. Whether there is such a chat.
pub(super) async fn itself<H: Host>(
    host: &H,
    desk: &mut Desk<'_, H>,
    chat: &ChatRef,
    from: &str,
) -> Result<bool, Error> {
    match host.open(chat).await {
        Ok(_) if chat.name != from => {}
        Ok(_) => return Ok(false),
        Err(error) if error.kind == HostErrorKind::Absent => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    let before = desk.line(chat, Line::Header).await?;
    let after = renamed(&before, from, &chat.name).map_err(|error| unwritable(chat, &error))?;
    if after != before {
        desk.set_line(chat, Line::Header, after).await?;
    }
    Ok(true)
}

/// A chat with all that refers to it.
pub(super) async fn chat<H: Host>(
    host: &H,
    desk: &mut Desk<'_, H>,
    chat: &ChatRef,
    from: &str,
) -> Result<(), Error> {
    if !itself(host, desk, chat, from).await? {
        return Ok(());
    }
    let headers = headers_of(host, &chat.owner).await?;
    let names = host.chat_names(&chat.owner).await?;
    // Somebody has made another chat under the old name: then only who knows the chat by its id
    // is known to mean this one.
    let is_taken = names.iter().any(|name| name == from);
    let text = desk.line(chat, Line::Header).await?;
    let id = Header::read(&text).ok().and_then(|header| own_id(&header, &chat.name));
    for other in headers.iter().filter(|other| other.chat != *chat) {
        if !is_child(other, from, id.as_deref(), is_taken) {
            continue;
        }
        let mut edit = HeaderEdit::new(&desk.line(&other.chat, Line::Header).await?);
        set_parent(&mut edit, &other.chat.name, Some(&chat.name))
            .map_err(|error| unwritable(&other.chat, &error))?;
        desk.set_line(&other.chat, Line::Header, edit.into_text()).await?;
    }
    if is_taken {
        return Ok(());
    }
    let parent = parent_of(&text);
    relink(host, desk, &headers, &chat.sibling(from), Some(&chat.name), parent).await?;
    Ok(())
}

/// All that follows a chat which is about to be called otherwise, while it still has its name: its own
/// lines are changed under that. Says who links to it and cannot be read.
pub(crate) async fn plan_rename<H: Host>(
    host: &H,
    desk: &mut Desk<'_, H>,
    chat: &ChatRef,
    to: &str,
) -> Result<Vec<ChatRef>, Error> {
    let before = desk.line(chat, Line::Header).await?;
    let after = renamed(&before, &chat.name, to).map_err(|error| unwritable(chat, &error))?;
    desk.set_line(chat, Line::Header, after).await?;
    let headers = headers_of(host, &chat.owner).await?;
    for other in headers.iter().filter(|other| other.chat != *chat) {
        if !is_child(other, &chat.name, None, false) {
            continue;
        }
        let mut edit = HeaderEdit::new(&desk.line(&other.chat, Line::Header).await?);
        set_parent(&mut edit, &other.chat.name, Some(to))
            .map_err(|error| unwritable(&other.chat, &error))?;
        desk.set_line(&other.chat, Line::Header, edit.into_text()).await?;
    }
    relink(host, desk, &headers, chat, Some(to), parent_of(&before)).await
}

fn is_child(other: &HeaderOf, parent: &str, id: Option<&str>, is_taken: bool) -> bool {
    let Ok(header) = Header::read(&other.header) else { return false };
    if !header.main_chat().is_some_and(|name| is_chat(&name, parent)) {
        return false;
    }
    let record = Record::own(&header, &other.chat.name);
    let knows = record.and_then(|record| record.parent?.id);
    !is_taken || (id.is_some() && knows.as_deref() == id)
}

/// Which of the lorebooks that were just made is the one that is gone: it has all of its entries. The
/// one who renames it may have typed something just before.
pub(super) async fn new_name<H: Host>(
    host: &H,
    name: &str,
    text: &str,
    made: &[String],
) -> Result<Option<String>, Error> {
    let Ok(old) = Lorebook::read(text) else { return Ok(None) };
    for other in made.iter().rev().filter(|other| !same_lorebook(other, name)) {
        let Some(file) = lorebook_name(other) else { continue };
        let document = host.lorebook(&file).await?;
        let Some(document) = document else { continue };
        let Ok(new) = Lorebook::read(&document.text) else { continue };
        let has = |entry: &Entry<'_>| {
            new.entries.iter().any(|other| other.uid() == entry.uid() && other.key == entry.key)
        };
        let is_same = match old.entries.is_empty() {
            true => new.entries.is_empty(),
            false => old.entries.iter().all(has),
        };
        if is_same {
            return Ok(Some(other.clone()));
        }
    }
    Ok(None)
}

/// A lorebook, in all chats that name it and in the work that waits in it.
pub(super) async fn lorebook<H: Host>(
    host: &H,
    desk: &mut Desk<'_, H>,
    from: &str,
    to: &str,
) -> Result<(), Error> {
    let (Some(old), Some(new)) = (lorebook_name(from), lorebook_name(to)) else { return Ok(()) };
    let Some(text) = desk.book(&new).await? else { return Ok(()) };
    if old == new || host.lorebook(&old).await?.is_some() {
        return Ok(());
    }
    let Ok(book) = Lorebook::read(&text) else { return Ok(()) };
    desk.set_book(&new, memories::book_with_name(&book, from, to)).await?;
    let quoted = quote(from);
    let name = &quoted[1..quoted.len() - 1];
    let concerns = |other: &HeaderOf| {
        let named = Header::read(&other.header).ok().and_then(|header| header.lorebook());
        // SillyTavern itself sets the name in the chat that is open, and only there.
        other.header.contains(name)
            || named.is_some_and(|book| same_lorebook(&book, from) || same_lorebook(&book, to))
    };
    for other in host.headers(&concerns).await? {
        let before = desk.line(&other.chat, Line::Header).await?;
        let uses = Header::read(&before).ok().and_then(|header| header.lorebook());
        let after =
            with_book(&before, from, to, &book).map_err(|error| unwritable(&other.chat, &error))?;
        if after != before {
            desk.set_line(&other.chat, Line::Header, after).await?;
        }
        if !uses.is_some_and(|book| same_lorebook(&book, from) || same_lorebook(&book, to)) {
            continue;
        }
        let view = desk.view(&other.chat).await?;
        let mut lines = Vec::new();
        if let Some(last) = view.len().checked_sub(1) {
            for at in messages_naming(view, from, 0, last)? {
                let line = view.line(at)?;
                if let Ok(Some(text)) = memories::line_with_lorebook(&line, from, to) {
                    lines.push((at, text));
                }
            }
        }
        for (at, text) in lines {
            desk.set_line(&other.chat, Line::Message(at), text).await?;
        }
    }
    Ok(())
}
