//! Which timeline uses which lorebook: shared, missing, not the recorded one, orphaned.

use super::world::{World, book_file};
use crate::audit::facts::ChatFacts;
use crate::audit::problem::{Action, Fix, Problem};
use crate::audit::{Code, Severity};
use crate::choice::Choice;
use crate::sentence::Sentence;
use crate::sorted;
use crate::tavern::names;
use crate::{say, say_count};

pub(super) fn judge(world: &World<'_>, problems: &mut Vec<Problem>) {
    for (book, _) in world.books() {
        shared(world, book, problems);
        left(world, book, problems);
    }
    for (index, facts, header) in world.headers() {
        let Some(book) = book_file(header) else { continue };
        if world.facts_of(&book).is_none() {
            let says = say!(
                "Its lorebook “{0}” does not exist; SillyTavern goes on with an empty one and says \
                 nothing.",
                &book,
            );
            let keeps_name = keeps_name(world, index, &book);
            let fix = Fix::new(
                Action::Missing { keeps_name },
                if keeps_name {
                    say!("Rebuilds the lorebook from what was recorded.")
                } else {
                    say!(
                        "Other chats name it, too, so this one gets a new lorebook of its own, \
                         from what was recorded."
                    )
                },
            )
            .or(Choice::Missing(&["parent", "empty", "detach", "leave"]));
            let problem = Problem::new(Code::MissingLorebook, Severity::Error, says, fix);
            problems.push(problem.of(&facts.chat).in_book(&book));
            continue;
        }
        mismatch(world, index, &book, problems);
        also_global(world, index, &book, problems);
    }
    orphans(world, problems);
}

/// Whether a chat gets a missing lorebook back under its name: the main one of those that name it,
/// or one that shares it on purpose. What one chat recorded is not the lore of another.
fn keeps_name(world: &World<'_>, chat: usize, book: &str) -> bool {
    let sharing = world.sharing(book);
    let first = sharing.iter().copied().min_by_key(|other| (world.depth(*other), *other));
    first == Some(chat) || !sharing.contains(&chat)
}

fn shared(world: &World<'_>, book: &str, problems: &mut Vec<Problem>) {
    let sharing = world.sharing(book);
    // Whether it is shared on purpose stands in the lorebook.
    if sharing.len() < 2 || world.is_shared_on_purpose(book) || world.book(book).is_none() {
        return;
    }
    let mut families: Vec<usize> = sharing.iter().map(|chat| world.root(*chat)).collect();
    sorted::sort(&mut families);
    families.dedup();
    for family in &families {
        let mut members: Vec<usize> =
            sharing.iter().copied().filter(|chat| world.root(*chat) == *family).collect();
        if members.len() < 2 {
            continue;
        }
        sorted::by_key(&mut members, |chat| (world.depth(*chat), *chat));
        let others: Vec<_> =
            members[1..].iter().map(|chat| world.chat(*chat).chat.clone()).collect();
        let says = say!(
            "{0} timelines of this family use one lorebook: what happens in one is remembered in \
             all.",
            members.len(),
        );
        let chats = members.iter().map(|chat| world.chat(*chat).chat.clone()).collect();
        let fix = Fix::new(
            Action::Untangle { chats },
            say!(
                "Untangles it: each timeline gets its own lorebook with what its own story wrote; \
                 this one keeps the name."
            ),
        );
        let mut problem = Problem::new(Code::SharedLorebook, Severity::Error, says, fix)
            .of(&world.chat(members[0]).chat)
            .in_book(book);
        problem.others = others;
        problems.push(problem);
    }
    if families.len() > 1 {
        let mut firsts: Vec<usize> = families
            .iter()
            .filter_map(|family| sharing.iter().copied().find(|chat| world.root(*chat) == *family))
            .collect();
        sorted::sort(&mut firsts);
        let says = say!(
            "{0} chats that have nothing to do with each other use this lorebook. Is that meant?",
            firsts.len(),
        );
        let fix = Fix::left(say!(
            "If it is, mark the lorebook as shared on purpose. If not, give a chat its own."
        ))
        .or(Choice::Share)
        .or(Choice::Isolate);
        let mut problem = Problem::new(Code::SharedLorebook, Severity::Note, says, fix)
            .of(&world.chat(firsts[0]).chat)
            .in_book(book);
        problem.others = firsts[1..].iter().map(|chat| world.chat(*chat).chat.clone()).collect();
        problems.push(problem);
    }
}

