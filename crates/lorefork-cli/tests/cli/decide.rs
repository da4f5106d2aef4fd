//! `decide`: entries of which nobody could tell.

use insta::assert_snapshot;

use crate::folder::{BOOK, Folder};

/// The demo's story, with two entries open.
fn open() -> Folder {
    let folder = Folder::new();
    let marks = r#"[{"uid":21,"name":"character-Pinch","why":"nothing recorded says when it was made","with":["The Last Lamp - Branch #1"]},{"uid":24,"name":"item-Seal of Vael","why":"nothing recorded says when it was changed","with":[]}]"#;
    let ours = format!(r#"{{"extensions":{{"lorefork":{{"v":1,"undecided":{marks}}}}},"#);
    let book = folder.read(BOOK).replacen('{', &ours, 1);
    folder.write(BOOK, book);
    folder
}

#[test]
fn what_is_open_is_listed() {
    let folder = open();
    assert_snapshot!("decide-list", folder.run(&["decide", "The Last Lamp"]).shown());
    let json = folder.run(&["decide", "The Last Lamp", "--json"]).json();
    assert_eq!(json["undecided"][0]["uid"], "21");
    assert_eq!(json["undecided"][1]["name"], "item-Seal of Vael");
    let nothing = Folder::new().run(&["decide", "The Last Lamp"]);
    assert_snapshot!("decide-nothing", nothing.shown());
}

#[test]
fn an_entry_is_kept_or_dropped_and_that_can_be_undone() {
    let folder = open();
    let before = folder.read(BOOK);
    let would = folder.run(&["decide", "The Last Lamp", "item-Seal of Vael", "drop"]);
    assert_snapshot!("decide-would", would.shown());
    assert_eq!(folder.read(BOOK), before, "nothing is changed without --apply");
    let kept = folder.run(&["decide", "The Last Lamp", "21", "keep", "--apply"]);
    assert_snapshot!("decide-keep", kept.shown());
    let book = folder.read(BOOK);
    assert!(book.contains("character-Pinch") && !book.contains("when it was made"));
    let dropped = folder.run(&["decide", "The Last Lamp", "item-Seal of Vael", "drop", "--apply"]);
    assert_snapshot!("decide-drop", dropped.shown());
    let book = folder.read(BOOK);
    assert!(!book.contains("Seal of Vael"), "neither the entry nor its line in the registry");
    assert!(!book.contains("undecided"), "nothing is open any more");
    for _ in 0..2 {
        assert_eq!(folder.run(&["undo", "--apply"]).code, 0);
    }
    assert_eq!(folder.read(BOOK), before);
}

#[test]
fn what_is_not_open_is_not_decided() {
    let folder = open();
    let before = folder.read(BOOK);
    for entry in ["9", "nobody"] {
        let run = folder.run(&["decide", "The Last Lamp", entry, "drop", "--json"]);
        assert_eq!((run.code, &run.json()["error"]["code"]), (2, &"NO_SUCH_ENTRY".into()));
    }
    assert_eq!(folder.run(&["decide", "The Last Lamp", "21"]).code, 2, "keep or drop?");
    assert_eq!(folder.read(BOOK), before);
}

#[test]
fn what_stands_in_the_file_does_not_reach_the_terminal_as_it_is() {
    let folder = open();
    let book = folder.read(BOOK).replace("when it was made", "\\u001b[31mred\\u0007");
    folder.write(BOOK, book.replace("character-Pinch", "\\u001b]0;Pinch"));
    for args in [&["decide", "The Last Lamp"][..], &["decide", "The Last Lamp", "21", "drop"]] {
        let shown = folder.run(args).shown();
        assert!(shown.contains("Pinch"), "{shown:?}");
        assert!(!shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
    }
}
