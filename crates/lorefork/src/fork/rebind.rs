//! Rebinding: an existing timeline gets its own lorebook, as of its last message.

use super::draft::{Making, NewLorebook, note_left_out};
use super::judge::judge;
use super::kind::kind_in;
use super::look::{Look, Shelf, look, messages_naming};
use super::plan::{moment_of, newer_record, operation_id, refusal, unwritable};
use super::request::{Doing, Request};
use super::undecided;
use crate::error::report::{Finding, Report};
use crate::error::{Code, Error};
use crate::host::{ChatView, HeaderOf, Host, Line, LineEdit, Stamp};
use crate::memory::names::line_with_lorebook;
use crate::memory::parting::Parting;
use crate::moment::live::RECORD_VERSION;
use crate::moment::{LoreChoice, Moment, Quality, foreign};
use crate::naming;
use crate::operation::change::{FileChange, FileRef, To};
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::chat::HeaderEdit;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names::Kind;
use crate::tavern::names::timeline::is_branch_name;
use crate::tavern::place::ChatRef;
use crate::tavern::settings::Settings;
use crate::tavern::slug;
use crate::timeline::record::{self, Parent, Record};

/// What giving a timeline its own lorebook would mean.
#[derive(Debug, Clone)]
pub enum Isolation {
    /// It has none, or its own already: why, in words.
    Nothing(Sentence),
    /// What would be done.
    Planned(Box<IsolationPlan>),
}

/// A rebinding, decided to the last byte.
#[derive(Debug, Clone)]
pub struct IsolationPlan {
    /// The operation's.
    pub id: String,
    /// The timeline that gets its own lorebook.
    pub chat: ChatRef,
    pub(super) kind: Kind,
    /// The message whose lorebook it gets.
    pub at: usize,
    /// Where that comes from, and how sure it is.
    pub moment: Moment,
    /// What is written.
    pub lorebook: NewLorebook,
    /// Who else uses the lorebook now.
    pub others: Vec<ChatRef>,
    /// All that speaks against it, or is worth knowing.
    pub report: Report,
    pub(super) slug: String,
    pub(crate) edits: Vec<LineEdit>,
    /// The stamp of the lorebook that is written over; else a new one is made.
    pub(super) replaces: Option<Stamp>,
}

impl IsolationPlan {
    /// How many messages name the lorebook and change with it.
    pub fn changed_messages(&self) -> usize {
        self.edits.len() - 1
    }
}

/// What isolating `chat` would do. Reads only.
pub async fn plan_isolation<H: Host>(
    host: &H,
    chat: &ChatRef,
    lore: LoreChoice,
) -> Result<Isolation, Error> {
    let shelf = Shelf::default();
    let (look, live) = look(host, chat, None, None, &shelf, &|_, _| lore).await?;
    plan(host, &look, live.as_ref(), lore, Purpose::Isolate).await
}

/// A lorebook that is gone, as the chat and all who used it recorded it, up to the last message. `None`
/// if nothing was recorded, or it is there.
pub(crate) async fn recorded<H: Host>(host: &H, chat: &ChatRef) -> Result<Option<String>, Error> {
    let (shelf, lore) = (Shelf::default(), LoreChoice::Snapshot);
    let (look, _) = look(host, chat, None, None, &shelf, &|_, _| lore).await?;
    Ok(look.film.and_then(|film| film.text))
}

/// Why a timeline is rebound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose<'p> {
    /// It shares its lorebook, and gets its own as of its last message.
    Isolate,
    /// So too, while somebody else is just making it from this one.
    Adopt(&'p Parent),
    /// It goes back to an earlier moment; in place if its lorebook is its own alone.
    Rewind { in_place: bool },
}

