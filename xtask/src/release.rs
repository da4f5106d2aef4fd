//! `cargo xtask release VERSION`: looks at everything a release consists of, and makes its tag, on this
//! machine only. What is missing is told all at once.
#![expect(clippy::print_stdout, reason = "says what was found")]

use std::fs;

use anyhow::{Context, Result, bail, ensure};

use crate::addresses::Addresses;
use crate::workspace::{Workspace, output, run as run_command, works};
use crate::{dist, package, requirements, test};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Such as 0.2.0: the workspace's own
    version: String,

    /// Look, but make no tag
    #[arg(long)]
    check: bool,
}

const CHANGELOG: &str = "CHANGELOG.md";

struct Check {
    about: &'static str,
    look: fn(&Workspace, &str) -> Result<()>,
}

const CHECKS: [Check; 9] = [
    Check { about: "the version is the workspace's", look: version },
    Check { about: "there is no such tag yet", look: tag },
    Check { about: "everything is committed", look: committed },
    Check { about: "all tests passed at this commit", look: tested },
    Check {
        about: "every test that is named exists",
        look: |workspace, _| requirements::check(workspace),
    },
    Check { about: "the changelog tells of it", look: changelog },
    Check { about: "addresses are real", look: |workspace, _| Addresses::read(workspace)?.check() },
    Check { about: "the extension is built, of this version, and small enough", look: extension },
    Check { about: "the command's packages are built, and whole", look: packages },
];

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let mut wrong = Vec::new();
    for Check { about, look } in CHECKS {
        match look(workspace, &args.version) {
            Ok(()) => println!("ok      {about}"),
            Err(error) => {
                println!("MISSING {about}");
                wrong.push(format!("\n  - {error:#}"));
            }
        }
    }
    if !wrong.is_empty() {
        bail!("{} cannot be released:{}", args.version, wrong.concat());
    }
    if args.check {
        return Ok(());
    }
    let (tag, message) = (format!("v{}", args.version), format!("Lorefork {}", args.version));
    run_command(workspace.command("git").args(["tag", "--annotate", &tag, "--message", &message]))?;
    println!("\nThe tag {tag} is made. `git push origin {tag}` releases it.");
    Ok(())
}

fn version(_: &Workspace, version: &str) -> Result<()> {
    let ours = env!("CARGO_PKG_VERSION");
    ensure!(version == ours, "Cargo.toml says version {ours}");
    Ok(())
}

fn tag(workspace: &Workspace, version: &str) -> Result<()> {
    let name = format!("refs/tags/v{version}");
    let exists = works(workspace.command("git").args(["rev-parse", "--verify", "--quiet", &name]));
    ensure!(!exists, "the tag v{version} exists: what was released is not released again");
    Ok(())
}

fn committed(workspace: &Workspace, _: &str) -> Result<()> {
    let changes = output(workspace.command("git").args(["status", "--porcelain"]))?;
    ensure!(changes.is_empty(), "there are uncommitted changes");
    Ok(())
}

fn tested(workspace: &Workspace, _: &str) -> Result<()> {
    let passed = test::passed_at(workspace)
        .filter(|passed| Some(&passed.commit) == workspace.commit().as_ref())
        .context("run `cargo xtask test`: it did not pass at this commit")?;
    let (theirs, ours): (Vec<_>, Vec<_>) =
        passed.skipped.into_iter().partition(|step| is_left_to_the_workflow(step));
    ensure!(ours.is_empty(), "skipped at this commit: {}", ours.join("; "));
    for step in theirs {
        println!("        not run here, left to the workflow: {step}");
    }
    Ok(())
}

/// Steps that need a system that not every machine has. The workflow takes them, and publishes nothing
/// unless they pass.
const WORKFLOW_TAKES: [&str; 4] = ["firefox", "exfat", "qemu", "wine"];

fn is_left_to_the_workflow(step: &str) -> bool {
    step.split(' ').next().is_some_and(|name| WORKFLOW_TAKES.contains(&name))
}

fn changelog(workspace: &Workspace, version: &str) -> Result<()> {
    let text = fs::read_to_string(workspace.root.join(CHANGELOG))
        .with_context(|| format!("cannot read {CHANGELOG}"))?;
    tells_of(&text, version)
}

