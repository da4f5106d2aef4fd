//! `lorefork tree` of a large family, beside `wc -l` on the same files.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::chat::{self, CHARACTER, Kind};
use super::folder;
use super::random::Random;
use super::sweep::{Sweep, time};

const TIMELINES: usize = 1000;
/// Messages of each, so that all together are 1 GB.
const MESSAGES: usize = 270;

/// The tree without an index, and with one.
pub(crate) fn measure(
    lorefork: &Path,
    home: &Path,
    rounds: usize,
    part: usize,
) -> Result<[Sweep; 2]> {
    let root = home.join("family");
    let timelines = TIMELINES / part;
    let bytes = write(&root, timelines)?;
    folder::settle(home);
    let what = |how: &str| format!("tree of {timelines} timelines, {how}");
    let mut cold = Sweep::new(what("first time"), "`lorefork tree`, first time", 2.0, bytes);
    let mut warm = Sweep::new(what("again"), "`lorefork tree`, again", 0.05, bytes);
    // Round 0 warms the page cache.
    for round in 0..=rounds {
        let wc = time(
            Command::new("sh").current_dir(&root).args(["-c", "wc -l chats/*/* > /dev/null"]),
        )?
        .0;
        let _ = fs::remove_dir_all(root.join("lorefork/index"));
        let first = time(&mut command(lorefork, &root))?;
        // What was written a moment ago is not trusted yet: neither is what it kept itself.
        std::thread::sleep(Duration::from_millis(2_500));
        time(&mut command(lorefork, &root))?;
        let again = time(&mut command(lorefork, &root))?;
        ensure!(first.1 == again.1, "the index tells another tree");
        if round == 0 {
            let told = time(command(lorefork, &root).arg("--json"))?.1;
            let told: Value = serde_json::from_slice(&told).context("tree printed no JSON")?;
            let families = &told["users"][0]["owners"][0]["families"];
            let family = families.as_array().context("tree names no families")?;
            ensure!(family.len() == 1, "{} families", family.len());
            let found = family[0]["timelines"].as_array().map_or(0, Vec::len);
            ensure!(found == timelines, "{found} timelines of {timelines}");
        } else {
            cold.add(wc, first.0);
            warm.add(wc, again.0);
        }
    }
    fs::remove_dir_all(root)?;
    Ok([cold, warm])
}

fn command(lorefork: &Path, root: &Path) -> Command {
    let mut command = Command::new(lorefork);
    command.arg("--root").arg(root).arg("tree").env_remove("LOREFORK_ROOT");
    command
}

/// Writes the folder and says how large its chats are. Each timeline leaves an earlier one at some
/// message; a third of them name no parent, so that only their messages tell.
fn write(root: &Path, timelines: usize) -> Result<u64> {
    if root.exists() {
        fs::remove_dir_all(root)?;
    }
    let chats = root.join("chats").join(CHARACTER);
    fs::create_dir_all(&chats)?;
    fs::create_dir_all(root.join("worlds"))?;
    let mut text = Vec::new();
    chat::write(&mut text, Kind::Plain, MESSAGES)?;
    let text = String::from_utf8(text).context("chats are UTF-8")?;
    let (header, messages) = text.split_once('\n').context("a chat of one line")?;
    let messages: Vec<&str> = messages.split('\n').collect();
    let mut random = Random::new(7);
    // Of each timeline, by whom each of its messages was first told.
    let mut told: Vec<Vec<usize>> = Vec::new();
    let mut bytes = 0;
    for n in 0..timelines {
        let (parent, shared) = match n {
            0 => (0, 0),
            _ => (random.below(n), 20 + random.below(MESSAGES - 30)),
        };
        let by: Vec<usize> =
            (0..MESSAGES).map(|at| if at < shared { told[parent][at] } else { n }).collect();
        let mut header: Value = serde_json::from_str(header)?;
        let metadata = &mut header["chat_metadata"];
        metadata["integrity"] = format!("slug-{n}").into();
        if n > 0 && n % 3 > 0 {
            metadata["main_chat"] = name(parent).into();
        }
        let mut chat = header.to_string();
        for (message, by) in messages.iter().zip(&by) {
            chat.push('\n');
            chat.push_str(&message.replace(":07.123Z", &format!(":08.{by:03}Z")));
        }
        fs::write(chats.join(format!("{}.jsonl", name(n))), &chat)?;
        bytes += chat.len() as u64;
        told.push(by);
    }
    Ok(bytes)
}

fn name(n: usize) -> String {
    if n == 0 { CHARACTER.to_owned() } else { format!("{CHARACTER} - Branch #{n}") }
}
