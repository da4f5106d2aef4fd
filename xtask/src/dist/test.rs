//! The packages, installed as a player would: without Rust, without the net, in an empty folder.

use anyhow::Result;

use crate::elsewhere::Skipped;
use crate::workspace::{Workspace, run as run_command};

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let folder = workspace.target.join("npm-test");
    if !super::for_test(workspace, &folder)? {
        return Err(Skipped("Lorefork is not built for such a machine".to_owned()).into());
    }
    let mut node = workspace.command("node");
    node.args(["--test", "--test-reporter=spec", "packaging/test/npm.test.mjs"]);
    run_command(node.env("LOREFORK_PACKAGES", folder))
}
