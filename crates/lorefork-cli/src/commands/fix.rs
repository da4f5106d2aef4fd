//! `lorefork fix`: shows what would be done about problems, and does it.

use lorefork::audit::fix::{self, Outcome, apart};
use lorefork::audit::untangle::{self, OwnBook};
use lorefork::audit::{Code, Problem};
use serde_json::{Value, json};

use super::check::{self, Checked, about};
use crate::args::{Fix, Globals};
use crate::error::{Exit, Failure};
use crate::output::style::{CARE, GOOD};
use crate::output::{Answer, Page, Text, again, findings, words};

/// What became of a problem, or would.
struct Step {
    problem: Problem,
    outcome: Outcome,
    /// How a shared lorebook comes apart.
    untangling: Option<untangle::Plan>,
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
            if untangle(&mut checked, &mut steps, &mut operations) {
                checked.look_again()?;
                checked.problems.retain(is_asked);
            }
            checked.problems.retain(|problem| apart::sharing(problem).is_none());
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
            preview(&checked, &mut steps);
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
        .map(|name| Code::named(name).ok_or_else(|| super::explain::unknown_problem(name)))
        .collect()
}

fn add(steps: &mut Vec<Step>, checked: &Checked, plan: fix::Plan) {
    let problems = checked.problems.iter().cloned();
    steps.extend(problems.zip(plan.outcomes).map(|(problem, outcome)| Step {
        problem,
        outcome,
        untangling: None,
    }));
}

/// Untangles shared lorebooks, each as an operation of its own. Whether anything was changed: then
/// it is time to look again, since that cures more than it was asked for.
fn untangle(checked: &mut Checked, steps: &mut Vec<Step>, operations: &mut Vec<String>) -> bool {
    let mut is_changed = false;
    for problem in &checked.problems {
        if apart::sharing(problem).is_none() {
            continue;
        }
        let (outcome, untangling) = match pollster::block_on(apart::apply(&checked.host, problem)) {
            Ok(done) => {
                is_changed = true;
                operations.push(done.done.id);
                (Outcome::Untangled, Some(done.plan))
            }
            // Other families can still be helped.
            Err(why) => (Outcome::Left(why), None),
        };
        steps.push(Step { problem: problem.clone(), outcome, untangling });
    }
    is_changed
}

/// How shared lorebooks would come apart.
fn preview(checked: &Checked, steps: &mut [Step]) {
    for step in steps {
        if apart::sharing(&step.problem).is_none() {
            continue;
        }
        match pollster::block_on(apart::plan(&checked.host, &step.problem)) {
            Ok(plan) => step.untangling = Some(plan),
            Err(why) => step.outcome = Outcome::Left(why),
        }
    }
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
    let text = mark.strong(name).quiet(kind).then(findings::code_of(step.problem.code));
    page.hanging(2, 2, text);
    page.hanging(4, 2, &step.problem.says);
    page.hanging(4, 2, Text::new().quiet("→ ").plain(says));
    for own in step.untangling.iter().flat_map(|plan| &plan.timelines) {
        timeline(page, own);
    }
}

/// So many names of a kind are shown; the rest is counted.
const NAMES: usize = 6;

/// What becomes of one timeline's lore.
fn timeline(page: &mut Page, own: &OwnBook) {
    let entries = words::count(own.entries, "entry", "entries");
    let verb = if own.keeps_name { "keeps" } else { "gets" };
    let text = Text::new().name(&own.chat.name).plain(format!(" {verb} ")).name(&own.lorebook);
    page.hanging(6, 2, text.plain(format!(", {entries}")));
    let mut list = |label: &str, names: Vec<&str>| {
        if names.is_empty() {
            return;
        }
        let mut all = names.iter().take(NAMES).copied().collect::<Vec<_>>().join(", ");
        if names.len() > NAMES {
            all = format!("{all} and {} more", names.len() - NAMES);
        }
        page.hanging(8, 2, Text::new().quiet(format!("{label}: ")).plain(all));
    };
    let memories = words::count(own.memories_left_out, "memory", "memories");
    let memories = format!("{memories} of other timelines' messages");
    let mut left_out: Vec<&str> = own.left_out.iter().map(|left| left.name.as_str()).collect();
    left_out.extend((own.memories_left_out > 0).then_some(memories.as_str()));
    let undecided = own.undecided.iter().map(|kept| kept.name.as_str()).collect();
    list("will know, as its own story told it", own.restored.iter().map(String::as_str).collect());
    list("will no longer know", left_out);
    list("nobody can tell whose these are, so it keeps them", undecided);
}

fn ending(page: &mut Page, args: &Fix, is_planned: bool, operations: &[String]) {
    if is_planned {
        page.blank();
        page.line(0, "Nothing was changed. To do it:");
        page.fixed(2, Text::new().code(again(&["--apply"])));
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
    if let Some(plan) = &step.untangling {
        json["timelines"] = plan.timelines.iter().map(timeline_json).collect();
    }
    json
}

fn timeline_json(own: &OwnBook) -> Value {
    let left_out = own
        .left_out
        .iter()
        .map(|left| json!({ "uid": left.uid, "name": left.name, "of": left.of, "at": left.at }));
    let undecided = own.undecided.iter().map(
        |kept| json!({ "uid": kept.uid, "name": kept.name, "why": kept.why, "with": kept.with }),
    );
    json!({
        "chat": own.chat.to_string(),
        "lorebook": own.lorebook,
        "keeps_name": own.keeps_name,
        "entries": own.entries,
        "restored": own.restored,
        "left_out": left_out.collect::<Vec<_>>(),
        "undecided": undecided.collect::<Vec<_>>(),
        "memories_left_out": own.memories_left_out,
        "waiting": own.waiting,
    })
}
