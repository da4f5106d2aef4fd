//! `lorefork decide`: entries of which nobody could tell, and what somebody says of them.

use lorefork::error::report::findings_json;
use lorefork::fork::undecided::{self, Decision, Listed, Open, Said, plan_decision};
use serde_json::{Value, json};

use super::take_back;
use crate::args::{Decide, Globals, Verdict};
use crate::error::{Exit, Failure};
use crate::output::style::{CARE, GOOD};
use crate::output::{Answer, Page, Text, again, findings, value, words};

/// Characters of an entry that the list shows.
const SHOWN: usize = 160;

pub(super) fn run(globals: &Globals, args: &Decide) -> Result<Answer, Failure> {
    let place = globals.chat(&args.chat.name)?;
    let Some((entry, verdict)) = args.entry.as_ref().zip(args.verdict) else {
        let listed = pollster::block_on(undecided::undecided(&place.host, &place.chat))?;
        return Ok(list(&place.chat.name, &listed));
    };
    let verdict = match verdict {
        Verdict::Keep => undecided::Verdict::Keep,
        Verdict::Drop => undecided::Verdict::Drop,
    };
    let said = [Said { entry, verdict }];
    let mut page = Page::new();
    if !args.apply {
        let plan = pollster::block_on(plan_decision(&place.host, &place.chat, &said))?;
        for (entry, verdict) in &plan.entries {
            page.hanging(0, 2, would(&plan, entry, *verdict));
            page.blank();
            page.hanging(2, 0, beginning(entry));
        }
        findings::warnings(&mut page, &plan.warnings);
        page.blank();
        page.line(0, "To do it:");
        page.fixed(2, Text::new().code(again(&["--apply"])));
        page.line(0, "If the chat is open in a SillyTavern tab, reload the tab afterwards.");
        return Ok(Answer { exit: Exit::Done, page, json: as_json(&plan, None) });
    }
    let made = pollster::block_on(undecided::decide(&place.host, &place.chat, &said))?;
    findings::healed(&mut page, &made.healed);
    let plan = &made.plan;
    for (entry, verdict) in &plan.entries {
        let text = Text::new().styled(GOOD, "✓ ").name(&entry.name);
        let text = match verdict {
            undecided::Verdict::Keep => text.plain(" stays in the lorebook of "),
            undecided::Verdict::Drop => text.plain(" is no longer in the lorebook of "),
        };
        page.hanging(0, 2, text.name(&plan.chat.name).plain("."));
    }
    page.blank();
    let left = match plan.left {
        0 => "Nothing is open any more.".to_owned(),
        left => format!("{} still open.", words::count(left, "entry is", "entries are")),
    };
    page.line(0, &left);
    findings::warnings(&mut page, &plan.warnings);
    findings::warnings(&mut page, &made.done.warnings);
    page.blank();
    take_back(&mut page, globals, &place.host, &made.done.id);
    let text = "Reload the SillyTavern tab if the chat is open in it.";
    page.hanging(0, 2, Text::new().quiet("→ ").plain(text));
    Ok(Answer { exit: Exit::Done, page, json: as_json(plan, Some(&made.done.id)) })
}

fn would(plan: &Decision, entry: &Open, verdict: undecided::Verdict) -> Text {
    let (doing, place) = match verdict {
        undecided::Verdict::Keep => ("keep ", " in the lorebook of "),
        undecided::Verdict::Drop => ("take ", " out of the lorebook of "),
    };
    let text = Text::new().plain("This would ").plain(doing).name(&entry.name);
    text.plain(place).name(&plan.chat.name).plain(". Nothing was written.")
}

fn as_json(plan: &Decision, id: Option<&str>) -> Value {
    json!({
        "chat": plan.chat.name,
        "lorebook": plan.lorebook,
        "entries": plan.entries.iter().map(decided_json).collect::<Vec<_>>(),
        "left": plan.left,
        "changed": id.is_some(),
        "id": id,
        "warnings": value(&findings_json(&plan.warnings)),
    })
}

fn list(chat: &str, listed: &Listed) -> Answer {
    let mut page = Page::new();
    let json = json!({
        "chat": chat,
        "lorebook": listed.lorebook,
        "undecided": listed.all.iter().map(entry_json).collect::<Vec<_>>(),
        "warnings": value(&findings_json(&listed.warnings)),
    });
    if listed.all.is_empty() {
        let text = Text::new().styled(GOOD, "✓ ").plain("Nothing is open in the lorebook of ");
        page.hanging(0, 2, text.name(chat).plain("."));
        return Answer { exit: Exit::Done, page, json };
    }
    let count = words::count(listed.all.len(), "entry", "entries");
    let text = Text::new().styled(CARE, "! ").plain(format!("Of {count} of "));
    page.hanging(0, 2, text.name(chat).plain(" nobody can tell."));
    for open in &listed.all {
        page.blank();
        let number = Text::new().quiet(format!("{:>5}  ", open.uid)).strong(&open.name);
        page.hanging(0, 7, number);
        page.hanging(7, 0, Text::new().plain(&open.why).plain("."));
        if !open.with.is_empty() {
            let with = format!("also in: {}", open.with.join(", "));
            page.hanging(7, 0, Text::new().quiet(&with));
        }
        page.hanging(7, 0, beginning(open));
    }
    findings::warnings(&mut page, &listed.warnings);
    page.blank();
    page.line(0, "To say what is so, for each:");
    page.fixed(2, Text::new().code("lorefork decide CHAT NUMBER keep|drop --apply"));
    Answer { exit: Exit::Done, page, json }
}

/// How the entry begins.
fn beginning(open: &Open) -> Text {
    let said: String = open.content.chars().take(SHOWN).collect();
    let more = if said.len() < open.content.len() { "…" } else { "" };
    let said = said.replace(['\n', '\r'], " ");
    Text::new().quiet(format!("“{said}{more}”"))
}

fn decided_json((open, verdict): &(Open, undecided::Verdict)) -> Value {
    let mut json = entry_json(open);
    json["kept"] = json!(*verdict == undecided::Verdict::Keep);
    json
}

fn entry_json(open: &Open) -> Value {
    json!({ "uid": open.uid, "name": open.name, "why": open.why, "with": open.with })
}
