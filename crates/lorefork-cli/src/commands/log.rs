//! `lorefork log` and `lorefork undo`: what was done, and taking it back.

use lorefork::fork::report::findings_json;
use lorefork::host::Trashed;
use lorefork::operation::beside::save_beside;
use lorefork::operation::change::{FileChange, To};
use lorefork::operation::log::{self, Log as Diary};
use lorefork::operation::record::{Change, Operation, Touched};
use lorefork::operation::undo::{self, UndoPlan};
use lorefork::operation::{What, trash};
use lorefork::tavern::place::FileRef;
use lorefork_disk::DiskHost;
use serde_json::{Value, json};

use crate::args::{Globals, Log, Undo};
use crate::error::{Exit, Failure};
use crate::output::style::{CARE, GOOD};
use crate::output::{Answer, Page, Text, again, findings, value, words};
use crate::place::which_user;

pub(super) fn run(globals: &Globals, args: &Log) -> Result<Answer, Failure> {
    if args.empty_trash {
        return empty(&globals.only_user()?, args);
    }
    let hosts = globals.hosts()?;
    let mut page = Page::new();
    let (mut operations, mut files, mut bytes) = (Vec::new(), 0, 0);
    for (user, host) in &hosts {
        let diary = pollster::block_on(log::read(host))?;
        let in_trash = pollster::block_on(trash::older_than(host, 0))?;
        if hosts.len() > 1 {
            page.heading(&user.handle);
        }
        show(&mut page, &diary, &in_trash);
        if hosts.len() > 1 {
            page.blank();
        }
        operations.extend(diary.operations.iter().rev().map(|operation| {
            let mut json = as_json(&diary, operation);
            json["user"] = json!(user.handle);
            json
        }));
        files += in_trash.len();
        bytes += in_trash.iter().map(|file| file.bytes).sum::<u64>();
    }
    let json = json!({ "operations": operations, "trash": { "files": files, "bytes": bytes } });
    Ok(Answer { exit: Exit::Done, page, json })
}

fn show(page: &mut Page, diary: &Diary, in_trash: &[Trashed]) {
    if diary.operations.is_empty() {
        page.line(0, "Nothing was done yet.");
    }
    // The newest is what most people look for.
    for operation in diary.operations.iter().rev() {
        entry(page, diary, operation);
    }
    for (id, why) in &diary.unreadable {
        page.hanging(0, 2, Text::new().quiet(format!("· {id}: {why}")));
    }
    if !in_trash.is_empty() {
        let bytes = in_trash.iter().map(|file| file.bytes).sum();
        let files = words::count(in_trash.len(), "file", "files");
        let text = format!("The trash holds {files}, {}.", words::size(bytes));
        page.hanging(0, 2, Text::new().quiet("· ").plain(text));
    }
}

/// Whose operation is meant: the one who has it, or the only one who has any.
fn whose(globals: &Globals, id: Option<&str>) -> Result<DiskHost, Failure> {
    let mut hosts = globals.hosts()?;
    if hosts.len() == 1 {
        return Ok(hosts.remove(0).1);
    }
    let mut found = Vec::new();
    for (user, host) in hosts {
        let diary = pollster::block_on(log::read(&host))?;
        let has = id.map_or(diary.newest().is_some(), |id| diary.find(id).is_some());
        if has {
            found.push((user, host));
        }
    }
    match found.len() {
        1 => Ok(found.remove(0).1),
        0 => globals.only_user(),
        _ => {
            let users: Vec<_> = found.into_iter().map(|(user, _)| user).collect();
            Err(which_user("several users have something that could be undone:", &users))
        }
    }
}

