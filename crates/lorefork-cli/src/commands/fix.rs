//! `lorefork fix`: shows what would be done about problems, and does it.

use lorefork::audit::fix::{self, Look, Outcome, Repaired, Step};
use lorefork::audit::untangle::OwnBook;
use lorefork::audit::{Code, Folder, Problem};
use lorefork::error::Error;
use lorefork::operation::ahead::Ahead;
use serde_json::{Value, json};

use super::check::{self, Checked, about};
use super::take_back;
use crate::args::{Fix, Globals};
use crate::error::{Exit, Failure};
use crate::output::style::{BAD, CARE, GOOD};
use crate::output::{Answer, Page, Text, again, findings, words};

/// A folder, and which codes were asked for there; none for all.
struct Asked<'c> {
    checked: &'c Checked,
    only: &'c [Code],
}

impl Look for Asked<'_> {
    async fn folder(&self) -> Result<Folder, Error> {
        self.checked.host.facts().map_err(Error::from)
    }

    fn problems(&self, folder: &Folder) -> Vec<Problem> {
        self.checked.judge(folder)
    }

    fn is_asked(&self, problem: &Problem) -> bool {
        self.only.is_empty() || self.only.contains(&problem.code)
    }
}

pub(super) fn run(globals: &Globals, args: &Fix) -> Result<Answer, Failure> {
    let only = codes(&args.only)?;
    let mut page = Page::new();
    let (mut steps_json, mut operations, mut is_left) = (Vec::new(), Vec::new(), false);
    for checked in check::look(globals, &args.chats)? {
        let asked = Asked { checked: &checked, only: &only };
        let (host, missing) = (&checked.host, args.missing.into());
        let mut undoable = None;
        let plan = if args.apply {
            let Repaired { plan, done } =
                pollster::block_on(fix::repair(&Ahead::new(host), &asked, missing))?;
            undoable = done.map(|done| done.id);
            plan
        } else {
            pollster::block_on(fix::plan(&Ahead::new(host), &asked, &checked.folder, missing))?
        };
        is_left |= plan.steps.iter().any(|step| step.outcome != Outcome::Mended);
        show(&mut page, &checked, &plan.steps, args.apply);
        if let Some(id) = undoable {
            page.blank();
            take_back(&mut page, globals, host, &id);
            operations.push(id);
        }
        steps_json.extend(plan.steps.iter().map(|step| step_json(step, &checked)));
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

/// Whether an outcome belongs under a heading.
type Belongs = fn(&Outcome) -> bool;

fn show(page: &mut Page, checked: &Checked, steps: &[Step], is_done: bool) {
    if steps.is_empty() {
        let text = Text::new().styled(GOOD, "✓ ").strong(&checked.user.handle);
        page.hanging(0, 2, text.plain(": nothing to repair."));
        return;
    }
    let groups: [(&str, Belongs); 3] = [
        (if is_done { "Repaired" } else { "Would be repaired" }, |outcome| {
            *outcome == Outcome::Mended
        }),
        ("Not cured", |outcome| matches!(outcome, Outcome::NotCured(_))),
        ("Left to you", |outcome| matches!(outcome, Outcome::Left(_))),
    ];
    let mut is_first = true;
    for (heading, belongs) in groups {
        let mut of_group = steps.iter().filter(|step| belongs(&step.outcome)).peekable();
        if of_group.peek().is_none() {
            continue;
        }
        if !is_first {
            page.blank();
        }
        is_first = false;
        page.heading(heading);
        for step in of_group {
            one(page, checked, step, is_done);
        }
    }
}

fn one(page: &mut Page, checked: &Checked, step: &Step, is_done: bool) {
    let (name, kind) = about(&checked.folder, &step.problem);
    let (mark, says) = match &step.outcome {
        Outcome::Left(why) => (Text::new().styled(CARE, "! "), why),
        Outcome::NotCured(why) => (Text::new().styled(BAD, "✗ "), why),
        Outcome::Mended if is_done => (Text::new().styled(GOOD, "✓ "), &step.problem.fix.says),
        Outcome::Mended => (Text::new().quiet("· "), &step.problem.fix.says),
    };
    let text = mark.strong(name).quiet(kind).then(findings::code_of(step.problem.code));
    page.hanging(2, 2, text);
    page.hanging(4, 2, step.problem.says.to_string());
    page.hanging(4, 2, Text::new().quiet("→ ").plain(check::advice(&step.problem, says)));
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
        let text = "Reload SillyTavern's tabs now.";
        page.hanging(0, 2, Text::new().quiet("→ ").plain(text));
    }
}

fn step_json(step: &Step, checked: &Checked) -> Value {
    let mut json = check::problem_json(&step.problem, checked);
    let (outcome, left) = match &step.outcome {
        Outcome::Mended => ("mended", None),
        Outcome::Left(why) => ("left", Some(why)),
        Outcome::NotCured(why) => ("not_cured", Some(why)),
    };
    json["outcome"] = json!(outcome);
    json["left"] = json!(left.map(ToString::to_string));
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
        |kept| json!({ "uid": kept.uid, "name": kept.name, "why": kept.why.to_string(), "with": kept.with }),
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
