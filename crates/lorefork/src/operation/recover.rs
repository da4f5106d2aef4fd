//! Healing: finishing or undoing what a crash left half done.
//!
//! A new timeline is complete in its first write, so there are two cases. It is there: then the
//! fork stands, and what comes after it is made up for. It is not: then what was made before it,
//! its lorebook, is removed, if it still is what we wrote and nobody names it.

use super::intent::{Intent, What};
use crate::error::{Code, Error};
use crate::fork::link;
use crate::host::{ChatView, Host, HostErrorKind, Written};
use crate::json::quote;
use crate::tavern::chat::Header;

/// What healing did with one operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Healed {
    Finished(Intent),
    Undone(Intent),
}

/// Heals all unfinished operations. Only called while no other operation runs.
pub async fn heal<H: Host>(host: &H) -> Result<Vec<Healed>, Error> {
    let mut healed = Vec::new();
    for text in host.unfinished().await.map_err(|error| Error::reading(&error))? {
        let intent = Intent::read(&text).map_err(|problem| {
            Error::new(
                Code::CorruptRecord,
                format!("an interrupted operation's record cannot be read: {problem}"),
                "Update Lorefork. If that does not help, look into the folder \
                 “lorefork/operations/intents” of the user folder.",
            )
        })?;
        healed.push(heal_one(host, intent).await?);
    }
    Ok(healed)
}

async fn heal_one<H: Host>(host: &H, intent: Intent) -> Result<Healed, Error> {
    if is_made(host, &intent).await? {
        if intent.what != What::Isolate {
            if let Some(group) = &intent.group {
                link::list_in_group(host, group, &intent.chat.name).await?;
            }
            // A link that cannot be made is no reason to keep the intent: the timeline stands.
            let _ = link::link_parent(host, &intent).await;
        }
        finish(host, &intent).await?;
        return Ok(Healed::Finished(intent));
    }
    remove_unnamed_lorebook(host, &intent).await?;
    host.forget(&intent.id).await.map_err(|error| Error::writing(&error))?;
    Ok(Healed::Undone(intent))
}

/// Whether the timeline is there, as we meant it: a new one is recognised by its slug, a changed
/// one by its lorebook.
async fn is_made<H: Host>(host: &H, intent: &Intent) -> Result<bool, Error> {
    match host.open(&intent.chat).await {
        Ok(view) => {
            let Ok(header) = Header::read(view.header()) else { return Ok(false) };
            Ok(match intent.what {
                What::Isolate => intent
                    .lorebook
                    .as_ref()
                    .is_some_and(|book| header.lorebook().as_deref() == Some(&book.name)),
                What::Checkpoint | What::Branch => header.slug().as_deref() == Some(&intent.slug),
            })
        }
        Err(error) if error.kind == HostErrorKind::Absent => Ok(false),
        Err(error) => Err(Error::reading(&error)),
    }
}

/// Records the operation as done and forgets the intent.
pub(crate) async fn finish<H: Host>(host: &H, intent: &Intent) -> Result<(), Error> {
    let done = Intent { done: true, ..intent.clone() };
    host.log(&intent.id, &done.text()).await.map_err(|error| Error::writing(&error))?;
    host.forget(&intent.id).await.map_err(|error| Error::writing(&error))
}

/// Removes the lorebook of an operation that came to nothing: only if it still is what we wrote and
/// no chat names it.
pub(crate) async fn remove_unnamed_lorebook<H: Host>(
    host: &H,
    intent: &Intent,
) -> Result<(), Error> {
    let Some(book) = &intent.lorebook else { return Ok(()) };
    let Some(document) = host.lorebook(&book.name).await.map_err(|error| Error::reading(&error))?
    else {
        return Ok(());
    };
    if !book.is(&document.text) {
        return Ok(());
    }
    let headers =
        host.headers(&[quote(&book.name)]).await.map_err(|error| Error::reading(&error))?;
    let is_named = headers.iter().any(|other| {
        Header::read(&other.header).ok().and_then(|header| header.lorebook()).as_deref()
            == Some(&book.name)
    });
    if is_named {
        return Ok(());
    }
    match host.remove_lorebook(&book.name, &document.stamp).await {
        Written::Done(_) => Ok(()),
        Written::Refused(error) | Written::Unknown(error) => Err(Error::writing(&error)),
    }
}
