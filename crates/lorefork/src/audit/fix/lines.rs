//! Repairs of messages: their links to checkpoints and branches.

use super::Why;
use super::desk::Desk;
use crate::audit::facts::Folder;
use crate::host::{Host, Line};
use crate::json::{Json, Splices, quote};
use crate::tavern::chat::{HeaderEdit, Message, with_branch, with_checkpoint};
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
    let message = Message::read(&line)?;
    let mut splices = Splices::new(&line);
    for extra in message.extra().into_iter().chain(message.swipe_extras()) {
        match (extra.get("bookmark_link").filter(|link| link.says(from)), to) {
            (Some(link), Some(to)) => splices.replace(link, quote(to)),
            (Some(_), None) => splices.cut_members(extra, |member| member.is("bookmark_link")),
            (None, _) => {}
        }
        let Some(branches) = extra.get("branches") else { continue };
        let items = branches.items();
        if items.iter().any(|item| item.says(from)) {
            let new = |item: &Json<'_>| match (item.says(from), to) {
                (false, _) => Some(item.text().to_owned()),
                (true, to) => to.map(quote),
            };
            let kept: Vec<String> = items.iter().filter_map(new).collect();
            // A message whose only member this was keeps an empty list, as SillyTavern would.
            splices.replace(branches, format!("[{}]", kept.join(",")));
        }
    }
    desk.set_line(chat, Line::Message(at), splices.apply()).await
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
        return Err(Why::Left("It has no record.".to_owned()));
    };
    let none = || Why::Left("It has no parent.".to_owned());
    let parent = chat.sibling(header.main_chat.as_deref().ok_or_else(none)?);
    let line = desk.line(&parent, Line::Message(record.at)).await?;
    let linked = if record.is_checkpoint {
        with_checkpoint(&line, &chat.name)?
    } else {
        with_branch(&line, &chat.name)?
    };
    desk.set_line(&parent, Line::Message(record.at), linked).await?;
    if let Some(lorebook) = &header.lorebook {
        let mut edit = HeaderEdit::new(&desk.line(&parent, Line::Header).await?);
        edit.set_text(&["auto_recap", "checkpoint_lorebook_map", &chat.name], lorebook)?;
        desk.set_line(&parent, Line::Header, edit.into_text()).await?;
    }
    Ok(())
}
