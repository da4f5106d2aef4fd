//! `lorefork carry FROM TO ENTRY…`: entries into another timeline's lorebook.

use lorefork::family::{
    CarryPlan, Chosen, EntryOf, Fate, carry, entries_of, first_words, plan_carry,
};

use super::take_back;
use crate::args::{Carry, Globals};
use crate::code::Own;
use crate::error::{Exit, Failure};
use crate::output::fit::fit;
use crate::output::style::{CARE, GOOD, QUIET};
use crate::output::{Answer, Page, Text, again, findings, value};
use crate::place::same_user;

/// As much of an entry's text.
const SOME: usize = 60;

pub(super) fn run(globals: &Globals, args: &Carry) -> Result<Answer, Failure> {
    let (place, to) = same_user(globals, &args.from, &args.to)?;
    let (host, from) = (&place.host, &place.chat);
    let all = pollster::block_on(entries_of(host, from))?;
    let mut uids: Vec<String> = Vec::new();
    for word in &args.entries {
        let uid = chosen(&all, word)?;
        if !uids.contains(&uid) {
            uids.push(uid);
        }
    }
    let entries = Chosen::all(&uids, args.conflict.map(Into::into));
    let mut page = Page::new();
    let plan = pollster::block_on(plan_carry(host, from, &to, &entries))?;
    if !args.apply || plan.undecided() > 0 {
        let text = Text::new().plain("This would go from ").name(&from.name).plain(" to ");
        page.hanging(0, 2, text.name(&to.name).plain(". Nothing was written."));
        page.blank();
        list(&mut page, &plan);
        findings::warnings(&mut page, &plan.warnings);
        page.blank();
        if plan.undecided() > 0 {
            page.line(0, "To decide, say one of these:");
            let apply: &[&str] = if args.apply { &[] } else { &["--apply"] };
            let again =
                |how: &str| Text::new().code(again(&[&["--conflict", how], apply].concat()));
            page.fixed(2, again("replace").quiet("   the other one is replaced"));
            page.fixed(2, again("both").quiet("      both stand beside each other"));
            page.fixed(2, again("keep").quiet("      the other one stays as it is"));
        } else if plan.changes_anything() {
            page.line(0, "To do it:");
            page.fixed(2, Text::new().code(again(&["--apply"])));
        } else {
            page.line(0, "There is nothing to do.");
        }
        let exit = if plan.undecided() > 0 { Exit::No } else { Exit::Done };
        return Ok(Answer { exit, page, json: value(&plan.json(None)) });
    }
    let carried = pollster::block_on(carry(host, from, &to, &entries))?;
    findings::healed(&mut page, &carried.healed);
    let Some(done) = &carried.done else {
        list(&mut page, &carried.plan);
        page.blank();
        page.line(0, "There was nothing to do.");
        return Ok(Answer { exit: Exit::Done, page, json: value(&carried.plan.json(None)) });
    };
    let text = Text::new().styled(GOOD, "✓ ").name(&to.name).plain(" knows it now.");
    page.hanging(0, 2, text);
    page.blank();
    list(&mut page, &carried.plan);
    findings::warnings(&mut page, &carried.plan.warnings);
    findings::warnings(&mut page, &done.warnings);
    page.blank();
    take_back(&mut page, globals, host, &done.id);
    let text = "Reload the SillyTavern tab if the chat or its lorebook is open in it.";
    page.hanging(0, 2, Text::new().quiet("→ ").plain(text));
    Ok(Answer { exit: Exit::Done, page, json: value(&carried.plan.json(Some(&done.id))) })
}

/// The number of the entry that is meant: by its number, its name, or a part of that.
fn chosen(all: &[EntryOf], word: &str) -> Result<String, Failure> {
    let number = word.strip_prefix('#').unwrap_or(word);
    if let Some(entry) = all.iter().find(|entry| entry.uid == number) {
        return Ok(entry.uid.clone());
    }
    let folded = word.to_lowercase();
    let is_called = |entry: &&EntryOf| entry.called().to_lowercase() == folded;
    let has = |entry: &&EntryOf| entry.called().to_lowercase().contains(&folded);
    let mut found: Vec<&EntryOf> = all.iter().filter(is_called).collect();
    if found.is_empty() {
        found = all.iter().filter(has).collect();
    }
    let listed = |all: &[&EntryOf]| {
        all.iter().map(|entry| format!("#{} {}", entry.uid, entry.called())).collect()
    };
    match found.as_slice() {
        [one] => Ok(one.uid.clone()),
        [] => {
            let message = format!("no entry is called “{word}”; there are:");
            let hint = "Give an entry's name, a part of it, or its number.";
            let all: Vec<&EntryOf> = all.iter().collect();
            Err(Failure::new(Own::NoSuchEntry, message, hint).with_candidates(listed(&all)))
        }
        several => {
            let message = format!("several entries can be meant by “{word}”:");
            let hint = "Give the number of the one you mean.";
            Err(Failure::new(Own::NoSuchEntry, message, hint).with_candidates(listed(several)))
        }
    }
}

fn list(page: &mut Page, plan: &CarryPlan) {
    page.fields(2, vec![("lorebook", Text::new().name(&plan.lorebook))]);
    page.blank();
    for one in &plan.entries {
        let (style, sign, what) = match &one.fate {
            Fate::Added(uid) if one.entry.uid == uid.to_string() => (GOOD, "+ ", String::new()),
            Fate::Added(uid) => {
                (GOOD, "+ ", format!("as #{uid}, since #{} is taken", one.entry.uid))
            }
            Fate::Replaces(uid) => (CARE, "~ ", format!("replaces #{uid}")),
            Fate::Same => (QUIET, "= ", "is there already".to_owned()),
            Fate::Kept => (QUIET, "= ", "the other one stays as it is".to_owned()),
            Fate::Undecided(_) => (CARE, "! ", "is there, and says something else:".to_owned()),
        };
        let text = Text::new().styled(style, sign).strong(one.entry.called());
        let text = text.quiet(format!("  #{}  {what}", one.entry.uid));
        page.hanging(2, 2, text);
        if let Fate::Undecided(other) = &one.fate {
            page.hanging(6, 2, Text::new().quiet("here   ").plain(some(&one.entry)));
            page.hanging(6, 2, Text::new().quiet("there  ").plain(some(other)));
        }
        if !one.registries.is_empty() {
            let text = format!("listed under {}", one.registries.join(", "));
            page.hanging(6, 2, Text::new().quiet(text));
        }
    }
}

fn some(entry: &EntryOf) -> String {
    fit(&first_words(&entry.content).unwrap_or_default(), SOME)
}
