//! Lorebooks that somebody deletes: a copy is kept before, and afterwards it is decided what follows.
//!
//! Auto-Recap deletes the lorebook of a chat that is deleted, also if other timelines still use it.
//! Nobody chose that, so it comes back. What somebody deletes for itself stays deleted; but as long as
//! a timeline names it, its copy is in the trash and in the log, where undoing brings it back.

use super::renamed::new_name;
use crate::error::Error;
use crate::host::Host;
use crate::json::Json;
use crate::naming::who_needs;
use crate::operation::What;
use crate::operation::change::{FileRef, finish};
use crate::operation::order::{next_number, numbered_id};
use crate::operation::record::{Change, Operation, Touched, content, says};
use crate::operation::title;
use crate::sentence::Sentence;
use crate::tavern::lorebook::{Lorebook, OURS};
use crate::tavern::names::lorebook_name;
use crate::tavern::place::ChatRef;

/// What became of a lorebook that somebody deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is there, or nobody misses it.
    Nothing,
    /// It has another name.
    Renamed(String),
    /// It went along with a chat, and these still name it: it comes back.
    Back(Vec<ChatRef>),
    /// It is gone, or another one stands in its place. These name it; none does if it was made for a
    /// timeline that is not known here.
    Gone(Vec<ChatRef>),
}

/// In words, for the log.
pub(super) fn title(name: &str) -> Sentence {
    Sentence { says: title::LOREBOOK_DELETED, with: vec![name.into()] }
}

/// Keeps a copy of a lorebook that somebody is about to delete; `text` is what it says. Resolves to
/// the id under which it is kept, which [`follow`](super::follow) is told then. Should that never
/// happen, healing finds out whether the lorebook went.
///
/// Whoever deletes it should hold the claim until it is gone: an operation that heals in between
/// would take the copy for one of a deletion that came to nothing.
pub async fn keep_copy<H: Host>(host: &H, name: &str, text: &str) -> Result<Option<String>, Error> {
    let Some(name) = lorebook_name(name) else { return Ok(None) };
    let _claim = host.claim("housekeeping").await?;
    let id = numbered_id(&host.id(), next_number(host).await?);
    let file = FileRef::Lorebook(name.clone());
    let operation = Operation {
        id: id.clone(),
        what: What::Follow,
        title: title(&name),
        time: host.now().ms,
        undoes: None,
        files: vec![Touched::new(file.clone(), Change::Removed { was: content(text) })],
        done: false,
    };
    host.note(&id, &operation.text()).await?;
    if let Err(error) = host.keep(&id, &file, text).await {
        drop_copy(host, &id).await?;
        return Err(error.into());
    }
    Ok(Some(id))
}

/// A copy that nobody needs: the lorebook is there, or nobody misses it.
async fn drop_copy<H: Host>(host: &H, id: &str) -> Result<(), Error> {
    host.burn(id).await?;
    host.forget(id).await.map_err(Error::from)
}

/// Looks what became of a lorebook that had this text; `made` are those that were made a moment
/// before, and `with_chat` says that a chat was deleted a moment before.
pub(super) async fn fate<H: Host>(
    host: &H,
    name: &str,
    text: &str,
    made: &[String],
    with_chat: bool,
) -> Result<Fate, Error> {
    if let Some(to) = new_name(host, name, text, made).await? {
        return Ok(Fate::Renamed(to));
    }
    let Some(file) = lorebook_name(name) else { return Ok(Fate::Nothing) };
    let now = host.lorebook(&file).await?;
    if now.as_ref().is_some_and(|now| says(&now.text, &content(text))) {
        return Ok(Fate::Nothing);
    }
    let naming = who_needs(host, &file).await?;
    let naming: Vec<ChatRef> = naming.into_iter().map(|other| other.chat).collect();
    // What could not be read cannot be written again.
    let is_whole = Lorebook::read(text).is_ok();
    Ok(match naming.is_empty() {
        false if with_chat && now.is_none() && is_whole => Fate::Back(naming),
        true if !is_ours(text) => Fate::Nothing,
        _ => Fate::Gone(naming),
    })
}

/// Whether it was made for a timeline: not all of them are known to whoever looks.
fn is_ours(text: &str) -> bool {
    let book = Json::parse(text).ok();
    book.and_then(|book| book.at(&OURS)?.get("id")).is_some()
}

/// Ends what [`keep_copy`] began: the copy is in the log, or nowhere. Whether it is in the log.
pub(super) async fn end<H: Host>(host: &H, id: &str, fate: &Fate) -> Result<bool, Error> {
    let unfinished = host.unfinished().await?;
    let mut operations = unfinished.iter().filter_map(|text| Operation::read(text).ok());
    let Some(operation) = operations.find(|operation| operation.id == id) else {
        // Another operation has healed it: it is in the log.
        return Ok(matches!(fate, Fate::Gone(_)));
    };
    if !matches!(fate, Fate::Gone(_)) {
        drop_copy(host, id).await?;
        return Ok(false);
    }
    finish(host, operation).await?;
    Ok(true)
}
