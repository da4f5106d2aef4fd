//! A process that ends at any change on disk, and the one after it.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use lorefork::host::{Host as _, Line, LineEdit, Piece, Written};
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_disk::{DiskHost, UserFolder};
use pollster::block_on;

const FOLDER: &str = "LOREFORK_TEST_FOLDER";
const OLD: &str = "{\"h\":0}\n{\"a\":1}\n{\"b\":2}\n";
const EDITED: &str = "{\"h\":1}\n{\"a\":1}\n{\"b\":2}\n";
const NEW: &str = "{\"h\":9}\n{\"a\":1}";
const LORE: &str = "{\"entries\":{}}";

fn mia(name: &str) -> ChatRef {
    ChatRef::new(Owner::Character("Mia".into()), name)
}

/// What the process does that is ended; it only runs when it is told a folder.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let host = DiskHost::new(&UserFolder::at(Path::new(&folder))).unwrap();
    let done = |written| assert!(matches!(written, Written::Done(_)), "{written:?}");
    let _claim = block_on(host.claim("test")).unwrap();
    let chat = block_on(host.open(&mia("a"))).unwrap();
    block_on(host.note("id", "{}")).unwrap();
    done(block_on(host.create_lorebook("lore", LORE)));
    let mut pieces = [Ok(Piece::Same(0..1))].into_iter();
    done(block_on(host.create_chat(&mia("b"), "{\"h\":9}", &mut pieces, &chat)));
    let header = LineEdit { line: Line::Header, text: "{\"h\":1}".into() };
    done(block_on(host.edit_chat(&chat, &[header])));
    block_on(host.log("id", "{}")).unwrap();
    block_on(host.forget("id")).unwrap();
}

/// Runs the child until the `n`-th change; whether it got to its end.
fn run(folder: &Path, n: u32) -> bool {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--test-threads", "1"])
        .env(FOLDER, folder)
        .env("LOREFORK_CRASH_AT", n.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
}

#[test]
fn every_file_is_whole_wherever_the_process_ends() {
    for n in 1.. {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        fs::create_dir_all(folder.join("chats/Mia")).unwrap();
        fs::create_dir(folder.join("worlds")).unwrap();
        fs::write(folder.join("chats/Mia/a.jsonl"), OLD).unwrap();
        let ended_well = run(folder, n);

        let read = |file: &str| fs::read_to_string(folder.join(file)).ok();
        let parent = read("chats/Mia/a.jsonl").unwrap();
        assert!(parent == OLD || parent == EDITED, "{n}: {parent}");
        let whole = |file: &str, text: &str| {
            let found = read(file);
            assert!(found.is_none() || found.as_deref() == Some(text), "{n}: {found:?}");
            found.is_some()
        };
        let lore = whole("worlds/lore.json", LORE);
        let new = whole("chats/Mia/b.jsonl", NEW);
        let steps = [lore, new, parent == EDITED];
        assert!(steps.is_sorted_by(|before, after| before >= after), "{n}: order");

        // The lock died with the process, and what it was about to do is known if it did anything.
        let host = DiskHost::new(&UserFolder::at(folder)).unwrap();
        let _claim = block_on(host.claim("next")).unwrap();
        let intents = block_on(host.unfinished()).unwrap();
        let logged = block_on(host.logged()).unwrap().len() == 1;
        assert!(!lore || !intents.is_empty() || logged, "{n}: nobody knows");
        block_on(host.forget("id")).unwrap();
        for folder in ["worlds", "chats/Mia", "lorefork", "lorefork/operations/intents"] {
            for entry in fs::read_dir(place.path().join(folder)).into_iter().flatten() {
                let name = entry.unwrap().file_name();
                assert!(!name.to_string_lossy().starts_with(".lorefork-"), "{n}: {folder}");
            }
        }
        if ended_well {
            assert_eq!((steps, intents.len()), ([true; 3], 0));
            assert!(n > 30, "only {n} points");
            return;
        }
    }
}
