//! `cargo xtask publish DIR`: a checkout of the repository that SillyTavern installs the extension from.
//!
//! SillyTavern clones the default branch and builds nothing, so the built files have a repository of their
//! own, at whose root they stand. SillyTavern updates by pulling: commits are only ever added.
#![expect(clippy::print_stdout, reason = "says what was done")]

mod pages;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use self::pages::Pages;
use crate::addresses::Addresses;
use crate::package;
use crate::workspace::{Workspace, output, run as run_command, works};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A checkout of that repository; a new one if there is nothing yet
    dir: PathBuf,

    /// Publish what was packaged last, without building it again
    #[arg(long)]
    no_build: bool,

    /// Although there are uncommitted changes here; only to try it
    #[arg(long)]
    dirty: bool,
}

const README: &str = "packaging/extension/README.md";
/// What a program can read about it, without git.
const BUILT: &str = "built.json";
/// Files stay as they were built. With git's own idea of line ends, Windows would see them changed,
/// and refuse to update.
const ATTRIBUTES: &str = "* -text\n";

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let dir = std::path::absolute(&args.dir)?;
    // Before anything is built: what speaks against it is told at once.
    check_checkout(workspace, &dir)?;
    let commit = commit(workspace, args.dirty)?;
    if !args.no_build {
        package::fresh(workspace)?;
    }
    let built = package::folder(workspace);
    ensure!(built.exists(), "nothing was packaged yet: leave out --no-build");
    package::check_size(workspace)?;

    let publication = Publication {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit,
        addresses: Addresses::read(workspace)?,
    };
    open_checkout(workspace, &dir)?;
    publication.write(workspace, &built, &dir)?;
    if publication.commit(workspace, &dir)? {
        println!("\nCommitted in {}. `git push` there makes it public.", dir.display());
    } else {
        println!("\n{} has all of it already.", dir.display());
    }
    Ok(())
}

/// What would be published, without a repository: for the test that installs it as a player does.
pub(crate) fn for_test(workspace: &Workspace, dir: &Path) -> Result<()> {
    package::remove(dir)?;
    fs::create_dir_all(dir)?;
    let publication = Publication {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: "(a test)".to_owned(),
        addresses: Addresses::read(workspace)?,
    };
    publication.write(workspace, &package::folder(workspace), dir)
}

/// The commit that is built. What is published must be found again in the sources.
fn commit(workspace: &Workspace, dirty: bool) -> Result<String> {
    let commit = output(workspace.command("git").args(["rev-parse", "HEAD"]))?;
    if output(workspace.command("git").args(["status", "--porcelain"]))?.is_empty() {
        return Ok(commit);
    }
    ensure!(dirty, "there are uncommitted changes: commit them first, or say --dirty to try it");
    Ok(format!("{commit} with uncommitted changes"))
}

struct Publication {
    version: String,
    commit: String,
    addresses: Addresses,
}

impl Publication {
    /// Everything but git's own folder is made anew, so that what is gone from the sources goes here, too.
    fn write(&self, workspace: &Workspace, built: &Path, dir: &Path) -> Result<()> {
        for item in dir.read_dir()? {
            let item = item?;
            if item.file_name() == ".git" {
                continue;
            }
            if item.file_type()?.is_dir() {
                package::remove(&item.path())?;
            } else {
                fs::remove_file(item.path())?;
            }
        }
        package::copy(built, dir)?;
        fs::write(dir.join(".gitattributes"), ATTRIBUTES)?;
        self.finish_manifest(dir)?;

        let readme = self.readme(&fs::read_to_string(workspace.root.join(README))?);
        let (version, source) = (&self.version, self.addresses.source());
        Pages { workspace, version, source }.write(&readme, dir)?;

        let mut built = json!({ "version": self.version, "commit": self.commit });
        if let Some(source) = self.addresses.source() {
            built["source"] = json!(source);
        }
        package::write_json(&dir.join(BUILT), &built)
    }

