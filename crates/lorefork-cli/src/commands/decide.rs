//! `lorefork decide`: entries of which nobody could tell, and what somebody says of them.

use lorefork::fork::undecided::{self, Listed, Open};
use serde_json::{Value, json};

use super::take_back;
use crate::args::{Decide, Globals, Verdict};
use crate::error::{Exit, Failure};
use crate::output::style::{CARE, GOOD};
use crate::output::{Answer, Page, Text, findings, words};

/// Characters of an entry that the list shows.
const SHOWN: usize = 160;

pub(super) fn run(globals: &Globals, args: &Decide) -> Result<Answer, Failure> {
    let place = globals.chat(&args.chat.name)?;
    let Some((entry, verdict)) = args.entry.as_ref().zip(args.verdict) else {
        let listed = pollster::block_on(undecided::undecided(&place.host, &place.chat))?;
        return Ok(list(&place.chat.name, &listed));
    };
    let engine = match verdict {
        Verdict::Keep => undecided::Verdict::Keep,
        Verdict::Drop => undecided::Verdict::Drop,
    };
    let done = pollster::block_on(undecided::decide(&place.host, &place.chat, entry, engine))?;
    let mut page = Page::new();
    findings::healed(&mut page, &done.healed);
    let text = Text::new().styled(GOOD, "✓ ").name(&done.entry.name);
    let text = match verdict {
        Verdict::Keep => text.plain(" stays in ").name(&place.chat.name).plain(", unmarked."),
        Verdict::Drop => text.plain(" is no longer in ").name(&place.chat.name).plain("."),
    };
    page.hanging(0, 2, text);
    page.blank();
    let left = match done.left {
        0 => "Nothing is open any more.".to_owned(),
        left => format!("{} still open.", words::count(left, "entry is", "entries are")),
    };
    page.line(0, &left);
    findings::warnings(&mut page, &done.done.warnings);
    page.blank();
    take_back(&mut page, globals, &place.host, &done.done.id);
    let json = json!({
        "chat": place.chat.name,
        "lorebook": done.lorebook,
        "entry": entry_json(&done.entry),
        "kept": verdict == Verdict::Keep,
        "left": done.left,
        "id": done.done.id,
    });
    Ok(Answer { exit: Exit::Done, page, json })
}

fn list(chat: &str, listed: &Listed) -> Answer {
    let mut page = Page::new();
    let json = json!({
        "chat": chat,
        "lorebook": listed.lorebook,
        "undecided": listed.all.iter().map(entry_json).collect::<Vec<_>>(),
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
        let said: String = open.content.chars().take(SHOWN).collect();
        let more = if said.len() < open.content.len() { "…" } else { "" };
        let said = said.replace(['\n', '\r'], " ");
        page.hanging(7, 0, Text::new().quiet(format!("“{said}{more}”")));
    }
    page.blank();
    page.line(0, "To say what is so, for each:");
    page.fixed(2, Text::new().code("lorefork decide CHAT NUMBER keep|drop"));
    Answer { exit: Exit::Done, page, json }
}

fn entry_json(open: &Open) -> Value {
    json!({ "uid": open.uid, "name": open.name, "why": open.why, "with": open.with })
}
