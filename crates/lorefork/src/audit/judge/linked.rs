//! How timelines refer to each other: parents, links, maps, records, slugs.

use super::world::World;
use crate::audit::facts::{ChatFacts, HeaderFacts, Mark};
use crate::audit::problem::{Action, Fix, Problem};
use crate::audit::{Code, Severity};
use crate::sentence::Sentence;
use crate::sorted;
use crate::tavern::names;
use crate::{say, say_count};

pub(super) fn judge(world: &World<'_>, problems: &mut Vec<Problem>) {
    for (index, facts, header) in world.headers() {
        let mut found = Vec::new();
        parent(world, index, header, &mut found);
        record(world, index, header, &mut found);
        unlinked(world, index, header, &mut found);
        map(world, index, header, &mut found);
        problems.extend(found.into_iter().map(|problem| problem.of(&facts.chat)));
    }
    let untold = untold(world);
    for (index, facts) in world.chats() {
        for (place, mark) in facts.links.iter().enumerate() {
            let found = match untold.iter().find(|one| (one.chat, one.mark) == (index, place)) {
                Some(one) => Some(forgotten(mark).in_book(&one.book)),
                None => dead(world, index, mark),
            };
            problems.extend(found.map(|problem| problem.of(&facts.chat).at(mark.at)));
        }
    }
    slugs(world, problems);
}

/// The one link, of all to a timeline that is gone, with which it would be forgotten.
struct Untold {
    chat: usize,
    /// Which of the chat's links.
    mark: usize,
    book: String,
}

/// Messages that lead to a timeline that is gone and left no tombstone, in a chat whose lorebook it had
/// as well, as SillyTavern makes them: only where scenes are recorded, so that what it wrote could be
/// told.
fn untold(world: &World<'_>) -> Vec<Untold> {
    let mut untold: Vec<Untold> = Vec::new();
    let mut told: Vec<(String, &str)> = Vec::new();
    for (index, facts, header) in world.headers() {
        let Some(book) = header.lorebook.as_deref().and_then(names::lorebook_name) else {
            continue;
        };
        let is_recorded = world.book(&book).is_some_and(|book| !book.registries.is_empty());
        if !is_recorded || world.is_shared_on_purpose(&book) {
            continue;
        }
        for (place, mark) in facts.links.iter().enumerate() {
            let has_own = header.map.iter().any(|(name, _)| *name == mark.name);
            let key = (book.clone(), mark.name.as_str());
            if has_own || told.contains(&key) || !is_gone(world, index, mark) {
                continue;
            }
            let is_told = |chat: usize| {
                let header = world.chat(chat).header();
                header.is_some_and(|header| header.gone.contains(&mark.name))
            };
            if world.family(index).into_iter().any(is_told) {
                continue;
            }
            told.push(key);
            untold.push(Untold { chat: index, mark: place, book: book.clone() });
        }
    }
    untold
}

fn forgotten(mark: &Mark) -> Problem {
    let says = say!(
        "Message {0} leads to “{1}”, which is gone and left nothing that tells what it was: what it \
         may have written into this lorebook can be taken for this story's own.",
        &mark.at,
        &mark.name,
    );
    let fix = Fix::new(
        Action::Remember { chat: mark.name.clone() },
        say!(
            "Remembers that it was, and removes the link. What nobody can be shown to have written \
             is then said to be undecided."
        ),
    );
    let severity = if mark.is_checkpoint { Severity::Warning } else { Severity::Note };
    Problem::new(Code::MissingTombstone, severity, says, fix)
}

/// Whether a link leads to a timeline that is not there, and under no other name.
fn is_gone(world: &World<'_>, index: usize, mark: &Mark) -> bool {
    !world.exists(&world.chat(index).chat.owner, &mark.name) && now(world, index, mark).is_none()
}

const CANNOT_BE_OPENED: Sentence = say!(
    "SillyTavern cannot open a chat of this name, so nothing can lead there. Give the file another \
     name, without signs that file names must not have."
);

