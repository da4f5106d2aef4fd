//! `docs/requirements.md` names the tests that show each requirement, `docs/compatibility.md` those that watch
//! what is assumed of SillyTavern: none is missing, and all tests exist, in Rust, in Node and in the browser. And the
//! versions of SillyTavern that the extension knows as tried are those that are tested and documented.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::workspace::Workspace;

const PAGE: &str = "docs/requirements.md";
const ASSUMPTIONS: &str = "docs/compatibility.md";
/// The list of versions that were tried, and where the browser tests get them from.
const TRIED: &str = "extension/src/tried.js";
const TAVERNS: &str = "e2e/package.json";
/// R-001 to this, and N-1 to that.
const REQUIREMENTS: usize = 164;
const IMPLIED: usize = 8;

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let read = |page: &str| {
        fs::read_to_string(workspace.root.join(page)).with_context(|| format!("cannot read {page}"))
    };
    let (page, assumptions) = (read(PAGE)?, read(ASSUMPTIONS)?);
    let mut functions = BTreeSet::new();
    collect(&workspace.root.join("crates"), "rs", &mut functions, function)?;
    let mut scenes = BTreeSet::new();
    for folder in ["e2e", "difftest"] {
        collect(&workspace.root.join(folder), "test.mjs", &mut scenes, scene)?;
    }

    let rows: Vec<Row<'_>> =
        page.lines().chain(assumptions.lines()).filter_map(Row::read).collect();
    let mut wrong = Vec::new();
    let told: BTreeSet<String> = rows.iter().flat_map(Row::numbers).collect();
    wrong.extend(
        wanted()
            .filter(|number| !told.contains(number))
            .map(|number| format!("{number} has no row")),
    );
    let mut named = 0;
    for row in &rows {
        let (tests, titles) = (row.functions(), row.scenes());
        named += tests.len() + titles.len();
        if tests.is_empty() && titles.is_empty() && !row.says_why_none() {
            wrong.push(format!("{} names no test, and does not say why", row.of));
        }
        let gone = tests.iter().filter(|name| !functions.contains(**name));
        wrong.extend(gone.map(|name| format!("{}: no test `{name}`", row.of)));
        let gone = titles.iter().filter(|title| !scenes.contains(**title));
        wrong.extend(gone.map(|title| format!("{}: no scene “{title}”", row.of)));
    }
    let tried = read(TRIED)?;
    let tried: Vec<&str> = versions(&tried).collect();
    wrong.extend(untested(&tried, &assumptions, &read(TAVERNS)?));
    if !wrong.is_empty() {
        bail!("{PAGE}, {ASSUMPTIONS}:\n  {}", wrong.join("\n  "));
    }
    println!("{} requirements and assumptions, {named} tests named, all there", told.len());
    Ok(())
}

/// The versions in the list of those that were tried.
fn versions(source: &str) -> impl Iterator<Item = &str> {
    let list = source.split_once("TRIED = [").and_then(|(_, rest)| rest.split_once(']'));
    list.map_or("", |(list, _)| list).split('\'').skip(1).step_by(2)
}

/// What is said to be tried, and is not.
fn untested(tried: &[&str], page: &str, taverns: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if tried.is_empty() {
        wrong.push(format!("{TRIED} names no version"));
    }
    for version in tried {
        if !page.contains(&format!("\n| {version} |")) {
            wrong.push(format!("{TRIED}: {ASSUMPTIONS} has no row for {version}"));
        }
        let places = [format!("\"sillytavern\": \"{version}."), format!("sillytavern@{version}.")];
        if !places.iter().any(|place| taverns.contains(place.as_str())) {
            wrong.push(format!("{TRIED}: {TAVERNS} has no {version}"));
        }
    }
    wrong
}

fn wanted() -> impl Iterator<Item = String> {
    let requirements = (1..=REQUIREMENTS).map(|number| format!("R-{number:03}"));
    requirements.chain((1..=IMPLIED).map(|number| format!("N-{number}")))
}

/// A row of the page: `| R-001, R-002 | tests | what was decided |`.
struct Row<'p> {
    of: &'p str,
    tests: &'p str,
    decided: &'p str,
}

impl<'p> Row<'p> {
    fn read(line: &'p str) -> Option<Self> {
        let mut cells = line.strip_prefix("| ")?.split('|').map(str::trim);
        let row = Self { of: cells.next()?, tests: cells.next()?, decided: cells.next()? };
        ["R-", "N-", "A-"].iter().any(|kind| row.of.starts_with(kind)).then_some(row)
    }

