//! A kill at every change on disk of a real `checkpoint`, `branch` and `isolate`, then recovery by
//! the next command that writes, and a kill at every change of that recovery too. After each, the
//! checker of `docs/invariants.md` looks at the files (N-6, R-043, R-126). The same for `rewind`,
//! `delete` and `undo`, after which all of it happened or nothing, and what happened can be undone.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::{Path, PathBuf};
use std::process::Command;

use lorefork_sim::story::{Story, remembered};
use lorefork_sim::{Expectation, Folder, Outcome, check};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

/// A chat without a lorebook. To isolate it heals first, and then has nothing to do.
const BYSTANDER: &str = "chats/Bystander/Quiet.jsonl";

struct Case {
    name: &'static str,
    story: Story,
    arguments: Vec<String>,
    expectation: Expectation,
}

/// The first generated story that fits; the same one on every run.
fn drawn(fits: impl Fn(&Story) -> bool) -> Story {
    let mut runner = TestRunner::deterministic();
    let mut story = loop {
        let story = remembered().new_tree(&mut runner).unwrap().current();
        if story.messages > 6
            && story.messages < 16
            && story.scenes[0] + 2 < story.messages
            && fits(&story)
        {
            break story;
        }
    };
    // The simulation's cards are no pictures.
    story.folder.remove("characters/Mira.png");
    story.folder.put(BYSTANDER, b"{\"chat_metadata\":{}}\n{\"mes\":\"...\"}".to_vec());
    story
}

fn cases() -> Vec<Case> {
    let fork = |name, story: Story, kind: &str, at: usize| Case {
        name,
        arguments: vec![kind.into(), story.parent.file(), "--at".into(), at.to_string()],
        expectation: Expectation::fork(&story.parent, at).outside(),
        story,
    };
    let solo = |story: &Story| !story.plan.in_group;
    let early = drawn(|story| solo(story) && story.scenes.len() > 1);
    let last = drawn(|story| solo(story) && story.sibling.is_none());
    let group = drawn(|story| story.plan.in_group);
    let shared = drawn(|story| solo(story) && story.sibling.is_some());
    let (at_early, at_last, at_group) =
        (early.scenes[0] + 1, last.messages - 1, group.messages - 1);
    vec![
        fork("an early checkpoint", early, "checkpoint", at_early),
        fork("a branch at the end", last, "branch", at_last),
        fork("a branch in a group", group, "branch", at_group),
        Case {
            name: "an isolation",
            arguments: vec!["isolate".into(), shared.parent.file(), "--apply".into()],
            expectation: Expectation::isolate(&shared.parent).outside(),
            story: shared,
        },
    ]
}

/// Runs a command until its `crash_at`-th change on disk; whether it came to its end.
fn run(folder: &Path, arguments: &[String], crash_at: usize) -> bool {
    let output = Command::new(env!("CARGO_BIN_EXE_lorefork"))
        .arg("--json")
        .arg("--root")
        .arg(folder)
        .arg(&arguments[0])
        .arg(folder.join(&arguments[1]))
        .args(&arguments[2..])
        .env("LOREFORK_CRASH_AT", crash_at.to_string())
        .env_remove("LOREFORK_ROOT")
        .output()
        .unwrap();
    // A killed process has no exit code.
    let ended = output.status.code().is_some();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!ended || output.status.success(), "{arguments:?}: {said}");
    ended
}

fn heal(folder: &Path, crash_at: usize) -> bool {
    run(folder, &["isolate".into(), BYSTANDER.into(), "--apply".into()], crash_at)
}

struct Tried {
    runs: usize,
    problems: Vec<String>,
}

impl Tried {
    fn judge(&mut self, about: &str, before: &Folder, folder: &Path, expectation: &Expectation) {
        self.runs += 1;
        let after = Folder::read(folder).unwrap();
        for violation in check(before, &after, expectation).err().unwrap_or_default() {
            self.problems.push(format!("{about}: {violation}"));
        }
    }
}

fn place(root: &Path, name: &str, folder: &Folder) -> PathBuf {
    let path = root.join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    folder.write(&path).unwrap();
    for needed in ["chats", "worlds", "groups", "group chats", "characters"] {
        std::fs::create_dir_all(path.join(needed)).unwrap();
    }
    path
}

