//! The screen that `lorefork demo` ends with.

use std::path::Path;

use lorefork::fork::Created;
use lorefork::fork::verify::Answer as State;
use serde_json::json;

use super::story::{BOOK, CHAT, GROUP, GROUP_CHAT, ISLE_CHAT};
use super::tell::{EARLY, FACTS, Knows, LATE, SWIPE, Told};
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
    page.line(
        0,
        format!(
            "Tamsin's chat “{CHAT}” has {} messages in four scenes, and a lorebook that learned \
             as the story went on.",
            told.main.last + 1
        ),
    );
    page.blank();

    page.heading("What SillyTavern alone does");
    page.line(
        2,
        format!(
            "A checkpoint at message {EARLY} copies {} messages and keeps using the same \
             lorebook. It knows all {} entries: there the dragon is dead already and the cook a \
             prince. Whatever one of the two chats learns from now on, the other one knows, too.",
            EARLY + 1,
            told.main.entries
        ),
    );
    page.blank();

    page.heading("What Lorefork does");
    let [checkpoint, branch] = &told.made;
    made(&mut page, &format!("lorefork checkpoint \"{CHAT}\" --at {EARLY}"), checkpoint);
    made(&mut page, &format!("lorefork branch \"{CHAT}\" --at {LATE} --swipe {SWIPE}"), branch);
    page.blank();

    page.heading("What each of them knows, as its lorebook's file says");
    page.table(2, table(told));
    page.blank();

    page.heading("The timelines, each with its own lorebook");
    page.table(2, tree(told));
    page.blank();

    page.heading("Try it");
    // Who comes from `cargo run` has no `lorefork` installed.
    let lorefork =
        if std::env::var_os("CARGO").is_some() { "cargo run -rq --" } else { "lorefork" };
    let lorefork = format!("{lorefork} --root {}", words::for_shell(&shown));
    let more = [
        format!("{lorefork} status"),
        format!("{lorefork} checkpoint \"{CHAT}\" --at 28"),
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

    let knows = |knows: &Knows| {
        let facts: serde_json::Map<String, serde_json::Value> = FACTS
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
    };
    let json = json!({
        "folder": shown,
        "made": told.made.iter().map(|made| value(&made.json().done())).collect::<Vec<_>>(),
        "timelines": [knows(&told.main), knows(&told.checkpoint), knows(&told.branch)],
        "also": [ISLE_CHAT, GROUP_CHAT],
    });
    Answer { exit: Exit::Done, json, page }
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

/// A row for each fact, a column for each timeline.
fn table(told: &Told) -> Vec<Vec<Text>> {
    let timelines = [&told.main, &told.checkpoint, &told.branch];
    let kinds = ["main chat", "checkpoint", "branch"];
    let mut head = vec![Text::new()];
    for (kind, knows) in kinds.iter().zip(timelines) {
        head.push(Text::new().quiet(format!("{kind}, 0–{}", knows.last)));
    }
    let mut rows = vec![head];
    for (index, (label, _)) in FACTS.iter().enumerate() {
        let mut row = vec![Text::new().quiet(label)];
        for knows in timelines {
            let says = knows.facts.get(index).and_then(Option::as_deref);
            let says = says.map_or("never heard of".to_owned(), |says| fit(says, COLUMN));
            // What the checkpoint does not share with the main chat is the point of it all.
            let is_other = knows.facts.get(index) != told.main.facts.get(index);
            row.push(if is_other { Text::new().styled(GOOD, says) } else { says.into() });
        }
        rows.push(row);
    }
    let mut row = vec![Text::new().quiet("entries")];
    row.extend(timelines.map(|knows| knows.entries.to_string().into()));
    rows.push(row);
    let mut row = vec![Text::new().quiet("verify")];
    row.extend(timelines.map(|knows| match knows.state {
        None => Text::new().quiet("–"),
        Some(State::Untouched) => Text::new().styled(GOOD, "✓ untouched"),
        Some(_) => Text::new().styled(BAD, "✗ not as it was made"),
    }));
    rows.push(row);
    rows
}

fn tree(told: &Told) -> Vec<Vec<Text>> {
    let row = |lines: &str, knows: &Knows| {
        let lorebook = words::beyond(&knows.lorebook, BOOK);
        let mark = match knows.shared_with {
            0 => Text::new().styled(GOOD, "✓ "),
            _ => Text::new().styled(BAD, "✗ "),
        };
        vec![Text::new().quiet(lines).plain(&knows.chat), mark.plain(lorebook)]
    };
    vec![row("", &told.main), row("├─ ", &told.checkpoint), row("└─ ", &told.branch)]
}
