//! The running recap: versions of the story so far, in the chat's metadata.

use super::recap::hash::recap_hash;
use super::{ALL, members_of};
use crate::json::{JsonError, Member};
use crate::tavern::chat::{Header, HeaderEdit};

/// A version of the running recap, as far as forks need it.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    /// Numbers begin at 0, have holes, and may occur twice.
    pub number: Option<i64>,
    /// The newest scene it covers.
    pub scene: i64,
    /// How many scenes it tells of.
    pub scene_count: Option<i64>,
    /// When it was made.
    pub time: Option<f64>,
    /// JSON text of the content, quotes included.
    pub content: Option<String>,
}

/// The running recap of a chat.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    /// The chat that it says it is of.
    pub chat: Option<String>,
    /// The number of the version in use, which need not exist.
    pub current: Option<i64>,
    /// As they stand there, which need not be in the order of their numbers.
    pub versions: Vec<Version>,
}

impl Running {
    /// The running recap that a header holds.
    pub fn of(header: &Header<'_>) -> Option<Self> {
        Self::in_metadata(&members_of(header))
    }

    /// The same, given the members of the metadata.
    pub fn in_metadata(metadata: &[Member<'_>]) -> Option<Self> {
        ALL.iter().find_map(|memory| memory.running(metadata))
    }

    /// The version in use: the first that has the number.
    pub fn current(&self) -> Option<&Version> {
        self.versions
            .iter()
            .find(|version| version.number.is_some() && version.number == self.current)
    }
}

/// A recap of the whole story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Combined {
    /// The chat that it says it is of.
    pub chat: Option<String>,
    /// Of how many messages it was made.
    pub messages: Option<i64>,
}

/// The recap of the whole story, given the members of the metadata.
pub(crate) fn combined(metadata: &[Member<'_>]) -> Option<Combined> {
    ALL.iter().find_map(|memory| memory.combined(metadata))
}

/// The same of a header.
pub(crate) fn combined_of(header: &Header<'_>) -> Option<Combined> {
    combined(&members_of(header))
}

/// That recap goes if it is of more messages than there are up to `last`; else it is of this chat.
pub(crate) fn mend_combined(
    header: &mut HeaderEdit,
    before: &Header<'_>,
    last: usize,
    chat: &str,
) -> Result<(), JsonError> {
    ALL.iter().try_for_each(|memory| memory.mend_combined(header, before, last, chat))
}

/// What people call the extension that keeps recaps.
pub(crate) fn keeper() -> &'static str {
    super::name_of(|memory| memory.marks() != super::scene::Marks::default())
}

/// A version of the running recap that gave events entries of their own.
#[derive(Debug, Clone)]
pub struct LateWork {
    /// When the version was made.
    pub time: Option<f64>,
    /// The newest scene it covers.
    pub scene: i64,
    /// Name, and hash of what the entry said when it was made.
    pub events: Vec<(String, String)>,
}

/// All such versions that a header tells of.
pub(crate) fn late_work(header: &Header<'_>) -> Vec<LateWork> {
    ALL.iter().flat_map(|memory| memory.late_work(header)).collect()
}

/// A recap's text as a hash, by which a change of it is noticed.
pub fn hash(text: &str) -> String {
    recap_hash(text)
}
