//! A user folder of SillyTavern with one character and one chat, and the means to set it back.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use base64::prelude::{BASE64_STANDARD, Engine};
use serde::Serialize;
use serde_json::{Value, json};

use super::chat::{self, CHARACTER, CHAT, Kind};
use super::recap;

pub(crate) struct Folder {
    pub(crate) root: PathBuf,
    pub(crate) kind: Kind,
    /// What is in it as long as nobody forked.
    files: BTreeSet<PathBuf>,
}

impl Folder {
    /// Writes everything anew.
    pub(crate) fn create(root: PathBuf, kind: Kind, messages: usize) -> Result<Self> {
        let folder = Self::without_chat(root, kind, messages)?;
        let mut out = BufWriter::with_capacity(1 << 20, File::create(folder.chat())?);
        chat::write(&mut out, kind, messages)?;
        out.into_inner()?.sync_all()?;
        Ok(folder)
    }

    /// The same user folder somewhere else.
    pub(crate) fn copy(&self, root: PathBuf, messages: usize) -> Result<Self> {
        let copy = Self::without_chat(root, self.kind, messages)?;
        copy.restore_chat(self)?;
        Ok(copy)
    }

    /// A fork with the link changes the chat: take it from the other folder again.
    pub(crate) fn restore_chat(&self, from: &Self) -> Result<()> {
        fs::copy(from.chat(), self.chat())?;
        // Or the next thing that is measured pays for writing it.
        File::open(self.chat())?.sync_all()?;
        Ok(())
    }

    fn without_chat(root: PathBuf, kind: Kind, messages: usize) -> Result<Self> {
        if root.exists() {
            fs::remove_dir_all(&root).context("cannot remove the data of an earlier run")?;
        }
        let chats = Path::new("chats").join(CHARACTER);
        for folder in [&chats, Path::new("worlds"), Path::new("characters")] {
            fs::create_dir_all(root.join(folder))?;
        }
        let mut files = BTreeSet::from([chats.join(format!("{CHAT}.jsonl"))]);
        let mut write = |path: String, bytes: &[u8]| -> Result<()> {
            fs::write(root.join(&path), bytes)?;
            files.insert(path.into());
            Ok(())
        };
        let settings = json!({ "currentVersion": "1.19.0" });
        write("settings.json".to_owned(), &pretty(&settings)?)?;
        write(format!("characters/{CHARACTER}.png"), &card())?;
        if kind == Kind::Recapped {
            let book = pretty(&recap::book(messages))?;
            write(format!("worlds/{}.json", recap::BOOK), &book)?;
        }
        Ok(Self { root, kind, files })
    }

    /// One more chat of the same character, which stays.
    pub(crate) fn add_chat(&mut self, name: &str, text: &[u8]) -> Result<()> {
        let path = Path::new("chats").join(CHARACTER).join(format!("{name}.jsonl"));
        fs::write(self.root.join(&path), text)?;
        self.files.insert(path);
        Ok(())
    }

    pub(crate) fn chat(&self) -> PathBuf {
        let mut path = self.root.join("chats").join(CHARACTER);
        path.push(format!("{CHAT}.jsonl"));
        path
    }

    /// Removes everything that a run made, and waits until that is done.
    pub(crate) fn clean(&self) -> Result<()> {
        remove_others(&self.root, Path::new(""), &self.files)?;
        ensure!(self.chat().exists(), "the chat of the benchmark is gone");
        settle(&self.root);
        Ok(())
    }
}

fn remove_others(root: &Path, within: &Path, keep: &BTreeSet<PathBuf>) -> Result<()> {
    for found in root.join(within).read_dir()? {
        let found = found?;
        let path = within.join(found.file_name());
        if !found.file_type()?.is_dir() {
            if !keep.contains(&path) {
                fs::remove_file(found.path())?;
            }
            continue;
        }
        remove_others(root, &path, keep)?;
        let ours = ["chats", "worlds", "characters"];
        if !ours.iter().any(|ours| path.starts_with(ours)) {
            fs::remove_dir(found.path())?;
        }
    }
    Ok(())
}

/// Lets the disk come to rest, so that no run pays for the one before. Best effort: not every `sync` can do it.
pub(crate) fn settle(folder: &Path) {
    let _ = Command::new("sync").arg("-f").arg(folder).status();
}

/// JSON as SillyTavern writes its files.
pub(crate) fn pretty(value: &Value) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let indent = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, indent))?;
    Ok(out)
}

/// The smallest PNG that is a character card: a grey pixel, and the character in a text chunk.
fn card() -> Vec<u8> {
    let character = json!({
        "name": CHARACTER,
        "chat": CHAT,
        "spec": "chara_card_v2",
        "spec_version": "2.0",
        "data": { "name": CHARACTER, "extensions": {} },
    });
    let mut text = b"chara\0".to_vec();
    text.extend(BASE64_STANDARD.encode(character.to_string()).bytes());

    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    // 1 x 1, eight bits of grey.
    chunk(&mut png, b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
    // A stored deflate block of two bytes: filter 0, grey 0x80.
    chunk(&mut png, b"IDAT", &[0x78, 0x01, 0x01, 2, 0, 0xfd, 0xff, 0, 0x80, 0, 0x82, 0, 0x81]);
    chunk(&mut png, b"tEXt", &text);
    chunk(&mut png, b"IEND", &[]);
    png
}

fn chunk(png: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    png.extend((data.len() as u32).to_be_bytes());
    let start = png.len();
    png.extend(name);
    png.extend(data);
    let sum = crc32(&png[start..]);
    png.extend(sum.to_be_bytes());
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_of_an_empty_end_chunk_is_the_known_one() {
        assert_eq!(crc32(b"IEND"), 0xae42_6082);
        assert!(card().ends_with(&[0xae, 0x42, 0x60, 0x82]));
    }
}
