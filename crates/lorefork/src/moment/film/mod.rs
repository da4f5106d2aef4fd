//! The film: one answer to “what does timeline T know at message N?”
//!
//! Every recorded state of a lorebook is a picture of it, whoever took it; in the order of time they
//! are a film, with the lorebook as it is now at its end. Between two pictures somebody changed
//! something. Who it can have been is known from what else lies between them, and whether that
//! happened in the story of T up to N is known from its messages: from this follows, entry by entry,
//! what T knows at N, and how sure that is.
//!
//! - `teller`: what one timeline tells
//! - `tombstone`: what one tells that was deleted
//! - `lives`, `value`: which entry is which, and when two records of it say the same
//! - `between`: who can have written between two pictures
//! - `steps`: what happened to an entry between two pictures, and who says so
//! - `path`: what of it lies in the story of T up to N
//! - `apply`: what a change makes of an entry that is not as the picture before it shows
//! - `answer`: the question and its answer
//! - `renumbered`: which entries may be one that got another number
//! - `traces`: what else it tells of an entry or a time
//! - `place`, `registries`, `book`: the bytes of the lorebook that it is

mod answer;
mod apply;
mod between;
mod book;
mod lives;
mod path;
mod place;
mod registries;
mod renumbered;
mod steps;
mod teller;
pub mod tombstone;
mod traces;
pub(crate) mod value;

pub use answer::{Answer, Known, Level, Why};
pub use book::Made;
pub use lives::{Life, Lives, Version};
pub use path::Path;
pub use place::Placed;
pub use teller::{OfBook, Teller, has_exact_date, is_a_swipe_of, is_same_message};

use crate::memory::recorded::Touched;
use crate::sorted;
use crate::tavern::lorebook::Lorebook;
use between::Between;
use steps::Step;
use teller::Print;

/// A scene's recap, as one or several timelines hold it.
#[derive(Debug)]
struct Record {
    made: Option<f64>,
    taken: Option<f64>,
    touched: Touched,
    prints: Vec<Print>,
    held: Vec<Held>,
    is_early: bool,
    /// Whether nothing says that it ever wrote anything.
    is_waiting: bool,
    /// Whether it may have been made at any time before the next message.
    is_undated: bool,
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
    /// Where its entries are: among the records of which timeline.
    place: (usize, usize),
}

/// Which part of a film is looked at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extent {
    /// From the picture of that time on, which is sure to be of the story that is asked about.
    pub since: Option<f64>,
    /// Whether scenes after the last picture are not told.
    pub is_cut: bool,
}

/// All pictures of a lorebook in the order of time, with who can have written between them.
#[derive(Debug)]
pub struct Film<'f> {
    tellers: &'f [Teller],
    records: Vec<Record>,
    events: Vec<Event>,
    pictures: Vec<Picture>,
    /// What the pictures show, entry by entry.
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
    extent: Extent,
}

impl<'f> Film<'f> {
    /// The film of `live`, as all who use or used it tell it. `live` is `None` if it is gone.
    pub fn new(tellers: &'f [Teller], live: Option<&Lorebook<'_>>, extent: Extent) -> Self {
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
            extent,
        };
        film.gather();
        match live {
            Some(live) => film.lives.show_live(film.pictures.len(), live),
            // What it was last is all that is known.
            None => film.lives.show(film.pictures.len(), &[], true),
        }
        let all = film.lives.all.iter().filter(|life| life.is_registry);
        let types = all.filter_map(|life| crate::memory::registries::of(&life.comment));
        film.types = types.map(|registry| registry.kind.to_owned()).collect();
        film.between = between::all(&film);
        film.is_undated = film.between.iter().any(|between| between.is_undated);
        film.has_strangers = tellers.len() > 1 && film.shows_strangers();
        film.take_steps();
        film
    }

    /// Records of all timelines, each once, and their pictures in the order of time.
    fn gather(&mut self) {
        let mut ids: Vec<&str> = Vec::new();
        let mut taken: Vec<(f64, usize, (usize, usize))> = Vec::new();
        let is_before = |record: &&teller::SceneRecord| {
            let time = record.taken.or(record.made);
            time.zip(self.extent.since).is_some_and(|(time, since)| time < since)
        };
        for (index, teller) in self.tellers.iter().enumerate() {
            let told = teller.records.iter().enumerate();
            for (place, record) in told.filter(|(_, record)| !is_before(record)) {
                let held =
                    Held { teller: index, at: record.at, is_swiped_away: record.is_swiped_away };
                if let Some(known) = ids.iter().position(|id| *id == record.id) {
                    self.records[known].held.push(held);
                    continue;
                }
                ids.push(&record.id);
                let number = self.records.len();
                if let (Some(time), Some(_)) = (record.taken, &record.entries) {
                    taken.push((time, number, (index, place)));
                }
                self.records.push(Record {
                    made: record.made,
                    taken: record.taken,
                    touched: record.touched.clone(),
                    prints: record.prints.clone(),
                    held: vec![held],
                    is_early: record.is_early,
                    is_waiting: record.is_waiting,
                    is_undated: record.is_undated,
                });
            }
        }
        taken.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
        for (number, (time, record, place)) in taken.into_iter().enumerate() {
            let shown = &self.tellers[place.0].records[place.1];
            let entries = shown.entries.as_deref().unwrap_or_default();
            self.lives.show(number, entries, shown.is_partial);
            self.pictures.push(Picture { time, record, place });
        }
    }

    /// Whether nobody recorded anything.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The number of the last picture: the live book.
    pub fn live(&self) -> usize {
        self.pictures.len()
    }

    /// The last picture that the story itself took, and its message.
    pub fn nearest(&self, path: &Path<'_>) -> Option<(usize, usize)> {
        let own = |record: &Record| {
            let held = record.held.iter().find(|held| held.teller == path.teller)?;
            (path.record(self, record) == path::Sides::ON).then_some(held.at)
        };
        let pictures = self.pictures.iter().enumerate().rev();
        let mut pictures = pictures
            .filter_map(|(number, picture)| Some((number, own(&self.records[picture.record])?)));
        pictures.next()
    }

    fn entries_in(&self, picture: usize) -> &[(String, String)] {
        let (teller, place) = self.pictures[picture].place;
        self.tellers[teller].records[place].entries.as_deref().unwrap_or_default()
    }

    /// Places of the entries that a picture shows, in the order of their numbers.
    fn by_uid(&self, picture: usize) -> Vec<usize> {
        sorted::places(self.entries_in(picture), |(uid, _)| uid.as_str())
    }

    /// An entry as a picture shows it.
    fn shown_in(&self, picture: usize, by_uid: &[usize], uid: &str) -> Option<&str> {
        let entries = self.entries_in(picture);
        let found = sorted::at(by_uid, entries, |(uid, _)| uid.as_str(), &uid).first()?;
        Some(entries[*found].1.as_str())
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
