//! Snapshots: the lorebook as it was after a scene, recorded on the scene's message.

use std::cmp::Reverse;

use crate::json::{Json, Kind, js};

/// What one version of a scene's recap recorded of the lorebook.
#[derive(Debug, Clone)]
pub struct Snapshot<'a> {
    /// Which version of the recap.
    pub version: String,
    /// The whole lorebook but its queue, never empty.
    pub entries: Vec<Json<'a>>,
    /// Entries the scene made or changed. Recorded since the format was good enough to trust.
    pub created: Option<Vec<String>>,
    /// When it was taken.
    pub taken: Option<f64>,
}

/// Whether a snapshot holds all that the lorebook held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// Nothing says that it lacks anything.
    Complete,
    /// Formats of the first hours: before the scene's own entries were written, or unknown.
    Early,
    /// Only the entries of that scene.
    OwnEntriesOnly,
    /// The lorebook has registries, the snapshot has none.
    NoRegistries,
}

impl<'a> Snapshot<'a> {
    /// The best snapshot of the scene.
    pub fn of(memory: Json<'a>) -> Option<Self> {
        Self::all(memory).into_iter().next()
    }

    /// All snapshots of the scene, the best first: the selected version's, then from the newest
    /// down, preferring those taken after the scene's entries were written.
    pub(super) fn all(memory: Json<'a>) -> Vec<Self> {
        if !memory.get("scene_break").is_some_and(Json::truthy) {
            return Vec::new();
        }
        let selected = memory
            .get("scene_recap_current_index")
            .and_then(Json::integer)
            .unwrap_or(0)
            .to_string();
        let mut found: Vec<Self> = versions(memory)
            .into_iter()
            .filter_map(|(version, json)| Self::read(version, json))
            .collect();
        found.sort_by_cached_key(|snapshot| {
            Reverse((
                snapshot.version == selected,
                snapshot.created.is_some(),
                snapshot.version.parse::<u64>().ok(),
            ))
        });
        found
    }

    pub(super) fn read(version: String, json: Json<'a>) -> Option<Self> {
        // `entries` beside it is only what was active, wrapped in markup: never a substitute.
        let entries: Vec<_> =
            json.get("allEntries")?.items().into_iter().filter(|entry| entry.is_object()).collect();
        let created = json.some("created_entry_uids").map(|uids| {
            uids.items()
                .iter()
                .map(|uid| {
                    uid.str().map_or_else(|| uid.text().to_owned(), |text| text.into_owned())
                })
                .collect()
        });
        let taken = taken(json);
        (!entries.is_empty()).then_some(Self { version, entries, created, taken })
    }

    /// What there is to know about the snapshot without keeping it.
    pub fn facts(&self) -> SnapshotFacts {
        let uid = |entry: &Json<'_>| entry.get("uid").map(js::number);
        SnapshotFacts {
            version: self.version.clone(),
            taken: self.taken,
            is_early: self.created.is_none(),
            is_own_entries_only: self.created.as_ref().is_some_and(|created| {
                self.entries
                    .iter()
                    .all(|entry| uid(entry).is_some_and(|uid| created.contains(&uid)))
            }),
            has_registries: self.entries.iter().any(|entry| {
                entry
                    .get("comment")
                    .and_then(Json::str)
                    .is_some_and(|comment| super::registry::is_registry(&comment))
            }),
        }
    }
}

/// When a version's snapshot was taken, as far as known.
pub(super) fn taken(version: Json<'_>) -> Option<f64> {
    let time = |key: &str| version.get(key).and_then(Json::number);
    time("combined_at").or_else(|| time("timestamp"))
}

/// A snapshot's format, as far as it tells how much of the lorebook it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotFacts {
    /// Which version of the recap it belongs to.
    pub version: String,
    /// When it was taken.
    pub taken: Option<f64>,
    is_early: bool,
    is_own_entries_only: bool,
    has_registries: bool,
}

impl SnapshotFacts {
    /// Whether it was taken after `time`, as far as both are known.
    pub fn is_after(&self, time: Option<f64>) -> bool {
        self.taken.zip(time).is_some_and(|(taken, time)| taken > time)
    }

