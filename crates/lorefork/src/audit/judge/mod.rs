//! Judging: the facts of all files of one folder, together. Pure, and the same every time.

mod files;
mod linked;
mod lorebooks;
mod recap;
mod sharing;
mod world;

use self::world::World;
use super::facts::Folder;
use super::problem::Problem;
use crate::tavern::place::ChatRef;

/// A chat's map of timelines and lorebooks, as it should be.
pub(super) fn map_of(folder: &Folder, chat: &ChatRef) -> Vec<(String, String)> {
    let world = World::new(folder);
    let index = folder.chats.iter().position(|facts| facts.chat == *chat);
    let Some(index) = index else { return Vec::new() };
    let family = world.family(index).into_iter();
    family.filter_map(|child| linked::belongs_in_map(&world, index, child)).collect()
}

/// All timelines of a chat's family, as far as this folder knows them; the chat itself is one.
pub fn family(folder: &Folder, chat: &ChatRef) -> Vec<ChatRef> {
    let world = World::new(folder);
    match folder.chats.iter().position(|facts| facts.chat == *chat) {
        Some(index) => {
            world.family(index).into_iter().map(|one| world.chat(one).chat.clone()).collect()
        }
        None => vec![chat.clone()],
    }
}

/// Whether a problem is about one of these chats, or a lorebook that they name. Those of no chat
/// and no lorebook are everybody's.
pub fn concerns(folder: &Folder, chats: &[ChatRef], problem: &Problem) -> bool {
    if problem.chat.is_some() {
        return problem.chat.iter().chain(&problem.others).any(|other| chats.contains(other));
    }
    let Some(book) = &problem.lorebook else { return true };
    let world = World::new(folder);
    world.users_of(book).iter().any(|user| chats.contains(&world.chat(*user).chat))
}

/// Everything that is wrong, sorted by family, chat and code.
pub fn judge(folder: &Folder) -> Vec<Problem> {
    let world = World::new(folder);
    let mut problems = Vec::new();
    files::judge(&world, &mut problems);
    sharing::judge(&world, &mut problems);
    lorebooks::judge(&world, &mut problems);
    recap::judge(&world, &mut problems);
    linked::judge(&world, &mut problems);
    let mut keyed: Vec<_> =
        problems.into_iter().map(|problem| (world.place_of(&problem), problem)).collect();
    keyed.sort_by(|(a, left), (b, right)| {
        let detail = |problem: &Problem| {
            (problem.code, problem.message, problem.line, problem.lorebook.clone())
        };
        a.cmp(b)
            .then_with(|| detail(left).cmp(&detail(right)))
            .then_with(|| left.says.cmp(&right.says))
    });
    keyed.into_iter().map(|(_, problem)| problem).collect()
}
