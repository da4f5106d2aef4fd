//! The lorebook's history, put together from what all timelines recorded of it.
//!
//! Every snapshot shows the one shared file at one time. In the order of time they are a film of
//! it, with the live book as its last picture. Between two pictures somebody changed something;
//! who it can have been is known from what else lies between them.

use super::events::Event;
use super::timeline::{SceneRecord, Timeline};
use crate::json::Json;
use crate::memory::recap::hash::recap_hash;
use crate::memory::recap::queue;
use crate::memory::recap::recorded::{Touched, uid_text};
use crate::memory::recap::registry;
use crate::moment::film::value::{canonical, comment, is_same};
use crate::moment::rebuild::plain_name;
use crate::sorted;
use crate::tavern::lorebook::{Entry, Lorebook};

/// How far apart the parts of one scene's work can be dated.
const MINUTES: f64 = 120_000.0;
/// Instead of a number: the place of an entry whose number another one has.
const AT: &str = "at ";

/// Which timelines hold a scene or a message: a place for each of the family.
pub(super) type Holders = Vec<bool>;

/// What any two timelines have in common.
#[derive(Debug)]
pub(super) struct Common {
    /// How many messages.
    pub messages: Vec<Vec<usize>>,
    /// Whether what the first shows where they part is a swipe in the other.
    pub swipe: Vec<Vec<bool>>,
}

/// The lorebook at one time.
#[derive(Debug, Clone)]
pub(super) struct Picture {
    pub time: f64,
    pub holders: Holders,
    pub touched: Touched,
    /// The message whose scene took it.
    pub at: usize,
}

/// Something that happened at a time, which may have changed the lorebook.
#[derive(Debug, Clone)]
pub(super) struct Act {
    pub time: f64,
    pub holders: Holders,
    /// What a scene without a snapshot says it touched.
    pub touched: Touched,
}

/// One entry through the whole film.
#[derive(Debug, Clone)]
pub(super) struct Life {
    pub uid: String,
    pub comment: String,
    pub is_registry: bool,
    /// Its key in the live book.
    pub live_key: Option<Vec<u16>>,
    /// Which version of it each picture shows; the last is the live book.
    pub shows: Vec<Option<usize>>,
    pub versions: Vec<Version>,
}

/// One of the ways an entry has been.
#[derive(Debug, Clone)]
pub(super) struct Version {
    canonical: String,
    /// As the newest picture that shows it has it.
    pub text: String,
}

/// The film.
#[derive(Debug, Default)]
pub(super) struct History {
    pub pictures: Vec<Picture>,
    pub acts: Vec<Act>,
    /// Timelines of which nobody knows when they were played.
    pub undated: Vec<Holders>,
    pub events: Vec<Event>,
    pub lives: Vec<Life>,
    /// Content of registries by picture: `(picture, life, content)`.
    pub registries: Vec<(usize, usize, String)>,
    /// Where lives stand, in the order of their numbers.
    by_uid: Vec<usize>,
    /// The types that have a registry.
    types: Vec<String>,
    /// Places of acts that say what they touched; messages, which are many, say nothing.
    telling: Vec<usize>,
    /// For each picture, everybody who can have changed the lorebook before it.
    candidates: Vec<Vec<Holders>>,
}

impl History {
    /// The family's history.
    pub(super) fn of(family: &[Timeline], common: &Common, live: &Lorebook<'_>) -> Self {
        let mut history = Self::default();
        let mut taken: Vec<(Picture, &SceneRecord)> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for (index, timeline) in family.iter().enumerate() {
            for record in &timeline.records {
                if seen.contains(&record.id.as_str()) {
                    continue;
                }
                seen.push(&record.id);
                let holders = holders_of_scene(family, &common.messages, index, record);
                let Some(time) = record.time else {
                    history.undated.push(holders);
                    continue;
                };
                let touched = record.touched.clone();
                match &record.entries {
                    Some(_) => {
                        taken.push((Picture { time, holders, touched, at: record.at }, record));
                    }
                    None => history.acts.push(Act { time, holders, touched }),
                }
            }
        }
        taken.sort_by(|(a, _), (b, _)| a.time.total_cmp(&b.time));
        history.add_messages(family, common);
        history.events = super::events::named(family);
        for (number, (_, record)) in taken.iter().enumerate() {
            let entries = record.entries.as_deref().unwrap_or_default();
            history.show(number, entries, record.is_partial);
        }
        history.pictures = taken.into_iter().map(|(picture, _)| picture).collect();
        history.show_live(live);
        let registries = history.lives.iter().filter(|life| life.is_registry);
        let types = registries.filter_map(|life| life.comment.strip_prefix("_registry_"));
        history.types = types.map(str::to_owned).collect();
        let acts = history.acts.iter().enumerate();
        let telling = acts.filter(|(_, act)| act.touched != Touched::default());
        history.telling = telling.map(|(place, _)| place).collect();
        history.candidates =
            (0..=history.live()).map(|number| history.all_before(number)).collect();
        history
    }

