//! The tree, comparing, carrying over, labels and names, as a person meets them.

use insta::assert_snapshot;

use crate::folder::{BOOK, CHAT, Folder, run_at};

/// The sample's story with forks, names as people have them, one that is gone, and odd ones.
fn folder() -> Folder {
    let folder = Folder::new();
    let run = |arguments: &[&str]| {
        let run = folder.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    };
    run(&["checkpoint", "The Last Lamp", "--at", "13"]);
    run(&["branch", "The Last Lamp", "--at", "60", "--swipe", "0", "--name", "灯台の夜 🕯"]);
    run(&["branch", "The Last Lamp", "--at", "28", "--name", "المصباح الأخير"]);
    run(&["branch", "The Last Lamp", "--at", "28", "--name", "Deleted one"]);
    run(&["delete", "Deleted one", "--apply"]);
    folder.plain_copy("The Last Lamp - Branch #1", 42);
    let text = folder.read("chats/Tamsin/The Last Lamp - Branch #1.jsonl");
    let own = r#"{"name":"Rook","is_user":true,"send_date":"2026-12-01T00:00:00.000Z","mes":"*I spare the dragon.* Go, I say, and never come back."}"#;
    folder.write("chats/Tamsin/The Last Lamp - Branch #1.jsonl", format!("{text}\n{own}"));
    // One of that, before it parts itself, which lost its parent's name.
    let header = r#"{"chat_metadata":{"main_chat":"Nobody <b>knows</b>"},"user_name":"unused","character_name":"unused"}"#;
    let lines: Vec<&str> = text.lines().collect();
    folder.write("chats/Tamsin/copy.jsonl", [&[header], &lines[1..20]].concat().join("\n"));
    folder.write("chats/Tamsin/broken.jsonl", "{ not a header");
    folder
}

#[test]
fn the_tree_fits_the_screen() {
    let folder = folder();
    for columns in [60, 80, 120] {
        let run = run_at(columns, folder.path(), &["--root", "data", "tree"]);
        assert_eq!(run.too_wide(columns), [""; 0], "at {columns} columns");
        assert_snapshot!(format!("tree-{columns}"), run.shown());
    }
    let run = run_at(80, folder.path(), &["--root", "data", "tree", "--color", "always"]);
    assert_snapshot!("tree-colour", run.shown().replace('\u{1b}', "␛"));
    let run = run_at(80, folder.path(), &["--root", "data", "tree", "灯台"]);
    assert_snapshot!("tree-path", run.shown());
    assert_eq!(folder.run(&["tree", "--json"]).json()["users"][0]["owners"][0]["name"], "Tamsin");
}

#[test]
fn one_that_was_deleted_is_drawn_while_somebody_remembers_it() {
    let folder = folder();
    let file = "chats/Tamsin/The Last Lamp - Branch #3.jsonl";
    folder.plain_copy("The Last Lamp - Branch #3", 50);
    let text = folder.read(file);
    let own =
        r#"{"name":"Rook","is_user":true,"send_date":"2026-12-02T00:00:00.000Z","mes":"I leave."}"#;
    folder.write(file, format!("{text}\n{own}"));
    assert_eq!(folder.run(&["delete", "Branch #3", "--apply"]).code, 0);
    let drawn = || {
        let json = folder.run(&["tree", "--json"]).json();
        let family = &json["users"][0]["owners"][0]["families"][0]["timelines"];
        let is_it = |one: &&serde_json::Value| one["name"] == "Branch #3";
        let found: Vec<_> = family.as_array().unwrap().iter().filter(is_it).cloned().collect();
        assert_eq!(found.len(), 1, "{family:#}");
        (found[0]["gone"]["known"].clone(), found[0]["at"].clone(), found[0]["messages"].clone())
    };
    assert_eq!(drawn(), ("trash".into(), 49.into(), 51.into()));
    assert_eq!(folder.run(&["log", "--empty-trash", "--apply"]).code, 0);
    assert_eq!(drawn(), ("named".into(), 49.into(), 51.into()));
    // One that nobody remembers is nowhere.
    assert!(!folder.run(&["tree", "--all"]).out.contains("Deleted one"));
    assert!(folder.run(&["tree"]).out.contains("◌ Branch #3"));
}

