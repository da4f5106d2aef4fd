//! Carrying entries over into another timeline's lorebook: the one way lore crosses, and only by hand.

mod crossing;
mod json;

use super::compare::{EntryOf, header, unreadable};
use crate::error::report::Finding;
use crate::error::{Code, Error};
use crate::fork::plan::unwritable;
use crate::host::{ChatView, Host, Line};
use crate::json::{JsonError, set_members};
use crate::memory::registries;
use crate::naming::who_needs;
use crate::operation::What;
use crate::operation::change::{Done, FileChange, apply};
use crate::operation::recover::{self, Healed};
use crate::operation::staging::Desk;
use crate::operation::title;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::chat::HeaderEdit;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names;
use crate::tavern::place::ChatRef;
use crossing::Crossing;

/// What becomes of an entry that the other lorebook has, too, and that says something else there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The other one stays.
    Keep,
    /// It is replaced.
    Replace,
    /// Both stand beside each other.
    Both,
}

/// An entry to carry over, by its number, and what was decided if the other has it already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Its key in the lorebook it comes from.
    pub uid: String,
    /// `None`: it is asked about, if there is something to ask.
    pub decision: Option<Decision>,
}

impl Chosen {
    /// Several, with one decision for all.
    pub fn all(uids: &[String], decision: Option<Decision>) -> Vec<Self> {
        uids.iter().map(|uid| Self { uid: uid.clone(), decision }).collect()
    }
}

/// What becomes of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// As it is where it comes from.
    pub entry: EntryOf,
    /// What happens to it.
    pub fate: Fate,
    /// Kinds of registries that list it there from now on.
    pub registries: Vec<String>,
}

/// Whether it goes over, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Under this number.
    Added(i64),
    /// In the place of the one with this number.
    Replaces(i64),
    /// The other says the same already.
    Same,
    /// Kept as it is there, as was decided.
    Kept,
    /// It is there and says something else: somebody has to decide.
    Undecided(EntryOf),
}

/// What carrying over would do.
#[derive(Debug, Clone)]
pub struct CarryPlan {
    /// The timeline whose entries are taken.
    pub from: ChatRef,
    /// The timeline that gets them.
    pub to: ChatRef,
    /// The lorebook that is written, which is that timeline's.
    pub lorebook: String,
    /// One for each that was chosen.
    pub entries: Vec<Carried>,
    /// What the user should know though nothing forbids it.
    pub warnings: Vec<Finding>,
    changes: Vec<FileChange>,
}

impl CarryPlan {
    /// How many wait for a decision.
    pub fn undecided(&self) -> usize {
        self.entries.iter().filter(|one| matches!(one.fate, Fate::Undecided(_))).count()
    }

    /// Whether anything would change.
    pub fn changes_anything(&self) -> bool {
        !self.changes.is_empty()
    }
}

/// What was carried over.
#[derive(Debug, Clone)]
pub struct CarriedOver {
    /// What was planned, and done.
    pub plan: CarryPlan,
    /// `None` if there was nothing to do.
    pub done: Option<Done>,
    /// What earlier operations had left behind, and was healed first.
    pub healed: Vec<Healed>,
}

/// The entries of a timeline's lorebook, to choose from.
pub async fn entries_of<H: Host>(host: &H, chat: &ChatRef) -> Result<Vec<EntryOf>, Error> {
    let (_, text) = lorebook(host, chat).await?;
    let book = Lorebook::read(&text.1).map_err(|problem| unreadable(&text.0, &problem))?;
    let lore = book.entries.iter().filter(|entry| super::compare::is_lore(entry));
    Ok(lore.map(EntryOf::read).collect())
}

/// A timeline's lorebook: its file's name and its text.
async fn lorebook<H: Host>(host: &H, chat: &ChatRef) -> Result<(H::Chat, (String, String)), Error> {
    let view = host.open(chat).await?;
    let name = header(&view)?.lorebook();
    let Some(file) = name.as_deref().and_then(names::lorebook_name) else {
        let message = say!("{0} has no lorebook", chat);
        return Err(Error::new(Code::MissingLorebook, message, say!("Give it one first.")));
    };
    let Some(document) = host.lorebook(&file).await? else {
        let message = say!("the lorebook “{0}” of {1} does not exist", &file, chat);
        return Err(Error::new(Code::MissingLorebook, message, say!("Check the timelines."))
            .or(crate::choice::Choice::Check));
    };
    Ok((view, (file, document.text)))
}

