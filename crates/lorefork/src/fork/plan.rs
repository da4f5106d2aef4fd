//! Planning: every byte of the new timeline, before the first is written. Pure.

use super::draft::{Making, NewLorebook, note_left_out};
use super::judge::judge;
use super::look::{Filmed, Look};
use super::request::Request;
use super::undecided;
use crate::error::report::{Finding, Report};
use crate::error::{Code, Error};
use crate::host::{ChatView, HostError, HostErrorKind, Piece};
use crate::json::JsonError;
use crate::memory::names::line_with_lorebook;
use crate::memory::parting::Parting;
use crate::memory::ranges::Told;
use crate::memory::running::Running;
use crate::moment::decide::{Facts, NoSnapshot, decide};
use crate::moment::{LoreChoice, Moment, Source};
use crate::operation::order;
use crate::say;
use crate::tavern::chat::Header;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names::{self, Kind, NameError};
use crate::tavern::place::ChatRef;
use crate::tavern::settings::Settings;
use crate::tavern::slug;
use crate::tavern::time::LocalTime;
use crate::timeline::record::Record;

/// A fork, decided to the last byte.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The operation's, and the new timeline's.
    pub id: String,
    /// What it becomes.
    pub kind: Kind,
    /// The timeline it comes from.
    pub parent: ChatRef,
    /// The one that is made.
    pub chat: ChatRef,
    /// The fork point, which is its last message.
    pub at: usize,
    /// Which lorebook it gets, and how sure that is.
    pub moment: Moment,
    /// The lorebook to create; without one, the timeline has none, or shares its parent's.
    pub lorebook: Option<NewLorebook>,
    /// Its new slug, by which it is recognised.
    pub slug: String,
    /// Its first line.
    pub header: String,
    /// All that speaks against it, or is worth knowing.
    pub report: Report,
    /// The name of the newest scene at or before N.
    pub scene: Option<String>,
    /// The running recap's version in the new timeline.
    pub recap_version: Option<i64>,
    pub(super) doubts: Option<(Vec<String>, Vec<String>)>,
    /// Message N, if a swipe is selected in it.
    line: Option<String>,
    /// Messages that name the parent's lorebook.
    naming: Vec<usize>,
    /// The lorebook it shares with its parent, on purpose.
    pub(super) shares: Option<String>,
}

/// What the user chose, unless a mark or a setting says that the book is shared on purpose.
pub(super) fn choice_of<C: ChatView>(
    look: &Look<C>,
    request: &Request,
    live: Option<&Lorebook<'_>>,
) -> LoreChoice {
    let is_shared = live.is_some_and(Lorebook::is_shared_on_purpose)
        || look.lorebook.as_ref().is_some_and(|seen| request.shared.contains(&seen.name));
    let is_chosen = request.lore != LoreChoice::Auto && !request.is_preference;
    if is_shared && !is_chosen { LoreChoice::Share } else { request.lore }
}

/// All that was seen, as far as it decides which lorebook belongs to the fork point.
pub(super) fn facts_of<'f, C: ChatView>(
    look: &'f Look<C>,
    live: Option<&'f Lorebook<'f>>,
    running: Option<&'f Running>,
    chats: &'f [Told],
    film: Option<&'f Moment>,
) -> Facts<'f> {
    Facts {
        at: look.at,
        is_last: look.is_last,
        has_lorebook: look.lorebook.is_some(),
        live,
        scenes: &look.scenes,
        running,
        evidence_after: look.evidence_after,
        recapped_after: look.recapped_after,
        others: &look.others_evidence,
        is_named_elsewhere: !look.others.is_empty(),
        chats,
        checkpoint: look.checkpoint.as_ref().map(|checkpoint| checkpoint.at),
        film,
    }
}

/// What the film says, as a moment.
fn of_film(film: &Filmed) -> Moment {
    let source = if film.text.is_some() { Source::Snapshot } else { Source::Live };
    let quality = film.level.into();
    let from = film.from.filter(|_| source == Source::Snapshot);
    Moment { from, is_filmed: true, ..Moment::plain(source, quality) }
}