fn try_case(case: &Case, tried: &mut Tried) {
    let temp = tempfile::tempdir().unwrap();
    let before = &case.story.folder;
    let unsaid = case.expectation.clone().outcome(Outcome::Unsaid);
    for n in 1.. {
        let folder = place(temp.path(), "first", before);
        let ended = run(&folder, &case.arguments, n);
        let about = format!("{}, killed at change {n}", case.name);
        tried.judge(&about, before, &folder, &unsaid);
        let crashed = Folder::read(&folder).unwrap();
        if !ended {
            // Kill the recovery too, at each of its changes, and let the next one finish.
            for m in 1.. {
                let folder = place(temp.path(), "second", &crashed);
                let ended = heal(&folder, m);
                if ended {
                    break;
                }
                assert!(heal(&folder, 0), "{about}: recovery does not end");
                let about = format!("{about}, recovery killed at change {m}");
                tried.judge(&about, before, &folder, &unsaid.clone().recovered());
            }
        }
        assert!(heal(&folder, 0), "{about}: recovery does not end");
        tried.judge(&format!("{about}, recovered"), before, &folder, &unsaid.clone().recovered());
        if ended {
            assert!(n > 10, "{}: a fork changes the disk more than {n} times", case.name);
            return;
        }
    }
}

#[test]
fn n6_a_kill_at_every_change_leaves_nothing_half_made() {
    let mut tried = Tried { runs: 0, problems: Vec::new() };
    for case in cases() {
        try_case(&case, &mut tried);
    }
    assert!(
        tried.problems.is_empty(),
        "{} of {} runs:\n{}",
        tried.problems.len(),
        tried.runs,
        tried.problems.iter().take(20).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(tried.runs > 500, "only {} runs", tried.runs);
}

/// What is not ours, by file.
fn theirs(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let all = Folder::read(folder).unwrap();
    let files = all.files().filter(|(file, _)| !file.starts_with("lorefork/"));
    files.map(|(file, bytes)| (file.to_owned(), bytes.to_vec())).collect()
}

fn leftovers(folder: &Path) -> Vec<String> {
    let all = Folder::read(folder).unwrap();
    let files = all.files().map(|(file, _)| file.to_owned());
    files.filter(|file| file.contains("/intents/") || file.ends_with(".tmp")).collect()
}

/// Any command, without a chat's file as its first argument.
fn command(folder: &Path, arguments: &[&str], crash_at: usize) -> bool {
    let output = Command::new(env!("CARGO_BIN_EXE_lorefork"))
        .args(["--json", "--root"])
        .arg(folder)
        .args(arguments)
        .env("LOREFORK_CRASH_AT", crash_at.to_string())
        .env_remove("LOREFORK_ROOT")
        .output()
        .unwrap();
    let ended = output.status.code().is_some();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!ended || output.status.success(), "{arguments:?}: {said}");
    ended
}