    /// Its numbers, one by one: `R-100 to R-105` are six.
    fn numbers(&self) -> Vec<String> {
        let mut numbers = Vec::new();
        for part in self.of.split(", ") {
            let Some((first, last)) = part.split_once(" to R-") else {
                numbers.push(part.to_owned());
                continue;
            };
            let first = first.trim_start_matches("R-").parse::<usize>();
            let (Ok(first), Ok(last)) = (first, last.parse()) else { continue };
            numbers.extend((first..=last).map(|number| format!("R-{number:03}")));
        }
        numbers
    }

    fn functions(&self) -> Vec<&'p str> {
        [self.tests, self.decided].iter().flat_map(|cell| functions(cell)).collect()
    }

    fn scenes(&self) -> Vec<&'p str> {
        let quoted = self.tests.split('“').skip(1);
        quoted.filter_map(|rest| Some(rest.split_once('”')?.0)).collect()
    }

    fn says_why_none(&self) -> bool {
        self.tests == "none" && !self.decided.is_empty()
    }
}

/// Names in back quotes that look like test functions.
fn functions(cell: &str) -> impl Iterator<Item = &str> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted.filter(|name| {
        name.contains('_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// The function that begins on a line of Rust.
fn function(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("fn ")?;
    Some(rest.split_once('(')?.0.to_owned())
}

/// What a scene that is run with several versions of SillyTavern begins with.
const EACH: &str = "${version}: ";

/// The title of the scene that begins on a line of a browser test.
fn scene(line: &str) -> Option<String> {
    let rest = line.trim_start();
    let rest = rest.strip_prefix("scene(").or_else(|| rest.strip_prefix("test("))?;
    let quote = rest.chars().next().filter(|c| "'\"`".contains(*c))?;
    let mut title = String::new();
    let mut letters = rest.chars().skip(1);
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => title.extend(letters.next()),
            _ if letter == quote => {
                return Some(title.strip_prefix(EACH).map(str::to_owned).unwrap_or(title));
            }
            _ => title.push(letter),
        }
    }
    None
}

/// What the lines of all such files below a folder name.
fn collect(
    folder: &Path,
    ending: &str,
    names: &mut BTreeSet<String>,
    named: fn(&str) -> Option<String>,
) -> Result<()> {
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && name != "node_modules" {
            collect(&path, ending, names, named)?;
        } else if name.ends_with(&format!(".{ending}")) {
            names.extend(fs::read_to_string(&path)?.lines().filter_map(named));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_its_numbers_and_its_tests() {
        let row = Row::read("| R-009 to R-011, N-2 | `r009_a`, `cargo xtask`, “a, b” | `i4_b` |");
        let row = row.unwrap();
        assert_eq!(row.numbers(), ["R-009", "R-010", "R-011", "N-2"]);
        assert_eq!(row.functions(), ["r009_a", "i4_b"]);
        assert_eq!(row.scenes(), ["a, b"]);
        assert!(Row::read("| number | tests | decided |").is_none());
        assert!(Row::read("| R-1 | none | why |").unwrap().says_why_none());
        assert!(!Row::read("| R-1 | none | |").unwrap().says_why_none());
    }

    #[test]
    fn what_is_tried_is_tested_and_documented() {
        let tried: Vec<&str> = versions("export const TRIED = ['1.1', '1.2'];\nx['no']").collect();
        assert_eq!(tried, ["1.1", "1.2"]);
        let page = "\n| 1.1 | all |\n| 1.2 | some |";
        let taverns = r#""sillytavern": "1.2.0", "old": "npm:sillytavern@1.1.0""#;
        assert!(untested(&tried, page, taverns).is_empty());
        assert_eq!(untested(&tried, "\n| 1.2 | all", taverns).len(), 1);
        assert_eq!(untested(&tried, page, "").len(), 2);
        assert_eq!(untested(&[], page, taverns).len(), 1);
    }

    #[test]
    fn a_line_says_which_test_begins_on_it() {
        assert_eq!(function("    fn r001_a() {").as_deref(), Some("r001_a"));
        assert_eq!(scene(r"scene('a scene\'s end', x, async").as_deref(), Some("a scene's end"));
        assert_eq!(scene("scene(`${version}: groups`, x").as_deref(), Some("groups"));
        assert_eq!(scene("const scene = 1"), None);
    }
}
