//! Looking: everything a fork is judged and planned by, read once and frozen.

use std::collections::BTreeSet;

use super::plan::moment_of;
use super::records::Record;
use super::report::{Report, State};
use crate::error::{Code, Error};
use crate::host::{ChatView, Damage, Document, HeaderOf, Host, HostError, HostErrorKind, Now};
use crate::json::{Json, quote};
use crate::memory::recap::running::Running;
use crate::memory::recap::scene::Scene;
use crate::memory::recap::{MESSAGE_KEY, RUNNING_KEY};
use crate::moment::evidence::Evidence;
use crate::moment::{LoreChoice, Quality, Source};
use crate::tavern::card::Card;
use crate::tavern::chat::{Header, HeaderProblem, Message, with_swipe};
use crate::tavern::group::Group;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names;
use crate::tavern::place::{ChatRef, Owner, group_file, lorebook_file};

/// What was seen of a chat, its lorebook and its surroundings.
#[derive(Debug)]
pub struct Look<C> {
    pub view: C,
    /// The fork point N.
    pub at: usize,
    pub is_last: bool,
    /// Message N as the new timeline will hold it.
    pub line: String,
    pub is_swiped: bool,
    /// Scenes up to N, as the new timeline will hold them.
    pub scenes: Vec<Scene>,
    /// Messages up to N that may name the lorebook.
    pub naming: Vec<usize>,
    /// Whether evidence lies after N.
    pub evidence_after: bool,
    /// A damaged message after N.
    pub damage_after: Option<Damage>,
    pub lorebook: Option<SeenLorebook>,
    /// Other timelines that name the lorebook.
    pub others: Vec<ChatRef>,
    pub others_evidence: Vec<Evidence>,
    /// The newest untouched checkpoint of ours at or before N, if the past is needed.
    pub checkpoints: Vec<Untouched>,
    pub settings: Option<String>,
    /// Cards of the characters in the chat.
    pub cards: Vec<(String, Card)>,
    pub group: Option<Document>,
    pub chat_names: Vec<String>,
    pub lorebook_names: Vec<String>,
    pub is_generating: bool,
    /// Whether changes come from outside of SillyTavern.
    pub is_outside: bool,
    /// Whether an earlier operation was interrupted and not yet healed.
    pub is_interrupted: bool,
    pub now: Now,
    pub id: [u8; 16],
    pub slug: [u8; 16],
    /// For the parent, whose slug changes when it is linked from outside.
    pub parent_slug: [u8; 16],
    pub parent_id: [u8; 16],
}

/// The lorebook a chat names.
#[derive(Debug, Clone)]
pub struct SeenLorebook {
    /// As the chat names it.
    pub name: String,
    /// As its file is called.
    pub file: String,
    /// `None` if there is no such file.
    pub document: Option<Document>,
}

/// A timeline of ours that is still as it was made: a snapshot of its last message.
#[derive(Debug, Clone)]
pub struct Untouched {
    pub at: usize,
    pub lorebook: String,
}

impl<C: ChatView> Look<C> {
    pub fn header(&self) -> Header<'_> {
        // Read once before, so it can be read again.
        Header::read(self.view.header())
            .unwrap_or_else(|_| unreachable!("the header was read when looking"))
    }

    pub fn running(&self) -> Option<Running> {
        self.header().meta(&[RUNNING_KEY]).filter(|storage| storage.is_object()).map(Running::read)
    }

    /// Names under which other extensions may know this chat: its own and its parent's.
    pub fn chats(&self) -> Vec<String> {
        let own = self.view.chat().name.clone();
        std::iter::once(own).chain(self.header().main_chat()).collect()
    }
}

