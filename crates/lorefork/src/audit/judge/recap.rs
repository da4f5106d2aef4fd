//! Problems of Auto-Recap's data in a chat's metadata.

use super::world::{World, book_file};
use crate::audit::facts::{ChatFacts, HeaderFacts};
use crate::audit::problem::{Action, Fix, Problem};
use crate::audit::{Code, Severity};
use crate::memory::entries::plain_name;
use crate::memory::{registries, running};
use crate::sorted;
use crate::tavern::names;
use crate::{say, say_count};

pub(super) fn judge(world: &World<'_>, problems: &mut Vec<Problem>) {
    for (_, facts, header) in world.headers() {
        let mut found = Vec::new();
        running(facts, header, &mut found);
        combined(facts, header, &mut found);
        index(world, header, &mut found);
        problems.extend(found.into_iter().map(|problem| problem.of(&facts.chat)));
    }
}

fn is_this(chat: &str, facts: &ChatFacts) -> bool {
    chat == facts.chat.name || names::chat_name(chat).as_deref() == Some(&facts.chat.name)
}

fn running(facts: &ChatFacts, header: &HeaderFacts, found: &mut Vec<Problem>) {
    let Some(running) = &header.running else { return };
    if running.scenes.is_empty() {
        return;
    }
    if let Some(chat) = running.chat_id.as_ref().filter(|chat| !is_this(chat, facts)) {
        // In a checkpoint or branch Auto-Recap sets the name right; anywhere else it empties it.
        let (severity, says) = if header.main_chat.is_some() {
            let says = say!(
                "Its running recap says that it is of “{0}”; as long as this is a branch, \
                 {1} keeps it.",
                chat,
                running::keeper(),
            );
            (Severity::Note, says)
        } else {
            let says = say!(
                "Its running recap says that it is of “{0}”; {1} empties it when the chat \
                 is opened.",
                chat,
                running::keeper(),
            );
            (Severity::Error, says)
        };
        let fix = Fix::new(
            Action::NameRecap,
            say!("Writes into the running recap that it is this chat's."),
        );
        found.push(Problem::new(Code::RecapChatIdMismatch, severity, says, fix));
    }
    let is_later = |scene: i64| scene >= facts.messages as i64;
    let later = running.scenes.iter().filter(|(scene, _)| is_later(*scene)).count();
    if facts.trouble.is_none() && later > 0 {
        let is_used = running.scenes.iter().any(|(scene, used)| *used && is_later(*scene));
        let says = if is_used {
            say_count!(
                later,
                "{0} version of its running recap tells of messages it does not have, and it is in \
                 use: the model knows what comes.",
                "{0} versions of its running recap tell of messages it does not have, and one of \
                 them is in use: the model knows what comes.",
            )
        } else {
            say_count!(
                later,
                "{0} version of its running recap tells of messages it does not have.",
                "{0} versions of its running recap tell of messages it does not have.",
            )
        };
        let fix = Fix::new(
            Action::TrimRecap,
            say!("Removes those versions of the running recap; the newest that is left is used."),
        );
        let severity = if is_used { Severity::Error } else { Severity::Warning };
        found.push(Problem::new(Code::RecapFromTheFuture, severity, says, fix));
    }
    if !running.has_current {
        let says = say!(
            "The version of the running recap that is in use does not exist, so the model gets \
             none."
        );
        let fix = if running.can_select {
            let says = say!("Uses the newest version of the running recap there is.");
            Fix::new(Action::SelectVersion, says)
        } else {
            Fix::left(say!(
                "No version has a number that it could be selected by. Open the chat, and choose \
                 or write a version in {0}'s running recap.",
                running::keeper()
            ))
        };
        found.push(Problem::new(Code::RecapVersionMissing, Severity::Error, says, fix));
    }
}

fn combined(facts: &ChatFacts, header: &HeaderFacts, found: &mut Vec<Problem>) {
    let Some((chat, messages)) = &header.combined else { return };
    let is_later = facts.trouble.is_none() && *messages > facts.messages as i64;
    let other = chat.as_ref().filter(|chat| !is_this(chat, facts));
    let says = match other {
        _ if is_later => say!(
            "Its combined recap is of {0} messages; the chat has {1}.",
            messages,
            &facts.messages,
        ),
        Some(chat) => say!("Its combined recap says that it is of “{0}”.", chat),
        None => return,
    };
    let fix = if is_later {
        say!("Removes the combined recap.")
    } else {
        say!("Writes into the combined recap that it is this chat's.")
    };
    let fix = Fix::new(Action::MendCombined, fix);
    found.push(Problem::new(Code::CombinedRecapMismatch, Severity::Warning, says, fix));
}

fn index(world: &World<'_>, header: &HeaderFacts, found: &mut Vec<Problem>) {
    let Some(name) = book_file(header) else { return };
    let Some(book) = world.book(&name) else { return };
    let by_uid = sorted::places(&book.entries, |entry| entry.uid);
    let is_stale = |(uid, comment): &&(i64, String)| {
        let has_name = !plain_name(comment).is_empty();
        let found = sorted::at(&by_uid, &book.entries, |entry| entry.uid, &Some(*uid));
        let mut found = found.iter().map(|place| &book.entries[*place]);
        !found.any(|entry| !has_name || registries::means(comment, &entry.comment))
    };
    let stale: Vec<_> = header.index.iter().filter(is_stale).collect();
    let Some((_, first)) = stale.first() else { return };
    let says = say_count!(
        stale.len(),
        "Its registry index lists {0} entry that the lorebook does not have, “{1}” for one; {2} \
         stops when it meets one.",
        "Its registry index lists {0} entries that the lorebook does not have, “{1}” for one; {2} \
         stops when it meets one.",
        first,
        registries::keeper()
    );
    let fix = Fix::new(
        Action::RebuildIndex,
        say!("Makes the chat's registry index anew from the lorebook's registries."),
    );
    let problem = Problem::new(Code::StaleRegistryIndex, Severity::Warning, says, fix);
    found.push(problem.in_book(&name));
}
