//! Rooms of the engine use only rooms below them, in the order in which `docs/architecture.md` lists
//! them; and nobody outside `memory/` names a memory extension: not its folder, no key of its data, and
//! not what it is called.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

use crate::workspace::Workspace;

const PAGE: &str = "docs/architecture.md";
const ENGINE: &str = "crates/lorefork/src";
/// The room of memory extensions; each has a folder in it.
const MEMORIES: &str = "memory/";
/// Tables of what codes mean, whose words become pages of `docs/`: what an extension does may stand
/// there.
const EXPLAINS: [&str; 1] = ["error/code.rs"];
/// A key that is shorter is a word like any other.
const LEAST: usize = 6;

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let page = fs::read_to_string(workspace.root.join(PAGE)).context("cannot read the page")?;
    let order = order(&page);
    let mut sources = Vec::new();
    let engine = workspace.root.join(ENGINE);
    read(&engine, &engine, &mut sources)?;
    let wrong = judge(&order, &sources);
    ensure!(wrong.is_empty(), "{PAGE} lists rooms from the bottom up:\n{}", wrong.join("\n"));
    let named = naming(&sources);
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

/// What is wrong with who names a memory extension: its folder, a key of its data, what it is called.
/// Keys are the texts of the constants in its folder.
fn naming(sources: &[(String, String)]) -> Vec<String> {
    let mut folders = BTreeSet::new();
    let mut texts: BTreeSet<String> = BTreeSet::new();
    for (path, text) in sources {
        let Some((folder, _)) = path.strip_prefix(MEMORIES).and_then(|path| path.split_once('/'))
        else {
            continue;
        };
        folders.insert(folder);
        texts.extend(own_texts(&code(text)));
    }
    let mut wrong = Vec::new();
    for (path, text) in sources.iter().filter(|(path, _)| !path.starts_with(MEMORIES)) {
        let code = code(text);
        let folder = folders.iter().find(|folder| names_folder(&code, folder));
        wrong.extend(folder.map(|folder| format!("{path} names {MEMORIES}{folder}/")));
        if EXPLAINS.contains(&path.as_str()) {
            continue;
        }
        let said = literals(&code);
        let named = texts.iter().find(|own| said.iter().any(|said| said.contains(own.as_str())));
        wrong.extend(named.map(|own| format!("{path} says “{own}”, which is an extension's")));
    }
    wrong
}

/// The texts of constants, and of what an extension is called, that are no common words.
fn own_texts(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (mark, end) in [("const ", ';'), ("fn name(", '}')] {
        for (at, _) in code.match_indices(mark) {
            // Constants within a function are its own matter.
            let line = code[..at].rfind('\n').map_or(0, |at| at + 1);
            let is_inner = end == ';' && code[line..].starts_with(' ');
            let after = &code[at..];
            // Arrays have such signs in their types.
            let value = after.find('=').filter(|_| end == ';').map_or(after, |at| &after[at..]);
            if !is_inner {
                found.extend(literals(value.split(end).next().unwrap_or_default()));
            }
        }
    }
    let is_own = |text: &String| {
        let is_mark = |c: char| c == '_' || c.is_ascii_uppercase();
        text.len() >= LEAST && text.contains(is_mark) && !text.contains(['{', ' '])
    };
    found.into_iter().filter(is_own).collect()
}

/// All texts within quotation marks, as they are spelled.
fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find('"') {
        // A quotation mark as a sign.
        if rest[at..].starts_with("\"'") {
            rest = &rest[at + 2..];
            continue;
        }
        let raw = rest[..at].ends_with("r#");
        let inside = &rest[at + 1..];
        let end = if raw { inside.find("\"#") } else { unescaped_end(inside) };
        let Some(end) = end else { break };
        found.push(inside[..end].to_owned());
        rest = &inside[end + 1..];
    }
    found
}

fn unescaped_end(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends.then_some(at)
    })
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
    fn nobody_else_names_a_memory_extension() {
        let source = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let own = "const KEY: &str = \"auto_recap_memory\";\n\
            pub(super) const MAP: [&str; 2] = [\"text\", \"auto_lorebooks\"];\n\
            impl Memory for R {\n    fn name(&self) -> &'static str { \"Auto-Recap\" }\n}\n\
            fn f() {\n    const NOT: &str = \"is_user\";\n    x.get(\"is_user\");\n}";
        let of =
            |text: &str| naming(&[source("memory/recap/mod.rs", own), source("fork/new.rs", text)]);
        for fine in [
            "use crate::memory::{back, names as recap};",
            "#[cfg(test)]\nmod tests { use crate::memory::recap; }",
            "// auto_recap_memory, of Auto-Recap\nfn f() { x.get(\"is_user\"); g('\"', \"text\") }",
        ] {
            assert!(of(fine).is_empty(), "{fine}");
        }
        for text in ["use crate::memory::recap::queue;", "use crate::memory::{back, recap::hash};"]
        {
            assert_eq!(of(text), ["fork/new.rs names memory/recap/"], "{text}");
        }
        for (text, said) in [
            ("x.find(\"\\\"auto_recap_memory\")", "auto_recap_memory"),
            ("x.meta(&[\"a\", \"auto_lorebooks\"])", "auto_lorebooks"),
            ("say!(\"Wait for Auto-Recap.\")", "Auto-Recap"),
            ("r#\"{\"auto_lorebooks\":1}\"#", "auto_lorebooks"),
        ] {
            let found = format!("fork/new.rs says “{said}”, which is an extension's");
            assert_eq!(of(text), [found], "{text}");
        }
        let meaning = source("error/code.rs", "\"Auto-Recap has work\"");
        assert!(naming(&[source("memory/recap/mod.rs", own), meaning]).is_empty());
    }

    #[test]
    fn tests_and_comments_may_name_anything_and_a_room_must_be_listed() {
        let text = "// see crate::fork\n#[cfg(test)]\nmod tests { use crate::fork::Plan; }";
        assert!(wrong("json/read.rs", text).is_empty());
        assert_eq!(wrong("attic/read.rs", ""), ["attic: not in the list"]);
    }
}
