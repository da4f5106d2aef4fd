//! `checkpoint`, `branch` and `isolate`.

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{BOOK, CHAT, Folder, without_ids};

fn lorebook(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.read(&format!("worlds/{name}.json"))).unwrap()
}

#[test]
fn r001_r047_a_checkpoint_gets_the_lorebook_of_its_message() {
    let folder = Folder::new();
    let run = folder.run(&["checkpoint", "The Last Lamp", "--at", "13"]);
    assert_snapshot!("checkpoint", run.shown());
    let created = folder.run(&["checkpoint", "The Last Lamp", "--at", "28", "--json"]).json();
    let book = lorebook(&folder, created["lorebook"].as_str().unwrap());
    let entries = book["entries"].as_object().unwrap();
    assert_eq!(entries["21"]["comment"], "character-Lantern Man");
    assert!(entries["11"]["content"].as_str().unwrap().contains("alive"));
    assert!(!folder.read(BOOK).contains("character-Lantern Man\""));
}

#[test]
fn r008_a_branch_of_a_swipe_continues_from_it() {
    let folder = Folder::new();
    let run = folder.run(&["branch", "The Last Lamp", "--at", "60", "--swipe", "0"]);
    assert_snapshot!("branch-swipe", run.shown());
    let chat = folder.read("chats/Tamsin/The Last Lamp - Branch #1.jsonl");
    let last: Value = serde_json::from_str(chat.lines().last().unwrap()).unwrap();
    assert!(last["mes"].as_str().unwrap().contains("pinches out the candle"));
}

#[test]
fn a_group_says_to_reload() {
    let folder = Folder::new();
    let run = folder.run(&["branch", "group:The Night Watch", "--at", "4"]);
    assert_snapshot!("branch-group", run.shown());
}

#[test]
fn a_dry_run_shows_the_plan_and_writes_nothing() {
    let folder = Folder::new();
    let before = folder.files();
    let run = folder.run(&["checkpoint", "The Last Lamp", "--at", "28", "--dry-run"]);
    assert_snapshot!("dry-run", run.shown());
    let run = folder.run(&["branch", "宵待島の夜", "--dry-run", "--no-link"]);
    assert_snapshot!("dry-run-no-link", run.shown());
    let json = folder.run(&["branch", "The Last Lamp", "--dry-run", "--json"]).json();
    assert_eq!((&json["dry_run"], &json["at"]), (&true.into(), &60.into()));
    assert_eq!(folder.files(), before);
}

#[test]
fn no_link_leaves_the_parent_alone() {
    let folder = Folder::new();
    let before = folder.read(CHAT);
    let run = folder.run(&["branch", "The Last Lamp", "--at", "41", "--no-link"]);
    assert_eq!(run.code, 0);
    assert!(!run.out.contains("Reload"), "{}", run.out);
    assert_eq!(folder.read(CHAT), before);
    assert_eq!(folder.run(&["branch", "The Last Lamp", "--at", "41"]).code, 0);
    assert_ne!(folder.read(CHAT), before);
}

/// MemoryBooks writes into a second lorebook of the chat; one of another character is locked.
fn bind(folder: &Folder) {
    folder.change_line(CHAT, 0, |header| {
        let mut header: Value = serde_json::from_str(header).unwrap();
        header["chat_metadata"]["STMemoryBooks"] = serde_json::json!({
            "manualLorebook": "Memories",
            "manualCharacterLorebooks": { "a": "Locked" },
        });
        header.to_string()
    });
    let book = r#"{"entries":{"0":{"uid":0,"comment":"memory","stmemorybooks":true,"STMB_chatId":"The Last Lamp","STMB_end":50},"1":{"uid":1,"comment":"by hand"}}}"#;
    folder.write("worlds/Memories.json", book);
    folder.write("worlds/Locked.json", book);
    folder.change("settings.json", |text| {
        let mut settings: Value = serde_json::from_slice(&text).unwrap();
        settings["extension_settings"]["STMemoryBooks"]["characterMemoryBookLocks"] =
            serde_json::json!({ "a.png": { "lorebookName": "Locked" } });
        settings.to_string().into_bytes()
    });
}

