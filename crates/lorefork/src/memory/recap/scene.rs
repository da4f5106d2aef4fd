//! Scene breaks: the messages that close a scene.

use super::MESSAGE_KEY;
use super::snapshot::{self, Snapshot, SnapshotFacts};
use crate::json::{Json, JsonError};
use crate::tavern::chat::Message;

/// What a message says about the scene it closes. Small, since a chat can have thousands; the
/// snapshot itself stays in the message.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// The message, from 0.
    pub at: usize,
    /// Whether a scene ends here; else the message only has a recap.
    pub is_break: bool,
    /// Hidden breaks keep their data.
    pub is_visible: bool,
    /// What its user or the model called it.
    pub name: Option<String>,
    /// The selected recap's JSON text, quotes and all: it may hold half an emoji.
    pub recap: Option<String>,
    /// Whether any swipe holds a recap: proof that the lorebook was written to after this message.
    pub is_evidence: bool,
    /// When that was, first and last, as far as recorded.
    pub first_time: Option<f64>,
    /// The last time it was written after this message.
    pub time: Option<f64>,
    /// When another swipe than the chosen one was recapped after it, if one was chosen.
    pub superseded: Option<f64>,
    /// Whether there is a snapshot, and how much it holds.
    pub snapshot: Option<SnapshotFacts>,
    /// Snapshots of other versions of the recap, the best first.
    pub other_snapshots: Vec<SnapshotFacts>,
}

impl Scene {
    /// A visible scene break.
    pub fn closes_scene(&self) -> bool {
        self.is_break && self.is_visible
    }

    /// Whether the selected swipe has a recap that is more than blank.
    pub fn has_recap(&self) -> bool {
        self.recap.as_deref().is_some_and(|text| {
            Json::parse(text).ok().and_then(Json::str).is_none_or(|t| !t.trim().is_empty())
        })
    }

    /// Reads the message at `at`; `None` if Auto-Recap has nothing to say about it.
    pub fn read(at: usize, line: &str) -> Result<Option<Self>, JsonError> {
        let message = Message::read(line)?;
        let selected = memory_in(message.extra());
        let swipes: Vec<Json<'_>> =
            message.swipe_extras().into_iter().filter_map(|extra| memory_in(Some(extra))).collect();
        if selected.is_none() && swipes.is_empty() {
            return Ok(None);
        }
        let field = |key: &str| selected.and_then(|memory| memory.some(key));
        let recap = selected.and_then(recap_in);
        let everywhere = || selected.into_iter().chain(swipes.iter().copied());
        let snapshots = selected.map(Snapshot::all).unwrap_or_default();
        let mut snapshots = snapshots.iter().map(Snapshot::facts);
        Ok(Some(Self {
            at,
            is_break: field("scene_break").is_some_and(Json::truthy),
            is_visible: field("scene_break_visible")
                .is_none_or(|visible| visible.bool() != Some(false)),
            name: field("scene_break_name").and_then(Json::str).map(|name| name.into_owned()),
            recap: recap.map(|text| text.text().to_owned()),
            is_evidence: everywhere().any(|memory| recap_in(memory).is_some()),
            first_time: everywhere().flat_map(times).reduce(f64::min),
            time: everywhere().flat_map(times).reduce(f64::max),
            superseded: None,
            snapshot: snapshots.next(),
            other_snapshots: snapshots.collect(),
        }))
    }
}

/// The best snapshot that the message's selected swipe holds.
pub fn snapshot_in(message: Json<'_>) -> Option<Snapshot<'_>> {
    memory_in(message.some("extra")).and_then(Snapshot::of)
}

/// The one of this version of the recap.
pub fn snapshot_of<'a>(message: Json<'a>, version: &str) -> Option<Snapshot<'a>> {
    let all = memory_in(message.some("extra")).map(Snapshot::all).unwrap_or_default();
    all.into_iter().find(|snapshot| snapshot.version == version)
}

