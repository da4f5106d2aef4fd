//! One timeline: all that it tells about who wrote what into the lorebook, and when.

use super::value::comment;
use crate::json::{Json, js};
use crate::memory::entries::plain_name;
use crate::memory::recorded::{self, Recorded, Touched};
use crate::memory::registries;
use crate::memory::running::{LateWork, late_work};
use crate::memory::scene::{self, Completeness, Scene};
use crate::tavern::chat::{Header, Message};
use crate::tavern::entry::uid_text;
use crate::tavern::time::from_iso;

/// A timeline that names the lorebook, or did. One that was deleted tells what its tombstone says.
#[derive(Debug, Clone, Default)]
pub struct Teller {
    /// The chat's name.
    pub name: String,
    pub(super) records: Vec<SceneRecord>,
    /// Messages that have a recap, in the swipe that is shown.
    pub(super) recapped: Vec<usize>,
    /// When messages were written, ascending.
    pub(super) played: Vec<Played>,
    pub(super) versions: Vec<LateWork>,
    /// What scenes say to have touched, where nothing else of them was read.
    claims: Touched,
}

/// What one version of a scene's recap recorded.
#[derive(Debug, Clone)]
pub(super) struct SceneRecord {
    pub at: usize,
    /// The same in every timeline that holds the same scene.
    pub id: String,
    pub made: Option<f64>,
    pub taken: Option<f64>,
    /// `(uid, entry)`; `None` without a snapshot.
    pub entries: Option<Vec<(String, String)>>,
    /// Whether an entry that is missing here may have been there.
    pub is_partial: bool,
    /// Whether it may have been taken before the scene's own work.
    pub is_early: bool,
    /// Whether nothing says that it was ever combined.
    pub is_waiting: bool,
    /// Whether nothing says when it was recapped: `made` is when its message was written.
    pub is_undated: bool,
    pub touched: Touched,
    /// Of a timeline that was deleted: instead of words, by which they are recognised.
    pub prints: Vec<Print>,
    /// Whether it is of a swipe that is not shown.
    pub is_swiped_away: bool,
}

/// By what words are recognised that are not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Print {
    /// Of the entry.
    pub name: String,
    /// In bytes.
    pub len: usize,
    pub hash: String,
}

/// When a message was written: from its first swipe to its last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Played {
    pub at: usize,
    pub time: Option<(f64, f64)>,
}

/// What is known about the lorebook while timelines are read.
pub struct OfBook<'s> {
    /// Whether it keeps registries.
    pub has_registries: bool,
    /// Whether the timeline uses it now. One that has its own since only bears witness.
    pub shares: bool,
    /// Whether a scene that names this lorebook speaks of another one.
    pub is_other: &'s dyn Fn(&str) -> bool,
    /// Whether it was the shared one at that time, though the timeline has its own by now.
    pub was_shared: &'s dyn Fn(Option<f64>) -> bool,
}

impl Teller {
    /// A timeline of which only its header was read so far.
    pub fn new(name: &str, header: &str) -> Self {
        let versions = Header::read(header).map(|header| late_work(&header)).unwrap_or_default();
        Self { name: name.to_owned(), versions, ..Self::default() }
    }

    /// Reads a message that Auto-Recap wrote to. A damaged line tells nothing.
    pub fn read_scene(&mut self, at: usize, line: &str, book: &OfBook<'_>) -> Option<Scene> {
        let message = Message::read(line).ok()?;
        let mut found: Vec<SceneRecord> = Vec::new();
        let shown = recorded::all(message.json).into_iter().map(|one| (one, false));
        let swiped = recorded::of_swipes(message.json).into_iter().map(|one| (one, true));
        for (record, is_swiped_away) in shown.chain(swiped) {
            let record = record_of(at, record, None, is_swiped_away, book);
            // The swipe that is shown stands among the swipes once more.
            found.extend(record.filter(|one| !found.iter().any(|other| other.id == one.id)));
        }
        // Of which nothing but the recap is left: written when it was played, and no picture.
        let date = written(message.json).map(|(_, last)| last);
        for (recap, is_swiped_away) in recorded::recaps_alone(message.json) {
            let record = record_of(at, recap, date, is_swiped_away, book);
            let record = record.filter(|one| !found.iter().any(|other| other.id == one.id));
            found.extend(record.map(|record| SceneRecord {
                made: date,
                is_undated: true,
                ..record
            }));
        }
        self.records.extend(found);
        let scene = scene::read(at, line).ok().flatten();
        if scene.as_ref().is_some_and(|scene| scene.recap.is_some()) {
            self.recapped.push(at);
        }
        scene
    }