/// What was drawn is kept, and never shown after anything changed that it tells of.
#[cfg(unix)]
#[test]
fn a_tree_that_was_kept_is_shown_while_nothing_changed() {
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;

    const BRANCH: &str = "chats/Tamsin/The Last Lamp - Branch #1.jsonl";
    type Change = fn(&Folder);
    let changes: [(&str, Change); 12] = [
        ("a chat has another name", |folder| {
            fs::rename(folder.file(BRANCH), folder.file("chats/Tamsin/Dragon.jsonl")).unwrap();
        }),
        ("a label", |folder| {
            assert_eq!(folder.run(&["label", "Branch #1", "spares the dragon"]).code, 0);
        }),
        ("a text of the same size and time", |folder| {
            let time = folder.file(BRANCH).metadata().unwrap().modified().unwrap();
            folder
                .write(BRANCH, folder.read(BRANCH).replace("spare the dragon", "slay  the dragon"));
            let file = fs::File::options().write(true).open(folder.file(BRANCH)).unwrap();
            file.set_modified(time).unwrap();
        }),
        ("a new chat", |folder| folder.plain_copy("The Last Lamp - Branch #2", 20)),
        ("a chat is gone", |folder| fs::remove_file(folder.file(BRANCH)).unwrap()),
        ("a chat goes to the trash", |folder| {
            assert_eq!(folder.run(&["delete", "灯台の夜", "--apply"]).code, 0);
        }),
        ("the trash is emptied", |folder| {
            fs::remove_dir_all(folder.file("lorefork/trash")).unwrap();
        }),
        ("a lorebook is gone", |folder| fs::remove_file(folder.file(BOOK)).unwrap()),
        ("a lorebook is shared on purpose", |folder| {
            let text = folder.read(BOOK);
            folder.write(
                BOOK,
                text.replacen('{', r#"{"extensions":{"lorefork":{"share":true}},"#, 1),
            );
        }),
        ("the group has another name", |folder| {
            let names = fs::read_dir(folder.file("groups")).unwrap();
            for path in names.map(|name| name.unwrap().path()) {
                let text = fs::read_to_string(&path).unwrap();
                fs::write(path, text.replace("The Night Watch", "The Day Watch")).unwrap();
            }
        }),
        ("SillyTavern opens another chat", |folder| {
            fs::remove_file(folder.file("characters/Tamsin.png")).unwrap();
        }),
        ("another character", |folder| folder.write("chats/Zoe/alone.jsonl", "{}")),
    ];
    let first = folder();
    if first.file(BRANCH).metadata().unwrap().ctime_nsec() == 0 {
        // Where files do not tell exactly when they were changed, nothing is kept.
        return;
    }
    let tree = |folder: &Folder, columns: usize, more: &[&str]| {
        let arguments = [&["--root", "data", "tree", "--all"], more].concat();
        run_at(columns, folder.path(), &arguments).shown()
    };
    let folders = changes.map(|change| (change, first.copied()));
    // What was changed just now may change again at the same time.
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    for ((what, change), folder) in folders {
        let before = tree(&folder, 80, &[]);
        // Nothing is read while that is not needed.
        let index = folder.file("lorefork/index/timelines");
        fs::remove_file(&index).unwrap();
        assert_eq!(tree(&folder, 80, &[]), before, "{what}");
        assert!(!index.is_file(), "{what}: it was not kept");
        change(&folder);
        let after = tree(&folder, 80, &[]);
        fs::remove_dir_all(folder.file("lorefork/index")).unwrap();
        assert_eq!(after, tree(&folder, 80, &[]), "{what}");
        assert_ne!(after, before, "{what}");
        // Another question has another answer.
        for (columns, more) in [(60, &[][..]), (80, &["--color", "always"]), (80, &["--json"])] {
            assert_ne!(tree(&folder, columns, more), after, "{what}");
        }
    }
}

#[test]
fn a_page_and_a_picture_are_one_file_each_without_the_network() {
    let folder = folder();
    for (kind, file) in [("--html", "tree.html"), ("--svg", "tree.svg")] {
        let run = folder.run(&["tree", "--all", kind, file]);
        assert_eq!(run.code, 0, "{}", run.err);
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(text.contains("灯台の夜 🕯") && text.contains("المصباح الأخير"), "{file}");
        assert!(text.contains("prefers-color-scheme:dark"));
        assert!(text.contains("Nobody &lt;b&gt;knows&lt;/b&gt;"), "{file}: names are no markup");
        let links = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!links.contains("http") && !links.contains("<script"), "{file}");
        // Again over itself, but never over anything else.
        assert_eq!(folder.run(&["tree", kind, file]).code, 0);
        let run = folder.run(&["tree", kind, &folder.file(CHAT).display().to_string()]);
        assert_eq!(run.code, 2);
        assert!(run.err.contains("EXISTS"), "{}", run.err);
    }
}

