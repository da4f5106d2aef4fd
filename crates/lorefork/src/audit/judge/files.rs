//! Problems of single files, and of their names.

use super::world::World;
use crate::audit::facts::First;
use crate::audit::problem::{Action, Fix, Problem};
use crate::audit::{Code, Severity};
use crate::host::Damage;
use crate::limits::{SHORTEN, is_limit};
use crate::sentence::Sentence;
use crate::sorted;
use crate::tavern::names;
use crate::tavern::place::{ChatRef, Owner, group_file};
use crate::{say, say_count};

const FROM_BACKUP: Sentence = say!(
    "Restore the chat from SillyTavern's folder “backups”, or repair the line in a text editor. \
     Lorefork never drops a line."
);

pub(super) fn judge(world: &World<'_>, problems: &mut Vec<Problem>) {
    for _ in &world.folder.unfinished {
        let says = say!("An operation of Lorefork was interrupted before it was done.");
        let fix = Fix::new(Action::Heal, say!("Finishes what was interrupted, or takes it back."));
        problems.push(Problem::new(Code::InterruptedOperation, Severity::Warning, says, fix));
    }
    lines(world, problems);
    records(world, problems);
    group_lists(world, problems);
    names_alike(world, problems);
}

fn lines(world: &World<'_>, problems: &mut Vec<Problem>) {
    for (_, facts) in world.chats() {
        if let Some(trouble) = &facts.trouble {
            let says = say!("The chat cannot be read: {0}.", trouble);
            let fix = Fix::left(say!(
                "See whether you may read the file, and whether the disk is sound."
            ));
            let problem = Problem::new(Code::CorruptLine, Severity::Error, says, fix);
            problems.push(problem.of(&facts.chat));
        }
        if facts.has_mark {
            let says = say!(
                "The file begins with a byte order mark, which makes SillyTavern lose the first \
                 message and all settings of the chat."
            );
            let fix = Fix::new(
                Action::DropMark,
                say!("Removes the byte order mark; nothing else changes."),
            );
            problems.push(
                Problem::new(Code::ByteOrderMark, Severity::Error, says, fix).of(&facts.chat),
            );
        }
        match &facts.first {
            First::NoHeader if !keeps_metadata(world, &facts.chat) => {
                let says = say!(
                    "The first line is a message, not a header; SillyTavern takes it for the \
                     header, and does not show it."
                );
                let fix = Fix::left(say!(
                    "Put the header of another chat of the same character in front of it, in a \
                     text editor, or restore the chat from SillyTavern's folder “backups”."
                ));
                problems.push(
                    Problem::new(Code::MissingHeader, Severity::Error, says, fix).of(&facts.chat),
                );
            }
            First::Damaged(_) => {
                let says = say!(
                    "Line 1, the header, is damaged: SillyTavern loses the lorebook and all \
                     settings of the chat."
                );
                let mut problem =
                    Problem::new(Code::CorruptLine, Severity::Error, says, Fix::left(FROM_BACKUP));
                problem.line = Some(1);
                problems.push(problem.of(&facts.chat));
            }
            _ => {}
        }
        for (nth, damage) in facts.damage.iter().enumerate() {
            let more = if nth + 1 == facts.damage.len() { facts.more_damage } else { 0 };
            let Damage { line, problem, .. } = damage;
            let (says, advice) = match (is_limit(problem), more) {
                (true, 0) => (say!("Line {0} cannot be read: {1}.", line, problem), SHORTEN),
                (true, _) => {
                    let more = say_count!(more, "{0} more line", "{0} more lines");
                    (
                        say!("Line {0} cannot be read: {1}. So are {2}.", line, problem, more),
                        SHORTEN,
                    )
                }
                (false, 0) => {
                    let says = say!(
                        "Line {0} is damaged ({1}). SillyTavern drops it when it opens the chat.",
                        line,
                        problem,
                    );
                    (says, FROM_BACKUP)
                }
                (false, _) => {
                    let more = say_count!(more, "{0} more line", "{0} more lines");
                    let says = say!(
                        "Line {0} is damaged ({1}). SillyTavern drops it when it opens the chat. \
                         So are {2}.",
                        line,
                        problem,
                        more,
                    );
                    (says, FROM_BACKUP)
                }
            };
            let mut problem =
                Problem::new(Code::CorruptLine, Severity::Error, says, Fix::left(advice));
            problem.line = Some(damage.line);
            problems.push(problem.of(&facts.chat).at(damage.message));
        }
    }
}

/// Up to 1.14 chats of groups have no header. Of a group that cannot be read nobody knows.
fn keeps_metadata(world: &World<'_>, chat: &ChatRef) -> bool {
    let Owner::Group(id) = &chat.owner else { return false };
    let group = world.folder.groups.iter().find(|group| group.id == *id);
    group.map_or(world.has_damaged_group(), |group| group.keeps_metadata)
}

