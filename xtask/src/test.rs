//! `cargo xtask test`: sets up what is needed, runs the steps in order, stops at the first failure.
#![expect(clippy::print_stdout, reason = "the report is the result")]

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;

use crate::elsewhere::Skipped;
use crate::steps::{STEPS, Step};
use crate::workspace::Workspace;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only these steps
    #[arg(long, value_name = "STEP", num_args = 1.., value_parser = step_names())]
    only: Vec<String>,

    /// Run only what a change breaks most often
    #[arg(long, conflicts_with = "only")]
    quick: bool,

    /// List the steps and stop
    #[arg(long)]
    list: bool,
}

fn step_names() -> PossibleValuesParser {
    STEPS.iter().map(|step| step.name).collect::<Vec<_>>().into()
}

enum Outcome {
    Passed,
    Failed,
    /// And why.
    Skipped(String),
}

struct Line {
    name: &'static str,
    outcome: Outcome,
    build: Duration,
    run: Duration,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    if args.list {
        for step in STEPS {
            let quick = if step.is_quick { " (quick)" } else { "" };
            println!("{:<12} {}{quick}", step.name, step.about);
        }
        return Ok(());
    }
    let chosen = |step: &&Step| match args.only.as_slice() {
        [] => step.is_quick || !args.quick,
        only => only.iter().any(|name| name == step.name),
    };
    let steps: Vec<&Step> = STEPS.iter().filter(chosen).collect();

    let start = Instant::now();
    setup(workspace, &steps)?;
    let setup = start.elapsed();

    let mut failure = None;
    let mut lines = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        if failure.is_some() {
            lines.push(not_reached(step));
            continue;
        }
        let (name, about) = (step.name, step.about);
        println!("\n== {}/{} {name}: {about}", index + 1, steps.len());
        let (line, result) = take(workspace, step);
        if let Outcome::Skipped(why) = &line.outcome {
            println!("Skipped: {why}.");
        }
        failure = result.err().map(|error| error.context(name));
        let took = (line.build + line.run).as_secs_f64();
        println!("== {name} took {took:.1} s");
        lines.push(line);
    }

    summarise(&lines, setup);
    if let Some(failure) = failure {
        return Err(failure);
    }
    let all_passed = lines.iter().all(|line| matches!(line.outcome, Outcome::Passed));
    if all_passed && steps.len() == STEPS.len() {
        remember(workspace);
    }
    Ok(())
}

/// Where it stands which commit has passed everything, for `cargo xtask release`.
const PASSED: &str = "passed-at";

/// Notes the commit that passed, if what was tested is a commit.
fn remember(workspace: &Workspace) {
    if let Some(commit) = workspace.commit() {
        let _ = fs::write(workspace.target.join(PASSED), commit);
    }
}

/// The commit that last passed everything here.
pub(crate) fn passed_at(workspace: &Workspace) -> Option<String> {
    fs::read_to_string(workspace.target.join(PASSED)).ok()
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

fn take(workspace: &Workspace, step: &Step) -> (Line, Result<()>) {
    let start = Instant::now();
    let built = (step.build)(workspace);
    let build = start.elapsed();
    let result = built.and_then(|()| (step.run)(workspace));
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

fn summarise(lines: &[Line], setup: Duration) {
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
    let build = setup + lines.iter().map(|line| line.build).sum::<Duration>();
    let run = lines.iter().map(|line| line.run).sum();
    let (build, run) = (time(build), time(run));
    println!("{:<12} {:<8} {build:>9} {run:>9}\n", "all", "");
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
    fn names_of_steps_are_unique() {
        let mut names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
    }
}
