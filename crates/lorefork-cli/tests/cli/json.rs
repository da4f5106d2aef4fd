//! `--json`: one document, whatever happens.

use crate::folder::{Folder, run};

#[test]
fn a_fork_has_the_documented_shape() {
    let folder = Folder::new();
    let json = folder.run(&["--json", "checkpoint", "The Last Lamp", "--at", "13"]).json();
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    let documented =
        ["kind", "chat", "file", "lorebook", "at", "source", "from", "quality", "warnings", "id"];
    assert_eq!(keys, documented);
    assert_eq!(json["file"], "chats/Tamsin/The Last Lamp - Checkpoint #1.jsonl");
    assert_eq!((&json["source"], &json["from"]), (&"snapshot".into(), &13.into()));
    assert!(json["warnings"].as_array().unwrap().iter().all(|w| w["code"].is_string()));
    let json = folder.run(&["--json", "branch", "The Last Lamp"]).json();
    assert_eq!((&json["kind"], &json["from"]), (&"branch".into(), &serde_json::Value::Null));
}

#[test]
fn errors_have_the_documented_shape() {
    let folder = Folder::new();
    folder.without_scenes();
    for (arguments, code) in [
        (&["checkpoint", "The Last Lamp", "--at", "5"][..], "NO_SNAPSHOT"),
        (&["checkpoint", "nobody"], "CHAT_NOT_FOUND"),
        (&["checkpoint", "The Last Lamp", "--name", "a/b"], "BAD_NAME"),
        (&["checkpoint", "The Last Lamp", "--at", "first"], "USAGE"),
        (&["checkpoint"], "USAGE"),
        (&["verify", "The Last Lamp"], "NO_RECORD"),
        (&["status", "--user", "nobody"], "UNKNOWN_USER"),
        (&["branch", "The Last Lamp", "--at", "60", "--swipe", "7"], "NO_SUCH_SWIPE"),
    ] {
        let run = folder.run(&[arguments, &["--json"]].concat());
        let json = run.json();
        assert_eq!(json["error"]["code"], code);
        let keys: Vec<&str> =
            json["error"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys[..4], ["code", "message", "hint", "report"]);
        assert_eq!(run.code, if matches!(code, "NO_SNAPSHOT" | "NO_RECORD") { 1 } else { 2 });
    }
}

#[test]
fn what_is_said_is_data_as_well() {
    let folder = Folder::new();
    folder.without_scenes();
    let json = folder.run(&["--json", "checkpoint", "The Last Lamp", "--at", "5"]).json();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    for said in [&json["error"], &json["error"]["report"]["errors"][0]] {
        assert_eq!(text(&said["says"]).replace("{0}", "5"), text(&said["message"]));
        assert_eq!(said["with"], serde_json::json!([5]));
        assert_eq!(said["choices"], serde_json::json!(["live", "empty"]));
        assert!(!text(&said["advice"]["says"]).contains("--"), "{said}");
    }
    let hint = text(&json["error"]["hint"]);
    assert!(hint.ends_with("(--lore live, --lore empty)."), "{hint}");
}

#[test]
fn candidates_are_listed() {
    let folder = Folder::new();
    let json = folder.run(&["checkpoint", "lamp light", "--json"]).json();
    assert_eq!(json["error"]["candidates"][0], "Tamsin/The Last Lamp");
}

#[test]
fn no_data_folder_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    // Named: searching upwards would find whatever lies beside temporary folders.
    let run = run(place.path(), &["--root", ".", "status", "--json"]);
    assert_eq!((run.code, &run.json()["error"]["code"]), (2, &"NO_DATA_FOLDER".into()));
}
