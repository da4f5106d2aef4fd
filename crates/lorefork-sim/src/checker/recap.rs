//! The running recap of a timeline: nothing in it comes from the future.

use lorefork::json::Json;

use super::parts::Chat;

const KEY: &str = "auto_recap_running_scene_recaps";

pub(super) fn judge(timeline: &Chat<'_>, parent: &Chat<'_>, at: usize, found: &mut Vec<String>) {
    let file = timeline.file;
    let object = |chat: &Chat<'_>| -> bool { chat.metadata(&[KEY]).is_some_and(Json::is_object) };
    if object(timeline) != object(parent) {
        found.push(format!("{file} has a running recap and its parent none, or the reverse"));
        return;
    }
    if !object(timeline) {
        return;
    }
    let is_own = timeline.metadata(&[KEY, "chat_id"]).is_some_and(|id| id.says(timeline.name()));
    if !is_own {
        found.push(format!("{file}: its running recap belongs to another chat"));
    }
    let versions = |chat: &Chat<'_>| -> Vec<String> {
        let items = chat.metadata(&[KEY, "versions"]).map(Json::items).unwrap_or_default();
        items.iter().map(|version| version.text().to_owned()).collect()
    };
    let all = versions(parent);
    let mut rest = all.iter();
    for version in versions(timeline) {
        if newest_scene(&version) > i64::try_from(at).unwrap_or(i64::MAX) {
            found.push(format!("{file}: its running recap knows of a scene after message {at}"));
        }
        if !rest.any(|other| *other == version) {
            found.push(format!("{file}: a version of its running recap is not its parent's"));
        }
    }
}

fn newest_scene(version: &str) -> i64 {
    let version = Json::parse(version).ok();
    version.and_then(|v| v.get("new_scene_index")).and_then(Json::integer).unwrap_or(0)
}
