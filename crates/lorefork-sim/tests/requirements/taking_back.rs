//! Taking back an operation that made a lorebook: who named it before may name it then, too, and
//! nobody else.

use lorefork::audit::fix::{Missing, missing};
use lorefork::error::Code;
use lorefork::fork::create;
use lorefork::fork::rewind::rewind;
use lorefork::host::{ChatView as _, Host as _};
use lorefork::moment::LoreChoice;
use lorefork::operation::beside::save_beside;
use lorefork::operation::undo::undo;
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::lorebook_file;
use lorefork_sim::{Folder, SimHost, header};

use crate::story::*;

fn chat_naming(folder: Folder, name: &str, slug: &str, book: &str) -> Folder {
    let metadata = format!(r#"{{"integrity":"{slug}","world_info":"{book}"}}"#);
    folder.with_chat(&main_chat().sibling(name), &header(&metadata), &messages()[..2])
}

/// Two chats whose lorebook is gone.
fn lost() -> Folder {
    chat_naming(chat_naming(folder(), "A", "a", "Lost"), "B", "b", "Lost")
}

fn put_back(folder: Folder) -> SimHost {
    let host = SimHost::new(folder);
    let chat = main_chat().sibling("A");
    let done = host.run(missing::replace(&host, &chat, Missing::Empty, &[]));
    assert!(done.returned().unwrap().unwrap().is_some());
    assert!(host.folder().has(&lorebook_file("Lost")));
    host
}

/// Of the operation that took it back.
type Id = String;

fn take_back(host: &SimHost, id: Option<&str>) -> Result<Id, Code> {
    let undone = host.run(undo(host, id)).returned().unwrap();
    undone.map(|undone| undone.done.id).map_err(|error| error.code)
}

#[test]
fn all_who_missed_a_lorebook_may_miss_it_again() {
    let host = put_back(lost());
    let mut last = take_back(&host, None).unwrap();
    assert!(!host.folder().has(&lorebook_file("Lost")));
    // And so each time it comes back and goes again.
    for is_there in [true, false, true] {
        last = take_back(&host, Some(&last)).unwrap();
        assert_eq!(host.folder().has(&lorebook_file("Lost")), is_there);
    }
}

#[test]
fn nor_does_it_matter_what_else_missed_it() {
    let mut folder = lost();
    folder.put(
        "settings.json",
        r#"{"currentVersion":"1.19.0","world_info_settings":{"world_info":{"globalSelect":["Lost"]}}}"#,
    );
    assert!(take_back(&put_back(folder), None).is_ok());
}

#[test]
fn who_uses_it_since_keeps_it() {
    let host = SimHost::new(chat_naming(put_back(lost()).folder(), "C", "c", "Lost"));
    assert_eq!(take_back(&host, None), Err(Code::InUse));
    assert!(host.folder().has(&lorebook_file("Lost")));
}

/// Records of a Lorefork that did not note who named it: one may, as it was then.
#[test]
fn an_old_record_is_still_taken_back() {
    let folder = chat_naming(folder(), "A", "a", "Lost");
    let mut after = put_back(folder).folder();
    let is_record = |file: &&str| file.starts_with("lorefork/operations/log/");
    let record = after.files().map(|(file, _)| file).find(is_record).unwrap().to_owned();
    let text = after.text(&record).unwrap();
    let (from, to) = (text.find(",\n      \"named_by\"").unwrap(), text.find("\n    }").unwrap());
    let old = format!("{}{}", &text[..from], &text[to..]);
    after.put(record, old);
    assert!(take_back(&SimHost::new(after), None).is_ok());
}

#[test]
fn what_was_saved_beside_stays_where_it_was_put_to_use() {
    let host = SimHost::new(folder());
    let rewound = host.run(rewind(&host, &main_chat(), 6, LoreChoice::Auto));
    let id = rewound.returned().unwrap().unwrap().done.id;
    let saved = host.run(save_beside(&host, &id)).returned().unwrap().unwrap();
    let book = &saved.lorebooks[0];
    let mut after = host.folder();
    after.remove(&main_chat().sibling(&saved.chats[0]).file());
    let host = SimHost::new(chat_naming(after, "B", "b", book));
    assert_eq!(take_back(&host, Some(&saved.ids[0])), Err(Code::InUse));
    assert!(host.folder().has(&lorebook_file(book)));
}

/// SillyTavern gives the number of a branch that was deleted to the next one.
#[test]
fn a_fork_that_is_gone_does_not_take_the_next_one_of_its_name_along() {
    let host = SimHost::new(folder());
    let mut branch = request(Kind::Branch, 5);
    branch.link = false;
    let fork = || host.run(create(&host, &branch)).returned().unwrap().unwrap();
    let first = fork();
    let deleted = host.run(async {
        let view = host.open(&first.place).await.unwrap();
        host.remove_chat(&first.place, view.stamp()).await
    });
    assert!(deleted.returned().is_some());
    let second = fork();
    assert_eq!(second.place, first.place);
    let before = host.folder();
    assert_eq!(take_back(&host, Some(&first.id)), Err(Code::Continued));
    assert_eq!(host.folder(), before);
    // Its own operation still takes it back.
    assert!(take_back(&host, Some(&second.id)).is_ok());
    assert!(!host.folder().has(&second.file));
}
