//! Judging: every requirement at once.

use super::look::Look;
use super::plan::facts_of;
use super::request::{Doing, Request};
use crate::choice::Choice;
use crate::error::Code;
use crate::error::report::{Finding, Policy, Report, State};
use crate::host::ChatView;
use crate::json::{Object, array, array_of_texts};
use crate::memory::back::is_told;
use crate::memory::entries::is_queue;
use crate::memory::queues::{self, Queue};
use crate::memory::running::{self, Running};
use crate::memory::scene::Scene;
use crate::memory::{self, ranges, registries};
use crate::moment::decide::NoSnapshot;
use crate::moment::{LoreChoice, Moment, Quality, Source, foreign, metadata};
use crate::sentence::Sentence;
use crate::tavern::chat::Message;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::place::lorebook_file;
use crate::tavern::settings::{Link, Settings};
use crate::{say, say_count};

/// Queues of the lorebook, in the order Auto-Recap would find them.
pub(super) fn queues(book: Option<&Lorebook<'_>>) -> Vec<Queue> {
    let entries = book.map(|book| book.entries.as_slice()).unwrap_or_default();
    entries.iter().filter(|entry| is_queue(&entry.comment())).map(Queue::read).collect()
}

/// Whether a timeline that ends at N has a running recap: one is in use, and a version of it tells of
/// nothing later.
fn is_kept<C: ChatView>(look: &Look<C>, running: &Running) -> bool {
    let is_kept = |scene: usize, time: Option<f64>| {
        let is_read = look.has_all_scenes || look.scenes.iter().any(|read| read.at == scene);
        scene <= look.at && (!is_read || is_told(&look.scenes, scene, time))
    };
    running.current().is_some()
        && running.versions.iter().any(|version| {
            usize::try_from(version.scene).is_ok_and(|scene| is_kept(scene, version.time))
        })
}

/// Judges what was looked at, for a fork at its message N.
pub(super) fn judge<C: ChatView>(
    look: &Look<C>,
    request: &Request,
    book: Option<&Lorebook<'_>>,
    moment: &Result<Moment, NoSnapshot>,
) -> Report {
    let running = look.running();
    let here = look.scenes.iter().find(|scene| scene.at == look.at);
    let queues = queues(book);
    let mut report = Report::new(State {
        queue_empty: queues
            .iter()
            .all(|queue| queue.blocking().is_empty() && *queue != Queue::Unreadable),
        has_scene_break: here.is_some_and(Scene::closes_scene),
        has_scene_recap: here.is_some_and(Scene::has_recap),
        has_running_recap: running.as_ref().is_some_and(|running| is_kept(look, running)),
        message_index: look.at,
    });
    if look.is_generating {
        report.error(
            Finding::new(
                Code::Generating,
                say!("A reply is being written right now."),
                say!("Wait until it is finished, or stop it, then try again."),
            )
            .or(Choice::Wait),
        );
    }
    lorebook_is_there(&mut report, look, request);
    queue_is_empty(&mut report, &queues, request);
    if moment.is_err()
        && look
            .lorebook
            .as_ref()
            .is_some_and(|seen| seen.document.is_some() || request.lore == LoreChoice::Snapshot)
    {
        report.error(no_snapshot(look, request.doing));
    }
    if memory::is_recapped(&look.scenes, running.as_ref()) {
        recap_is_complete(&mut report, look, request, running.as_ref());
    }
    warn_about_moment(&mut report, look, request.doing, moment.as_ref().ok());
    warn_about_others(&mut report, look, request.doing, book, moment.as_ref().ok());
    warn_about_surroundings(&mut report, look, request, book, moment.as_ref().ok());
    report
}