fn entry(page: &mut Page, diary: &Diary, operation: &Operation) {
    let is_undone = diary.is_undone(&operation.id);
    let mut text = Text::new().quiet(words::date(operation.time)).plain("  ");
    text = text.strong(said(operation.what)).plain(" ").strong(&operation.title);
    if is_undone {
        text = text.quiet("  (undone)");
    }
    page.hanging(0, 2, text);
    for touched in &operation.files {
        page.hanging(4, 2, Text::new().quiet("– ").plain(change(touched)));
    }
    let mut text = Text::new().quiet("id ").code(short(&operation.id));
    if let Some(undone) = &operation.undoes {
        text = text.quiet(format!(", took back {}", short(undone)));
    }
    page.line(4, text);
    page.blank();
}

/// What was done, for a diary.
fn said(what: What) -> &'static str {
    match what {
        What::Checkpoint => "Made the checkpoint",
        What::Branch => "Made the branch",
        What::Isolate => "Gave its own lorebook to",
        What::Fix => "Repaired",
        What::Untangle => "Untangled",
        What::Rewind => "Rewound",
        What::Delete => "Deleted",
        What::Sweep => "Swept up",
        What::Follow => "Followed",
        What::Undo => "Took back",
    }
}

fn change(touched: &Touched) -> String {
    let file = touched.file.file();
    match &touched.change {
        Change::Created { .. } => format!("new: {file}"),
        Change::Restored { .. } => format!("back from the trash: {file}"),
        Change::Replaced { .. } => format!("changed: {file}"),
        Change::Listed { .. } => format!("listed it: {file}"),
        Change::Removed { .. } => format!("to the trash: {file}"),
        Change::Lines { lines, .. } => {
            format!("changed {}: {file}", words::count(lines.len(), "line", "lines"))
        }
    }
}

fn short(id: &str) -> &str {
    id.split('-').next().unwrap_or(id)
}

fn as_json(diary: &Diary, operation: &Operation) -> Value {
    let files: Vec<Value> = operation
        .files
        .iter()
        .map(|touched| {
            let what = match &touched.change {
                Change::Created { .. } => "created",
                Change::Restored { .. } => "restored",
                Change::Replaced { .. } => "replaced",
                Change::Lines { .. } => "lines",
                Change::Listed { .. } => "listed",
                Change::Removed { .. } => "removed",
            };
            json!({ "file": touched.file.file(), "change": what })
        })
        .collect();
    json!({
        "id": operation.id,
        "what": operation.what.name(),
        "title": operation.title,
        "time": operation.time,
        "undoes": operation.undoes,
        "undone": diary.is_undone(&operation.id),
        "files": files,
    })
}

fn empty(host: &DiskHost, args: &Log) -> Result<Answer, Failure> {
    let days = args.older_than.unwrap_or(0);
    let files = if args.apply {
        pollster::block_on(trash::empty(host, days))?
    } else {
        pollster::block_on(trash::older_than(host, days))?
    };
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let mut page = Page::new();
    let count = words::count(files.len(), "file", "files");
    if args.apply {
        let text = format!("{count} removed for good, {}.", words::size(bytes));
        page.hanging(0, 2, Text::new().styled(GOOD, "✓ ").plain(text));
    } else {
        page.line(0, format!("This would remove {count} for good, {}.", words::size(bytes)));
    }
    if !args.apply && !files.is_empty() {
        page.blank();
        for file in &files {
            page.hanging(2, 2, Text::new().quiet("– ").plain(&file.file));
        }
        page.line(0, "What they were part of can then no longer be undone. To do it:");
        page.fixed(2, Text::new().code(again(&["--apply"])));
    }
    let json = json!({ "removed": args.apply, "files": files.len(), "bytes": bytes });
    Ok(Answer { exit: Exit::Done, page, json })
}

