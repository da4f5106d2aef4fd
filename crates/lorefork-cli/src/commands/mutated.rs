//! What must hold whatever happened to a folder: `check`, `fix --apply`, `check`, `fix --apply` and
//! `undo` over folders that something was done to.
//!
//! A repair is whole the first time, says what it left, and comes back byte for byte. And so does a
//! fork. `cargo xtask mutate` tries many folders; `LOREFORK_SEED` names one of them.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use lorefork::json::Json;
use lorefork_demo::sample;
use lorefork_sim::mutate::{Mutated, mutated};
use lorefork_sim::story::story;
use lorefork_sim::truth::tangled;
use lorefork_sim::{Chance, Folder};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use crate::args::Command;
use crate::error::{Exit, Failure};
use crate::output::Answer;
use crate::usage;

/// What a run found: kinds of failures, each with its seeds and what was seen there.
type Found = BTreeMap<String, Vec<(u64, String)>>;

/// As many as every test run tries.
const A_FEW: u64 = 200;

/// Nobody undoes more than this after two repairs.
const MOST_OPERATIONS: usize = 60;

#[test]
fn mutated_folders_are_mended_once_and_come_back() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let keep = std::env::var_os("LOREFORK_KEEP").map(PathBuf::from);
    let seeds = match number("LOREFORK_SEED") {
        Some(seed) => seed..seed + 1,
        None => {
            let first = number("LOREFORK_FIRST").unwrap_or(0);
            first..first + number("LOREFORK_FOLDERS").unwrap_or(A_FEW)
        }
    };
    let found = all(seeds.clone(), keep.as_deref());
    let mut text = String::new();
    for (kind, seen) in &found {
        text.push_str(&format!("\n{} × {kind}\n", seen.len()));
        for (seed, what) in seen.iter().take(4) {
            text.push_str(&format!("    seed {seed}: {what}\n"));
        }
    }
    let folders = seeds.end - seeds.start;
    let failed: BTreeSet<u64> = found.values().flatten().map(|(seed, _)| *seed).collect();
    assert!(
        found.is_empty(),
        "{} of {folders} folders:\n{text}\nTo see one alone, with its folder before and after:\n    \
         cargo xtask mutate --seed {} --keep DIR\n",
        failed.len(),
        failed.first().unwrap()
    );
}

fn all(seeds: std::ops::Range<u64>, keep: Option<&Path>) -> Found {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let mut found = Found::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return found;
            }
            for (kind, what) in one(seed, keep) {
                found.entry(kind).or_default().push((seed, what));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut all = Found::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            for (kind, seen) in worker.join().unwrap() {
                all.entry(kind).or_default().extend(seen);
            }
        }
    });
    all.values_mut().for_each(|seen| seen.sort());
    all
}

/// A folder as it might be before anything happened to it.
fn base(seed: u64) -> Folder {
    match seed % 4 {
        0 => {
            // Its pictures take longer to paint than all that is done to it.
            static DEMO: [OnceLock<Folder>; 2] = [OnceLock::new(), OnceLock::new()];
            let with_tangled = seed.is_multiple_of(8);
            DEMO[usize::from(with_tangled)].get_or_init(|| demo(with_tangled)).clone()
        }
        1 => {
            let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes_of(seed));
            let mut runner = TestRunner::new_with_rng(Config::default(), rng);
            story().new_tree(&mut runner).unwrap().current().folder
        }
        _ => tangled(seed).folder,
    }
}

fn demo(with_tangled: bool) -> Folder {
    let mut folder = Folder::new();
    for (path, bytes) in sample(with_tangled) {
        folder.put(path.trim_start_matches("default-user/"), bytes);
    }
    folder
}

fn bytes_of(seed: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes
}

