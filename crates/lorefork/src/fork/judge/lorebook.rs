//! Whether there is a lorebook, or a snapshot of it.

use crate::choice::Choice;
use crate::error::Code;
use crate::error::report::{Finding, Report};
use crate::fork::look::Look;
use crate::fork::request::{Doing, Request};
use crate::host::ChatView;
use crate::json::Object;
use crate::moment::LoreChoice;
use crate::tavern::place::lorebook_file;
use crate::{say, say_count};

pub(super) fn lorebook_is_there<C: ChatView>(
    report: &mut Report,
    look: &Look<C>,
    request: &Request,
) {
    let Some(seen) = look.lorebook.as_ref().filter(|seen| seen.document.is_none()) else { return };
    // Who only prefers it may still want the lorebook back.
    if matches!(request.lore, LoreChoice::Snapshot | LoreChoice::Empty) && !request.is_preference {
        return;
    }
    let has_snapshot = look.scenes.iter().any(|scene| scene.snapshot.is_some());
    let action = if has_snapshot {
        say!(
            "Rebuild it from the newest snapshot in this chat, start with an empty one, or attach \
             another lorebook in SillyTavern."
        )
    } else {
        say!("Start with an empty one, or attach another lorebook in SillyTavern.")
    };
    let mut finding = Finding::new(
        Code::MissingLorebook,
        match seen.file.as_str() {
            "" => say!("The chat's lorebook “{0}” cannot exist under that name.", &seen.name),
            file => say!(
                "The chat's lorebook “{0}” does not exist: there is no {1}.",
                &seen.name,
                lorebook_file(file),
            ),
        },
        action,
    )
    .with(Object::new().text("lorebook", &seen.name).flag("snapshot", has_snapshot));
    if has_snapshot {
        finding = finding.or(Choice::Snapshot);
    }
    report.error(finding.or(Choice::Empty));
}

pub(super) fn no_snapshot<C: ChatView>(look: &Look<C>, doing: Doing) -> Finding {
    let at = look.at;
    let (message, here) = if look.damage_after.is_some() {
        (
            say!(
                "A later message is damaged, so nobody knows whether the lorebook has changed \
                 since, and no snapshot of it from message {0} or before is recorded.",
                at,
            ),
            say!(
                "A later message is damaged, so nobody knows whether the lorebook has changed \
                 since, and no snapshot of it from this message or before is recorded."
            ),
        )
    } else if look.evidence_after
        || look.running().is_some_and(|r| r.versions.iter().any(|v| v.scene > at as i64))
    {
        (
            say!(
                "The lorebook has changed since this message, and no snapshot of it from message \
                 {0} or before is recorded.",
                at,
            ),
            say!(
                "The lorebook has changed since this message, and no snapshot of it from this \
                 message or before is recorded."
            ),
        )
    } else {
        let others = look.others.len();
        (
            say_count!(
                others,
                "The lorebook has been written to by {0} other timeline since, and no snapshot of \
                 it from message {1} or before is recorded.",
                "The lorebook has been written to by {0} other timelines since, and no snapshot of \
                 it from message {1} or before is recorded.",
                at,
            ),
            say_count!(
                others,
                "The lorebook has been written to by {0} other timeline since, and no snapshot of \
                 it from this message or before is recorded.",
                "The lorebook has been written to by {0} other timelines since, and no snapshot of \
                 it from this message or before is recorded.",
            ),
        )
    };
    let finding = Finding::new(
        Code::NoSnapshot,
        message,
        match doing {
            Doing::Fork => {
                say!(
                    "Fork at a later message that has a finished scene before it. Or choose: the \
                     lorebook as it is now, with what it knows of later events, or an empty one."
                )
            }
            Doing::Isolate => {
                say!(
                    "Let the timelines be taken apart instead. Or choose: the lorebook as it is \
                     now, with what it knows of later events, or an empty one."
                )
            }
            Doing::Rewind => {
                say!(
                    "Go back to a later message that has a finished scene before it. Or choose: \
                     the lorebook as it is now, with what it knows of later events, or an empty \
                     one."
                )
            }
        },
    )
    .here(here)
    .with(Object::new().count("message", at))
    .or(Choice::Live)
    .or(Choice::Empty);
    if doing == Doing::Isolate { finding.or(Choice::Fix) } else { finding }
}