    /// Reads only what the scene of a message says to have touched.
    pub fn read_claims(&mut self, line: &str, book: &OfBook<'_>) {
        let Ok(message) = Message::read(line) else { return };
        let all = recorded::all(message.json).into_iter().chain(recorded::of_swipes(message.json));
        for record in all.filter(|one| !one.lorebook.as_deref().is_some_and(book.is_other)) {
            self.claims.uids.extend(record.touched.uids);
            self.claims.names.extend(record.touched.names.iter().map(|name| plain_name(name)));
        }
        self.claims.uids.sort_unstable();
        self.claims.uids.dedup();
    }

    /// Whether that is all of a scene's kind that the snapshots of a message show: entries whose names
    /// have the form that scenes give, of a type with a registry.
    pub fn claims_all(&self, line: &str) -> bool {
        let Ok(message) = Message::read(line) else { return true };
        let all = recorded::all(message.json).into_iter().filter_map(|record| record.snapshot);
        let entries: Vec<Json<'_>> = all.flat_map(|snapshot| snapshot.entries).collect();
        let types: Vec<String> = entries
            .iter()
            .filter_map(|entry| Some(registries::of(&comment(*entry))?.kind.to_lowercase()))
            .collect();
        entries.into_iter().all(|entry| {
            let comment = comment(entry);
            let uid = entry.some("uid").map(uid_text).unwrap_or_default();
            let kind = comment.split_once('-').map(|(kind, _)| kind.to_lowercase());
            let is_of_a_scene = kind.is_some_and(|kind| kind != "event" && types.contains(&kind));
            !is_of_a_scene
                || self.claims.uids.binary_search(&uid).is_ok()
                || self.claims.names.contains(&plain_name(&comment))
        })
    }

    /// Takes over what another timeline tells of a message that both have.
    pub fn same_as(&mut self, other: &Self, at: usize) {
        let same = other.records.iter().filter(|record| record.at == at);
        self.records.extend(same.map(|record| SceneRecord {
            entries: record.entries.as_ref().map(|_| Vec::new()),
            ..record.clone()
        }));
        self.recapped.extend(other.recapped.iter().filter(|one| **one == at));
    }

    /// Reads when a message was written.
    pub fn read_date(&mut self, at: usize, line: &str, until: Option<f64>) {
        let time = Message::read(line).ok().and_then(|message| written(message.json));
        let is_before = |until: f64| time.map_or(until.is_finite(), |(first, _)| first < until);
        if until.is_none_or(is_before) {
            self.played.push(Played { at, time });
        }
    }

    /// Forgets dates that cannot be: a scene is recapped after its messages were written. Then only the
    /// order of messages and scenes tells.
    pub fn check_dates(&mut self) {
        let made = |at: usize| {
            let records = self.records.iter().filter(move |record| record.at >= at);
            records.filter_map(|record| record.made).reduce(f64::min)
        };
        let is_wrong = |message: &Played| {
            message.time.zip(made(message.at)).is_some_and(|((first, _), made)| made < first)
        };
        if self.played.iter().any(is_wrong) {
            for message in &mut self.played {
                message.time = None;
            }
        }
    }

    /// Whether a scene up to a message was recapped after that time.
    pub fn was_recapped_after(&self, at: usize, time: f64) -> bool {
        let mut own = self.records.iter().filter(|record| record.at <= at);
        own.any(|record| record.made.into_iter().chain(record.taken).any(|made| made > time))
    }

    /// When the last snapshot was taken that was read.
    pub fn last_picture(&self) -> Option<f64> {
        let taken = self.records.iter().filter(|record| record.entries.is_some());
        taken.filter_map(|record| record.taken).reduce(f64::max)
    }

    /// When the first of the messages that were read was written.
    pub fn first_written(&self) -> Option<f64> {
        self.first_date(0)
    }

    /// The date of the first message at or after `at`.
    pub(super) fn first_date(&self, at: usize) -> Option<f64> {
        let first = self.played.iter().find(|message| message.at >= at);
        first.and_then(|message| message.time).map(|(first, _)| first)
    }

    /// The last message that was written by then.
    pub(super) fn last_by(&self, time: f64) -> Option<usize> {
        let by = self.played.iter().rev();
        let mut by = by.filter(|message| message.time.is_some_and(|(first, _)| first <= time));
        by.next().map(|message| message.at)
    }

    /// Whether a version of the running recap is of this story: a fork's header carries versions of
    /// its parent's future along, so one counts only where its scene stands, and not before it.
    pub(super) fn stands(&self, version: &LateWork) -> Option<usize> {
        let at = usize::try_from(version.scene).ok()?;
        // Made after its scene's recap; clocks may differ a little.
        let is_after = |made: Option<f64>| {
            made.zip(version.time).is_none_or(|(made, time)| made < time + 60_000.0)
        };
        let mut records = self.records.iter().filter(|record| record.at == at).peekable();
        let is_told = self.recapped.contains(&at)
            && (records.peek().is_none() || records.any(|record| is_after(record.taken)));
        is_told.then_some(at)
    }
}

