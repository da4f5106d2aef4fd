//! Rooms of the engine use only rooms below them, in the order in which `docs/architecture.md` lists
//! them; and nobody outside `memory/` names the folder of a memory extension, but for those that the
//! page lists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

use crate::workspace::Workspace;

const PAGE: &str = "docs/architecture.md";
const ENGINE: &str = "crates/lorefork/src";
/// The room of memory extensions; each has a folder in it.
const MEMORIES: &str = "memory/";
/// How the page begins the list of sources that may name such a folder.
const STILL: &str = "Still naming a folder";

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let page = fs::read_to_string(workspace.root.join(PAGE)).context("cannot read the page")?;
    let order = order(&page);
    let mut sources = Vec::new();
    let engine = workspace.root.join(ENGINE);
    read(&engine, &engine, &mut sources)?;
    let wrong = judge(&order, &sources);
    ensure!(wrong.is_empty(), "{PAGE} lists rooms from the bottom up:\n{}", wrong.join("\n"));
    let named = naming(&allowed(&page), &sources);
    ensure!(named.is_empty(), "{PAGE}, “Memory extensions”:\n{}", named.join("\n"));
    Ok(())
}

/// The rooms, from the bottom up: the rows below the engine's own in the list of folders.
fn order(page: &str) -> Vec<String> {
    let rows = page.lines().skip_while(|line| !line.starts_with(ENGINE)).skip(1);
    rows.take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .map(|name| name.trim_end_matches('/').trim_end_matches(".rs").to_owned())
        .collect()
}

/// What is wrong with the arrows between sources, each with its path below the engine.
fn judge(order: &[String], sources: &[(String, String)]) -> Vec<String> {
    let place = |room: &str| order.iter().position(|known| known == room);
    let mut wrong = BTreeSet::new();
    for (path, text) in sources {
        let room = path.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        // The door of the engine.
        if room == "lib" {
            continue;
        }
        let Some(here) = place(room) else {
            wrong.insert(format!("{room}: not in the list"));
            continue;
        };
        for used in used(text) {
            match place(&used) {
                Some(there) if there > here => {
                    wrong.insert(format!("{path} uses {used}, which is above {room}"));
                }
                _ => {}
            }
        }
    }
    wrong.into_iter().collect()
}

/// The sources that may name the folder of a memory extension: the list behind [`STILL`].
fn allowed(page: &str) -> Vec<&str> {
    let rows = page.lines().skip_while(|line| !line.starts_with(STILL)).skip(1);
    let rows = rows.skip_while(|line| line.is_empty()).take_while(|line| line.starts_with("- "));
    rows.flat_map(|row| row.split('`').skip(1).step_by(2)).collect()
}

/// What is wrong with who names the folder of a memory extension.
fn naming(allowed: &[&str], sources: &[(String, String)]) -> Vec<String> {
    let folders: BTreeSet<&str> = sources
        .iter()
        .filter_map(|(path, _)| Some(path.strip_prefix(MEMORIES)?.split_once('/')?.0))
        .collect();
    let outside = sources.iter().filter(|(path, _)| !path.starts_with(MEMORIES));
    let mut wrong = Vec::new();
    for (path, text) in outside {
        let code = code(text);
        let mut named = folders.iter().filter(|folder| names_folder(&code, folder));
        match (named.next(), allowed.contains(&path.as_str())) {
            (Some(folder), false) => wrong.push(format!("{path} names {MEMORIES}{folder}/")),
            (None, true) => wrong.push(format!("{path} is listed, and names none any more")),
            _ => {}
        }
    }
    wrong
}

/// Whether code names `memory::<folder>`, by itself or within brackets.
fn names_folder(code: &str, folder: &str) -> bool {
    code.match_indices("memory::").any(|(at, it)| {
        let after = &code[at + it.len()..];
        match after.strip_prefix('{') {
            Some(group) => firsts(group).iter().any(|first| first == folder),
            None => name(after).as_deref() == Some(folder),
        }
    })
}