    /// Only what SillyTavern cloned can be updated by it: in a plain copy it would fail with a red notice.
    fn finish_manifest(&self, dir: &Path) -> Result<()> {
        let file = dir.join("manifest.json");
        let mut manifest: Value = serde_json::from_str(&fs::read_to_string(&file)?)?;
        manifest["auto_update"] = json!(true);
        package::write_json(&file, &manifest)
    }

    fn readme(&self, text: &str) -> String {
        let address = self.addresses.extension().unwrap_or("(the address of this repository)");
        let questions = match (self.addresses.home(), self.addresses.source()) {
            (None, None) => String::new(),
            (Some(home), None) => format!("All it can do: {home}\n\n"),
            (None, Some(source)) => format!("Sources and problems: {source}\n\n"),
            (Some(home), Some(source)) => {
                format!("All it can do: {home}. Sources and problems: {source}\n\n")
            }
        };
        let text = if questions.is_empty() {
            text.replace("## Questions\n{questions}\n", "")
        } else {
            text.replace("{questions}\n", &questions)
        };
        text.replace("{extension}", address)
            .replace("{version}", &self.version)
            .replace("{commit}", &self.commit)
    }

    /// Whether there was anything to commit.
    fn commit(&self, workspace: &Workspace, dir: &Path) -> Result<bool> {
        let git = || git(workspace, dir);
        // `--force`: what somebody's own settings ignore belongs to it all the same.
        run_command(git().args(["add", "--all", "--force"]))?;
        if output(git().args(["status", "--porcelain"]))?.is_empty() {
            return Ok(false);
        }
        let message = format!("Lorefork {}\n\nBuilt from {}", self.version, self.commit);
        run_command(git().args(["commit", "--quiet", "--message", &message]))?;
        Ok(true)
    }
}

fn git(workspace: &Workspace, dir: &Path) -> std::process::Command {
    let mut git = workspace.command("git");
    git.current_dir(dir);
    git
}

/// Somebody's other files are not ours to remove.
fn check_checkout(workspace: &Workspace, dir: &Path) -> Result<()> {
    if !dir.exists() || is_empty(dir)? {
        return Ok(());
    }
    let shown = dir.display();
    ensure!(dir.join(".git").exists(), "{shown} is neither empty nor a checkout");
    if !works(git(workspace, dir).args(["rev-parse", "--verify", "HEAD"])) {
        // A clone of a repository that has nothing yet.
        let nothing = dir.read_dir()?.count() == 1;
        ensure!(nothing, "{shown} has files that were never committed");
        return Ok(());
    }
    let manifest = fs::read_to_string(dir.join("manifest.json")).unwrap_or_default();
    let manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
    ensure!(manifest["display_name"] == "Lorefork", "{shown} is a checkout of something else");
    if !output(git(workspace, dir).args(["status", "--porcelain"]))?.is_empty() {
        bail!("{shown} has uncommitted changes");
    }
    Ok(())
}

fn is_empty(dir: &Path) -> Result<bool> {
    let mut items = dir.read_dir().with_context(|| format!("{} is not a folder", dir.display()))?;
    Ok(items.next().is_none())
}