/// A lorebook that only one chat of its family uses any more. Who left it for a lorebook of its own
/// left behind what it had written.
fn left(world: &World<'_>, book: &str, problems: &mut Vec<Problem>) {
    let sharing = world.sharing(book);
    let ([chat], Some(facts)) = (sharing.as_slice(), world.book(book)) else { return };
    let is_former = |other: &usize| {
        let Some(header) = world.chat(*other).header() else { return false };
        let Some((name, until)) = &header.left else { return false };
        let last = header.record.as_ref().map(|record| record.at);
        // It went no further than where it was forked off, so it had nothing to write.
        let has_gone_on = world.linked_at(*other).is_none_or(|linked| last > Some(linked));
        has_gone_on
            && names::same_lorebook(name, book)
            && facts.apart.is_none_or(|apart| apart < *until)
    };
    let family = world.family(*chat).into_iter().filter(|other| other != chat);
    let former: Vec<usize> = family.filter(is_former).collect();
    let Some(first) = former.first().filter(|_| !facts.is_shared_on_purpose) else { return };
    let says = if former.len() == 1 {
        let name = &world.chat(*first).chat.name;
        say!(
            "“{0}” used this lorebook, too, until it got its own: what it wrote until then is \
             still remembered here.",
            name,
        )
    } else {
        say!(
            "{0} other timelines used this lorebook, too, until they got their own: what they \
             wrote until then is still remembered here.",
            former.len(),
        )
    };
    let fix = Fix::new(
        Action::Untangle { chats: vec![world.chat(*chat).chat.clone()] },
        say!(
            "Untangles it: what is recorded as another timeline's goes; what nobody can tell \
             stays, and is marked."
        ),
    );
    let mut problem = Problem::new(Code::SharedLorebook, Severity::Warning, says, fix)
        .of(&world.chat(*chat).chat)
        .in_book(book);
    problem.others = former.iter().map(|other| world.chat(*other).chat.clone()).collect();
    problems.push(problem);
}

fn mismatch(world: &World<'_>, index: usize, book: &str, problems: &mut Vec<Problem>) {
    let facts = world.chat(index);
    let Some(record) = facts.header().and_then(|header| header.record.as_ref()) else { return };
    let Some(recorded) = &record.lorebook else { return };
    if names::same_lorebook(recorded, book) {
        return;
    }
    let says = say!("It was made with the lorebook “{0}”, and now names “{1}”.", recorded, book);
    let file = names::lorebook_name(recorded).unwrap_or_default();
    let is_free = world.facts_of(&file).is_some() && world.users_of(&file).is_empty();
    let fix = if is_free {
        Fix::new(
            Action::Bind { lorebook: file },
            say!("Names “{0}” again, which is still there.", recorded),
        )
    } else {
        Fix::new(Action::Record, say!("Records the lorebook it names now as its own."))
    };
    let problem = Problem::new(Code::LorebookMismatch, Severity::Warning, says, fix);
    problems.push(problem.of(&facts.chat).in_book(book));
}

/// Only where there are several timelines: a single chat loses nothing by it.
fn also_global(world: &World<'_>, index: usize, book: &str, problems: &mut Vec<Problem>) {
    let facts = world.chat(index);
    let may_be_meant = world.is_shared_on_purpose(book) || world.is_damaged(book);
    if world.family(index).len() < 2 || may_be_meant {
        return;
    }
    let record = facts.header().and_then(|header| header.record.as_ref());
    let of = record.filter(|record| !record.is_shared).and_then(|record| record.of.as_deref());
    for (name, is_own) in [(Some(book), true), (of.filter(|of| *of != book), false)] {
        let Some(name) = name else { continue };
        let links = world.links_of(name, &facts.chat.owner);
        let Some(link) = links.first().map(|link| Sentence::from(*link)) else { continue };
        let says = if is_own {
            say!("Its lorebook acts in other chats, too: {0}.", link)
        } else {
            say!("“{0}”, of which its lorebook was made, acts beside it: {1}.", name, link)
        };
        let fix = Fix::left(say!(
            "Take it out there, in SillyTavern. Lorefork does not change settings or characters: \
             an open tab would write them back."
        ));
        let problem = Problem::new(Code::LorebookAlsoGlobal, Severity::Warning, says, fix);
        problems.push(problem.of(&facts.chat).in_book(name));
    }
}

/// Lorebooks that were made for a chat, by Lorefork or Auto-Recap, and that nothing names. What
/// people wrote by hand may wait for its day unattached.
fn orphans(world: &World<'_>, problems: &mut Vec<Problem>) {
    // What cannot be read may name any of them.
    let folder = world.folder;
    let is_unknown = folder.damaged_settings.is_some()
        || world.has_damaged_group()
        || folder.groups.iter().any(|group| group.keeps_metadata)
        || folder.chats.iter().any(ChatFacts::is_header_lost);
    if is_unknown {
        return;
    }
    for facts in &world.folder.lorebooks {
        let Ok(book) = &facts.book else { continue };
        let is_made = book.is_ours || !book.registries.is_empty() || !book.queues.is_empty();
        if !is_made || book.is_shared_on_purpose || is_named(world, &facts.name) {
            continue;
        }
        let says = say_count!(
            book.entries.len(),
            "No chat uses this lorebook of {0} entry, and nothing else names it.",
            "No chat uses this lorebook of {0} entries, and nothing else names it.",
        );
        let fix = Fix::left(say!(
            "Such lorebooks can be moved to the trash, once they have not been touched for a week."
        ))
        .or(Choice::Sweep);
        let problem = Problem::new(Code::OrphanedLorebook, Severity::Note, says, fix);
        problems.push(problem.in_book(&facts.name));
    }
}

fn is_named(world: &World<'_>, book: &str) -> bool {
    let same = |name: &String| names::same_lorebook(name, book);
    !world.users_of(book).is_empty()
        || world.folder.links.iter().any(|linked| same(&linked.name))
        || world.headers().any(|(_, _, header)| {
            let recorded = header.record.as_ref().and_then(|record| record.lorebook.as_ref());
            header.other_books.iter().any(same) || recorded.is_some_and(same)
        })
}
