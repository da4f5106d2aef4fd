//! I3: the parent is as it was, or linked to a complete timeline.

use lorefork::json::Json;

use super::Flow;
use super::parts::Chat;
use super::scene::Scene;

pub(super) fn judge(scene: &Scene<'_>, found: &mut Vec<String>) {
    let Flow::Fork { parent, at, .. } = &scene.ctx.flow else { return };
    let file = parent.file();
    if !scene.before.has(&file) || !scene.is_touched(&file) {
        return;
    }
    let (Some(old), Some(new)) = (Chat::read(scene.before, &file), Chat::read(scene.after, &file))
    else {
        return; // I2 says so.
    };
    let before = links(&old, *at);
    let added: Vec<String> =
        links(&new, *at).into_iter().filter(|link| !before.contains(link)).collect();
    if added.is_empty() {
        found.push(format!("{file} was changed, but is linked to no new timeline"));
    }
    for name in added {
        linked(scene, &new, &name, *at, found);
    }
}

/// The timelines a message links to.
fn links(chat: &Chat<'_>, message: usize) -> Vec<String> {
    let Some(extra) = chat.message(message).and_then(|m| m.get("extra")) else {
        return Vec::new();
    };
    let branches = extra.get("branches").map(Json::items).unwrap_or_default();
    let all = extra.get("bookmark_link").into_iter().chain(branches);
    all.filter_map(|link| link.str().map(|link| link.into_owned())).collect()
}

fn linked(scene: &Scene<'_>, parent: &Chat<'_>, name: &str, at: usize, found: &mut Vec<String>) {
    let file = scene.subject().sibling(name).file();
    let Some(timeline) = Chat::read(scene.after, &file) else {
        found.push(format!(
            "{} is linked to {file}, which is not there or has no header",
            parent.file
        ));
        return;
    };
    if !timeline.metadata(&["main_chat"]).is_some_and(|main| main.says(parent.name())) {
        found.push(format!("{} is linked to {file}, which has another main chat", parent.file));
    }
    let own = timeline.lorebook();
    if own.is_some() && own == parent.lorebook() && !scene.ctx.shared {
        found.push(format!("{} is linked to {file}, which shares its lorebook", parent.file));
    }
    if timeline.messages.len() != at + 1 {
        let has = timeline.messages.len();
        found.push(format!("{} is linked to {file}, which has {has} messages", parent.file));
    }
    let mapped = parent.metadata(&["auto_recap", "checkpoint_lorebook_map", name]);
    if let Some(own) = own
        && !scene.ctx.shared
        && !mapped.is_some_and(|mapped| mapped.says(&own))
    {
        found.push(format!("{}: its map does not lead from “{name}” to “{own}”", parent.file));
    }
}
