//! What Auto-Recap leaves in a chat: recapped scenes on messages, the running recap in the header.

use serde_json::{Map, Value, json};

use super::Hashes;
use super::chat::Chat;
use super::lore::{Book, Entity};
use super::script::{self, Line};

/// From the last message of a scene to its recap, to the running recap, to the end of both.
const RECAP_MS: i64 = 21_000;
const RUNNING_MS: i64 = 29_800;
const COMBINED_MS: i64 = 30_000;

/// What the recap of one scene says, and what it does to the lorebook.
pub(super) struct Scene {
    pub(super) name: &'static str,
    pub(super) extracted: &'static [&'static str],
    pub(super) outcomes: &'static [&'static str],
    pub(super) open: &'static [&'static str],
    pub(super) state: &'static [&'static str],
    pub(super) resolved: &'static [&'static str],
    pub(super) learned: &'static [Entity],
    /// Entries merged into others once the new ones are written; their uids come free for the next
    /// scene.
    pub(super) dropped: &'static [&'static str],
    /// The running recap after this scene.
    pub(super) running: &'static str,
}

/// Recaps all finished scenes of a chat: marks its messages, fills the book, returns the running
/// recap's versions.
pub(super) fn play(
    scenes: &'static [Scene],
    lines: &[Line],
    times: &[i64],
    chat: &mut Chat,
    book: &mut Book,
    hashes: Hashes,
) -> Vec<Value> {
    let mut versions = Vec::new();
    let mut previous = 0;
    for (scene, (start, end)) in scenes.iter().zip(script::scenes(lines)) {
        play_scene(scene, lines, times, (start, end), chat, book, hashes);
        versions.push(version(scene, versions.len(), versions.len() + 1, (previous, end), times));
        previous = end;
    }
    versions
}

/// Recaps one scene of a chat: marks its messages and fills the book.
pub(super) fn play_scene(
    scene: &'static Scene,
    lines: &[Line],
    times: &[i64],
    (start, end): (usize, usize),
    chat: &mut Chat,
    book: &mut Book,
    hashes: Hashes,
) {
    for message in &mut chat.messages[start..end] {
        remember(message, json!({ "auto_scene_break_checked": true }));
    }
    let said: Vec<&str> = lines[start..=end].iter().map(Line::shown).collect();
    let said = said.join("\n");

    let before = book.activated(&said).len();
    let merged: Vec<Option<u64>> =
        scene.learned.iter().map(|entity| book.uid_of(&entity.comment())).collect();
    let touched: Vec<String> =
        scene.learned.iter().map(|entity| book.learn(entity).to_string()).collect();
    for comment in scene.dropped {
        book.forget(comment);
    }
    let activated = book.activated(&said);

    let metadata = json!({
        "timestamp": times[end] + RECAP_MS,
        "startIdx": start,
        "endIdx": end,
        "sceneMessageCount": end - start + 1,
        "totalActivatedEntries": activated.len(),
        "totalBeforeFiltering": before,
        "chatLorebookName": book.name,
        "suppressOtherLorebooks": true,
        "allEntries": book.snapshot(),
        "entries": activated,
        "created_entry_uids": touched,
        "combined_at": times[end] + COMBINED_MS,
    });
    remember(&mut chat.messages[end], scene_break(scene, &merged, (start, end), &metadata, hashes));
}

/// A version of the running recap: the one after `previous`, up to the scene that ends at `end`.
pub(super) fn version(
    scene: &Scene,
    number: usize,
    scenes: usize,
    (previous, end): (usize, usize),
    times: &[i64],
) -> Value {
    json!({
        "version": number,
        "timestamp": times[end] + RUNNING_MS,
        "content": scene.running,
        "scene_count": scenes,
        "excluded_count": 1,
        "prev_scene_index": previous,
        "new_scene_index": end,
        "event_keys": [],
    })
}

