//! Chats that are gone: links to them go, their children stand on their own, and the lorebooks that
//! only they had are marked.

use super::family::{headers_of, parent_of, relink};
use super::header::set_parent;
use super::{DeletedChat, tombstones};
use crate::error::Error;
use crate::fork::plan::unwritable;
use crate::host::{HeaderOf, Host, HostErrorKind, Line};
use crate::json::{Json, set};
use crate::memory;
use crate::moment::Source;
use crate::naming::who_needs;
use crate::operation::staging::Desk;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::lorebook::{OURS, ours};
use crate::tavern::names::{is_chat, lorebook_name};
use crate::tavern::place::ChatRef;
use crate::timeline::record::Record;

pub(super) async fn chats<H: Host>(
    host: &H,
    desk: &mut Desk<'_, H>,
    reported: &[DeletedChat],
) -> Result<(), Error> {
    let mut gone = Vec::new();
    for other in reported {
        let names = host.chat_names(&other.chat.owner).await?;
        // SillyTavern says so even of a chat that its server refused to delete.
        if !names.contains(&other.chat.name) {
            gone.push(other);
        }
    }
    for other in &gone {
        let headers = headers_of(host, &other.chat.owner).await?;
        let headers: Vec<HeaderOf> =
            headers.into_iter().filter(|left| !is_among(&gone, left)).collect();
        leave(host, desk, &headers, &other.chat, parent_of(&other.header)).await?;
    }
    for other in &gone {
        tombstones::leave(host, desk, other).await?;
    }
    for other in &gone {
        for name in own_books(other) {
            mark_orphan(host, desk, &gone, &name).await?;
        }
    }
    Ok(())
}

/// Who had to do with a timeline that is gone.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// Those that were made from it.
    pub(crate) children: Vec<ChatRef>,
    /// Those whose file is damaged, so that they still link to it.
    pub(crate) damaged: Vec<ChatRef>,
}

/// A timeline leaves its family, for whoever removes it himself.
pub(crate) async fn part_with<H: Host>(
    host: &H,
    desk: &mut Desk<'_, H>,
    chat: &ChatRef,
    header: &str,
) -> Result<Left, Error> {
    let mut headers = headers_of(host, &chat.owner).await?;
    headers.retain(|other| other.chat != *chat);
    leave(host, desk, &headers, chat, parent_of(header)).await
}

/// Links to a timeline go, and its children stand on their own: nobody opens what is not there, which
/// SillyTavern would make anew, empty.
async fn leave<H: Host>(
    host: &H,
    desk: &mut Desk<'_, H>,
    headers: &[HeaderOf],
    chat: &ChatRef,
    parent: Option<String>,
) -> Result<Left, Error> {
    let mut left = Left::default();
    for child in headers {
        if !parent_of(&child.header).is_some_and(|name| is_chat(&name, &chat.name)) {
            continue;
        }
        left.children.push(child.chat.clone());
        // Its links are left, too, and said.
        if host.open(&child.chat).await.is_err_and(|error| error.kind == HostErrorKind::Damaged) {
            continue;
        }
        let mut edit = HeaderEdit::new(&desk.line(&child.chat, Line::Header).await?);
        set_parent(&mut edit, &child.chat.name, None)
            .map_err(|error| unwritable(&child.chat, &error))?;
        desk.set_line(&child.chat, Line::Header, edit.into_text()).await?;
    }
    left.damaged = relink(host, desk, headers, chat, None, parent).await?;
    Ok(left)
}

fn is_among(gone: &[&DeletedChat], other: &HeaderOf) -> bool {
    gone.iter().any(|chat| chat.chat.file() == other.chat.file())
}

/// Lorebooks that were made for a timeline.
fn own_books(other: &DeletedChat) -> Vec<String> {
    let Ok(header) = Header::read(&other.header) else { return Vec::new() };
    let is_ours = Record::own(&header, &other.chat.name)
        .is_some_and(|record| record.lore.source != Source::Shared);
    if !is_ours {
        return Vec::new();
    }
    let bound = memory::names::bound(&header);
    header.lorebook().into_iter().chain(bound).filter_map(|name| lorebook_name(&name)).collect()
}

/// Marks a lorebook of ours that nobody is known to name, with the time. Whether it really is an
/// orphan is looked up again by whoever would remove it: the mark only tells since when.
async fn mark_orphan<H: Host>(
    host: &H,
    desk: &mut Desk<'_, H>,
    gone: &[&DeletedChat],
    name: &str,
) -> Result<(), Error> {
    let others = who_needs(host, name).await?;
    if others.iter().any(|other| !is_among(gone, other)) {
        return Ok(());
    }
    let Some(text) = desk.book(name).await? else { return Ok(()) };
    let Ok(book) = Json::parse(&text) else { return Ok(()) };
    let record = book.at(&OURS);
    let is_ours = record.is_some_and(|record| record.get("id").is_some());
    if !is_ours || record.is_some_and(|record| record.get("share").is_some_and(Json::truthy)) {
        return Ok(());
    }
    let now = desk.now_ms().to_string();
    // One that cannot be written is left without a mark.
    let Ok(marked) = set(&text, &ours("orphaned"), &now) else {
        return Ok(());
    };
    desk.set_book(name, marked).await
}
