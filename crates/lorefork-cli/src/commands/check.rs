//! `lorefork check`: what is wrong, in one user's folder or in all.

use lorefork::audit::facts::Folder;
use lorefork::audit::{Problem, Severity, judge};
use lorefork::choice::choices_json;
use lorefork::json::sentence_json;
use lorefork::sentence::Sentence;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_disk::{DiskHost, UserFolder};
use serde_json::{Value, json};

use crate::args::{Check, Globals};
use crate::error::{Exit, Failure};
use crate::output::style::{BAD, CARE, GOOD, QUIET};
use crate::output::{Answer, Page, Text, choices, findings, value, words};

/// What was found in one user's folder.
pub(super) struct Checked {
    pub(super) user: UserFolder,
    pub(super) host: DiskHost,
    pub(super) folder: Folder,
    pub(super) problems: Vec<Problem>,
    /// The chats it was asked about; none for all.
    wanted: Vec<ChatRef>,
}

pub(super) fn run(globals: &Globals, args: &Check) -> Result<Answer, Failure> {
    let all = look(globals, &args.chats)?;
    let is_clean = all.iter().all(|checked| checked.problems.is_empty());
    let exit = if is_clean { Exit::Done } else { Exit::No };
    let mut page = page(&all);
    if !is_clean {
        page.blank();
        let what =
            "“lorefork fix” shows what it would do about it, “lorefork explain CODE” says more.";
        page.hanging(0, 2, Text::new().quiet("→ ").plain(what));
    }
    Ok(Answer { exit, json: as_json(&all), page })
}

/// Checks all users, or the families of these chats.
pub(super) fn look(globals: &Globals, chats: &[String]) -> Result<Vec<Checked>, Failure> {
    let mut wanted: Vec<(UserFolder, ChatRef)> = Vec::new();
    for selector in chats {
        wanted.push(globals.select(selector)?);
    }
    let mut users = match chats.first() {
        None => globals.users()?,
        Some(_) => wanted.iter().map(|(user, _)| user.clone()).collect(),
    };
    users.dedup();
    let mut all = Vec::new();
    for user in users {
        let host = globals.host(&user)?;
        let folder = host.facts()?;
        let own = wanted.iter().filter(|(of, _)| *of == user).map(|(_, chat)| chat.clone());
        let mut checked =
            Checked { host, folder, problems: Vec::new(), wanted: own.collect(), user };
        checked.problems = checked.judge(&checked.folder);
        all.push(checked);
    }
    Ok(all)
}

impl Checked {
    /// What is wrong in a folder, as far as it was asked about.
    pub(super) fn judge(&self, folder: &Folder) -> Vec<Problem> {
        let mut problems = judge(folder);
        if !self.wanted.is_empty() {
            problems
                .retain(|problem| self.wanted.iter().any(|chat| concerns(folder, problem, chat)));
        }
        problems
    }
}

/// Whether a problem is about a chat, or about the lorebook it names.
fn concerns(folder: &Folder, problem: &Problem, chat: &ChatRef) -> bool {
    let facts = folder.chats.iter().find(|facts| facts.chat == *chat);
    let named = facts.and_then(|facts| facts.header()?.lorebook.clone());
    problem.chat.iter().chain(&problem.others).any(|other| other == chat)
        || (problem.lorebook.is_some() && problem.lorebook == named)
}

pub(super) fn as_json(all: &[Checked]) -> Value {
    let problems: Vec<Value> = all
        .iter()
        .flat_map(|checked| checked.problems.iter().map(|problem| problem_json(problem, checked)))
        .collect();
    let sum = |count: &dyn Fn(&Folder) -> u64| -> u64 {
        all.iter().map(|checked| count(&checked.folder)).sum()
    };
    let bytes = |folder: &Folder| {
        folder.chats.iter().map(|facts| facts.bytes).sum::<u64>()
            + folder.lorebooks.iter().map(|facts| facts.bytes).sum::<u64>()
    };
    json!({
        "problems": problems,
        "scanned": {
            "chats": sum(&|folder| folder.chats.len() as u64),
            "lorebooks": sum(&|folder| folder.lorebooks.len() as u64),
            "bytes": sum(&bytes),
        },
    })
}

