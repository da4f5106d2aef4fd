//! I7: what was said is so.

use super::parts::Chat;
use super::scene::Scene;
use super::{Flow, Outcome};
use crate::folder::is_chat;

pub(super) fn judge(scene: &Scene<'_>, found: &mut Vec<String>) {
    match &scene.ctx.outcome {
        Outcome::Unsaid => {}
        Outcome::Made(chat) => {
            let file = chat.file();
            let there = Chat::read(scene.after, &file).is_some();
            if !there || !scene.is_touched(&file) {
                let what = if is_fork(scene) { "made" } else { "rebound" };
                found.push(format!("{file} was reported as {what}, and was not"));
            }
        }
        // While something waits for recovery, “no” is not the last word.
        Outcome::Nothing if scene.ctx.recovered => {
            for (file, _) in scene.after.files() {
                let data =
                    is_chat(file) || file.starts_with("worlds/") || file.starts_with("groups/");
                if data && scene.is_touched(file) {
                    found.push(format!("the flow said no, but {file} is not as it was"));
                }
            }
        }
        Outcome::Nothing => {}
    }
}

fn is_fork(scene: &Scene<'_>) -> bool {
    matches!(scene.ctx.flow, Flow::Fork { .. })
}
