//! A sample data folder for one test, and running the command on it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const CHAT: &str = "chats/Tamsin/The Last Lamp.jsonl";
pub(crate) const BOOK: &str = "worlds/z-AutoLB-Tamsin-The Last Lamp.json";

/// What a run of the command came to.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// Everything at once, for a snapshot.
    pub(crate) fn shown(&self) -> String {
        let mut text = format!("exit {}\n", self.code);
        for (name, part) in [("stdout", &self.out), ("stderr", &self.err)] {
            if !part.is_empty() {
                text += &format!("--- {name}\n{part}");
            }
        }
        without_ids(&without_undo(&quoted_alike(&text)))
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.err, "", "nothing but the document is printed");
        serde_json::from_str(&self.out).expect("one JSON document")
    }
}

impl Run {
    /// Each line that is wider than a screen of so many columns, besides commands to copy, which are
    /// never broken.
    pub(crate) fn too_wide(&self, columns: usize) -> Vec<String> {
        let wide = |line: &&str| {
            let width: usize =
                line.chars().map(|c| if c >= '\u{1100}' && !is_narrow(c) { 2 } else { 1 }).sum();
            width > columns && !line.contains("lorefork ")
        };
        self.out.lines().chain(self.err.lines()).filter(wide).map(str::to_owned).collect()
    }
}

/// Signs beyond the letters of Europe that take one column.
fn is_narrow(c: char) -> bool {
    matches!(c, '\u{2000}'..='\u{2bff}')
}

/// A data root of its own, removed at the end.
pub(crate) struct Folder {
    place: TempDir,
}

impl Folder {
    /// The sample data, without forks.
    pub(crate) fn new() -> Self {
        static SAMPLE: OnceLock<TempDir> = OnceLock::new();
        let sample = SAMPLE.get_or_init(|| {
            let place = tempfile::tempdir().unwrap();
            let run = run(place.path(), &["demo", "data", "--data-only"]);
            assert_eq!(run.code, 0, "{}", run.err);
            place
        });
        let place = tempfile::tempdir().unwrap();
        copy(&sample.path().join("data"), &place.path().join("data"));
        Self { place }
    }

    /// Another one with the same files.
    pub(crate) fn copied(&self) -> Self {
        let place = tempfile::tempdir().unwrap();
        copy(self.path(), place.path());
        Self { place }
    }

    pub(crate) fn path(&self) -> &Path {
        self.place.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    /// A file of the user.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.data().join("default-user").join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap()
    }

    /// As if Auto-Recap had cleared what the scenes recorded: only the running recap tells that there
    /// were any.
    pub(crate) fn without_scenes(&self) {
        let chat = self.read(CHAT);
        let (header, messages) = chat.split_once('\n').unwrap();
        let messages = messages.replace("auto_recap_memory", "cleared");
        self.write(CHAT, format!("{header}\n{messages}"));
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.file(name).parent().unwrap()).unwrap();
        fs::write(self.file(name), bytes).unwrap();
    }

    /// Changes a file's bytes.
    pub(crate) fn change(&self, name: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
        let bytes = change(fs::read(self.file(name)).unwrap());
        fs::write(self.file(name), bytes).unwrap();
    }

    /// Changes one line of a text file, counted from 0.
    pub(crate) fn change_line(&self, name: &str, line: usize, change: impl FnOnce(&str) -> String) {
        let text = self.read(name);
        let mut lines: Vec<String> = text.split('\n').map(String::from).collect();
        lines[line] = change(&lines[line]);
        self.write(name, lines.join("\n"));
    }

    /// Runs the command on this folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        run(self.path(), &[&["--root", "data"], arguments].concat())
    }

    /// All files with their bytes, besides the lock, which any command that writes makes.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        files(&self.data())
            .into_iter()
            .filter(|(name, _)| !name.contains("/lorefork/lock"))
            .collect()
    }

    /// A plain copy as SillyTavern makes it: the same lorebook, another slug, a parent.
    pub(crate) fn plain_copy(&self, name: &str, messages: usize) {
        let text = self.read(CHAT);
        let mut lines: Vec<String> =
            text.split('\n').take(messages + 1).map(String::from).collect();
        let mut header: Value = serde_json::from_str(&lines[0]).unwrap();
        header["chat_metadata"]["integrity"] = "11111111-2222-4333-8444-555555555555".into();
        header["chat_metadata"]["main_chat"] = "The Last Lamp".into();
        lines[0] = header.to_string();
        self.write(&format!("chats/Tamsin/{name}.jsonl"), lines.join("\n"));
    }

    /// Puts an operation into the lorebook's work queue.
    pub(crate) fn queue_work(&self) {
        let mut book: Value = serde_json::from_str(&self.read(BOOK)).unwrap();
        let entries = book["entries"].as_object_mut().unwrap();
        let queue =
            entries.values_mut().find(|entry| entry["comment"] == "__operation_queue").unwrap();
        let mut content: Value = serde_json::from_str(queue["content"].as_str().unwrap()).unwrap();
        content["queue"] = serde_json::json!([
            { "id": "op-1", "type": "generate_scene_recap", "status": "pending" },
        ]);
        queue["content"] = content.to_string().into();
        self.write(BOOK, serde_json::to_string_pretty(&book).unwrap());
    }
}

