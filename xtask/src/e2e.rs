//! `cargo xtask e2e` and `cargo xtask tavern`: a real SillyTavern from npm, for tests and for people.
#![expect(clippy::print_stdout, reason = "says what comes")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::package;
use crate::tools::{self, Tool};
use crate::workspace::Workspace;

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

    /// Start an older one: 1.16, 1.17 or 1.18
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
const ENDING: &str = ".test.mjs";
/// How many browsers run beside each other: one more than the cores of a small machine, because
/// scenes also wait.
const BROWSERS: usize = 3;
/// What takes longest, in this order.
const LONG: [&str; 8] =
    ["keeping", "faults", "gates", "care", "race", "living", "looks", "isolation"];

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
    crate::workspace::run(command)
}

/// What the tests need besides the packaged extension.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    tools::npm_install(workspace, FOLDER)?;
    workspace.build_programs()
}

/// Runs the test files, a few at a time: each has a browser and a server of its own.
///
/// What fails is run once more, alone: a machine that is busy with something else may starve a
/// browser. What fails twice has failed.
pub(crate) fn test(workspace: &Workspace, only: &[String]) -> Result<()> {
    let files = files(workspace, only)?;
    let failed = run_all(workspace, files, BROWSERS)?;
    for file in &failed {
        println!("{} failed, and is run once more.", file.display());
    }
    let failed = run_all(workspace, failed, 1)?;
    let names: Vec<String> = failed.iter().map(|file| file.display().to_string()).collect();
    ensure!(names.is_empty(), "failed twice: {}", names.join(", "));
    Ok(())
}

/// Runs test files, `at_once` of them beside each other, and returns those that failed.
fn run_all(workspace: &Workspace, files: Vec<PathBuf>, at_once: usize) -> Result<Vec<PathBuf>> {
    let queue = Mutex::new(files.into_iter());
    let next = || queue.lock().expect("nobody panics while holding it").next();
    let work = || -> Result<Vec<PathBuf>> {
        let mut failed = Vec::new();
        while let Some(file) = next() {
            if !run_one(workspace, &file)? {
                failed.push(file);
            }
        }
        Ok(failed)
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        let mut failed = Vec::new();
        for worker in workers {
            failed.extend(worker.join().expect("a worker does not panic")?);
        }
        failed.sort();
        Ok(failed)
    })
}

/// Runs one test file, and shows what it said when it is done.
fn run_one(workspace: &Workspace, file: &Path) -> Result<bool> {
    let start = Instant::now();
    let mut node = node(workspace)?;
    node.args(["--test", "--test-reporter=spec"]).arg(file);
    let output = node.output().context("cannot start Node.js")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    println!("{} ({} s)\n{said}{complaints}", file.display(), start.elapsed().as_secs());
    Ok(output.status.success())
}

fn files(workspace: &Workspace, only: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for file in workspace.root.join(FOLDER).read_dir().context("cannot read e2e/")? {
        let name = file?.file_name();
        let text = name.to_string_lossy();
        let Some(stem) = text.strip_suffix(ENDING) else { continue };
        if only.is_empty() || only.iter().any(|one| one == stem || *one == text) {
            files.push(PathBuf::from(FOLDER).join(&name));
        }
    }
    if files.is_empty() {
        bail!("e2e/ has no such test");
    }
    // What takes longest begins, so that nobody waits for it at the end.
    files.sort_by_key(|file| (rank(file), file.clone()));
    Ok(files)
}

fn rank(file: &Path) -> usize {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    LONG.iter().position(|long| name.strip_suffix(ENDING) == Some(long)).unwrap_or(LONG.len())
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
