//! Who can have written between two pictures.

use super::lives::Life;
use super::path::{Path, Sides};
use super::teller::Played;
use super::{Event, Film, Record};
use crate::json::Json;
use crate::memory::entries::plain_name;
use crate::memory::recorded::Touched;

/// How far apart the parts of one scene's work can be dated.
const MINUTES: f64 = 120_000.0;

/// What lies between a picture and the one before.
#[derive(Debug, Default)]
pub(super) struct Between {
    /// Messages that were played: timeline, first and last.
    played: Vec<(usize, usize, usize)>,
    /// Records whose work can lie here.
    works: Vec<usize>,
    /// Who took the picture before, and was at which message: edits right after a scene.
    taker: Option<(usize, usize)>,
    /// Whether it is not known when some of it was.
    pub is_undated: bool,
}

/// For each picture and the live book, what lies before it.
pub(super) fn all(film: &Film<'_>) -> Vec<Between> {
    let live = film.pictures.len();
    let mut all: Vec<Between> = (0..=live).map(|_| Between::default()).collect();
    let place = |time: f64| film.pictures.partition_point(|picture| picture.time < time);
    for (number, record) in film.records.iter().enumerate() {
        let (mut first, mut last) = match (record.made, record.taken) {
            (Some(made), Some(taken)) => (place(made.min(taken)), place(made.max(taken))),
            (Some(one), None) if record.is_undated => {
                (place(one), next(film, record).map_or(live, place))
            }
            (Some(one), None) | (None, Some(one)) => (place(one), place(one)),
            (None, None) => (0, live),
        };
        // Taken before its own work.
        if record.is_early {
            last = (last + 1).min(live);
            if film.shows_nothing_of(number) {
                first = last;
            }
        }
        for between in &mut all[first..=last] {
            between.works.push(number);
        }
    }
    for (index, teller) in film.tellers.iter().enumerate() {
        for (number, message) in teller.played.iter().enumerate() {
            let (first, last) = match message.time {
                Some((first, last)) => (place(first), place(last)),
                None => by_neighbours(film, index, number, &place),
            };
            for between in &mut all[first..=last] {
                between.is_undated |= message.time.is_none();
                match between.played.iter_mut().find(|(teller, ..)| *teller == index) {
                    Some((_, first, last)) => {
                        (*first, *last) = ((*first).min(message.at), (*last).max(message.at));
                    }
                    None => between.played.push((index, message.at, message.at)),
                }
            }
        }
    }
    for (number, picture) in film.pictures.iter().enumerate() {
        let held = film.records[picture.record].held.iter();
        // Those who hold it now were one when it was taken, and that one was where the longest was.
        let at = |teller: usize, at: usize| {
            film.tellers[teller].last_by(picture.time).map_or(at, |last| last.max(at))
        };
        let taker = held.map(|held| (held.teller, at(held.teller, held.at)));
        all[number + 1].taker = taker.max_by_key(|(_, at)| *at);
    }
    all
}

/// When the message after a scene was written.
fn next(film: &Film<'_>, record: &Record) -> Option<f64> {
    let next = record.held.iter().map(|held| film.tellers[held.teller].first_date(held.at + 1));
    next.flatten().reduce(f64::max)
}

/// Where a message lies that does not say when it was written: behind what is known to be before it,
/// and not behind what is known to be after it.
fn by_neighbours(
    film: &Film<'_>,
    teller: usize,
    number: usize,
    place: &dyn Fn(f64) -> usize,
) -> (usize, usize) {
    let own = &film.tellers[teller];
    let at = own.played[number].at;
    let dated = |message: &&Played| message.time.is_some();
    let before = own.played[..number].iter().rev().find(dated).and_then(|message| message.time);
    let after = own.played[number..].iter().find(dated).and_then(|message| message.time);
    // What follows a scene was played after its picture was taken, as far as anybody tells.
    let scenes = own.records.iter().filter(|record| record.at < at);
    let taken = scenes.filter_map(|record| record.taken.or(record.made)).reduce(f64::max);
    let after_scene =
        taken.map(|taken| film.pictures.partition_point(|picture| picture.time <= taken));
    let scenes = own.records.iter().filter(|record| record.at >= at);
    let made = scenes.filter_map(|record| record.made);
    let last = after.map(|(first, _)| first).into_iter().chain(made).reduce(f64::min);
    let first = before.map(|(first, _)| place(first)).or(after_scene).unwrap_or_default();
    let last = last.map_or(film.pictures.len(), place);
    (first.min(last), last)
}

