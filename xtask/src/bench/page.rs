//! `cargo xtask bench --page`: the extension in a real SillyTavern, over the bare DevTools protocol.
#![expect(clippy::print_stdout, reason = "the report is the result")]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::report::{Promise, put, table};
use super::{Args, machine};
use crate::workspace::{Workspace, output, run as run_command};
use crate::{e2e, package, tools};

/// The promises: a fork sends at most so many requests, whatever the size of the lorebook, …
const REQUESTS: usize = 10;
/// … is at least so many times faster than two requests per entry, for a lorebook of so many, …
const FASTER: f64 = 100.0;
const ENTRIES: usize = 1000;
/// … and whoever does not fork waits at most so much longer, whichever is more.
const LONGER: f64 = 0.05;
const LONGER_MS: f64 = 20.0;

/// … and no task of the page after opening a long chat takes longer than this, unless SillyTavern's
/// own do.
const TASK_MS: f64 = 50.0;

/// The story tree asks at most so often, its first rows stand so soon after the last answer, and no
/// task of it takes longer than this.
const TREE_REQUESTS: usize = 3;
const TREE_FIRST_MS: f64 = 300.0;
const TREE_TASK_MS: f64 = 100.0;

const ROUNDS: usize = 20;

const BEGIN: &str = "<!-- cargo xtask bench --page --write: begin -->";
const END: &str = "<!-- cargo xtask bench --page --write: end -->";

#[derive(Deserialize)]
struct Found {
    forks: Vec<Fork>,
    costs: Costs,
    openings: Openings,
    trees: Trees,
}

/// The story tree is opened.
#[derive(Deserialize)]
struct Trees {
    timelines: usize,
    requests: usize,
    /// Milliseconds from the last answer to the first rows.
    first: Vec<f64>,
    /// The longest task.
    longest: Vec<f64>,
}

#[derive(Deserialize)]
struct Openings {
    with: Opening,
    without: Opening,
}

/// A chat of 5,000 messages is opened.
#[derive(Deserialize)]
struct Opening {
    /// Milliseconds.
    times: Vec<f64>,
    /// The longest task in the seconds after.
    longest: Vec<f64>,
}

#[derive(Deserialize)]
struct Fork {
    entries: usize,
    requests: usize,
    sent: u64,
    /// Milliseconds.
    times: Vec<f64>,
    rival: Rival,
}

#[derive(Deserialize)]
struct Rival {
    requests: usize,
    sent: u64,
    times: Vec<f64>,
}

#[derive(Deserialize)]
struct Costs {
    times: Both,
    requests: usize,
    differing: Vec<Differing>,
}

#[derive(Deserialize)]
struct Both {
    with: Times,
    without: Times,
}

#[derive(Deserialize)]
struct Times {
    start: Vec<f64>,
    switch: Vec<f64>,
    send: Vec<f64>,
}

#[derive(Deserialize)]
struct Differing {
    with: usize,
    without: usize,
    request: String,
}

pub(super) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    for tool in e2e::NEEDS {
        tool.ensure(workspace)?;
    }
    if !args.no_build {
        package::fresh(workspace)?;
    }
    e2e::build(workspace)?;
    let file = workspace.target.join("e2e/bench.json");
    let rounds = args.rounds.unwrap_or(if args.quick { 1 } else { ROUNDS });
    let mut node = e2e::node(workspace)?;
    node.args(["e2e/bench/run.mjs", "--rounds", &rounds.to_string()]);
    node.arg("--out").arg(&file);
    if args.quick {
        node.arg("--quick");
    }
    run_command(&mut node)?;
    let found: Found = serde_json::from_str(&fs::read_to_string(&file)?)
        .context("the measurements cannot be read")?;

    let mut machine = machine::facts(workspace, &workspace.target);
    let chromium = tools::chromium()?;
    machine.push(output(workspace.command(chromium).arg("--version"))?);
    let text = found.tables(rounds, &machine);
    println!("\n{text}");
    for one in &found.costs.differing {
        println!("{} without, {} with: {}", one.without, one.with, one.request);
    }
    if args.write {
        write(&workspace.root.join("docs/benchmarks.md"), &text)?;
    }
    let missed: Vec<String> = found.promises().filter_map(Promise::complaint).collect();
    if !missed.is_empty() && !args.quick {
        bail!("not as promised: {}", missed.join("; "));
    }
    Ok(())
}

