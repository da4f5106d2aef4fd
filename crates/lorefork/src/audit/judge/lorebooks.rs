//! Problems inside a lorebook: entries, registries, the work queue, and what it cannot know yet.

use super::world::World;
use crate::audit::facts::{Book, ChatFacts, OperationFacts, name_hash};
use crate::audit::problem::{Action, Fix, Problem};
use crate::audit::{Code, Severity};
use crate::memory::recap::registry::{self, Item};
use crate::moment::rebuild::plain_name;
use crate::tavern::names;
use crate::words::count;

pub(super) fn judge(world: &World<'_>, problems: &mut Vec<Problem>) {
    for facts in &world.folder.lorebooks {
        match &facts.book {
            Err(why) => problems.push(corrupt(world, &facts.name, why)),
            Ok(book) => {
                let mut found = Vec::new();
                entries(book, &mut found);
                queue(world, &facts.name, book, &mut found);
                registries(book, &mut found);
                // What another chat may use as well is not this one's to judge.
                if !world.may_have_more_users(&facts.name) {
                    future(world, &facts.name, book, &mut found);
                }
                problems.extend(found.into_iter().map(|problem| problem.in_book(&facts.name)));
            }
        }
    }
}

fn corrupt(world: &World<'_>, name: &str, why: &str) -> Problem {
    let says = format!("The lorebook cannot be read: {why}.");
    let has_snapshot =
        |chat: &&usize| world.chat(**chat).scenes.iter().any(|scene| scene.snapshot.is_some());
    let users = world.users_of(name);
    let fix = match users.iter().find(has_snapshot) {
        Some(chat) if users.len() == 1 && !world.may_have_more_users(name) => Fix::new(
            Action::Rebuild { from: world.chat(*chat).chat.clone() },
            "Rebuilds it from the newest snapshot in its chat; the damaged file is kept.",
        ),
        _ => Fix::left(
            "Restore the file from a backup of yours, or repair it in a text editor: SillyTavern \
             keeps no copies of lorebooks.",
        ),
    };
    let mut problem = Problem::new(Code::CorruptLorebook, Severity::Error, says, fix).in_book(name);
    problem.chat = users.first().map(|chat| world.chat(*chat).chat.clone());
    problem
}

fn entries(book: &Book, found: &mut Vec<Problem>) {
    let wrong: Vec<_> = book.entries.iter().filter(|entry| !entry.is_in_place).collect();
    let Some(first) = wrong.first() else { return };
    let says = format!(
        "{}, “{}” for one; SillyTavern may change or delete another entry instead.",
        count(
            wrong.len(),
            "entry stands under a number that is not its own",
            "entries stand under numbers that are not their own"
        ),
        first.comment
    );
    let fix = Fix::new(Action::Rekey, "Puts each entry under its own number.");
    found.push(Problem::new(Code::UidKeyMismatch, Severity::Warning, says, fix));
}

fn queue(world: &World<'_>, name: &str, book: &Book, found: &mut Vec<Problem>) {
    if book.queues.len() > 1 {
        let says = format!("It has {} work queues; Auto-Recap uses the first.", book.queues.len());
        let fix = Fix::new(Action::OneQueue, "Keeps the first and removes the others.");
        found.push(Problem::new(Code::DuplicateQueue, Severity::Warning, says, fix));
    }
    let Some(queue) = book.queues.first() else { return };
    if !queue.is_readable {
        let says = "Its work queue cannot be read; whatever Auto-Recap still had to do is lost, \
                    and forks are refused.";
        let fix = Fix::new(Action::EmptyQueue, "Makes it an empty queue.");
        found.push(Problem::new(Code::QueueUnreadable, Severity::Error, says, fix));
    }
    let foreign =
        queue.operations.iter().filter(|operation| is_foreign(world, name, operation)).count();
    if foreign > 0 {
        let says = format!(
            "{} in its work queue about messages or lorebooks that this timeline does not have.",
            count(foreign, "operation waits", "operations wait")
        );
        let fix = Fix::new(Action::DropOperations, "Removes them from the queue.");
        found.push(Problem::new(Code::QueueForeignOperation, Severity::Warning, says, fix));
    }
    let astray = queue.operations.iter().filter(|operation| {
        !is_foreign(world, name, operation) && other_book(name, operation).is_some()
    });
    let astray = astray.count();
    if astray > 0 {
        let says = format!(
            "{} in its work queue for a lorebook that does not exist: its own former name, if it \
             was renamed.",
            count(astray, "operation waits", "operations wait")
        );
        let fix = Fix::new(Action::NameOperations, "Writes this lorebook's name into them.");
        found.push(Problem::new(Code::QueueForeignOperation, Severity::Warning, says, fix));
    }
}