    fn add_messages(&mut self, family: &[Timeline], common: &Common) {
        for (index, timeline) in family.iter().enumerate() {
            for (at, date) in &timeline.dates {
                let mut holders = holders_of_message(&common.messages, index, *at);
                // Said once, by the first that holds it.
                if holders.iter().position(|holds| *holds) != Some(index) {
                    continue;
                }
                // Whoever has it as a swipe was played then as well, or was one with this one.
                for (other, holds) in holders.iter_mut().enumerate() {
                    *holds |= common.messages[index][other] == *at && common.swipe[index][other];
                }
                match date {
                    Some(time) => {
                        let (time, touched) = (*time, Touched::default());
                        self.acts.push(Act { time, holders, touched });
                    }
                    None if !self.undated.contains(&holders) => self.undated.push(holders),
                    None => {}
                }
            }
        }
    }

    /// Adds what a picture shows. In a partial one, what is missing stays as it was.
    fn show(&mut self, number: usize, entries: &[(String, String)], is_partial: bool) {
        for life in &mut self.lives {
            let before = life.shows.last().copied().flatten();
            life.shows.push(before.filter(|_| is_partial));
        }
        let entries = entries.iter().filter_map(|(uid, text)| {
            let json = Json::parse(text).ok()?;
            let name = comment(json);
            (name != queue::COMMENT).then_some((uid, json, name))
        });
        let entries: Vec<_> = entries.collect();
        let firsts = sorted::firsts(&entries, |(uid, ..)| uid.as_str());
        let by_uid = std::mem::take(&mut self.by_uid);
        for ((uid, json, name), is_first) in entries.into_iter().zip(firsts) {
            if !is_first {
                continue;
            }
            let owners = sorted::at(&by_uid, &self.lives, |life| life.uid.as_str(), &uid.as_str());
            let life = self.life_of(number, uid, json, name, owners);
            if self.lives[life].is_registry {
                let content = json.get("content").and_then(Json::str).unwrap_or_default();
                self.registries.push((number, life, content.into_owned()));
            }
            // A partial picture may carry the number's former owner along.
            for former in owners.iter().filter(|other| **other != life) {
                self.lives[*former].shows[number] = None;
            }
        }
        self.by_uid = sorted::places(&self.lives, |life| life.uid.as_str());
    }

    /// Places of all lives that ever had this number.
    pub(super) fn owners(&self, uid: &str) -> &[usize] {
        sorted::at(&self.by_uid, &self.lives, |life| life.uid.as_str(), &uid)
    }