/// Carries entries over.
pub async fn carry<H: Host>(
    host: &H,
    from: &ChatRef,
    to: &ChatRef,
    chosen: &[Chosen],
) -> Result<CarriedOver, Error> {
    let _claim = host.claim(&format!("carrying over to {to}")).await?;
    let healed = recover::heal(host).await?;
    let mut retried = false;
    loop {
        let plan = plan_carry(host, from, to, chosen).await?;
        if let Some(Fate::Undecided(other)) =
            plan.entries.iter().map(|one| &one.fate).find(|fate| matches!(fate, Fate::Undecided(_)))
        {
            let message =
                say!("“{0}” is in {1} already, and says something else", other.called(), to);
            let hint =
                say!("Say whether the other one stays, is replaced, or both shall be there.");
            return Err(Error::new(Code::NameTaken, message, hint));
        }
        if plan.changes.is_empty() {
            return Ok(CarriedOver { plan, done: None, healed });
        }
        let title = Sentence {
            says: if chosen.len() == 1 { title::CARRIED_ONE } else { title::CARRIED },
            with: vec![plan.entries.len().into(), from.into(), to.into()],
        };
        match apply(host, What::Carry, title, plan.changes.clone()).await {
            Ok(done) => return Ok(CarriedOver { plan, done: Some(done), healed }),
            Err(error) if error.code == Code::ChangedMeanwhile && !retried => retried = true,
            Err(error) => return Err(error),
        }
    }
}

/// What carrying over would do. Reads only.
pub async fn plan_carry<H: Host>(
    host: &H,
    from: &ChatRef,
    to: &ChatRef,
    chosen: &[Chosen],
) -> Result<CarryPlan, Error> {
    let (_, (source_name, source)) = lorebook(host, from).await?;
    let (view, (name, text)) = lorebook(host, to).await?;
    if names::same_lorebook(&source_name, &name) {
        let message = say!("both timelines use the lorebook “{0}”", &name);
        let hint = say!("There is nothing to carry over until each has its own.");
        return Err(Error::new(Code::InUse, message, hint).or(crate::choice::Choice::Isolate));
    }
    let theirs = Lorebook::read(&source).map_err(|problem| unreadable(&source_name, &problem))?;
    let read = Lorebook::read(&text).map_err(|problem| unreadable(&name, &problem))?;
    let object = read.as_object_text().map_err(|problem| unreadable(&name, &problem))?;
    let mine = Lorebook::read(&object).map_err(|problem| unreadable(&name, &problem))?;
    let broken = |problem: JsonError| unreadable(&name, &problem.into());
    let mut crossing = Crossing::new(&theirs, &mine);
    let mut entries = Vec::new();
    for Chosen { uid, decision } in chosen {
        let Some(at) = crossing.find(uid) else {
            let message = say!("the lorebook “{0}” has no entry {1}", &source_name, uid);
            return Err(Error::new(Code::MissingLorebook, message, say!("Compare the two again.")));
        };
        entries.push(crossing.carry(at, *decision).map_err(broken)?);
    }
    let mut warnings = crossing.warnings;
    let others = who_needs(host, &name).await?;
    let others: Vec<_> = others.iter().filter(|other| other.chat != *to).collect();
    if let Some(other) = others.first() {
        warnings.push(Finding::new(
            Code::NamedElsewhere,
            say!("{0} uses the lorebook “{1}”, too, and will know it as well.", &other.chat, &name),
            say!("Give each its own lorebook first, unless that is meant."),
        ));
    }
    let mut desk = Desk::new(host);
    if !crossing.new.is_empty() {
        let new: Vec<(&str, String)> =
            crossing.new.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
        let after = set_members(&object, "entries", &new).map_err(broken)?;
        desk.book(&name).await?;
        desk.set_book(&name, after).await?;
        let before = header_text(&view);
        let mut edit = HeaderEdit::new(&before);
        registries::add_to_index(&mut edit, &header(&view)?, &crossing.listed)
            .map_err(|error| unwritable(to, &error))?;
        if edit.text() != before {
            desk.set_line(to, Line::Header, edit.into_text()).await?;
        }
    }
    let changes = desk.changes()?;
    Ok(CarryPlan {
        from: from.clone(),
        to: to.clone(),
        lorebook: name.clone(),
        entries,
        warnings,
        changes,
    })
}

fn header_text<C: ChatView>(view: &C) -> String {
    view.header().trim_start_matches('\u{feff}').to_owned()
}
