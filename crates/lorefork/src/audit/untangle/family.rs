//! Who shares a lorebook, and who did.

use crate::audit::facts::{ChatFacts, Folder};
use crate::audit::judge;
use crate::error::{Code, Error};
use crate::host::{HeaderOf, Host};
use crate::memory::checkpoints::State;
use crate::naming;
use crate::say;
use crate::sentence::Sentence;
use crate::sorted;
use crate::tavern::chat::Header;
use crate::tavern::names::same_lorebook;
use crate::tavern::place::ChatRef;
use crate::timeline::record::{self, Record};

/// Timelines of one family that use one lorebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// As a chat names it.
    pub lorebook: String,
    /// Those that use it.
    pub chats: Vec<ChatRef>,
}

/// The family of `chat`, as far as it uses the same lorebook; `None` if it has none.
pub async fn family_of<H: Host>(host: &H, chat: &ChatRef) -> Result<Option<Family>, Error> {
    let all = siblings(host, chat).await?;
    let own = all.iter().find(|other| other.chat == *chat);
    let Some(lorebook) = own.and_then(|own| Header::read(&own.header).ok()?.lorebook()) else {
        return Ok(None);
    };
    let related = related(&all, std::slice::from_ref(chat));
    let shares = related.into_iter().filter(|other| naming::names(&other.header, &lorebook));
    let mut chats: Vec<ChatRef> = shares.map(|other| other.chat.clone()).collect();
    sorted::sort(&mut chats);
    Ok(Some(Family { lorebook, chats }))
}

async fn siblings<H: Host>(host: &H, chat: &ChatRef) -> Result<Vec<HeaderOf>, Error> {
    host.headers(&|other| other.chat.owner == chat.owner).await.map_err(Error::from)
}

/// Timelines of the family that have another lorebook by now, and everybody else who uses this
/// one, in words: `(witnesses, strangers)`.
pub(super) async fn around<H: Host>(
    host: &H,
    family: &Family,
) -> Result<(Vec<HeaderOf>, Vec<Sentence>), Error> {
    let Some(first) = family.chats.first() else { return Ok(Default::default()) };
    let all = siblings(host, first).await?;
    let related: Vec<HeaderOf> = related(&all, &family.chats).into_iter().cloned().collect();
    let named = naming::named_lorebooks(host, &family.chats).await?;
    let strangers = named
        .into_iter()
        .filter(|other| same_lorebook(&other.lorebook, &family.lorebook))
        .map(|other| other.by)
        .collect();
    let witnesses = related
        .into_iter()
        .filter(|other| !family.chats.contains(&other.chat))
        .filter(|other| !naming::names(&other.header, &family.lorebook))
        .collect();
    Ok((witnesses, strangers))
}

/// All of the family of these chats.
fn related<'h>(all: &'h [HeaderOf], chats: &[ChatRef]) -> Vec<&'h HeaderOf> {
    let facts = |other: &HeaderOf| {
        let mut facts = ChatFacts::new(other.chat.clone());
        facts.add_header(&other.header);
        facts
    };
    let folder = Folder { chats: all.iter().map(facts).collect(), ..Folder::default() };
    let family = chats.first().map(|chat| judge::family(&folder, chat)).unwrap_or_default();
    all.iter().filter(|other| family.contains(&other.chat)).collect()
}

/// When a timeline left the shared lorebook for its own, if it says so.
pub(super) fn left_at(header: &Header<'_>, chat: &str, lorebook: &str) -> Option<f64> {
    let shared = record::shared(header, chat);
    if let Some((_, until)) = shared.filter(|(book, _)| same_lorebook(book, lorebook)) {
        return Some(until as f64);
    }
    let state = State::of(header)?;
    if state.original().as_deref() == Some(lorebook) { state.made() } else { None }
}

/// Until when messages of a timeline that has its own book now were written beside the shared one;
/// `None` if nobody knows. One that we forked had its own from the start.
pub(super) fn wrote_until(header: &Header<'_>, chat: &str, lorebook: &str) -> Option<f64> {
    let parent = Record::own(header, chat).and_then(|record| record.parent);
    let is_forked = parent.is_some_and(|parent| parent.id.is_some());
    if is_forked && record::shared(header, chat).is_none() {
        return Some(f64::NEG_INFINITY);
    }
    left_at(header, chat, lorebook)
}

pub(super) fn named_elsewhere(family: &Family, strangers: &[Sentence]) -> Error {
    Error::new(
        Code::NamedElsewhere,
        say!(
            "The lorebook “{0}” is also used by {1}, which is not of this family",
            &family.lorebook,
            strangers.to_vec(),
        ),
        say!(
            "If that is on purpose, leave it; else take the lorebook away there in SillyTavern, \
             then try again."
        ),
    )
}
