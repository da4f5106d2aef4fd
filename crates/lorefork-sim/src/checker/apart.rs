//! I6: timelines do not share a lorebook.

use lorefork::tavern::place::lorebook_file;

use super::parts::{Chat, chats};
use super::scene::Scene;

pub(super) fn judge(scene: &Scene<'_>, found: &mut Vec<String>) {
    if scene.ctx.shared {
        return;
    }
    for timeline in scene.timelines() {
        let Some(own) = timeline.lorebook() else { continue };
        for other in chats(scene.after).filter(|other| other.file != timeline.file) {
            if other.lorebook().as_ref() == Some(&own) {
                let (file, other) = (timeline.file, other.file);
                found.push(format!("{file} and {other} both name “{own}”"));
            }
        }
        if scene.before.has(&lorebook_file(&own)) {
            found.push(format!("{} was given “{own}”, which was there before", timeline.file));
        }
    }
    // Those we made earlier were apart, and must have stayed so.
    let made: Vec<Chat<'_>> = chats(scene.after).filter(is_made_by_us).collect();
    for (index, one) in made.iter().enumerate() {
        for two in &made[index + 1..] {
            let shared = one.lorebook().filter(|own| two.lorebook().as_ref() == Some(own));
            let Some(name) = shared else { continue };
            let touched = scene.is_touched(one.file) || scene.is_touched(two.file);
            if touched {
                found.push(format!("{} and {}, both ours, name “{name}”", one.file, two.file));
            }
        }
    }
}

/// A record that is a copy, because somebody copied the file, counts for nothing.
fn is_made_by_us(chat: &Chat<'_>) -> bool {
    let kind = chat.metadata(&["lorefork", "kind"]);
    let ours = kind.is_some_and(|kind| kind.says("checkpoint") || kind.says("branch"));
    ours && chat.metadata(&["lorefork", "chat"]).is_some_and(|name| name.says(chat.name()))
}