/// Looks at `chat` for a fork at `at`.
pub(super) async fn look<H: Host>(
    host: &H,
    chat: &ChatRef,
    at: Option<usize>,
    swipe: Option<usize>,
    lore: LoreChoice,
) -> Result<Look<H::Chat>, Error> {
    let view = host.open(chat).await.map_err(|error| Error::reading(&error))?;
    let group = group_of(host, chat).await?;
    let header = Header::read(view.header()).map_err(|problem| header_error(&problem, chat))?;
    let at = fork_point(&view, at)?;
    check(&view, at, chat)?;
    let damage_after = view.check(at + 1..view.len()).map_err(|error| Error::reading(&error))?;

    let unread = |error: HostError| Error::reading(&error);
    let mut line = view.line(at).map_err(unread)?;
    if let Some(swipe) = swipe {
        line = with_swipe(&line, swipe).map_err(|problem| {
            Error::new(
                Code::NoSuchSwipe,
                format!("{}: message {at} has no swipe {swipe}: {problem}", chat.file()),
                "Swipes are counted from 0; choose one that the message has.",
            )
        })?;
    }
    let scenes = scenes(&view, at, &line)?;
    let evidence_after = damage_after.is_some()
        || (swipe.is_some() && is_recapped_elsewhere(&scenes, at))
        || evidence_in(&view, at + 1).map_err(unread)?;
    let lorebook = seen_lorebook(host, &header).await?;
    let naming = match &lorebook {
        Some(book) => naming(&view, &book.name, at).map_err(unread)?,
        None => Vec::new(),
    };

    let mut needles = mentions(&chat.name);
    if let Some(book) = &lorebook {
        needles.extend(mentions(&book.name).into_iter().chain(mentions(&book.file)));
    }
    let headers = host.headers(&needles).await.map_err(unread)?;
    // What this timeline itself knows of later decides; then nobody else's need be read.
    let is_later = evidence_after || running_beyond(&header, at);
    let (others, others_evidence) = match &lorebook {
        Some(book) => others(host, chat, book, &headers, !is_later).await?,
        None => Default::default(),
    };
    let cards = cards(host, chat, group.as_ref()).await?;
    let mut look = Look {
        at,
        is_last: at + 1 == view.len(),
        line,
        is_swiped: swipe.is_some(),
        scenes,
        naming,
        evidence_after,
        damage_after,
        lorebook,
        others,
        others_evidence,
        checkpoints: Vec::new(),
        settings: host.settings().await.map_err(unread)?,
        cards,
        group,
        chat_names: host.chat_names(&chat.owner).await.map_err(unread)?,
        lorebook_names: host.lorebook_names().await.map_err(unread)?,
        is_generating: host.is_generating(),
        is_outside: host.is_outside(),
        is_interrupted: !host.unfinished().await.map_err(unread)?.is_empty(),
        now: host.now(),
        id: host.id(),
        slug: host.id(),
        parent_slug: host.id(),
        parent_id: host.id(),
        view,
    };
    if needs_past(&look, lore) {
        look.checkpoints = untouched(host, &look, &headers).await?;
    }
    Ok(look)
}

fn running_beyond(header: &Header<'_>, at: usize) -> bool {
    let at = i64::try_from(at).unwrap_or(i64::MAX);
    header.meta(&[RUNNING_KEY]).filter(|storage| storage.is_object()).is_some_and(|storage| {
        Running::read(storage).versions.iter().any(|version| version.scene > at)
    })
}

/// Whether the live lorebook will not do. Checkpoints of ours are read only then.
fn needs_past<C: ChatView>(look: &Look<C>, lore: LoreChoice) -> bool {
    let Some(seen) = &look.lorebook else { return false };
    // One that cannot be read is refused later, with a reason.
    let Ok(live) = read_lorebook(seen) else { return false };
    match moment_of(look, lore, live.as_ref()) {
        Ok(moment) => moment.source == Source::Snapshot,
        Err(_) => true,
    }
}

fn header_error(problem: &HeaderProblem, chat: &ChatRef) -> Error {
    let message = format!("{}: {problem}", chat.file());
    match problem {
        HeaderProblem::Empty => Error::new(
            Code::EmptyChat,
            message,
            "There is nothing to fork. Restore the chat from SillyTavern's backups folder \
                 if it should have messages.",
        ),
        HeaderProblem::ByteOrderMark => Error::new(
            Code::ByteOrderMark,
            message,
            "Save the file as UTF-8 without a byte order mark.",
        ),
        HeaderProblem::Missing if matches!(chat.owner, Owner::Group(_)) => too_old(&chat.file()),
        HeaderProblem::Missing | HeaderProblem::Malformed(_) => Error::new(
            Code::MissingHeader,
            message,
            "SillyTavern would lose the first message of this file. Restore it from \
                 SillyTavern's backups folder.",
        ),
    }
}

