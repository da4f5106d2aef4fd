//! Labels travel with their timeline, and a new name is followed by all that had the old one.

use lorefork::error::Code;
use lorefork::family::{Word, label, plan_rename, rename};
use lorefork::fork::{Request, create};
use lorefork::operation::undo::undo;
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_sim::{Folder, SimHost, entry};

use crate::family::made::{chat, message};

fn theirs(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let files = folder.files().filter(|(file, _)| !file.starts_with("lorefork/"));
    files.map(|(file, bytes)| (file.to_owned(), bytes.to_vec())).collect()
}

fn story(chat: &ChatRef) -> Folder {
    let header = r#"{"chat_metadata":{"integrity":"a","world_info":"Lore","odd":1.0,"lorefork":{"v":1,"id":"x","kind":"main","chat":"Story","slug":"a","theirs":[1, 2]}}}"#;
    let lines: Vec<String> = (0..9).map(|id| message(id, id % 2 == 1, "")).collect();
    Folder::new()
        .with_chat(chat, header, &lines)
        .with_lorebook("Lore", &[("0", entry(0, "Mia", "m"))])
}

#[test]
fn a_label_stands_in_the_chats_own_record_and_goes_again() {
    let place = chat("Story");
    for is_outside in [false, true] {
        let host = SimHost::new(story(&place));
        let host = if is_outside { host.outside() } else { host };
        let before = theirs(&host.folder());
        let words = [Word::Label("how it went".into()), Word::Canon(true)];
        let said = host.run(label(&host, &place, &words)).returned().unwrap().unwrap();
        assert_eq!(said.words.label.as_deref(), Some("how it went"));
        let text = host.folder().text(&place.file()).unwrap().to_owned();
        assert!(
            text.contains(r#""odd":1.0"#)
                && text.contains(r#""theirs":[1, 2],"label":"how it went","canon":true"#)
        );
        let again = host.run(label(&host, &place, &words)).returned().unwrap().unwrap();
        assert!(again.done.is_none(), "said twice, done once");
        host.run(undo(&host, None)).returned().unwrap().unwrap();
        assert_eq!(theirs(&host.folder()), before);
    }
}

#[test]
fn what_is_no_label_is_refused_before_anything_is_written() {
    let place = chat("Story");
    let host = SimHost::new(story(&place)).outside();
    let before = host.folder();
    for word in [Word::Label("x".repeat(500)), Word::Colour("red;}".into())] {
        let error = host.run(label(&host, &place, &[word])).returned().unwrap().unwrap_err();
        assert_eq!(error.code, Code::BadName);
    }
    assert_eq!(theirs(&host.folder()), theirs(&before));
}

#[test]
fn a_new_name_is_followed_by_links_maps_and_children() {
    let place = chat("Story");
    let host = SimHost::new(story(&place)).outside();
    let mut request = Request::new(Kind::Checkpoint, place.clone());
    request.at = Some(8);
    let made = host.run(create(&host, &request)).returned().unwrap().unwrap();
    let mut request = Request::new(Kind::Branch, made.place.clone());
    request.at = Some(8);
    let child = host.run(create(&host, &request)).returned().unwrap().unwrap();
    let before = theirs(&host.folder());
    let old = made.place.name.clone();
    let renamed = host
        .run(rename(&host, &made.place, "The \"dragon\" lives 🐉"))
        .returned()
        .unwrap()
        .unwrap();
    // As SillyTavern would save it.
    assert_eq!(renamed.plan.to.name, "The dragon lives 🐉");
    let folder = host.folder();
    assert!(!folder.has(&made.place.file()) && folder.has(&renamed.plan.to.file()));
    for (file, bytes) in theirs(&folder) {
        let text = String::from_utf8(bytes).unwrap();
        // Lorebooks keep their names, and a child its own, which both begin with the old one.
        let text = text.replace(&child.place.name, "");
        let is_left = |line: &&str| line.contains(&format!("\"{old}\""));
        let left: Vec<&str> =
            text.lines().filter(is_left).filter(|_| file.ends_with(".jsonl")).collect();
        assert_eq!(left, [""; 0], "{file}");
    }
    let parent = folder.text(&place.file()).unwrap();
    assert!(parent.contains(r#""bookmark_link":"The dragon lives 🐉""#));
    let child = folder.text(&child.place.file()).unwrap();
    assert!(child.contains(r#""main_chat":"The dragon lives 🐉""#));
    host.run(undo(&host, None)).returned().unwrap().unwrap();
    assert_eq!(theirs(&host.folder()), before, "undo gives back every byte");
}

#[test]
fn a_group_lists_the_new_name() {
    let place = ChatRef::new(Owner::Group("7".into()), "Story");
    let folder = story(&place).with_group("7", &["Story", "Other"]);
    let host = SimHost::new(folder).outside();
    let before = theirs(&host.folder());
    host.run(rename(&host, &place, "New")).returned().unwrap().unwrap();
    let group = host.folder().text("groups/7.json").unwrap().to_owned();
    assert!(
        group.contains(r#""chat_id": "New""#) && group.contains("\"New\",\n        \"Other\""),
        "{group}"
    );
    host.run(undo(&host, None)).returned().unwrap().unwrap();
    assert_eq!(theirs(&host.folder()), before);
}

#[test]
fn names_that_cannot_be_are_refused_before_anything_is_written() {
    let place = chat("Story");
    let folder = story(&place).with_chat(&chat("Taken"), r#"{"chat_metadata":{}}"#, &[]);
    let host = SimHost::new(folder).outside();
    let before = theirs(&host.folder());
    for (name, code) in [
        ("", Code::BadName),
        ("  ", Code::BadName),
        ("???", Code::BadName),
        ("a/b", Code::BadName),
        (&*"x".repeat(300), Code::BadName),
        ("Taken", Code::NameTaken),
        ("taken", Code::NameTaken),
        ("Story", Code::NameTaken),
    ] {
        let error = host.run(rename(&host, &place, name)).returned().unwrap().unwrap_err();
        assert_eq!(error.code, code, "{name:?}");
        let error = host.run(plan_rename(&host, &place, name)).returned().unwrap().unwrap_err();
        assert_eq!(error.code, code, "{name:?}");
    }
    assert_eq!(theirs(&host.folder()), before);
}

#[test]
fn a_chat_that_went_on_keeps_what_was_written_and_can_be_renamed_back() {
    let place = chat("Story");
    let host = SimHost::new(story(&place)).outside();
    let renamed = host.run(rename(&host, &place, "New")).returned().unwrap().unwrap();
    let file = renamed.plan.to.file();
    let longer = format!("{}\n{}", host.folder().text(&file).unwrap(), message(99, true, ""));
    host.put(&file, &longer);
    let error = host.run(undo(&host, None)).returned().unwrap().unwrap_err();
    assert_eq!(error.code, Code::ChangedSince);
    host.run(rename(&host, &renamed.plan.to, "Story")).returned().unwrap().unwrap();
    assert!(host.folder().text(&place.file()).unwrap().ends_with(&message(99, true, "")));
}
