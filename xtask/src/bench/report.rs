//! What was measured, beside what was promised.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::check::Checked;
use super::rivals::Rival;
use super::sweep::Sweep;

/// The promises: a fork is at most so many times as slow as head, …
const TO_HEAD: f64 = 1.5;
/// … with the link at most so many times, …
const LINKED_TO_HEAD: f64 = 3.0;
/// … at least so many times faster than Node, …
const NODE_TO_BRANCH: f64 = 10.0;
/// … and needs less than this much memory for a chat of 1 GB.
const MEMORY: u64 = 100_000_000;

/// Checking a folder is at most so many times as slow as counting its lines, …
const CHECK_TO_WC: f64 = 5.0;
/// … and needs less than this much memory.
const CHECK_MEMORY: u64 = 300_000_000;

const BEGIN: &str = "<!-- cargo xtask bench --write: begin -->";
const END: &str = "<!-- cargo xtask bench --write: end -->";

pub(crate) struct Report {
    pub(crate) machine: Vec<String>,
    pub(crate) rounds: usize,
    pub(crate) speed: Vec<Speed>,
    pub(crate) memory: Vec<Memory>,
    pub(crate) check: Option<Checked>,
    pub(crate) sweeps: Vec<Sweep>,
}

pub(crate) struct Speed {
    pub(crate) kind: &'static str,
    pub(crate) messages: usize,
    pub(crate) kept: usize,
    pub(crate) bytes: u64,
    pub(crate) times: BTreeMap<Rival, Vec<Duration>>,
}

pub(crate) struct Memory {
    pub(crate) rival: Rival,
    /// Size of the chat.
    pub(crate) bytes: u64,
    pub(crate) peak: Option<u64>,
}

pub(super) struct Promise {
    pub(super) what: String,
    pub(super) promised: String,
    /// `None` where it could not be measured.
    pub(super) measured: Option<String>,
    pub(super) kept: bool,
}

impl Promise {
    /// A row of a table.
    pub(super) fn row(self) -> [String; 4] {
        let word = match &self.measured {
            None => "cannot tell here",
            Some(_) if self.kept => "kept",
            Some(_) => "MISSED",
        };
        [self.what, self.promised, self.measured.unwrap_or_default(), word.to_owned()]
    }

    /// What to complain about, if it was broken. What this system cannot measure was not.
    pub(super) fn complaint(self) -> Option<String> {
        let measured = self.measured.filter(|_| !self.kept)?;
        Some(format!("{}: {measured}, not {}", self.what, self.promised))
    }
}

impl Speed {
    fn median(&self, rival: Rival) -> f64 {
        let mut times = self.times.get(&rival).cloned().unwrap_or_default();
        times.sort_unstable();
        times.get(times.len() / 2).map_or(f64::NAN, Duration::as_secs_f64)
    }

    fn promises(&self) -> [Promise; 3] {
        let median = |rival| self.median(rival);
        let kind = self.kind;
        let ratio = |what: &str, ratio: f64, sign: &str, limit: f64| Promise {
            what: format!("{kind} chat: {what}"),
            promised: format!("{sign} {limit}"),
            measured: Some(format!("{ratio:.2}")),
            kept: if sign == "≤" { ratio <= limit } else { ratio >= limit },
        };
        let (branch, head) = (median(Rival::Branch), median(Rival::Head));
        let linked = median(Rival::BranchLinked) / head;
        let node = median(Rival::Node) / branch;
        [
            ratio("branch : head", branch / head, "≤", TO_HEAD),
            ratio("branch with link : head", linked, "≤", LINKED_TO_HEAD),
            ratio("Node : branch", node, "≥", NODE_TO_BRANCH),
        ]
    }
}

