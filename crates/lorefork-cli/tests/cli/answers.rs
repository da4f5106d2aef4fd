//! `assess`, `verify` and `status`: they look, and write nothing.

use std::fs;

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{BOOK, CHAT, Folder};

#[test]
fn r013_assess_answers_yes_no_and_cannot() {
    let folder = Folder::new();
    let ask =
        |at, more: &[&str]| folder.run(&[&["assess", "The Last Lamp", "--at", at], more].concat());
    assert_snapshot!("assess-yes", ask("13", &[]).shown());
    assert_snapshot!("assess-between", ask("20", &[]).shown());
    assert_snapshot!("assess-strict", ask("20", &["--strict"]).shown());
    assert_snapshot!("assess-before", ask("5", &[]).shown());
    folder.without_scenes();
    let before = folder.files();
    assert_snapshot!("assess-no", ask("5", &[]).shown());
    assert_snapshot!("assess-out-of-range", ask("61", &[]).shown());
    assert_eq!((ask("-1", &[]).code, ask("-62", &[]).code), (0, 2));
    let run = folder.run(&["assess", "group:The Night Watch"]);
    assert_snapshot!("assess-group", run.shown());
    assert_eq!(folder.files(), before);
}

#[test]
fn r023_assess_prints_the_report() {
    let folder = Folder::new();
    let report = folder.run(&["assess", "The Last Lamp", "--at", "13", "--json"]).json();
    let state = serde_json::json!({
        "queueEmpty": true,
        "hasSceneBreak": true,
        "hasSceneRecap": true,
        "hasRunningRecap": true,
        "messageIndex": 13,
    });
    assert_eq!((&report["valid"], &report["state"]), (&true.into(), &state));
    assert_eq!(report["errors"], serde_json::json!([]));
    folder.without_scenes();
    let run = folder.run(&["assess", "The Last Lamp", "--at", "5", "--json"]);
    assert_eq!((run.code, &run.json()["errors"][0]["code"]), (1, &"NO_SNAPSHOT".into()));
    let run = folder.run(&["assess", "The Last Lamp", "--at", "61", "--json"]);
    assert_eq!((run.code, &run.json()["errors"][0]["code"]), (2, &"MESSAGE_NOT_FOUND".into()));
}

#[test]
fn r066_verify_tells_what_became_of_a_timeline() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["checkpoint", "The Last Lamp", "--at", "13"]).code, 0);
    let chat = "chats/Tamsin/The Last Lamp - Checkpoint #1.jsonl";
    let verify =
        |more: &[&str]| folder.run(&[&["verify", "The Last Lamp - Checkpoint #1"], more].concat());
    assert_snapshot!("verify-untouched", verify(&[]).shown());

    let found = verify(&["--json"]).json();
    let book = format!("worlds/{}.json", found["lorebook"].as_str().unwrap());
    let written = folder.read(&book);
    folder.write(&book, written.replace("Sea dragon, alive", "Sea dragon, asleep"));
    assert_snapshot!("verify-differs", verify(&[]).shown());

    folder.write(&book, &written);
    let short = folder.read(chat);
    let more = folder.read(CHAT).lines().nth(15).unwrap().to_owned();
    folder.write(chat, format!("{short}\n{more}"));
    assert_snapshot!("verify-continued", verify(&[]).shown());

    folder.write(chat, short);
    fs::remove_file(folder.file(&book)).unwrap();
    assert_snapshot!("verify-damaged", verify(&[]).shown());

    let run = folder.run(&["verify", "The Last Lamp"]);
    assert_snapshot!("verify-not-ours", run.shown());
}

#[test]
fn r144_status_of_a_timeline() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["checkpoint", "The Last Lamp", "--at", "13"]).code, 0);
    let status = folder.run(&["status", "The Last Lamp - Checkpoint #1", "--json"]).json();
    let keys: Vec<&String> = status.as_object().unwrap().keys().collect();
    for key in [
        "is_checkpoint",
        "main_chat",
        "current_chat",
        "checkpoint_state",
        "current_lorebook",
        "lorebook_match",
        "running_recap_current_version",
        "running_recap_version_match",
    ] {
        assert!(keys.contains(&&key.to_owned()), "{key}");
    }
    assert_eq!(status["is_checkpoint"], true);
    assert_eq!(
        (&status["main_chat"], &status["lorebook_match"]),
        (&"The Last Lamp".into(), &true.into())
    );
    assert_eq!(status["running_recap_current_version"], 0);

    assert_snapshot!(
        "status-checkpoint",
        folder.run(&["status", "The Last Lamp - Checkpoint #1"]).shown()
    );
    folder.plain_copy("The Last Lamp - Branch #1", 14);
    assert_snapshot!("status-shared", folder.run(&["status", "The Last Lamp - Branch #1"]).shown());
    fs::remove_file(folder.file(BOOK)).unwrap();
    assert_snapshot!("status-missing", folder.run(&["status", "The Last Lamp"]).shown());
}

#[test]
fn status_shows_all_chats_and_who_shares() {
    let folder = Folder::new();
    let before = folder.files();
    assert_snapshot!("status", folder.run(&["status"]).shown());
    assert_eq!(folder.files(), before);
    folder.run(&["checkpoint", "The Last Lamp", "--at", "13"]);
    folder.plain_copy("The Last Lamp - Branch #1", 14);
    folder.write("chats/Tamsin/broken.jsonl", "{ not a header");
    folder.write(
        "chats/Tamsin/lost.jsonl",
        r#"{"chat_metadata":{"world_info":"gone"},"user_name":"unused","character_name":"unused"}"#,
    );
    assert_snapshot!("status-tangled", folder.run(&["status"]).shown());
    let json = folder.run(&["status", "--json"]).json();
    let owners = json["users"][0]["owners"].as_array().unwrap();
    let tamsin = owners.iter().find(|owner| owner["name"] == "Tamsin").unwrap();
    let shared: Vec<&Value> = tamsin["chats"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|chat| chat["shared_with"] == 1)
        .map(|chat| &chat["chat"])
        .collect();
    assert_eq!(shared, ["The Last Lamp - Branch #1", "The Last Lamp"]);
}