#[test]
fn lorebooks_that_memorybooks_binds_are_copied_up_to_the_message_unless_they_are_locked() {
    let folder = Folder::new();
    bind(&folder);
    let created = folder.run(&["checkpoint", "The Last Lamp", "--at", "28", "--json"]).json();
    let bound = created["bound"].as_array().unwrap();
    assert_eq!(bound.len(), 1, "{created}");
    let copy = bound[0].as_str().unwrap();
    let entries = &lorebook(&folder, copy)["entries"];
    assert!(entries["0"].is_null() && entries["1"].is_object(), "{entries}");
    let chat = folder.read(created["file"].as_str().unwrap());
    let header: Value = serde_json::from_str(chat.lines().next().unwrap()).unwrap();
    let own = &header["chat_metadata"]["STMemoryBooks"];
    assert_eq!(own["manualLorebook"], copy);
    assert_eq!(own["manualCharacterLorebooks"]["a"], "Locked");
    let run = folder.run(&["branch", "The Last Lamp", "--at", "41"]);
    assert!(run.out.contains("also its own"), "{}", run.out);
}

#[test]
fn r014_r022_waiting_work_refuses_and_can_be_left_behind() {
    let folder = Folder::new();
    folder.queue_work();
    let before = folder.files();
    let run = folder.run(&["checkpoint", "The Last Lamp", "--at", "20", "--strict"]);
    assert_snapshot!("refused", run.shown());
    assert_eq!(folder.files(), before);
    let refused = folder.run(&["checkpoint", "The Last Lamp", "--json"]);
    assert_eq!(refused.code, 1);
    assert_eq!(refused.json()["error"]["code"], "QUEUE_NOT_EMPTY");
    assert_eq!(refused.json()["error"]["report"]["errors"][0]["details"]["count"], 1);
    assert_eq!(folder.files(), before);
    let run = folder.run(&["checkpoint", "The Last Lamp", "--drop-queue"]);
    assert_eq!(run.code, 0);
    assert!(folder.read(BOOK).contains("op-1"), "the parent keeps its work");
}

#[test]
fn r047_without_a_snapshot_a_fork_is_refused_and_can_be_chosen() {
    let folder = Folder::new();
    folder.without_scenes();
    let run = folder.run(&["branch", "The Last Lamp", "--at", "5"]);
    assert_snapshot!("no-snapshot", run.shown());
    for (lore, source) in [("live", "live"), ("empty", "empty"), ("share", "shared")] {
        let arguments = ["branch", "The Last Lamp", "--at", "5", "--lore", lore, "--json"];
        let run = folder.run(&arguments);
        assert_eq!((run.code, &run.json()["source"]), (0, &source.into()), "{lore}");
    }
    let shared = folder.run(&["branch", "The Last Lamp", "--at", "5", "--lore", "share"]);
    assert_snapshot!("lore-share", shared.shown());
}

#[test]
fn r010_a_given_name_is_used_and_bad_ones_are_refused() {
    let folder = Folder::new();
    let run = folder.run(&["checkpoint", "The Last Lamp", "--name", "夜: before?", "--json"]);
    assert_eq!(run.json()["chat"], "夜 before");
    let before = folder.files();
    let long = "a".repeat(239);
    for name in ["", "  ", "???", "a/b", "a\\b", "../x", &long, "con"] {
        let run = folder.run(&["branch", "The Last Lamp", "--name", name]);
        assert_eq!(run.code, 2, "{name:?}: {}", run.out);
        assert!(run.err.contains("name"), "{}", run.err);
    }
    let run = folder.run(&["branch", "The Last Lamp", "--name", "夜 BEFORE"]);
    assert_eq!(run.code, 1, "taken: {}", run.out);
    assert_eq!(folder.files(), before);
}

#[test]
fn r001_isolate_shows_its_plan_and_does_it_when_told() {
    let folder = Folder::new();
    folder.plain_copy("The Last Lamp - Branch #1", 14);
    let before = folder.files();
    let run = folder.run(&["isolate", "The Last Lamp - Branch #1"]);
    assert_snapshot!("isolate-plan", run.shown());
    assert_eq!(folder.files(), before);
    let run = folder.run(&["isolate", "The Last Lamp - Branch #1", "--apply"]);
    assert_snapshot!("isolate", run.shown());
    let run = folder.run(&["isolate", "The Last Lamp - Branch #1", "--apply"]);
    assert_snapshot!("isolate-again", run.shown());
    let run = folder.run(&["isolate", "The Last Lamp", "--lore", "share"]);
    assert_eq!(run.code, 2);
    let verified = folder.run(&["verify", "The Last Lamp - Branch #1", "--json"]).json();
    assert_eq!(verified["state"], "untouched");
    assert!(without_ids(verified["lorebook"].as_str().unwrap()).ends_with("__BR_Branch_1_····"));
}
