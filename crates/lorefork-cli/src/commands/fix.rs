//! `lorefork fix`: shows what would be done about problems, and does it.

use lorefork::audit::fix::{self, Outcome};
use lorefork::audit::{Action, Code, Problem};
use lorefork::fork;
use lorefork::moment::LoreChoice;
use serde_json::{Value, json};

use super::check::{self, Checked, about};
use crate::args::{Fix, Globals};
use crate::error::{Exit, Failure};
use crate::output::style::{CARE, GOOD};
use crate::output::{Answer, Page, Text, words};

/// What became of a problem, or would.
struct Step {
    problem: Problem,
    outcome: Outcome,
}

pub(super) fn run(globals: &Globals, args: &Fix) -> Result<Answer, Failure> {
    let only = codes(&args.only)?;
    let mut page = Page::new();
    let (mut steps_json, mut operations, mut is_left) = (Vec::new(), Vec::new(), false);
    for mut checked in check::look(globals, &args.chats)? {
        let is_asked = |problem: &Problem| only.is_empty() || only.contains(&problem.code);
        checked.problems.retain(is_asked);
        let mut steps = Vec::new();
        if args.apply {
            isolate(&mut checked, &mut steps, &mut operations)?;
            checked.problems.retain(is_asked);
            let (host, missing) = (&checked.host, args.missing.into());
            let (plan, done) =
                pollster::block_on(fix::apply(host, &checked.folder, &checked.problems, missing))?;
            operations.extend(done.map(|done| done.id));
            add(&mut steps, &checked, plan);
        } else {
            let (host, missing) = (&checked.host, args.missing.into());
            let plan =
                pollster::block_on(fix::plan(host, &checked.folder, &checked.problems, missing))?;
            add(&mut steps, &checked, plan);
        }
        is_left |= steps.iter().any(|step| matches!(step.outcome, Outcome::Left(_)));
        show(&mut page, &checked, &steps, args.apply);
        steps_json.extend(steps.iter().map(|step| step_json(step, &checked)));
    }
    let is_planned = !args.apply && steps_json.iter().any(|step| step["left"].is_null());
    ending(&mut page, args, is_planned, &operations);
    let exit = if is_left || is_planned { Exit::No } else { Exit::Done };
    let json = json!({ "applied": args.apply, "steps": steps_json, "operations": operations });
    Ok(Answer { exit, json, page })
}

fn codes(names: &[String]) -> Result<Vec<Code>, Failure> {
    names
        .iter()
        .map(|name| Code::named(name).ok_or_else(|| super::explain::unknown(name)))
        .collect()
}

fn add(steps: &mut Vec<Step>, checked: &Checked, plan: fix::Plan) {
    let problems = checked.problems.iter().cloned();
    steps.extend(problems.zip(plan.outcomes).map(|(problem, outcome)| Step { problem, outcome }));
}

/// Gives the timelines that share a lorebook their own, each as an operation of its own; then looks
/// again, since that cures more than it was asked for.
fn isolate(
    checked: &mut Checked,
    steps: &mut Vec<Step>,
    operations: &mut Vec<String>,
) -> Result<(), Failure> {
    let mut is_changed = false;
    for problem in &checked.problems {
        let Action::Isolate { chats } = &problem.fix.action else { continue };
        let mut outcome = Outcome::Isolated;
        for chat in chats {
            match pollster::block_on(fork::isolate(&checked.host, chat, LoreChoice::Auto)) {
                Ok(isolated) => {
                    is_changed |= isolated.changed;
                    if isolated.changed {
                        operations.push(format!("isolate {}", isolated.chat));
                    }
                }
                // The others of the family can still be helped.
                Err(error) => {
                    outcome = Outcome::Left(format!("{}: {error}. {}", chat.name, error.hint))
                }
            }
        }
        steps.push(Step { problem: problem.clone(), outcome });
    }
    checked.problems.retain(|problem| !matches!(problem.fix.action, Action::Isolate { .. }));
    if is_changed {
        checked.folder = checked.host.facts()?;
        checked.problems = lorefork::audit::judge(&checked.folder);
        checked.problems.retain(|problem| !matches!(problem.fix.action, Action::Isolate { .. }));
    }
    Ok(())
}

fn show(page: &mut Page, checked: &Checked, steps: &[Step], is_done: bool) {
    if steps.is_empty() {
        let text = Text::new().styled(GOOD, "✓ ").strong(&checked.user.handle);
        page.hanging(0, 2, text.plain(": nothing to repair."));
        return;
    }
    let (mended, left): (Vec<&Step>, Vec<&Step>) =
        steps.iter().partition(|step| !matches!(step.outcome, Outcome::Left(_)));
    if !mended.is_empty() {
        page.heading(if is_done { "Repaired" } else { "Would be repaired" });
        for step in mended {
            one(page, checked, step, is_done);
        }
    }
    if !left.is_empty() {
        page.blank();
        page.heading("Left to you");
        for step in left {
            one(page, checked, step, is_done);
        }
    }
}

fn one(page: &mut Page, checked: &Checked, step: &Step, is_done: bool) {
    let (name, kind) = about(&checked.folder, &step.problem);
    let (mark, says) = match &step.outcome {
        Outcome::Left(why) => (Text::new().styled(CARE, "! "), why),
        _ if is_done => (Text::new().styled(GOOD, "✓ "), &step.problem.fix.says),
        _ => (Text::new().quiet("· "), &step.problem.fix.says),
    };
    let text = mark.strong(name).quiet(kind).quiet(format!(" [{}]", step.problem.code));
    page.hanging(2, 2, text);
    page.hanging(4, 2, &step.problem.says);
    page.hanging(4, 2, Text::new().quiet("→ ").plain(says));
}

fn ending(page: &mut Page, args: &Fix, is_planned: bool, operations: &[String]) {
    if is_planned {
        page.blank();
        let text =
            Text::new().quiet("→ ").plain("Nothing was changed. “lorefork fix --apply” does it.");
        page.hanging(0, 2, text);
    } else if args.apply && !operations.is_empty() {
        page.blank();
        let done = words::count(operations.len(), "operation", "operations");
        let text = format!(
            "{done}; “lorefork undo” takes the last one back. Reload SillyTavern's tabs now."
        );
        page.hanging(0, 2, Text::new().quiet("→ ").plain(text));
    }
}

fn step_json(step: &Step, checked: &Checked) -> Value {
    let mut json = check::problem_json(&step.problem, checked);
    json["left"] = match &step.outcome {
        Outcome::Left(why) => json!(why),
        _ => Value::Null,
    };
    json
}
