//! The packages, installed as a player would: without Rust, without the net, in an empty folder.

use anyhow::Result;

use super::platforms::{self, Platform, TRIAL};
use crate::elsewhere::Skipped;
use crate::workspace::{Workspace, run as run_command};

pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    platforms::build(workspace, here(workspace)?, TRIAL).map(drop)
}

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let folder = workspace.target.join("npm-test");
    super::for_test(workspace, here(workspace)?, &folder)?;
    let mut node = workspace.command("node");
    node.args(["--test", "--test-reporter=spec", "packaging/test/npm.test.mjs"]);
    run_command(node.env("LOREFORK_PACKAGES", folder))
}

fn here(workspace: &Workspace) -> Result<&'static Platform> {
    Ok(super::here(workspace).map_err(Skipped)?)
}
