//! What those who shared a lorebook with a timeline keep of it when it is deleted: the lorebook and
//! the snapshots in their messages still show what it wrote, and nobody else could tell whose that is.

use super::DeletedChat;
use crate::error::Error;
use crate::fork::look::same_beginning;
use crate::fork::plan::unwritable;
use crate::host::{ChatView, HeaderOf, Host, HostErrorKind, Line};
use crate::moment::film::{is_same_message, tombstone};
use crate::moment::foreign;
use crate::naming;
use crate::operation::staging::Desk;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::names::same_lorebook;
use crate::tavern::place::ChatRef;
use crate::timeline::record::{self, Record};

/// Puts a tombstone into the header of each of them, and tells which. One whose file is damaged goes
/// without.
pub(crate) async fn leave<H: Host>(
    host: &H,
    desk: &mut Desk<'_, H>,
    gone: &DeletedChat,
) -> Result<Vec<ChatRef>, Error> {
    let mut remembered = Vec::new();
    let Ok(header) = Header::read(&gone.header) else { return Ok(remembered) };
    let chat = &gone.chat;
    let books: Vec<(String, Option<f64>)> = used(&header, &chat.name);
    let wanted = |other: &HeaderOf| other.chat != *chat && used_together(&books, other).is_some();
    let others = host.headers(&wanted).await?;
    for other in &others {
        let until = used_together(&books, other).flatten();
        let same = match host.open(&other.chat).await {
            Err(error) if error.kind == HostErrorKind::Damaged => continue,
            theirs => {
                let theirs = theirs?;
                let len = theirs.len().min(gone.messages.len());
                same_beginning(len, |at| {
                    Ok(is_same_message(&theirs.line(at)?, &gone.messages[at]))
                })?
            }
        };
        let messages = gone.messages.iter().map(String::as_str);
        let stone = tombstone::of_chat(&chat.name, &gone.header, messages, same, until);
        let now = desk.line(&other.chat, Line::Header).await?;
        let (Some(stone), Ok(theirs)) = (stone, Header::read(&now)) else { continue };
        let all = tombstone::with(&theirs, &stone);
        let mut edit = HeaderEdit::new(&now);
        edit.set(&[tombstone::KEY], &all).map_err(|error| unwritable(&other.chat, &error))?;
        desk.set_line(&other.chat, Line::Header, edit.into_text()).await?;
        remembered.push(other.chat.clone());
    }
    Ok(remembered)
}

/// Lorebooks that a timeline uses, or used together with others, and until when.
fn used(header: &Header<'_>, chat: &str) -> Vec<(String, Option<f64>)> {
    let left = record::shared(header, chat).map(|(book, until)| (book, Some(until as f64)));
    header.lorebook().map(|book| (book, None)).into_iter().chain(left).collect()
}

/// Until when another timeline used one of these lorebooks, too, or one that its own was made of;
/// `Some(None)` if both still do.
fn used_together(books: &[(String, Option<f64>)], other: &HeaderOf) -> Option<Option<f64>> {
    let header = Header::read(&other.header).ok()?;
    let left = record::shared(&header, &other.chat.name);
    books.iter().find_map(|(book, until)| {
        if naming::names(&other.header, book) {
            return Some(*until);
        }
        let is_left = left.as_ref().filter(|(left, _)| same_lorebook(left, book));
        let record = Record::own(&header, &other.chat.name);
        let of = record.and_then(|record| record.lore.of).filter(|of| same_lorebook(of, book));
        let made_of = of.and_then(|_| foreign::mixed_until(&header));
        let theirs = is_left.map(|(_, left)| *left as f64).or(made_of)?;
        Some(Some(until.map_or(theirs, |until| until.min(theirs))))
    })
}
