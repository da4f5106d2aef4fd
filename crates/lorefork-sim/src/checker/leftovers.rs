//! I5: nothing of ours is left that nobody names.

use lorefork::json::quote;

use super::Flow;
use super::parts::{is_ours, lorebook, named};
use super::scene::Scene;
use crate::files::{INTENTS, intents, is_half};
use crate::folder::is_chat;

pub(super) fn judge(scene: &Scene<'_>, found: &mut Vec<String>) {
    let intents = intents(scene.after);
    let recovered = scene.ctx.recovered;
    let owners = named(scene.after);
    for file in scene.new_files() {
        if is_half(file) {
            // Below lorefork/ the host tidies up by itself, at the latest in recovery.
            if recovered || (intents.is_empty() && !file.starts_with("lorefork/")) {
                found.push(format!("{file} is half a file that nobody will finish"));
            }
        } else if file.starts_with(INTENTS) {
            if recovered {
                found.push(format!("{file} is still there after recovery"));
            }
        } else if let Some(name) = lorebook_name(file) {
            if !owners.contains(name) && (recovered || !mentioned(&intents, name)) {
                found.push(format!("{file} is new and no chat names it"));
            }
        } else if is_chat(file) {
            chat(scene, file, found);
        } else if !file.starts_with("lorefork/") {
            found.push(format!("{file} appeared"));
        }
    }
    let were_owned = named(scene.before);
    for name in scene.before.lorebooks() {
        let ours = lorebook(scene.after, name).is_some_and(is_ours);
        if ours && were_owned.contains(name) && !owners.contains(name) {
            let waits = !recovered && mentioned(&intents, name);
            // A timeline that is rebound leaves its former lorebook to whoever undoes it.
            if !waits && !matches!(scene.ctx.flow, Flow::Isolate { .. }) {
                found.push(format!("worlds/{name}.json is ours and no chat names it any more"));
            }
        }
    }
}

/// A fork makes one timeline, beside its parent; a rebind makes none.
fn chat(scene: &Scene<'_>, file: &str, found: &mut Vec<String>) {
    let home = |file: &str| file.rsplit_once('/').map(|(home, _)| home.to_owned());
    let fork = matches!(scene.ctx.flow, Flow::Fork { .. });
    if !fork || home(file) != home(&scene.subject().file()) {
        found.push(format!("{file} appeared"));
    } else if scene.new_chats().next() != Some(file) {
        found.push(format!("{file} appeared beside another new timeline"));
    }
}

fn lorebook_name(file: &str) -> Option<&str> {
    file.strip_prefix("worlds/")?.strip_suffix(".json").filter(|name| !name.contains('/'))
}

/// Whether an intent names a lorebook, and recovery will know about it.
fn mentioned(intents: &[String], name: &str) -> bool {
    let quoted = quote(name);
    intents.iter().any(|intent| intent.contains(quoted.trim_matches('"')))
}
