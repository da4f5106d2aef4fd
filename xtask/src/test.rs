//! `cargo xtask test`: sets up what is needed, runs the steps in order, stops at the first failure.
#![expect(clippy::print_stdout, reason = "the report is the result")]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use serde::{Deserialize, Serialize};

use crate::aside::{self, Told};
use crate::elsewhere::Skipped;
use crate::steps::{self, ASIDE, STEPS, Step, WAITS};
use crate::workspace::Workspace;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only these steps
    #[arg(long, value_name = "STEP", num_args = 1.., value_parser = step_names())]
    only: Vec<String>,

    /// Run only what a change breaks most often
    #[arg(long, conflicts_with = "only")]
    quick: bool,

    /// Fail where a step cannot be taken on this machine, instead of saying so
    #[arg(long)]
    none_skipped: bool,

    /// List the steps and stop
    #[arg(long)]
    list: bool,

    /// Get what later steps need, and stop
    #[arg(long, hide = true)]
    ahead: bool,

    /// Take one step, and write into this file what came of it
    #[arg(long, hide = true, value_name = "FILE", requires = "only")]
    tell: Option<PathBuf>,
}

fn step_names() -> PossibleValuesParser {
    STEPS.iter().map(|step| step.name).collect::<Vec<_>>().into()
}

#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    /// And why.
    Skipped(String),
}

pub(crate) struct Line {
    pub(crate) name: &'static str,
    pub(crate) outcome: Outcome,
    pub(crate) build: Duration,
    pub(crate) run: Duration,
}

impl Line {
    pub(crate) fn took(&self) -> Duration {
        self.build + self.run
    }
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    if args.list {
        for step in STEPS {
            let quick = if step.is_quick { " (quick)" } else { "" };
            println!("{:<12} {}{quick}", step.name, step.about);
        }
        return Ok(());
    }
    if args.ahead {
        aside::end_when_unwanted();
        steps::get_ahead(workspace);
        return Ok(());
    }
    let chosen = |step: &&Step| match args.only.as_slice() {
        [] => step.is_quick || !args.quick,
        only => only.iter().any(|name| name == step.name),
    };
    let steps: Vec<&'static Step> = STEPS.iter().filter(chosen).collect();
    if let (Some(file), [step]) = (&args.tell, steps.as_slice()) {
        let (line, result) = take(workspace, step, || ());
        Told::of(&line).write(file)?;
        return result;
    }

    let is_whole = steps.len() == STEPS.len();
    let start = Instant::now();
    let ahead = if is_whole { Some(aside::get_ahead(workspace)?) } else { None };
    setup(workspace, &steps)?;
    let setup = start.elapsed();

    let (lines, result) = take_all(workspace, &steps);
    summarise(&lines, setup, start.elapsed());
    result?;
    if let Some(ahead) = ahead {
        ahead.wait()?;
    }
    let skipped: Vec<String> = lines.iter().filter_map(skipped).collect();
    if args.none_skipped && !skipped.is_empty() {
        bail!("skipped: {}", skipped.join("; "));
    }
    if is_whole {
        remember(workspace, skipped);
    }
    Ok(())
}

