//! Tests where Lorefork is said to run, and where nobody of us sits: Windows, played by Wine; arm64, played by
//! QEMU; the file system of memory cards, played by FUSE; Firefox. What is not to be had here is said, and skipped.
//!
//! In Firefox a few scenes of the page; elsewhere the disk host's own tests, and those that run the real command.

pub(crate) mod exfat;
pub(crate) mod firefox;
pub(crate) mod qemu;
pub(crate) mod wine;

use std::process::Command;

use anyhow::Result;

use crate::tools;
use crate::workspace::Workspace;

/// What these tests are, for cargo.
const TESTS: [&str; 9] = [
    "--package",
    "lorefork-disk",
    "--package",
    "lorefork-cli",
    "--lib",
    "--test",
    "it",
    "--test",
    "cli",
];

/// Cargo, to build or run them for another target.
fn cargo(workspace: &Workspace, target: &str) -> Command {
    let mut cargo = workspace.cargo_command();
    cargo.args(["test", "--profile", "elsewhere", "--target", target]).args(TESTS);
    // Snapshots are as they are everywhere. (Nobody could ask cargo there where they stand.)
    cargo.env("INSTA_UPDATE", "no").env("INSTA_WORKSPACE_ROOT", &workspace.root);
    cargo
}

/// What starts the programs of a target.
fn runner(cargo: &mut Command, target: &str, runner: &str) {
    let name = target.to_uppercase().replace('-', "_");
    cargo.env(format!("CARGO_TARGET_{name}_RUNNER"), runner);
}

/// Programs that play the other system, from packages of Debian.
fn need_programs(workspace: &Workspace, names: &[&str], packages: &[&str]) -> Result<()> {
    tools::programs(workspace, names, packages).map_err(|error| skip(format!("{error:#}")))
}

fn need_target(workspace: &Workspace, target: &str) -> Result<()> {
    tools::rust_target(workspace, target).map_err(|error| skip(format!("{error:#}")))
}

/// A step that cannot be taken on this machine, and why.
#[derive(Debug)]
pub(crate) struct Skipped(pub(crate) String);

impl std::fmt::Display for Skipped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Skipped {}

fn skip(why: impl Into<String>) -> anyhow::Error {
    Skipped(why.into()).into()
}