/// Other timelines or chats that have written to what is copied.
fn warn_about_others<C: ChatView>(
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

fn lorebook_is_there<C: ChatView>(report: &mut Report, look: &Look<C>, request: &Request) {
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

fn queue_is_empty(report: &mut Report, queues: &[Queue], request: &Request) {
    let waiting: Vec<_> = queues.iter().flat_map(Queue::blocking).collect();
    let unreadable = queues.contains(&Queue::Unreadable);
    if !waiting.is_empty() {
        let operations: Vec<String> = waiting.iter().map(|operation| operation.json()).collect();
        let finding = Finding::new(
            Code::QueueNotEmpty,
            say_count!(
                waiting.len(),
                "{0} operation of {1} is still waiting in the lorebook's queue.",
                "{0} operations of {1} are still waiting in the lorebook's queue.",
                queues::keeper()
            ),
            match request.doing {
                Doing::Fork => {
                    say!(
                        "Wait until {0} is done, then try again. Or go ahead without the waiting \
                         work: the parent keeps it, the new timeline starts with an empty queue.",
                        queues::keeper()
                    )
                }
                Doing::Isolate => {
                    say!(
                        "It stays in the lorebook that the others use; the timeline's own starts \
                         with an empty queue. To keep it here, wait until {0} is done, then try \
                         again.",
                        queues::keeper()
                    )
                }
                Doing::Rewind => {
                    say!(
                        "It is dropped: the lorebook goes back with an empty queue. To keep it, \
                         wait until {0} is done, then try again.",
                        queues::keeper()
                    )
                }
            },
        )
        .with(Object::new().count("count", waiting.len()).raw("operations", &array(&operations)));
        if request.drop_queue {
            report.warning(finding);
        } else {
            report.error(finding.or(Choice::Wait).or(Choice::DropQueue));
        }
    }
    if unreadable {
        let finding = Finding::new(
            Code::QueueUnreadable,
            say!(
                "The lorebook's work queue cannot be read, so nobody knows whether work is waiting \
                 in it."
            ),
            match request.doing {
                Doing::Fork => {
                    say!(
                        "Open the chat in SillyTavern once with {0} on, which resets it. Or go \
                         ahead without it.",
                        queues::keeper()
                    )
                }
                Doing::Isolate | Doing::Rewind => say!("The timeline goes on with an empty queue."),
            },
        );
        if request.drop_queue {
            report.warning(finding);
        } else {
            report.error(finding.or(Choice::DropQueue));
        }
    }
    if queues.len() > 1 {
        report.warning(Finding::new(
            Code::DuplicateQueue,
            say!(
                "The lorebook has {0} work queues; {1} uses the first.",
                queues.len(),
                queues::keeper()
            ),
            match request.doing {
                Doing::Fork => {
                    say!(
                        "Nothing to do: the new lorebook gets one queue, the parent keeps all of \
                         its own."
                    )
                }
                Doing::Isolate | Doing::Rewind => {
                    say!("Nothing to do: the timeline goes on with one.")
                }
            },
        ));
    }
}

fn no_snapshot<C: ChatView>(look: &Look<C>, doing: Doing) -> Finding {
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

fn is_used(running: &Running) -> bool {
    running.current().is_some()
}

fn recap_is_complete<C: ChatView>(
    report: &mut Report,
    look: &Look<C>,
    request: &Request,
    running: Option<&Running>,
) {
    let (at, policy) = (look.at, request.policy);
    if !report.state.has_scene_break && request.doing == Doing::Fork {
        let mut finding = Finding::new(
            Code::NoSceneBreak,
            say!("Message {0} does not end a scene.", at),
            match policy {
                Policy::Standard => say!(
                    "Forking inside a scene is fine. To fork between two scenes, end one with the \
                     clapperboard button first."
                ),
                Policy::Strict => say!("End the scene here with the clapperboard button."),
            },
        )
        .here(say!("This message does not end a scene."));
        if policy == Policy::Strict {
            finding = finding.or(Choice::NotStrict);
        }
        report.strict(policy, finding);
    }
    let scene = look.scenes.iter().rev().find(|scene| scene.closes_scene());
    if let Some(scene) = scene
        && !scene.has_recap()
    {
        report.strict(
            policy,
            Finding::new(
                Code::NoSceneRecap,
                say!("The scene that ends at message {0} has no recap yet.", &scene.at),
                say!(
                    "Open the scene's panel, choose Generate, wait until it is done, then try \
                     again."
                ),
            ),
        );
    } else if let Some(scene) = scene
        && scene.snapshot.is_none()
    {
        report.strict(
            policy,
            Finding::new(
                Code::SceneWithoutSnapshot,
                say!(
                    "The scene that ends at message {0} has no snapshot of the lorebook.",
                    &scene.at,
                ),
                say!(
                    "It is recorded when {0} combines the scene into the running recap.",
                    running::keeper()
                ),
            ),
        );
    }
    if !report.state.has_running_recap && policy == Policy::Strict && running.is_some_and(is_used) {
        report.error(
            Finding::new(
                Code::NoRunningRecap,
                say!("There was no running recap yet at message {0}.", &at),
                say!("Fork at a later message."),
            )
            .or(Choice::NotStrict),
        );
    }
    if !running.is_some_and(is_used) {
        report.strict(
            policy,
            Finding::new(
                Code::NoRunningRecap,
                say!("There is no running recap yet."),
                say!(
                    "Generate one in {0}'s settings, under running recap, wait until it is done, \
                     then try again.",
                    running::keeper()
                ),
            ),
        );
        return;
    }
    let recapped = look.scenes.iter().rev().find(|scene| scene.recap.is_some());
    if let Some(scene) = recapped
        && !running.is_some_and(|running| {
            running.versions.iter().any(|version| usize::try_from(version.scene) == Ok(scene.at))
        })
    {
        report.strict(
            policy,
            Finding::new(
                Code::NotInRunningRecap,
                say!(
                    "The scene that ends at message {0} is not part of the running recap yet.",
                    &scene.at,
                ),
                say!("Wait until {0} has combined it, then try again.", running::keeper()),
            ),
        );
    }
}

fn warn_about_moment<C: ChatView>(
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

fn warn_about_surroundings<C: ChatView>(
    report: &mut Report,
    look: &Look<C>,
    request: &Request,
    book: Option<&Lorebook<'_>>,
    moment: Option<&Moment>,
) {
    let gets_own = moment.is_some_and(|moment| {
        matches!(moment.source, Source::Live | Source::Snapshot | Source::Empty)
    });
    if gets_own && let Some(seen) = &look.lorebook {
        let links = links(look, &seen.name);
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
    if let Some(book) = book {
        let known: Vec<i64> =
            book.entries.iter().filter_map(crate::tavern::lorebook::Entry::uid).collect();
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
                    say!(
                        "Nothing is lost by this. {0} may stop at such a line.",
                        registries::keeper()
                    ),
                )
                .with(Object::new().raw("uids", &array(&dangling))),
            );
        }
    }
    if !look.is_last {
        let words = metadata::not_rewound(&look.header());
        if !words.is_empty() {
            report.warning(Finding::new(
                Code::NotRewound,
                match request.doing {
                    Doing::Rewind => say!(
                        "These stay as they are now, since nothing records how they were: {0}.",
                        words,
                    ),
                    Doing::Fork | Doing::Isolate => say!(
                        "Copied as they are now, since nothing records how they were: {0}.",
                        words,
                    ),
                },
                match request.doing {
                    Doing::Fork => say!("Check them in the new timeline."),
                    Doing::Isolate | Doing::Rewind => say!("Check them."),
                },
            ));
        }
    }
    if request.kind == crate::tavern::names::Kind::Checkpoint
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
    if request.doing == Doing::Fork
        && let Some(settings) = look.settings.as_deref().and_then(|text| Settings::read(text).ok())
    {
        for (extension, kept) in memory::names::settings_of(&settings, &look.view.chat().name) {
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
    let parents_own = look.lorebook.as_ref().map(|seen| seen.name.as_str());
    let settings = look.settings.as_deref().and_then(|text| Settings::read(text).ok());
    let bound = memory::names::bound_by_each(&look.header(), parents_own, settings.as_ref());
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
    if look.group.is_some() && look.is_outside && request.doing == Doing::Fork {
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
fn links<C: ChatView>(look: &Look<C>, book: &str) -> Vec<Link> {
    let characters: Vec<String> = look.cards.iter().map(|(folder, _)| folder.clone()).collect();
    let mut links = look
        .settings
        .as_deref()
        .and_then(|text| Settings::read(text).ok())
        .map(|settings| settings.links(book, &characters))
        .unwrap_or_default();
    links.extend(
        look.cards
            .iter()
            .filter(|(_, card)| card.lorebook.as_deref() == Some(book))
            .map(|(_, card)| Link::Character(card.name.clone())),
    );
    links
}
