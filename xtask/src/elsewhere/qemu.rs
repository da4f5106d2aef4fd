//! arm64, as in phones and small computers, played by QEMU: the static program that Linux and Android get.

use anyhow::Result;

use super::{cargo, need_programs, need_target, runner};
use crate::tools;
use crate::workspace::{Workspace, run as run_command};

const TARGET: &str = "aarch64-unknown-linux-musl";
const PLAYER: &str = "qemu-aarch64";
/// Everything is slow there. Of the command, forking is enough: what the others prove has nothing to do
/// with the processor.
const NOT: [&str; 11] = [
    "answers::",
    "asking::",
    "bad_input::",
    "demo::",
    "help::",
    "interrupted::",
    "json::",
    "mending::",
    "problems::",
    "tree::",
    "widths::",
];

pub(crate) fn need(workspace: &Workspace) -> Result<()> {
    need_programs(workspace, &[PLAYER], &["qemu-user"])?;
    need_target(workspace, TARGET)
}

pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    need(workspace)?;
    let mut tests = cargo(workspace, TARGET);
    tools::link_with_rust(&mut tests, TARGET);
    run_command(tests.arg("--no-run"))
}

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let mut tests = cargo(workspace, TARGET);
    tools::link_with_rust(&mut tests, TARGET);
    runner(&mut tests, TARGET, PLAYER);
    // Tests that run the command start it by this: the kernel knows nothing of the other processor.
    tests.env("LOREFORK_TEST_RUNNER", PLAYER).arg("--");
    tests.args(NOT.iter().flat_map(|name| ["--skip", name]));
    run_command(workspace.in_memory(&mut tests))
}
