//! One timeline of the family: all that it tells about who wrote what into the shared lorebook.

use crate::error::Error;
use crate::host::{ChatView, HostError};
use crate::json::{Json, js};
use crate::memory::recap::recorded::{self, Recorded, Touched};
use crate::memory::recap::scene::Scene;
use crate::memory::recap::snapshot::Completeness;
use crate::tavern::chat::Message;
use crate::tavern::place::ChatRef;
use crate::tavern::time::from_iso;

/// A timeline that uses the lorebook, or did.
#[derive(Debug, Clone)]
pub struct Timeline {
    pub chat: ChatRef,
    pub header: String,
    pub len: usize,
    pub scenes: Vec<Scene>,
    /// Whether it uses the lorebook now. One that has its own since is only heard as a witness.
    pub shares: bool,
    pub(super) records: Vec<SceneRecord>,
    /// When messages were written, from the first that may matter.
    pub(super) dates: Vec<(usize, Option<f64>)>,
}

/// What one version of a scene's recap recorded.
#[derive(Debug, Clone)]
pub(super) struct SceneRecord {
    pub at: usize,
    /// The same in every timeline that holds the same scene.
    pub id: String,
    pub time: Option<f64>,
    /// `(uid, entry)`; `None` without a snapshot.
    pub entries: Option<Vec<(String, String)>>,
    /// Whether an entry that is missing here may have been there.
    pub is_partial: bool,
    pub touched: Touched,
}

/// What is known about the lorebook while timelines are read.
pub(super) struct Shared<'s> {
    pub has_registries: bool,
    /// Whether a scene that names this lorebook speaks of another one.
    pub is_other: &'s dyn Fn(&str) -> bool,
    /// Whether it was the shared one at that time, though the timeline has its own by now.
    pub was_shared: &'s dyn Fn(Option<f64>) -> bool,
}

impl Timeline {
    pub(super) fn read<C: ChatView>(
        view: &C,
        shares: bool,
        shared: &Shared<'_>,
    ) -> Result<Self, Error> {
        let unread = |error: HostError| Error::reading(&error);
        let mut found = view.find("scene_break", 0..view.len()).map_err(unread)?;
        found.extend(view.find("scene_recap_memory", 0..view.len()).map_err(unread)?);
        found.sort_unstable();
        found.dedup();
        let (mut scenes, mut records) = (Vec::new(), Vec::new());
        for at in found {
            let line = view.line(at).map_err(unread)?;
            // A damaged line tells nothing.
            let Ok(message) = Message::read(&line) else { continue };
            scenes.extend(Scene::read(at, &line).ok().flatten());
            for record in recorded::all(message.json) {
                records.extend(record_of(at, record, shares, shared));
            }
        }
        let (chat, header) = (view.chat().clone(), view.header().to_owned());
        Ok(Self { chat, header, len: view.len(), scenes, shares, records, dates: Vec::new() })
    }

    /// Reads when messages were written, as far as the timeline used the lorebook then.
    pub(super) fn read_dates<C: ChatView>(
        &mut self,
        view: &C,
        from: usize,
        until: Option<f64>,
    ) -> Result<(), Error> {
        for at in from..view.len() {
            let line = view.line(at).map_err(|error| Error::reading(&error))?;
            let date = Message::read(&line).ok().and_then(|message| date(message.json));
            let is_before = |until: f64| date.map_or(until.is_finite(), |date| date < until);
            if until.is_none_or(is_before) {
                self.dates.push((at, date));
            }
        }
        Ok(())
    }

    /// The date of the first message at or after `at`.
    pub(super) fn first_date(&self, at: usize) -> Option<f64> {
        self.dates.iter().find(|(message, _)| *message >= at).and_then(|(_, date)| *date)
    }
}

fn record_of(
    at: usize,
    record: Recorded<'_>,
    shares: bool,
    shared: &Shared<'_>,
) -> Option<SceneRecord> {
    let names_other = record.lorebook.as_deref().is_some_and(|name| (shared.is_other)(name));
    if names_other && (shares || !(shared.was_shared)(record.taken)) {
        return None;
    }
    if !shares && record.lorebook.is_none() && !(shared.was_shared)(record.taken) {
        return None;
    }
    let is_partial = record.snapshot.as_ref().is_some_and(|snapshot| {
        snapshot.facts().completeness(shared.has_registries) != Completeness::Complete
    });
    let entries: Option<Vec<(String, String)>> = record.snapshot.as_ref().map(|snapshot| {
        let entries = snapshot.entries.iter();
        entries
            .filter_map(|entry| {
                Some((recorded::uid_text(entry.some("uid")?), entry.text().to_owned()))
            })
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
    let made = record.made.map(|made| made.to_string()).unwrap_or_default();
    let id = format!("{} {made} {}", record.version, hasher.finalize().to_hex());
    Some(SceneRecord { at, id, time: record.taken, entries, is_partial, touched: record.touched })
}

/// When a message was written, if it says so in a way that does not depend on a time zone.
fn date(message: Json<'_>) -> Option<f64> {
    let read = |key: &str| {
        let value = message.some(key)?;
        value.str().map_or_else(|| value.number(), |text| from_iso(&text))
    };
    read("send_date").or_else(|| read("gen_started"))
}

/// How many messages two timelines have in common. Messages before the fork are the same in both
/// and none after it is, so the border is found by halving.
pub(super) fn common<C: ChatView>(a: &C, b: &C) -> Result<usize, HostError> {
    let (mut same, mut other) = (0, a.len().min(b.len()) + 1);
    while other - same > 1 {
        let middle = usize::midpoint(same, other);
        if is_same_message(&a.line(middle - 1)?, &b.line(middle - 1)?) {
            same = middle;
        } else {
            other = middle;
        }
    }
    Ok(same)
}

/// Whether `other` has what `shown` says as one of its swipes, so that it was written where both
/// stories still were one: a swipe keeps the date at which it was written.
pub(super) fn is_a_swipe_of(shown: &str, other: &str) -> bool {
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

/// By who wrote it and when; the text may have been edited or swiped since.
fn is_same_message(a: &str, b: &str) -> bool {
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
    let dated = a.some("send_date").is_some();
    same("name") && same("is_user") && same(if dated { "send_date" } else { "mes" })
}