/// `written`: when its message was, where nothing else says when it was made.
fn record_of(
    at: usize,
    record: Recorded<'_>,
    written: Option<f64>,
    is_swiped_away: bool,
    book: &OfBook<'_>,
) -> Option<SceneRecord> {
    let names_other = record.lorebook.as_deref().is_some_and(|name| (book.is_other)(name));
    if names_other && (book.shares || !(book.was_shared)(record.taken)) {
        return None;
    }
    if !book.shares && record.lorebook.is_none() && !(book.was_shared)(record.taken.or(written)) {
        return None;
    }
    let completeness =
        record.snapshot.as_ref().map(|one| one.facts().completeness(book.has_registries));
    let entries: Option<Vec<(String, String)>> = record.snapshot.as_ref().map(|snapshot| {
        let entries = snapshot.entries.iter();
        entries
            .filter_map(|entry| Some((uid_text(entry.some("uid")?), entry.text().to_owned())))
            .collect()
    });
    let mut hasher = blake3::Hasher::new();
    for (uid, text) in entries.iter().flatten() {
        let json = Json::parse(text).ok();
        let content = json.and_then(|json| json.get("content")).map_or("", Json::text);
        hasher.update(uid.as_bytes()).update(b" ").update(content.as_bytes());
    }
    if record.made.is_none() {
        hasher.update(record.recap.as_bytes()).update(at.to_string().as_bytes());
    }
    // A scene that was recapped before a fork, and combined after it, is another one in each timeline.
    if entries.as_ref().is_none_or(Vec::is_empty) {
        hasher.update(js::number_text(record.taken.unwrap_or(f64::NAN)).as_bytes());
    }
    let made = js::number_text(record.made.unwrap_or(f64::NAN));
    Some(SceneRecord {
        at,
        id: format!("{} {made} {}", record.version, hasher.finalize().to_hex()),
        made: record.made,
        taken: record.taken,
        entries,
        is_partial: completeness.is_some_and(|one| one != Completeness::Complete),
        is_early: completeness == Some(Completeness::Early),
        is_waiting: record.is_waiting,
        is_undated: false,
        touched: record.touched,
        prints: Vec::new(),
        is_swiped_away,
    })
}

/// When a message was written, if it says so in a way that does not depend on a time zone: its first
/// swipe, and its last.
fn written(message: Json<'_>) -> Option<(f64, f64)> {
    let swipes = message.get("swipe_info").map(Json::items).unwrap_or_default();
    let swipes = swipes.into_iter().filter_map(date);
    let all = || date(message).into_iter().chain(swipes.clone());
    Some((all().reduce(f64::min)?, all().reduce(f64::max)?))
}

fn date(message: Json<'_>) -> Option<f64> {
    let read = |key: &str| {
        let value = message.some(key)?;
        value.str().map_or_else(|| value.number(), |text| from_iso(&text))
    };
    read("send_date").or_else(|| read("gen_started"))
}

/// Whether a message says to the millisecond when it was written.
pub fn has_exact_date(message: Json<'_>) -> bool {
    date(message).is_some()
}

/// Whether two timelines have this message in common: by who wrote it and when. The text may have been
/// edited or swiped since, which an exact time outweighs.
pub fn is_same_message(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (Ok(a), Ok(b)) = (Json::parse(a), Json::parse(b)) else { return false };
    let same = |key: &str| {
        let print = |json: Json<'_>| {
            json.some(key).map(|value| value.str().map_or_else(|| js::number(value), Into::into))
        };
        print(a) == print(b)
    };
    let is_exact = has_exact_date(a);
    same("name") && same("is_user") && same("send_date") && (is_exact || same("mes"))
}

/// Whether `other` has what `shown` says as one of its swipes, so that it was written where both
/// stories still were one: a swipe keeps the date at which it was written.
pub fn is_a_swipe_of(shown: &str, other: &str) -> bool {
    let (Ok(shown), Ok(other)) = (Json::parse(shown), Json::parse(other)) else { return false };
    let same = |key: &str| shown.some(key).map(Json::text) == other.some(key).map(Json::text);
    let list = |key: &str| other.get(key).map(Json::items).unwrap_or_default();
    let text = shown.get("mes").and_then(Json::str).filter(|text| !text.is_empty());
    let dated = shown.some("send_date").map(Json::text);
    let says = text.is_some_and(|text| list("swipes").iter().any(|swipe| swipe.says(&text)));
    let is_of_then = dated.is_some_and(|dated| {
        let mut dates = list("swipe_info").into_iter().filter_map(|info| info.some("send_date"));
        dates.any(|date| date.text() == dated)
    });
    same("name") && same("is_user") && (says || is_of_then)
}