pub(super) fn problem_json(problem: &Problem, checked: &Checked) -> Value {
    let (says, fix) =
        (value(&sentence_json(&problem.says)), value(&sentence_json(&problem.fix.says)));
    json!({
        "code": problem.code.name(),
        "severity": problem.severity.name(),
        "user": checked.user.handle,
        "chat": problem.chat.as_ref().map(ToString::to_string),
        "file": problem.file.clone().or_else(|| problem.chat.as_ref().map(ChatRef::file)),
        "lorebook": problem.lorebook,
        "others": problem.others.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "at": problem.message,
        "line": problem.line,
        "message": problem.says.to_string(),
        "says": says["says"],
        "with": says["with"],
        "fix": problem.fix.says.to_string(),
        "advice": fix,
        "choices": value(&choices_json(&problem.fix.choices)),
        "automatic": problem.fix.is_automatic(),
    })
}

pub(super) fn page(all: &[Checked]) -> Page {
    let mut page = Page::new();
    for (nth, checked) in all.iter().enumerate() {
        if nth > 0 {
            page.blank();
        }
        user(&mut page, checked, all.len() > 1);
    }
    page
}

fn user(page: &mut Page, checked: &Checked, is_named: bool) {
    let folder = &checked.folder;
    let scanned = format!(
        "{} and {}",
        words::count(folder.chats.len(), "chat", "chats"),
        words::count(folder.lorebooks.len(), "lorebook", "lorebooks")
    );
    let whose = if is_named { format!(" of {}", checked.user.handle) } else { String::new() };
    let counts = counts(&checked.problems);
    if counts.is_empty() {
        let text =
            Text::new().styled(GOOD, "✓ ").plain(format!("{scanned}{whose}: nothing found."));
        page.hanging(0, 2, text);
        return;
    }
    page.hanging(0, 2, Text::new().plain(format!("{scanned}{whose}: {counts}.")));
    let mut heading = None;
    for problem in &checked.problems {
        let about = about(folder, problem);
        if heading.as_ref() != Some(&about) {
            page.blank();
            page.hanging(0, 2, Text::new().strong(&about.0).quiet(about.1));
            heading = Some(about);
        }
        one(page, problem);
    }
}

/// “2 errors, 1 note”.
fn counts(problems: &[Problem]) -> String {
    let kinds = [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Note, "note", "notes"),
    ];
    let counted: Vec<String> = kinds
        .into_iter()
        .map(|(severity, one, many)| {
            (problems.iter().filter(|problem| problem.severity == severity).count(), one, many)
        })
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| words::count(count, one, many))
        .collect();
    counted.join(", ")
}

/// What a problem stands under: its chat, else its lorebook, else the folder.
pub(super) fn about(folder: &Folder, problem: &Problem) -> (String, &'static str) {
    match (&problem.chat, &problem.lorebook) {
        (Some(chat), _) => match &chat.owner {
            Owner::Character(character) => (format!("{character}/{}", chat.name), ""),
            Owner::Group(id) => {
                let group = folder.groups.iter().find(|group| group.id == *id);
                match group {
                    Some(group) => (format!("{}/{}", group.name, chat.name), "  group"),
                    None => (chat.name.clone(), "  in no group"),
                }
            }
        },
        (None, Some(lorebook)) => (lorebook.clone(), "  lorebook"),
        (None, None) => ("This folder".to_owned(), ""),
    }
}

/// What would be done, or why nothing, with what can be typed.
pub(super) fn advice(problem: &Problem, says: &Sentence) -> String {
    choices::advised(problem.code.name(), Some(says), &problem.fix.choices)
}

fn one(page: &mut Page, problem: &Problem) {
    let (style, mark) = match problem.severity {
        Severity::Error => (BAD, "✗ "),
        Severity::Warning => (CARE, "! "),
        Severity::Note => (QUIET, "· "),
    };
    let text = Text::new().styled(style, mark).plain(problem.says.to_string());
    page.hanging(2, 2, text.then(findings::code_of(problem.code)));
    if problem.chat.is_some()
        && let Some(lorebook) = &problem.lorebook
        && !problem.says.to_string().contains(lorebook.as_str())
    {
        page.hanging(4, 2, Text::new().quiet("lorebook ").plain(lorebook));
    }
    for other in &problem.others {
        page.hanging(4, 2, Text::new().quiet("also ").plain(&other.name));
    }
    page.hanging(4, 2, Text::new().quiet("→ ").plain(advice(problem, &problem.fix.says)));
}