fn open_checkout(workspace: &Workspace, dir: &Path) -> Result<()> {
    fs::create_dir_all(dir)?;
    if dir.join(".git").exists() {
        return Ok(());
    }
    run_command(git(workspace, dir).args(["init", "--quiet", "--initial-branch=main"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn publication(version: &str, commit: &str) -> Publication {
        let addresses = json!({
            "source": "https://example.org/source",
            "extension": "https://example.org/lorefork",
            "home": "https://lorefork.invalid",
        });
        Publication {
            version: version.to_owned(),
            commit: commit.to_owned(),
            addresses: serde_json::from_value(addresses).unwrap(),
        }
    }

    struct Place {
        workspace: Workspace,
        root: PathBuf,
        built: PathBuf,
        dir: PathBuf,
    }

    impl Place {
        fn new(name: &str) -> Self {
            let root = std::env::temp_dir().join(format!("lorefork-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&root);
            let built = root.join("built");
            fs::create_dir_all(built.join("src")).unwrap();
            fs::write(built.join("manifest.json"), r#"{"display_name":"Lorefork"}"#).unwrap();
            fs::write(built.join("src/a.js"), "one\r\ntwo\n").unwrap();
            Self { workspace: Workspace::find().unwrap(), dir: root.join("published"), built, root }
        }

        fn publish(&self, publication: &Publication) -> Result<bool> {
            check_checkout(&self.workspace, &self.dir)?;
            open_checkout(&self.workspace, &self.dir)?;
            // Whoever runs the tests need not have told git a name.
            for (key, value) in [("user.name", "Nobody"), ("user.email", "nobody@example.org")] {
                run_command(git(&self.workspace, &self.dir).args(["config", key, value]))?;
            }
            publication.write(&self.workspace, &self.built, &self.dir)?;
            publication.commit(&self.workspace, &self.dir)
        }

        fn read(&self, name: &str) -> String {
            fs::read_to_string(self.dir.join(name)).unwrap()
        }

        fn count(&self) -> String {
            let mut git = git(&self.workspace, &self.dir);
            output(git.args(["rev-list", "--count", "HEAD"])).unwrap()
        }
    }

    #[test]
    fn a_checkout_is_made_and_updated() {
        let place = Place::new("publish");
        assert!(place.publish(&publication("0.1.0", "abc")).unwrap());
        assert_eq!(place.read("src/a.js"), "one\r\ntwo\n");
        let readme = place.read("README.md");
        assert!(readme.contains("Paste `https://example.org/lorefork`"));
        assert!(readme.contains("Sources and problems: https://example.org/source\n"));
        assert!(readme.contains("version 0.1.0, built from commit abc;"));
        assert!(!readme.contains(".invalid") && !readme.contains('{'), "{readme}");
        for shown in readme.split("](docs/").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(place.dir.join("docs").join(shown).is_file(), "{shown}");
        }
        assert!(place.dir.join("docs/pictures").read_dir().unwrap().count() > 5);
        assert!(
            place
                .read("docs/guide.md")
                .contains("https://example.org/source/blob/v0.1.0/docs/command.md")
        );
        let built: Value = serde_json::from_str(&place.read(BUILT)).unwrap();
        assert_eq!((&built["version"], &built["commit"]), (&json!("0.1.0"), &json!("abc")));
        let manifest: Value = serde_json::from_str(&place.read("manifest.json")).unwrap();
        assert_eq!(manifest["auto_update"], true, "SillyTavern may update it");

        assert!(!place.publish(&publication("0.1.0", "abc")).unwrap(), "nothing is new");
        assert_eq!(place.count(), "1");

        fs::remove_file(place.built.join("src/a.js")).unwrap();
        assert!(place.publish(&publication("0.2.0", "def")).unwrap());
        assert_eq!(place.count(), "2", "on top, so that SillyTavern can pull it");
        assert!(!place.dir.join("src").join("a.js").exists());
        fs::remove_dir_all(place.root).unwrap();
    }

    #[test]
    fn other_folders_are_left_alone() {
        let place = Place::new("publish-elsewhere");
        let refused = || format!("{:#}", place.publish(&publication("0.1.0", "abc")).unwrap_err());
        fs::create_dir_all(&place.dir).unwrap();
        fs::write(place.dir.join("diary.txt"), "mine").unwrap();
        assert!(refused().contains("neither empty nor a checkout"));
        run_command(git(&place.workspace, &place.dir).args(["init", "--quiet"])).unwrap();
        assert!(refused().contains("never committed"));
        assert_eq!(place.read("diary.txt"), "mine");
        fs::remove_dir_all(&place.dir).unwrap();

        place.publish(&publication("0.1.0", "abc")).unwrap();
        fs::write(place.dir.join("src/a.js"), "by hand").unwrap();
        assert!(refused().contains("uncommitted changes"));
        fs::remove_dir_all(&place.root).unwrap();
    }
}
