//! What players read beside the built extension: pages of this version, with the pictures they show. What they
//! lead to besides is not there: then the link goes to the sources of this version, if those have an address.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::package;
use crate::workspace::Workspace;

/// From the sources, under the same names. The README is made of one of its own.
const PAGES: [&str; 3] = ["CHANGELOG.md", "docs/guide.md", "docs/leaving.md"];
pub(super) const README: &str = "README.md";

pub(super) struct Pages<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) version: &'a str,
    pub(super) source: Option<&'a str>,
}

impl Pages<'_> {
    /// Writes all of them into a folder; the README's text is given.
    pub(super) fn write(&self, readme: &str, dir: &Path) -> Result<()> {
        self.write_one(README, readme, dir)?;
        for page in PAGES {
            let text = fs::read_to_string(self.workspace.root.join(page))
                .with_context(|| format!("cannot read {page}"))?;
            self.write_one(page, &text, dir)?;
        }
        Ok(())
    }

    fn write_one(&self, page: &str, text: &str, dir: &Path) -> Result<()> {
        let mut pictures = BTreeSet::new();
        let text = self.with_links(page, text, &mut pictures);
        for name in pictures {
            let to = dir.join(&name);
            fs::create_dir_all(to.parent().unwrap_or(dir))?;
            package::copy(&self.workspace.root.join(&name), &to)?;
        }
        let to = dir.join(page);
        fs::create_dir_all(to.parent().unwrap_or(dir))?;
        fs::write(to, text).with_context(|| format!("cannot write {page}"))
    }

    /// The text with links that lead somewhere; `pictures` gets the pictures it shows.
    fn with_links(&self, page: &str, text: &str, pictures: &mut BTreeSet<String>) -> String {
        let mut made = String::new();
        let mut rest = text;
        while let Some(open) = rest.find("](") {
            let (before, after) = rest.split_at(open);
            let Some((target, after)) = after[2..].split_once(')') else { break };
            rest = after;
            let path = path_of(page, target);
            if is_picture(&path) && !is_far(target) {
                pictures.insert(path.clone());
            }
            let is_here = is_far(target)
                || is_picture(&path)
                || path == README
                || PAGES.contains(&path.as_str());
            match self.source {
                _ if is_here => made.push_str(&format!("{before}]({target})")),
                Some(source) => {
                    let version = self.version;
                    let part = target.find('#').map_or("", |at| &target[at..]);
                    made.push_str(&format!("{before}]({source}/blob/v{version}/{path}{part})"));
                }
                None => made.push_str(&without_link(before)),
            }
        }
        made + rest
    }
}

/// Elsewhere on the web, or on the same page.
fn is_far(target: &str) -> bool {
    target.contains("://") || target.starts_with('#')
}

fn is_picture(path: &str) -> bool {
    path.ends_with(".png") || path.ends_with(".svg")
}

/// Where a link of a page leads, from the root.
fn path_of(page: &str, target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The words of a link without the bracket before them.
fn without_link(before: &str) -> String {
    match before.rsplit_once('[') {
        Some((start, words)) => format!("{start}{words}"),
        None => before.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_somewhere() {
        let workspace = Workspace::find().unwrap();
        let links = |source| {
            let pages = Pages { workspace: &workspace, version: "0.2.0", source };
            let text = "![a](pictures/a.png) [out](leaving.md#x), [how](command.md#y) and [there](https://a.example/b)";
            let mut pictures = BTreeSet::new();
            let made = pages.with_links("docs/guide.md", text, &mut pictures);
            (made, pictures.into_iter().collect::<Vec<_>>())
        };
        let (made, pictures) = links(Some("https://example.org/source"));
        assert_eq!(
            made,
            "![a](pictures/a.png) [out](leaving.md#x), [how](https://example.org/source/blob/v0.2.0/docs/command.md#y) and [there](https://a.example/b)"
        );
        assert_eq!(pictures, ["docs/pictures/a.png"]);
        let (made, _) = links(None);
        assert!(made.contains("(leaving.md#x), how and [there]"), "{made}");
        assert_eq!(path_of("CHANGELOG.md", "docs/api.md"), "docs/api.md");
        assert_eq!(path_of("docs/guide.md", "../README.md"), "README.md");
    }
}