fn parent(world: &World<'_>, index: usize, header: &HeaderFacts, found: &mut Vec<Problem>) {
    let facts = world.chat(index);
    let Some(name) = &header.main_chat else { return };
    let is_right = match world.find(&facts.chat.owner, name) {
        Some(named) => world.parent(index) == Some(named),
        None => world.exists(&facts.chat.owner, name),
    };
    if is_right {
        return;
    }
    let (says, fix) = match world.parent(index) {
        Some(parent) => {
            let now = &world.chat(parent).chat.name;
            let fix = if names::is_chat_name(now) {
                Fix::new(
                    Action::Parent { name: Some(now.clone()) },
                    say!("Writes the new name of its parent into the chat."),
                )
            } else {
                Fix::left(CANNOT_BE_OPENED)
            };
            (say!("Its parent “{0}” is called “{1}” now.", name, now), fix)
        }
        None => (
            say!("Its parent “{0}” does not exist any more; “back to parent” leads nowhere.", name),
            Fix::new(
                Action::Parent { name: None },
                say!("Makes it a chat of its own, without a parent."),
            ),
        ),
    };
    found.push(Problem::new(Code::MissingParent, Severity::Warning, says, fix));
}

/// A checkpoint or branch with a lorebook of its own that Lorefork knows nothing of.
fn record(world: &World<'_>, index: usize, header: &HeaderFacts, found: &mut Vec<Problem>) {
    if header.id.is_some() || world.is_shared_in_family(index) {
        return;
    }
    let has_book = header.lorebook.as_ref().is_some_and(|book| {
        names::lorebook_name(book).is_some_and(|book| world.book(&book).is_some())
    });
    let says = if header.is_copied {
        say!("It carries the record of another timeline, from which its metadata was copied.")
    } else if header.main_chat.is_some() && has_book && header.record.is_none() {
        say!("Lorefork did not make this timeline: nothing records which lorebook is its own.")
    } else {
        return;
    };
    let fix = Fix::new(
        Action::Record,
        say!("Records what it is, and the lorebook it has now as its own."),
    );
    found.push(Problem::new(Code::LegacyTimeline, Severity::Note, says, fix));
}

fn unlinked(world: &World<'_>, index: usize, header: &HeaderFacts, found: &mut Vec<Problem>) {
    let Some(record) = header.record.as_ref().filter(|record| !record.is_main) else { return };
    // Without an id it was not forked by us, so nobody knows at which message.
    if record.is_unlinked || record.parent.as_ref().is_none_or(|parent| parent.id.is_none()) {
        return;
    }
    let Some(parent) = world.parent(index).map(|parent| world.chat(parent)) else { return };
    if !parent.is_whole() || record.at >= parent.messages || links_to(parent, world.chat(index)) {
        return;
    }
    let is_replaced = record.is_checkpoint
        && parent.links.iter().any(|mark| mark.is_checkpoint && mark.at == record.at);
    if is_replaced {
        return;
    }
    let says = say!(
        "Message {0} of its parent “{1}” does not link to it, so SillyTavern does not show it \
         there.",
        &record.at,
        &parent.chat.name,
    );
    let fix = if names::is_chat_name(&world.chat(index).chat.name) {
        Fix::new(Action::Link, say!("Links the message it was made from to this chat again."))
    } else {
        Fix::left(CANNOT_BE_OPENED)
    };
    found.push(Problem::new(Code::UnlinkedTimeline, Severity::Note, says, fix));
}

fn links_to(parent: &ChatFacts, child: &ChatFacts) -> bool {
    parent
        .links
        .iter()
        .any(|mark| names::chat_name(&mark.name).as_deref() == Some(&child.chat.name))
}

/// A timeline of ours and its lorebook, as its parent's map should have it.
pub(super) fn belongs_in_map(
    world: &World<'_>,
    parent: usize,
    child: usize,
) -> Option<(String, String)> {
    let header = world.chat(child).header()?;
    let record = header.record.as_ref()?;
    let is_own = world.parent(child) == Some(parent)
        && !record.is_main
        && !record.is_unlinked
        && !record.is_shared;
    let name = world.chat(child).chat.name.clone();
    let lorebook = header.lorebook.clone()?;
    (is_own && links_to(world.chat(parent), world.chat(child))).then_some((name, lorebook))
}