/// Which lorebook belongs to the fork point.
pub(super) fn moment_of<C: ChatView>(
    look: &Look<C>,
    choice: LoreChoice,
    live: Option<&Lorebook<'_>>,
) -> Result<Moment, NoSnapshot> {
    let (running, chats) = (look.running(), look.chats());
    let film = look.film.as_ref().map(of_film);
    decide(&facts_of(look, live, running.as_ref(), &chats, film.as_ref()), choice)
}

/// Judges the fork and plans it; a refusal carries the whole report.
pub fn plan<C: ChatView>(
    look: &Look<C>,
    request: &Request,
    live: Option<&Lorebook<'_>>,
) -> Result<Plan, Error> {
    let moment = moment_of(look, choice_of(look, request, live), live);
    let mut report = judge(look, request, live, &moment);
    if Record::is_newer(&look.header()) {
        return Err(newer_record(look.view.chat()));
    }
    let name = new_name(look, request, &mut report);
    let (Ok(mut moment), Some(name), true) = (moment, name, report.valid) else {
        return Err(refusal(&report));
    };
    let chat = look.view.chat().sibling(name);
    let id = operation_id(look);
    let making = Making {
        look,
        live,
        chat: &chat,
        kind: request.kind,
        id: &id,
        parent: &look.view.chat().name,
        keeps: None,
        reorder: request.reorder,
        parting: Parting::of_new(&look.header(), &chat.name, &id),
    };
    let lorebook = making.lorebook(&moment, &mut report)?;
    note_left_out(&mut moment, lorebook.as_ref(), &mut report);
    undecided::note(&mut moment, lorebook.as_ref(), &mut report);
    let slug = slug::slug(look.slug);
    let header = making
        .header(&moment, &slug, lorebook.as_ref(), request, &mut report)
        .map_err(|problem| unwritable(look.view.chat(), &problem))?;
    Ok(Plan {
        scene: newest_scene(look),
        recap_version: recap_version(&header),
        doubts: doubts(look, &moment, lorebook.as_ref()),
        kind: request.kind,
        parent: look.view.chat().clone(),
        at: look.at,
        naming: if lorebook.is_some() { look.naming.clone() } else { Vec::new() },
        shares: look
            .lorebook
            .as_ref()
            .filter(|_| moment.source == Source::Shared)
            .map(|seen| seen.name.clone()),
        lorebook,
        slug,
        header,
        report,
        line: look.is_swiped.then(|| look.line.clone()),
        moment,
        chat,
        id,
    })
}

/// Numbers of entries that are as recorded, and of those of which nobody can tell.
pub(super) fn doubts<C>(
    look: &Look<C>,
    moment: &Moment,
    lorebook: Option<&NewLorebook>,
) -> Option<(Vec<String>, Vec<String>)> {
    let film = look.film.as_ref().filter(|_| moment.is_filmed)?;
    let open = lorebook.map(|book| book.undecided.as_slice()).unwrap_or_default();
    Some((film.recorded.clone(), open.iter().map(|one| one.uid.clone()).collect()))
}

/// The name of the newest scene at or before N.
pub(super) fn newest_scene<C>(look: &Look<C>) -> Option<String> {
    look.scenes.iter().rev().find(|scene| scene.is_break)?.name.clone()
}

/// The version of the running recap that a header holds.
pub(super) fn recap_version(header: &str) -> Option<i64> {
    let header = Header::read(header).ok()?;
    Running::of(&header)?.current()?.number
}

/// The error that a report with errors is.
pub(super) fn refusal(report: &Report) -> Error {
    report
        .refusal()
        .unwrap_or_else(|| unreachable!("a plan fails only with an error in the report"))
}

pub(super) fn newer_record(chat: &ChatRef) -> Error {
    Error::new(
        Code::NewerRecord,
        say!("{0}: a newer Lorefork has written to this chat", chat.file()),
        say!("Update Lorefork, then try again. Nothing was changed."),
    )
}

pub(crate) fn unwritable(chat: &ChatRef, problem: &JsonError) -> Error {
    Error::new(
        Code::CorruptRecord,
        say!("{0}: the metadata cannot be changed: {1}", chat.file(), problem),
        say!(
            "Something wrote an odd value into the chat's first line. Repair it there, or restore \
             the chat from a backup."
        ),
    )
}

/// The id of the operation, beginning with the four characters that stand in the lorebook's name.
pub(super) fn operation_id<C>(look: &Look<C>) -> String {
    order::numbered_id(&look.id, look.number)
}