    /// Judged by what it has itself, and whether the lorebook keeps registries today.
    pub fn completeness(&self, live_has_registries: bool) -> Completeness {
        if self.is_early {
            Completeness::Early
        } else if self.has_registries {
            Completeness::Complete
        } else if self.is_own_entries_only {
            Completeness::OwnEntriesOnly
        } else if live_has_registries {
            Completeness::NoRegistries
        } else {
            Completeness::Complete
        }
    }
}

/// `scene_recap_metadata` by version of the recap; old data has an array.
pub(super) fn versions(memory: Json<'_>) -> Vec<(String, Json<'_>)> {
    let Some(metadata) = memory.some("scene_recap_metadata") else { return Vec::new() };
    match metadata.kind() {
        Kind::Array => metadata
            .items()
            .into_iter()
            .enumerate()
            .map(|(index, json)| (index.to_string(), json))
            .collect(),
        _ => js::ordered(metadata)
            .into_iter()
            .map(|(key, json)| (String::from_utf16_lossy(&key), json))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pick(metadata: &str, current: &str) -> Option<(String, usize)> {
        let text = format!(
            r#"{{"scene_break":true,"scene_recap_current_index":{current},"scene_recap_metadata":{metadata}}}"#
        );
        Snapshot::of(Json::parse(&text).unwrap()).map(|s| (s.version.clone(), s.entries.len()))
    }

    #[test]
    fn r048_the_selected_version_first_then_the_newest_that_has_one() {
        let both = r#"{"0":{"allEntries":[{"uid":1}]},"1":{"allEntries":[{"uid":1},{"uid":2}]}}"#;
        assert_eq!(pick(both, "0"), Some(("0".into(), 1)));
        assert_eq!(pick(both, "1"), Some(("1".into(), 2)));
        assert_eq!(pick(both, "7"), Some(("1".into(), 2)));
        assert_eq!(
            pick(
                r#"{"1":{"allEntries":[],"totalActivatedEntries":4},"10":{"allEntries":[{}]},"9":{"allEntries":[{}]}}"#,
                "1"
            ),
            Some(("10".into(), 1))
        );
        assert_eq!(
            pick(
                r#"{"3":{"allEntries":[{}]},"2":{"created_entry_uids":[],"allEntries":[{}]}}"#,
                "1"
            ),
            Some(("2".into(), 1))
        );
        assert_eq!(pick(r#"[{"allEntries":[{}]}]"#, "0"), Some(("0".into(), 1)));
    }

    #[test]
    fn r019_a_count_without_entries_is_no_snapshot() {
        assert_eq!(
            pick(r#"{"0":{"totalActivatedEntries":9,"allEntries":[],"entries":[{"uid":1}]}}"#, "0"),
            None
        );
        assert_eq!(pick(r#"{"0":{"entries":[{"uid":1}],"entryNames":["a"]}}"#, "0"), None);
    }

    #[test]
    fn n5_eras_are_told_apart() {
        let judge = |json: &str, live: bool| {
            Snapshot::read("0".into(), Json::parse(json).unwrap())
                .unwrap()
                .facts()
                .completeness(live)
        };
        let registry = r#"{"uid":0,"comment":"_registry_item"}"#;
        assert_eq!(judge(&format!(r#"{{"allEntries":[{registry}]}}"#), true), Completeness::Early);
        assert_eq!(
            judge(r#"{"created_entry_uids":["9","8"],"allEntries":[{"uid":9}]}"#, true),
            Completeness::OwnEntriesOnly
        );
        assert_eq!(
            judge(r#"{"created_entry_uids":["9"],"allEntries":[{"uid":9},{"uid":3}]}"#, true),
            Completeness::NoRegistries
        );
        assert_eq!(
            judge(r#"{"created_entry_uids":["9"],"allEntries":[{"uid":9},{"uid":3}]}"#, false),
            Completeness::Complete
        );
        assert_eq!(
            judge(&format!(r#"{{"created_entry_uids":[],"allEntries":[{registry}]}}"#), true),
            Completeness::Complete
        );
    }
}