#[test]
fn two_timelines_are_compared() {
    let folder = folder();
    let run = folder.run(&["diff", "The Last Lamp - Checkpoint #1", "المصباح"]);
    assert_eq!(run.code, 1);
    assert_snapshot!("diff", run.shown());
    let json = folder.run(&["diff", "Tamsin/The Last Lamp", "Branch #1", "--json"]);
    assert_eq!(json.code, 1);
    let json = json.json();
    assert_eq!((&json["partsAfter"], &json["sameLorebook"]), (&41.into(), &true.into()));
    assert_eq!(folder.run(&["diff", "Branch #1", "Branch #1"]).code, 2);
}

#[test]
fn entries_are_carried_over_and_back() {
    let folder = folder();
    let before = folder.files();
    let from = "Tamsin/The Last Lamp";
    let to = "The Last Lamp - Checkpoint #1";
    let run = folder.run(&["carry", from, to, "Pinch", "Old harpoon"]);
    assert_snapshot!("carry-plan", run.shown());
    assert_eq!(folder.files(), before, "only shown");
    let run = folder.run(&["carry", from, to, "Pinch", "Jory", "--apply"]);
    assert_eq!(run.code, 1, "Jory is there already");
    assert_snapshot!("carry-conflict", run.shown());
    assert_eq!(folder.files(), before, "nothing before it is decided");
    let run = folder.run(&["carry", from, to, "Pinch", "Jory", "--conflict", "replace", "--apply"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = folder.run(&["diff", from, to, "--json"]).json();
    let names = json["entries"]["hereOnly"].to_string() + &json["entries"]["changed"].to_string();
    assert!(!names.contains("character-Pinch") && !names.contains("character-Jory"), "{names}");
    assert_eq!(folder.run(&["undo", "--apply"]).code, 0);
    let theirs = |files: std::collections::BTreeMap<String, Vec<u8>>| {
        files.into_iter().filter(|(name, _)| !name.contains("/lorefork/")).collect::<Vec<_>>()
    };
    assert_eq!(theirs(folder.files()), theirs(before));
    let run = folder.run(&["carry", from, to, "nobody has this"]);
    assert!(run.code == 2 && run.err.contains("NO_SUCH_ENTRY"), "{}", run.err);
}

#[test]
fn a_timeline_is_labelled_and_renamed() {
    let folder = folder();
    let branch = "The Last Lamp - Branch #1";
    let run = folder.run(&["label", branch, "spares the dragon", "--canon", "--colour", "gold"]);
    assert_snapshot!("label", run.shown());
    let tree = folder.run(&["tree"]);
    assert!(tree.out.contains("★ spares the dragon"), "{}", tree.out);
    let run = folder.run(&["rename", branch, "The dragon lives"]);
    assert_snapshot!("rename-plan", run.shown());
    let theirs = || {
        let files = folder.files().into_iter();
        files.filter(|(name, _)| !name.contains("/lorefork/")).collect::<Vec<_>>()
    };
    let before = theirs();
    assert_eq!(folder.run(&["rename", branch, "The dragon lives", "--apply"]).code, 0);
    let log = folder.run(&["log"]).out;
    assert!(log.contains("Renamed Tamsin/The dragon lives, which was called"), "{log}");
    assert_eq!(folder.run(&["undo", "--apply"]).code, 0);
    assert_eq!(theirs(), before, "undo gives back every byte");
    let run = folder.run(&["rename", branch, "The dragon lives", "--apply"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(folder.file("chats/Tamsin/The dragon lives.jsonl").is_file());
    assert!(folder.run(&["tree"]).out.contains("★ spares the dragon"), "the label went with it");
    for (name, code) in [("", 2), ("a/b", 2), ("The Last Lamp", 1), ("The Last Lamp ", 1)] {
        assert_eq!(
            folder.run(&["rename", "The dragon lives", name, "--apply"]).code,
            code,
            "{name}"
        );
    }
    let run = folder.run(&["label", "The dragon lives", "--archived"]);
    assert_eq!(run.code, 0, "{}", run.err);
}

/// Each row of the list of bad input, as files: drawn with a mark, and nobody is lost.
#[test]
fn hostile_names_and_odd_files_are_rows_with_marks() {
    let folder = Folder::new();
    let message = |n: usize| {
        format!(
            r#"{{"name":"Rook","is_user":{},"send_date":"2026-12-01T00:00:{n:02}.000Z","mes":"Said {n}"}}"#,
            n % 2 == 1
        )
    };
    let chat = |name: &str, metadata: &str, messages: &[String]| {
        let header =
            format!(r#"{{"user_name":"u","character_name":"c","chat_metadata":{{{metadata}}}}}"#);
        let lines = [&[header], messages].concat().join("\n");
        folder.write(&format!("chats/Odd/{name}.jsonl"), lines);
    };
    let some: Vec<String> = (0..6).map(message).collect();
    let record = |name: &str| {
        format!(
            r#""integrity":"s","main_chat":"Loop A","lorefork":{{"v":1,"id":"one","kind":"branch","chat":"{name}","slug":"s","parent":{{"chat":"Loop A","slug":null,"id":null}},"at":2,"base":null,"lore":{{"source":"live","quality":"exact","from":null,"of":null,"hash":null}}}}"#
        )
    };
    chat("Loop A", r#""main_chat":"Loop B""#, &some);
    chat("Loop B", r#""main_chat":"Loop A""#, &some[..4]);
    chat("Itself", r#""main_chat":"Itself""#, &some[..3]);
    chat("Twin", &record("Twin"), &some[..3]);
    // Copied in a file manager, with the record in it.
    let text =
        folder.read("chats/Odd/Twin.jsonl").replace(r#""chat":"Twin""#, r#""chat":"Twin (copy)""#);
    folder.write("chats/Odd/Twin (copy).jsonl", text);
    chat("Half", r#""main_chat":"Loop A""#, &some[..5]);
    let half = folder.read("chats/Odd/Half.jsonl");
    folder.write("chats/Odd/Half.jsonl", &half[..half.len() - 20]);
    folder.write("chats/Odd/No header.jsonl", some[..4].join("\n"));
    folder.write("chats/Odd/Empty.jsonl", "");
    let label = r#"<img src=x>\n\u202eevil\u001b[31m"#;
    chat(
        "Named",
        &record("Named")
            .replace(r#""at":2"#, &format!(r#""at":2,"label":"{label}""#))
            .replace("\"one\"", "\"two\""),
        &some[..3],
    );
    chat("<i>tag & \u{202e}turned", r#""main_chat":"Loop A""#, &some[..2]);

    let run = folder.run(&["tree", "--all", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    let owners = json["users"][0]["owners"].as_array().unwrap();
    let odd = owners.iter().find(|owner| owner["name"] == "Odd").unwrap();
    let mut marks = std::collections::BTreeMap::new();
    for family in odd["families"].as_array().unwrap() {
        for one in family["timelines"].as_array().unwrap() {
            let codes: Vec<&str> = one["marks"]
                .as_array()
                .unwrap()
                .iter()
                .map(|mark| mark["code"].as_str().unwrap())
                .collect();
            let before = marks.insert(one["chat"].as_str().unwrap().to_owned(), codes.join(" "));
            assert_eq!(before, None, "each is there once");
        }
    }
    let marked = |name: &str| marks[name].as_str();
    assert_eq!(marks.len(), 10, "{marks:?}");
    assert_eq!(marked("Loop A"), "circle");
    assert_eq!(marked("Itself"), "ownParent");
    assert!([marked("Twin"), marked("Twin (copy)")].iter().any(|mark| mark.contains("twin")));
    assert_eq!(marked("Half"), "cut");
    assert!(marked("No header").contains("unreadable") && marked("Empty").contains("unreadable"));

    for columns in [60, 120] {
        let shown = run_at(columns, folder.path(), &["--root", "data", "tree", "--all"]);
        assert_eq!(shown.too_wide(columns), [""; 0]);
        assert!(!shown.out.contains(['\u{202e}', '\u{1b}']), "{}", shown.out);
        let words = shown.out.split_whitespace().filter(|word| *word != "│");
        let words: Vec<&str> = words.collect();
        let words = words.join(" ");
        assert!(words.contains("<img src=x>") && words.contains("half written"), "{}", shown.out);
    }
    assert_eq!(folder.run(&["tree", "--all", "--html", "odd.html"]).code, 0);
    let page = std::fs::read_to_string(folder.path().join("odd.html")).unwrap();
    assert!(
        page.contains("&lt;img src=x&gt;") && !page.contains("<img") && !page.contains("<i>tag")
    );
    assert!(!page.contains('\u{202e}'));
}
