//! What happens to a file, as the page shows it.

use lorefork::json::{Object, array};
use lorefork::operation::change::{FileChange, To};
use lorefork::operation::record::{Change, Touched};
use lorefork::tavern::place::FileRef;

/// What would happen to files.
pub(super) fn planned(changes: &[FileChange]) -> String {
    let one = |change: &FileChange| {
        let (what, lines) = match &change.to {
            To::Text(_) if change.seen.is_none() => ("created", None),
            To::Copy { .. } => ("created", None),
            To::Text(_) => ("replaced", None),
            To::Lines(lines) => ("lines", Some(lines.len())),
            To::Gone => ("removed", None),
            To::Back { .. } => ("restored", None),
        };
        text(&change.file, what, lines)
    };
    array(&changes.iter().map(one).collect::<Vec<_>>())
}

/// What happened to files.
pub(super) fn touched<'t>(files: impl Iterator<Item = &'t Touched>) -> String {
    let one = |touched: &Touched| {
        let (what, lines) = match &touched.change {
            Change::Created { .. } => ("created", None),
            Change::Restored { .. } => ("restored", None),
            Change::Replaced { .. } => ("replaced", None),
            Change::Lines { lines, .. } => ("lines", Some(lines.len())),
            Change::Listed { .. } => ("listed", None),
            Change::Removed { .. } => ("removed", None),
        };
        text(&touched.file, what, lines)
    };
    array(&files.map(one).collect::<Vec<_>>())
}

fn text(file: &FileRef, change: &str, lines: Option<usize>) -> String {
    let (kind, name) = match file {
        FileRef::Chat(chat) => ("chat", &chat.name),
        FileRef::Lorebook(name) => ("lorebook", name),
        FileRef::Group(id) => ("group", id),
    };
    Object::new()
        .text("kind", kind)
        .text("name", name)
        .text("change", change)
        .count_or_null("lines", lines)
        .done()
}
