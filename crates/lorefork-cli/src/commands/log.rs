//! `lorefork log` and `lorefork undo`: what was done, and taking it back.

use lorefork::choice::Choice;
use lorefork::diary::{self, Back, Names, Row};
use lorefork::error::report::findings_json;
use lorefork::error::{Code, Error};
use lorefork::host::{ChatView as _, Host as _, Trashed};
use lorefork::operation::change::{FileChange, To};
use lorefork::operation::log::{self, Log as Diary};
use lorefork::operation::record::{Change, Operation, Touched};
use lorefork::operation::salvage::save_beside;
use lorefork::operation::undo::{self, UndoPlan};
use lorefork::operation::{What, trash};
use lorefork::say;
use lorefork::tavern::chat::Header;
use lorefork::tavern::names;
use lorefork::tavern::place::{ChatRef, FileRef, Owner};
use lorefork_disk::{DiskHost, UserFolder};
use serde_json::{Value, json};

use super::{short, take_back};
use crate::args::{Globals, Log, Undo};
use crate::error::{Exit, Failure};
use crate::output::style::{CARE, GOOD};
use crate::output::{Answer, Page, Text, again, findings, value, words};
use crate::place::which_user;

pub(super) fn run(globals: &Globals, args: &Log) -> Result<Answer, Failure> {
    if args.empty_trash {
        return empty(&globals.only_user()?, args);
    }
    let users = match &args.chat {
        Some(chat) => about_chat(globals, chat)?,
        None => globals.hosts()?.into_iter().map(|(user, host)| (user, host, None)).collect(),
    };
    let mut page = Page::new();
    let (mut operations, mut files, mut bytes) = (Vec::new(), 0, 0);
    for (user, host, about) in &users {
        let diary = pollster::block_on(log::read(host))?;
        let in_trash = pollster::block_on(trash::older_than(host, 0))?;
        let is_asked = |row: &Row<'_>| about.as_ref().is_none_or(|about| about.is_in(row));
        let rows: Vec<Row<'_>> = diary::rows(&diary).into_iter().filter(is_asked).collect();
        let shown = &rows[..args.number.unwrap_or(rows.len()).min(rows.len())];
        let back = |row: &Row<'_>| row.back(&diary, &in_trash);
        let of_rows = || shown.iter().flat_map(Row::operations);
        let names = pollster::block_on(Names::read(host, of_rows()));
        if users.len() > 1 {
            page.heading(&user.handle);
        }
        if args.oneline {
            shown.iter().for_each(|row| one_line(&mut page, &names, row, back(row)));
        } else {
            show(&mut page, &names, shown, rows.len(), &back);
            whole_log(&mut page, &diary, &in_trash);
        }
        if users.len() > 1 {
            page.blank();
        }
        operations.extend(of_rows().map(|operation| {
            let mut json = as_json(&diary, operation);
            json["user"] = json!(user.handle);
            json["told"] = json!(names.title(operation).to_string());
            json
        }));
        files += in_trash.len();
        bytes += in_trash.iter().map(|file| file.bytes).sum::<u64>();
    }
    let json = json!({ "operations": operations, "trash": { "files": files, "bytes": bytes } });
    Ok(Answer { exit: Exit::Done, page, json })
}

/// What a part of the log is about: a chat, and the lorebook it names.
struct About {
    chats: Vec<ChatRef>,
    lorebook: Option<String>,
}

impl About {
    fn is_in(&self, row: &Row<'_>) -> bool {
        row.files().iter().any(|touched| match &touched.file {
            FileRef::Chat(chat) => self.chats.contains(chat),
            FileRef::Lorebook(name) => {
                self.lorebook.as_ref().is_some_and(|own| names::same_lorebook(own, name))
            }
            FileRef::Group(_) => false,
        })
    }
}

/// Whose log is meant, and what of it. A chat that is gone is known by what was done to it.
fn about_chat(
    globals: &Globals,
    selector: &str,
) -> Result<Vec<(UserFolder, DiskHost, Option<About>)>, Failure> {
    let failure = match globals.select(selector) {
        Ok((user, chat)) => {
            let host = globals.host(&user)?;
            let header = pollster::block_on(host.open(&chat)).ok();
            let header = header.as_ref().and_then(|view| Header::read(view.header()).ok());
            let lorebook = header.and_then(|header| header.lorebook());
            return Ok(vec![(user, host, Some(About { chats: vec![chat], lorebook }))]);
        }
        Err(failure) => failure,
    };
    let mut found = Vec::new();
    for (user, host) in globals.hosts()? {
        let diary = pollster::block_on(log::read(&host))?;
        let is_meant = |chat: &&ChatRef| chat.name == selector || chat.to_string() == selector;
        let files = diary.operations.iter().flat_map(|operation| &operation.files);
        let chats = files.filter_map(|touched| match &touched.file {
            FileRef::Chat(chat) => Some(chat),
            _ => None,
        });
        let chats: Vec<ChatRef> = chats.filter(is_meant).cloned().collect();
        if !chats.is_empty() {
            found.push((user, host, Some(About { chats, lorebook: None })));
        }
    }
    if found.is_empty() { Err(failure) } else { Ok(found) }
}

