//! Steps that are taken while the browser tests wait for pages and servers, which they do for half of their time.
//!
//! Each is a process of its own, with less right to the processor than a browser, and is told of when it is done: so
//! nobody reads the words of two steps in one another.
#![expect(clippy::print_stdout, reason = "the report is the result")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{self, Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, io, thread};

use anyhow::{Context, Result, anyhow};
use serde::{Deserialize, Serialize};

use crate::steps::Step;
use crate::test::{Line, Outcome};
use crate::workspace::{Workspace, works};

/// What a process tells of the step it took.
#[derive(Serialize, Deserialize)]
pub(crate) struct Told {
    outcome: Outcome,
    build: Duration,
    run: Duration,
}

impl Told {
    pub(crate) fn of(line: &Line) -> Self {
        Self { outcome: line.outcome.clone(), build: line.build, run: line.run }
    }

    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        fs::write(file, serde_json::to_string(self)?)
            .with_context(|| format!("cannot write {}", file.display()))
    }
}

/// Takes these steps one after the other, until one fails, here or of those that are taken meanwhile.
pub(crate) fn take_all(
    workspace: &Workspace,
    steps: &[(usize, &'static Step)],
    of: usize,
    is_over: &AtomicBool,
) -> (Vec<Line>, Result<()>) {
    let mut lines = Vec::new();
    for &(index, step) in steps {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let (line, said) = match take(workspace, step) {
            Ok(taken) => taken,
            Err(error) => return (lines, Err(error.context(step.name))),
        };
        let (name, about, took) = (step.name, step.about, line.took().as_secs_f64());
        // In one piece, since the browser tests speak at the same time.
        println!(
            "\n== {index}/{of} {name}, meanwhile: {about}\n{said}== {name} took {took:.1} s\n"
        );
        let is_failed = matches!(line.outcome, Outcome::Failed);
        lines.push(line);
        if is_failed {
            is_over.store(true, Ordering::Relaxed);
            let error = anyhow!("failed while the browser tests ran; what it said stands above");
            return (lines, Err(error.context(name)));
        }
    }
    (lines, Ok(()))
}

/// Takes a step in a process of its own, and returns what it said.
fn take(workspace: &Workspace, step: &'static Step) -> Result<(Line, String)> {
    let folder = workspace.target.join("aside");
    fs::create_dir_all(&folder)?;
    let (log, told) = (folder.join(format!("{}.log", step.name)), folder.join(step.name));
    let _ = fs::remove_file(&told);
    let out = File::create(&log)?;
    let mut process = ourselves(workspace)?;
    process.args(["test", "--only", step.name, "--tell"]).arg(&told);
    process.stdout(out.try_clone()?).stderr(out).status().context("cannot start ourselves")?;
    let said = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    // One that was ended from outside tells nothing.
    let told = fs::read_to_string(&told).ok().and_then(|told| serde_json::from_str(&told).ok());
    let Told { outcome, build, run } = told.unwrap_or(Told {
        outcome: Outcome::Failed,
        build: Duration::ZERO,
        run: Duration::ZERO,
    });
    Ok((Line { name: step.name, outcome, build, run }, said))
}

/// This program, with less right to the processor than what others wait for.
fn ourselves(workspace: &Workspace) -> Result<Command> {
    let program = env::current_exe().context("nobody knows where this program is")?;
    // Cargo may have put the same program in its place; then Linux says so in the name.
    let named = program.to_string_lossy();
    let program = PathBuf::from(named.strip_suffix(" (deleted)").unwrap_or(&named));
    // What a script starts in the background ignores interrupts, and so would all that it starts.
    let before: Vec<&str> = [&["nice", "-n", "10"][..], &["env", "--default-signal=INT"]]
        .into_iter()
        .filter(|words| works(Command::new(words[0]).args(&words[1..]).arg("true")))
        .flatten()
        .copied()
        .collect();
    let Some((first, others)) = before.split_first() else {
        return Ok(workspace.command(program));
    };
    let mut command = workspace.command(first);
    command.args(others).arg(program);
    Ok(command)
}

/// A process that gets what later steps need. It ends with this, and all that it started ends with it.
pub(crate) struct Ahead {
    process: Child,
    /// Open for as long as anybody waits for it: also if we are ended from outside, it is closed.
    wanted: Option<ChildStdin>,
}

/// Begins to get what later steps need, while the first ones compile. They ask for it themselves, and wait while it is on
/// its way; what could not be had is asked for again, and told of, there.
pub(crate) fn get_ahead(workspace: &Workspace) -> Result<Ahead> {
    fs::create_dir_all(&workspace.target)?;
    let log = File::create(workspace.target.join("ahead.log"))?;
    let mut process = ourselves(workspace)?;
    process.args(["test", "--ahead"]).stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log);
    // A group of its own, so that it can be ended whole.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut process, 0);
    let mut process = process.spawn().context("cannot start ourselves")?;
    let wanted = process.stdin.take();
    Ok(Ahead { process, wanted })
}

impl Ahead {
    /// Waits until all is there that could be had.
    pub(crate) fn wait(mut self) -> Result<()> {
        self.process.wait().context("cannot wait for ourselves")?;
        Ok(())
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.wanted = None;
        let _ = self.process.wait();
    }
}

/// In the process that gets things ahead: ends it, with all that it started, when nobody wants them any more.
pub(crate) fn end_when_unwanted() {
    thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        // As Ctrl+C would: then apt comes to the end of what it is at, and leaves no package half-way.
        let group = format!("kill -s INT -- -{}", process::id());
        let _ = Command::new("sh").args(["-c", &group]).status();
        process::exit(1);
    });
}
