//! A fork from a lorebook that ten timelines share, beside `wc -l` on the files of all ten.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::chat::{CHARACTER, CHAT, Kind};
use super::folder::{self, Folder};
use super::recap;
use super::sweep::{Sweep, time};

const TIMELINES: usize = 10;
/// Messages of each, so that all together are 1 GB.
const MESSAGES: usize = 25_000;

pub(crate) fn measure(lorefork: &Path, home: &Path, rounds: usize, part: usize) -> Result<Sweep> {
    let messages = MESSAGES / part;
    let mut folder = Folder::create(home.join("shared"), Kind::Recapped, messages)?;
    let text = fs::read_to_string(folder.chat())?;
    let mut bytes = text.len() as u64;
    for n in 1..TIMELINES {
        // Each parts a little later than the one before.
        let told = timeline(&text, n, messages / 2 + n * messages / 50)?;
        bytes += told.len() as u64;
        folder.add_chat(&format!("{CHAT} - Branch #{n}"), told.as_bytes())?;
    }
    drop(text);
    folder::settle(home);
    let what = format!("fork from a lorebook that {TIMELINES} timelines share");
    let mut sweep = Sweep::new(what, "`lorefork branch`, shared", 3.0, bytes);
    let mut branch = Command::new(lorefork);
    branch.arg("--root").arg(&folder.root).args(["--json", "branch", "--no-link", "--at"]);
    branch.arg((messages / 5 * 4).to_string()).arg(format!("{CHARACTER}/{CHAT}"));
    branch.env_remove("LOREFORK_ROOT");
    // Round 0 warms the page cache.
    for round in 0..=rounds {
        let wc = time(
            Command::new("sh")
                .current_dir(&folder.root)
                .args(["-c", "wc -l chats/*/* > /dev/null"]),
        )?
        .0;
        let (took, said) = time(&mut branch)?;
        let said: Value = serde_json::from_slice(&said).context("branch printed no JSON")?;
        ensure!(said["lorebook"].is_string(), "the fork has no lorebook of its own: {said}");
        folder.clean()?;
        if round > 0 {
            sweep.add(wc, took);
        }
    }
    fs::remove_dir_all(&folder.root)?;
    Ok(sweep)
}

/// The chat as it goes on otherwise from a message on: later by so many milliseconds, its scenes, too.
fn timeline(text: &str, n: usize, from: usize) -> Result<String> {
    let (header, messages) = text.split_once('\n').context("a chat of one line")?;
    let mut header: Value = serde_json::from_str(header)?;
    header["chat_metadata"]["integrity"] = format!("slug-{n}").into();
    header["chat_metadata"]["main_chat"] = CHAT.into();
    let mut told = header.to_string();
    told.reserve(text.len() + text.len() / 100);
    for (at, line) in messages.split('\n').enumerate() {
        told.push('\n');
        if at < from {
            told.push_str(line);
            continue;
        }
        let line = line.replace(":07.123Z", &format!(":08.{n:03}Z"));
        told.push_str(&recap::later(&line, n as u64 * 60_000));
    }
    Ok(told)
}
