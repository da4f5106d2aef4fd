//! The screen that `lorefork demo` ends with.

use std::path::Path;

use anstyle::Style;
use lorefork::fork::Created;
use lorefork::timeline::verify::Answer as State;
use lorefork_demo::{CHAT, GROUP, GROUP_CHAT, ISLE_CHAT, TANGLED_CHAT};
use serde_json::{Value, json};

use super::mend::{self, Mended};
use super::tell::{EARLY, FACTS, Fact, Knows, LATE, SWIPE, Told};
use crate::commands::tree;
use crate::error::Exit;
use crate::output::fit::fit;
use crate::output::style::{BAD, GOOD};
use crate::output::{Answer, Page, Text, value, words};

/// Columns for what a timeline knows, so that three stand beside each other.
const COLUMN: usize = 20;

/// For the folder without the story.
pub(crate) fn written(folder: &Path) -> Answer {
    let mut page = Page::new();
    page.line(0, format!("The sample folder is in {}.", folder.display()));
    let json = json!({ "folder": folder.display().to_string() });
    Answer { exit: Exit::Done, json, page }
}

/// The whole story.
pub(crate) fn answer(folder: &Path, told: &Told) -> Answer {
    let shown = folder.display().to_string();
    let mut page = Page::new();
    page.line(0, Text::new().strong("Lorefork demo").quiet(format!("  written to {shown}")));
    page.blank();

    page.heading(format!(
        "Forked with Lorefork: “{CHAT}”, {} messages in four scenes",
        told.timelines[0].last + 1
    ));
    let [checkpoint, branch] = &told.made;
    made(&mut page, &format!("lorefork checkpoint \"{CHAT}\" --at {EARLY}"), checkpoint);
    made(&mut page, &format!("lorefork branch \"{CHAT}\" --at {LATE} --swipe {SWIPE}"), branch);
    page.line(2, "What each of them knows, as its lorebook's file says:");
    let [main, _, _] = &told.timelines;
    let mut table = vec![head(&told.timelines)];
    // What the checkpoint does not share with the main chat is the point of it all.
    table.extend(facts(&FACTS, &told.timelines, [main; 3], GOOD));
    table.extend(counts(&told.timelines));
    page.table(2, table);
    page.blank();

    mended(&mut page, &told.mended);
    page.blank();

    page.heading(format!("lorefork tree \"{CHAT}\""));
    tree::draw(&mut page, &told.tree, true);
    page.blank();

    page.heading("Try it");
    // Nor has who comes from `cargo run`.
    let is_cargo = std::env::var_os("CARGO").is_some();
    let lorefork = if is_cargo { "cargo run -rq --" } else { words::program() };
    let lorefork = format!("{lorefork} --root {}", words::for_shell(&shown));
    let more = [
        format!("{lorefork} status"),
        format!("{lorefork} tree --html tree.html"),
        format!("{lorefork} check"),
        format!("{lorefork} branch \"{ISLE_CHAT}\" --dry-run"),
        format!("{lorefork} assess \"group:{GROUP}\""),
    ];
    for command in more {
        page.fixed(2, Text::new().code(command));
    }
    page.line(2, "Or open it, in SillyTavern's own folder:");
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let open =
        format!("node server.js --dataRoot {}", words::for_shell(&absolute.display().to_string()));
    page.fixed(2, Text::new().code(open));

    let all = |timelines: &[Knows], facts: &[Fact]| -> Vec<Value> {
        timelines.iter().map(|knows| known(knows, facts)).collect()
    };
    let json = json!({
        "folder": shown,
        "made": told.made.iter().map(|made| value(&made.json().done())).collect::<Vec<_>>(),
        "timelines": all(&told.timelines, &FACTS),
        "mended": {
            "found": told.mended.found,
            "tangled": all(&told.mended.tangled, &mend::FACTS),
            "untangled": all(&told.mended.untangled, &mend::FACTS),
            "left": told.mended.left,
            "back": told.mended.back,
        },
        "also": [ISLE_CHAT, GROUP_CHAT],
    });
    Answer { exit: Exit::Done, json, page }
}

