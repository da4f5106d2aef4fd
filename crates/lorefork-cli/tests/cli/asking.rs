//! What can be typed, and that the answer is in words.

use insta::assert_snapshot;

use crate::folder::{CHAT, Folder, command, run, run_command};

#[test]
fn messages_are_counted_from_the_end_too() {
    let folder = Folder::new();
    let at = |at: &str| {
        let run = folder.run(&["assess", "The Last Lamp", "--at", at, "--json"]);
        run.json()["state"]["messageIndex"].as_u64()
    };
    assert_eq!((at("last"), at("-1"), at("-48")), (Some(60), Some(60), Some(13)));
    let made = folder.run(&["checkpoint", "The Last Lamp", "--at", "-48", "--json"]).json();
    assert_eq!(made["at"], 13);
    let plan = folder.run(&["rewind", "The Last Lamp", "--at", "-48", "--json"]).json();
    assert_eq!(plan["at"], 13);
    for command in ["assess", "branch", "rewind"] {
        let run = folder.run(&[command, "The Last Lamp", "--at", "-62"]);
        assert_eq!(run.code, 2);
        assert!(run.err.contains("0 to 60, or -61 to -1"), "{}", run.err);
    }
    assert_snapshot!(
        "at-before-the-first",
        folder.run(&["assess", "The Last Lamp", "--at", "-62"]).shown()
    );
    assert_snapshot!(
        "at-no-number",
        folder.run(&["assess", "The Last Lamp", "--at", "first"]).shown()
    );
}

#[test]
fn an_unknown_kind_of_problem_is_answered_in_words() {
    let folder = Folder::new();
    let run = folder.run(&["fix", "--only", "nope"]);
    assert_eq!(run.code, 2);
    assert!(!run.err.contains("AMBIGUOUS_CHAT"), "only problems can be meant: {}", run.err);
    assert_snapshot!("only-nope", run.shown());
    assert_snapshot!("only-nearly", folder.run(&["fix", "--only", "shared-lorbook"]).shown());
    assert_snapshot!("only-no-problem", folder.run(&["fix", "--only", "BUSY_"]).shown());
}

#[test]
fn undoing_what_nobody_did_is_a_mistake_and_not_an_answer() {
    let folder = Folder::new();
    for arguments in
        [&["undo", "zzzz"][..], &["undo", "zzzz", "--apply"], &["undo", "zzzz", "--save-beside"]]
    {
        let run = folder.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}");
        assert!(run.err.contains("[UNKNOWN_OPERATION]"), "{}", run.err);
    }
    // Nothing to undo is an answer.
    assert_eq!(folder.run(&["undo"]).code, 1);
    assert_eq!(folder.run(&["undo", "--save-beside"]).code, 1);
}

#[test]
fn usage_shows_only_what_was_typed() {
    let folder = Folder::new();
    let usage = run_command(command(folder.path(), &["assess"]).env("LOREFORK_ROOT", "data"));
    assert_eq!(usage.code, 2);
    assert!(usage.err.contains("Usage: lorefork assess <CHAT>"), "{}", usage.err);
    let found =
        run_command(command(folder.path(), &["assess", "lamp"]).env("LOREFORK_ROOT", "data"));
    assert_eq!(found.code, 0, "{}", found.err);
}

#[test]
fn a_chat_is_meant_by_a_part_of_its_name_by_user_and_by_path() {
    let folder = Folder::new();
    let path = format!("default-user/{CHAT}");
    for selector in ["lamp", "tam/LAST", "default-user/Tamsin/The Last Lamp", path.as_str()] {
        let status = folder.run(&["status", selector, "--json"]).json();
        assert_eq!(status["current_chat"], "The Last Lamp", "{selector}");
    }
    if cfg!(windows) {
        return;
    }
    folder.plain_copy("The Last Lamp\u{1b}[31m", 14);
    folder.plain_copy("夜".repeat(70).as_str(), 14);
    let whole = folder.run(&["status", "The Last Lamp", "--json"]).json();
    assert_eq!(whole["current_chat"], "The Last Lamp", "a whole name wins over a part");
    let several = folder.run(&["delete", "amp", "--apply"]);
    assert_snapshot!("several", several.shown());
    let none = folder.run(&["status", "", "--json"]);
    assert_eq!((none.code, &none.json()["error"]["code"]), (2, &"CHAT_NOT_FOUND".into()));
}

#[test]
fn colours_and_silence_are_a_choice() {
    let folder = Folder::new();
    let colour = |arguments: &[&str]| {
        let run = folder.run(arguments);
        (run.out + &run.err).contains('\u{1b}')
    };
    assert!(!colour(&["status"]));
    assert!(colour(&["status", "--color", "always"]));
    assert!(colour(&["--color=always", "status", "nobody"]));
    assert!(colour(&["--color=always", "status", "--nonsense"]));
    assert!(!colour(&["--color=never", "status"]));
    let mut no_color = command(folder.path(), &["--root", "data", "status", "--color", "always"]);
    let asked = run_command(no_color.env("NO_COLOR", "1"));
    assert!(asked.out.contains('\u{1b}'), "who asks for it gets it");

    let quiet = folder.run(&["checkpoint", "The Last Lamp", "--at", "13", "-q"]);
    assert_eq!((quiet.code, quiet.out.as_str()), (0, ""));
    folder.without_scenes();
    let quiet = folder.run(&["-q", "assess", "The Last Lamp", "--at", "5"]);
    assert_eq!((quiet.code, quiet.out.as_str()), (1, ""));
    let quiet = folder.run(&["--quiet", "status", "nobody has this"]);
    assert_eq!((quiet.code, quiet.out.as_str()), (2, ""));
    assert!(quiet.err.starts_with("error: "));
    let json = folder.run(&["--quiet", "--json", "status", "The Last Lamp"]).json();
    assert_eq!(json["current_chat"], "The Last Lamp");
}