/// The state under `auto_recap_memory` of the message that closes a scene.
fn scene_break(
    scene: &Scene,
    merged: &[Option<u64>],
    (start, end): (usize, usize),
    metadata: &Value,
    hashes: Hashes,
) -> Value {
    let stage1 = json!({ "sn": scene.name, "extracted": scene.extracted });
    let recap = full_recap(scene, merged, &stage1).to_string();
    json!({
        "scene_break": true,
        "scene_break_visible": true,
        // Stage 1 fills the placeholder at 0; the complete recap is pushed after it.
        "scene_recap_versions": [json!({ "stage1": stage1 }).to_string(), recap],
        "scene_recap_current_index": 1,
        "scene_recap_memory": recap,
        "scene_recap_hash": (hashes.recap)(&recap),
        "scene_break_recap": recap,
        "auto_scene_break_checked": true,
        "scene_recap_metadata": { "1": metadata },
        "scene_break_name": format!("{} {start}-{end}", scene.name),
    })
}

fn full_recap(scene: &Scene, merged: &[Option<u64>], stage1: &Value) -> Value {
    let entity = |entity: &Entity| {
        json!({
            "type": entity.kind,
            "name": entity.name,
            "keywords": entity.keywords,
            "content": entity.facts,
        })
    };
    let found: Vec<Value> = scene.learned.iter().map(entity).collect();
    // The last stage names the entries it will merge into by uid: the reason why uids must survive
    // a fork.
    let mut filed = found.clone();
    for (value, uid) in filed.iter_mut().zip(merged) {
        if let Some(uid) = uid {
            value["uid"] = json!(uid.to_string());
        }
    }
    json!({
        "scene_name": scene.name,
        "stage1": stage1,
        "stage2": {
            "sn": scene.name,
            "recap": {
                "outcomes": scene.outcomes.join(" "),
                "threads": scene.open.join(" "),
                "state": scene.state.join(" "),
            },
            "entities": found,
        },
        "stage3": {
            "developments": scene.outcomes,
            "open": scene.open,
            "state": scene.state,
            "resolved": scene.resolved,
        },
        "stage4": { "entities": filed },
    })
}

/// Stores Auto-Recap's state on a message. It mirrors it into the shown swipe, but never into swipe
/// 0.
fn remember(message: &mut Value, state: Value) {
    if let Some(swipe @ 1..) = message["swipe_id"].as_u64() {
        message["swipe_info"][swipe as usize]["extra"]["auto_recap_memory"] = state.clone();
    }
    message["extra"]["auto_recap_memory"] = state;
}

/// Puts the lorebook and the running recap into a chat's metadata, keys in the order real chats
/// have them.
pub(super) fn attach(
    chat: &mut Chat,
    name: &str,
    book: &Book,
    versions: &[Value],
    timed: &Map<String, Value>,
) {
    attach_running(chat, name, versions);
    let metadata = &mut chat.metadata;
    let tainted = metadata.shift_remove("tainted").unwrap_or(json!(true));
    metadata.insert("timedWorldInfo".into(), json!({ "sticky": timed, "cooldown": {} }));
    metadata.insert("tainted".into(), tainted);
    metadata.insert("world_info".into(), json!(book.name));
    metadata.insert(
        "auto_lorebooks".into(),
        json!({
            "lorebookName": book.name,
            "attachedAt": book.attached_at,
            "registry": { "index": book.index() },
        }),
    );
    metadata.insert("autoLorebooks".into(), json!({ "pendingOps": {} }));
}

/// Puts the running recap into a chat's metadata, where it stands in real chats.
pub(super) fn attach_running(chat: &mut Chat, name: &str, versions: &[Value]) {
    let current = versions.last().map_or(json!(0), |version| version["version"].clone());
    let running = json!({ "chat_id": name, "current_version": current, "versions": versions });
    chat.metadata.shift_insert(1, "auto_recap_running_scene_recaps".into(), running);
}
