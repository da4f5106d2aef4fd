//! Random sequences of fork, isolate, write, rename, delete, sweep, rewind and undo on a real
//! folder: no lorebook that anybody names ever disappears, and undoing everything gives back the
//! start, byte for byte.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::path::Path;

use lorefork::error::Code;
use lorefork::fork::rewind::rewind;
use lorefork::fork::{Request, create, isolate};
use lorefork::host::{ChatView as _, Host as _};
use lorefork::json::Json;
use lorefork::moment::LoreChoice;
use lorefork::operation::log;
use lorefork::operation::undo::undo;
use lorefork::removal::{delete::delete, sweep::sweep};
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::ChatRef;
use lorefork_disk::{DiskHost, UserFolder};
use lorefork_sim::Folder;
use lorefork_sim::story::remembered;
use pollster::block_on;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^= z >> 29;
        usize::try_from(z % limit.max(1) as u64).unwrap()
    }
}

type Files = BTreeMap<String, Vec<u8>>;

fn theirs(folder: &Path) -> Files {
    let all = Folder::read(folder).unwrap();
    let files = all.files().filter(|(file, _)| !file.starts_with("lorefork/"));
    files.map(|(file, bytes)| (file.to_owned(), bytes.to_vec())).collect()
}

/// Every lorebook that a header names and that was there before is there.
fn all_named_exist(files: &Files, missing_before: &[String], about: &str) {
    for (file, bytes) in files.iter().filter(|(file, _)| file.ends_with(".jsonl")) {
        let text = String::from_utf8_lossy(bytes);
        let header = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let name = Json::parse(header)
            .ok()
            .and_then(|json| Some(json.at(&["chat_metadata", "world_info"])?.str()?.into_owned()));
        let Some(name) = name.filter(|name| !name.is_empty()) else { continue };
        let book = format!("worlds/{name}.json");
        let is_there = files.contains_key(&book) || missing_before.contains(&book);
        assert!(is_there, "{about}: {file} names {book}, which is gone");
    }
}

fn missing(files: &Files) -> Vec<String> {
    let mut missing = Vec::new();
    for bytes in files.iter().filter(|(file, _)| file.ends_with(".jsonl")).map(|(_, bytes)| bytes) {
        let text = String::from_utf8_lossy(bytes);
        let header = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if let Some(name) = Json::parse(header)
            .ok()
            .and_then(|json| Some(json.at(&["chat_metadata", "world_info"])?.str()?.into_owned()))
        {
            missing.push(format!("worlds/{name}.json"));
        }
    }
    missing.retain(|book| !files.contains_key(book));
    missing
}

#[derive(Default, Debug)]
struct Tally {
    done: BTreeMap<&'static str, usize>,
    refused: BTreeMap<String, usize>,
}

/// One step of ours. What is refused must have changed nothing.
fn step(host: &DiskHost, dice: &mut Dice, chats: &[ChatRef], tally: &mut Tally) {
    let chat = &chats[dice.below(chats.len())];
    let len = block_on(host.open(chat)).map_or(1, |view| view.len().max(1));
    let at = dice.below(len);
    let before = theirs(host.folder());
    let (name, result) = match dice.below(9) {
        kind @ 0..=2 => {
            let kind = if kind == 0 { Kind::Checkpoint } else { Kind::Branch };
            let mut request = Request::new(kind, chat.clone());
            (request.at, request.lore, request.drop_queue) = (Some(at), LoreChoice::Live, true);
            ("fork", block_on(create(host, &request)).map(|_| true))
        }
        3 => {
            let isolated = block_on(isolate(host, chat, LoreChoice::Live));
            ("isolate", isolated.map(|isolated| isolated.changed))
        }
        4 => ("delete", block_on(delete(host, chat, &[])).map(|_| true)),
        5 => ("sweep", block_on(sweep(host, 0, &[])).map(|swept| swept.done.is_some())),
        6 => ("rewind", block_on(rewind(host, chat, at, LoreChoice::Live)).map(|_| true)),
        _ => ("undo", block_on(undo(host, None)).map(|_| true)),
    };
    match result {
        Ok(true) => *tally.done.entry(name).or_default() += 1,
        Ok(false) => assert_eq!(theirs(host.folder()), before, "{name} did nothing"),
        Err(error) => {
            assert_eq!(theirs(host.folder()), before, "{name} refused: {error:?}");
            *tally.refused.entry(format!("{name} {}", error.code)).or_default() += 1;
        }
    }
}

