//! Who runs: `head`, Node, and the command with and without the link.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::chat::{CHARACTER, CHAT, Kind};
use super::folder::Folder;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Rival {
    Head,
    Branch,
    BranchLinked,
    Node,
}

pub(crate) struct Arena {
    /// The command under test.
    pub(crate) lorefork: PathBuf,
    /// Node's program, as a file.
    pub(crate) script: PathBuf,
    /// Where head and Node write to: on the same file system.
    pub(crate) out: PathBuf,
    /// Messages in the chat, and how many of them the fork gets.
    pub(crate) messages: usize,
    pub(crate) kept: usize,
}

impl Arena {
    /// Runs a rival once, checks what it made where asked, and removes it.
    pub(crate) fn time(&self, rival: Rival, folder: &Folder, check: bool) -> Result<Duration> {
        let mut command = self.command(rival, folder);
        let before = fs::metadata(folder.chat())?;
        let start = Instant::now();
        let output = command.output().context("cannot start a rival")?;
        let time = start.elapsed();
        let made = self.made(rival, folder, &output)?;
        if rival != Rival::BranchLinked {
            let after = fs::metadata(folder.chat())?;
            let same = before.len() == after.len() && before.modified()? == after.modified()?;
            ensure!(same, "{rival:?} changed the chat");
        }
        if check {
            // The link is in the last of these messages; the fork has it as it was.
            let lines = if rival == Rival::BranchLinked { self.kept } else { self.kept + 1 };
            self.check(folder, &made, lines)
                .with_context(|| format!("what {rival:?} made is not the start of the chat"))?;
        }
        fs::remove_file(made)?;
        folder.clean()?;
        Ok(time)
    }

    /// Runs a rival and returns the most memory it had, in bytes, if the system tells.
    pub(crate) fn peak(&self, rival: Rival, folder: &Folder) -> Result<Option<u64>> {
        let mut command = self.command(rival, folder);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("cannot start a rival")?;
        // The kernel keeps the highest value, and forgets it when the process ends: ask until then.
        let status = PathBuf::from(format!("/proc/{}/status", child.id()));
        let mut peak = None;
        while child.try_wait()?.is_none() {
            peak = high_water(&status).or(peak);
            thread::sleep(Duration::from_millis(1));
        }
        let output = child.wait_with_output()?;
        fs::remove_file(self.made(rival, folder, &output)?)?;
        folder.clean()?;
        Ok(peak)
    }

    fn command(&self, rival: Rival, folder: &Folder) -> Command {
        let chat = folder.chat();
        let lines = (self.kept + 1).to_string();
        let mut command;
        match rival {
            Rival::Head => {
                command = Command::new("sh");
                command.args(["-c", r#"head -n "$3" "$1" > "$2" && sync "$2""#, "sh"]);
                command.args([&chat, &self.out]).arg(lines);
            }
            Rival::Node => {
                command = Command::new("node");
                command.args([&self.script, &chat, &self.out]).arg(lines);
            }
            Rival::Branch | Rival::BranchLinked => {
                command = Command::new(&self.lorefork);
                command.arg("--root").arg(&folder.root).arg("--json");
                command.arg("branch").arg(format!("{CHARACTER}/{CHAT}"));
                command.arg("--at").arg((self.kept - 1).to_string());
                if rival == Rival::Branch {
                    command.arg("--no-link");
                }
                command.env_remove("LOREFORK_ROOT");
            }
        }
        command.stdin(Stdio::null());
        command
    }

    /// The file that a rival made.
    fn made(&self, rival: Rival, folder: &Folder, output: &Output) -> Result<PathBuf> {
        let said = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            let complained = String::from_utf8_lossy(&output.stderr);
            bail!("{rival:?} failed ({})\n{said}{complained}", output.status);
        }
        match rival {
            Rival::Head | Rival::Node => Ok(self.out.clone()),
            Rival::Branch | Rival::BranchLinked => {
                let report: Value = serde_json::from_str(&said)
                    .with_context(|| format!("lorefork did not print JSON: {said}"))?;
                let file = report["file"].as_str();
                Ok(folder.root.join(file.context("no `file` in the report")?))
            }
        }
    }

    /// A fast wrong answer is worth nothing.
    fn check(&self, folder: &Folder, made: &Path, until: usize) -> Result<()> {
        let mut wanted = lines(&folder.chat())?;
        let mut found = lines(made)?;
        for number in 1..=until {
            let wanted = wanted.next().context("the chat is too short")??;
            let Some(found) = found.next() else {
                bail!("line {number} is missing");
            };
            // The header is the fork's own, and where scenes name the lorebook they name the fork's.
            let own = number == 1
                || folder.kind == Kind::Recapped && contains(&wanted, b"chatLorebookName");
            ensure!(own || wanted == found?, "line {number} differs");
        }
        ensure!(found.count() == self.kept + 1 - until, "there are too many lines, or too few");
        Ok(())
    }
}

fn lines(path: &Path) -> Result<io::Split<BufReader<File>>> {
    Ok(BufReader::with_capacity(1 << 20, File::open(path)?).split(b'\n'))
}

fn contains(line: &[u8], what: &[u8]) -> bool {
    line.windows(what.len()).any(|window| window == what)
}

/// `VmHWM` of a process in bytes.
pub(crate) fn high_water(status: &Path) -> Option<u64> {
    let status = fs::read_to_string(status).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