fn too_old(file: &str) -> Error {
    Error::new(
        Code::GroupTooOld,
        format!(
            "{file}: this group chat is in the format of SillyTavern 1.14 or older, which \
                 keeps its metadata in the group's record"
        ),
        "Start SillyTavern 1.16 or newer once on this data folder: it moves the \
                 metadata into the chats and keeps a backup. Then try again.",
    )
}

async fn group_of<H: Host>(host: &H, chat: &ChatRef) -> Result<Option<Document>, Error> {
    let Owner::Group(id) = &chat.owner else { return Ok(None) };
    let file = group_file(id);
    let document =
        host.group(id).await.map_err(|error| Error::reading(&error))?.ok_or_else(|| {
            Error::new(
                Code::CorruptGroup,
                format!("{file}: the group's record is gone"),
                "Restore the group, or open the chat in a group that lists it.",
            )
        })?;
    let group = Group::read(&document.text).map_err(|problem| {
        Error::new(
            Code::CorruptGroup,
            format!("{file}: {problem}"),
            "Restore the group's record from a backup of the data folder.",
        )
    })?;
    if group.keeps_metadata() {
        return Err(too_old(&file));
    }
    Ok(Some(document))
}

fn fork_point<C: ChatView>(view: &C, at: Option<usize>) -> Result<usize, Error> {
    let last = view.len().checked_sub(1);
    match (at.or(last), last) {
        (Some(at), Some(last)) if at <= last => Ok(at),
        (at, last) => {
            let range = last.map_or("it has no messages".to_owned(), |last| {
                format!("its messages are numbered 0 to {last}")
            });
            let mut report =
                Report::new(State { message_index: at.unwrap_or(0), ..State::default() });
            report.error(super::report::Finding::new(
                Code::MessageNotFound,
                format!("{}: there is no message {}; {range}", view.chat().file(), at.unwrap_or(0)),
                "Choose a message of the chat; SillyTavern shows the number beside each one \
                 when message ids are switched on.",
            ));
            Err(report.refusal().unwrap_or_else(|| unreachable!("an error was just added")))
        }
    }
}

fn check<C: ChatView>(view: &C, at: usize, chat: &ChatRef) -> Result<(), Error> {
    match view.check(0..at + 1).map_err(|error| Error::reading(&error))? {
        None => Ok(()),
        Some(damage) => Err(Error::new(
            Code::DamagedChat,
            format!(
                "{}, line {}: message {} is damaged: {}",
                chat.file(),
                damage.line,
                damage.message,
                damage.problem
            ),
            "SillyTavern would drop this line. Repair it by hand or restore the chat from \
                 SillyTavern's backups folder, then try again.",
        )),
    }
}

fn find_any<C: ChatView>(view: &C, keys: &[&str], at: usize) -> Result<Vec<usize>, HostError> {
    let mut found = BTreeSet::new();
    for key in keys {
        found.extend(view.find(key, 0..at + 1)?);
    }
    Ok(found.into_iter().collect())
}

/// Messages up to N that Auto-Recap wrote to and that name the lorebook.
fn naming<C: ChatView>(view: &C, book: &str, at: usize) -> Result<Vec<usize>, HostError> {
    let spellings = mentions(book);
    let names: Vec<&str> = spellings.iter().map(|quoted| &quoted[1..quoted.len() - 1]).collect();
    let recapped: BTreeSet<usize> = find_any(view, &[MESSAGE_KEY], at)?.into_iter().collect();
    Ok(find_any(view, &names, at)?
        .into_iter()
        .filter(|message| recapped.contains(message))
        .collect())
}

fn scenes<C: ChatView>(view: &C, at: usize, last: &str) -> Result<Vec<Scene>, Error> {
    let mut scenes = Vec::new();
    let mut found: BTreeSet<usize> = find_any(view, &["scene_break", "scene_recap_memory"], at)
        .map_err(|error| Error::reading(&error))?
        .into_iter()
        .collect();
    found.insert(at);
    for index in found {
        let line = if index == at {
            last.to_owned()
        } else {
            view.line(index).map_err(|error| Error::reading(&error))?
        };
        // The line was checked, so it reads.
        scenes.extend(Scene::read(index, &line).ok().flatten());
    }
    Ok(scenes)
}

