//! Judging: the facts of all files of one folder, together. Pure, and the same every time.

mod files;
mod linked;
mod lorebooks;
mod recap;
mod sharing;
mod world;

use self::world::World;
use super::facts::{Folder, OperationFacts};
use super::problem::Problem;
use crate::sorted;
use crate::tavern::place::ChatRef;

/// A chat's map of timelines and lorebooks, as it should be.
pub(super) fn map_of(folder: &Folder, chat: &ChatRef) -> Vec<(String, String)> {
    let world = World::new(folder);
    let index = folder.chats.iter().position(|facts| facts.chat == *chat);
    let Some(index) = index else { return Vec::new() };
    let family = world.family(index).into_iter();
    let mut map: Vec<(String, String)> =
        family.filter_map(|child| linked::belongs_in_map(&world, index, child)).collect();
    // What a damaged timeline would say is not known: it stays as it is listed.
    let listed = world.chat(index).header().map(|header| &header.map[..]).unwrap_or_default();
    map.extend(
        listed
            .iter()
            .filter(|(name, _)| {
                let child = world.find(&chat.owner, name);
                child.is_some_and(|child| world.chat(child).is_header_lost())
            })
            .cloned(),
    );
    map
}

/// Which waiting work of a lorebook is about something that no chat of it has.
pub(super) fn foreign_in<'f>(
    folder: &'f Folder,
    book: &'f str,
) -> impl Fn(&OperationFacts) -> bool + 'f {
    let world = World::new(folder);
    move |operation| lorebooks::is_foreign(&world, book, operation)
}

/// The chat that a timeline was made from, whatever it is called now.
pub(super) fn parent_of(folder: &Folder, chat: &ChatRef) -> Option<ChatRef> {
    let world = World::new(folder);
    let index = folder.chats.iter().position(|facts| facts.chat == *chat)?;
    world.parent(index).map(|parent| world.chat(parent).chat.clone())
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
    sorted::by(&mut keyed, |(a, left), (b, right)| {
        let detail = |problem: &Problem| {
            (problem.code, problem.message, problem.line, problem.lorebook.clone())
        };
        a.cmp(b)
            .then_with(|| detail(left).cmp(&detail(right)))
            .then_with(|| left.says.to_string().cmp(&right.says.to_string()))
    });
    keyed.into_iter().map(|(_, problem)| problem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::facts::ChatFacts;
    use crate::audit::{Code, Fix, Severity};
    use crate::tavern::place::Owner;

    fn chat(name: &str) -> ChatRef {
        ChatRef::new(Owner::Character("Mira".into()), name)
    }

    fn folder() -> Folder {
        let facts = |name: &str, metadata: &str| {
            let mut facts = ChatFacts::new(chat(name));
            facts.add_header(&format!("{{\"chat_metadata\":{metadata}}}"));
            facts
        };
        let chats = vec![
            facts("Branch", r#"{"main_chat":"Main","world_info":"L"}"#),
            facts("Main", r#"{"world_info":"L"}"#),
            facts("Other", r#"{"world_info":"M"}"#),
        ];
        Folder { chats, ..Folder::default() }
    }

    #[test]
    fn a_family_is_all_that_descend_from_one() {
        let folder = folder();
        assert_eq!(family(&folder, &chat("Main")), [chat("Branch"), chat("Main")]);
        assert_eq!(family(&folder, &chat("Branch")), family(&folder, &chat("Main")));
        assert_eq!(family(&folder, &chat("Other")), [chat("Other")]);
        assert_eq!(family(&folder, &chat("Unknown")), [chat("Unknown")]);
    }

    #[test]
    fn what_is_about_others_does_not_concern_a_family() {
        let folder = folder();
        let own = family(&folder, &chat("Main"));
        let problem = || {
            Problem::new(
                Code::DuplicateQueue,
                Severity::Note,
                "".into(),
                Fix::left("nothing".into()),
            )
        };
        let is_ours = |problem: &Problem| concerns(&folder, &own, problem);
        assert!(is_ours(&problem()), "an interrupted operation, for one");
        assert!(is_ours(&problem().of(&chat("Branch"))));
        assert!(!is_ours(&problem().of(&chat("Other"))));
        assert!(is_ours(&problem().in_book("L")));
        assert!(!is_ours(&problem().in_book("M")));
        let mut shared = problem().of(&chat("Other")).in_book("M");
        shared.others.push(chat("Main"));
        assert!(is_ours(&shared));
    }
}