/// What goes wrong with the folder of a seed: kinds, each with what was seen.
fn one(seed: u64, keep: Option<&Path>) -> Vec<(String, String)> {
    let Mutated { folder, what } = mutated(&base(seed), seed);
    // Most of the time goes into waiting for a disk, where there is one.
    let memory = Path::new("/dev/shm");
    let temp = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let temp = temp.unwrap();
    let root = temp.path().join("folder");
    for needed in ["chats", "worlds", "groups", "group chats", "characters"] {
        std::fs::create_dir_all(root.join(needed)).unwrap();
    }
    folder.write(&root).unwrap();
    if let Some(keep) = keep {
        std::fs::create_dir_all(keep).unwrap();
        folder.write(&keep.join(format!("{seed}-before"))).unwrap();
    }
    let mut run = Run { root: &root, start: theirs(&root), wrong: Vec::new() };
    if run.repair().is_some() {
        run.fork(&mut Chance::new(!seed));
    }
    if let Some(keep) = keep {
        Folder::read(&root).unwrap().write(&keep.join(format!("{seed}-after"))).unwrap();
    }
    let about = what.join("; ");
    run.wrong.into_iter().map(|(kind, what)| (kind, format!("{what} [{about}]"))).collect()
}

/// Everything but our own.
fn theirs(root: &Path) -> Folder {
    let mut folder = Folder::read(root).unwrap();
    let ours: Vec<String> = folder
        .files()
        .map(|(file, _)| file)
        .filter(|file| file.starts_with("lorefork/"))
        .map(str::to_owned)
        .collect();
    for file in ours {
        folder.remove(&file);
    }
    folder
}

/// One folder on its way.
struct Run<'r> {
    root: &'r Path,
    start: Folder,
    wrong: Vec<(String, String)>,
}