/// Takes the steps in order, and while the one that waits most is taken, those that can be taken beside it.
fn take_all(workspace: &Workspace, steps: &[&'static Step]) -> (Vec<Line>, Result<()>) {
    let of = steps.len();
    let waits = |step: &Step| step.name == WAITS;
    let anyone = steps.iter().any(|step| waits(step));
    let (beside, in_order): (Vec<_>, Vec<_>) = (1..)
        .zip(steps.iter().copied())
        .partition(|(_, step)| anyone && ASIDE.contains(&step.name));
    let is_over = AtomicBool::new(false);
    let (mut lines, result) = thread::scope(|scope| {
        let mut meanwhile = None;
        let mut lines = Vec::new();
        let mut result = Ok(());
        for (index, step) in in_order {
            if is_over.load(Ordering::Relaxed) {
                break;
            }
            let name = step.name;
            println!("\n== {index}/{of} {name}: {}", step.about);
            let (line, taken) = take(workspace, step, || {
                if waits(step) {
                    let take = || aside::take_all(workspace, &beside, of, &is_over);
                    meanwhile = Some(scope.spawn(take));
                }
            });
            if let Outcome::Skipped(why) = &line.outcome {
                println!("Skipped: {why}.");
            }
            println!("== {name} took {:.1} s", line.took().as_secs_f64());
            lines.push(line);
            if taken.is_err() {
                is_over.store(true, Ordering::Relaxed);
            }
            result = taken.map_err(|error| error.context(name));
        }
        if let Some(meanwhile) = meanwhile {
            let (more, taken) = meanwhile.join().expect("it does not panic");
            lines.extend(more);
            result = result.and(taken);
        }
        (lines, result)
    });
    // As they are listed, whichever was done first.
    let mut told = Vec::new();
    for step in steps {
        let at = lines.iter().position(|line| line.name == step.name);
        told.push(at.map_or_else(|| not_reached(step), |at| lines.swap_remove(at)));
    }
    (told, result)
}

/// The step, and why it could not be taken here.
fn skipped(line: &Line) -> Option<String> {
    match &line.outcome {
        Outcome::Skipped(why) => Some(format!("{} ({why})", line.name)),
        Outcome::Passed | Outcome::Failed => None,
    }
}

/// Where it stands which commit has passed, for `cargo xtask release`.
const PASSED: &str = "passed-at";

/// A commit at which no step failed.
pub(crate) struct Passed {
    pub(crate) commit: String,
    /// The steps that could not be taken on this machine, and why.
    pub(crate) skipped: Vec<String>,
}

/// Notes the commit that passed, if what was tested is a commit.
fn remember(workspace: &Workspace, skipped: Vec<String>) {
    if let Some(commit) = workspace.commit() {
        let lines: Vec<String> = [commit].into_iter().chain(skipped).collect();
        let _ = fs::write(workspace.target.join(PASSED), lines.join("\n"));
    }
}

/// The commit that last passed everything here.
pub(crate) fn passed_at(workspace: &Workspace) -> Option<Passed> {
    let text = fs::read_to_string(workspace.target.join(PASSED)).ok()?;
    let mut lines = text.lines().map(str::to_owned);
    Some(Passed { commit: lines.next()?, skipped: lines.collect() })
}

/// Everything missing is told at once, and before the first step: nobody wants to learn of it after ten minutes.
fn setup(workspace: &Workspace, steps: &[&Step]) -> Result<()> {
    let mut missing = Vec::new();
    let mut seen = Vec::new();
    for &tool in steps.iter().flat_map(|step| step.needs) {
        if seen.contains(&tool) {
            continue;
        }
        seen.push(tool);
        if let Err(error) = tool.ensure(workspace) {
            missing.push(format!("\n  - {error:#}"));
        }
    }
    if !missing.is_empty() {
        bail!("this machine lacks:{}", missing.concat());
    }
    Ok(())
}

/// Takes a step; when what it needs is built, `is_built` is called.
fn take(workspace: &Workspace, step: &Step, is_built: impl FnOnce()) -> (Line, Result<()>) {
    let start = Instant::now();
    let built = (step.build)(workspace);
    let build = start.elapsed();
    let result = built.and_then(|()| {
        is_built();
        (step.run)(workspace)
    });
    let (outcome, result) = match result {
        Ok(()) => (Outcome::Passed, Ok(())),
        Err(error) => match error.downcast::<Skipped>() {
            Ok(Skipped(why)) => (Outcome::Skipped(why), Ok(())),
            Err(error) => (Outcome::Failed, Err(error)),
        },
    };
    let line = Line { name: step.name, outcome, build, run: start.elapsed() - build };
    (line, result)
}

fn not_reached(step: &Step) -> Line {
    let outcome = Outcome::Skipped("a step before it failed".to_owned());
    Line { name: step.name, outcome, build: Duration::ZERO, run: Duration::ZERO }
}

fn summarise(lines: &[Line], setup: Duration, all: Duration) {
    println!("\n{:<12} {:<8} {:>9} {:>9}", "step", "", "build", "run");
    println!("{:<12} {:<8} {:>9} {:>9}", "(setup)", "", time(setup), "");
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for line in lines {
        let (word, count, why) = match &line.outcome {
            Outcome::Passed => ("passed", &mut passed, ""),
            Outcome::Failed => ("FAILED", &mut failed, ""),
            Outcome::Skipped(why) => ("skipped", &mut skipped, why.as_str()),
        };
        *count += 1;
        let (build, run) = (time(line.build), time(line.run));
        let row = format!("{:<12} {word:<8} {build:>9} {run:>9}  {why}", line.name);
        println!("{}", row.trim_end());
    }
    // Less than all steps together, where some were taken beside others.
    println!("{:<12} {:<8} {:>9} {:>9}\n", "all", "", "", time(all));
    // CI reads a line of this form.
    println!("steps: {passed} passed, {failed} failed, {skipped} skipped");
}

/// Seconds, with minutes where there are any; nothing where it took no time.
fn time(duration: Duration) -> String {
    let tenths = duration.as_millis().div_ceil(100);
    let (minutes, seconds, tenth) = (tenths / 600, tenths / 10 % 60, tenths % 10);
    match (minutes, tenths) {
        (_, 0) => String::new(),
        (0, _) => format!("{seconds}.{tenth} s"),
        _ => format!("{minutes}m {seconds:02} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        assert_eq!(time(Duration::ZERO), "");
        assert_eq!(time(Duration::from_millis(1)), "0.1 s");
        assert_eq!(time(Duration::from_millis(12_340)), "12.4 s");
        assert_eq!(time(Duration::from_secs(125)), "2m 05 s");
    }

    #[test]
    fn steps_that_are_taken_beside_others_exist() {
        for name in ASIDE.iter().chain([&WAITS]) {
            assert!(STEPS.iter().any(|step| step.name == *name), "{name}");
        }
    }

    #[test]
    fn names_of_steps_are_unique() {
        let mut names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
    }
}