/// The same, on a screen of so many columns.
pub(crate) fn run_at(columns: usize, folder: &Path, arguments: &[&str]) -> Run {
    run_command(command(folder, arguments).env("COLUMNS", columns.to_string()))
}

/// Runs the command in a folder, in a plain environment.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Run {
    run_command(&mut command(folder, arguments))
}

/// `ERROR_INTERNAL_ERROR`. Windows itself does not answer so, and on Linux there is no such number.
const WINE_GAVE_UP: i32 = 1359;

pub(crate) fn run_command(command: &mut Command) -> Run {
    let mut started = command.output();
    // Wine, when it is busy, gives up on a program before it has begun.
    for _ in 0..5 {
        if !started.as_ref().is_err_and(|error| error.raw_os_error() == Some(WINE_GAVE_UP)) {
            break;
        }
        started = command.output();
    }
    let output = started.unwrap();
    Run {
        code: output.status.code().expect("it ends by itself"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = program();
    command.args(arguments).current_dir(folder).env("COLUMNS", "80").env("TZ", "UTC");
    for name in ["LOREFORK_ROOT", "LOREFORK_NPX", "NO_COLOR", "CLICOLOR_FORCE", "CARGO"] {
        command.env_remove(name);
    }
    command
}

/// The command. What is built for another processor is started by whatever plays that processor here.
fn program() -> Command {
    let program = env!("CARGO_BIN_EXE_lorefork");
    let Some(player) = std::env::var_os("LOREFORK_TEST_RUNNER") else {
        return Command::new(program);
    };
    let mut command = Command::new(player);
    command.arg(program);
    command
}

/// All files below a folder with their bytes; of a link, where it leads.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn add(folder: &Path, name: &str, all: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = format!("{name}/{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                add(&entry.path(), &name, all);
            } else if kind.is_symlink() {
                let target = fs::read_link(entry.path()).unwrap();
                all.insert(name, target.to_string_lossy().into_owned().into_bytes());
            } else {
                all.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    add(folder, "", &mut all);
    all
}

fn copy(from: &Path, to: &Path) {
    for (name, bytes) in files(from) {
        let path = to.join(name.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// The text with commands to copy as they are shown everywhere but on Windows, whose shells quote
/// otherwise.
pub(crate) fn quoted_alike(text: &str) -> String {
    if !cfg!(windows) {
        return text.to_owned();
    }
    let is_command = |line: &str| line.contains("--root data ") && line.contains(" --apply");
    let lines = text.split('\n');
    let alike =
        |line: &str| if is_command(line) { line.replace('"', "'") } else { line.to_owned() };
    lines.map(alike).collect::<Vec<_>>().join("\n")
}

/// The text with `····` for the operation that a printed command takes back.
fn without_undo(text: &str) -> String {
    let mut parts = text.split("To take it back: lorefork ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (command, rest) = part.split_once('\n').unwrap();
        let (before, after) = command.split_once("undo ").unwrap();
        let after = after.split_once(' ').unwrap().1;
        out += &format!("To take it back: lorefork {before}undo ···· {after}\n{rest}");
    }
    out
}

/// The text with `····` for the four characters that end a new lorebook's name.
pub(crate) fn without_ids(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = ["__CP_", "__BR_"].iter().filter_map(|mark| rest.find(mark)).min() {
        let tail = &rest[start..];
        let end = tail
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
            .unwrap_or(tail.len());
        out += &rest[..start + end - 4];
        out += "····";
        rest = &tail[end..];
    }
    out + rest
}
