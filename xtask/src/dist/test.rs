//! The packages, installed as a player would: without Rust, without the net, in an empty folder.
#![expect(clippy::print_stdout, reason = "says why it is skipped")]

use anyhow::Result;

use crate::workspace::{Workspace, run as run_command};

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let folder = workspace.target.join("npm-test");
    if !super::for_test(workspace, &folder)? {
        println!("Skipped: Lorefork is not built for such a machine.");
        return Ok(());
    }
    let mut node = workspace.command("node");
    node.args(["--test", "--test-reporter=spec", "packaging/test/npm.test.mjs"]);
    run_command(node.env("LOREFORK_PACKAGES", folder))
}
