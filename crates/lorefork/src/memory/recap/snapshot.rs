//! Snapshots: the lorebook as it was after a scene, recorded on the scene's message.

use std::cmp::Reverse;

use crate::json::{Json, Kind, js};
use crate::memory::scene::Snapshot;
use crate::sorted;

/// All snapshots of the scene, the best first: the selected version's, then from the newest
/// down, preferring those taken after the scene's entries were written.
pub(super) fn all(memory: Json<'_>) -> Vec<Snapshot<'_>> {
    if !memory.get("scene_break").is_some_and(Json::truthy) {
        return Vec::new();
    }
    let selected =
        memory.get("scene_recap_current_index").and_then(Json::integer).unwrap_or(0).to_string();
    let mut found: Vec<Snapshot<'_>> =
        versions(memory).into_iter().filter_map(|(version, json)| read(version, json)).collect();
    sorted::by_cached_key(&mut found, |snapshot| {
        Reverse((
            snapshot.version == selected,
            snapshot.created.is_some(),
            snapshot.version.parse::<u64>().ok(),
        ))
    });
    found
}

pub(super) fn read(version: String, json: Json<'_>) -> Option<Snapshot<'_>> {
    // `entries` beside it is only what was active, wrapped in markup: never a substitute.
    let entries: Vec<_> =
        json.get("allEntries")?.items().into_iter().filter(|entry| entry.is_object()).collect();
    let created = json.some("created_entry_uids").map(|uids| {
        uids.items()
            .iter()
            .map(|uid| uid.str().map_or_else(|| uid.text().to_owned(), |text| text.into_owned()))
            .collect()
    });
    let taken = taken(json);
    (!entries.is_empty()).then_some(Snapshot { version, entries, created, taken })
}

/// When a version's snapshot was taken, as far as known.
pub(super) fn taken(version: Json<'_>) -> Option<f64> {
    let time = |key: &str| version.get(key).and_then(Json::number);
    time("combined_at").or_else(|| time("timestamp"))
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
    use crate::memory::scene::Completeness;

    fn pick(metadata: &str, current: &str) -> Option<(String, usize)> {
        let text = format!(
            r#"{{"scene_break":true,"scene_recap_current_index":{current},"scene_recap_metadata":{metadata}}}"#
        );
        all(Json::parse(&text).unwrap()).first().map(|s| (s.version.clone(), s.entries.len()))
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
            read("0".into(), Json::parse(json).unwrap()).unwrap().facts().completeness(live)
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