pub(super) fn memory_in(extra: Option<Json<'_>>) -> Option<Json<'_>> {
    extra?.some(MESSAGE_KEY).filter(|memory| memory.is_object())
}

fn recap_in(memory: Json<'_>) -> Option<Json<'_>> {
    memory.get("scene_recap_memory").filter(|text| text.truthy())
}

/// The last time that this scene's recap or its merging into the running recap is recorded.
fn newest_time(memory: Json<'_>) -> Option<f64> {
    times(memory).reduce(f64::max)
}

/// When this scene's recap or its merging into the running recap is recorded.
fn times(memory: Json<'_>) -> impl Iterator<Item = f64> {
    let versions = snapshot::versions(memory).into_iter();
    versions
        .flat_map(|(_, version)| {
            ["timestamp", "combined_at"].map(|key| version.get(key).and_then(Json::number))
        })
        .flatten()
}

/// When another swipe than the chosen one was recapped after it, for the first time: from then on
/// lorebook and running recap know a reply that the new timeline does not have. What has no time is
/// taken for later, unless it is the same recap.
pub fn superseded(shown: &str, chosen: &str) -> Result<Option<f64>, JsonError> {
    let (shown, chosen) = (Message::read(shown)?, Message::read(chosen)?);
    let own = memory_in(chosen.extra()).filter(|memory| recap_in(*memory).is_some());
    let swipe = |message: Message<'_>| message.json.get("swipe_id").and_then(Json::integer);
    let is_shown = swipe(shown) == swipe(chosen);
    if is_shown && own.is_some() {
        return Ok(None);
    }
    let newest = own.and_then(newest_time);
    let text = |memory: Json<'_>| recap_in(memory).map(|recap| recap.text().to_owned());
    let since = |memory: Json<'_>| {
        let later = times(memory).filter(|time| newest.is_none_or(|own| *time > own));
        let later = later.reduce(f64::min);
        if newest.is_some() && newest_time(memory).is_some() {
            return later;
        }
        let is_other = text(memory) != own.and_then(text);
        is_other.then(|| later.or(newest).unwrap_or_default())
    };
    // The copy of the one that is shown may be old.
    let extras = shown.extra().filter(|_| !is_shown).into_iter().chain(chosen.swipe_extras());
    let memories = extras.filter_map(|extra| memory_in(Some(extra)));
    Ok(memories.filter(|memory| recap_in(*memory).is_some()).filter_map(since).reduce(f64::min))
}

/// The message with the lorebook's name changed wherever it stands in the data of a message that
/// Auto-Recap wrote to: in the selected swipe and in all others. `None` if it stands nowhere.
pub fn with_lorebook(line: &str, from: &str, to: &str) -> Result<Option<String>, JsonError> {
    let message = Message::read(line)?;
    let extras: Vec<Json<'_>> = message.extra().into_iter().chain(message.swipe_extras()).collect();
    if !extras.iter().any(|extra| memory_in(Some(*extra)).is_some()) {
        return Ok(None);
    }
    let mut splices = crate::json::Splices::new(line);
    for extra in extras {
        rename_in(extra, from, to, &mut splices);
    }
    Ok((!splices.is_empty()).then(|| splices.apply()))
}

/// Goes through all that lies in `json`, without recursion: its depth is not ours to trust.
fn rename_in<'a>(json: Json<'a>, from: &str, to: &str, splices: &mut crate::json::Splices<'a>) {
    let mut open = vec![json];
    while let Some(json) = open.pop() {
        for member in json.members() {
            let names_book = member.is("chatLorebookName") || member.is("world");
            if names_book && member.value.says(from) {
                splices.replace(member.value, crate::json::quote(to));
            } else {
                open.push(member.value);
            }
        }
        open.extend(json.items());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"mes":"x","world":"Old","extra":{"auto_recap_memory":{"scene_break":true,"scene_break_name":"Harbour 0-3","scene_recap_memory":"r","scene_recap_current_index":1,"scene_recap_metadata":{"1":{"timestamp":5,"combined_at":9,"chatLorebookName":"Old","allEntries":[{"uid":0,"world":"Old"},{"uid":1,"world":"Else"}]}}}},"swipe_info":[{"extra":{"auto_recap_memory":{"scene_recap_memory":"s","scene_recap_metadata":{"0":{"timestamp":12,"chatLorebookName":"Old"}}}}}]}"#;

    #[test]
    fn a_scene_is_read_from_the_selected_swipe_its_evidence_from_all() {
        let scene = Scene::read(3, LINE).unwrap().unwrap();
        assert!(scene.closes_scene() && scene.has_recap() && scene.is_evidence);
        assert_eq!(scene.name.as_deref(), Some("Harbour 0-3"));
        assert_eq!((scene.first_time, scene.time), (Some(5.0), Some(12.0)));
        assert_eq!(scene.snapshot.unwrap().version, "1");
        assert_eq!(Scene::read(0, r#"{"mes":"x","extra":{}}"#).unwrap(), None);
        let swiped_away = r#"{"extra":{},"swipe_info":[{"extra":{"auto_recap_memory":{"scene_recap_memory":"s"}}}]}"#;
        let scene = Scene::read(0, swiped_away).unwrap().unwrap();
        assert!(scene.is_evidence && !scene.has_recap() && !scene.is_break);
    }

    #[test]
    fn n2_the_book_is_renamed_in_every_swipe_and_only_there() {
        let renamed = with_lorebook(LINE, "Old", "New").unwrap().unwrap();
        assert_eq!(renamed.matches(r#""New""#).count(), 3);
        // What is not in `extra` is not a memory extension's, and another book's name stays.
        assert!(
            renamed.contains(r#""mes":"x","world":"Old""#) && renamed.contains(r#""world":"Else""#)
        );
        assert_eq!(renamed.replace("New", "Old"), LINE);
        assert_eq!(with_lorebook(r#"{"extra":{"world":"Old"}}"#, "Old", "New").unwrap(), None);
    }
}
