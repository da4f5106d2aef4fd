//! The moment: what was true at message N, from which evidence, and how sure we are.

pub mod decide;
pub mod evidence;
pub mod film;
pub mod foreign;
pub mod live;
pub(crate) mod marks;
pub mod metadata;
pub mod rebuild;

use crate::json::Json;
use crate::memory::scene::SnapshotFacts;
use crate::sentence::Sentence;

/// Which lorebook the user wants a fork to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LoreChoice {
    /// As it was at that message, or none at all.
    #[default]
    Auto,
    /// As it is now, with its future if need be.
    Live,
    /// From the newest snapshot, even if the live one would do.
    Snapshot,
    /// A new one without entries.
    Empty,
    /// The same book as the parent, on purpose.
    Share,
}

/// Where the new lorebook comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// There is no lorebook.
    None,
    /// The lorebook as it is now.
    Live,
    /// What scenes recorded of it.
    Snapshot,
    /// Nothing: it begins without entries.
    Empty,
    /// It is the parent's own book.
    Shared,
}

impl Source {
    /// As it stands in records and answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Live => "live",
            Self::Snapshot => "snapshot",
            Self::Empty => "empty",
            Self::Shared => "shared",
        }
    }

    /// Reads it back from a record.
    pub(crate) fn read(json: Json<'_>) -> Option<Self> {
        [Self::None, Self::Live, Self::Snapshot, Self::Empty, Self::Shared]
            .into_iter()
            .find(|one| json.says(one.word()))
    }
}

/// How sure it is that the new lorebook is the one of that message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quality {
    /// No lorebook, nothing to be sure of.
    None,
    /// Nothing changed since that message, or all that did is known.
    Exact,
    /// Live, without memories of later messages.
    Ranged,
    /// Live, and nothing is recorded that could tell.
    Current,
    /// As a scene recorded it.
    Snapshot,
    /// A snapshot that is known to lack something.
    Partial,
    /// Live, though it is known to hold later things.
    Future,
    /// Without entries, because that was asked for.
    Empty,
    /// The parent's own book.
    Shared,
}

impl Quality {
    /// As it stands in records and answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Exact => "exact",
            Self::Ranged => "ranged",
            Self::Current => "current",
            Self::Snapshot => "snapshot",
            Self::Partial => "partial",
            Self::Future => "future",
            Self::Empty => "empty",
            Self::Shared => "shared",
        }
    }

    /// Reads it back from a record.
    pub(crate) fn read(json: Json<'_>) -> Option<Self> {
        [
            Self::None,
            Self::Exact,
            Self::Ranged,
            Self::Current,
            Self::Snapshot,
            Self::Partial,
            Self::Future,
            Self::Empty,
            Self::Shared,
        ]
        .into_iter()
        .find(|one| json.says(one.word()))
    }
}

impl From<film::Level> for Quality {
    fn from(level: film::Level) -> Self {
        match level {
            film::Level::Certain => Self::Exact,
            film::Level::Recorded => Self::Snapshot,
            film::Level::Undecided => Self::Partial,
        }
    }
}

/// The lorebook of a moment, chosen but not yet written.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// Where it comes from.
    pub source: Source,
    /// How sure it is that it is the one of that message.
    pub quality: Quality,
    /// The message whose snapshot it is.
    pub from: Option<usize>,
    /// Which of its snapshots.
    pub snapshot: Option<SnapshotFacts>,
    /// The untouched checkpoint it is copied from, if that is nearer than any scene.
    pub checkpoint: Option<usize>,
    /// Whether it is what the film of the lorebook says.
    pub is_filmed: bool,
    /// What a partial one lacks.
    pub lacks: Vec<Sentence>,
}

impl Moment {
    pub(crate) fn plain(source: Source, quality: Quality) -> Self {
        Self {
            source,
            quality,
            from: None,
            snapshot: None,
            checkpoint: None,
            is_filmed: false,
            lacks: Vec::new(),
        }
    }
}