/// Sections begin with `## 0.2.0 (2026-11-18)`.
fn tells_of(changelog: &str, version: &str) -> Result<()> {
    let sections: Vec<(&str, &str)> = changelog
        .split("\n## ")
        .skip(1)
        .map(|section| section.split_once('\n').unwrap_or((section, "")))
        .collect();
    let waiting = sections.iter().find(|(title, _)| *title == "Unreleased");
    if let Some((_, text)) = waiting {
        ensure!(text.trim().is_empty(), "{CHANGELOG} still has something under “Unreleased”");
    }
    let Some((title, text)) =
        sections.iter().find(|(title, _)| title.split(' ').next() == Some(version))
    else {
        bail!("{CHANGELOG} has no section “{version}”");
    };
    let date = title.strip_prefix(version).map(str::trim).unwrap_or_default();
    ensure!(is_date(date), "in {CHANGELOG} the title “{title}” should be “{version} (date)”");
    ensure!(!text.trim().is_empty(), "{CHANGELOG} says nothing about {version}");
    Ok(())
}

/// `(2026-11-18)`
fn is_date(text: &str) -> bool {
    let Some(date) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    let parts: Vec<&str> = date.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [4, 2, 2] && parts.concat().bytes().all(|letter| letter.is_ascii_digit())
}

fn extension(workspace: &Workspace, version: &str) -> Result<()> {
    let file = package::folder(workspace).join("manifest.json");
    let text = fs::read_to_string(file)
        .context("the extension is not built: run `cargo xtask package`")?;
    let manifest: serde_json::Value = serde_json::from_str(&text)?;
    let built = manifest["version"].as_str().unwrap_or_default();
    ensure!(built == version, "the extension that is built is {built}: run `cargo xtask package`");
    for key in ["minimum_client_version", "homePage"] {
        let is_said = manifest[key].as_str().is_some_and(|value| !value.is_empty());
        ensure!(is_said, "the manifest of the extension that is built has no {key}");
    }
    package::check_size(workspace)
}

fn packages(workspace: &Workspace, version: &str) -> Result<()> {
    let missing = dist::check(workspace, version)?;
    if !missing.is_empty() {
        println!("        left to the workflow: {}", missing.join(", "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::STEPS;

    #[test]
    fn what_is_left_to_the_workflow_is_taken_there_before_anything_is_published() {
        let workflow = include_str!("../../.github/workflows/release.yml");
        let steps = WORKFLOW_TAKES.join(" ");
        let command = format!("cargo xtask test --none-skipped --only package {steps}");
        assert!(workflow.contains(&command), "{command}");
        // Jobs stand two spaces deep.
        let deep = |line: &str| line.starts_with("  ") && !line[2..].starts_with([' ', '#']);
        let mut jobs: Vec<String> = Vec::new();
        for line in workflow.lines() {
            if deep(line) {
                jobs.push(String::new());
            }
            if let Some(job) = jobs.last_mut() {
                job.push_str(line);
                job.push('\n');
            }
        }
        let publishes = |job: &&String| job.contains(" push origin") || job.contains("npm publish");
        let publishing: Vec<&String> = jobs.iter().filter(publishes).collect();
        assert_eq!(publishing.len(), 2, "the extension, and the packages");
        for job in publishing {
            assert!(job.contains("needs: [elsewhere, command"), "{job}");
        }
        for name in WORKFLOW_TAKES {
            assert!(STEPS.iter().any(|step| step.name == name), "{name}");
        }
        assert!(is_left_to_the_workflow("wine (there is none)"));
        assert!(!is_left_to_the_workflow("npm (there is none)"));
    }

    #[test]
    fn a_changelog_tells_of_a_version_or_does_not() {
        let refused = |text: &str| tells_of(text, "0.2.0").unwrap_err().to_string();
        tells_of("# Changes\n\n## 0.2.0 (2026-11-18)\n- New.\n", "0.2.0").unwrap();
        tells_of("# Changes\n\n## Unreleased\n\n## 0.2.0 (2026-11-18)\n- New.\n", "0.2.0").unwrap();
        assert!(refused("# Changes\n\n## 0.1.0 (2026-01-01)\n- Old.\n").contains("no section"));
        assert!(refused("# Changes\n\n## 0.2.0\n- New.\n").contains("(date)"));
        assert!(refused("# Changes\n\n## 0.2.0 (soon)\n- New.\n").contains("(date)"));
        assert!(refused("# Changes\n\n## 0.2.0 (2026-11-18)\n\n").contains("says nothing"));
        let waiting = "# Changes\n\n## Unreleased\n- More.\n\n## 0.2.0 (2026-11-18)\n- New.\n";
        assert!(refused(waiting).contains("“Unreleased”"));
    }
}