    fn show_live(&mut self, live: &Lorebook<'_>) {
        let all = live.entries.iter().filter(|entry| entry.comment() != queue::COMMENT);
        let all: Vec<(String, &Entry<'_>)> = all
            .map(|entry| {
                let key = || String::from_utf16_lossy(&entry.key);
                (entry.some("uid").map_or_else(key, uid_text), entry)
            })
            .collect();
        // Two entries that claim one number: the second is known by its place.
        let firsts = sorted::firsts(&all, |(uid, _)| uid.as_str());
        let entries: Vec<(String, String)> = all
            .iter()
            .zip(firsts)
            .map(|((uid, entry), is_first)| {
                let is_own = is_first && !uid.starts_with(AT);
                let place = || format!("{AT}{}", String::from_utf16_lossy(&entry.key));
                (if is_own { uid.clone() } else { place() }, entry.json.text().to_owned())
            })
            .collect();
        let number = self.pictures.len();
        self.show(number, &entries, false);
        for ((uid, _), (_, entry)) in entries.iter().zip(&all) {
            let shown =
                self.owners(uid).iter().find(|life| self.lives[**life].shows[number].is_some());
            if let Some(life) = shown.copied() {
                self.lives[life].live_key = Some(entry.key.clone());
            }
        }
    }

    /// The life that an entry of picture `number` belongs to, with its version noted.
    /// `owners` had its number before.
    fn life_of(
        &mut self,
        number: usize,
        uid: &str,
        json: Json<'_>,
        name: String,
        owners: &[usize],
    ) -> usize {
        let is_it = |life: &&usize| {
            let last = self.lives[**life].versions.last();
            last.and_then(|version| Json::parse(&version.text).ok())
                .is_some_and(|last| is_same(last, json))
        };
        // The newest: a number can have had several owners.
        let found = owners.iter().rev().find(is_it).copied();
        let life = found.unwrap_or_else(|| {
            self.lives.push(Life {
                uid: uid.to_owned(),
                comment: name.clone(),
                is_registry: registry::is_registry(&name),
                live_key: None,
                shows: vec![None; number + 1],
                versions: Vec::new(),
            });
            self.lives.len() - 1
        });
        let own = &mut self.lives[life];
        own.comment = name;
        let canonical = canonical(json);
        let version = own.versions.iter().position(|version| version.canonical == canonical);
        let version = version.unwrap_or_else(|| {
            own.versions.push(Version { canonical, text: String::new() });
            own.versions.len() - 1
        });
        own.versions[version].text = json.text().to_owned();
        own.shows[number] = Some(version);
        life
    }

    /// The number of the last picture: the live book.
    pub(super) fn live(&self) -> usize {
        self.pictures.len()
    }

    /// Everybody who can have changed the lorebook between picture `number` and the one before.
    pub(super) fn candidates(&self, number: usize) -> Vec<&Holders> {
        self.candidates[number].iter().collect()
    }

    fn all_before(&self, number: usize) -> Vec<Holders> {
        let mut all: Vec<&Holders> = self.undated.iter().collect();
        // The scene itself; and the one before, whose last work may have come after its snapshot.
        all.extend(self.pictures.get(number).map(|picture| &picture.holders));
        all.extend(number.checked_sub(1).map(|before| &self.pictures[before].holders));
        all.extend(self.acts_before(number).map(|act| &act.holders));
        all.sort_unstable();
        all.dedup();
        all.into_iter().cloned().collect()
    }

    /// The time between picture `number` and the one before.
    fn between(&self, number: usize) -> (f64, f64) {
        let end = self.pictures.get(number).map_or(f64::INFINITY, |picture| picture.time);
        let start = number.checked_sub(1).map_or(f64::NEG_INFINITY, |n| self.pictures[n].time);
        (start, end)
    }

    fn acts_before(&self, number: usize) -> impl Iterator<Item = &Act> {
        let (start, end) = self.between(number);
        self.acts.iter().filter(move |act| start < act.time && act.time <= end)
    }

    /// Those of them that say what they touched.
    fn telling_before(&self, number: usize) -> impl Iterator<Item = &Act> {
        let (start, end) = self.between(number);
        let telling = self.telling.iter().map(|place| &self.acts[*place]);
        telling.filter(move |act| start < act.time && act.time <= end)
    }

    /// Who can have made the change that picture `number` shows: whoever says so, else everybody.
    pub(super) fn writers(&self, number: usize, life: &Life, is_new: bool) -> Writers<'_> {
        if is_new && let Some(maker) = self.made_in_these_words(number, life) {
            return Writers { who: vec![maker], is_recorded: true };
        }
        let touched = self.touched_by(number, life);
        // A scene's list does not tell entries it made from those it merged into. What its name
        // shows to be a scene's own kind was made by one that lists it; an event by the running
        // recap that names it; anything else by hand, which nothing records.
        let makers = if !is_new {
            Vec::new()
        } else if is_event(&life.comment) {
            self.events_of(number, life)
        } else if self.is_of_a_scene(life) {
            touched.clone()
        } else {
            return Writers { who: self.candidates(number), is_recorded: false };
        };
        let is_recorded = if is_new { !makers.is_empty() } else { !touched.is_empty() };
        if !is_recorded {
            return Writers { who: self.candidates(number), is_recorded };
        }
        let mut writers = makers;
        writers.extend(touched);
        let first = writers.iter().map(|writer| writer.time).fold(f64::INFINITY, f64::min);
        let mut who: Vec<&Holders> = writers.iter().map(|writer| writer.holders).collect();
        who.extend(self.played_since(number, first));
        who.sort_unstable();
        who.dedup();
        Writers { who, is_recorded }
    }

