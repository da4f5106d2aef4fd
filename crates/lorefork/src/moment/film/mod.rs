//! The film: one answer to “what does timeline T know at message N?”
//!
//! Every recorded state of a lorebook is a picture of it, whoever took it; in the order of time they
//! are a film, with the lorebook as it is now at its end. Between two pictures somebody changed
//! something. Who it can have been is known from what else lies between them, and whether that
//! happened in the story of T up to N is known from its messages: from this follows, entry by entry,
//! what T knows at N, and how sure that is.
//!
//! - `teller`: what one timeline tells
//! - `lives`, `value`: which entry is which, and when two records of it say the same
//! - `between`: who can have written between two pictures
//! - `steps`: what happened to an entry between two pictures, and who says so
//! - `path`: what of it lies in the story of T up to N
//! - `answer`: the question and its answer

mod answer;
mod between;
mod lives;
mod path;
mod steps;
mod teller;
pub(crate) mod value;

pub use answer::{Answer, Known, Level, Why};
pub use lives::{Life, Lives, Version};
pub use path::Path;
pub use teller::{OfBook, Teller, is_a_swipe_of, is_same_message};

use crate::memory::recap::recorded::Touched;
use crate::tavern::lorebook::Lorebook;
use between::Between;
use steps::Step;

/// A scene's recap, as one or several timelines hold it.
#[derive(Debug)]
struct Record {
    made: Option<f64>,
    taken: Option<f64>,
    touched: Touched,
    held: Vec<Held>,
    is_early: bool,
}

/// Where a timeline holds it.
#[derive(Debug, Clone, Copy)]
struct Held {
    teller: usize,
    at: usize,
    is_swiped_away: bool,
}

/// An event that a version of a running recap gave an entry of its own.
#[derive(Debug)]
struct Event {
    name: String,
    /// Of what the entry said when it was made.
    hash: String,
    time: Option<f64>,
    /// The timelines whose story has it, with the message of its scene.
    held: Vec<(usize, usize)>,
}

/// The lorebook at one time.
#[derive(Debug)]
struct Picture {
    time: f64,
    record: usize,
}

/// All pictures of a lorebook in the order of time, with who can have written between them.
#[derive(Debug)]
pub struct Film<'f> {
    tellers: &'f [Teller],
    records: Vec<Record>,
    events: Vec<Event>,
    pictures: Vec<Picture>,
    pub lives: Lives,
    /// Before each picture, and before the live book.
    between: Vec<Between>,
    /// What happened to each entry, in order.
    steps: Vec<Vec<Step>>,
    /// The types that have a registry.
    types: Vec<String>,
    /// Whether somebody wrote of whom nothing else is left.
    has_strangers: bool,
    /// Whether nobody knows when some messages were written.
    is_undated: bool,
}

impl<'f> Film<'f> {
    /// The film of `live`, as all who use or used it tell it. `live` is `None` if it is gone.
    pub fn new(tellers: &'f [Teller], live: Option<&Lorebook<'_>>) -> Self {
        let mut film = Self {
            tellers,
            records: Vec::new(),
            events: events(tellers),
            pictures: Vec::new(),
            lives: Lives::default(),
            between: Vec::new(),
            steps: Vec::new(),
            types: Vec::new(),
            has_strangers: false,
            is_undated: false,
        };
        film.gather();
        match live {
            Some(live) => film.lives.show_live(film.pictures.len(), live),
            // What it was last is all that is known.
            None => film.lives.show(film.pictures.len(), &[], true),
        }
        let registries = film.lives.all.iter().filter(|life| life.is_registry);
        let types = registries.filter_map(|life| life.comment.strip_prefix("_registry_"));
        film.types = types.map(str::to_owned).collect();
        film.between = between::all(&film);
        film.is_undated = film.between.iter().any(|between| between.is_undated);
        film.has_strangers = film.shows_strangers();
        film.take_steps();
        film
    }

    /// Records of all timelines, each once, and their pictures in the order of time.
    fn gather(&mut self) {
        let mut ids: Vec<&str> = Vec::new();
        let mut taken: Vec<(f64, usize, &teller::SceneRecord)> = Vec::new();
        for (index, teller) in self.tellers.iter().enumerate() {
            for record in &teller.records {
                let held =
                    Held { teller: index, at: record.at, is_swiped_away: record.is_swiped_away };
                if let Some(known) = ids.iter().position(|id| *id == record.id) {
                    self.records[known].held.push(held);
                    continue;
                }
                ids.push(&record.id);
                let number = self.records.len();
                if let (Some(time), Some(_)) = (record.taken, &record.entries) {
                    taken.push((time, number, record));
                }
                self.records.push(Record {
                    made: record.made,
                    taken: record.taken,
                    touched: record.touched.clone(),
                    held: vec![held],
                    is_early: record.is_early,
                });
            }
        }
        taken.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
        for (number, (time, record, shown)) in taken.into_iter().enumerate() {
            let entries = shown.entries.as_deref().unwrap_or_default();
            self.lives.show(number, entries, shown.is_partial);
            self.pictures.push(Picture { time, record });
        }
    }

    /// The number of the last picture: the live book.
    pub fn live(&self) -> usize {
        self.pictures.len()
    }
}

/// Events by name, with the timelines whose story has them.
fn events(tellers: &[Teller]) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (index, teller) in tellers.iter().enumerate() {
        for version in &teller.versions {
            let held = teller.stands(version).map(|at| (index, at));
            for (name, hash) in &version.events {
                let same = |event: &&mut Event| {
                    event.name == *name && event.hash == *hash && event.time == version.time
                };
                match events.iter_mut().find(same) {
                    Some(event) => event.held.extend(held),
                    None => events.push(Event {
                        name: name.clone(),
                        hash: hash.clone(),
                        time: version.time,
                        held: held.into_iter().collect(),
                    }),
                }
            }
        }
    }
    events
}
