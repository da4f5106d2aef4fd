//! `lorefork label` and `lorefork rename`: what a timeline is called.

use lorefork::error::report::findings_json;
use lorefork::family::{RenamePlan, Word, Words, label, plan_rename, rename};
use serde_json::{Value, json};

use super::take_back;
use crate::args::{Globals, Label, Rename};
use crate::error::{Exit, Failure};
use crate::output::style::GOOD;
use crate::output::{Answer, Page, Text, again, findings, value, words};

pub(super) fn label_it(globals: &Globals, args: &Label) -> Result<Answer, Failure> {
    let place = globals.chat(&args.chat.name)?;
    let mut all = Vec::new();
    all.extend(args.text.clone().map(Word::Label));
    all.extend(args.colour.clone().map(Word::Colour));
    all.extend(args.note.clone().map(Word::Note));
    all.extend(args.canon.map(Word::Canon));
    all.extend(args.archived.map(Word::Archived));
    let said = pollster::block_on(label(&place.host, &place.chat, &all))?;
    let mut page = Page::new();
    findings::healed(&mut page, &said.healed);
    let text = match (&said.done, &said.words.label) {
        (Some(_), _) => Text::new().styled(GOOD, "✓ "),
        (None, _) => Text::new(),
    };
    let text = text.name(&place.chat.name);
    let text = match &said.words.label {
        Some(label) => text.plain(" is labelled ").name(label).plain("."),
        None => text.plain(" has no label."),
    };
    page.hanging(0, 2, text);
    page.fields(2, fields(&said.words));
    if let Some(done) = &said.done {
        findings::warnings(&mut page, &done.warnings);
        page.blank();
        take_back(&mut page, globals, &place.host, &done.id);
        let text = "Reload the SillyTavern tab if the chat is open in it.";
        page.hanging(0, 2, Text::new().quiet("→ ").plain(text));
    }
    let json = json!({
        "chat": place.chat.name,
        "file": place.chat.file(),
        "changed": said.done.is_some(),
        "id": said.done.as_ref().map(|done| &done.id),
        "label": said.words.label,
        "colour": said.words.colour,
        "note": said.words.note,
        "canon": said.words.is_canon,
        "archived": said.words.is_archived,
        "warnings": said.done.as_ref().map_or_else(|| json!([]), |done| value(&findings_json(&done.warnings))),
    });
    Ok(Answer { exit: Exit::Done, page, json })
}

fn fields(said: &Words) -> Vec<(&'static str, Text)> {
    let mut fields = Vec::new();
    fields.extend(said.colour.iter().map(|colour| ("colour", Text::from(colour))));
    fields.extend(said.note.iter().map(|note| ("note", Text::from(note))));
    if said.is_canon {
        fields.push(("canon", "this is how the story went".into()));
    }
    if said.is_archived {
        fields.push(("archived", "folded away in the tree".into()));
    }
    fields
}

pub(super) fn rename_it(globals: &Globals, args: &Rename) -> Result<Answer, Failure> {
    let place = globals.chat(&args.chat.name)?;
    let mut page = Page::new();
    if !args.apply {
        let plan = pollster::block_on(plan_rename(&place.host, &place.chat, &args.name))?;
        let text = Text::new().plain("This would rename ").name(&plan.chat.name).plain(" to ");
        page.hanging(0, 2, text.name(&plan.to.name).plain(". Nothing was written."));
        about(&mut page, &plan);
        page.blank();
        page.line(0, "To do it:");
        page.fixed(2, Text::new().code(again(&["--apply"])));
        return Ok(Answer { exit: Exit::Done, page, json: as_json(&plan, None) });
    }
    let renamed = pollster::block_on(rename(&place.host, &place.chat, &args.name))?;
    findings::healed(&mut page, &renamed.healed);
    let text = Text::new().styled(GOOD, "✓ ").name(&renamed.plan.chat.name);
    page.hanging(0, 2, text.plain(" is called ").name(&renamed.plan.to.name).plain(" now."));
    about(&mut page, &renamed.plan);
    findings::warnings(&mut page, &renamed.done.warnings);
    page.blank();
    take_back(&mut page, globals, &place.host, &renamed.done.id);
    let text =
        "Reload SillyTavern's tabs: one that has the chat open would save it under the old name.";
    page.hanging(0, 2, Text::new().quiet("→ ").plain(text));
    let json = as_json(&renamed.plan, Some(&renamed.done.id));
    Ok(Answer { exit: Exit::Done, page, json })
}

fn about(page: &mut Page, plan: &RenamePlan) {
    if !plan.following.is_empty() {
        page.blank();
        let count = words::count(plan.following.len(), "timeline names", "timelines name");
        page.line(2, format!("{count} it, and will follow:"));
        for other in &plan.following {
            page.hanging(4, 2, &other.name);
        }
    }
    findings::warnings(page, &plan.warnings);
}

fn as_json(plan: &RenamePlan, id: Option<&str>) -> Value {
    json!({
        "chat": plan.chat.name,
        "name": plan.to.name,
        "file": plan.to.file(),
        "renamed": id.is_some(),
        "id": id,
        "following": plan.following.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "warnings": value(&findings_json(&plan.warnings)),
    })
}
