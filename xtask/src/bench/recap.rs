//! Memory data as Auto-Recap writes it: scenes with snapshots, the lorebook they are snapshots of, the running recap.

use serde_json::{Map, Value, json};

use super::chat::time;
use super::prose;
use super::random::Random;

pub(crate) const BOOK: &str = "z-AutoLB-Bench";
pub(crate) const TIME: u64 = 1_790_000_000_000;

/// Messages of one scene.
const SCENE: usize = 400;
/// Entries before the first scene; each scene adds one, up to `MOST`.
const FEWEST: usize = 12;
const MOST: usize = 60;

/// The value of `auto_recap_memory` of a message.
pub(crate) fn memory(index: usize) -> String {
    if !(index + 1).is_multiple_of(SCENE) {
        return r#"{"auto_scene_break_checked":true}"#.to_owned();
    }
    let scene = index / SCENE;
    let snapshot: Vec<Value> = (0..entries_after(scene)).map(snapshot_entry).collect();
    let recap = json!({
        "scene_name": format!("Scene {scene}"),
        "stage2": { "recap": { "outcomes": sentence(scene), "threads": sentence(scene + 1) } },
    })
    .to_string();
    json!({
        "scene_break": true,
        "scene_break_visible": true,
        "scene_recap_versions": ["", recap],
        "scene_recap_current_index": 1,
        "scene_recap_memory": recap,
        "scene_break_recap": recap,
        "auto_scene_break_checked": true,
        "scene_recap_metadata": { "1": {
            "timestamp": scene_time(scene),
            "startIdx": index + 1 - SCENE,
            "endIdx": index,
            "sceneMessageCount": SCENE,
            "totalActivatedEntries": 2,
            "totalBeforeFiltering": 2,
            "chatLorebookName": BOOK,
            "suppressOtherLorebooks": true,
            "allEntries": snapshot,
            "entries": [],
            "created_entry_uids": [],
            "combined_at": scene_time(scene) + 1000,
        } },
        "scene_break_name": format!("Scene {scene} {}-{index}", index + 1 - SCENE),
    })
    .to_string()
}

/// A line of the chat whose scene, if it ends one, was recapped so many milliseconds later.
pub(crate) fn later(line: &str, by: u64) -> String {
    let mut told = line.to_owned();
    for key in ["timestamp", "combined_at"] {
        let found = told.split_once(&format!("\"{key}\":"));
        let time = found.and_then(|(_, rest)| rest.get(..13)?.parse::<u64>().ok());
        if let Some(time) = time {
            let (was, is) = (format!("\"{key}\":{time}"), format!("\"{key}\":{}", time + by));
            told = told.replacen(&was, &is, 1);
        }
    }
    told
}

/// The running recap of a chat of so many messages: one version for each scene.
pub(crate) fn running(messages: usize) -> Value {
    let scenes = messages / SCENE;
    let version = |scene: usize| {
        json!({
            "version": scene,
            "timestamp": scene_time(scene) + 2000,
            "content": format!("DEVELOPMENTS:\n{}\n\nOPEN:\n{}", sentence(scene), sentence(scene + 1)),
            "scene_count": scene + 1,
            "excluded_count": 1,
            "prev_scene_index": (scene * SCENE).saturating_sub(1),
            "new_scene_index": (scene + 1) * SCENE - 1,
            "event_keys": [],
        })
    };
    json!({
        "chat_id": super::chat::CHAT,
        "current_version": scenes.saturating_sub(1),
        "versions": (0..scenes).map(version).collect::<Vec<_>>(),
    })
}

/// The lorebook as it is after the last of so many messages.
pub(crate) fn book(messages: usize) -> Value {
    let mut entries = Map::new();
    let count = match messages / SCENE {
        0 => FEWEST,
        scenes => entries_after(scenes - 1),
    };
    for uid in 0..count {
        entries.insert(uid.to_string(), live_entry(uid));
    }
    let uid = TIME + 1;
    let queue = "{\n  \"queue\": [],\n  \"current_operation_id\": null,\n  \"paused\": false,\n  \
                 \"version\": 1,\n  \"queueVersion\": 0\n}";
    entries.insert(
        uid.to_string(),
        json!({
            "uid": uid, "key": [], "keysecondary": [], "content": queue,
            "comment": "__operation_queue", "constant": false, "disable": true,
            "excludeRecursion": true, "order": 1000, "position": 0, "depth": 4,
            "selectiveLogic": 0, "addMemo": false, "displayIndex": uid,
            "probability": 100, "useProbability": true,
        }),
    );
    json!({ "entries": entries })
}

fn entries_after(scene: usize) -> usize {
    (FEWEST + scene + 1).min(MOST)
}

/// A moment after its last message.
fn scene_time(scene: usize) -> u64 {
    time((scene + 1) * SCENE - 1) + 20_000
}

fn comment(uid: usize) -> String {
    match uid {
        0 => "_registry_character".to_owned(),
        _ => format!("character-Nobody {uid}"),
    }
}

fn content(uid: usize) -> String {
    match uid {
        0 => "[Registry: character]\n- UID=1 | name: character-Nobody 1 | aliases: nobody | synopsis: Nobody"
            .to_owned(),
        _ => [sentence(uid), sentence(uid + 1), sentence(uid + 2)].join(" "),
    }
}

fn keys(uid: usize) -> Value {
    match uid {
        0 => json!([]),
        _ => json!([format!("nobody {uid}"), format!("никто {uid}")]),
    }
}

/// The 27 fields of a snapshot, in their order.
fn snapshot_entry(uid: usize) -> Value {
    let registry = uid == 0;
    json!({
        "comment": comment(uid), "uid": uid, "world": BOOK, "key": keys(uid), "keysecondary": [],
        "content": content(uid), "position": 0, "depth": 4, "order": 999 - uid, "role": 0,
        "constant": false, "vectorized": false, "selective": true, "selectiveLogic": 0,
        "sticky": 4, "disable": registry, "addMemo": false, "excludeRecursion": false,
        "preventRecursion": false, "ignoreBudget": true, "probability": 100,
        "useProbability": true, "group": "", "groupOverride": false, "groupWeight": 100,
        "tags": [], "strategy": "normal",
    })
}

fn live_entry(uid: usize) -> Value {
    let registry = uid == 0;
    json!({
        "uid": uid, "key": keys(uid), "keysecondary": [], "comment": comment(uid),
        "content": content(uid), "constant": false, "vectorized": false, "selective": true,
        "selectiveLogic": 0, "addMemo": false, "order": 999 - uid, "position": 0,
        "disable": registry, "ignoreBudget": true, "excludeRecursion": false,
        "preventRecursion": false, "delayUntilRecursion": 0, "probability": 100,
        "useProbability": true, "depth": 4, "outletName": "", "group": "", "groupOverride": false,
        "groupWeight": 100, "scanDepth": null, "caseSensitive": null, "matchWholeWords": null,
        "useGroupScoring": null, "automationId": "", "role": 0, "sticky": 4, "cooldown": null,
        "delay": null, "triggers": [],
    })
}

fn sentence(of: usize) -> &'static str {
    prose::sentence(&mut Random::new(of as u64))
}
