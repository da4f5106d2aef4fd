//! Isolating: a timeline that shares its lorebook gets its own, as of its last message. One change set,
//! as a rewinding is.

use super::look::{Look, Shelf, look};
use super::rebind::{Isolation, IsolationPlan, Purpose, changes, plan};
use super::steps::{source_is_unchanged, still_there};
use crate::error::report::{Finding, findings_json};
use crate::error::{Code, Error};
use crate::host::{Host, Step};
use crate::json::Object;
use crate::moment::{LoreChoice, Quality, Source};
use crate::operation::What;
use crate::operation::change::{Done, apply_as};
use crate::operation::recover::{self, Healed};
use crate::sentence::Sentence;
use crate::tavern::place::ChatRef;

/// A timeline that has its own lorebook now, or had it before.
#[derive(Debug, Clone)]
pub struct Isolated {
    /// The operation, if anything was changed.
    pub id: Option<String>,
    /// Its name.
    pub chat: String,
    /// Its file, relative to the user folder.
    pub file: String,
    /// Whether anything was changed.
    pub changed: bool,
    /// The lorebook it has now.
    pub lorebook: Option<String>,
    /// The message whose lorebook it got.
    pub at: Option<usize>,
    /// Where that was taken from.
    pub source: Option<Source>,
    /// The message whose snapshot it is.
    pub from: Option<usize>,
    /// How sure it is that it is the lorebook of that message.
    pub quality: Option<Quality>,
    /// What the user should know though nothing forbids it.
    pub warnings: Vec<Finding>,
    /// Why nothing was changed.
    pub reason: Option<Sentence>,
    /// Entries of the new lorebook besides its queue.
    pub entries: usize,
    /// What earlier operations had left behind, and was healed first.
    pub healed: Vec<Healed>,
}

impl Isolated {
    /// As answers have it.
    pub fn json(&self) -> String {
        let mut object = Object::new();
        object
            .text("chat", &self.chat)
            .text("file", &self.file)
            .flag("changed", self.changed)
            .text_or_null("lorebook", self.lorebook.as_deref())
            .count_or_null("at", self.at)
            .text_or_null("source", self.source.map(Source::word))
            .count_or_null("from", self.from)
            .text_or_null("quality", self.quality.map(Quality::word))
            .raw("warnings", &findings_json(&self.warnings));
        if let Some(reason) = &self.reason {
            object.sentence("reason", reason);
        }
        if let Some(id) = &self.id {
            object.text("id", id);
        }
        object.done()
    }
}

/// Gives a timeline that shares its lorebook its own.
pub async fn isolate<H: Host>(
    host: &H,
    chat: &ChatRef,
    lore: LoreChoice,
) -> Result<Isolated, Error> {
    let _claim = host.claim(&format!("isolating {chat}")).await?;
    let healed = recover::heal(host).await?;
    host.progress(Step::Validating);
    host.settle(chat).await?;
    let mut retried = false;
    loop {
        let shelf = Shelf::default();
        let (look, live) = look(host, chat, None, None, &shelf, &|_, _| lore).await?;
        let plan = match plan(host, &look, live.as_ref(), lore, Purpose::Isolate).await? {
            Isolation::Nothing(reason) => return Ok(nothing(chat, reason, healed)),
            Isolation::Planned(plan) => plan,
        };
        match write(host, &look, &plan).await {
            Ok(done) => return Ok(isolated(*plan, done.warnings, healed)),
            Err(error) if error.code == Code::ChangedMeanwhile && !retried => retried = true,
            Err(error) => return Err(error),
        }
    }
}

fn nothing(chat: &ChatRef, reason: Sentence, healed: Vec<Healed>) -> Isolated {
    Isolated {
        id: None,
        chat: chat.name.clone(),
        file: chat.file(),
        changed: false,
        lorebook: None,
        at: None,
        source: None,
        from: None,
        quality: None,
        warnings: Vec::new(),
        reason: Some(reason),
        entries: 0,
        healed,
    }
}

fn isolated(plan: IsolationPlan, late: Vec<Finding>, healed: Vec<Healed>) -> Isolated {
    let mut warnings = plan.report.warnings;
    warnings.extend(late);
    Isolated {
        id: Some(plan.id),
        chat: plan.chat.name.clone(),
        file: plan.chat.file(),
        changed: true,
        entries: plan.lorebook.entries,
        lorebook: Some(plan.lorebook.name),
        at: Some(plan.at),
        source: Some(plan.moment.source),
        from: plan.moment.from,
        quality: Some(plan.moment.quality),
        warnings,
        reason: None,
        healed,
    }
}

/// Writes lorebook and chat, or nothing, if all still is what was judged.
async fn write<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    plan: &IsolationPlan,
) -> Result<Done, Error> {
    source_is_unchanged(host, look).await?;
    still_there(host, look).await?;
    host.progress(Step::Lorebook);
    let title = Sentence::quoted(plan.chat.to_string());
    apply_as(host, &plan.id, What::Isolate, title, changes(look, plan)).await
}