pub(super) fn undo(globals: &Globals, args: &Undo) -> Result<Answer, Failure> {
    let host = whose(globals, args.id.as_deref())?;
    if args.save_beside {
        let plan = args.id.clone().map_or_else(
            || pollster::block_on(log::read(&host)).map(|log| log.newest().map(|o| o.id.clone())),
            |id| Ok(Some(id)),
        )?;
        let saved = pollster::block_on(save_beside(&host, plan.as_deref().unwrap_or_default()))?;
        let mut page = Page::new();
        page.line(0, "What was before is saved as:");
        let lorebooks = saved.lorebooks.iter().map(|name| ("lorebook", name));
        for (what, name) in lorebooks.chain(saved.chats.iter().map(|name| ("chat", name))) {
            page.hanging(2, 2, Text::new().quiet(format!("– {what} ")).name(name));
        }
        let json = json!({ "lorebooks": saved.lorebooks, "chats": saved.chats, "ids": saved.ids });
        return Ok(Answer { exit: Exit::Done, page, json });
    }
    if !args.apply {
        let plan = pollster::block_on(undo::plan_undo(&host, args.id.as_deref()))?;
        return Ok(planned(&plan, args.id.as_deref()));
    }
    let undone = pollster::block_on(undo::undo(&host, args.id.as_deref()))?;
    let mut page = Page::new();
    for healed in &undone.healed {
        page.hanging(0, 2, Text::new().quiet("· ").plain(words::healed(healed)));
    }
    let text = Text::new().styled(GOOD, "✓ ").plain("Taken back: ");
    let text = text.plain(undone.operation.what.doing()).plain(" ");
    page.hanging(0, 2, text.strong(&undone.operation.title).plain("."));
    findings::warnings(&mut page, &undone.done.warnings);
    page.blank();
    let again = format!("lorefork undo {} --apply", short(&undone.done.id));
    page.hanging(0, 2, Text::new().quiet("→ ").plain("To do it again: ").code(again));
    let text = "Reload SillyTavern's tabs: they still have the other state.";
    page.hanging(0, 2, Text::new().quiet("→ ").plain(text));
    let json = json!({
        "id": undone.done.id,
        "undid": undone.operation.id,
        "what": undone.operation.what.name(),
        "title": undone.operation.title,
        "warnings": value(&findings_json(&undone.done.warnings)),
    });
    Ok(Answer { exit: Exit::Done, page, json })
}

fn planned(plan: &UndoPlan, id: Option<&str>) -> Answer {
    let operation = &plan.operation;
    let mut page = Page::new();
    for error in &plan.passed_over {
        page.hanging(0, 2, Text::new().styled(CARE, "! ").plain(&error.message));
    }
    if !plan.passed_over.is_empty() {
        page.line(0, "So what is newer cannot be taken back any more.");
        page.blank();
    }
    let text = Text::new().plain("This would take back ").plain(operation.what.doing());
    page.hanging(0, 2, text.plain(" ").strong(&operation.title).plain(". Nothing was written."));
    page.blank();
    for change in &plan.changes {
        page.hanging(2, 2, Text::new().quiet("– ").plain(backwards(change)));
    }
    page.blank();
    page.line(0, "To do it:");
    // Which one is said, so that it is the one that was shown, whatever is done until then.
    let command = match id {
        Some(_) => again(&["--apply"]),
        None => again(&[short(&operation.id), "--apply"]),
    };
    page.fixed(2, Text::new().code(command));
    let passed_over: Vec<&str> =
        plan.passed_over.iter().map(|error| error.message.as_str()).collect();
    let files: Vec<String> = plan.changes.iter().map(|change| change.file.file()).collect();
    let json = json!({
        "would_undo": operation.id,
        "what": operation.what.name(),
        "title": operation.title,
        "files": files,
        "passed_over": passed_over,
    });
    Answer { exit: Exit::Done, page, json }
}

fn backwards(change: &FileChange) -> String {
    let file = change.file.file();
    match &change.to {
        To::Gone => format!("to the trash: {file}"),
        To::Back { .. } => format!("back from the trash: {file}"),
        To::Text(_) if matches!(change.file, FileRef::Group(_)) => format!("the list of {file}"),
        To::Text(_) => format!("as it was: {file}"),
        To::Lines(lines) => {
            format!("{} as before: {file}", words::count(lines.len(), "line", "lines"))
        }
    }
}
