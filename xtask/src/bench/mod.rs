//! `cargo xtask bench`: the promises about speed and memory, measured against others in the same run.
//!
//! Ratios, because a wall-clock time says more about the machine than about the program.
#![expect(clippy::print_stdout, reason = "the report is the result")]

mod chat;
mod check;
mod family;
mod folder;
mod machine;
mod page;
mod prose;
mod random;
mod recap;
mod report;
mod rivals;
mod shared;
mod sweep;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use self::chat::Kind;
use self::folder::Folder;
use self::report::{Memory, Report, Speed};
use self::rivals::{Arena, Rival};
use crate::tools::Tool;
use crate::workspace::Workspace;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How often each rival runs, 7 times without this, pages 20 times; the median counts
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,

    /// Write the tables into docs/benchmarks.md
    #[arg(long)]
    write: bool,

    /// Measure this build of the command instead of a fresh one
    #[arg(long, value_name = "FILE")]
    lorefork: Option<PathBuf>,

    /// Measure the extension in a real SillyTavern instead of the command
    #[arg(long, conflicts_with = "lorefork")]
    page: bool,

    /// With `--page`: what was packaged last, without building it again
    #[arg(long, requires = "page")]
    no_build: bool,

    /// Little data, to see whether the benchmark itself works; its numbers mean nothing
    #[arg(long, conflicts_with = "write")]
    quick: bool,
}

const ROUNDS: usize = 7;
/// Messages of the chat whose forks are timed, and how many of them the fork gets.
const MESSAGES: usize = 50_000;
const KEPT: usize = 40_000;
/// A chat of this many messages has a bit more than 1 GB.
const MESSAGES_BIG: usize = 270_000;
/// What `--quick` divides all that by.
const QUICK: usize = 25;

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    ensure!(args.rounds != Some(0), "--rounds must be at least 1");
    if args.page {
        return page::run(workspace, args);
    }
    let rounds = args.rounds.unwrap_or(ROUNDS);
    Tool::Node.ensure(workspace)?;
    let lorefork = match &args.lorefork {
        Some(path) => std::path::absolute(path)?,
        None => {
            workspace.cargo(["build", "--release", "--package", "lorefork-cli"])?;
            workspace.built("release", "lorefork")
        }
    };
    let home = workspace.target.join("bench");
    fs::create_dir_all(&home)?;
    let script = home.join("rival.mjs");
    fs::write(&script, include_str!("rival.mjs"))?;
    let part = if args.quick { QUICK } else { 1 };
    let mut arena = Arena {
        lorefork,
        script,
        out: home.join("out.jsonl"),
        messages: MESSAGES / part,
        kept: KEPT / part,
    };

    let mut report = Report {
        machine: machine::facts(workspace, &home),
        rounds,
        speed: Vec::new(),
        memory: Vec::new(),
        check: Some(check::measure(&arena.lorefork, &home, rounds, part)?),
        sweeps: family::measure(&arena.lorefork, &home, rounds, part)?.into(),
    };
    report.sweeps.push(shared::measure(&arena.lorefork, &home, rounds, part)?);
    for kind in [Kind::Plain, Kind::Recapped] {
        report.speed.push(speed(&arena, &home, kind, rounds)?);
    }
    arena.messages = MESSAGES_BIG / part;
    arena.kept = arena.messages / 5 * 4;
    report.memory = memory(&arena, &home)?;
    fs::remove_dir_all(&home).context("cannot remove the data of the benchmark")?;

    println!("\n{}", report.tables());
    if args.write {
        report.write(&workspace.root.join("docs/benchmarks.md"))?;
    }
    let missed = report.missed();
    if !missed.is_empty() && !args.quick {
        bail!("not as promised: {}", missed.join("; "));
    }
    Ok(())
}

/// Times all rivals on one kind of chat, in turns, so that whatever else the machine does hits all of them.
fn speed(arena: &Arena, home: &std::path::Path, kind: Kind, rounds: usize) -> Result<Speed> {
    let start = Instant::now();
    let name = kind.name();
    let folder = Folder::create(home.join(name), kind, arena.messages)?;
    let linked = folder.copy(home.join(format!("{name}-linked")), arena.messages)?;
    let bytes = fs::metadata(folder.chat())?.len();
    println!(
        "{name} chat: {} messages, {} MB, written in {:.1} s",
        arena.messages,
        bytes / 1_000_000,
        start.elapsed().as_secs_f64()
    );

    let mut order = [Rival::Head, Rival::Branch, Rival::BranchLinked, Rival::Node];
    let mut times = BTreeMap::<Rival, Vec<Duration>>::new();
    // Round 0 warms the page cache and looks at what the rivals make. It does not count.
    for round in 0..=rounds {
        for rival in order {
            let folder_of = if rival == Rival::BranchLinked {
                linked.restore_chat(&folder)?;
                folder::settle(home);
                &linked
            } else {
                &folder
            };
            let time = arena.time(rival, folder_of, round == 0)?;
            if round > 0 {
                times.entry(rival).or_default().push(time);
            }
        }
        print_round(round, &order, &times);
        // Nobody always runs after the same neighbour.
        order.reverse();
    }
    for folder in [folder, linked] {
        fs::remove_dir_all(folder.root)?;
    }
    Ok(Speed { kind: name, messages: arena.messages, kept: arena.kept, bytes, times })
}

fn print_round(round: usize, order: &[Rival], times: &BTreeMap<Rival, Vec<Duration>>) {
    let mut line = format!("  round {round}:");
    for rival in order {
        if let Some(time) = times.get(rival).and_then(|times| times.last()) {
            line.push_str(&format!(" {rival:?} {} ms", time.as_millis()));
        }
    }
    if round > 0 {
        println!("{line}");
    }
}

/// Peak memory on a chat of 1 GB, of the kind that asks most of the command.
fn memory(arena: &Arena, home: &std::path::Path) -> Result<Vec<Memory>> {
    let kind = Kind::Recapped;
    let folder = Folder::create(home.join("big"), kind, arena.messages)?;
    let bytes = fs::metadata(folder.chat())?.len();
    println!("big {} chat: {} messages, {} MB", kind.name(), arena.messages, bytes / 1_000_000);
    // The linked one last, because it changes the chat.
    let mut found = Vec::new();
    for rival in [Rival::Branch, Rival::BranchLinked] {
        found.push(Memory { rival, bytes, peak: arena.peak(rival, &folder)? });
    }
    Ok(found)
}
