//! `cargo xtask e2e` and `cargo xtask tavern`: a real SillyTavern from npm, for tests and for people.
#![expect(clippy::print_stdout, reason = "says what comes")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::package;
use crate::publish;
use crate::tools::{self, Tool};
use crate::workspace::{Workspace, run};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only these files, such as `gates`; without it, all that run in Chromium
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

    /// Start an older one, such as 1.16, and not the newest that was tried
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,

    /// Keep what was done to the data the last time
    #[arg(long)]
    keep: bool,

    /// Use what was packaged last, without building it again
    #[arg(long)]
    no_build: bool,
}

pub(crate) const NEEDS: &[Tool] = &[Tool::Node, Tool::HeadlessChromium];
const FOLDER: &str = "e2e";
/// What runs in Firefox has a step of its own, which is skipped where there is none.
pub(crate) const FIREFOX: &str = "firefox";
const ENDING: &str = ".test.mjs";
/// How many browsers run beside each other: one more than the cores of a small machine, because
/// scenes also wait.
const BROWSERS: usize = 3;
/// These start servers or browsers of another kind, several, or none. All others are run together, a few beside each other, each of
/// which has one server and one browser for all files that it runs.
const ALONE: [&str; 6] = ["between", FIREFOX, "installing", "lines", "older", "serve"];
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
    serve.arg("e2e/serve.mjs");
    if let Some(version) = &args.version {
        serve.args(["--version", version]);
    }
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
    workspace.build_programs()
}

/// SillyTaverns with their front ends compiled: once, and not by each of the servers that start at the same time.
pub(crate) fn need(workspace: &Workspace) -> Result<()> {
    tools::npm_install(workspace, FOLDER)?;
    let _turn = tools::turn(workspace, "front-ends")?;
    let mut compile = workspace.command("node");
    compile.env("LOREFORK_E2E_TARGET", workspace.target.join("e2e"));
    run(compile.arg("e2e/compile.mjs"))
}

/// A test file, and which of its scenes are run: all, if none is named.
struct Work {
    file: PathBuf,
    scenes: Vec<String>,
}

/// Runs the test files, a few at a time.
///
/// Scenes that fail are run once more, alone: a machine that is busy with something else may starve a
/// browser. What fails twice has failed.
pub(crate) fn test(workspace: &Workspace, only: &[String]) -> Result<()> {
    if only.is_empty() {
        need(workspace)?;
    }
    publish::for_test(workspace, &published(workspace))?;
    let (mut alone, mut together): (Vec<_>, Vec<_>) =
        files(workspace, only)?.into_iter().partition(|file| ALONE.contains(&stem(file).as_str()));
    // Nothing is saved by fewer.
    if together.len() <= BROWSERS {
        alone.append(&mut together);
    }
    let failed = run_all(workspace, &together, alone)?;
    for Work { file, scenes } in &failed {
        println!("{} failed, and is run once more: {}", file.display(), scenes.join("; "));
    }
    let failed = run_alone(workspace, &Mutex::new(failed.into_iter()))?;
    let names: Vec<String> = failed.iter().map(|work| work.file.display().to_string()).collect();
    ensure!(names.is_empty(), "failed twice: {}", names.join(", "));
    Ok(())
}

/// Runs all files, a few beside each other, and returns what failed. `together` are those that can have a server and a
/// browser in common. Who finds none of them left takes one of the others.
fn run_all(workspace: &Workspace, together: &[PathBuf], alone: Vec<PathBuf>) -> Result<Vec<Work>> {
    let queue = make_queue(workspace, together)?;
    let alone = alone.into_iter().map(|file| Work { file, scenes: Vec::new() });
    let alone = Mutex::new(alone.collect::<Vec<_>>().into_iter());
    let mut results = Results::default();
    let mut failed = Vec::new();
    thread::scope(|scope| {
        let work = |index| -> Result<_> {
            // One begins with them: at the end the others would have nothing to do.
            let mut failed = if index == 0 { run_alone(workspace, &alone)? } else { Vec::new() };
            let told = match together {
                [] => String::new(),
                files => work_together(workspace, &queue, files, index)?,
            };
            failed.extend(run_alone(workspace, &alone)?);
            Ok((told, failed))
        };
        let workers: Vec<_> = (0..BROWSERS).map(|index| scope.spawn(move || work(index))).collect();
        for worker in workers {
            let (told, failed_alone) = worker.join().expect("a worker does not panic")?;
            results.read(&told);
            failed.extend(failed_alone);
        }
        anyhow::Ok(())
    })?;
    // What nobody told of was begun by one that did not get to its end.
    for file in together.iter().filter(|file| !results.passed.contains(&name(file))) {
        let scenes = results.failed.remove(&name(file)).unwrap_or_default();
        failed.push(Work { file: file.clone(), scenes });
    }
    failed.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(failed)
}

