//! `lorefork isolate`: a timeline that shares its lorebook gets its own.

use lorefork::error::report::findings_json;
use lorefork::fork::isolate::Isolated;
use lorefork::fork::rebind::IsolationPlan;
use lorefork::fork::{self, Isolation};
use lorefork::tavern::place::{ChatRef, lorebook_file};
use lorefork_disk::DiskHost;
use serde_json::json;

use super::take_back;
use crate::args::{Globals, Isolate};
use crate::error::{Exit, Failure};
use crate::output::style::GOOD;
use crate::output::{Answer, Page, Text, again, findings, value, words};

pub(super) fn run(globals: &Globals, args: &Isolate) -> Result<Answer, Failure> {
    let place = globals.chat(&args.chat.name)?;
    let lore = args.lore.into();
    if args.apply {
        let done = pollster::block_on(fork::isolate(&place.host, &place.chat, lore))?;
        return Ok(Answer {
            exit: Exit::Done,
            page: applied(globals, &place.host, &done),
            json: value(&done.json()),
        });
    }
    Ok(match pollster::block_on(fork::plan_isolation(&place.host, &place.chat, lore))? {
        Isolation::Nothing(reason) => nothing(&place.chat, &reason.to_string()),
        Isolation::Planned(plan) => planned(&plan),
    })
}

fn applied(globals: &Globals, host: &DiskHost, done: &Isolated) -> Page {
    let mut page = Page::new();
    findings::healed(&mut page, &done.healed);
    if let Some(reason) = &done.reason {
        page.hanging(0, 2, nothing_to_do(&done.chat, &reason.to_string()));
        return page;
    }
    let text = Text::new().styled(GOOD, "✓ ").name(&done.chat).plain(" has its own lorebook now.");
    page.hanging(0, 2, text);
    page.blank();
    let mut fields = Vec::new();
    if let Some(lorebook) = &done.lorebook {
        fields.push(("lorebook", Text::new().name(lorebook)));
    }
    if let (Some(source), Some(quality), Some(at)) = (done.source, done.quality, done.at) {
        let lore = words::lore_from(source, quality, done.from, at);
        fields.push(("made from", lore.into()));
    }
    fields.push(("file", done.file.as_str().into()));
    page.fields(2, fields);
    findings::warnings(&mut page, &done.warnings);
    page.blank();
    if let Some(id) = &done.id {
        take_back(&mut page, globals, host, id);
    }
    page.hanging(0, 2, Text::new().quiet("→ ").then(reload(&done.chat)));
    page
}

fn nothing(chat: &ChatRef, reason: &str) -> Answer {
    let mut page = Page::new();
    page.hanging(0, 2, nothing_to_do(&chat.name, reason));
    let json = json!({
        "chat": chat.name,
        "file": chat.file(),
        "changed": false,
        "planned": false,
        "reason": reason,
    });
    Answer { exit: Exit::Done, json, page }
}

fn nothing_to_do(chat: &str, reason: &str) -> Text {
    let text = Text::new().styled(GOOD, "✓ ").plain("Nothing to do for ").name(chat);
    text.plain(format!(". {reason}"))
}

fn planned(plan: &IsolationPlan) -> Answer {
    let mut page = Page::new();
    let text = Text::new().plain("This would give ").name(&plan.chat.name);
    page.line(0, text.plain(" its own lorebook. Nothing was written."));
    page.blank();
    let entries = words::count(plan.lorebook.entries, "entry", "entries");
    let mut fields = vec![
        ("shared now", Text::new().name(&plan.lorebook.from)),
        ("", shared_with(&plan.others)),
        ("new lorebook", lorebook_file(&plan.lorebook.name).into()),
        ("", entries.into()),
        ("made from", words::lore(&plan.moment, plan.at).into()),
        ("changes", format!("{}: its first line", plan.chat.file()).into()),
    ];
    let changed = plan.changed_messages();
    if changed > 0 {
        let messages = words::count(changed, "message that names", "messages that name");
        fields.push(("", format!("and {messages} the lorebook").into()));
    }
    page.fields(2, fields);
    findings::warnings(&mut page, &plan.report.warnings);
    page.blank();
    page.line(0, "To do it:");
    page.fixed(2, Text::new().code(again(&["--apply"])));
    page.line(0, reload_after(&plan.chat.name));
    let json = json!({
        "chat": plan.chat.name,
        "file": plan.chat.file(),
        "changed": false,
        "planned": true,
        "lorebook": plan.lorebook.name,
        "at": plan.at,
        "source": plan.moment.source.word(),
        "from": plan.moment.from,
        "quality": plan.moment.quality.word(),
        "shared_with": plan.others.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "warnings": value(&findings_json(&plan.report.warnings)),
    });
    Answer { exit: Exit::Done, json, page }
}

fn shared_with(others: &[ChatRef]) -> Text {
    let mut text = Text::new().plain("with ");
    for (index, other) in others.iter().enumerate().take(3) {
        text = if index == 0 { text } else { text.plain(", ") }.name(&other.name);
    }
    match others.len().saturating_sub(3) {
        0 => text,
        more => text.plain(format!(" and {more} more")),
    }
}

fn reload(chat: &str) -> Text {
    let text = Text::new().plain("Reload the SillyTavern tab if ").name(chat);
    text.plain(" is open in it: the tab still has the old lorebook.")
}

fn reload_after(chat: &str) -> Text {
    let text = Text::new().plain("If ").name(chat).plain(" is open in a SillyTavern tab, reload ");
    text.plain("the tab afterwards: until then SillyTavern asks before it saves.")
}
