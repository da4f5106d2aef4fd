//! Who belongs to a timeline's family, and links in their messages: a branch carries along the links
//! of the messages it was made with.

use super::header::mapped;
use crate::error::Error;
use crate::fork::plan::unwritable;
use crate::host::{ChatView, HeaderOf, Host, HostErrorKind, Line};
use crate::operation::staging::Desk;
use crate::sorted;
use crate::tavern::chat::{Header, relinked};
use crate::tavern::names::is_chat;
use crate::tavern::place::{ChatRef, Owner};

/// The headers of all chats of a character or group.
pub(super) async fn headers_of<H: Host>(host: &H, owner: &Owner) -> Result<Vec<HeaderOf>, Error> {
    let is_theirs = |other: &HeaderOf| other.chat.owner == *owner;
    host.headers(&is_theirs).await.map_err(Error::from)
}

/// The name of a chat's parent, as it stands there.
pub(super) fn parent_of(header: &str) -> Option<String> {
    Header::read(header).ok()?.main_chat()
}

/// All that descend from the same chat as the one of these names.
fn family(headers: &[HeaderOf], seeds: Vec<String>) -> Vec<&ChatRef> {
    let mut names = seeds;
    let mut members: Vec<&ChatRef> = Vec::new();
    loop {
        let before = members.len();
        for other in headers {
            if members.contains(&&other.chat) {
                continue;
            }
            let parent = parent_of(&other.header);
            let is_named = |name: &str| names.iter().any(|known| is_chat(known, name));
            let is_child = parent.as_ref().is_some_and(|parent| {
                names.iter().any(|known| is_chat(parent, known) || is_chat(known, parent))
            });
            if is_named(&other.chat.name) || is_child {
                names.push(other.chat.name.clone());
                names.extend(parent);
                members.push(&other.chat);
            }
        }
        if members.len() == before {
            return members;
        }
    }
}

/// Links to the timeline `from`, in all of its family, lead to its new name, or go; so do the maps.
/// Says which chats cannot be read, and were left as they are.
pub(super) async fn relink<H: Host>(
    host: &H,
    desk: &mut Desk<'_, H>,
    headers: &[HeaderOf],
    from: &ChatRef,
    to: Option<&str>,
    parent: Option<String>,
) -> Result<Vec<ChatRef>, Error> {
    let mut left = Vec::new();
    let seeds = [Some(from.name.clone()), to.map(str::to_owned), parent];
    for chat in family(headers, seeds.into_iter().flatten().collect()) {
        // One by one: all chats of a family at once may be more than a page can hold.
        let view = match host.open(chat).await {
            Ok(view) => view,
            Err(error) if error.kind == HostErrorKind::Absent => continue,
            // One that cannot be read must not keep the others from it.
            Err(error) if error.kind == HostErrorKind::Damaged => {
                left.push(chat.clone());
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let mut messages = view.find("bookmark_link", 0..view.len())?;
        messages.extend(view.find("branches", 0..view.len())?);
        sorted::sort(&mut messages);
        messages.dedup();
        for at in messages {
            // A damaged line links to nothing.
            let line = match view.line(at) {
                Err(error) if error.kind == HostErrorKind::Damaged => continue,
                line => line?,
            };
            if let Ok(Some(text)) = relinked(&line, |name| is_chat(name, &from.name), to) {
                desk.set_line(chat, Line::Message(at), text).await?;
            }
        }
        let before = desk_header(desk, chat, view.header()).await?;
        let after = mapped(&before, &from.name, to).map_err(|error| unwritable(chat, &error))?;
        if after != before {
            desk.set_line(chat, Line::Header, after).await?;
        }
    }
    Ok(left)
}

/// The header as it lies on the desk, without opening a chat that nothing has changed in.
async fn desk_header<H: Host>(
    desk: &mut Desk<'_, H>,
    chat: &ChatRef,
    header: &str,
) -> Result<String, Error> {
    if desk.has(chat) { desk.line(chat, Line::Header).await } else { Ok(header.to_owned()) }
}
