//! Problems inside a lorebook: entries, registries, the work queue, and what it cannot know yet.

use super::world::World;
use crate::audit::facts::{Book, ChatFacts, OperationFacts, name_hash};
use crate::audit::problem::{Action, Fix, Problem};
use crate::audit::{Code, Severity};
use crate::memory::entries::plain_name;
use crate::memory::queues;
use crate::memory::registries::{self, Item};
use crate::sentence::Sentence;
use crate::sorted;
use crate::tavern::names;
use crate::{say, say_count};

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

fn corrupt(world: &World<'_>, name: &str, why: &Sentence) -> Problem {
    let says = say!("The lorebook cannot be read: {0}.", why);
    let has_snapshot =
        |chat: &&usize| world.chat(**chat).scenes.iter().any(|scene| scene.has_snapshot);
    let users = world.users_of(name);
    let fix = match users.iter().find(has_snapshot) {
        Some(chat) if users.len() == 1 && !world.may_have_more_users(name) => Fix::new(
            Action::Rebuild { from: world.chat(*chat).chat.clone() },
            say!(
                "Rebuilds the lorebook from the newest snapshot in its chat; the damaged file is \
                 kept."
            ),
        ),
        _ => Fix::left(say!(
            "Restore the file from a backup of yours, or repair it in a text editor: SillyTavern \
             keeps no copies of lorebooks."
        )),
    };
    let mut problem = Problem::new(Code::CorruptLorebook, Severity::Error, says, fix).in_book(name);
    problem.chat = users.first().map(|chat| world.chat(*chat).chat.clone());
    problem
}

fn entries(book: &Book, found: &mut Vec<Problem>) {
    let wrong: Vec<_> = book.entries.iter().filter(|entry| !entry.is_in_place).collect();
    let Some(first) = wrong.first() else { return };
    let says = say_count!(
        wrong.len(),
        "{0} entry stands under a number that is not its own, “{1}” for one; SillyTavern may \
         change or delete another entry instead.",
        "{0} entries stand under numbers that are not their own, “{1}” for one; SillyTavern may \
         change or delete another entry instead.",
        &first.comment,
    );
    let fix = Fix::new(Action::Rekey, say!("Puts each entry under its own number."));
    found.push(Problem::new(Code::UidKeyMismatch, Severity::Warning, says, fix));
}

fn queue(world: &World<'_>, name: &str, book: &Book, found: &mut Vec<Problem>) {
    if book.queues.len() > 1 {
        let says = say!(
            "It has {0} work queues; {1} uses the first.",
            book.queues.len(),
            queues::keeper()
        );
        let fix =
            Fix::new(Action::OneQueue, say!("Keeps the first work queue and removes the others."));
        found.push(Problem::new(Code::DuplicateQueue, Severity::Warning, says, fix));
    }
    let Some(queue) = book.queues.first() else { return };
    if !queue.is_readable {
        let says = say!(
            "Its work queue cannot be read; whatever {0} still had to do is lost, and forks are \
             refused.",
            queues::keeper()
        );
        let fix = Fix::new(Action::EmptyQueue, say!("Makes the work queue an empty one."));
        found.push(Problem::new(Code::QueueUnreadable, Severity::Error, says, fix));
    }
    let foreign =
        queue.operations.iter().filter(|operation| is_foreign(world, name, operation)).count();
    if foreign > 0 {
        let says = say_count!(
            foreign,
            "{0} operation waits in its work queue about messages or lorebooks that this timeline \
             does not have.",
            "{0} operations wait in its work queue about messages or lorebooks that this timeline \
             does not have.",
        );
        let fix =
            Fix::new(Action::DropOperations, say!("Removes these operations from the work queue."));
        found.push(Problem::new(Code::QueueForeignOperation, Severity::Warning, says, fix));
    }
    let astray = queue.operations.iter().filter(|operation| {
        !is_foreign(world, name, operation) && other_book(name, operation).is_some()
    });
    let astray = astray.count();
    if astray > 0 {
        let says = say_count!(
            astray,
            "{0} operation waits in its work queue for a lorebook that does not exist: its own \
             former name, if it was renamed.",
            "{0} operations wait in its work queue for a lorebook that does not exist: its own \
             former name, if it was renamed.",
        );
        let fix = Fix::new(
            Action::NameOperations,
            say!("Writes this lorebook's name into these operations."),
        );
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

/// `by_uid`: places of the entries.
fn wrong(book: &Book, by_uid: &[usize], item: &Item) -> Option<Wrong> {
    let found = sorted::at(by_uid, &book.entries, |entry| entry.uid, &Some(item.uid));
    if found.is_empty() {
        return Some(Wrong::Dangling);
    }
    let mut entries = found.iter().map(|place| &book.entries[*place]);
    let is_it =
        entries.any(|entry| !entry.is_internal() && registries::means(&item.name, &entry.comment));
    (!plain_name(&item.name).is_empty() && !is_it).then_some(Wrong::OtherEntry)
}

fn registries(book: &Book, found: &mut Vec<Problem>) {
    let by_uid = sorted::places(&book.entries, |entry| entry.uid);
    let lines = |what: Wrong| -> Vec<&Item> {
        book.items.iter().filter(|item| wrong(book, &by_uid, item) == Some(what)).collect()
    };
    let dangling = lines(Wrong::Dangling);
    if let Some(first) = dangling.first() {
        let says = say_count!(
            dangling.len(),
            "{0} line of its registries leads to no entry, “{1}” for one.",
            "{0} lines of its registries lead to no entry, “{1}” for one.",
            &first.name,
        );
        let fix = Fix::new(
            Action::MendRegistry,
            say!(
                "Leads these lines of the registry to the entry of that name, or removes them if \
                 there is none."
            ),
        );
        found.push(Problem::new(Code::DanglingRegistryUid, Severity::Warning, says, fix));
    }
    let other = lines(Wrong::OtherEntry);
    if let Some(first) = other.first() {
        let entry = book.entries.iter().find(|entry| entry.uid == Some(first.uid));
        let says = say_count!(
            other.len(),
            "{0} line of its registries leads to another entry: “{1}” to “{2}”. {3} would write \
             one's lore into the other.",
            "{0} lines of its registries lead to another entry: “{1}” to “{2}”. {3} would write \
             one's lore into the other.",
            &first.name,
            entry.map_or("", |entry| &entry.comment),
            registries::keeper()
        );
        let fix = Fix::new(
            Action::MendRegistry,
            say!(
                "Leads these lines of the registry to the entry of that name, or removes them if \
                 there is none."
            ),
        );
        found.push(Problem::new(Code::RegistryWrongEntry, Severity::Error, says, fix));
    }
    // An entry that a line means, but misses, is cured with that line.
    let mut uids: Vec<Option<i64>> = book.items.iter().map(|item| Some(item.uid)).collect();
    let mut names: Vec<String> =
        book.items.iter().map(|item| plain_name(item.name.trim())).collect();
    sorted::sort(&mut uids);
    sorted::sort(&mut names);
    let listed = |entry: &crate::audit::facts::EntryFacts| {
        uids.binary_search(&entry.uid).is_ok()
            || registries::names_of(&entry.comment)
                .iter()
                .any(|name| names.binary_search(name).is_ok())
    };
    let missing: Vec<_> = book
        .entries
        .iter()
        .filter(|entry| !entry.is_internal() && kind_in(book, &entry.comment).is_some())
        .filter(|entry| entry.uid.is_some() && !listed(entry))
        .collect();
    if let Some(first) = missing.first() {
        let says = say_count!(
            missing.len(),
            "{0} entry is in no registry, “{1}” for one; {2} will make a second entry for it.",
            "{0} entries are in no registry, “{1}” for one; {2} will make a second entry for it.",
            &first.comment,
            registries::keeper()
        );
        let fix = Fix::new(
            Action::Register,
            say!("Lists these entries in the registries of their types."),
        );
        found.push(Problem::new(Code::UnregisteredEntry, Severity::Note, says, fix));
    }
}

/// The type in `character-Mira`, if the lorebook has a registry of it.
pub(in crate::audit) fn kind_in<'c>(book: &Book, comment: &'c str) -> Option<&'c str> {
    let (kind, name) = comment.split_once('-')?;
    (!name.is_empty() && book.registries.iter().any(|other| other == kind)).then_some(kind)
}

