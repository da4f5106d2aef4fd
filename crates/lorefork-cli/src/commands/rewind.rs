//! `lorefork rewind`: the lore of a timeline goes back to a moment, in place.

use lorefork::error::report::findings_json;
use lorefork::fork::rebind::IsolationPlan;
use lorefork::fork::rewind;
use serde_json::{Value, json};

use super::take_back;
use crate::args::{Globals, Rewind};
use crate::error::{Exit, Failure};
use crate::output::style::GOOD;
use crate::output::{Answer, Page, Text, again, findings, value, words};

pub(super) fn run(globals: &Globals, args: &Rewind) -> Result<Answer, Failure> {
    let place = globals.chat(&args.chat.name)?;
    let lore = args.lore.into();
    let at = place.message(args.at)?;
    let mut page = Page::new();
    if args.apply {
        let done = pollster::block_on(rewind::rewind(&place.host, &place.chat, at, lore))?;
        findings::healed(&mut page, &done.healed);
        let text = Text::new().styled(GOOD, "✓ ").plain("The lore of ").name(&done.plan.chat.name);
        page.hanging(0, 2, text.plain(format!(" is that of message {} now.", done.plan.at)));
        page.blank();
        page.fields(2, fields(&done.plan));
        findings::warnings(&mut page, &done.plan.report.warnings);
        findings::warnings(&mut page, &done.done.warnings);
        page.blank();
        take_back(&mut page, globals, &place.host, &done.done.id);
        let text = "Reload the SillyTavern tab if the chat is open in it.";
        page.hanging(0, 2, Text::new().quiet("→ ").plain(text));
        let json = as_json(&done.plan, Some(&done.done.id));
        return Ok(Answer { exit: Exit::Done, page, json });
    }
    let plan = pollster::block_on(rewind::plan_rewind(&place.host, &place.chat, at, lore))?;
    let text = Text::new().plain("This would set the lore of ").name(&plan.chat.name);
    let text = text.plain(format!(" back to message {}. Nothing was written.", plan.at));
    page.hanging(0, 2, text);
    page.blank();
    page.fields(2, fields(&plan));
    findings::warnings(&mut page, &plan.report.warnings);
    page.blank();
    page.line(0, "To do it:");
    page.fixed(2, Text::new().code(again(&["--apply"])));
    page.line(0, "If the chat is open in a SillyTavern tab, reload the tab afterwards.");
    Ok(Answer { exit: Exit::Done, page, json: as_json(&plan, None) })
}

fn fields(plan: &IsolationPlan) -> Vec<(&'static str, Text)> {
    let entries = words::count(plan.lorebook.entries, "entry", "entries");
    let kind = if plan.is_in_place() { "lorebook" } else { "new lorebook" };
    let mut fields = vec![(kind, Text::new().name(&plan.lorebook.name)), ("", entries.into())];
    if !plan.is_in_place() && !plan.others.is_empty() {
        let others = words::count(plan.others.len(), "other chat uses", "other chats use");
        let text = Text::new().plain(format!("{others} ")).name(&plan.lorebook.from);
        fields.push(("", text));
    }
    fields.push(("made from", words::lore(&plan.moment, plan.at).into()));
    fields.push(("messages", "stay as they are".into()));
    fields
}

fn as_json(plan: &IsolationPlan, id: Option<&str>) -> Value {
    json!({
        "chat": plan.chat.name,
        "file": plan.chat.file(),
        "changed": id.is_some(),
        "id": id,
        "lorebook": plan.lorebook.name,
        "in_place": plan.is_in_place(),
        "at": plan.at,
        "source": plan.moment.source.word(),
        "from": plan.moment.from,
        "quality": plan.moment.quality.word(),
        "warnings": value(&findings_json(&plan.report.warnings)),
    })
}
