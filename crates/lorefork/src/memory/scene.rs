//! Scenes: the messages that close one, and the snapshots of the lorebook that were recorded with them.

use super::ALL;
use super::entries::is_registry;
use crate::json::{Json, JsonError, js};

/// Texts by which lines are found before anybody parses them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks {
    /// A line of a scene has one of them.
    pub scenes: &'static [&'static str],
    /// A line with a recap has one of them.
    pub recaps: &'static [&'static str],
    /// A line with a snapshot has one of them.
    pub snapshots: &'static [&'static str],
    /// What stands in a line that ends a scene, and before the scene's name in it.
    pub names: &'static [(&'static str, &'static str)],
}

/// All texts of one kind.
pub(crate) fn marks<T: Copy + 'static>(which: impl Fn(Marks) -> &'static [T]) -> Vec<T> {
    ALL.iter().flat_map(|memory| which(memory.marks()).iter().copied()).collect()
}

/// How the keys of scenes begin in the lines of messages.
pub(crate) const KEYS_BEGIN: &str = super::recap::SCENE_KEYS_BEGIN;

/// What a message says about the scene it closes. Small, since a chat can have thousands; the
/// snapshot itself stays in the message.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// The message, from 0.
    pub at: usize,
    /// Whether a scene ends here; else the message only has a recap.
    pub is_break: bool,
    /// Hidden breaks keep their data.
    pub is_visible: bool,
    /// What its user or the model called it.
    pub name: Option<String>,
    /// The selected recap's JSON text, quotes and all: it may hold half an emoji.
    pub recap: Option<String>,
    /// Whether any swipe holds a recap: proof that the lorebook was written to after this message.
    pub is_evidence: bool,
    /// The first time it was written after this message, as far as recorded.
    pub first_time: Option<f64>,
    /// The last time.
    pub time: Option<f64>,
    /// When another swipe than the chosen one was recapped after it, if one was chosen.
    pub superseded: Option<f64>,
    /// Whether there is a snapshot, and how much it holds.
    pub snapshot: Option<SnapshotFacts>,
    /// Snapshots of other versions of the recap, the best first.
    pub other_snapshots: Vec<SnapshotFacts>,
}

impl Scene {
    /// A visible scene break.
    pub fn closes_scene(&self) -> bool {
        self.is_break && self.is_visible
    }

    /// Whether the selected swipe has a recap that is more than blank.
    pub fn has_recap(&self) -> bool {
        self.recap.as_deref().is_some_and(|text| {
            Json::parse(text).ok().and_then(Json::str).is_none_or(|t| !t.trim().is_empty())
        })
    }
}

/// Reads the message at `at`; `None` if nobody has anything to say about it.
pub fn read(at: usize, line: &str) -> Result<Option<Scene>, JsonError> {
    for memory in ALL {
        if let Some(scene) = memory.scene(at, line)? {
            return Ok(Some(scene));
        }
    }
    Ok(None)
}

/// When another swipe than the chosen one was recapped after it, for the first time: from then on
/// lorebook and running recap know a reply that the new timeline does not have.
pub fn superseded(shown: &str, chosen: &str) -> Result<Option<f64>, JsonError> {
    let mut first: Option<f64> = None;
    for memory in ALL {
        let since = memory.superseded(shown, chosen)?;
        first = first.into_iter().chain(since).reduce(f64::min);
    }
    Ok(first)
}

/// The best snapshot that the message's selected swipe holds.
pub fn snapshot_in(message: Json<'_>) -> Option<Snapshot<'_>> {
    ALL.iter().find_map(|memory| memory.snapshots(message).into_iter().next())
}

/// The one of this version of the recap.
pub fn snapshot_of<'a>(message: Json<'a>, version: &str) -> Option<Snapshot<'a>> {
    let mut all = ALL.iter().flat_map(|memory| memory.snapshots(message));
    all.find(|snapshot| snapshot.version == version)
}

/// What one version of a scene's recap recorded of the lorebook.
#[derive(Debug, Clone)]
pub struct Snapshot<'a> {
    /// Which version of the recap.
    pub version: String,
    /// The whole lorebook but its queue, never empty.
    pub entries: Vec<Json<'a>>,
    /// Entries the scene made or changed. Recorded since the format was good enough to trust.
    /// The entries that the scene made, by number, if that was listed.
    pub created: Option<Vec<String>>,
    /// When it was taken.
    pub taken: Option<f64>,
}

/// Whether a snapshot holds all that the lorebook held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// All of it.
    Complete,
    /// Formats of the first hours: before the scene's own entries were written, or unknown.
    Early,
    /// Only the entries of that scene.
    OwnEntriesOnly,
    /// The lorebook has registries, the snapshot has none.
    NoRegistries,
}

impl Snapshot<'_> {
    /// What there is to know about the snapshot without keeping it.
    pub fn facts(&self) -> SnapshotFacts {
        let uid = |entry: &Json<'_>| entry.get("uid").map(js::number);
        SnapshotFacts {
            version: self.version.clone(),
            taken: self.taken,
            is_early: self.created.is_none(),
            is_own_entries_only: self.created.as_ref().is_some_and(|created| {
                self.entries
                    .iter()
                    .all(|entry| uid(entry).is_some_and(|uid| created.contains(&uid)))
            }),
            has_registries: self.entries.iter().any(|entry| {
                entry
                    .get("comment")
                    .and_then(Json::str)
                    .is_some_and(|comment| is_registry(&comment))
            }),
        }
    }
}

/// A snapshot's format, as far as it tells how much of the lorebook it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotFacts {
    /// Which version of the recap it belongs to.
    pub version: String,
    /// When it was taken.
    pub taken: Option<f64>,
    is_early: bool,
    is_own_entries_only: bool,
    has_registries: bool,
}

impl SnapshotFacts {
    /// Whether it was taken after `time`, as far as both are known.
    pub fn is_after(&self, time: Option<f64>) -> bool {
        self.taken.zip(time).is_some_and(|(taken, time)| taken > time)
    }

    /// How much of the lorebook it holds.
    pub fn completeness(&self, live_has_registries: bool) -> Completeness {
        if self.is_early {
            Completeness::Early
        } else if self.has_registries {
            Completeness::Complete
        } else if self.is_own_entries_only {
            Completeness::OwnEntriesOnly
        } else if live_has_registries {
            Completeness::NoRegistries
        } else {
            Completeness::Complete
        }
    }
}