impl Memory {
    fn promise(&self) -> Promise {
        let link = if self.rival == Rival::BranchLinked { " with link" } else { "" };
        Promise {
            what: format!("peak memory of branch{link}, {} MB chat", self.bytes / 1_000_000),
            promised: format!("< {} MB", MEMORY / 1_000_000),
            measured: self.peak.map(|peak| format!("{:.1} MB", peak as f64 / 1e6)),
            kept: self.peak.is_some_and(|peak| peak < MEMORY),
        }
    }
}

pub(super) fn middle(times: &[Duration]) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() / 2).map_or(f64::NAN, Duration::as_secs_f64)
}

impl Checked {
    fn promises(&self) -> [Promise; 2] {
        let ratio = middle(&self.check) / middle(&self.wc);
        [
            Promise {
                what: "check : wc -l".to_owned(),
                promised: format!("≤ {CHECK_TO_WC}"),
                measured: Some(format!("{ratio:.2}")),
                kept: ratio <= CHECK_TO_WC,
            },
            Promise {
                what: "peak memory of check".to_owned(),
                promised: format!("< {} MB", CHECK_MEMORY / 1_000_000),
                measured: self.peak.map(|peak| format!("{:.1} MB", peak as f64 / 1e6)),
                kept: self.peak.is_some_and(|peak| peak < CHECK_MEMORY),
            },
        ]
    }
}

impl Report {
    fn promises(&self) -> impl Iterator<Item = Promise> {
        let speed = self.speed.iter().flat_map(Speed::promises);
        let check = self.check.iter().flat_map(Checked::promises);
        let sweeps = self.sweeps.iter().map(Sweep::promise);
        speed.chain(self.memory.iter().map(Memory::promise)).chain(check).chain(sweeps)
    }

    /// Promises that were broken.
    pub(crate) fn missed(&self) -> Vec<String> {
        self.promises().filter_map(Promise::complaint).collect()
    }

    /// Everything, as Markdown that also reads well in a terminal.
    pub(crate) fn tables(&self) -> String {
        let mut rows = vec![["what", "promised", "measured", ""].map(str::to_owned)];
        for promise in self.promises() {
            rows.push(promise.row());
        }
        let mut text = table(&rows);

        let mut rows = vec![["what", "median", "fastest", "slowest"].map(str::to_owned)];
        for speed in &self.speed {
            for (rival, times) in &speed.times {
                let what = format!("{} chat: {}", speed.kind, name(*rival));
                let milliseconds = |seconds: f64| format!("{:.0} ms", seconds * 1e3);
                let of = |time: Option<&Duration>| time.map_or(f64::NAN, Duration::as_secs_f64);
                let (least, most) = (of(times.iter().min()), of(times.iter().max()));
                let times = [speed.median(*rival), least, most].map(milliseconds);
                let [median, least, most] = times;
                rows.push([what, median, least, most]);
            }
        }
        let check = self.check.iter().flat_map(|check| {
            let [wc, ours] = ["`wc -l`", "`lorefork check`"].map(|run| format!("folder: {run}"));
            [(wc, check.wc.as_slice()), (ours, check.check.as_slice())]
        });
        for (what, times) in check.chain(self.sweeps.iter().flat_map(Sweep::times)) {
            let milliseconds = |seconds: f64| format!("{:.0} ms", seconds * 1e3);
            let of = |time: Option<&Duration>| time.map_or(f64::NAN, Duration::as_secs_f64);
            let all = [middle(times), of(times.iter().min()), of(times.iter().max())];
            let [median, least, most] = all.map(milliseconds);
            rows.push([what, median, least, most]);
        }
        text.push('\n');
        text.push_str(&table(&rows));
        text.push('\n');
        for speed in &self.speed {
            let (kind, kept, messages) = (speed.kind, speed.kept, speed.messages);
            let megabytes = speed.bytes / 1_000_000;
            let line = format!(
                "- {kind} chat: the first {kept} of {messages} messages, {megabytes} MB in all"
            );
            text.push_str(&line);
            text.push('\n');
        }
        if let Some(check) = &self.check {
            let (chats, lorebooks) = (check.chats, check.lorebooks);
            let _ = writeln!(
                text,
                "- folder: {chats} chats and {lorebooks} lorebooks, {} MB; every line is checked",
                check.bytes / 1_000_000
            );
        }
        let rounds = self.rounds;
        let _ = writeln!(text, "- medians of {rounds} rounds, rivals in turns, page cache warm");
        let _ = writeln!(text, "- {}", self.machine.join(", "));
        text
    }

