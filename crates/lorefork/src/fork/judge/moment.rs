//! What is to be known about the lorebook that the timeline gets: how sure it is, and who wrote to it.

use crate::choice::Choice;
use crate::error::Code;
use crate::error::report::{Finding, Report};
use crate::fork::look::Look;
use crate::fork::plan::facts_of;
use crate::fork::request::Doing;
use crate::host::ChatView;
use crate::json::{Object, array_of_texts};
use crate::memory::ranges;
use crate::moment::{Moment, Quality, Source, foreign};
use crate::sentence::Sentence;
use crate::tavern::lorebook::Lorebook;
use crate::{say, say_count};

pub(super) fn warn_about_moment<C: ChatView>(
    report: &mut Report,
    look: &Look<C>,
    doing: Doing,
    moment: Option<&Moment>,
) {
    let Some(moment) = moment else { return };
    if moment.is_filmed {
        return;
    }
    let gets = match doing {
        Doing::Fork => say!("The new timeline gets it as it is now."),
        Doing::Isolate => say!("The timeline gets a copy of it as it is now."),
        Doing::Rewind => say!("It stays as it is now."),
    };
    match moment.quality {
        Quality::Current => {
            let action = say!(
                "Look through its entries for things that happen later, or start with an empty \
                 one."
            );
            let finding = if look.is_last {
                let message = say_count!(
                    look.others.len(),
                    "{0} other timeline uses this lorebook, and nothing records who wrote what. \
                     {1}",
                    "{0} other timelines use this lorebook, and nothing records who wrote what. \
                     {1}",
                    gets,
                );
                Finding::new(Code::LoreMayBeNewer, message, action)
            } else {
                let message = say!(
                    "Nothing records how the lorebook was at message {0}. {1}",
                    look.at,
                    &gets,
                );
                let here = say!("Nothing records how the lorebook was at this message. {0}", gets);
                Finding::new(Code::LoreMayBeNewer, message, action).here(here)
            };
            report.warning(finding.or(Choice::Empty));
        }
        Quality::Partial => report.warning(
            Finding::new(
                Code::PartialSnapshot,
                say!(
                    "The lorebook is rebuilt from an incomplete snapshot: {0}.",
                    moment.lacks.clone(),
                ),
                say!("Compare the new lorebook with the old one, and copy over what is missing."),
            )
            .with(Object::new().count_or_null("from", moment.from).raw(
                "lacks",
                &array_of_texts(&moment.lacks.iter().map(Sentence::to_string).collect::<Vec<_>>()),
            )),
        ),
        Quality::Future => report.warning(
            Finding::new(
                Code::KnowsTheFuture,
                say!("The new lorebook knows what happens after message {0}.", &look.at),
                say!("That is what was asked for. Remove entries that belong to later events."),
            )
            .here(say!("The new lorebook knows what happens after this message.")),
        ),
        _ => {}
    }
}

/// Other timelines or chats that have written to what is copied.
pub(super) fn warn_about_others<C: ChatView>(
    report: &mut Report,
    look: &Look<C>,
    doing: Doing,
    book: Option<&Lorebook<'_>>,
    moment: Option<&Moment>,
) {
    let Some(moment) = moment else { return };
    let is_live = moment.source == Source::Live;
    let (running, chats) = (look.running(), look.chats());
    // Of scenes that were not read nobody knows whether others have the same; and what untangling
    // found to be others' is left out of a snapshot from before.
    let is_told = match is_live {
        // What others wrote is left out.
        _ if moment.is_filmed => false,
        // Then others may have copied from here what is later.
        true => moment.quality != Quality::Future || !look.evidence_after,
        false => look.has_all_scenes && !is_untangled(look, moment),
    };
    if is_told && facts_of(look, book, running.as_ref(), &chats, None).others_wrote_too(moment) {
        let mut finding = Finding::new(
            Code::OthersWroteToo,
            say_count!(
                look.others.len(),
                "{0} other timeline has written to this lorebook, too. What they added is in the \
                 copy.",
                "{0} other timelines have written to this lorebook, too. What they added is in the \
                 copy.",
            ),
            if is_live && doing == Doing::Fork {
                say!("Look through the entries for things that did not happen here.")
            } else {
                say!(
                    "Let the timelines be taken apart first, or look through the entries for \
                     things that did not happen here."
                )
            },
        );
        if !is_live || doing != Doing::Fork {
            finding = finding.or(Choice::Fix);
        }
        report.warning(finding);
    }
    let Some(book) = book.filter(|_| is_live) else { return };
    let memories = ranges::of_other_chats(book, &chats);
    if memories > 0 {
        report.warning(Finding::new(
            Code::OthersWroteToo,
            say_count!(
                memories,
                "{0} memory of another chat is in this lorebook, and in the copy, too.",
                "{0} memories of other chats are in this lorebook, and in the copy, too.",
            ),
            say!("Remove from the copy what this story should not know."),
        ));
    }
}

fn is_untangled<C: ChatView>(look: &Look<C>, moment: &Moment) -> bool {
    let taken = moment.snapshot.as_ref().and_then(|snapshot| snapshot.taken);
    let listed = foreign::listed(&look.header());
    taken.is_some_and(|taken| listed.iter().any(|foreign| taken < foreign.until))
}
