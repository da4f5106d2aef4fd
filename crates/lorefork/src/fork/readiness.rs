//! Readiness: how each message's buttons look. One look at the whole chat, then every
//! stretch of messages between two scenes is judged once.

use super::judge::judge;
use super::look::{Shelf, look_since};
use super::plan::{choice_of, moment_of};
use super::request::Request;
use crate::error::report::{Finding, Report};
use crate::error::{Code, Error};
use crate::host::{ChatView, Host};
use crate::memory::entries::{is_queue, is_registry};
use crate::memory::ranges;
use crate::moment::{Moment, Quality, Source};
use crate::sentence::Sentence;
use crate::tavern::lorebook::Entry;

/// What a button says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nothing speaks against a fork here.
    Ready,
    /// It can be forked here, and something is worth knowing.
    Warned,
    /// It cannot be forked here.
    Blocked,
}

/// Messages in a row that are judged alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The first one.
    pub from: usize,
    /// The last one.
    pub to: usize,
    /// What the buttons of all of them say.
    pub state: State,
    /// The cause; none if ready.
    pub why: Option<Sentence>,
}

/// Judges the messages of a chat from `first` on, in order. Reads only.
///
/// A page shows the last hundred of a chat that may have thousands, and is in use meanwhile: so
/// the others are not judged, and the host may do something else after each stretch.
pub async fn readiness<H: Host>(
    host: &H,
    request: &Request,
    first: usize,
) -> Result<Vec<Span>, Error> {
    let mut look = look_since(host, &request.chat, None, None, first).await?;
    host.pause().await;
    let shelf = Shelf::default();
    let mut live = shelf.read(look.lorebook.as_ref())?;
    if let Some(book) = &mut live {
        // Each stretch is judged by all entries: those that say nothing about it are in the way.
        book.entries.retain(decides);
    }
    host.pause().await;
    let scenes = look.scenes.clone();
    let mut spans: Vec<Span> = Vec::new();
    // From the end, so that scenes only ever go.
    let mut to = look.view.len() - 1;
    loop {
        let before = scenes.iter().rev().find(|scene| scene.at < to);
        let is_alone = look.is_last || scenes.iter().any(|scene| scene.at == to);
        let from = if is_alone { to } else { before.map_or(0, |scene| scene.at + 1) };
        look.at = to;
        look.scenes.retain(|scene| scene.at <= to);
        let next = scenes.iter().find(|scene| scene.at > to && scene.is_evidence);
        look.evidence_after = next.is_some();
        look.recapped_after = next.and_then(|scene| scene.first_time);
        let choice = choice_of(&look, request, live.as_ref());
        let moment = match look.has_film(choice) {
            // What it leaves open is said when it is asked: to ask it of every message takes long.
            true => Ok(Moment::plain(Source::Snapshot, Quality::Snapshot)),
            false => moment_of(&look, choice, live.as_ref()),
        };
        let (state, why) = said(&judge(&look, request, live.as_ref(), &moment));
        match spans.last_mut() {
            Some(later) if later.state == state && later.why == why => later.from = from,
            _ => spans.push(Span { from, to, state, why }),
        }
        let Some(next) = from.checked_sub(1).filter(|next| *next >= first) else { break };
        host.pause().await;
        look.is_last = false;
        to = next;
    }
    spans.reverse();
    Ok(spans)
}

/// Whether an entry can change what is said: the queue, registries, and memories.
fn decides(entry: &Entry<'_>) -> bool {
    let comment = entry.comment();
    is_queue(&comment) || is_registry(&comment) || ranges::is_memory(entry)
}

fn said(report: &Report) -> (State, Option<Sentence>) {
    if let Some(error) = report.errors.first() {
        return (State::Blocked, words(error));
    }
    match report.warnings.iter().find(|warning| !is_remark(warning.code)) {
        Some(warning) => (State::Warned, words(warning)),
        None => (State::Ready, None),
    }
}

/// The words for all messages of a stretch.
fn words(finding: &Finding) -> Option<Sentence> {
    Some(finding.here.as_ref().unwrap_or(&finding.message).clone())
}

/// What need not be known before: it is said when it matters.
fn is_remark(code: Code) -> bool {
    use Code::*;
    matches!(
        code,
        NoSceneBreak
            | NotRewound
            | ReplacesCheckpoint
            | SettingsNotCopied
            | DuplicateQueue
            | CombinedRecapDropped
            | InterruptedOperation
            | DanglingRegistryUid
    )
}
