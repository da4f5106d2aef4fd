//! Stories whose true lorebooks are known, told through lorebooks that timelines share.
//!
//! A story is played with forks. Every timeline writes down what its own book would hold, and all
//! of them write to one file, as plain SillyTavern lets them. What may happen is switched in
//! `features.rs`; what can be decided afterwards is written into the truth. Nothing here shares code
//! with the engine's decisions that it judges.

mod features;
mod know;
mod play;
mod played;
mod traces;
mod write;

use std::collections::{BTreeMap, BTreeSet};

pub use features::Features;
use lorefork::tavern::place::ChatRef;

use crate::folder::Folder;

/// The name of the shared book.
pub const BOOK: &str = "z-AutoLB-Isle";

/// A story, as files and as truth.
#[derive(Debug, Clone)]
pub struct Tangled {
    pub folder: Folder,
    /// The same story with a lorebook for each timeline, which holds just what is true there.
    pub apart: Folder,
    pub truth: Vec<Truth>,
    /// Births that anything on disk shows: a lorebook or a snapshot.
    pub shown: BTreeSet<usize>,
    /// How many changes were made that leave no trace.
    pub without_trace: usize,
}

/// What is true of one timeline.
#[derive(Debug, Clone)]
pub struct Truth {
    pub chat: ChatRef,
    /// Its own book, by the birth of its entries; every entry carries its birth among its keys.
    pub book: BTreeMap<usize, Lore>,
    /// Births, of its own entries and of others', that its snapshots decide.
    pub decidable: Vec<usize>,
    /// Births that anything recorded can still show: in the shared book or in its own snapshots.
    pub recorded: Vec<usize>,
    /// Ids of the operations that wait for this timeline.
    pub waiting: Vec<String>,
    /// Whether it has its lorebook for itself, and always had.
    pub is_alone: bool,
    /// Births that its lorebook shows, or a snapshot of anybody who uses that or did.
    pub shown: BTreeSet<usize>,
    /// Births that the last of its own snapshots shows.
    pub in_last_snapshot: Vec<usize>,
    /// What it knew at each of its messages.
    pub moments: Vec<Moment>,
}

/// What is true of a timeline at one of its messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moment {
    /// By birth.
    pub book: BTreeMap<usize, Lore>,
    /// Births that its registries list, once all that the last scene began is done.
    pub registered: BTreeSet<usize>,
    /// What can be said of entries as well, where the truth has two sides.
    pub also: BTreeMap<usize, Vec<Option<Lore>>>,
}

impl Moment {
    /// Whether an entry of this birth, or none, is as it was.
    pub fn allows(&self, birth: usize, lore: Option<&Lore>) -> bool {
        let also = self.also.get(&birth);
        self.book.get(&birth) == lore
            || also.is_some_and(|all| all.iter().any(|other| other.as_ref() == lore))
    }
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lore {
    pub name: String,
    pub content: String,
    pub disabled: bool,
}

/// The key by which a test finds an entry again.
pub fn birth_key(birth: usize) -> String {
    format!("born{birth}")
}

/// Plays the story of a seed, in which all happens close together.
pub fn tangled(seed: u64) -> Tangled {
    told(seed, &Features::tangled().dense())
}

/// Plays the story of a seed with what these features let happen.
pub fn told(seed: u64, features: &Features) -> Tangled {
    let played = play::play(seed, features);
    Tangled {
        folder: write::folder(&played),
        apart: write::apart(&played),
        truth: know::truth(&played),
        shown: played.shown(),
        without_trace: traces::without(&played),
    }
}