impl Found {
    fn promises(&self) -> impl Iterator<Item = Promise> {
        let requests = self.forks.iter().map(|fork| Promise {
            what: format!("requests of a fork, {} entries", fork.entries),
            promised: format!("≤ {REQUESTS}"),
            measured: Some(fork.requests.to_string()),
            kept: fork.requests <= REQUESTS,
        });
        let speed = self.forks.iter().filter(|fork| fork.entries == ENTRIES).map(|fork| {
            let ratio = median(&fork.rival.times) / median(&fork.times);
            Promise {
                what: format!("a get and an edit per entry : fork, {ENTRIES} entries"),
                promised: format!("≥ {FASTER}"),
                measured: Some(format!("{ratio:.0}")),
                kept: ratio >= FASTER,
            }
        });
        let differing = self.costs.differing.len();
        let same = Promise {
            what: format!("no fork made: of {} requests, other ones", self.costs.requests),
            promised: "0".to_owned(),
            measured: Some(differing.to_string()),
            kept: differing == 0,
        };
        let longer = self.costs.pairs().map(|(what, without, with)| {
            let (without, with) = (median(without), median(with));
            let allowed = (without * LONGER).max(LONGER_MS);
            Promise {
                what: format!("no fork made: {what}, longer by"),
                promised: format!("≤ {allowed:.0} ms"),
                measured: Some(format!("{:.0} ms", with - without)),
                kept: with - without <= allowed,
            }
        });
        let all = requests.chain(speed).chain([same]).chain(longer);
        all.chain(self.openings.promises()).chain(self.trees.promises())
    }

    /// Everything, as Markdown that also reads well in a terminal.
    fn tables(&self, rounds: usize, machine: &[String]) -> String {
        let mut rows = vec![["what", "promised", "measured", ""].map(str::to_owned)];
        rows.extend(self.promises().map(Promise::row));
        let mut text = table(&rows);
        text.push('\n');

        let heads = ["lorebook", "way", "requests", "sent", "median"].map(str::to_owned);
        let mut rows = vec![heads];
        for Fork { entries, requests, sent, times, rival } in &self.forks {
            let megabytes = |bytes: u64| format!("{:.2} MB", bytes as f64 / 1e6);
            let row = |way: &str, requests: usize, sent: u64, times: &[f64]| {
                let median = format!("{:.0} ms", median(times));
                let lorebook = format!("{entries} entries");
                [lorebook, way.to_owned(), requests.to_string(), megabytes(sent), median]
            };
            rows.push(row("fork", *requests, *sent, times));
            rows.push(row("a get and an edit per entry", rival.requests, rival.sent, &rival.times));
        }
        text.push_str(&table(&rows));
        text.push('\n');

        let heads = ["no fork made", "without", "with", "fastest", "slowest"].map(str::to_owned);
        let mut rows = vec![heads];
        for (what, without, with) in self.costs.pairs() {
            let ms = |time: f64| format!("{time:.0} ms");
            let ends = |end: fn(f64, f64) -> f64| {
                let of = |times: &[f64]| times.iter().copied().reduce(end).unwrap_or(f64::NAN);
                format!("{:.0} / {:.0} ms", of(without), of(with))
            };
            let (fastest, slowest) = (ends(f64::min), ends(f64::max));
            rows.push([what.to_owned(), ms(median(without)), ms(median(with)), fastest, slowest]);
        }
        text.push_str(&table(&rows));
        let times = |fork: &Fork| (fork.times.len(), fork.rival.times.len());
        let (forks, rivals) = self.forks.last().map_or((0, 0), times);
        let _ = writeln!(
            text,
            "\n- medians of {forks} forks, {rivals} copies entry by entry, and {rounds} evenings \
             with and without the extension in turns"
        );
        let _ = writeln!(text, "- {}", machine.join(", "));
        text
    }
}

impl Openings {
    fn promises(&self) -> [Promise; 2] {
        let (without, with) = (median(&self.without.times), median(&self.with.times));
        let (their, our) = (median(&self.without.longest), median(&self.with.longest));
        let allowed = TASK_MS.max(their);
        [
            Promise {
                what: "a chat of 5,000 messages is opened, longer by".to_owned(),
                promised: format!("≤ {LONGER_MS:.0} ms"),
                measured: Some(format!("{:.0} ms", with - without)),
                kept: with - without <= LONGER_MS,
            },
            Promise {
                what: "the longest task of the page in the seconds after".to_owned(),
                promised: format!("≤ {allowed:.0} ms"),
                measured: Some(format!("{our:.0} ms")),
                kept: our <= allowed,
            },
        ]
    }
}

impl Trees {
    fn promises(&self) -> [Promise; 3] {
        let Self { timelines, requests, .. } = self;
        let (first, longest) = (median(&self.first), median(&self.longest));
        let time = |what: &str, most: f64, measured: f64| Promise {
            what: format!("story tree of {timelines} timelines: {what}"),
            promised: format!("≤ {most:.0} ms"),
            measured: Some(format!("{measured:.0} ms")),
            kept: measured <= most,
        };
        [
            Promise {
                what: format!("story tree of {timelines} timelines: requests"),
                promised: format!("≤ {TREE_REQUESTS}"),
                measured: Some(requests.to_string()),
                kept: *requests <= TREE_REQUESTS,
            },
            time("first rows after the answer", TREE_FIRST_MS, first),
            time("longest task of the page", TREE_TASK_MS, longest),
        ]
    }
}