    /// Puts the tables between the markers of a page; a page that does not exist is begun.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let page = fs::read_to_string(path).unwrap_or_else(|_| new_page());
        let page = put(&page, BEGIN, END, &self.tables())?;
        fs::write(path, page).context("cannot write the page")
    }
}

/// A page with another text between two markers.
pub(super) fn put(page: &str, begin: &str, end: &str, text: &str) -> Result<String> {
    let (before, rest) = page.split_once(begin).context("the page has no begin marker")?;
    let (_, after) = rest.split_once(end).context("the page has no end marker")?;
    Ok(format!("{before}{begin}\n{text}{end}{after}"))
}

fn name(rival: Rival) -> &'static str {
    match rival {
        Rival::Head => "`head`, then `sync`",
        Rival::Branch => "`lorefork branch --no-link`",
        Rival::BranchLinked => "`lorefork branch`",
        Rival::Node => "Node, parse and print",
    }
}

fn new_page() -> String {
    format!(
        "# Benchmarks\n\n\
         `cargo xtask bench` makes its own chats (Latin, Chinese, Japanese, Russian, emoji), forks them, and compares \
         with what else could be done to the same file in the same run:\n\n\
         - `head` copies the same lines into a file and `sync` makes them durable: a copy that looks at nothing.\n\
         - Node reads the file, parses and prints the same lines, writes and syncs them: what a script would do.\n\n\
         The *plain* chat has messages only. The *recapped* one has a lorebook, memory data in every message, and every \
         400 messages a scene with a snapshot of the lorebook, which the fork rebuilds and renames.\n\n\
         {BEGIN}\n{END}\n"
    )
}

pub(super) fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(text, "| {cell:<width$} ");
        }
        text.push_str("|\n");
        if number == 0 {
            for width in widths {
                let _ = write!(text, "|{}", "-".repeat(width + 2));
            }
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(branch: u64) -> Report {
        let ms = |ms: u64| vec![Duration::from_millis(ms)];
        let times = [
            (Rival::Head, ms(100)),
            (Rival::Branch, ms(branch)),
            (Rival::BranchLinked, ms(250)),
            (Rival::Node, ms(2000)),
        ];
        Report {
            machine: vec!["a machine".to_owned()],
            rounds: 1,
            speed: vec![Speed {
                kind: "plain",
                messages: 5,
                kept: 4,
                bytes: 2_000_000,
                times: times.into(),
            }],
            memory: vec![Memory {
                rival: Rival::Branch,
                bytes: 1_000_000_000,
                peak: Some(12_000_000),
            }],
            check: None,
            sweeps: Vec::new(),
        }
    }

    #[test]
    fn kept_promises_are_not_complained_about() {
        assert_eq!(report(120).missed(), Vec::<String>::new());
        assert!(report(120).tables().contains("| 12.0 MB"));
    }

    #[test]
    fn broken_promises_are_named_with_their_numbers() {
        let wanted = [
            "plain chat: branch : head: 3.00, not ≤ 1.5",
            "plain chat: Node : branch: 6.67, not ≥ 10",
        ];
        assert_eq!(report(300).missed(), wanted);
    }

    #[test]
    fn what_cannot_be_measured_is_not_missed() {
        let mut report = report(120);
        report.memory[0].peak = None;
        assert!(report.missed().is_empty());
        assert!(report.tables().contains("cannot tell here"));
    }
}