/// A folder with the names of these files. Who is free takes the next: of a folder, because they are processes of their own.
fn make_queue(workspace: &Workspace, files: &[PathBuf]) -> Result<PathBuf> {
    let queue = workspace.target.join("e2e/queue");
    package::remove(&queue)?;
    fs::create_dir_all(&queue)?;
    for file in files {
        fs::write(queue.join(file.file_name().context("a test file has a name")?), "")?;
    }
    Ok(queue)
}

/// Runs one file after the other, shows what was said of each when it is done, and returns the results.
fn work_together(
    workspace: &Workspace,
    queue: &Path,
    files: &[PathBuf],
    index: usize,
) -> Result<String> {
    let worker = format!("together-{index}");
    let results = workspace.target.join("e2e").join(format!("{worker}.tap"));
    let mut node = node(workspace)?;
    report_to(&mut node, &results).args(["e2e/together.mjs", &worker]).arg(queue).args(files);
    let mut running = node.stdout(Stdio::piped()).spawn().context("cannot start Node.js")?;
    let mut said = String::new();
    for line in BufReader::new(running.stdout.take().context("Node.js has no output")?).lines() {
        let line = line?;
        said.push_str(&line);
        said.push('\n');
        // A file is named without a space before it: when it begins, and with a time when it is done.
        let is_done = !line.starts_with(' ')
            && line.ends_with("ms)")
            && files.iter().any(|file| line.contains(&format!("{} (", name(file))));
        if is_done {
            println!("{said}");
            said.clear();
        }
    }
    println!("{said}");
    running.wait()?;
    Ok(fs::read_to_string(&results).unwrap_or_default())
}

/// What files that were run together told of themselves.
#[derive(Default)]
struct Results {
    passed: BTreeSet<String>,
    /// Scenes that failed, by file.
    failed: BTreeMap<String, Vec<String>>,
}

impl Results {
    /// Each file is a test whose subtests are the scenes.
    fn read(&mut self, results: &str) {
        let mut scenes = Vec::new();
        for line in results.lines() {
            if let Some(inner) = line.strip_prefix("    ") {
                scenes.extend(failed_scene(inner));
            } else if let Some(file) = failed_scene(line) {
                self.failed.insert(file, std::mem::take(&mut scenes));
            } else if let Some((_, file)) =
                line.strip_prefix("ok ").and_then(|line| line.split_once(" - "))
            {
                self.passed.insert(file.to_owned());
            }
        }
    }
}

/// Runs test files, as long as there is one in the queue, and returns what failed.
fn run_alone(
    workspace: &Workspace,
    queue: &Mutex<impl Iterator<Item = Work>>,
) -> Result<Vec<Work>> {
    let next = || queue.lock().expect("nobody panics while holding it").next();
    let mut failed = Vec::new();
    while let Some(work) = next() {
        failed.extend(run_one(workspace, work)?);
    }
    Ok(failed)
}

/// Runs one test file, shows what it said when it is done, and returns what failed.
fn run_one(workspace: &Workspace, work: Work) -> Result<Option<Work>> {
    let start = Instant::now();
    let name = work.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let results = workspace.target.join("e2e").join(format!("{name}.tap"));
    fs::create_dir_all(workspace.target.join("e2e"))?;
    let mut node = node(workspace)?;
    report_to(node.arg("--test"), &results);
    for scene in &work.scenes {
        node.arg(format!("--test-name-pattern=^{}$", literal(scene)));
    }
    let output = node.arg(&work.file).output().context("cannot start Node.js")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    let file = work.file.display();
    println!("{file} ({} s)\n{said}{complaints}", start.elapsed().as_secs());
    if output.status.success() {
        return Ok(None);
    }
    let scenes = failed_scenes(&fs::read_to_string(&results).unwrap_or_default());
    Ok(Some(Work { scenes, ..work }))
}