fn map(world: &World<'_>, index: usize, header: &HeaderFacts, found: &mut Vec<Problem>) {
    let facts = world.chat(index);
    let is_wrong = |(name, book): &&(String, String)| {
        let Some(child) = world.find(&facts.chat.owner, name) else { return true };
        // What a damaged timeline would say is not known.
        let Some(header) = world.chat(child).header() else {
            return !world.chat(child).is_header_lost();
        };
        let named = header.lorebook.as_ref();
        world.parent(child) != Some(index)
            || !named.is_some_and(|named| names::same_lorebook(named, book))
    };
    let wrong: Vec<_> = header.map.iter().filter(is_wrong).collect();
    // Only what was forked by us was ever entered; a timeline that was isolated later need not be.
    let is_forked = |child: &usize| {
        let record = world.chat(*child).header().and_then(|header| header.record.as_ref());
        record.and_then(|record| record.parent.as_ref()).is_some_and(|parent| parent.id.is_some())
    };
    let missing: Vec<_> = world
        .family(index)
        .into_iter()
        .filter(is_forked)
        .filter_map(|child| belongs_in_map(world, index, child))
        .filter(|(name, _)| !header.map.iter().any(|(other, _)| other == name))
        .collect();
    let first =
        wrong.first().map(|(name, _)| name).or_else(|| missing.first().map(|(name, _)| name));
    let Some(first) = first else { return };
    let says = say_count!(
        wrong.len() + missing.len(),
        "Its list of checkpoints and their lorebooks is not right in {0} place, “{1}” for one.",
        "Its list of checkpoints and their lorebooks is not right in {0} places, “{1}” for one.",
        first,
    );
    let fix = Fix::new(
        Action::RebuildMap,
        say!("Makes the list of timelines and lorebooks anew from what the timelines say."),
    );
    found.push(Problem::new(Code::StaleMapping, Severity::Note, says, fix));
}

fn dead(world: &World<'_>, index: usize, mark: &Mark) -> Option<Problem> {
    let facts = world.chat(index);
    if world.exists(&facts.chat.owner, &mark.name) {
        return None;
    }
    let to = now(world, index, mark);
    let (code, severity) = if mark.is_checkpoint {
        (Code::DeadCheckpointLink, Severity::Warning)
    } else {
        (Code::DeadBranchLink, Severity::Note)
    };
    let (at, name) = (mark.at, &mark.name);
    let says = match (&to, mark.is_checkpoint) {
        (Some(now), true) => say!(
            "Message {0} links to the checkpoint “{1}”, which is called “{2}” now.",
            at,
            name,
            now,
        ),
        (Some(now), false) => {
            say!("Message {0} links to the branch “{1}”, which is called “{2}” now.", at, name, now)
        }
        (None, true) => {
            say!("Message {0} links to the checkpoint “{1}”, which does not exist.", at, name)
        }
        (None, false) => {
            say!("Message {0} links to the branch “{1}”, which does not exist.", at, name)
        }
    };
    let does = if to.is_some() {
        say!("Links to it under its new name.")
    } else {
        say!("Removes the link.")
    };
    let fix = Fix::new(Action::Relink { to, from: mark.name.clone() }, does);
    Some(Problem::new(code, severity, says, fix))
}

/// What a timeline is called that a link leads to by another name.
fn now(world: &World<'_>, index: usize, mark: &Mark) -> Option<String> {
    let renamed = world.headers().find(|(child, other, header)| {
        header.record.as_ref().is_some_and(|record| {
            record.at == mark.at && record.is_checkpoint == mark.is_checkpoint && !record.is_main
        }) && world.parent(*child) == Some(index)
            && !links_to(world.chat(index), other)
    });
    renamed.map(|(_, other, _)| other.chat.name.clone())
}

fn slugs(world: &World<'_>, problems: &mut Vec<Problem>) {
    let mut all: Vec<(&str, usize)> = world
        .headers()
        .filter_map(|(index, _, header)| Some((header.slug.as_deref()?, index)))
        .collect();
    sorted::sort(&mut all);
    for same in all.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
        let mut chats: Vec<usize> = same.iter().map(|(_, chat)| *chat).collect();
        sorted::by_key(&mut chats, |chat| (world.depth(*chat), *chat));
        let says = say!(
            "{0} chats have one and the same slug, so SillyTavern cannot tell when a tab saves one \
             of them over another.",
            chats.len(),
        );
        let fix = Fix::new(
            Action::NewSlug,
            say!("Gives each of these chats but the first a slug of its own."),
        );
        let mut problem = Problem::new(Code::SharedSlug, Severity::Warning, says, fix)
            .of(&world.chat(chats[0]).chat);
        problem.others = chats[1..].iter().map(|chat| world.chat(*chat).chat.clone()).collect();
        problems.push(problem);
    }
}
