//! What is to be known about everything around the lorebook: who else it acts for, what does not go
//! back, settings, links, damage.

use crate::error::Code;
use crate::error::report::{Finding, Report};
use crate::fork::look::Look;
use crate::fork::request::{Doing, Request};
use crate::host::ChatView;
use crate::json::{Object, array, array_of_texts};
use crate::memory::{self, registries};
use crate::moment::{Moment, Source, metadata};
use crate::sentence::Sentence;
use crate::tavern::chat::Message;
use crate::tavern::lorebook::{Entry, Lorebook};
use crate::tavern::names::Kind;
use crate::tavern::settings::{Link, Settings};
use crate::{say, say_count};

pub(super) fn warn_about_surroundings<C: ChatView>(
    report: &mut Report,
    look: &Look<C>,
    request: &Request,
    book: Option<&Lorebook<'_>>,
    moment: Option<&Moment>,
) {
    let settings = look.settings.as_deref().and_then(|text| Settings::read(text).ok());
    let settings = settings.as_ref();
    acts_elsewhere(report, look, settings, moment);
    if let Some(book) = book {
        lines_lead_nowhere(report, book);
    }
    stays_as_it_is(report, look, request.doing);
    replaces_checkpoint(report, look, request);
    settings_stay_behind(report, look, settings, request.doing);
    other_books_are_shared(report, look, settings);
    is_not_in_order(report, look, request.doing);
}

/// The lorebook that is copied acts beyond this chat.
fn acts_elsewhere<C: ChatView>(
    report: &mut Report,
    look: &Look<C>,
    settings: Option<&Settings<'_>>,
    moment: Option<&Moment>,
) {
    let gets_own = moment.is_some_and(|moment| {
        matches!(moment.source, Source::Live | Source::Snapshot | Source::Empty)
    });
    if gets_own && let Some(seen) = &look.lorebook {
        let links = links(look, settings, &seen.name);
        if !links.is_empty() {
            let how = links
                .iter()
                .map(Sentence::from)
                .reduce(|one, other| say!("{0} and {1}", one, other))
                .unwrap_or_else(|| say!(""));
            report.warning(Finding::new(
                Code::LorebookAlsoGlobal,
                say!(
                    "The lorebook “{0}” acts in every timeline besides its copy, because {1}.",
                    &seen.name,
                    how,
                ),
                say!(
                    "Unlink it there if each timeline should know only its own, or mark the book \
                     as shared on purpose."
                ),
            ));
        }
    }
}

fn lines_lead_nowhere(report: &mut Report, book: &Lorebook<'_>) {
    let known: Vec<i64> = book.entries.iter().filter_map(Entry::uid).collect();
    let dangling: Vec<_> = registries::items(book)
        .into_iter()
        .filter(|item| !known.contains(&item.uid))
        .map(|item| item.uid.to_string())
        .collect();
    if !dangling.is_empty() {
        report.warning(
            Finding::new(
                Code::DanglingRegistryUid,
                say_count!(
                    dangling.len(),
                    "{0} line of the registries, about entries that do not exist.",
                    "{0} lines of the registries, about entries that do not exist.",
                ),
                say!("Nothing is lost by this. {0} may stop at such a line.", registries::keeper()),
            )
            .with(Object::new().raw("uids", &array(&dangling))),
        );
    }
}

/// What no record takes back.
fn stays_as_it_is<C: ChatView>(report: &mut Report, look: &Look<C>, doing: Doing) {
    if !look.is_last {
        let words = metadata::not_rewound(&look.header());
        if !words.is_empty() {
            report.warning(Finding::new(
                Code::NotRewound,
                match doing {
                    Doing::Rewind => say!(
                        "These stay as they are now, since nothing records how they were: {0}.",
                        words,
                    ),
                    Doing::Fork | Doing::Isolate => say!(
                        "Copied as they are now, since nothing records how they were: {0}.",
                        words,
                    ),
                },
                match doing {
                    Doing::Fork => say!("Check them in the new timeline."),
                    Doing::Isolate | Doing::Rewind => say!("Check them."),
                },
            ));
        }
    }
}

