//! Putting it right: what would become of the files, and doing it.
//!
//! Shared lorebooks come apart first, each as an operation of its own, since that cures more than
//! it was asked for. All other repairs are one operation.

use lorefork::audit::Problem;
use lorefork::audit::fix::{self, Missing, Outcome, apart};
use lorefork::audit::untangle::OwnBook;
use lorefork::error::Error;
use lorefork::host::Host as _;
use lorefork::json::{Object, array, array_of_texts};
use lorefork::operation::change::FileChange;
use wasm_bindgen::prelude::*;

use super::check::{chosen, problems, text};
use super::files;
use crate::answer::{self, answer};
use crate::ask;
use crate::host::WebHost;
use crate::page::Page;

/// What became of a problem, or would.
struct Step {
    problem: Problem,
    /// Why it is left to the user.
    left: Option<String>,
    /// How a shared lorebook comes apart.
    timelines: Vec<OwnBook>,
}

/// What repairing the problems with these keys, or all that can be repaired, would do. Reads only.
#[wasm_bindgen(js_name = "planFix")]
pub async fn plan_fix(
    page: Page,
    chat: String,
    shared: String,
    keys: String,
    missing: Option<String>,
) -> String {
    let planned = async {
        let host = WebHost::new(page);
        let (looked, found) = problems(&host, &ask::chat(&chat)?, &shared).await?;
        let found = chosen(found, &keys);
        let missing = choice(missing.as_deref());
        let mut changes: Vec<FileChange> = Vec::new();
        let mut steps = Vec::new();
        for problem in found.iter().filter(|problem| apart::sharing(problem).is_some()) {
            let mut step = Step { problem: problem.clone(), left: None, timelines: Vec::new() };
            match apart::plan(&host, problem).await {
                Ok(plan) => {
                    changes.extend(plan.changes());
                    step.timelines = plan.timelines;
                }
                Err(why) => step.left = Some(why),
            }
            steps.push(step);
        }
        let rest: Vec<Problem> =
            found.into_iter().filter(|problem| apart::sharing(problem).is_none()).collect();
        let plan = fix::plan(&host, &looked.folder, &rest, missing).await?;
        changes.extend(plan.changes);
        steps.extend(rest.into_iter().zip(plan.outcomes).map(step));
        Ok::<_, Error>(fixed_text(&steps, &changes).done())
    };
    answer(planned.await)
}

/// Repairs the problems with these keys, or all that can be repaired.
#[wasm_bindgen]
pub async fn fix(
    page: Page,
    chat: String,
    shared: String,
    keys: String,
    missing: Option<String>,
) -> String {
    let fixed = async {
        let host = WebHost::new(page);
        let chat = ask::chat(&chat)?;
        host.settle(&chat).await.map_err(|error| Error::writing(&error))?;
        let (mut looked, found) = problems(&host, &chat, &shared).await?;
        let mut found = chosen(found, &keys);
        let asked = found.len();
        let missing = choice(missing.as_deref());
        let (mut steps, mut operations, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        for problem in found.iter().filter(|problem| apart::sharing(problem).is_some()) {
            let mut step = Step { problem: problem.clone(), left: None, timelines: Vec::new() };
            match apart::apply(&host, problem).await {
                Ok(done) => {
                    operations.push(done.done.id);
                    changes.extend(done.plan.changes());
                    step.timelines = done.plan.timelines;
                }
                // What else there is can still be repaired.
                Err(why) => step.left = Some(why),
            }
            steps.push(step);
        }
        if !operations.is_empty() {
            // That has cured more than it was asked for.
            let (again, left) = problems(&host, &chat, &shared).await?;
            looked = again;
            found = chosen(left, &keys);
        }
        found.retain(|problem| apart::sharing(problem).is_none());
        let (plan, done) = fix::apply(&host, &looked.folder, &found, missing).await?;
        operations.extend(done.iter().map(|done| done.id.clone()));
        changes.extend(plan.changes);
        steps.extend(found.into_iter().zip(plan.outcomes).map(step));
        let warnings = done.map(|done| done.warnings).unwrap_or_default();
        let left = steps.iter().filter(|step| step.left.is_some()).count();
        Ok::<_, Error>(
            fixed_text(&steps, &changes)
                .count("mended", asked.saturating_sub(left))
                .raw("operations", &array_of_texts(&operations))
                .raw("warnings", &answer::warnings(&warnings))
                .done(),
        )
    };
    answer(fixed.await)
}

pub(super) fn choice(text: Option<&str>) -> Missing {
    match text {
        Some("parent") => Missing::Parent,
        Some("empty") => Missing::Empty,
        Some("detach") => Missing::Detach,
        Some("leave") => Missing::Leave,
        _ => Missing::Rebuild,
    }
}

fn step((problem, outcome): (Problem, Outcome)) -> Step {
    let left = match outcome {
        Outcome::Left(why) => Some(why),
        Outcome::Mended | Outcome::Untangled => None,
    };
    Step { problem, left, timelines: Vec::new() }
}

fn fixed_text(steps: &[Step], changes: &[FileChange]) -> Object {
    let steps: Vec<String> = steps.iter().map(step_text).collect();
    let mut text = Object::new();
    text.raw("steps", &array(&steps)).raw("files", &files::planned(changes));
    text
}

fn step_text(step: &Step) -> String {
    let timelines: Vec<String> = step.timelines.iter().map(timeline_text).collect();
    text(&step.problem)
        .text_or_null("left", step.left.as_deref().map(answer::for_page).as_deref())
        .raw("timelines", &array(&timelines))
        .done()
}

fn timeline_text(own: &OwnBook) -> String {
    let left_out: Vec<String> = own.left_out.iter().map(|left| left.name.clone()).collect();
    let undecided: Vec<String> = own
        .undecided
        .iter()
        .map(|kept| Object::new().text("name", &kept.name).text("why", kept.why).done())
        .collect();
    Object::new()
        .text("chat", &own.chat.name)
        .text("lorebook", &own.lorebook)
        .flag("keepsName", own.keeps_name)
        .count("entries", own.entries)
        .raw("restored", &array_of_texts(&own.restored))
        .raw("leftOut", &array_of_texts(&left_out))
        .raw("undecided", &array(&undecided))
        .count("memoriesLeftOut", own.memories_left_out)
        .count("waiting", own.waiting)
        .done()
}
