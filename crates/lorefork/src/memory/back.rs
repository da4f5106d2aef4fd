//! What of the metadata goes back to message N with the lorebook.

use super::ALL;
use super::parting::Parting;
use super::ranges::Told;
use super::scene::Scene;
use crate::json::JsonError;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::lorebook::Lorebook;

/// What the header goes back to.
#[derive(Debug, Clone, Copy)]
pub struct Rewind<'r> {
    /// The new timeline's name.
    pub chat: &'r str,
    /// That of the one it comes from.
    pub parent: &'r str,
    /// Its last message.
    pub at: usize,
    /// The scenes up to there.
    pub scenes: &'r [Scene],
    /// Milliseconds since 1970.
    pub now_ms: u64,
    /// The same as ISO time.
    pub now: &'r str,
    /// The new lorebook, if it gets one.
    pub lorebook: Option<Exchange<'r>>,
    /// Chats whose memories are this one's.
    pub chats: &'r [Told],
    /// What it leaves to the timeline it comes from.
    pub parting: &'r Parting,
}

/// One lorebook taking the place of another.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'r> {
    /// The name of the former one.
    pub from: &'r str,
    /// What it holds now; `None` if the file is gone.
    pub live: Option<&'r Lorebook<'r>>,
    /// The name of the new one.
    pub to: &'r str,
    /// What it holds.
    pub new: &'r Lorebook<'r>,
    /// Whether the entries are other ones than the live ones, so that indexes are made anew.
    pub is_rebuilt: bool,
}

/// What happened to the metadata besides the plain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// A combined recap was made from messages the timeline does not have, and was left out.
    pub dropped_combined_recap: bool,
}

/// Copies of further lorebooks, which were made for a timeline.
#[derive(Debug, Clone, Copy)]
pub struct Copies<'a> {
    /// The timeline that it comes from.
    pub parent: &'a str,
    /// The timeline that they are for.
    pub name: &'a str,
    /// What was bound, and its copy.
    pub books: &'a [(String, String)],
    /// The newest message that a memory in them covers.
    pub covered: Option<i64>,
    /// ISO time.
    pub now: &'a str,
}

/// Whether a version of the running recap that was made at that time tells of a scene as these
/// scenes have it.
pub(crate) fn is_told(scenes: &[Scene], at: usize, time: Option<f64>) -> bool {
    let is_before = |end: Option<f64>| end.zip(time).is_none_or(|(end, time)| time < end);
    let mut scenes = scenes.iter().filter(|scene| scene.at == at);
    scenes.any(|scene| scene.recap.is_some() && is_before(scene.superseded))
}

/// Sets what memory extensions keep in `header` back; `parent` is what it says now.
pub(crate) fn set_back(
    header: &mut HeaderEdit,
    parent: &Header<'_>,
    rewind: &Rewind<'_>,
) -> Result<Notes, JsonError> {
    let mut notes = Notes::default();
    ALL.iter().try_for_each(|memory| memory.set_back(header, parent, rewind, &mut notes))?;
    Ok(notes)
}

/// The running recap without what came after the message `last`, and with a version in use.
pub(crate) fn trim_recap(
    header: &mut HeaderEdit,
    last: usize,
    chat: &str,
) -> Result<(), JsonError> {
    ALL.iter().try_for_each(|memory| memory.trim_recap(header, last, chat))
}

/// What of the metadata lists the lorebook's entries, as they are now.
pub(crate) fn reindex(
    header: &mut HeaderEdit,
    parent: &Header<'_>,
    exchange: &Exchange<'_>,
) -> Result<(), JsonError> {
    ALL.iter().try_for_each(|memory| memory.reindex(header, parent, exchange))
}

/// The metadata of a timeline whose further lorebooks are copies now.
pub(crate) fn copied(
    header: &mut HeaderEdit,
    before: &Header<'_>,
    copies: &Copies<'_>,
) -> Result<(), JsonError> {
    ALL.iter().try_for_each(|memory| memory.copied(header, before, copies))
}