/// Whether message N was recapped with another swipe than the one that is now selected: then the
/// lorebook knows a reply that the new timeline does not have.
fn is_recapped_elsewhere(scenes: &[Scene], at: usize) -> bool {
    scenes.iter().any(|scene| scene.at == at && scene.is_evidence && scene.recap.is_none())
}

/// Whether a message from `start` on holds evidence.
fn evidence_in<C: ChatView>(view: &C, start: usize) -> Result<bool, HostError> {
    for index in view.find("scene_recap_memory", start..view.len())? {
        if Scene::read(index, &view.line(index)?)
            .ok()
            .flatten()
            .is_none_or(|scene| scene.is_evidence)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn seen_lorebook<H: Host>(
    host: &H,
    header: &Header<'_>,
) -> Result<Option<SeenLorebook>, Error> {
    let Some(name) = header.lorebook() else { return Ok(None) };
    // SillyTavern keeps the name as it was typed and cleans it each time it goes to the file.
    let file = names::lorebook_name(&name).unwrap_or_default();
    let document = if file.is_empty() {
        None
    } else {
        host.lorebook(&file).await.map_err(|error| match error.kind {
            HostErrorKind::Damaged => {
                Error::new(Code::CorruptLorebook, error.to_string(), REPAIR_LOREBOOK)
            }
            _ => Error::reading(&error),
        })?
    };
    Ok(Some(SeenLorebook { name, file, document }))
}

/// How a name may be spelled inside a header: as JavaScript writes it, and as tools that keep to
/// ASCII do.
fn mentions(name: &str) -> Vec<String> {
    let plain = quote(name);
    let ascii: String = plain
        .chars()
        .map(|c| {
            if c.is_ascii() {
                c.to_string()
            } else {
                c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
            }
        })
        .collect();
    if ascii == plain { vec![plain] } else { vec![plain, ascii] }
}

async fn others<H: Host>(
    host: &H,
    chat: &ChatRef,
    book: &SeenLorebook,
    headers: &[HeaderOf],
    with_evidence: bool,
) -> Result<(Vec<ChatRef>, Vec<Evidence>), Error> {
    let mut chats = Vec::new();
    let mut evidence = Vec::new();
    for other in headers.iter().filter(|other| other.chat != *chat) {
        let Ok(header) = Header::read(&other.header) else { continue };
        let names_it =
            header.lorebook().is_some_and(|name| names::same_lorebook(&name, &book.name));
        if !names_it {
            continue;
        }
        chats.push(other.chat.clone());
        if !with_evidence {
            continue;
        }
        if let Some(storage) = header.meta(&[RUNNING_KEY]).filter(|storage| storage.is_object()) {
            evidence.extend(Evidence::of_running(&Running::read(storage)));
        }
        match host.open(&other.chat).await {
            Ok(view) => evidence.extend(all_scenes(&view).map_err(|error| Error::reading(&error))?),
            // Deleted since its header was read: it will not write to the book any more.
            Err(error) if error.kind == HostErrorKind::Absent => {}
            Err(error) => return Err(Error::reading(&error)),
        }
    }
    Ok((chats, evidence))
}

fn all_scenes<C: ChatView>(view: &C) -> Result<Vec<Evidence>, HostError> {
    let mut evidence = Vec::new();
    for index in view.find("scene_recap_memory", 0..view.len())? {
        let scene = Scene::read(index, &view.line(index)?).ok().flatten();
        evidence.extend(scene.as_ref().and_then(Evidence::of_scene));
    }
    Ok(evidence)
}

/// The newest timeline that we made from this one, at or before N, and that nobody has touched
/// since; if it is nearer than the snapshots of the scenes.
async fn untouched<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    headers: &[HeaderOf],
) -> Result<Vec<Untouched>, Error> {
    let here = look.view.chat();
    let nearest = look.scenes.iter().rev().find(|scene| scene.snapshot.is_some());
    let nearest = nearest.map(|scene| scene.at);
    let mut children: Vec<(usize, &ChatRef, Header<'_>, Record)> = headers
        .iter()
        .filter(|child| child.chat.owner == here.owner && child.chat != *here)
        .filter_map(|child| {
            let header = Header::read(&child.header).ok()?;
            let record = Record::own(&header, &child.chat.name)?;
            let is_nearer = match record.lore.quality {
                Quality::Exact | Quality::Ranged => Some(record.at) >= nearest,
                // Made from a snapshot itself: no better than the one of the same message.
                Quality::Snapshot => Some(record.at) > nearest,
                _ => false,
            };
            let is_ours = record.parent.as_ref().is_some_and(|parent| parent.chat == here.name)
                && record.at <= look.at
                && is_nearer;
            is_ours.then_some((record.at, &child.chat, header, record))
        })
        .collect();
    children.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
    for (at, child, header, record) in children {
        if let Some(lorebook) =
            lorebook_if_untouched(host, &look.view, child, &header, &record).await?
        {
            return Ok(vec![Untouched { at, lorebook }]);
        }
    }
    Ok(Vec::new())
}

async fn lorebook_if_untouched<H: Host>(
    host: &H,
    view: &H::Chat,
    child: &ChatRef,
    header: &Header<'_>,
    record: &Record,
) -> Result<Option<String>, Error> {
    let unread = |error: HostError| Error::reading(&error);
    let Some(name) = header.lorebook() else { return Ok(None) };
    let Some(document) = host.lorebook(&name).await.map_err(unread)? else { return Ok(None) };
    let same_lore = Lorebook::read(&document.text).ok().and_then(|book| book.fingerprint().ok())
        == record.lore.hash;
    if !same_lore {
        return Ok(None);
    }
    let Ok(child) = host.open(child).await else { return Ok(None) };
    if child.len() != record.at + 1 {
        return Ok(None);
    }
    // The parent may have been edited since: then it is no longer the same story.
    let said = |line: &str| {
        Message::read(line)
            .ok()
            .and_then(|message| message.json.get("mes").map(|mes| mes.text().to_owned()))
    };
    let same = said(&child.line(record.at).map_err(unread)?)
        == said(&view.line(record.at).map_err(unread)?);
    Ok(same.then_some(document.text))
}

async fn cards<H: Host>(
    host: &H,
    chat: &ChatRef,
    group: Option<&Document>,
) -> Result<Vec<(String, Card)>, Error> {
    let characters = match &chat.owner {
        Owner::Character(folder) => vec![folder.clone()],
        Owner::Group(_) => group
            .and_then(|document| Group::read(&document.text).ok().map(|group| group.members()))
            .unwrap_or_default(),
    };
    let mut cards = Vec::new();
    for character in characters {
        let card = host.card(&character).await.map_err(|error| match error.kind {
            HostErrorKind::Damaged => Error::new(
                Code::CorruptCard,
                error.to_string(),
                "Save the character in SillyTavern once, or import its card again: without it \
                 nobody knows which lorebook it brings along.",
            ),
            _ => Error::reading(&error),
        })?;
        cards.extend(card.map(|card| (character, card)));
    }
    Ok(cards)
}

const REPAIR_LOREBOOK: &str = "Repair the file or restore it from a backup of yours; SillyTavern keeps none \
                 of lorebooks.";

/// The lorebook, read; an error that names its file if it cannot be.
pub(super) fn read_lorebook(seen: &SeenLorebook) -> Result<Option<Lorebook<'_>>, Error> {
    let Some(document) = &seen.document else { return Ok(None) };
    Lorebook::read(&document.text).map(Some).map_err(|problem| {
        Error::new(
            Code::CorruptLorebook,
            format!("{}: this lorebook cannot be read: {problem}", lorebook_file(&seen.file)),
            REPAIR_LOREBOOK,
        )
    })
}

/// A JSON value of ours as text. It cannot fail: there is nothing in it that JSON cannot say.
pub(super) fn to_text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The text that a raw JSON string holds.
pub(super) fn plain(raw: &str) -> Option<String> {
    Json::parse(raw).ok()?.str().map(|text| text.into_owned())
}
