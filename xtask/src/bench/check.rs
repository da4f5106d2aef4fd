//! `lorefork check` on a large folder, beside `wc -l` on the same files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::chat::{self, Kind};
use super::rivals::high_water;
use super::{folder, recap};

/// Lorebooks, each with its chat that has a recapped scene; and chats without.
const RECAPPED: usize = 500;
const PLAIN: usize = 1500;
/// Messages of the two, so that all together are 1 GB. A scene ends every 400 messages.
const LONG: usize = 410;
const SHORT: usize = 45;

/// What was measured.
pub(crate) struct Checked {
    pub(crate) chats: usize,
    pub(crate) lorebooks: usize,
    pub(crate) bytes: u64,
    pub(crate) wc: Vec<Duration>,
    pub(crate) check: Vec<Duration>,
    pub(crate) peak: Option<u64>,
}

pub(crate) fn measure(lorefork: &Path, home: &Path, rounds: usize, part: usize) -> Result<Checked> {
    let root = home.join("check");
    let (recapped, plain) = (RECAPPED / part, PLAIN / part);
    let bytes = write(&root, recapped, plain)?;
    folder::settle(home);
    let mut found = Checked {
        chats: recapped + plain,
        lorebooks: recapped,
        bytes,
        wc: Vec::new(),
        check: Vec::new(),
        peak: None,
    };
    // Round 0 warms the page cache.
    for round in 0..=rounds {
        let wc = time(
            Command::new("sh")
                .current_dir(&root)
                .args(["-c", "find chats worlds -type f -print0 | xargs -0 wc -l > /dev/null"]),
        )?
        .0;
        let (check, said) = time(command(lorefork, &root))?;
        if round == 0 {
            let report: Value =
                serde_json::from_slice(&said).context("check did not print JSON")?;
            // The sample's registries are not complete, which is only remarked upon.
            let problems = report["problems"].as_array().context("check names no problems")?;
            let bad = problems.iter().find(|problem| problem["severity"] != "note");
            ensure!(bad.is_none(), "check found something: {bad:?}");
            ensure!(report["scanned"]["bytes"] == bytes, "check did not read everything");
        } else {
            found.wc.push(wc);
            found.check.push(check);
        }
    }
    found.peak = peak(&mut command(lorefork, &root))?;
    fs::remove_dir_all(root)?;
    Ok(found)
}

fn command(lorefork: &Path, root: &Path) -> Command {
    let mut command = Command::new(lorefork);
    command.arg("--root").arg(root).args(["check", "--json"]).env_remove("LOREFORK_ROOT");
    command
}

fn time(mut command: impl std::borrow::BorrowMut<Command>) -> Result<(Duration, Vec<u8>)> {
    let start = Instant::now();
    let output = command.borrow_mut().stdin(Stdio::null()).output()?;
    Ok((start.elapsed(), output.stdout))
}

fn peak(command: &mut Command) -> Result<Option<u64>> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = None;
    while child.try_wait()?.is_none() {
        peak = high_water(&status).or(peak);
        thread::sleep(Duration::from_millis(1));
    }
    Ok(peak)
}

/// Writes the folder and says how large it is.
fn write(root: &Path, recapped: usize, plain: usize) -> Result<u64> {
    if root.exists() {
        fs::remove_dir_all(root)?;
    }
    fs::create_dir_all(root.join("worlds"))?;
    let book = folder::pretty(&recap::book(LONG))?;
    let mut texts = [Vec::new(), Vec::new()];
    chat::write(&mut texts[0], Kind::Recapped, LONG)?;
    chat::write(&mut texts[1], Kind::Plain, SHORT)?;
    let mut bytes = 0;
    for n in 0..recapped + plain {
        let is_recapped = n < recapped;
        let text = &texts[usize::from(!is_recapped)];
        let end = text.iter().position(|byte| *byte == b'\n').context("a chat of one line")?;
        let mut header: Value = serde_json::from_slice(&text[..end])?;
        let metadata = &mut header["chat_metadata"];
        let name = format!("Bench - {n}");
        metadata["integrity"] = format!("slug-{n}").into();
        if is_recapped {
            metadata["world_info"] = format!("Bench lore {n}").into();
            metadata["auto_recap_running_scene_recaps"]["chat_id"] = name.clone().into();
            fs::write(root.join(format!("worlds/Bench lore {n}.json")), &book)?;
            bytes += book.len() as u64;
        }
        let folder = root.join(format!("chats/Bench {}", n % 40));
        fs::create_dir_all(&folder)?;
        let mut chat = header.to_string().into_bytes();
        chat.extend_from_slice(&text[end..]);
        fs::write(folder.join(format!("{name}.jsonl")), &chat)?;
        bytes += chat.len() as u64;
    }
    Ok(bytes)
}