/// Records of groups, and the settings. What follows from their damage is nobody's fault.
fn records(world: &World<'_>, problems: &mut Vec<Problem>) {
    for (id, why) in &world.folder.damaged_groups {
        let file = group_file(id);
        let says = say!(
            "The record of a group, {0}, cannot be read: {1}. SillyTavern does not show the group, \
             and nobody knows which chats are its own.",
            &file,
            why,
        );
        let fix = Fix::left(say!(
            "Repair the file in a text editor, or restore it from a backup of yours. Until then, \
             keep all chats of groups, also those that SillyTavern calls left over."
        ));
        let mut problem = Problem::new(Code::CorruptGroup, Severity::Error, says, fix);
        problem.file = Some(file);
        problems.push(problem);
    }
    if let Some(why) = &world.folder.damaged_settings {
        let says = say!(
            "SillyTavern's settings, settings.json, cannot be read: {0}. Nobody knows which \
             lorebooks act in all chats.",
            why,
        );
        let fix = Fix::left(say!(
            "Stop SillyTavern, and restore the file from its folder “backups”, where former \
             settings are kept."
        ));
        let mut problem = Problem::new(Code::CorruptSettings, Severity::Error, says, fix);
        problem.file = Some("settings.json".to_owned());
        problems.push(problem);
    }
}

fn group_lists(world: &World<'_>, problems: &mut Vec<Problem>) {
    // It may be in the list that cannot be read.
    if world.has_damaged_group() {
        return;
    }
    for (_, facts) in world.chats() {
        if facts.chat.owner != Owner::Group(String::new()) {
            continue;
        }
        let says = say!("No group lists this chat; SillyTavern offers such files for deletion.");
        let parent = facts.header().and_then(|header| header.main_chat.as_deref());
        let parent = parent.and_then(names::chat_name);
        let owner = world.folder.groups.iter().find(|group| {
            group.chats.iter().any(|chat| parent.is_some() && names::chat_name(chat) == parent)
        });
        let fix = match owner {
            _ if !names::is_chat_name(&facts.chat.name) => Fix::left(say!(
                "SillyTavern cannot open a chat of this name, so no group can list it. Give the \
                 file another name, without signs that file names must not have."
            )),
            Some(group) => Fix::new(
                Action::List { group: group.id.clone() },
                say!("Lists it in the group “{0}”, which has its parent.", &group.name),
            ),
            None => Fix::left(say!(
                "Nothing says which group it belongs to. In SillyTavern, import it into the right \
                 group."
            )),
        };
        problems.push(
            Problem::new(Code::UnlistedGroupChat, Severity::Warning, says, fix).of(&facts.chat),
        );
    }
}

fn names_alike(world: &World<'_>, problems: &mut Vec<Problem>) {
    const RENAME: Sentence = say!("Rename one of them in SillyTavern.");
    let mut chats: Vec<(String, usize)> =
        world.chats().map(|(index, facts)| (facts.chat.file().to_lowercase(), index)).collect();
    sorted::sort(&mut chats);
    for pair in chats.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let (one, other) = (world.chat(pair[0].1), world.chat(pair[1].1));
        let says = say!(
            "This chat and “{0}” differ only in capital letters; on Windows and macOS they would \
             be one file.",
            &other.chat.name,
        );
        let problem = Problem::new(Code::NameCollision, Severity::Note, says, Fix::left(RENAME));
        problems.push(problem.of(&one.chat));
    }
    let mut books: Vec<(String, &str)> = world
        .folder
        .lorebooks
        .iter()
        .map(|facts| (facts.name.to_lowercase(), facts.name.as_str()))
        .collect();
    sorted::sort(&mut books);
    for pair in books.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let says = say!(
            "This lorebook and “{0}” differ only in capital letters; on Windows and macOS they \
             would be one file.",
            &pair[1].1,
        );
        let problem = Problem::new(Code::NameCollision, Severity::Note, says, Fix::left(RENAME));
        problems.push(problem.in_book(pair[0].1));
    }
    let mut listed: Vec<(String, &str, &str)> = Vec::new();
    for group in &world.folder.groups {
        for chat in &group.chats {
            listed.push((names::chat_file(chat), chat, &group.name));
        }
    }
    sorted::sort(&mut listed);
    for pair in listed.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let says = say!(
            "“{0}” of the group “{1}” and “{2}” of the group “{3}” are one file; deleting one \
             group deletes the other's chat.",
            &pair[0].1,
            &pair[0].2,
            &pair[1].1,
            &pair[1].2,
        );
        let fix = Fix::left(say!(
            "In SillyTavern, open the chat in one of the groups, save it under another name (a \
             checkpoint of its last message), and delete it from that group's list."
        ));
        let mut problem = Problem::new(Code::NameCollision, Severity::Warning, says, fix);
        let name = pair[0].0.strip_suffix(".jsonl");
        let chat = world.chats().find(|(_, facts)| {
            matches!(facts.chat.owner, Owner::Group(_)) && Some(facts.chat.name.as_str()) == name
        });
        problem.chat = chat.map(|(_, facts)| facts.chat.clone());
        problems.push(problem);
    }
}
