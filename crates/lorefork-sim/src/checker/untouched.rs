//! I2: nothing was overwritten.

use lorefork::json::Json;
use lorefork::tavern::place::{Owner, group_file};

use super::Flow;
use super::differ::{LINK_HEADER, LINK_MESSAGE, MOMENT, difference};
use super::lore::renamed;
use super::parts::{Chat, name_of};
use super::scene::Scene;

pub(super) fn judge(scene: &Scene<'_>, found: &mut Vec<String>) {
    let subject = scene.subject().file();
    let group = match &scene.subject().owner {
        Owner::Group(id) => Some(group_file(id)),
        Owner::Character(_) => None,
    };
    for (file, bytes) in scene.before.files() {
        let Some(now) = scene.after.get(file) else {
            // Our own room we may tidy: intents are forgotten there.
            if !file.starts_with("lorefork/") {
                found.push(format!("{file} was removed"));
            }
            continue;
        };
        if now == bytes || file.starts_with("lorefork/") {
            continue;
        }
        if file == subject {
            chat(scene, file, found);
        } else if Some(file) == group.as_deref() {
            group_record(scene, file, found);
        } else {
            found.push(format!("{file} was changed"));
        }
    }
}

/// The chat we were asked about: only what a link or a rebind may change.
fn chat(scene: &Scene<'_>, file: &str, found: &mut Vec<String>) {
    let (Some(old), Some(new)) = (Chat::read(scene.before, file), Chat::read(scene.after, file))
    else {
        found.push(format!("{file} was changed and its header cannot be read"));
        return;
    };
    if gaps(scene.before.get(file)) != gaps(scene.after.get(file)) {
        found.push(format!("{file} has other blank lines than before"));
    }
    if old.messages.len() != new.messages.len() {
        let (was, is) = (old.messages.len(), new.messages.len());
        found.push(format!("{file} had {was} messages and has {is}"));
        return;
    }
    slug(scene, &old, &new, found);
    let may = match scene.ctx.flow {
        Flow::Fork { .. } => LINK_HEADER,
        Flow::Isolate { .. } => MOMENT,
    };
    if let Some(key) = difference(old.header, new.header, may) {
        found.push(format!("{file}: “{key}” of the header was changed"));
    }
    for index in 0..old.messages.len() {
        if let Some(what) = message(scene, &old, &new, index) {
            found.push(format!("{file}: {what} of message {index} was changed"));
        }
    }
}

/// From outside an existing chat gets a new slug, so that an open tab asks before it overwrites;
/// from inside it never does, or the tab would ask about its own work.
fn slug(scene: &Scene<'_>, old: &Chat<'_>, new: &Chat<'_>, found: &mut Vec<String>) {
    let slug_of = |chat: &Chat<'_>| {
        chat.metadata(&["integrity"]).map(|slug| slug.text().to_owned()).filter(|s| s != "null")
    };
    let (was, is) = (slug_of(old), slug_of(new));
    if scene.ctx.outside && (was == is || is.is_none()) {
        found.push(format!("{} was changed from outside and kept its slug", old.file));
    }
    if !scene.ctx.outside && was != is {
        found.push(format!("{} got another slug from inside SillyTavern", old.file));
    }
}

/// What of a message was changed though it may not be.
fn message(scene: &Scene<'_>, old: &Chat<'_>, new: &Chat<'_>, index: usize) -> Option<String> {
    let (was, is) = (old.messages[index], new.messages[index]);
    if was == is {
        return None;
    }
    let (Ok(was), Ok(is)) = (std::str::from_utf8(was), std::str::from_utf8(is)) else {
        return Some("the text".to_owned());
    };
    match scene.ctx.flow {
        Flow::Fork { at, .. } if at == index => difference(was, is, LINK_MESSAGE)
            .map(|key| format!("“{key}”"))
            .or_else(|| branches_lost(was, is).then(|| "the list of branches".to_owned())),
        Flow::Fork { .. } => Some("the line".to_owned()),
        Flow::Isolate { .. } => {
            let (from, to) = (old.lorebook()?, new.lorebook()?);
            (renamed(was, &from, &to) != is).then(|| "more than the lorebook's name".to_owned())
        }
    }
}

/// Links to earlier branches stay, in their order; ours comes last.
fn branches_lost(was: &str, is: &str) -> bool {
    let branches = |text: &'_ str| -> Vec<String> {
        let extra = Json::parse(text).ok().and_then(|m| m.at(&["extra", "branches"]));
        extra.map(|b| b.items().iter().map(|i| i.text().to_owned()).collect()).unwrap_or_default()
    };
    !branches(is).starts_with(&branches(was))
}

/// Where a file's blank lines stand.
fn gaps(bytes: Option<&[u8]>) -> Vec<(usize, &[u8])> {
    let lines = bytes.unwrap_or_default().split(|&byte| byte == b'\n').enumerate();
    lines.filter(|(_, line)| crate::view::is_blank(line)).collect()
}

/// A group's record: its list of chats may have got the new one at its end.
fn group_record(scene: &Scene<'_>, file: &str, found: &mut Vec<String>) {
    let (Some(was), Some(is)) = (scene.before.text(file), scene.after.text(file)) else {
        found.push(format!("{file} was changed and is not UTF-8"));
        return;
    };
    if let Some(key) = difference(was, is, &[&["chats"]]) {
        found.push(format!("{file}: “{key}” was changed"));
    }
    let chats = |text: &'_ str| -> Vec<String> {
        let chats = Json::parse(text).ok().and_then(|group| group.get("chats"));
        let chats = chats.map(Json::items).unwrap_or_default();
        chats.iter().map(|chat| chat.str().unwrap_or_default().into_owned()).collect()
    };
    let (was, is) = (chats(was), chats(is));
    let new: Vec<&str> = scene.new_chats().map(name_of).collect();
    let added = is.strip_prefix(was.as_slice());
    if !added.is_some_and(|added| added.len() == 1 && new.contains(&added[0].as_str())) {
        found.push(format!("{file}: “chats” did not just get the new timeline at its end"));
    }
}
