//! The lorebook of one timeline is missing: what can take its place, and putting it there.
//! Nothing is written before somebody has chosen.

use super::lorebook::newest_snapshot;
use super::{Missing, Why, header};
use crate::audit::facts::{ChatFacts, Folder};
use crate::error::{Code, Error};
use crate::fork::{Isolation, plan_isolation};
use crate::host::{ChatView, Host, Line};
use crate::memory::checkpoints;
use crate::moment::LoreChoice;
use crate::naming::who_names;
use crate::operation::What;
use crate::operation::ahead::Ahead;
use crate::operation::change::{self, Done};
use crate::operation::recover;
use crate::operation::staging::Desk;
use crate::operation::title;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::names::{lorebook_name, same_lorebook};
use crate::tavern::place::ChatRef;
use crate::timeline::header::header;

/// A lorebook that a timeline names and that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// By the name that the timeline has for it.
    pub lorebook: String,
    /// The message whose snapshot it could be rebuilt from.
    pub snapshot: Option<usize>,
    /// Its parent, and the parent's lorebook.
    pub parent: Option<(String, String)>,
}

/// What a timeline has lost, and what could take its place; `None` if its lorebook is there, or it
/// names none. Reads only.
pub async fn lost<H: Host>(host: &H, chat: &ChatRef) -> Result<Option<Lost>, Error> {
    let view = host.open(chat).await?;
    let header = header(&view, chat)?;
    let Some(lorebook) = header.lorebook().and_then(|name| lorebook_name(&name)) else {
        return Ok(None);
    };
    if host.lorebook(&lorebook).await?.is_some() {
        return Ok(None);
    }
    let snapshot = newest_snapshot(&view)?.map(|(at, _)| at);
    let mut found = Lost { lorebook, snapshot, parent: None };
    let Some(parent) = header.main_chat() else { return Ok(Some(found)) };
    // A parent that is gone has nothing to offer.
    if let Ok(of) = host.open(&chat.sibling(&parent)).await
        && let Some(book) = Header::read(of.header()).ok().and_then(|header| header.lorebook())
        && let Some(file) = lorebook_name(&book)
        && host.lorebook(&file).await?.is_some()
    {
        found.parent = Some((parent, book));
    }
    Ok(Some(found))
}

/// Puts something in the place of the lorebook that a timeline has lost. `None` if nothing had to
/// be changed. `shared` are lorebooks that timelines share on purpose.
pub async fn replace<H: Host>(
    host: &Ahead<'_, H>,
    chat: &ChatRef,
    choice: Missing,
    shared: &[String],
) -> Result<Option<Done>, Error> {
    let _claim = host.claim("repairing").await?;
    recover::heal(host).await?;
    host.settle(chat).await?;
    let Some(found) = lost(host, chat).await? else { return Ok(None) };
    // Planned as all repairs are.
    let planning = host.planning();
    let mut desk = Desk::new(host);
    let mut facts = ChatFacts::new(chat.clone());
    facts.add_header(desk.view(chat).await?.header());
    let folder = Folder { chats: vec![facts], ..Folder::default() };
    let is_shared = shared.iter().any(|book| same_lorebook(book, &found.lorebook));
    let replaced =
        if choice == Missing::Rebuild && !is_shared && others_name_it(host, chat, &found).await? {
            own(&mut desk, chat).await
        } else {
            header::missing(&mut desk, &folder, chat, &found.lorebook, choice).await
        };
    match replaced {
        Ok(()) => {}
        Err(Why::Failed(error)) => return Err(error),
        Err(Why::Left(_)) if choice == Missing::Leave => return Ok(None),
        Err(Why::Left(why)) => {
            return Err(Error::new(Code::MissingLorebook, why, say!("Choose something else.")));
        }
    }
    let title = Sentence { says: title::MISSING_LOREBOOK, with: vec![chat.into()] };
    let changes = desk.changes()?;
    drop(planning);
    Ok(Some(change::apply(host, What::Fix, title, changes).await?))
}

/// Whether a fork has lost a lorebook that others name, too: what the fork recorded is not their
/// lore. A chat that is no fork gets it back under its name.
async fn others_name_it<H: Host>(host: &H, chat: &ChatRef, lost: &Lost) -> Result<bool, Error> {
    let naming = who_names(host, &lost.lorebook).await?;
    let is_fork = naming.iter().any(|other| {
        other.chat == *chat
            && Header::read(&other.header).is_ok_and(|header| header.main_chat().is_some())
    });
    Ok(is_fork && naming.len() > 1)
}

/// A new lorebook for one of several timelines that have lost theirs: what its own newest snapshot
/// has, under a name of its own, as if it were isolated.
pub(super) async fn own<H: Host>(desk: &mut Desk<'_, H>, chat: &ChatRef) -> Result<(), Why> {
    let Some(found) = lost(desk.host(), chat).await? else { return Ok(()) };
    if found.snapshot.is_none() {
        return Err(Why::Left(say!(
            "The chat has no snapshot to rebuild it from. Other chats name it, too: if one gets it \
             back, this one uses it as well. Check again then."
        )));
    }
    let plan = loop {
        match plan_isolation(desk.host(), chat, LoreChoice::Snapshot).await? {
            Isolation::Nothing(why) => return Err(Why::Left(why)),
            Isolation::Planned(plan) => {
                // A name has only the last bits of an id; the next id makes another. The one that
                // is missing is free, but not this timeline's own.
                let name = &plan.lorebook.name;
                let is_free = desk.book(name).await?.is_none();
                if is_free && !same_lorebook(name, &found.lorebook) {
                    break plan;
                }
            }
        }
    };
    let name = &plan.lorebook.name;
    desk.set_book(name, plan.lorebook.text.clone()).await?;
    for edit in &plan.edits {
        let text = edit.text.trim_start_matches('\u{feff}').to_owned();
        desk.set_line(chat, edit.line, text).await?;
    }
    tell_parent(desk, chat, name).await
}

/// The parent's map of its timelines' lorebooks, where it has one.
async fn tell_parent<H: Host>(
    desk: &mut Desk<'_, H>,
    chat: &ChatRef,
    book: &str,
) -> Result<(), Why> {
    let header = desk.line(chat, Line::Header).await?;
    let Some(parent) = Header::read(&header).ok().and_then(|header| header.main_chat()) else {
        return Ok(());
    };
    let parent = chat.sibling(parent);
    // A parent that is gone needs to know nothing.
    let Ok(text) = desk.line(&parent, Line::Header).await else { return Ok(()) };
    let path = checkpoints::in_map(&chat.name);
    if Header::read(&text).ok().is_some_and(|header| header.meta(&path).is_some()) {
        let mut edit = HeaderEdit::new(&text);
        edit.set_text(&path, book)?;
        desk.set_line(&parent, Line::Header, edit.into_text()).await?;
    }
    Ok(())
}
