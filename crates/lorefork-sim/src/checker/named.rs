//! I1: every lorebook a chat names exists.

use std::collections::BTreeSet;

use super::parts::{chats, lorebook};
use super::scene::Scene;

pub(super) fn judge(scene: &Scene<'_>, found: &mut Vec<String>) {
    let mut said = BTreeSet::new();
    for chat in chats(scene.before).chain(chats(scene.after)) {
        let Some(name) = chat.lorebook() else { continue };
        // One that was missing already is not our doing, unless we wrote the chat that names it.
        let ours = scene.after.has(chat.file) && scene.is_touched(chat.file);
        let was_there = lorebook(scene.before, &name).is_some();
        if (ours || was_there)
            && lorebook(scene.after, &name).is_none()
            && said.insert((chat.file, name.clone()))
        {
            found.push(format!(
                "{} names the lorebook “{name}”, but worlds/{name}.json is not there or cannot be read",
                chat.file
            ));
        }
    }
}
