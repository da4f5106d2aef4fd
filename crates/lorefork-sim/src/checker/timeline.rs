//! I4: a timeline is complete from its first write.

use lorefork::json::Json;
use lorefork::tavern::place::{Owner, group_file};

use super::Flow;
use super::differ::{MOMENT, difference};
use super::lore::{self, renamed};
use super::parts::Chat;
use super::recap;
use super::scene::Scene;

pub(super) fn judge(scene: &Scene<'_>, found: &mut Vec<String>) {
    match &scene.ctx.flow {
        Flow::Fork { parent, at, swipe } => {
            let file = parent.file();
            for new in scene.new_chats() {
                match (Chat::read(scene.after, new), Chat::read(scene.before, &file)) {
                    (Some(new), Some(parent)) => {
                        header(&new, &parent, found);
                        messages(scene, &new, &parent, (*at, *swipe), found);
                        listed(scene, &new, found);
                        moment(scene, &new, &parent, *at, found);
                    }
                    _ => found.push(format!("{new} is new and has no header that can be read")),
                }
            }
        }
        Flow::Isolate { chat } => {
            let file = chat.file();
            for timeline in scene.timelines() {
                let Some(was) = Chat::read(scene.before, &file) else { continue };
                let last = was.messages.len().saturating_sub(1);
                rebound(scene, &timeline, &was, found);
                moment(scene, &timeline, &was, last, found);
            }
        }
    }
}

/// What a fork and a rebind have in common.
fn moment(scene: &Scene<'_>, new: &Chat<'_>, old: &Chat<'_>, at: usize, found: &mut Vec<String>) {
    recap::judge(new, old, at, found);
    lore::judge(scene, new, old, found);
    let file = new.file;
    let says = |path: &[&str], text: &str| new.metadata(path).is_none_or(|value| value.says(text));
    if let Some(own) = new.lorebook()
        && !says(&["auto_lorebooks", "lorebookName"], &own)
    {
        found.push(format!("{file}: Auto-Recap's second record names another lorebook"));
    }
    let pending = new.metadata(&["autoLorebooks", "pendingOps"]);
    if pending.is_some_and(|pending| !pending.members().is_empty()) {
        found.push(format!("{file} took over work that was waiting in its parent"));
    }
    if !new.metadata(&["lorefork"]).is_some_and(Json::is_object) {
        found.push(format!("{file} has no record of where it comes from"));
    } else if !says(&["lorefork", "chat"], new.name()) {
        found.push(format!("{file}: its record is that of another chat"));
    }
}

fn header(new: &Chat<'_>, parent: &Chat<'_>, found: &mut Vec<String>) {
    let file = new.file;
    if !new.metadata(&["main_chat"]).is_some_and(|main| main.says(parent.name())) {
        found.push(format!("{file} does not name {} as its main chat", parent.name()));
    }
    let slug = new.metadata(&["integrity"]).and_then(Json::str).filter(|slug| !slug.is_empty());
    if slug.is_none() || slug == parent.metadata(&["integrity"]).and_then(Json::str) {
        found.push(format!("{file} has no slug of its own"));
    }
    if !new.metadata(&["tainted"]).is_some_and(Json::truthy) {
        found.push(format!("{file} is not marked as used: SillyTavern may replace its messages"));
    }
    if !new.metadata(&["auto_recap_checkpoint_state"]).is_some_and(Json::is_object) {
        found.push(format!("{file} has no auto_recap_checkpoint_state"));
    }
    let map = new.metadata(&["auto_recap", "checkpoint_lorebook_map"]);
    if map.is_some_and(|map| !map.members().is_empty()) {
        found.push(format!("{file} inherited its parent's map of checkpoints"));
    }
    if let Some(key) = difference(parent.header, new.header, MOMENT) {
        found.push(format!("{file}: “{key}” of the header is not what its parent has"));
    }
}

fn messages(
    scene: &Scene<'_>,
    new: &Chat<'_>,
    parent: &Chat<'_>,
    (at, swipe): (usize, Option<usize>),
    found: &mut Vec<String>,
) {
    let file = new.file;
    if new.messages.len() != at + 1 {
        found.push(format!("{file} has {} messages instead of {}", new.messages.len(), at + 1));
    }
    if scene.after.get(file).is_some_and(|bytes| bytes.ends_with(b"\n")) {
        found.push(format!("{file} ends in a line break"));
    }
    let books = parent.lorebook().zip(new.lorebook());
    for (index, line) in new.messages.iter().enumerate().take(at + 1) {
        let Some(source) = parent.messages.get(index) else { break };
        if let (Some(swipe), true) = (swipe, index == at) {
            other_swipe(new, parent, at, swipe, found);
            continue;
        }
        let same = match (&books, std::str::from_utf8(source)) {
            (Some((from, to)), Ok(source)) => renamed(source, from, to).as_bytes() == *line,
            _ => source == line,
        };
        if !same {
            found.push(format!("{file}: message {index} is not its parent's"));
        }
    }
}

/// The last message of a branch of another swipe shows that swipe.
fn other_swipe(
    new: &Chat<'_>,
    parent: &Chat<'_>,
    at: usize,
    swipe: usize,
    found: &mut Vec<String>,
) {
    let text =
        |chat: &Chat<'_>, key: &str| chat.message(at).and_then(|m| m.get(key)).map(|v| v.units());
    let swipes = parent.message(at).and_then(|m| m.get("swipes")).map(Json::items);
    let wanted = swipes.and_then(|swipes| swipes.get(swipe).copied()).map(Json::units);
    if text(new, "mes") != wanted {
        found.push(format!("{}: message {at} does not show swipe {swipe}", new.file));
    }
}

/// A group knows its chats only by its own list.
fn listed(scene: &Scene<'_>, new: &Chat<'_>, found: &mut Vec<String>) {
    let Owner::Group(id) = &scene.subject().owner else { return };
    let record = scene.after.text(&group_file(id)).and_then(|text| Json::parse(text).ok());
    let chats = record.and_then(|group| group.get("chats")).map(Json::items).unwrap_or_default();
    if scene.ctx.recovered && !chats.iter().any(|chat| chat.says(new.name())) {
        found.push(format!("{} is in no list of chats of group {id}", new.file));
    }
}

/// A rebound timeline names the new lorebook in all its lines, or it was not rebound at all.
fn rebound(scene: &Scene<'_>, new: &Chat<'_>, old: &Chat<'_>, found: &mut Vec<String>) {
    let Some((from, to)) = old.lorebook().zip(new.lorebook()) else { return };
    if from == to && !scene.ctx.shared {
        found.push(format!("{} was changed and still names “{from}”", new.file));
    }
    for (index, line) in old.messages.iter().enumerate() {
        let Ok(line) = std::str::from_utf8(line) else { continue };
        if new.messages.get(index).copied() != Some(renamed(line, &from, &to).as_bytes()) {
            found.push(format!("{}: message {index} is not renamed as it should be", new.file));
        }
    }
}
