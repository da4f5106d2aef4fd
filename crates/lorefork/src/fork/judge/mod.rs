//! Judging: every requirement at once.

mod around;
mod lorebook;
mod moment;
mod queue;
mod recap;

pub(super) use queue::queues;

use super::look::Look;
use super::request::Request;
use crate::choice::Choice;
use crate::error::Code;
use crate::error::report::{Finding, Report, State};
use crate::host::ChatView;
use crate::memory;
use crate::memory::queues::Queue;
use crate::memory::scene::Scene;
use crate::moment::decide::NoSnapshot;
use crate::moment::{LoreChoice, Moment};
use crate::say;
use crate::tavern::lorebook::Lorebook;
use around::warn_about_surroundings;
use lorebook::{lorebook_is_there, no_snapshot};
use moment::{warn_about_moment, warn_about_others};
use queue::queue_is_empty;
use recap::{is_kept, recap_is_complete};

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