    /// The scene or running recap that made a new entry, if the entry says word for word what that
    /// says it wrote: then it was not merged into anything, and nobody has rewritten it since.
    fn made_in_these_words(&self, number: usize, life: &Life) -> Option<&Holders> {
        let version = life.shows[number]?;
        let json = Json::parse(&life.versions[version].text).ok()?;
        let content = json.get("content").and_then(Json::str)?;
        if content.trim().is_empty() {
            return None;
        }
        let name = plain_name(&life.comment);
        let says = |touched: &Touched| {
            touched.words.iter().any(|(of, words)| *words == content && plain_name(of) == name)
        };
        let picture = self.pictures.get(number).filter(|picture| says(&picture.touched));
        let mut acts = self.telling_before(number).filter(|act| says(&act.touched));
        let scene = picture.map(|own| &own.holders).or_else(|| acts.next().map(|act| &act.holders));
        scene.or_else(|| {
            let is_event = is_event(&life.comment);
            let mut events =
                self.events.iter().filter(|event| is_event && self.is_between(number, event));
            let it = events.find(|event| event.name == name && event.hash == recap_hash(&content));
            it.map(|event| &event.holders)
        })
    }

    /// Scenes between these pictures that say they touched the entry.
    fn touched_by(&self, number: usize, life: &Life) -> Vec<Writer<'_>> {
        let name = plain_name(&life.comment);
        let touches = |touched: &Touched| {
            touched.uids.contains(&life.uid)
                || touched.names.iter().any(|other| plain_name(other) == name)
        };
        let picture = self.pictures.get(number).filter(|picture| touches(&picture.touched));
        let picture = picture.map(|own| Writer { holders: &own.holders, time: own.time });
        let acts = self.telling_before(number).filter(|act| touches(&act.touched));
        let acts = acts.map(|act| Writer { holders: &act.holders, time: act.time });
        picture.into_iter().chain(acts).collect()
    }

    /// Running recaps that name this event between these pictures.
    fn events_of(&self, number: usize, life: &Life) -> Vec<Writer<'_>> {
        let name = plain_name(&life.comment);
        let (start, _) = self.between(number);
        let events =
            self.events.iter().filter(|event| event.name == name && self.is_between(number, event));
        events
            .map(|event| Writer { holders: &event.holders, time: event.time.unwrap_or(start) })
            .collect()
    }

    /// Whether an event may have got its entry between these pictures. A version is as old as its
    /// scene's snapshot, or a little older.
    fn is_between(&self, number: usize, event: &Event) -> bool {
        let (start, end) = self.between(number);
        event.time.is_none_or(|time| start - MINUTES < time && time <= end + MINUTES)
    }

    /// Whoever was played between a time and picture `number`, and can have changed by hand what was
    /// recorded then: nothing would tell.
    fn played_since(&self, number: usize, time: f64) -> Vec<&Holders> {
        let acts = self.acts_before(number).filter(|act| time < act.time);
        let mut who: Vec<&Holders> = acts.map(|act| &act.holders).collect();
        let picture = self.pictures.get(number).filter(|picture| time < picture.time);
        who.extend(picture.map(|picture| &picture.holders));
        who
    }

    /// Whether its name has the form that scenes give: `<type>-…`, of a type with a registry.
    fn is_of_a_scene(&self, life: &Life) -> bool {
        let kind = life.comment.split_once('-').map(|(kind, _)| kind);
        kind.is_some_and(|kind| self.types.iter().any(|other| other.eq_ignore_ascii_case(kind)))
    }
}

/// Who wrote to an entry, as far as it is recorded, and when.
#[derive(Debug, Clone)]
struct Writer<'h> {
    holders: &'h Holders,
    time: f64,
}

/// Who can have made a change.
pub(super) struct Writers<'h> {
    pub who: Vec<&'h Holders>,
    /// Whether something recorded says so.
    pub is_recorded: bool,
}

fn is_event(comment: &str) -> bool {
    comment.to_lowercase().starts_with("event-")
}

fn holders_of_message(common: &[Vec<usize>], index: usize, at: usize) -> Holders {
    (0..common.len()).map(|other| other == index || common[index][other] > at).collect()
}

/// Who holds a scene: whoever recorded the same. Where another timeline holds the message but not
/// the scene, it was cleared there since, if it is older than the fork.
fn holders_of_scene(
    family: &[Timeline],
    common: &[Vec<usize>],
    index: usize,
    record: &SceneRecord,
) -> Holders {
    let holds = |other: usize| {
        if other == index || family[other].records.iter().any(|own| own.id == record.id) {
            return true;
        }
        let fork = common[index][other];
        let first_own = family[index].first_date(fork);
        fork > record.at
            && (fork == family[index].len
                || first_own.zip(record.time).is_some_and(|(own, time)| time < own))
    };
    (0..family.len()).map(holds).collect()
}
