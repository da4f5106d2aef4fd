//! Lorebooks beside this one: those that were made of it, and others made of the one that it was
//! made of itself. Until they parted, they were one.
//!
//! What somebody wrote then, between two snapshots, and took back before the next one, stands in such
//! a lorebook alone. It is not looked at: what was true between two snapshots between which another
//! lorebook was made is as recorded, and no more than that.

use crate::host::HeaderOf;
use crate::memory::checkpoints::{STATE, State};
use crate::tavern::chat::Header;
use crate::tavern::names::same_lorebook;
use crate::tavern::place::ChatRef;

/// How often one lorebook was made of another, at most.
const DEEPEST: usize = 64;

/// That a lorebook was made of another one.
struct Making {
    lorebook: String,
    of: String,
    /// When, in milliseconds.
    time: f64,
}

impl Making {
    fn read(header: &Header<'_>) -> Option<Self> {
        let state = State::of(header)?;
        let (lorebook, of) = (state.copy()?, state.original()?);
        // SillyTavern's copies of a timeline of ours say so, too, as long as they use that lorebook.
        let is_it = header.lorebook().is_some_and(|own| same_lorebook(&own, &lorebook));
        let time = state.made()?;
        (is_it && !same_lorebook(&of, &lorebook)).then_some(Self { lorebook, of, time })
    }
}

/// Whether a lorebook may have been made for the timeline with this header.
pub(super) fn is_made(other: &HeaderOf) -> bool {
    // Headers can be long: most have no such key, and need not be read for it.
    other.header.contains(STATE[0])
        && Header::read(&other.header).is_ok_and(|header| State::of(&header).is_some())
}

/// The hours at which a lorebook was made of that of a timeline, or parted from it, in milliseconds.
pub(super) fn partings(
    lorebook: &str,
    (chat, own): (&ChatRef, &Header<'_>),
    headers: &[HeaderOf],
) -> Vec<f64> {
    let others = headers.iter().filter(|other| other.chat.owner == chat.owner);
    let others = others.filter_map(|other| Making::read(&Header::read(&other.header).ok()?));
    let makings: Vec<Making> = others.chain(Making::read(own)).collect();
    let made = |book: &str| makings.iter().find(|making| same_lorebook(&making.lorebook, book));
    // What it was made of, and until when both were one. Messages of several timelines are not compared:
    // one may be numbered otherwise by now.
    let mut line = vec![(lorebook, f64::INFINITY)];
    while let Some((last, time)) = line.last().copied()
        && let Some(making) = made(last)
        && line.len() < DEEPEST
    {
        line.push((making.of.as_str(), time.min(making.time)));
    }
    let parting = |making: &Making| {
        let met = line.iter().find(|(name, _)| same_lorebook(name, &making.of));
        met.map(|(_, time)| making.time.min(*time))
    };
    makings.iter().filter_map(parting).collect()
}