/// Says what happens for people, and writes it down for us.
fn report_to<'n>(node: &'n mut Command, results: &Path) -> &'n mut Command {
    node.args(["--test-reporter=spec", "--test-reporter-destination=stdout"]);
    node.arg("--test-reporter=tap");
    node.arg(format!("--test-reporter-destination={}", results.display()))
}

/// Which scenes failed; none if it was not a scene that failed.
fn failed_scenes(results: &str) -> Vec<String> {
    results.lines().filter_map(failed_scene).collect()
}

/// The test of which a line says that it failed.
fn failed_scene(line: &str) -> Option<String> {
    let (_, title) = line.strip_prefix("not ok ")?.split_once(" - ")?;
    Some(title.replace("\\#", "#").replace("\\\\", "\\"))
}

/// A pattern for this text and nothing else.
fn literal(text: &str) -> String {
    let is_special = |c: char| "\\^$.|?*+()[]{}/".contains(c);
    let mut pattern = String::new();
    for c in text.chars() {
        if is_special(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

fn files(workspace: &Workspace, only: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for file in workspace.root.join(FOLDER).read_dir().context("cannot read e2e/")? {
        let name = file?.file_name();
        let text = name.to_string_lossy();
        let Some(stem) = text.strip_suffix(ENDING) else { continue };
        let chosen = match only {
            [] => stem != FIREFOX,
            only => only.iter().any(|one| one == stem || *one == text),
        };
        if chosen {
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
    let stem = stem(file);
    LONG.iter().position(|long| *long == stem).unwrap_or(LONG.len())
}

/// The name of a file as one says it: `gates`.
fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(ENDING).unwrap_or(&name).to_owned()
}

/// A file as it is called in results.
fn name(file: &Path) -> String {
    file.to_string_lossy().replace('\\', "/")
}

/// What a player installs, in a test.
fn published(workspace: &Workspace) -> PathBuf {
    workspace.target.join("e2e/published")
}

/// Node, told where everything is.
pub(crate) fn node(workspace: &Workspace) -> Result<Command> {
    let mut node = workspace.command("node");
    node.env("LOREFORK", workspace.built("debug", "lorefork"));
    node.env("LOREFORK_EXTENSION", package::folder(workspace));
    node.env("LOREFORK_E2E_TARGET", workspace.target.join("e2e"));
    node.env("LOREFORK_PUBLISHED", published(workspace));
    if let Ok(chromium) = tools::headless_chromium() {
        node.env("CHROMIUM", chromium);
    }
    if let Some(firefox) = tools::firefox() {
        node.env("FIREFOX", firefox);
    }
    Ok(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_found_by_its_name() {
        let results = "TAP version 13\nok 1 - a\nnot ok 2 - waits: 1 + 1 (R-005) \\#3\n  ---\n  not ok 1 - inner\n";
        assert_eq!(failed_scenes(results), ["waits: 1 + 1 (R-005) #3"]);
        assert_eq!(literal("1 + 1 (R-005)"), r"1 \+ 1 \(R-005\)");
    }

    #[test]
    fn files_that_ran_together_are_told_apart() {
        let told = "TAP version 13\n# Subtest: e2e/a.test.mjs\n    ok 1 - one\n    not ok 2 - two \\#2\n      ---\n    1..2\n\
            not ok 1 - e2e/a.test.mjs\n    ok 1 - three\nok 2 - e2e/b.test.mjs\n# Subtest: e2e/c.test.mjs\n    not ok 1 - four\n";
        let mut results = Results::default();
        results.read(told);
        assert!(results.passed.iter().eq(["e2e/b.test.mjs"]));
        assert_eq!(results.failed["e2e/a.test.mjs"], ["two #2"]);
        assert_eq!(results.failed.len(), 1, "of the third nobody knows whether it came to its end");
    }
}