pub(super) async fn plan<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    live: Option<&Lorebook<'_>>,
    lore: LoreChoice,
    purpose: Purpose<'_>,
) -> Result<Isolation, Error> {
    let chat = look.view.chat();
    let header = look.header();
    if Record::is_newer(&header) {
        return Err(newer_record(chat));
    }
    let Some(seen) = &look.lorebook else {
        return Ok(Isolation::Nothing(match purpose {
            Purpose::Isolate | Purpose::Adopt(_) => {
                say!("It has no lorebook, so there is nothing to share.")
            }
            Purpose::Rewind { .. } => {
                say!("It has no lorebook, so there is nothing to rewind.")
            }
        }));
    };
    let is_rewind = matches!(purpose, Purpose::Rewind { .. });
    if !is_rewind && look.others.is_empty() {
        return Ok(Isolation::Nothing(say!(
            "No other timeline uses its lorebook “{0}”.",
            &seen.name,
        )));
    }
    if let Purpose::Adopt(_) = purpose {
        // A mark that says “shared on purpose” counts unless isolation was asked for by name.
        if live.is_some_and(Lorebook::is_shared_on_purpose) {
            return Ok(Isolation::Nothing(say!("Its lorebook is shared on purpose.")));
        }
        // SillyTavern saves all chats of a character when it is renamed.
        let is_it =
            |other: &HeaderOf| other.chat == *chat && naming::names(&other.header, &seen.name);
        if !host.headers(&is_it).await?.is_empty() {
            return Ok(Isolation::Nothing(say!("It is no new timeline.")));
        }
    }
    let moment = moment_of(look, lore, live);
    let kind = kind_of(host, look, purpose).await?;
    let mut request = Request::new(kind, chat.clone());
    (request.lore, request.drop_queue, request.link) = (lore, true, false);
    request.doing = if is_rewind { Doing::Rewind } else { Doing::Isolate };
    let mut report = judge(look, &request, live, &moment);
    let (Ok(mut moment), true) = (moment, report.valid) else {
        return Err(refusal(&report));
    };
    let id = operation_id(look);
    let parent = header.main_chat().unwrap_or_else(|| chat.name.clone());
    // Nobody else's book may change: only one that is its own alone is written over.
    let in_place = purpose == (Purpose::Rewind { in_place: true }) && seen.document.is_some();
    let keeps = in_place.then_some(seen.name.as_str());
    let making = Making {
        look,
        live,
        chat,
        kind,
        id: &id,
        parent: &parent,
        keeps,
        reorder: false,
        parting: parting(look, &id, purpose),
    };
    // One that is just being made has written nothing yet, and what is missing holds nothing.
    let leaves = !matches!(purpose, Purpose::Adopt(_))
        && !in_place
        && !look.others.is_empty()
        && seen.document.is_some();
    let Some(lorebook) = making.lorebook(&moment, &mut report)? else {
        return Ok(Isolation::Nothing(say!("It keeps the shared lorebook, as asked.")));
    };
    note_left_out(&mut moment, Some(&lorebook), &mut report);
    undecided::note(&mut moment, Some(&lorebook), &mut report);
    if leaves && !moment.is_filmed {
        note_others(&mut moment, &report);
    }
    let slug =
        if host.is_outside() { slug::slug(look.slug) } else { header.slug().unwrap_or_default() };
    let adopted_by = match purpose {
        Purpose::Adopt(parent) => Some(parent),
        Purpose::Isolate | Purpose::Rewind { .. } => None,
    };
    let text = header_text(&making, &moment, &lorebook, &slug, adopted_by, leaves, &mut report)
        .map_err(|problem| unwritable(chat, &problem))?;
    let edits = edits(look, &lorebook, text, purpose)?;
    Ok(Isolation::Planned(Box::new(IsolationPlan {
        id,
        chat: chat.clone(),
        kind,
        at: look.at,
        lorebook,
        others: look.others.clone(),
        report,
        slug,
        edits,
        replaces: seen.document.as_ref().filter(|_| in_place).map(|book| book.stamp.clone()),
        moment,
    })))
}

/// A lorebook that others use as it is now holds what their hands wrote, and nothing would tell; a
/// snapshot is known to if their scenes came before it.
fn note_others(moment: &mut Moment, report: &Report) {
    let wrote_too = |finding: &Finding| finding.code == Code::OthersWroteToo;
    moment.quality = match moment.quality {
        Quality::Exact => Quality::Current,
        Quality::Snapshot if report.warnings.iter().any(wrote_too) => Quality::Partial,
        other => other,
    };
}

/// What it leaves behind. One that is just being made has nothing of its own yet.
fn parting<C: ChatView>(look: &Look<C>, id: &str, purpose: Purpose<'_>) -> Parting {
    let (header, name) = (look.header(), &look.view.chat().name);
    match purpose {
        Purpose::Adopt(_) => Parting::of_new(&header, name, id),
        Purpose::Isolate | Purpose::Rewind { .. } => {
            Parting::of_former(&header, look.alike.iter().map(String::as_str), name, id)
        }
    }
}

/// Whether it is a checkpoint or a branch: by its record, else by what its parent links to. Of one
/// that is just being made, by its name: SillyTavern asks nobody what to call a branch.
async fn kind_of<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    purpose: Purpose<'_>,
) -> Result<Kind, Error> {
    let chat = look.view.chat();
    let header = look.header();
    if let Some(record) = Record::own(&header, &chat.name) {
        return Ok(if record.kind == record::Kind::Checkpoint {
            Kind::Checkpoint
        } else {
            Kind::Branch
        });
    }
    let Some(parent) = header.main_chat() else { return Ok(Kind::Branch) };
    if let Purpose::Adopt(_) = purpose {
        let settings = look.settings.as_deref().and_then(|text| Settings::read(text).ok());
        let version = settings.and_then(|settings| settings.version()).unwrap_or_default();
        let is_branch = is_branch_name(version, &parent, &chat.name);
        return Ok(if is_branch { Kind::Branch } else { Kind::Checkpoint });
    }
    // The parent may be gone; then it does not matter.
    let parent = host.open(&chat.sibling(parent)).await;
    Ok(parent.map_or(Kind::Branch, |parent| kind_in(&parent, &chat.name)))
}