fn show(
    page: &mut Page,
    names: &Names,
    rows: &[Row<'_>],
    all: usize,
    back: &dyn Fn(&Row<'_>) -> Back,
) {
    if all == 0 {
        page.line(0, "Nothing was done yet.");
    }
    // The newest is what most people look for.
    for row in rows {
        entry(page, names, row, back(row));
    }
    if rows.len() < all {
        let earlier = words::count(all - rows.len(), "earlier operation", "earlier operations");
        page.line(0, Text::new().quiet(format!("· {earlier} not shown")));
    }
}

/// What is not about single rows.
fn whole_log(page: &mut Page, diary: &Diary, in_trash: &[Trashed]) {
    for (id, why) in &diary.unreadable {
        let text = Text::new().quiet(format!("· {id}: {why}"));
        page.hanging(0, 2, text.then(findings::code_of(Code::CorruptRecord)));
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
    match (found.len(), id) {
        (1, _) => Ok(found.remove(0).1),
        (0, Some(id)) => {
            let message = format!("no user has an operation “{id}” in the log");
            let hint = "“lorefork log” shows what was done, each with its id.";
            Err(Failure::new(Code::UnknownOperation, message, hint))
        }
        (0, None) => globals.only_user(),
        _ => {
            let users: Vec<_> = found.into_iter().map(|(user, _)| user).collect();
            Err(which_user("several users have something that could be undone:", &users))
        }
    }
}

fn entry(page: &mut Page, names: &Names, row: &Row<'_>, back: Back) {
    let operation = row.operation;
    let text = Text::new().quiet(words::date(operation.time)).plain("  ");
    page.hanging(0, 2, text.then(told(names, operation, back)));
    for touched in row.files() {
        page.hanging(4, 2, Text::new().quiet("– ").plain(change(names, touched)));
    }
    let mut text = Text::new().quiet("id ");
    for (nth, operation) in row.operations().enumerate() {
        text = if nth == 0 { text } else { text.quiet(" and ") }.code(short(&operation.id));
    }
    if let Some(undone) = &operation.undoes {
        text = text.quiet(format!(", took back {}", short(undone)));
    }
    page.line(4, text);
    page.blank();
}

/// A row for whoever looks for one of many. It is not broken, so that other tools can read it.
fn one_line(page: &mut Page, names: &Names, row: &Row<'_>, back: Back) {
    let operation = row.operation;
    let text = Text::new().code(short(&operation.id)).plain("  ");
    let text = text.quiet(words::date(operation.time)).plain("  ");
    page.fixed(0, text.then(told(names, operation, back)));
}

fn told(names: &Names, operation: &Operation, back: Back) -> Text {
    let text = Text::new()
        .plain(said(operation.what))
        .plain(" ")
        .strong(names.title(operation).to_string());
    match back {
        Back::Undone => text.quiet("  (undone)"),
        Back::NotInTrash => text.quiet("  (cannot be undone: the trash was emptied)"),
        Back::Maybe | Back::WithItsName => text,
    }
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
        What::Decide => "Decided:",
        What::Follow => "Followed",
        What::Carry => "Carried over",
        What::Label => "Labelled",
        What::Rename => "Renamed",
        What::Undo => "Took back",
    }
}

fn change(names: &Names, touched: &Touched) -> String {
    let file = file_in_words(names, &touched.file);
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

/// A file as people know it.
fn file_in_words(names: &Names, file: &FileRef) -> String {
    match file {
        FileRef::Chat(chat) => format!("chat {}", names.chat(chat)),
        FileRef::Lorebook(name) => format!("lorebook {name}"),
        FileRef::Group(id) => format!("group {}", names.owner(&Owner::Group(id.clone()))),
    }
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
        "title": operation.title.to_string(),
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
        return beside(globals, &host, args.id.as_deref());
    }
    if !args.apply {
        let plan = pollster::block_on(undo::plan_undo(&host, args.id.as_deref()))?;
        let names = pollster::block_on(Names::read(&host, [&plan.operation].into_iter()));
        return Ok(planned(&plan, &names, args.id.as_deref()));
    }
    let undone = pollster::block_on(undo::undo(&host, args.id.as_deref()))?;
    let mut page = Page::new();
    findings::healed(&mut page, &undone.healed);
    let text = Text::new().styled(GOOD, "✓ ").plain("Taken back: ");
    let text = text.plain(undone.operation.what.doing()).plain(" ");
    let names = pollster::block_on(Names::read(&host, [&undone.operation].into_iter()));
    page.hanging(0, 2, text.strong(names.title(&undone.operation).to_string()).plain("."));
    findings::warnings(&mut page, &undone.done.warnings);
    page.blank();
    let again = globals.command(&host, &["undo", short(&undone.done.id), "--apply"]);
    page.fixed(0, Text::new().quiet("→ ").plain("To do it again: ").code(again));
    let text = "Reload SillyTavern's tabs: they still have the other state.";
    page.hanging(0, 2, Text::new().quiet("→ ").plain(text));
    let json = json!({
        "id": undone.done.id,
        "undid": undone.operation.id,
        "what": undone.operation.what.name(),
        "title": undone.operation.title.to_string(),
        "warnings": value(&findings_json(&undone.done.warnings)),
    });
    Ok(Answer { exit: Exit::Done, page, json })
}

/// Saves what was before under other names.
fn beside(globals: &Globals, host: &DiskHost, id: Option<&str>) -> Result<Answer, Failure> {
    let newest = match id {
        Some(id) => Some(id.to_owned()),
        None => pollster::block_on(log::read(host))?.newest().map(|newest| newest.id.clone()),
    };
    let Some(id) = newest else {
        let message = say!("there is nothing that could be undone, so nothing was before");
        let hint = say!("The log shows what was done.");
        return Err(Error::new(Code::NothingToUndo, message, hint).or(Choice::Log).into());
    };
    let saved = pollster::block_on(save_beside(host, &id))?;
    let mut page = Page::new();
    page.line(0, "What was before is saved as:");
    let lorebooks = saved.lorebooks.iter().map(|name| ("lorebook", name));
    for (what, name) in lorebooks.chain(saved.chats.iter().map(|name| ("chat", name))) {
        page.hanging(2, 2, Text::new().quiet(format!("– {what} ")).name(name));
    }
    // The last one names what the others made.
    for id in saved.ids.iter().rev() {
        take_back(&mut page, globals, host, id);
    }
    let json = json!({ "lorebooks": saved.lorebooks, "chats": saved.chats, "ids": saved.ids });
    Ok(Answer { exit: Exit::Done, page, json })
}

fn planned(plan: &UndoPlan, names: &Names, id: Option<&str>) -> Answer {
    let operation = &plan.operation;
    let mut page = Page::new();
    for error in &plan.passed_over {
        page.hanging(0, 2, Text::new().styled(CARE, "! ").plain(error.to_string()));
    }
    if !plan.passed_over.is_empty() {
        page.line(0, "So what is newer cannot be taken back any more.");
        page.blank();
    }
    let text = Text::new().plain("This would take back ").plain(operation.what.doing());
    let text = text.plain(" ").strong(names.title(operation).to_string());
    page.hanging(0, 2, text.plain(". Nothing was written."));
    page.blank();
    for change in &plan.changes {
        page.hanging(2, 2, Text::new().quiet("– ").plain(backwards(names, change)));
    }
    page.blank();
    page.line(0, "To do it:");
    // Which one is said, so that it is the one that was shown, whatever is done until then.
    let command = match id {
        Some(_) => again(&["--apply"]),
        None => again(&[short(&operation.id), "--apply"]),
    };
    page.fixed(2, Text::new().code(command));
    let passed_over: Vec<String> = plan.passed_over.iter().map(ToString::to_string).collect();
    let files: Vec<String> = plan.changes.iter().map(|change| change.file.file()).collect();
    let json = json!({
        "would_undo": operation.id,
        "what": operation.what.name(),
        "title": operation.title.to_string(),
        "files": files,
        "passed_over": passed_over,
    });
    Answer { exit: Exit::Done, page, json }
}

fn backwards(names: &Names, change: &FileChange) -> String {
    let file = file_in_words(names, &change.file);
    match &change.to {
        To::Gone => format!("to the trash: {file}"),
        To::Copy { .. } => format!("new: {file}"),
        To::Back { .. } => format!("back from the trash: {file}"),
        To::Text(_) if matches!(change.file, FileRef::Group(_)) => format!("the list of {file}"),
        To::Text(_) => format!("as it was: {file}"),
        To::Lines(lines) => {
            format!("{} as before: {file}", words::count(lines.len(), "line", "lines"))
        }
    }
}
