//! Facts of a chat's header.

use crate::json::{Json, Member};
use crate::memory;
use crate::memory::checkpoints::{MAP, State};
use crate::memory::registries;
use crate::memory::running::Running;
use crate::moment::Source;
use crate::moment::film::tombstone;
use crate::tavern::chat::Header;
use crate::timeline::record::{self, Record};

/// What the running recap says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningFacts {
    /// The chat it says it belongs to.
    pub chat_id: Option<String>,
    /// Whether the version in use exists.
    pub has_current: bool,
    /// Whether a version has a number that it can be selected by.
    pub can_select: bool,
    /// Newest scenes of its versions, and whether that version is in use.
    pub scenes: Vec<(i64, bool)>,
}

/// What our own record says of a timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Child {
    /// The timeline's own.
    pub id: String,
    /// Made as a checkpoint.
    pub is_checkpoint: bool,
    /// The record of a main chat, which has no parent.
    pub is_main: bool,
    /// The timeline it came from.
    pub parent: Option<record::Parent>,
    /// The fork point.
    pub at: usize,
    /// The lorebook it was given; `None` if it was given none.
    pub lorebook: Option<String>,
    /// The lorebook that was made of.
    pub of: Option<String>,
    /// Whether it shares its parent's lorebook on purpose.
    pub is_shared: bool,
    /// Whether its parent was left without a link on purpose.
    pub is_unlinked: bool,
}

impl Child {
    /// Whether we forked it, so that `at` is where it left its parent.
    pub(crate) fn is_forked(&self) -> bool {
        self.parent.as_ref().is_some_and(|parent| parent.id.is_some())
    }
}

/// What a header says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeaderFacts {
    /// The lorebook it names.
    pub lorebook: Option<String>,
    /// The chat it says it came from.
    pub main_chat: Option<String>,
    /// The slug that tells it from copies of itself.
    pub slug: Option<String>,
    /// Our record, if it is this file's own.
    pub record: Option<Child>,
    /// Whether there is a record of ours that came along with copied metadata.
    pub is_copied: bool,
    /// The lorebook that it used together with others, and until when.
    pub left: Option<(String, i64)>,
    /// Whether the id of the family is its own.
    pub id: Option<String>,
    /// The running recap, if there is one.
    pub running: Option<RunningFacts>,
    /// Whose the combined recap is, and of how many messages.
    pub combined: Option<(Option<String>, i64)>,
    /// The registry index: uids and names.
    pub index: Vec<(i64, String)>,
    /// Timelines and their lorebooks.
    pub map: Vec<(String, String)>,
    /// Timelines that shared its lorebook, are gone, and left a tombstone here.
    pub gone: Vec<String>,
    /// Lorebooks that memory extensions use besides.
    pub other_books: Vec<String>,
}

impl HeaderFacts {
    pub(super) fn read(header: &Header<'_>, chat: &str) -> Self {
        // Once: a header may hold a megabyte of recaps.
        let members = header.metadata().map(Json::members).unwrap_or_default();
        let text =
            |key: &str| find(&members, key).and_then(Json::str).filter(|text| !text.is_empty());
        let mut facts = Self {
            lorebook: text("world_info").map(|text| text.into_owned()),
            main_chat: text("main_chat").map(|text| text.into_owned()),
            slug: text("integrity").map(|text| text.into_owned()),
            ..Self::default()
        };
        if find(&members, record::KEY).is_some_and(Json::is_object) {
            facts.id = record::own_id(header, chat);
            facts.left = record::shared(header, chat);
            facts.record = Record::own(header, chat).map(|record| child(&record, &members));
            facts.is_copied = facts.id.is_none() && !Record::is_newer(header);
        }
        facts.running = Running::in_metadata(&members).as_ref().map(running);
        let combined = memory::running::combined(&members);
        facts.combined = combined.map(|all| (all.chat, all.messages.unwrap_or(0)));
        if let Some(map) = find(&members, MAP[0]).and_then(|json| json.some(MAP[1])) {
            let pair = |member: &Member<'_>| {
                Some((string(Some(member.key))?, string(Some(member.value))?))
            };
            facts.map = map.members().iter().filter_map(pair).collect();
        }
        facts.index = registries::index(&members);
        if find(&members, tombstone::KEY).is_some() {
            let all = tombstone::read(header).into_iter();
            facts.gone = all.map(|gone| gone.teller.name).collect();
        }
        facts.other_books = memory::names::books(&members);
        facts
    }
}

fn find<'a>(members: &[Member<'a>], key: &str) -> Option<Json<'a>> {
    let found = members.iter().rev().find(|member| member.is(key))?;
    (!found.value.is_null()).then_some(found.value)
}

fn string(json: Option<Json<'_>>) -> Option<String> {
    json.and_then(Json::str).map(|text| text.into_owned())
}

fn running(running: &Running) -> RunningFacts {
    let current = running.current();
    RunningFacts {
        chat_id: running.chat.clone(),
        has_current: current.is_some(),
        can_select: running.versions.iter().any(|version| version.number.is_some()),
        scenes: running
            .versions
            .iter()
            .map(|version| {
                (version.scene, current.is_some_and(|current| std::ptr::eq(current, version)))
            })
            .collect(),
    }
}

fn child(record: &Record, members: &[Member<'_>]) -> Child {
    let state = State::in_metadata(members);
    let is_shared = record.lore.source == Source::Shared;
    Child {
        id: record.id.clone(),
        is_checkpoint: record.kind == record::Kind::Checkpoint,
        is_main: record.kind == record::Kind::Main,
        parent: record.parent.clone(),
        at: record.at,
        lorebook: state.and_then(if is_shared { State::original } else { State::copy }),
        of: record.lore.of.clone(),
        is_shared,
        is_unlinked: find(members, record::KEY)
            .and_then(|own| own.get("link"))
            .is_some_and(|link| link.bool() == Some(false)),
    }
}