fn header_text<C: ChatView>(
    making: &Making<'_, C>,
    moment: &Moment,
    lorebook: &NewLorebook,
    slug: &str,
    adopted_by: Option<&Parent>,
    leaves: bool,
    report: &mut Report,
) -> Result<String, crate::json::JsonError> {
    let look = making.look;
    let header = look.header();
    let old = Record::own(&header, &making.chat.name);
    let mut edit = HeaderEdit::new(look.view.header());
    making.rewind(&mut edit, moment, Some(lorebook), report)?;
    if look.is_outside {
        edit.set_text(&["integrity"], slug)?;
    }
    let main_chat = header.main_chat();
    // Of its messages, which stay, whatever its lorebook goes back to.
    let last = look.view.len().saturating_sub(1);
    let at = old.as_ref().filter(|_| look.at < last).map_or(last, |old| old.at);
    let record = Record {
        v: RECORD_VERSION,
        id: record::own_id(&header, &making.chat.name).unwrap_or_else(|| making.id.to_owned()),
        kind: if main_chat.is_some() { making.kind.into() } else { record::Kind::Main },
        chat: making.chat.name.clone(),
        slug: Some(slug.to_owned()).filter(|slug| !slug.is_empty()),
        parent: old
            .and_then(|old| old.parent)
            .or_else(|| adopted_by.cloned())
            .or_else(|| main_chat.map(|chat| Parent { chat, slug: None, id: None })),
        at,
        base: making.base(),
        lore: making.lore(moment, Some(lorebook)),
    };
    making.write_records(&mut edit, &record, Some(lorebook), report)?;
    // What it wrote until now is in the lorebook that it leaves to the others.
    if leaves {
        record::mark_shared(&mut edit, &lorebook.from, look.now.ms)?;
    }
    // A new branch shares with its parent, too, and until now both were one.
    let is_other = |other: &ChatRef| header.main_chat().as_ref() != Some(&other.name);
    if leaves || !look.witnesses.is_empty() || look.others.iter().any(is_other) {
        foreign::mark_mixed(&mut edit, look.now.ms)?;
    }
    if let Some(film) = look.film.as_ref().filter(|_| moment.is_filmed) {
        foreign::add(&mut edit, foreign::listed(&header), &film.foreign)?;
    }
    Ok(edit.into_text())
}

/// The lines that change.
fn edits<C: ChatView>(
    look: &Look<C>,
    lorebook: &NewLorebook,
    header: String,
    purpose: Purpose<'_>,
) -> Result<Vec<LineEdit>, Error> {
    let chat = look.view.chat();
    let mut edits = vec![LineEdit { line: Line::Header, text: header }];
    if lorebook.from == lorebook.name {
        return Ok(edits);
    }
    // Later messages than the moment's stay, and name the new lorebook, too.
    let naming = match purpose {
        Purpose::Isolate | Purpose::Adopt(_) => look.naming.clone(),
        Purpose::Rewind { .. } => {
            messages_naming(&look.view, &lorebook.from, 0, look.view.len() - 1)?
        }
    };
    for message in &naming {
        let line = look.view.line(*message)?;
        if let Some(text) = line_with_lorebook(&line, &lorebook.from, &lorebook.name)
            .map_err(|problem| unwritable(chat, &problem))?
        {
            edits.push(LineEdit { line: Line::Message(*message), text });
        }
    }
    Ok(edits)
}

/// What is written: the lorebook, then the chat that names it.
pub(super) fn changes<C: ChatView>(look: &Look<C>, plan: &IsolationPlan) -> Vec<FileChange> {
    let book = match &look.lorebook {
        Some(seen) if plan.replaces.is_some() => seen.file.clone(),
        _ => plan.lorebook.name.clone(),
    };
    vec![
        FileChange {
            file: FileRef::Lorebook(book),
            seen: plan.replaces.clone(),
            to: To::Text(plan.lorebook.text.clone()),
        },
        FileChange {
            file: FileRef::Chat(plan.chat.clone()),
            seen: Some(look.view.stamp().clone()),
            to: To::Lines(plan.edits.clone()),
        },
    ]
}
