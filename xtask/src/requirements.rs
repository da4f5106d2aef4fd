//! `docs/requirements.md` names the tests that show each requirement; they must exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::workspace::Workspace;

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let page = fs::read_to_string(workspace.root.join("docs/requirements.md"))
        .context("cannot read docs/requirements.md")?;
    let mut tests = BTreeSet::new();
    collect(&workspace.root.join("crates"), &mut tests)?;
    let missing: Vec<&str> = named(&page).filter(|name| !tests.contains(*name)).collect();
    if !missing.is_empty() {
        bail!("docs/requirements.md names tests that do not exist: {}", missing.join(", "));
    }
    println!("{} tests named, all there", named(&page).count());
    Ok(())
}

/// Names in back quotes that look like test functions.
fn named(page: &str) -> impl Iterator<Item = &str> {
    let quoted = page.split('`').skip(1).step_by(2);
    quoted.filter(|name| {
        name.contains('_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// The functions of all Rust files below a folder.
fn collect(folder: &Path, tests: &mut BTreeSet<String>) -> Result<()> {
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, tests)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path)?;
            let functions = text.lines().filter_map(|line| line.trim_start().strip_prefix("fn "));
            tests.extend(functions.filter_map(|rest| Some(rest.split_once('(')?.0.to_owned())));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_test_names_are_taken_from_the_page() {
        let page = "`cargo xtask` | `r001_a`, `i4_b` | `lorefork.lore`";
        assert_eq!(super::named(page).collect::<Vec<_>>(), ["r001_a", "i4_b"]);
    }
}