/// The other lorebook that an operation is for.
fn other_book<'o>(name: &str, operation: &'o OperationFacts) -> Option<&'o str> {
    operation.lorebook.as_deref().filter(|other| !names::same_lorebook(other, name))
}

/// Whether an operation is about something that no chat of this lorebook has. A lorebook that is not
/// there is nobody's: dropping work for it would lose that of a lorebook that was renamed.
pub(super) fn is_foreign(world: &World<'_>, name: &str, operation: &OperationFacts) -> bool {
    let users = world.users_of(name);
    let has = |message: i64| {
        users.is_empty()
            || users.iter().any(|chat| {
                let facts = world.chat(*chat);
                facts.trouble.is_some() || message < facts.messages as i64
            })
    };
    operation.message.is_some_and(|message| !has(message))
        || other_book(name, operation).is_some_and(|other| world.folder.has_lorebook(other))
}

/// What is wrong with a line of a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Dangling,
    OtherEntry,
}

fn wrong(book: &Book, item: &Item) -> Option<Wrong> {
    let mut entries = book.entries.iter().filter(|entry| entry.uid == Some(item.uid)).peekable();
    if entries.peek().is_none() {
        return Some(Wrong::Dangling);
    }
    let is_it =
        entries.any(|entry| !entry.is_internal() && registry::means(&item.name, &entry.comment));
    (!plain_name(&item.name).is_empty() && !is_it).then_some(Wrong::OtherEntry)
}

fn registries(book: &Book, found: &mut Vec<Problem>) {
    let lines = |what: Wrong| -> Vec<&Item> {
        book.items.iter().filter(|item| wrong(book, item) == Some(what)).collect()
    };
    let dangling = lines(Wrong::Dangling);
    if let Some(first) = dangling.first() {
        let says = format!(
            "{} of its registries {} to no entry, “{}” for one.",
            count(dangling.len(), "line", "lines"),
            if dangling.len() == 1 { "leads" } else { "lead" },
            first.name
        );
        let fix = Fix::new(
            Action::MendRegistry,
            "Leads them to the entry of that name, or removes them if there is none.",
        );
        found.push(Problem::new(Code::DanglingRegistryUid, Severity::Warning, says, fix));
    }
    let other = lines(Wrong::OtherEntry);
    if let Some(first) = other.first() {
        let entry = book.entries.iter().find(|entry| entry.uid == Some(first.uid));
        let says = format!(
            "{} of its registries {} to another entry: “{}” to “{}”. Auto-Recap would write one's \
             lore into the other.",
            count(other.len(), "line", "lines"),
            if other.len() == 1 { "leads" } else { "lead" },
            first.name,
            entry.map_or("", |entry| &entry.comment)
        );
        let fix = Fix::new(
            Action::MendRegistry,
            "Leads them to the entry of that name, or removes them if there is none.",
        );
        found.push(Problem::new(Code::RegistryWrongEntry, Severity::Error, says, fix));
    }
    // An entry that a line means, but misses, is cured with that line.
    let listed = |entry: &crate::audit::facts::EntryFacts| {
        book.items
            .iter()
            .any(|item| Some(item.uid) == entry.uid || registry::means(&item.name, &entry.comment))
    };
    let missing: Vec<_> = book
        .entries
        .iter()
        .filter(|entry| !entry.is_internal() && kind_in(book, &entry.comment).is_some())
        .filter(|entry| entry.uid.is_some() && !listed(entry))
        .collect();
    if let Some(first) = missing.first() {
        let says = format!(
            "{} in no registry, “{}” for one; Auto-Recap will make a second entry for it.",
            count(missing.len(), "entry is", "entries are"),
            first.comment
        );
        let fix = Fix::new(Action::Register, "Lists them in the registries of their types.");
        found.push(Problem::new(Code::UnregisteredEntry, Severity::Note, says, fix));
    }
}