/// What a user of SillyTavern does beside us: goes on, renames a chat.
fn meanwhile(folder: &Path, dice: &mut Dice, chats: &[ChatRef], n: usize) {
    let chat = &chats[dice.below(chats.len())];
    let path = folder.join(chat.file());
    if dice.below(3) > 0 {
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str(&format!("\n{{\"name\":\"You\",\"mes\":\"and on {n}\"}}"));
        std::fs::write(&path, text).unwrap();
    } else {
        let renamed = path.with_file_name(format!("renamed {n}.jsonl"));
        std::fs::rename(&path, renamed).unwrap();
    }
}

fn play(seed: u64, others: bool, tally: &mut Tally) {
    let mut dice = Dice(seed);
    let mut runner = TestRunner::deterministic();
    let mut story = remembered().new_tree(&mut runner).unwrap().current();
    for _ in 0..=seed % 20 {
        story = remembered().new_tree(&mut runner).unwrap().current();
    }
    story.folder.remove("characters/Mira.png");
    // A lorebook of ours that lost its chat, for sweeping.
    let orphan = r#"{"entries":{},"extensions":{"lorefork":{"v":1,"id":"x","timeline":"gone"}}}"#;
    story.folder.put("worlds/Gone__CP_gone_abcd.json", orphan);
    let temp = tempfile::tempdir().unwrap();
    for needed in ["chats", "worlds", "groups", "group chats", "characters"] {
        std::fs::create_dir_all(temp.path().join(needed)).unwrap();
    }
    story.folder.write(temp.path()).unwrap();
    let host = DiskHost::new(&UserFolder::at(temp.path())).unwrap();
    let start = theirs(temp.path());
    let missing = missing(&start);
    for n in 0..12 {
        let chats = host.chats().unwrap();
        if chats.is_empty() {
            break;
        }
        if others && dice.below(4) == 0 {
            meanwhile(temp.path(), &mut dice, &chats, n);
        } else {
            step(&host, &mut dice, &chats, tally);
        }
        all_named_exist(&theirs(temp.path()), &missing, &format!("seed {seed}, step {n}"));
    }
    if others {
        return;
    }
    loop {
        match block_on(undo(&host, None)) {
            Ok(_) => *tally.done.entry("undo").or_default() += 1,
            Err(error) if error.code == Code::NothingToUndo => break,
            Err(error) => panic!("seed {seed}: {error:?}\n{:#?}", block_on(log::read(&host))),
        }
        all_named_exist(&theirs(temp.path()), &missing, &format!("seed {seed}, undoing"));
    }
    let end = theirs(temp.path());
    let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&end), names(&start), "seed {seed}");
    for (file, bytes) in &start {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(shown(&end[file]), shown(bytes), "seed {seed}: {file}");
    }
}

fn seeds() -> u64 {
    std::env::var("LOREFORK_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(40)
}

#[test]
fn undoing_everything_gives_back_the_start() {
    let mut tally = Tally::default();
    for seed in 0..seeds() {
        play(seed, false, &mut tally);
    }
    for what in ["fork", "isolate", "delete", "sweep", "rewind", "undo"] {
        assert!(tally.done.contains_key(what), "nothing of {what}: {tally:?}");
    }
}

#[test]
fn beside_a_user_who_goes_on_nothing_that_is_named_disappears() {
    let mut tally = Tally::default();
    for seed in 1000..1000 + seeds() {
        play(seed, true, &mut tally);
    }
    assert!(tally.done.len() > 4, "{tally:?}");
}