/// What names are made from, besides the request.
pub(super) struct Surroundings<'s> {
    pub settings: Option<&'s str>,
    pub chat_names: &'s [String],
    pub now: LocalTime,
}

/// The name of a timeline that `request` asks for at message `at`.
pub(super) fn timeline_name(
    request: &Request,
    at: usize,
    around: &Surroundings<'_>,
) -> Result<String, NameError> {
    let settings = around.settings.and_then(|text| Settings::read(text).ok());
    let timeline = names::timeline::NewTimeline {
        kind: request.kind,
        version: settings.and_then(|settings| settings.version()).unwrap_or_default(),
        parent: &request.chat.name,
        message: at,
        given: request.name.as_deref(),
        now: around.now,
        chats: around.chat_names.len(),
    };
    let taken: Vec<String> = around.chat_names.iter().map(|name| names::fold(name)).collect();
    timeline.name(|name| taken.contains(&names::fold(name)))
}

fn new_name<C: ChatView>(look: &Look<C>, request: &Request, report: &mut Report) -> Option<String> {
    let around = Surroundings {
        settings: look.settings.as_deref(),
        chat_names: &look.chat_names,
        now: look.now.local,
    };
    match timeline_name(request, look.at, &around) {
        Ok(name) => Some(name),
        Err(problem) => {
            let (code, action) = match problem {
                NameError::Taken(_) => (Code::NameTaken, say!("Choose another name.")),
                NameError::TooLong { .. } => (Code::BadName, say!("Choose a shorter name.")),
                _ => (Code::BadName, say!("Choose another name, of letters, digits and spaces.")),
            };
            report.error(Finding::new(
                code,
                say!("The new timeline cannot have this name: {0}.", &problem),
                action,
            ));
            None
        }
    }
}

/// The id a main chat gets with its first link.
pub(super) fn family_id<C>(look: &Look<C>) -> String {
    look.parent_id.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Plan {
    /// The name of the lorebook the new timeline will have.
    pub fn lorebook_name(&self) -> Option<&str> {
        self.lorebook.as_ref().map(|book| book.name.as_str())
    }

    /// The messages of the new timeline: the parent's, byte for byte, but for those that name its
    /// lorebook and the one whose swipe is selected.
    pub fn pieces<'p, C: ChatView>(
        &'p self,
        view: &'p C,
    ) -> impl Iterator<Item = Result<Piece, HostError>> + 'p {
        let end = self.at + 1;
        let mut changed = self.naming.clone();
        if self.line.is_some() && changed.last() != Some(&self.at) {
            changed.push(self.at);
        }
        let mut changed = changed.into_iter().peekable();
        let mut next = 0;
        let mut waiting = None;
        std::iter::from_fn(move || {
            if let Some(piece) = waiting.take() {
                return Some(Ok(piece));
            }
            let start = next;
            while next < end {
                let index = changed.next().unwrap_or(end);
                if index >= end {
                    next = end;
                    break;
                }
                next = index;
                match self.changed_line(view, index) {
                    Ok(None) => next += 1,
                    Ok(Some(text)) => {
                        next += 1;
                        if start == index {
                            return Some(Ok(Piece::Text(text)));
                        }
                        waiting = Some(Piece::Text(text));
                        return Some(Ok(Piece::Same(start..index)));
                    }
                    Err(error) => return Some(Err(error)),
                }
            }
            (start < next).then_some(Ok(Piece::Same(start..next)))
        })
    }

    /// The new text of a message that may change.
    fn changed_line<C: ChatView>(
        &self,
        view: &C,
        index: usize,
    ) -> Result<Option<String>, HostError> {
        let swiped = self.line.as_ref().filter(|_| index == self.at);
        let line = match swiped {
            Some(line) => line.clone(),
            None => view.line(index)?,
        };
        let renamed = match &self.lorebook {
            Some(book) => line_with_lorebook(&line, &book.from, &book.name).map_err(|problem| {
                HostError::new(
                    HostErrorKind::Damaged,
                    view.chat().file(),
                    say!("message {0}: {1}", &index, &problem),
                )
            })?,
            None => None,
        };
        Ok(renamed.or_else(|| swiped.cloned()))
    }
}
