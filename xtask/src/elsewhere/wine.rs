//! Windows, played by Wine.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::{cargo, need_programs, need_target, runner, skip};
use crate::tools::MINGW;
use crate::workspace::{Workspace, run as run_command};

const TARGET: &str = "x86_64-pc-windows-gnu";
/// To start a program takes long there; these start hundreds, and prove nothing about the system.
const NOT: [&str; 3] = ["problems::", "tree::", "widths::"];
/// Where Wine keeps what it plays.
const PREFIX: &str = "wine";
/// A part of Windows that Rust's programs ask for random numbers, and that Wine before 9 lacks.
const RANDOM: &str = "bcryptprimitives.dll";
const RANDOM_SOURCE: &str = "xtask/src/elsewhere/random.c";

pub(crate) fn need(workspace: &Workspace) -> Result<()> {
    let packages = ["wine", "wine64", "gcc-mingw-w64-x86-64-win32"];
    need_programs(workspace, &["wine", "wineserver", MINGW], &packages)?;
    need_target(workspace, TARGET)
}

pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    need(workspace)?;
    run_command(cargo(workspace, TARGET).arg("--no-run"))?;
    make_windows(workspace).map_err(|error| skip(format!("Wine does not start here: {error:#}")))
}

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let mut tests = cargo(workspace, TARGET);
    runner(&mut tests, TARGET, "wine");
    // As Windows sees it.
    let root = workspace.root.to_string_lossy().replace('/', "\\");
    tests.env("INSTA_WORKSPACE_ROOT", format!("Z:{root}")).arg("--");
    tests.args(NOT.iter().flat_map(|name| ["--skip", name]));
    run_command(in_windows(workspace, &mut tests))
}

/// Makes the folder in which Wine plays Windows, once.
fn make_windows(workspace: &Workspace) -> Result<()> {
    let system = prefix(workspace).join("drive_c/windows/system32");
    if !system.join("kernel32.dll").exists() {
        run_command(in_windows(workspace, workspace.command("wineboot").arg("--init")))?;
        // It goes on in the background, and what is started meanwhile waits for it.
        run_command(in_windows(workspace, workspace.command("wineserver").arg("--wait")))?;
    }
    if !system.join(RANDOM).exists() {
        let mut compile = workspace.command(MINGW);
        compile.args(["-shared", "-o"]).arg(system.join(RANDOM));
        run_command(compile.args([RANDOM_SOURCE, "-ladvapi32"]))?;
    }
    Ok(())
}

fn in_windows<'c>(workspace: &Workspace, command: &'c mut Command) -> &'c mut Command {
    // Its own complaints are of no interest, nor what it would download for pages and .NET.
    command.env("WINEPREFIX", prefix(workspace)).env("WINEDEBUG", "-all");
    command.env("WINEDLLOVERRIDES", "mscoree,mshtml=")
}

fn prefix(workspace: &Workspace) -> PathBuf {
    workspace.target.join(PREFIX)
}
