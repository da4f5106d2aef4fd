//! Timelines of ours that nobody has touched since: each is a snapshot of its last message.

use super::Look;
use crate::error::Error;
use crate::fork::plan::moment_of;
use crate::host::{ChatView, HeaderOf, Host};
use crate::memory::fingerprint::is_as;
use crate::memory::parting::Identities;
use crate::memory::scene;
use crate::moment::decide::NoSnapshot;
use crate::moment::film::Level;
use crate::moment::{LoreChoice, Quality, Source};
use crate::tavern::chat::{Header, Message};
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names;
use crate::tavern::place::ChatRef;
use crate::timeline::record::{Record, own_id};

/// A timeline we made from this one, with the lore of its last message.
#[derive(Debug, Clone)]
pub(super) struct Child {
    chat: ChatRef,
    lorebook: String,
    pub(super) record: Record,
}

/// A timeline of ours that is still as it was made: a snapshot of its last message.
#[derive(Debug, Clone)]
pub struct Untouched {
    /// The message it was made at.
    pub at: usize,
    /// Its lorebook, which is still as it was made.
    pub lorebook: String,
    /// Who it is to an extension that writes it into its entries.
    pub identities: Identities,
}

/// What `other` is, if we made it from `chat` and it was not rewound since.
pub(super) fn child_of(chat: &ChatRef, parent: &Header<'_>, other: &HeaderOf) -> Option<Child> {
    let header = Header::read(&other.header).ok()?;
    let record = Record::own(&header, &other.chat.name)?;
    let named = record.parent.as_ref()?;
    let is_parent = match (&named.id, own_id(parent, &chat.name)) {
        (Some(id), Some(own)) => *id == own,
        _ => named.chat == chat.name,
    };
    // Its lore must be that of its last message.
    (is_parent && other.chat.owner == chat.owner && record.rewound_to(&header).is_none())
        .then(|| header.lorebook())?
        .map(|lorebook| Child { chat: other.chat.clone(), lorebook, record })
}

/// A timeline of ours that can serve as snapshot, if the moment needs one: it is nearer to
/// N than any scene that recorded one, and nobody has touched it since.
pub(super) async fn find_nearest<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    choice: LoreChoice,
    live: Option<&Lorebook<'_>>,
) -> Result<Option<Untouched>, Error> {
    // One of the very message knows more than the film, if that does not know all.
    let at = match &look.film {
        Some(film) if film.level == Level::Certain => return Ok(None),
        Some(_) => look.at,
        None => 0,
    };
    let scene = match moment_of(look, choice, live) {
        Ok(moment) if moment.source == Source::Snapshot => moment.from.unwrap_or(0),
        Ok(_) => return Ok(None),
        Err(NoSnapshot) => 0,
    };
    let near = look.children.iter().filter(|child| child.record.at >= scene.max(at));
    for child in near {
        let found = if_untouched(host, look, child).await?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

async fn if_untouched<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    child: &Child,
) -> Result<Option<Untouched>, Error> {
    let record = &child.record;
    let is_good =
        matches!(record.lore.quality, Quality::Exact | Quality::Ranged | Quality::Snapshot);
    // Its lorebook must come from the one this chat has.
    let is_of_this = record
        .lore
        .of
        .as_ref()
        .zip(look.lorebook.as_ref())
        .is_some_and(|(of, seen)| names::same_lorebook(of, &seen.name));
    if !is_good || !is_of_this {
        return Ok(None);
    }
    let Some(document) = host.lorebook(&child.lorebook).await? else {
        return Ok(None);
    };
    let book = Lorebook::read(&document.text).ok();
    let is_as_made =
        book.zip(record.lore.hash.as_ref()).is_some_and(|(book, hash)| is_as(&book, hash));
    let Ok(view) = host.open(&child.chat).await else { return Ok(None) };
    if !is_as_made || view.len() != record.at + 1 {
        return Ok(None);
    }
    // The parent may have been retold or recapped since: then it is no longer the same story.
    for message in 0..view.len() {
        let theirs = view.line(message)?;
        let ours = match message == look.at {
            true => look.line.clone(),
            false => look.view.line(message)?,
        };
        if theirs != ours && told(message, &theirs) != told(message, &ours) {
            return Ok(None);
        }
    }
    let header = Header::read(view.header()).ok();
    let identities = header.map(|header| Identities::of(&header)).unwrap_or_default();
    Ok(Some(Untouched { at: record.at, lorebook: document.text, identities }))
}

/// What a message says.
pub(super) fn said(line: &str) -> Option<String> {
    Message::read(line).ok()?.json.get("mes").map(|mes| mes.text().to_owned())
}

/// The same with its recap: the lorebook has what was recapped.
fn told(at: usize, line: &str) -> Option<(String, Option<String>)> {
    Some((said(line)?, scene::read(at, line).ok()?.and_then(|scene| scene.recap)))
}