fn known(knows: &Knows, facts: &[Fact]) -> Value {
    let facts: serde_json::Map<String, Value> = facts
        .iter()
        .zip(&knows.facts)
        .map(|((_, comment), says)| ((*comment).to_owned(), json!(says)))
        .collect();
    json!({
        "chat": knows.chat,
        "last": knows.last,
        "lorebook": knows.lorebook,
        "entries": knows.entries,
        "shared_with": knows.shared_with,
        "facts": facts,
    })
}

/// The family that plain SillyTavern forked: found, untangled, and taken back.
fn mended(page: &mut Page, mended: &Mended) {
    page.heading(format!(
        "Forked by SillyTavern: “{TANGLED_CHAT}”, whose dragon died in the branch"
    ));
    page.fixed(2, Text::new().styled(BAD, "✗ ").code("lorefork check"));
    page.line(4, Text::new().quiet(&mended.found));
    let mut table = vec![head(&mended.tangled)];
    let (before, after) = (&mended.tangled, &mended.untangled);
    table.extend(facts(&mend::FACTS, before, after.each_ref(), BAD));
    page.table(2, table);
    let step = |page: &mut Page, command: &str, says: &str| {
        page.fixed(2, Text::new().styled(GOOD, "✓ ").code(command));
        page.line(4, Text::new().quiet(says));
    };
    step(page, "lorefork fix --apply", "each has its own lorebook, with what its own story wrote");
    page.table(2, facts(&mend::FACTS, after, before.each_ref(), GOOD));
    step(
        page,
        "lorefork undo --apply",
        &format!("{} files are again what they were, byte for byte", mended.back),
    );
}

fn head(timelines: &[Knows; 3]) -> Vec<Text> {
    let kinds = ["main chat", "checkpoint", "branch"];
    let mut head = vec![Text::new()];
    for (kind, knows) in kinds.iter().zip(timelines) {
        head.push(Text::new().quiet(format!("{kind}, 0–{}", knows.last)));
    }
    head
}

fn says(knows: &Knows, fact: usize) -> String {
    let says = knows.facts.get(fact).and_then(Option::as_deref);
    says.map_or("never heard of".to_owned(), |says| fit(says, COLUMN))
}

fn made(page: &mut Page, command: &str, created: &Created) {
    page.fixed(2, Text::new().styled(GOOD, "✓ ").code(command));
    let entries = words::count(created.entries, "entry", "entries");
    let from = match created.from {
        Some(from) => format!("as message {from} recorded it"),
        None => "as it is now, since nothing happened after".to_owned(),
    };
    page.line(4, Text::new().quiet(format!("its own lorebook, {from}: {entries}")));
}

/// A row for each fact, a column for each timeline; in `style` is what is not as in `other`.
fn facts(
    facts: &[Fact],
    timelines: &[Knows; 3],
    other: [&Knows; 3],
    style: Style,
) -> Vec<Vec<Text>> {
    let row = |(index, (label, _)): (usize, &Fact)| {
        let mut row = vec![Text::new().quiet(label)];
        for (knows, other) in timelines.iter().zip(other) {
            let says = says(knows, index);
            let is_other = knows.facts.get(index) != other.facts.get(index);
            let says = if is_other { Text::new().styled(style, says) } else { says.into() };
            row.push(says.padded(COLUMN));
        }
        row
    };
    facts.iter().enumerate().map(row).collect()
}

/// How many entries each lorebook has, and whether the timelines are as they were made.
fn counts(timelines: &[Knows; 3]) -> Vec<Vec<Text>> {
    let mut entries = vec![Text::new().quiet("entries")];
    entries.extend(timelines.iter().map(|knows| knows.entries.to_string().into()));
    let mut verify = vec![Text::new().quiet("verify")];
    verify.extend(timelines.iter().map(|knows| match knows.state {
        None => Text::new().quiet("–"),
        Some(State::Untouched) => Text::new().styled(GOOD, "✓ untouched"),
        Some(_) => Text::new().styled(BAD, "✗ not as it was made"),
    }));
    vec![entries, verify]
}