/// Entries of a fork that only its parent's story can have written, after they parted. Numbers of
/// messages mean something in their own chat alone, so all of it hangs on the message where they
/// part; what is not proved is not said.
fn future(world: &World<'_>, name: &str, book: &Book, found: &mut Vec<Problem>) {
    let [index] = world.users_of(name) else { return };
    let facts = world.chat(*index);
    let (Some(header), false) = (facts.header(), book.is_shared_on_purpose) else { return };
    let Some((parent, parting)) = world.parting(*index) else { return };
    // Of whose messages a memory without a chat's name is nobody knows.
    let is_parents = |chat: &Option<String>| {
        chat.as_deref().and_then(names::chat_name).as_ref() == Some(&parent.chat.name)
    };
    let memories = book.entries.iter().filter(|entry| {
        let is_later = |end: i64| usize::try_from(end).is_ok_and(|end| end > parting);
        entry.memory.as_ref().is_some_and(|(chat, end)| is_later(*end) && is_parents(chat))
    });
    let mut later: Vec<_> = memories.collect();
    // What Lorefork made was made from evidence, and said how sure it is.
    if header.record.is_none() {
        let written = written_later(parent, parting, facts);
        later.extend(book.entries.iter().filter(|entry| {
            written.binary_search(&(name_hash(&entry.comment), entry.content)).is_ok()
        }));
    }
    let mut uids: Vec<i64> = later.iter().filter_map(|entry| entry.uid).collect();
    sorted::sort(&mut uids);
    uids.dedup();
    let Some(first) = later.first() else { return };
    let says = say_count!(
        uids.len(),
        "Its lorebook knows {0} entry of what “{1}” told after message {2}, where they part, “{3}” \
         for one.",
        "Its lorebook knows {0} entries of what “{1}” told after message {2}, where they part, \
         “{3}” for one.",
        &parent.chat.name,
        &parting,
        &first.comment,
    );
    let fix = Fix::new(
        Action::Forget { uids },
        say!(
            "Removes these entries from this timeline's lorebook, with their lines in the \
             registries."
        ),
    );
    found.push(Problem::new(Code::LoreFromTheFuture, Severity::Error, says, fix).of(&facts.chat));
}

/// Name and text of what the parent's scenes after the parting say they wrote, if no scene before it
/// and none of the timeline itself says so, too. That an entry first shows in a later snapshot would
/// prove nothing: while they shared a lorebook, a hand in either may have written it.
fn written_later(parent: &ChatFacts, parting: usize, own: &ChatFacts) -> Vec<(u64, u64)> {
    let shared = parent.scenes.iter().filter(|scene| scene.at <= parting).chain(&own.scenes);
    let shared: Vec<(u64, u64)> = shared.flat_map(|scene| scene.wrote.iter().copied()).collect();
    let later = parent.scenes.iter().filter(|scene| scene.at > parting);
    let mut written: Vec<(u64, u64)> = later
        .flat_map(|scene| scene.wrote.iter().copied())
        .filter(|wrote| !shared.contains(wrote))
        .collect();
    sorted::sort(&mut written);
    written
}
