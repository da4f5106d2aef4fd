//! Looking: everything a fork is judged and planned by, read once and frozen.

use std::ops::Range;

use super::plan::moment_of;
use super::records::{Record, own_id};
use super::report::{Report, State};
use crate::error::{Code, Error};
use crate::host::{ChatView, Damage, Document, HeaderOf, Host, HostError, HostErrorKind, Now};
use crate::json::{Json, quote};
use crate::memory::recap::RUNNING_KEY;
use crate::memory::recap::running::Running;
use crate::memory::recap::scene::Scene;
use crate::moment::decide::NoSnapshot;
use crate::moment::evidence::Evidence;
use crate::moment::{LoreChoice, Quality, Source};
use crate::naming;
use crate::sorted;
use crate::tavern::card::Card;
use crate::tavern::chat::{Header, HeaderProblem, Message, with_swipe};
use crate::tavern::group::Group;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names;
use crate::tavern::place::{ChatRef, Owner, group_file, lorebook_file};
use crate::tavern::settings::Settings;

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
    /// Timelines we made from this one at or before N, newest fork point first.
    children: Vec<Child>,
    /// The one of them that serves as snapshot, if one is needed and there is one.
    pub checkpoint: Option<Untouched>,
    pub settings: Option<String>,
    pub settings_are_unreadable: bool,
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

/// A timeline we made from this one.
#[derive(Debug, Clone)]
struct Child {
    chat: ChatRef,
    lorebook: String,
    record: Record,
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
) -> Result<Look<H::Chat>, Error> {
    look_since(host, chat, at, swipe, 0).await
}