/// The type in `character-Mira`, if the lorebook has a registry of it.
pub(in crate::audit) fn kind_in<'c>(book: &Book, comment: &'c str) -> Option<&'c str> {
    let (kind, name) = comment.split_once('-')?;
    (!name.is_empty() && book.registries.iter().any(|other| other == kind)).then_some(kind)
}

/// Entries that a timeline's last message cannot know.
fn future(world: &World<'_>, name: &str, book: &Book, found: &mut Vec<Problem>) {
    let [index] = world.users_of(name) else { return };
    let facts = world.chat(*index);
    let (Some(header), false) = (facts.header(), book.is_shared_on_purpose) else { return };
    if !facts.is_whole() || facts.messages == 0 {
        return;
    }
    let last = facts.messages as i64 - 1;
    // Of later messages of its own it knows because they were deleted since; and of whose messages
    // one without a name is nobody knows.
    let parent = header.main_chat.as_deref().and_then(names::chat_name);
    let is_parents = |chat: &Option<String>| {
        parent.is_some() && chat.as_deref().and_then(names::chat_name) == parent
    };
    let memories = book.entries.iter().filter(|entry| {
        entry.memory.as_ref().is_some_and(|(chat, end)| *end > last && is_parents(chat))
    });
    let mut later: Vec<_> = memories.collect();
    // What Lorefork made was made from evidence, and said how sure it is.
    if header.record.is_none() {
        let known = learnt_later(world, *index, facts, last);
        later.extend(book.entries.iter().filter(|entry| {
            let entry = entry.uid.map(|uid| (uid, name_hash(&entry.comment), entry.content));
            entry.is_some_and(|entry| known.binary_search(&entry).is_ok())
        }));
    }
    let mut uids: Vec<i64> = later.iter().filter_map(|entry| entry.uid).collect();
    uids.sort_unstable();
    uids.dedup();
    let Some(first) = later.first() else { return };
    let says = format!(
        "Its lorebook knows {} from after its last message ({last}), “{}” for one.",
        count(uids.len(), "entry", "entries"),
        first.comment
    );
    let fix = Fix::new(
        Action::Forget { uids },
        "Removes them from this timeline's lorebook, with their lines in the registries.",
    );
    found.push(Problem::new(Code::LoreFromTheFuture, Severity::Error, says, fix).of(&facts.chat));
}

/// Entries that its family learnt after this timeline ends. What a scene writes last appears only
/// in the next snapshot, so the first one after the end proves nothing yet: what is not in it, but
/// in a later one, does. With its content, because this timeline may have made one of that name and
/// number itself.
fn learnt_later(
    world: &World<'_>,
    index: usize,
    facts: &ChatFacts,
    last: i64,
) -> Vec<(i64, u64, u64)> {
    let has = |snapshot: &Vec<(i64, u64, u64)>, (uid, name, _): &(i64, u64, u64)| {
        snapshot.binary_search_by_key(&(*uid, *name), |(uid, name, _)| (*uid, *name)).is_ok()
    };
    let own = |entry: &(i64, u64, u64)| {
        let mut snapshots = facts.scenes.iter().filter_map(|scene| scene.snapshot.as_ref());
        snapshots.any(|snapshot| has(snapshot, entry))
    };
    let mut known = Vec::new();
    for relative in world.family(index).into_iter().filter(|other| *other != index) {
        let later: Vec<_> = world
            .chat(relative)
            .scenes
            .iter()
            .filter(|scene| scene.at as i64 > last)
            .filter_map(|scene| scene.snapshot.as_ref())
            .collect();
        let Some((first, rest)) = later.split_first() else { continue };
        let is_new = |entry: &&(i64, u64, u64)| !has(first, entry) && !own(entry);
        known.extend(rest.iter().flat_map(|snapshot| snapshot.iter()).filter(is_new));
    }
    known.sort_unstable();
    known.dedup();
    known
}