#[test]
fn n6_rewind_delete_and_undo_happen_wholly_or_not_at_all() {
    let story =
        drawn(|story| !story.plan.in_group && story.sibling.is_none() && story.scenes.len() > 1);
    let parent = story.parent.file();
    let at = story.scenes[0].to_string();
    let temp = tempfile::tempdir().unwrap();
    for flow in ["rewind", "delete", "undo"] {
        for n in 1.. {
            let prepare = |name: &str| {
                let folder = place(temp.path(), name, &story.folder);
                if flow != "rewind" {
                    let fork = ["checkpoint".into(), parent.clone(), "--at".into(), at.clone()];
                    let named = ["--name".into(), "Kept".into()];
                    assert!(run(&folder, &[&fork[..], &named[..]].concat(), 0));
                }
                folder
            };
            let act = |folder: &Path, crash_at| match flow {
                "rewind" => {
                    let chat = folder.join(&parent).display().to_string();
                    command(folder, &["rewind", &chat, "--at", &at, "--apply"], crash_at)
                }
                "delete" => command(folder, &["delete", "Kept", "--apply"], crash_at),
                _ => command(folder, &["undo", "--apply"], crash_at),
            };
            let whole = |folder: &Path, old: &[(String, Vec<u8>)], about: &str| {
                assert_eq!(leftovers(folder), [""; 0], "{about}");
                if theirs(folder) != old {
                    // It happened: then it can be taken back, wholly.
                    let id = newest(folder);
                    assert!(command(folder, &["undo", &id, "--apply"], 0), "{about}");
                    assert!(theirs(folder) == old, "{about}: undoing does not bring it back");
                }
            };
            let folder = prepare("first");
            let old = theirs(&folder);
            let ended = act(&folder, n);
            let about = format!("{flow}, killed at change {n}");
            if !ended && n % 3 == 0 {
                for m in 1.. {
                    let folder = prepare("second");
                    let old = theirs(&folder);
                    act(&folder, n);
                    let ended = heal(&folder, m);
                    assert!(heal(&folder, 0), "{about}: recovery does not end");
                    whole(&folder, &old, &format!("{about}, recovery killed at change {m}"));
                    if ended {
                        break;
                    }
                }
            }
            assert!(heal(&folder, 0), "{about}: recovery does not end");
            whole(&folder, &old, &about);
            if ended {
                assert!(n > 10, "{flow} changes the disk more than {n} times");
                break;
            }
        }
    }
}

/// A message leads to a branch that is gone and shared the lorebook: that it was is remembered in the
/// header, and its link goes from the message. Never is one of the two done alone.
#[test]
fn n6_who_is_gone_is_remembered_and_unlinked_or_neither() {
    let message = |n: usize, extra: &str| {
        format!(
            r#"{{"name":"Mia","is_user":{},"send_date":"2026-05-01T10:0{n}:00.000Z","mes":"{n}","extra":{{{extra}}}}}"#,
            n == 1
        )
    };
    let header = r#"{"chat_metadata":{"integrity":"s","world_info":"Lore"}}"#;
    let lines =
        [header.to_owned(), message(0, ""), message(1, ""), message(2, r#""branches":["Gone"]"#)];
    let mut story = Folder::new();
    story.put("chats/Mia/Story.jsonl", lines.join("\n"));
    story.put("chats/Bystander/Quiet.jsonl", "{\"chat_metadata\":{}}\n{\"mes\":\"...\"}");
    let registry =
        r#"{"uid":1,"key":[],"comment":"_registry_character","content":"[Registry: character]"}"#;
    story.put("worlds/Lore.json", format!(r#"{{"entries":{{"1":{registry}}}}}"#));
    let temp = tempfile::tempdir().unwrap();
    let fix = ["fix", "--only", "MISSING_TOMBSTONE", "--apply"];
    for n in 1.. {
        let folder = place(temp.path(), "first", &story);
        let old = theirs(&folder);
        let ended = command(&folder, &fix, n);
        let about = format!("killed at change {n}");
        assert!(heal(&folder, 0), "{about}: recovery does not end");
        assert_eq!(leftovers(&folder), [""; 0], "{about}");
        let chat = std::fs::read_to_string(folder.join("chats/Mia/Story.jsonl")).unwrap();
        let (header, messages) = chat.split_once('\n').unwrap();
        let is_told = header.contains("lorefork_gone") && header.contains("Gone");
        assert_eq!(is_told, !messages.contains("Gone"), "{about}: {chat}");
        assert!(is_told || theirs(&folder) == old, "{about}");
        if is_told {
            let id = newest(&folder);
            assert!(command(&folder, &["undo", &id, "--apply"], 0), "{about}");
            assert!(theirs(&folder) == old, "{about}: undoing does not bring it back");
        }
        if ended {
            assert!(is_told && n > 5, "the disk is changed more than {n} times");
            break;
        }
    }
}

/// The id of the newest operation.
fn newest(folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_lorefork"))
        .args(["--json", "--root"])
        .arg(folder)
        .arg("log")
        .env_remove("LOREFORK_ROOT")
        .output()
        .unwrap();
    let log: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    log["operations"][0]["id"].as_str().unwrap().to_owned()
}
