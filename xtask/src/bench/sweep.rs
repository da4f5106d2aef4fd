//! A command that looks through a large folder, beside `wc -l` on the same files.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::report::{Promise, middle};

pub(crate) struct Sweep {
    /// What is promised, and what was run.
    what: String,
    run: &'static str,
    /// At most so many times the time of `wc -l`.
    most: f64,
    bytes: u64,
    wc: Vec<Duration>,
    ours: Vec<Duration>,
}

impl Sweep {
    pub(crate) fn new(what: String, run: &'static str, most: f64, bytes: u64) -> Self {
        Self { what, run, most, bytes, wc: Vec::new(), ours: Vec::new() }
    }

    pub(crate) fn add(&mut self, wc: Duration, ours: Duration) {
        self.wc.push(wc);
        self.ours.push(ours);
    }

    pub(crate) fn promise(&self) -> Promise {
        let ratio = middle(&self.ours) / middle(&self.wc);
        Promise {
            what: format!("{} ({} MB) : wc -l", self.what, self.bytes / 1_000_000),
            promised: format!("≤ {}", self.most),
            measured: Some(format!("{ratio:.2}")),
            kept: ratio <= self.most,
        }
    }

    /// What was run, and how long it took.
    pub(crate) fn times(&self) -> [(String, &[Duration]); 2] {
        let wc = format!("`wc -l`, beside {}", self.run);
        [(wc, &self.wc), (self.run.to_owned(), &self.ours)]
    }
}

/// How long a command takes, and what it prints.
pub(crate) fn time(command: &mut Command) -> Result<(Duration, Vec<u8>)> {
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output()?;
    let took = start.elapsed();
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok((took, output.stdout))
}
