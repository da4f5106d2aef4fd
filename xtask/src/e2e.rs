//! `cargo xtask e2e` and `cargo xtask tavern`: a real SillyTavern from npm, for tests and for people.
#![expect(clippy::print_stdout, reason = "says what comes")]

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::package;
use crate::tools::{self, Tool};
use crate::workspace::{Workspace, run};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only these files, such as `gates`
    #[arg(long, value_name = "FILE", num_args = 1..)]
    only: Vec<String>,

    /// Use what was packaged last, without building it again
    #[arg(long)]
    no_build: bool,
}

#[derive(clap::Args)]
pub(crate) struct TavernArgs {
    /// On this port; a free one without it
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// Start an older one: 1.16
    #[arg(long, value_name = "VERSION", default_value = "1.19")]
    version: String,

    /// Keep what was done to the data the last time
    #[arg(long)]
    keep: bool,

    /// Use what was packaged last, without building it again
    #[arg(long)]
    no_build: bool,
}

pub(crate) const NEEDS: &[Tool] = &[Tool::Node, Tool::Chromium];
const FOLDER: &str = "e2e";

pub(crate) fn chore(workspace: &Workspace, args: &Args) -> Result<()> {
    for tool in NEEDS {
        tool.ensure(workspace)?;
    }
    if !args.no_build {
        package::fresh(workspace)?;
    }
    build(workspace)?;
    test(workspace, &args.only)
}

pub(crate) fn tavern(workspace: &Workspace, args: &TavernArgs) -> Result<()> {
    Tool::Node.ensure(workspace)?;
    if !args.no_build {
        package::fresh(workspace)?;
    }
    build(workspace)?;
    println!("\nStarting SillyTavern; Ctrl+C ends it.");
    let mut serve = node(workspace)?;
    serve.arg("e2e/serve.mjs").args(["--version", &args.version]);
    if let Some(port) = args.port {
        serve.args(["--port", &port.to_string()]);
    }
    if args.keep {
        serve.arg("--keep");
    }
    stay(&mut serve)
}

/// Becomes the command where that is possible: then Ctrl+C is its own, and nobody is gone before it has ended.
#[cfg(unix)]
fn stay(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec()).context("cannot start Node.js")
}

#[cfg(not(unix))]
fn stay(command: &mut Command) -> Result<()> {
    run(command)
}

/// What the tests need besides the packaged extension.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    tools::npm_install(workspace, FOLDER)?;
    workspace.cargo(["build", "--package", "lorefork-cli"])
}

/// Runs the test files, one after the other: a browser and a server at a time are enough for two cores.
pub(crate) fn test(workspace: &Workspace, only: &[String]) -> Result<()> {
    let files = files(workspace, only)?;
    let mut node = node(workspace)?;
    node.args(["--test", "--test-concurrency=1", "--test-reporter=spec"]);
    run(node.args(files))
}

fn files(workspace: &Workspace, only: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for file in workspace.root.join(FOLDER).read_dir().context("cannot read e2e/")? {
        let name = file?.file_name();
        let text = name.to_string_lossy();
        let Some(stem) = text.strip_suffix(".test.mjs") else { continue };
        if only.is_empty() || only.iter().any(|one| one == stem || *one == text) {
            files.push(PathBuf::from(FOLDER).join(&name));
        }
    }
    if files.is_empty() {
        bail!("e2e/ has no such test");
    }
    files.sort();
    Ok(files)
}

/// Node, told where everything is.
pub(crate) fn node(workspace: &Workspace) -> Result<Command> {
    let mut node = workspace.command("node");
    node.env("LOREFORK", workspace.built("debug", "lorefork"));
    node.env("LOREFORK_EXTENSION", package::folder(workspace));
    node.env("LOREFORK_E2E_TARGET", workspace.target.join("e2e"));
    if let Ok(chromium) = tools::chromium() {
        node.env("CHROMIUM", chromium);
    }
    Ok(node)
}
