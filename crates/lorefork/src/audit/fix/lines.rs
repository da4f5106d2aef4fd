//! Repairs of messages: their links to checkpoints and branches.

use super::Why;
use crate::audit::facts::Folder;
use crate::audit::judge::parent_of;
use crate::host::{Host, Line};
use crate::memory::checkpoints::in_map;
use crate::operation::staging::Desk;
use crate::say;
use crate::tavern::chat::{HeaderEdit, relinked, with_branch, with_checkpoint};
use crate::tavern::place::ChatRef;

/// A link goes, or leads to another name; in the selected swipe and in all others.
pub(super) async fn relink<H: Host>(
    desk: &mut Desk<'_, H>,
    chat: &ChatRef,
    at: usize,
    from: &str,
    to: Option<&str>,
) -> Result<(), Why> {
    let line = desk.line(chat, Line::Message(at)).await?;
    match relinked(&line, |name| name == from, to)? {
        Some(text) => Ok(desk.set_line(chat, Line::Message(at), text).await?),
        None => Ok(()),
    }
}

/// The parent's message links to the timeline again.
pub(super) async fn link<H: Host>(
    desk: &mut Desk<'_, H>,
    folder: &Folder,
    chat: &ChatRef,
) -> Result<(), Why> {
    let facts = folder.chats.iter().find(|facts| facts.chat == *chat);
    let header = facts.and_then(|facts| facts.header());
    let record = header.and_then(|header| header.record.as_ref());
    let (Some(header), Some(record)) = (header, record) else {
        return Err(Why::Left(say!("It has no record.")));
    };
    let none = || Why::Left(say!("It has no parent."));
    let parent = parent_of(folder, chat).ok_or_else(none)?;
    let line = desk.line(&parent, Line::Message(record.at)).await?;
    let linked = match relinked(&line, |name| name == chat.name, Some(&chat.name))? {
        // A link to its former name was just set right.
        Some(_) => line,
        None if record.is_checkpoint => with_checkpoint(&line, &chat.name)?,
        None => with_branch(&line, &chat.name)?,
    };
    desk.set_line(&parent, Line::Message(record.at), linked).await?;
    if let Some(lorebook) = &header.lorebook {
        let mut edit = HeaderEdit::new(&desk.line(&parent, Line::Header).await?);
        edit.set_text(&in_map(&chat.name), lorebook)?;
        desk.set_line(&parent, Line::Header, edit.into_text()).await?;
    }
    Ok(())
}