/// Types of entries that Auto-Recap makes unless it is told otherwise.
const TYPES: [&str; 8] =
    ["character", "location", "item", "faction", "lore", "event", "document", "rule"];

impl Film<'_> {
    /// The time before these pictures.
    fn time_before(&self, (first, last): (usize, usize)) -> (f64, f64) {
        let end = self.pictures.get(last).map_or(f64::INFINITY, |picture| picture.time);
        let start = first.checked_sub(1).map_or(f64::NEG_INFINITY, |n| self.pictures[n].time);
        (start, end)
    }

    /// Whether a scene has words of its own, and its own picture has none of them: it worked later.
    fn shows_nothing_of(&self, number: usize) -> bool {
        let words = &self.records[number].touched.words;
        let own = self.pictures.iter().position(|picture| picture.record == number);
        let Some(own) = own.filter(|_| !words.is_empty()) else { return false };
        let shown = self.entries_in(own).iter().filter_map(|(_, text)| {
            let entry = Json::parse(text).ok()?;
            let says = |key: &str| entry.get(key).and_then(Json::str).unwrap_or_default();
            Some((plain_name(&says("comment")), says("content").into_owned()))
        });
        let shown: Vec<(String, String)> = shown.collect();
        !words.iter().any(|(name, text)| {
            let name = plain_name(name);
            shown.iter().any(|(of, content)| *of == name && content.contains(text.trim()))
        })
    }

    /// Records whose work can lie before these pictures.
    pub(super) fn works(&self, between: (usize, usize)) -> Vec<(usize, &Record)> {
        let all = self.between[between.0..=between.1].iter();
        let mut all: Vec<usize> = all.flat_map(|one| one.works.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|record| (record, &self.records[record])).collect()
    }

    /// Events that may have got their entries there. A version is as old as its scene's snapshot, or a
    /// little older.
    pub(super) fn events_before(
        &self,
        between: (usize, usize),
    ) -> impl Iterator<Item = (usize, &Event)> {
        let (start, end) = self.time_before(between);
        self.events.iter().enumerate().filter(move |(_, event)| {
            event.time.is_none_or(|time| start - MINUTES < time && time <= end + MINUTES)
        })
    }

    /// Who was played there, and can have changed anything by hand.
    pub(super) fn hands(&self, path: &Path<'_>, between: (usize, usize)) -> Sides {
        let (start, _) = self.time_before(between);
        let played = self.between[between.0..=between.1].iter().flat_map(|one| &one.played);
        let known = played.map(|(teller, first, last)| path.messages(*teller, *first, *last));
        let known = known.fold(Sides::default(), Sides::and);
        let is_strange =
            self.has_strangers || path.strangers_until.is_some_and(|until| start < until);
        if is_strange { known.and(Sides::OFF) } else { known }
    }

    /// Whether the lorebook was taken apart there: entries that nobody made then were put back, under
    /// another number where theirs was taken.
    pub(super) fn was_taken_apart(&self, path: &Path<'_>, between: (usize, usize)) -> bool {
        let (start, end) = self.time_before(between);
        path.strangers_until.is_some_and(|until| start < until && until <= end && until.is_finite())
    }

    /// Who was played there from a time on, or was at a message by then.
    pub(super) fn played_since(
        &self,
        path: &Path<'_>,
        between: (usize, usize),
        since: f64,
    ) -> Sides {
        let played = self.between[between.0..=between.1].iter().flat_map(|one| &one.played);
        let sides = played.map(|(teller, first, last)| {
            let then = self.tellers[*teller].last_by(since).unwrap_or(*first).max(*first);
            if then > *last { Sides::default() } else { path.messages(*teller, then, *last) }
        });
        sides.fold(Sides::default(), Sides::and)
    }

    /// Who took the pictures before, and can have gone on by hand: of this nothing tells.
    pub(super) fn taker(&self, path: &Path<'_>, between: (usize, usize)) -> Sides {
        let takers = self.between[between.0..=between.1].iter().filter_map(|one| one.taker);
        let sides = takers.map(|(teller, at)| path.messages(teller, at, at));
        sides.fold(Sides::default(), Sides::and)
    }

    /// Where those who were played there had been before: one can have written by hand, and gone on. With
    /// `together`, only those who were one with this story when they went on.
    pub(super) fn stood(&self, path: &Path<'_>, between: (usize, usize), together: bool) -> Sides {
        let played = self.between[between.0..=between.1].iter().flat_map(|one| &one.played);
        let is_one = |(teller, first): &(usize, usize)| !together || path.is_one(*teller, *first);
        let went_on = played.map(|(teller, first, _)| (*teller, *first)).filter(is_one);
        let before = went_on.filter_map(|(teller, first)| Some((teller, first.checked_sub(1)?)));
        let sides = before.map(|(teller, at)| path.messages(teller, at, at));
        sides.fold(Sides::default(), Sides::and)
    }

    /// Scenes whose last work can lie there: of those who took the pictures before, and all of that
    /// time but the one that took the last, which shows its own.
    pub(super) fn late(&self, path: &Path<'_>, between: (usize, usize)) -> Sides {
        let last = self.pictures.get(between.1).map(|picture| picture.record);
        let works = self.works(between).into_iter();
        let works = works.filter(|(number, record)| Some(*number) != last || record.is_early);
        let works = works.map(|(_, record)| path.record(self, record));
        works.fold(self.taker(path, between), Sides::and)
    }

    /// Whether its name has the form that scenes give: `<type>-…`, of a type with a registry, or of one
    /// that Auto-Recap brings along.
    pub(super) fn is_of_a_scene(&self, life: &Life) -> bool {
        let kind = life.comment.split_once('-').map(|(kind, _)| kind);
        let types = self.types.iter().map(String::as_str).chain(TYPES);
        kind.is_some_and(|kind| types.into_iter().any(|other| other.eq_ignore_ascii_case(kind)))
    }

    /// Whether somebody wrote of whom nothing else is left: a timeline that was deleted.
    pub(super) fn shows_strangers(&self) -> bool {
        let is_unclaimed = |life: &&Life| {
            let first = life.shows.iter().position(Option::is_some).unwrap_or_default();
            let since = life.is_sure[..first].iter().rposition(|is_sure| *is_sure);
            let since = since.map_or(0, |sure| sure + 1);
            let name = plain_name(&life.comment);
            since > 0
                && (first < self.pictures.len() || !self.extent.is_cut)
                && !is_event(&life.comment)
                && self.is_of_a_scene(life)
                && !self
                    .works((since, first))
                    .iter()
                    .any(|(_, record)| touches(&record.touched, life, &name))
        };
        // Of what lies before or after the part that is looked at nothing was read.
        let end = self.pictures.last().map(|last| last.time).filter(|_| self.extent.is_cut);
        let is_told = |event: &Event| {
            let is_in = |time: f64| {
                self.extent.since.is_none_or(|since| since < time)
                    && end.is_none_or(|end| time <= end)
            };
            event.time.map_or(self.extent.since.is_none() && end.is_none(), is_in)
        };
        let mut events = self.events.iter().filter(|event| is_told(event));
        events.any(|event| event.held.is_empty())
            || self.lives.all.iter().any(|life| is_unclaimed(&life))
    }
}

pub(super) fn touches(touched: &Touched, life: &Life, name: &str) -> bool {
    touched.uids.contains(&life.uid) || touched.names.iter().any(|other| plain_name(other) == name)
}

pub(super) fn is_event(comment: &str) -> bool {
    comment.to_lowercase().starts_with("event-")
}