/// A source without its tests and comments.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The rooms that a source uses, tests apart: they may reach anywhere.
fn used(text: &str) -> BTreeSet<String> {
    let code = code(text);
    let mut found = BTreeSet::new();
    for (_, after) in code.match_indices("crate::").map(|(at, it)| (at, &code[at + it.len()..])) {
        match after.strip_prefix('{') {
            Some(group) => found.extend(firsts(group)),
            None => found.extend(name(after)),
        }
    }
    found
}

/// The first names within `{a, b::{c, d}, e::f}`, whose first bracket is gone.
fn firsts(group: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0;
    let mut is_first = true;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => is_first = true,
            c if is_first && !c.is_whitespace() => {
                names.extend(name(&group[at..]));
                is_first = false;
            }
            _ => {}
        }
    }
    names
}

fn name(text: &str) -> Option<String> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

fn read(engine: &Path, folder: &Path, sources: &mut Vec<(String, String)>) -> Result<()> {
    for found in folder.read_dir()? {
        let path = found?.path();
        if path.is_dir() {
            read(engine, &path, sources)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            let Some(below) = path.strip_prefix(engine)?.to_str() else { bail!("an odd name") };
            sources.push((below.replace('\\', "/"), fs::read_to_string(&path)?));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "crates/lorefork/src   the engine\n  json/   text\n  tavern.rs  formats\n          \
                        more\n  fork/  flows\ncrates/other\n";

    fn wrong(path: &str, text: &str) -> Vec<String> {
        judge(&order(LIST), &[(path.to_owned(), text.to_owned())])
    }

    #[test]
    fn an_arrow_against_the_order_is_found() {
        assert_eq!(order(LIST), ["json", "tavern", "fork"]);
        let up = "fork/link.rs";
        assert!(wrong(up, "use crate::json::Json;\nuse crate::{say, tavern::x};").is_empty());
        for text in [
            "use crate::fork::Plan;",
            "use crate::{json::{Json, set}, fork};",
            "fn f() { crate::fork::go() }",
        ] {
            let found = wrong("json/read.rs", text);
            assert_eq!(found, ["json/read.rs uses fork, which is above json"], "{text}");
        }
    }

    #[test]
    fn only_who_is_listed_names_the_folder_of_a_memory_extension() {
        let source = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let of = |text: &str| {
            let own = source("memory/recap/mod.rs", "use super::back;");
            naming(
                &["fork/old.rs"],
                &[
                    own,
                    source("fork/old.rs", "use crate::memory::recap::queue;"),
                    source("fork/new.rs", text),
                ],
            )
        };
        assert!(of("use crate::memory::{back, names as recap};").is_empty());
        assert!(of("#[cfg(test)]\nmod tests { use crate::memory::recap; }").is_empty());
        for text in ["use crate::memory::recap::queue;", "use crate::memory::{back, recap::hash};"]
        {
            assert_eq!(of(text), ["fork/new.rs names memory/recap/"], "{text}");
        }
        let clean = [source("memory/recap/mod.rs", ""), source("fork/old.rs", "")];
        assert_eq!(
            naming(&["fork/old.rs"], &clean),
            ["fork/old.rs is listed, and names none any more"]
        );
        let page =
            "x `a`\n\nStill naming a folder, for:\n\n- `a.rs`, `b.rs`: why\n- `c.rs`\n\n- `d`";
        assert_eq!(allowed(page), ["a.rs", "b.rs", "c.rs"]);
    }

    #[test]
    fn tests_and_comments_may_name_anything_and_a_room_must_be_listed() {
        let text = "// see crate::fork\n#[cfg(test)]\nmod tests { use crate::fork::Plan; }";
        assert!(wrong("json/read.rs", text).is_empty());
        assert_eq!(wrong("attic/read.rs", ""), ["attic: not in the list"]);
    }
}