impl Costs {
    fn pairs(&self) -> impl Iterator<Item = (&'static str, &[f64], &[f64])> {
        let Both { with, without } = &self.times;
        [
            ("start", &*without.start, &*with.start),
            ("switch of the chat", &without.switch, &with.switch),
            ("message sent and answered", &without.send, &with.send),
        ]
        .into_iter()
    }
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable_by(f64::total_cmp);
    let middle = times.len() / 2;
    match times.as_slice() {
        [] => f64::NAN,
        times if times.len() % 2 == 1 => times[middle],
        times => f64::midpoint(times[middle - 1], times[middle]),
    }
}

/// Puts the tables between their markers; a page without them gets them at its end.
fn write(path: &Path, tables: &str) -> Result<()> {
    let mut page = fs::read_to_string(path).context("docs/benchmarks.md cannot be read")?;
    if !page.contains(BEGIN) {
        page.push_str(&chapter());
    }
    fs::write(path, put(&page, BEGIN, END, tables)?).context("cannot write the page")
}

fn chapter() -> String {
    format!(
        "\n## Inside SillyTavern\n\n\
         `cargo xtask bench --page` starts a real SillyTavern and Chromium on loopback and asks over the bare DevTools \
         protocol, because what records requests slows them down:\n\n\
         - *fork*: a checkpoint of the last message, from the command to the notice; its requests are counted up to \
         the release of its claim.\n\
         - *a get and an edit per entry*: the copy of a lorebook is read and written back whole for each entry, and \
         nothing else is done. Auto-Recap copies a lorebook so.\n\
         - *no fork made*: SillyTavern is started twice, the chat switched four times, four messages sent to a model \
         that answers at once, and the means of each taken: an evening; with the extension's folder in place and \
         without it. Requests are compared with their bodies.\n\
         - *a chat of 5,000 messages*: a branch with a lorebook of its own. What the extension looks at after it is \
         open is done in slices, so that nobody notices: the longest task of the page is measured.\n\
         - *story tree*: opened and closed; its requests, the time from the last answer to the first rows, and the \
         longest task of the page until all rows stand.\n\n\
         {BEGIN}\n{END}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(requests: usize, start: f64, differing: usize) -> Found {
        let times =
            |start| Times { start: vec![start; 3], switch: vec![100.0; 3], send: vec![50.0; 3] };
        let differing = (0..differing).map(|_| Differing {
            with: 1,
            without: 0,
            request: "POST /api".to_owned(),
        });
        Found {
            forks: vec![Fork {
                entries: ENTRIES,
                requests,
                sent: 1_000_000,
                times: vec![90.0, 100.0, 500.0],
                rival: Rival { requests: 2002, sent: 568_000_000, times: vec![20_000.0] },
            }],
            costs: Costs {
                times: Both { with: times(start), without: times(2000.0) },
                requests: 40,
                differing: differing.collect(),
            },
            openings: Openings {
                with: Opening { times: vec![110.0; 3], longest: vec![40.0; 3] },
                without: Opening { times: vec![100.0; 3], longest: vec![0.0; 3] },
            },
            trees: Trees {
                timelines: 100,
                requests: 3,
                first: vec![10.0, 300.0, 300.0],
                longest: vec![100.0; 3],
            },
        }
    }

    #[test]
    fn kept_promises_are_not_complained_about() {
        let found = found(10, 2100.0, 0);
        assert_eq!(found.promises().filter_map(Promise::complaint).count(), 0);
        assert!(found.tables(20, &[]).contains("| 200 "));
    }

    #[test]
    fn a_tree_that_takes_too_long_is_named() {
        let mut found = found(10, 2100.0, 0);
        found.trees.requests = 4;
        found.trees.first = vec![301.0];
        found.trees.longest = vec![101.0];
        let missed: Vec<_> = found.promises().filter_map(Promise::complaint).collect();
        let wanted = [
            "story tree of 100 timelines: requests: 4, not ≤ 3",
            "story tree of 100 timelines: first rows after the answer: 301 ms, not ≤ 300 ms",
            "story tree of 100 timelines: longest task of the page: 101 ms, not ≤ 100 ms",
        ];
        assert_eq!(missed, wanted);
    }

    #[test]
    fn broken_promises_are_named_with_their_numbers() {
        let missed: Vec<_> =
            found(11, 2101.0, 2).promises().filter_map(Promise::complaint).collect();
        let wanted = [
            "requests of a fork, 1000 entries: 11, not ≤ 10",
            "no fork made: of 40 requests, other ones: 2, not 0",
            "no fork made: start, longer by: 101 ms, not ≤ 100 ms",
        ];
        assert_eq!(missed, wanted);
    }

    #[test]
    fn the_other_part_of_the_page_is_left_alone() {
        let page = format!("before\n{}after", chapter());
        let page = put(&page, BEGIN, END, "| 1 |\n").unwrap();
        assert_eq!(put(&page, BEGIN, END, "| 1 |\n").unwrap(), page);
        assert!(page.starts_with("before\n") && page.ends_with("after"));
    }
}