/// The same for somebody who asks about no message before `first`: of the scenes before it only
/// those are read that can still matter. A long chat has hundreds, each with a whole lorebook.
pub(super) async fn look_since<H: Host>(
    host: &H,
    chat: &ChatRef,
    at: Option<usize>,
    swipe: Option<usize>,
    first: usize,
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
    let scenes = scenes(&view, at, &line, first)?;
    let evidence_after = damage_after.is_some()
        || (swipe.is_some() && is_recapped_elsewhere(&scenes, at))
        || evidence_in(&view, at + 1).map_err(unread)?;
    let lorebook = seen_lorebook(host, &header).await?;
    let naming = match &lorebook {
        Some(book) => messages_naming(&view, &book.name, first, at).map_err(unread)?,
        None => Vec::new(),
    };

    let wanted = |other: &HeaderOf| {
        other.chat != *chat
            && (lorebook.as_ref().is_some_and(|book| naming::names(&other.header, &book.name))
                || child_of(chat, &header, other).is_some())
    };
    let headers = host.headers(&wanted).await.map_err(unread)?;
    // What this timeline itself knows of later decides; then nobody else's need be read.
    let is_later = evidence_after || running_is_beyond(&header, at);
    let (others, others_evidence) = match &lorebook {
        Some(book) => others(host, book, &headers, !is_later).await?,
        None => Default::default(),
    };
    let mut children: Vec<Child> =
        headers.iter().filter_map(|other| child_of(chat, &header, other)).collect();
    children.retain(|child| child.record.at <= at);
    children.sort_by_key(|child| std::cmp::Reverse(child.record.at));
    let cards = cards(host, chat, group.as_ref()).await?;
    let settings = match host.settings().await {
        Err(error) if error.kind == HostErrorKind::Damaged => Some(String::new()),
        settings => settings.map_err(unread)?,
    };
    let settings_are_unreadable =
        settings.as_deref().is_some_and(|text| Settings::read(text).is_err());
    Ok(Look {
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
        children,
        checkpoint: None,
        settings,
        settings_are_unreadable,
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
    })
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

fn find_any<C: ChatView>(
    view: &C,
    keys: &[&str],
    within: Range<usize>,
) -> Result<Vec<usize>, HostError> {
    let mut found = Vec::new();
    for key in keys {
        for message in view.find(key, within.clone())? {
            sorted::insert(&mut found, message);
        }
    }
    Ok(found)
}

/// Messages up to N that name the lorebook; whether Auto-Recap wrote it there, their text tells.
pub(crate) fn messages_naming<C: ChatView>(
    view: &C,
    book: &str,
    first: usize,
    at: usize,
) -> Result<Vec<usize>, HostError> {
    let spellings = mentions(book);
    let names: Vec<&str> = spellings.iter().map(|quoted| &quoted[1..quoted.len() - 1]).collect();
    find_any(view, &names, first..at + 1)
}

/// How many messages are searched at a time, going back.
const STRETCH: usize = 20;

/// Scenes up to N; of those before `first`, only back to one that decides alone: it ends a scene,
/// has a recap and a snapshot, so whoever asks for the newest of its kind gets no further.
fn scenes<C: ChatView>(view: &C, at: usize, last: &str, first: usize) -> Result<Vec<Scene>, Error> {
    let first = first.min(at);
    let mut scenes = scenes_in(view, first..at + 1, at, last)?;
    let mut end = first;
    while end > 0 {
        let start = end.saturating_sub(STRETCH);
        let mut earlier = scenes_in(view, start..end, at, last)?;
        let decides = |scene: &Scene| {
            scene.closes_scene() && scene.recap.is_some() && scene.snapshot.is_some()
        };
        let is_enough = earlier.iter().any(decides);
        earlier.append(&mut scenes);
        scenes = earlier;
        if is_enough {
            break;
        }
        end = start;
    }
    Ok(scenes)
}

fn scenes_in<C: ChatView>(
    view: &C,
    within: Range<usize>,
    at: usize,
    last: &str,
) -> Result<Vec<Scene>, Error> {
    let mut scenes = Vec::new();
    let mut found = find_any(view, &["scene_break", "scene_recap_memory"], within.clone())
        .map_err(|error| Error::reading(&error))?;
    if within.contains(&at) {
        sorted::insert(&mut found, at);
    }
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

fn running_is_beyond(header: &Header<'_>, at: usize) -> bool {
    let at = i64::try_from(at).unwrap_or(i64::MAX);
    let running =
        header.meta(&[RUNNING_KEY]).filter(|storage| storage.is_object()).map(Running::read);
    running.is_some_and(|running| running.versions.iter().any(|version| version.scene > at))
}

async fn others<H: Host>(
    host: &H,
    book: &SeenLorebook,
    headers: &[HeaderOf],
    with_evidence: bool,
) -> Result<(Vec<ChatRef>, Vec<Evidence>), Error> {
    let mut chats = Vec::new();
    let mut evidence = Vec::new();
    for other in headers.iter().filter(|other| naming::names(&other.header, &book.name)) {
        chats.push(other.chat.clone());
        if !with_evidence {
            continue;
        }
        let header = Header::read(&other.header).ok();
        if let Some(storage) = header
            .and_then(|header| header.meta(&[RUNNING_KEY]))
            .filter(|storage| storage.is_object())
        {
            evidence.extend(Evidence::of_running(&Running::read(storage)));
        }
        match host.open(&other.chat).await.and_then(|view| all_scenes(&view)) {
            Ok(scenes) => evidence.extend(scenes),
            // Deleted since its header was read: it will not write to the book any more.
            Err(error) if error.kind == HostErrorKind::Absent => {}
            // What cannot be read may have written to it at any time.
            Err(_) => evidence.push(Evidence::unknown()),
        }
    }
    Ok((chats, evidence))
}

fn all_scenes<C: ChatView>(view: &C) -> Result<Vec<Evidence>, HostError> {
    let mut evidence = Vec::new();
    for index in view.find("scene_recap_memory", 0..view.len())? {
        match Scene::read(index, &view.line(index)?) {
            Ok(scene) => evidence.extend(scene.as_ref().and_then(Evidence::of_scene)),
            Err(_) => evidence.push(Evidence::unknown()),
        }
    }
    Ok(evidence)
}

/// What `other` is, if we made it from `chat`.
fn child_of(chat: &ChatRef, parent: &Header<'_>, other: &HeaderOf) -> Option<Child> {
    let header = Header::read(&other.header).ok()?;
    let record = Record::own(&header, &other.chat.name)?;
    let named = record.parent.as_ref()?;
    let is_parent = match (&named.id, own_id(parent, &chat.name)) {
        (Some(id), Some(own)) => *id == own,
        _ => named.chat == chat.name,
    };
    (is_parent && other.chat.owner == chat.owner)
        .then(|| header.lorebook())?
        .map(|lorebook| Child { chat: other.chat.clone(), lorebook, record })
}

/// Looks for a timeline of ours that can serve as snapshot, if the moment needs one: it is nearer to
/// N than any scene that recorded one, and nobody has touched it since.
pub(super) async fn find_checkpoint<H: Host>(
    host: &H,
    look: &mut Look<H::Chat>,
    choice: LoreChoice,
) -> Result<(), Error> {
    let live = look.lorebook.as_ref().map(read_lorebook).transpose()?.flatten();
    let scene = match moment_of(look, choice, live.as_ref()) {
        Ok(moment) if moment.source == Source::Snapshot => moment.from.unwrap_or(0),
        Ok(_) => return Ok(()),
        Err(NoSnapshot) => 0,
    };
    let near = look.children.iter().filter(|child| child.record.at >= scene);
    for child in near {
        if let Some(lorebook) = lorebook_if_untouched(host, look, child).await? {
            look.checkpoint = Some(Untouched { at: child.record.at, lorebook });
            return Ok(());
        }
    }
    Ok(())
}

async fn lorebook_if_untouched<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    child: &Child,
) -> Result<Option<String>, Error> {
    let unread = |error: HostError| Error::reading(&error);
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
    let Some(document) = host.lorebook(&child.lorebook).await.map_err(unread)? else {
        return Ok(None);
    };
    let fingerprint = Lorebook::read(&document.text).ok().and_then(|book| book.fingerprint().ok());
    let Ok(view) = host.open(&child.chat).await else { return Ok(None) };
    if fingerprint != record.lore.hash || view.len() != record.at + 1 {
        return Ok(None);
    }
    // The parent may have been retold since: then it is no longer the same story.
    for message in 0..view.len() {
        let (theirs, ours) =
            (view.line(message).map_err(unread)?, look.view.line(message).map_err(unread)?);
        if theirs != ours && said(&theirs) != said(&ours) {
            return Ok(None);
        }
    }
    Ok(Some(document.text))
}

fn said(line: &str) -> Option<String> {
    Message::read(line).ok()?.json.get("mes").map(|mes| mes.text().to_owned())
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

/// The text that a raw JSON string holds.
pub(super) fn plain(raw: &str) -> Option<String> {
    Json::parse(raw).ok()?.str().map(|text| text.into_owned())
}