/// A message leads to one checkpoint only.
fn replaces_checkpoint<C: ChatView>(report: &mut Report, look: &Look<C>, request: &Request) {
    if request.kind == Kind::Checkpoint
        && request.link
        && let Some(old) = Message::read(&look.line).ok().as_ref().and_then(Message::checkpoint)
    {
        report.warning(Finding::new(
            Code::ReplacesCheckpoint,
            say!(
                "Message {0} links to the checkpoint “{1}”; the link will point to the new one.",
                &look.at,
                old.into_owned(),
            ),
            say!("The older checkpoint stays among the chats."),
        ));
    }
}

/// Settings that an extension keeps by the chat's name.
fn settings_stay_behind<C: ChatView>(
    report: &mut Report,
    look: &Look<C>,
    settings: Option<&Settings<'_>>,
    doing: Doing,
) {
    let Some(settings) = settings.filter(|_| doing == Doing::Fork) else { return };
    for (extension, kept) in memory::names::settings_of(settings, &look.view.chat().name) {
        report.warning(Finding::new(
            Code::SettingsNotCopied,
            say!(
                "{0} keeps settings for this chat alone that the new timeline does not get: \
                 {1}.",
                extension,
                kept,
            ),
            say!("Set them in the new timeline if you need them."),
        ));
    }
}

fn other_books_are_shared<C: ChatView>(
    report: &mut Report,
    look: &Look<C>,
    settings: Option<&Settings<'_>>,
) {
    let parents_own = look.lorebook.as_ref().map(|seen| seen.name.as_str());
    let bound = memory::names::bound_by_each(&look.header(), parents_own, settings);
    for (extension, books) in bound {
        report.warning(
            Finding::new(
                Code::OtherBooksShared,
                say!(
                    "{0} uses further lorebooks that stay shared: {1}.",
                    extension,
                    books.clone(),
                ),
                say!(
                    "Give the timeline its own in {0} if it should not write to them.",
                    extension,
                ),
            )
            .with(Object::new().raw("lorebooks", &array_of_texts(&books))),
        );
    }
}

/// Damage, an operation that was interrupted, and a list that a tab would write back.
fn is_not_in_order<C: ChatView>(report: &mut Report, look: &Look<C>, doing: Doing) {
    if let Some(damage) = &look.damage_after {
        report.warning(Finding::new(
            Code::DamagedLater,
            say!(
                "{0}, line {1}: message {2} is damaged: {3}.",
                look.view.chat().file(),
                &damage.line,
                &damage.message,
                &damage.problem,
            ),
            say!("Repair it before SillyTavern saves the chat again: it would drop the line."),
        ));
    }
    if look.settings_are_unreadable {
        report.warning(Finding::new(
            Code::SettingsUnreadable,
            say!(
                "settings.json cannot be read, so nobody knows whether the lorebook also acts \
                 globally."
            ),
            say!(
                "Start SillyTavern once, which writes it anew, or restore it from the backups \
                 folder."
            ),
        ));
    }
    if look.is_interrupted {
        report.warning(Finding::new(
            Code::InterruptedOperation,
            say!("An earlier operation was interrupted."),
            say!("Lorefork finishes or undoes it before its next change."),
        ));
    }
    if look.group.is_some() && look.is_outside && doing == Doing::Fork {
        report.warning(Finding::new(
            Code::ReloadSillytavern,
            say!("The group's list of chats changes on disk."),
            say!(
                "Close SillyTavern's tabs before, or reload them after: an open tab would write \
                 its old list back."
            ),
        ));
    }
}

/// How the lorebook acts beyond this chat.
fn links<C: ChatView>(look: &Look<C>, settings: Option<&Settings<'_>>, book: &str) -> Vec<Link> {
    let characters: Vec<String> = look.cards.iter().map(|(folder, _)| folder.clone()).collect();
    let mut links = settings.map(|settings| settings.links(book, &characters)).unwrap_or_default();
    links.extend(
        look.cards
            .iter()
            .filter(|(_, card)| card.lorebook.as_deref() == Some(book))
            .map(|(_, card)| Link::Character(card.name.clone())),
    );
    links
}