/// After each change stands the command that takes it back; typed as it is, it does.
#[test]
fn every_change_says_how_it_is_taken_back() {
    let folder = Folder::new();
    folder.plain_copy("The Last Lamp - Branch #1", 20);
    let stories = || -> Vec<(String, Vec<u8>)> {
        folder.files().into_iter().filter(|(path, _)| !path.contains("/lorefork/")).collect()
    };
    for arguments in [
        &["checkpoint", "The Last Lamp", "--at", "13"][..],
        &["branch", "group:The Night Watch"],
        &["fix", "--apply"],
        &["isolate", "The Last Lamp - Branch #1", "--apply"],
        &["rewind", "The Last Lamp - Branch #1", "--at", "13", "--apply"],
        &["delete", "The Last Lamp - Branch #1", "--apply"],
    ] {
        let before = stories();
        let done = folder.run(arguments);
        assert!(stories() != before, "{arguments:?}: {}{}", done.out, done.err);
        let told = done.out.lines().find_map(|line| line.split_once("lorefork --root data undo "));
        let Some((_, told)) = told else { panic!("{arguments:?}: {}", done.out) };
        let words: Vec<&str> = told.split(' ').collect();
        let undone = folder.run(&[&["undo"], words.as_slice()].concat());
        assert_eq!(undone.code, 0, "{arguments:?}: {}", undone.err);
        assert_eq!(stories(), before, "{arguments:?}");
    }
    // From a place where the data would not be found.
    let place = tempfile::tempdir().unwrap();
    let chat = folder.file(CHAT).display().to_string();
    let done = run(place.path(), &["checkpoint", &chat, "--at", "13"]);
    let drive = folder.path().display().to_string().chars().next().unwrap();
    assert!(done.out.contains(&format!("lorefork --root {drive}")), "{}", done.out);
}

#[test]
fn the_log_is_told_with_names_and_in_parts() {
    let folder = Folder::new();
    std::fs::rename(folder.file("chats/Tamsin"), folder.file("chats/default_Tamsin")).unwrap();
    std::fs::rename(
        folder.file("characters/Tamsin.png"),
        folder.file("characters/default_Tamsin.png"),
    )
    .unwrap();
    assert_eq!(folder.run(&["checkpoint", "The Last Lamp", "--at", "13"]).code, 0);
    assert_eq!(folder.run(&["branch", "group:The Night Watch"]).code, 0);
    let log = folder.run(&["log"]);
    assert!(log.out.contains("Tamsin/The Last Lamp - Checkpoint #1"), "{}", log.out);
    assert!(
        !log.out.contains("default_Tamsin") && !log.out.contains("1775943612408"),
        "{}",
        log.out
    );
    assert!(log.out.contains("The Night Watch/"), "{}", log.out);

    let one = folder.run(&["log", "-n", "1"]);
    assert!(
        one.out.contains("Made the branch") && !one.out.contains("Made the checkpoint"),
        "{}",
        one.out
    );
    assert!(one.out.contains("1 earlier operation not shown"), "{}", one.out);
    let lines = folder.run(&["log", "--oneline"]).out;
    assert_eq!(lines.lines().count(), 2, "{lines}");
    let of = folder.run(&["log", "Checkpoint #1", "--oneline"]).out;
    assert!(of.contains("Made the checkpoint") && !of.contains("Made the branch"), "{of}");
    let json = folder.run(&["log", "-n", "1", "--json"]).json();
    assert_eq!(json["operations"].as_array().unwrap().len(), 1);
    assert!(json["operations"][0]["title"].as_str().unwrap().starts_with("group:1775943612408/"));
    assert!(json["operations"][0]["told"].as_str().unwrap().starts_with("The Night Watch/"));

    // Of a chat that is gone, its log is most interesting.
    assert_eq!(folder.run(&["delete", "Checkpoint #1", "--apply"]).code, 0);
    let of = folder.run(&["log", "The Last Lamp - Checkpoint #1", "--oneline"]);
    assert_eq!(of.out.lines().count(), 2, "{}{}", of.out, of.err);
    assert_eq!(folder.run(&["log", "nobody has this"]).code, 2);
}

/// A repair stands alone in a preview, so it says itself what it is about.
#[test]
fn repairs_name_what_they_are_about() {
    let folder = Folder::new();
    folder.change_line(CHAT, 0, |header| {
        header.replacen(r#""chat_id":"The Last Lamp""#, r#""chat_id":"Another""#, 1)
    });
    let plan = folder.run(&["fix", "The Last Lamp"]);
    assert!(
        plan.out.contains("→ Writes into the running recap that it is this chat's."),
        "{}",
        plan.out
    );
}
