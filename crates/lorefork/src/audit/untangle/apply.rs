//! Doing it: one operation, so that one undo takes all of it back.

use super::family::Family;
use super::plan::{OwnBook, Plan, plan};
use crate::error::{Code, Error};
use crate::host::Host;
use crate::operation::What;
use crate::operation::change::{Done, FileChange, FileRef, To, apply};
use crate::operation::recover::{self, Healed};
use crate::operation::title;
use crate::sentence::Sentence;

/// A family that shares its lorebook no longer.
#[derive(Debug, Clone)]
pub struct Untangled {
    /// What was planned, and done.
    pub plan: Plan,
    /// The operation that did it, for undoing.
    pub done: Done,
    /// What earlier operations had left behind, and was healed first.
    pub healed: Vec<Healed>,
}

/// Gives every timeline of the family its own book.
pub async fn untangle<H: Host>(host: &H, family: &Family) -> Result<Untangled, Error> {
    let claim = host.claim(&format!("untangling “{}”", family.lorebook)).await;
    let _claim = claim?;
    let healed = recover::heal(host).await?;
    for chat in &family.chats {
        host.settle(chat).await?;
    }
    let mut retried = false;
    loop {
        let plan = plan(host, family).await?;
        match apply(host, What::Untangle, plan.title(), plan.changes()).await {
            Ok(done) => return Ok(Untangled { plan, done, healed }),
            Err(error) if error.code == Code::ChangedMeanwhile && !retried => retried = true,
            Err(error) => return Err(error),
        }
    }
}

impl Plan {
    /// What `log` calls it.
    pub fn title(&self) -> Sentence {
        let lorebook = (&self.lorebook).into();
        match self.timelines.len() {
            1 => Sentence { says: title::USED_BY_OTHERS, with: vec![lorebook] },
            many => Sentence { says: title::SHARED, with: vec![lorebook, many.into()] },
        }
    }

    /// Every file that changes. New books come before the chats that name them, and the shared book
    /// loses entries only when they stand elsewhere.
    pub fn changes(&self) -> Vec<FileChange> {
        let (keeper, others): (Vec<_>, Vec<_>) =
            self.timelines.iter().partition(|own| own.keeps_name);
        let mut changes: Vec<FileChange> =
            others.iter().filter_map(|own| self.book_change(own)).collect();
        changes.extend(others.iter().filter_map(|own| chat_change(own)));
        changes.extend(keeper.iter().filter_map(|own| self.book_change(own)));
        changes.extend(keeper.iter().filter_map(|own| chat_change(own)));
        changes
    }

    fn book_change(&self, own: &OwnBook) -> Option<FileChange> {
        Some(FileChange {
            file: FileRef::Lorebook(own.lorebook.clone()),
            seen: own.keeps_name.then(|| self.seen.stamp.clone()),
            to: To::Text(own.book.clone()?),
        })
    }
}

fn chat_change(own: &OwnBook) -> Option<FileChange> {
    (!own.lines.is_empty()).then(|| FileChange {
        file: FileRef::Chat(own.chat.clone()),
        seen: Some(own.seen.clone()),
        to: To::Lines(own.lines.clone()),
    })
}