impl Run<'_> {
    fn wrong(&mut self, kind: impl Into<String>, what: impl Into<String>) {
        self.wrong.push((kind.into(), what.into()));
    }

    /// Types a command. `None` if it refused or worse.
    fn ask(&mut self, typed: &[&str]) -> Option<Answer> {
        let words = ["lorefork", "--json", "--root"].map(OsString::from).into_iter();
        let words = words.chain([self.root.into()]).chain(typed.iter().map(OsString::from));
        let cli = usage::parse(words).unwrap();
        let globals = &cli.globals;
        let answer = catch_unwind(AssertUnwindSafe(|| match &cli.command {
            Command::Check(args) => super::check::run(globals, args),
            Command::Fix(args) => super::fix::run(globals, args),
            Command::Undo(args) => super::log::undo(globals, args),
            Command::Branch(args) => super::fork::branch(globals, args),
            Command::Checkpoint(args) => super::fork::checkpoint(globals, args),
            _ => unreachable!("{typed:?}"),
        }));
        match answer {
            Ok(Ok(answer)) => {
                let is_printed =
                    catch_unwind(AssertUnwindSafe(|| answer.page.render(60, true).len()));
                if let Err(panic) = is_printed {
                    self.wrong(format!("{} panics when it prints", typed[0]), said(&*panic));
                }
                Some(answer)
            }
            Ok(Err(failure)) => {
                self.refused(typed, &failure);
                None
            }
            Err(panic) => {
                self.wrong(format!("{} panics", typed[0]), said(&*panic));
                None
            }
        }
    }

    fn refused(&mut self, typed: &[&str], failure: &Failure) {
        let error = &failure.json()["error"];
        let code = error["code"].as_str().unwrap_or_default();
        let is_fork = matches!(typed[0], "branch" | "checkpoint");
        // A fork may be refused, and there is an end of undoing.
        if !is_fork && code != "NOTHING_TO_UNDO" {
            self.wrong(format!("{} is refused: {code}", typed[0]), error["message"].to_string());
        }
    }

    /// Looks and repairs, twice, and takes all of it back.
    fn repair(&mut self) -> Option<()> {
        let first = self.ask(&["check"])?;
        let fixed = self.ask(&["fix", "--apply"])?;
        let mended = theirs(self.root);
        self.no_named_lorebook_is_gone(&mended, "fix");
        let second = self.ask(&["check"])?;
        self.says_what_it_left(&first, &fixed, &second);
        let again = self.ask(&["fix", "--apply"])?;
        let changed = differing(&mended, &theirs(self.root));
        if !changed.is_empty() {
            let codes: BTreeSet<String> = repaired(&again).iter().map(code).collect();
            let codes = codes.into_iter().collect::<Vec<_>>().join(", ");
            self.wrong(format!("a second fix changes files: {codes}"), changed.join(", "));
        } else if let Some(problem) = repaired(&again).first() {
            self.wrong(format!("a second fix says “repaired”: {}", code(problem)), about(problem));
        }
        self.undo_everything("fix")
    }

    /// Every problem that is there now was named, and every one that was called repaired is not.
    fn says_what_it_left(&mut self, first: &Answer, fixed: &Answer, second: &Answer) {
        let steps = list(fixed, "steps");
        let before: BTreeSet<String> = list(first, "problems").iter().map(about).collect();
        for problem in list(second, "problems") {
            let same: Vec<&Value> =
                steps.iter().filter(|step| about(step) == about(&problem)).collect();
            if !same.is_empty() && same.iter().all(|step| step["left"].is_null()) {
                self.wrong(
                    format!("not repaired, but said so: {}", code(&problem)),
                    about(&problem),
                );
            } else if same.is_empty() {
                let since = if before.contains(&about(&problem)) { "not named" } else { "new" };
                let kind = format!("{since} after fix: {}", code(&problem));
                self.wrong(kind, format!("{} {}", about(&problem), problem["message"]));
            }
        }
        let is_left = steps.iter().any(|step| !step["left"].is_null());
        if (fixed.exit == Exit::No) != is_left {
            self.wrong("fix exits with the wrong code", format!("{:?}", fixed.exit));
        }
        for answer in [first, second] {
            if (answer.exit == Exit::Done) != list(answer, "problems").is_empty() {
                self.wrong("check exits with the wrong code", format!("{:?}", answer.exit));
            }
        }
    }

    /// Forks a chat, where that is possible, and takes it back.
    fn fork(&mut self, chance: &mut Chance) -> Option<()> {
        let chats: Vec<PathBuf> = self.start.chats().map(|chat| self.root.join(chat)).collect();
        let chat = chance.one_of(&chats)?.to_str()?;
        let what = if chance.percent(50) { "branch" } else { "checkpoint" };
        self.ask(&[what, chat, "--lore", "live", "--drop-queue"])?;
        self.no_named_lorebook_is_gone(&theirs(self.root), what);
        self.undo_everything(what)
    }

    fn undo_everything(&mut self, what: &str) -> Option<()> {
        for _ in 0..MOST_OPERATIONS {
            let so_far = self.wrong.len();
            if self.ask(&["undo", "--apply"]).is_none() {
                if self.wrong.len() > so_far {
                    return None;
                }
                break;
            }
        }
        let now = theirs(self.root);
        self.no_named_lorebook_is_gone(&now, "undo");
        let changed = differing(&self.start, &now);
        if !changed.is_empty() {
            self.wrong(format!("undoing a {what} leaves other bytes"), changed.join(", "));
            return None;
        }
        Some(())
    }

    fn no_named_lorebook_is_gone(&mut self, now: &Folder, by: &str) {
        for chat in now.chats() {
            let text = String::from_utf8_lossy(now.get(chat).unwrap_or_default());
            let header = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let named = Json::parse(header).ok();
            let named = named.and_then(|json| json.at(&["chat_metadata", "world_info"])?.str());
            let Some(named) = named else { continue };
            let book = format!("worlds/{named}.json");
            if self.start.has(&book) && !now.has(&book) {
                self.wrong(
                    format!("{by} removes a lorebook that is named"),
                    format!("{chat}: {book}"),
                );
            }
        }
    }
}

fn list(answer: &Answer, key: &str) -> Vec<Value> {
    answer.json[key].as_array().cloned().unwrap_or_default()
}

fn repaired(fixed: &Answer) -> Vec<Value> {
    list(fixed, "steps").into_iter().filter(|step| step["left"].is_null()).collect()
}

fn code(problem: &Value) -> String {
    problem["code"].as_str().unwrap_or_default().to_owned()
}

/// Which problem: its code and what it is about.
fn about(problem: &Value) -> String {
    let about = json!([problem["code"], problem["file"], problem["lorebook"], problem["at"]]);
    about.to_string()
}

/// Files that are not the same in both.
fn differing(a: &Folder, b: &Folder) -> Vec<String> {
    let files: BTreeSet<&str> = a.files().chain(b.files()).map(|(file, _)| file).collect();
    let differs = |file: &&str| a.get(file) != b.get(file);
    files.into_iter().filter(differs).map(str::to_owned).collect()
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
