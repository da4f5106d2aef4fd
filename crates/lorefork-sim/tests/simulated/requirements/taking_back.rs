//! Taking back an operation that made a lorebook: who named it before may name it then, too, and
//! nobody else.

use lorefork::audit::fix::{Missing, missing};
use lorefork::choice::Choice;
use lorefork::error::Code;
use lorefork::fork::create;
use lorefork::fork::rewind::rewind;
use lorefork::host::{ChatView as _, Host as _};
use lorefork::json::quote;
use lorefork::moment::LoreChoice;
use lorefork::operation::ahead::Ahead;
use lorefork::operation::salvage::save_beside;
use lorefork::operation::undo::{plan_undo, undo};
use lorefork::operation::{log, trash};
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, Owner, lorebook_file};
use lorefork_sim::{Folder, SimHost, header};

use crate::requirements::story::*;

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
    let done = host.run(missing::replace(&Ahead::new(&host), &chat, Missing::Empty, &[]));
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

/// A chat whose first line cannot be read mentions the lorebook before it is there and after.
#[test]
fn who_missed_it_may_be_damaged() {
    let mut folder = lost();
    let damaged = "{\"chat_metadata\":{\"world_info\":\"Lost\",\u{1}\"integrity\":\"d\"}}\n";
    folder.put(main_chat().sibling("D").file(), damaged);
    let host = put_back(folder.clone());
    assert!(take_back(&host, None).is_ok());
    assert_eq!(theirs(&host.folder()), theirs(&folder));
    // But one that came since may use it.
    let mut since = put_back(lost()).folder();
    since.put(main_chat().sibling("D").file(), damaged);
    assert_eq!(take_back(&SimHost::new(since), None), Err(Code::InUse));
}

/// What could be made beside damaged settings or groups can be taken back beside them.
#[test]
fn damage_elsewhere_keeps_nobody_from_taking_back() {
    let damages: [(&str, &[u8]); 4] = [
        ("settings.json", b"{\"currentVersion\":\"1.19.0\",\"power_us"),
        ("settings.json", b"{\"currentVersion\":\"1.19.0\",\"x\":\"\xff\"}"),
        ("groups/9.json", b"{\"id\":\"9\",\"chats\":["),
        ("groups/9.json", b"{\"id\":\"9\",\"name\":\"\xff\"}"),
    ];
    for (file, bytes) in damages {
        let mut folder = folder();
        folder.put(file, bytes);
        let host = SimHost::new(folder.clone());
        let made = host.run(create(&host, &request(Kind::Branch, 5))).returned().unwrap().unwrap();
        let about = format!("{file} {}", String::from_utf8_lossy(bytes));
        assert!(take_back(&host, Some(&made.id)).is_ok(), "{about}");
        assert_eq!(theirs(&host.folder()), theirs(&folder), "{about}");
    }
}

/// A group may list a chat that is gone, and whose name the fork gets: the list stays as it was.
#[test]
fn what_a_group_listed_before_is_listed_after() {
    let chat = ChatRef::new(Owner::Group("7".into()), "Crew 1");
    let mut folder = folder().with_group("7", &["Crew 1", "Crew 1 - Branch #1", "Crew 2"]);
    let lines = messages().join("\n");
    let named = header(r#"{"world_info":"Lore","integrity":"g"}"#);
    folder.put(chat.file(), format!("{named}\n{lines}"));
    let host = SimHost::new(folder.clone());
    let mut branch = request(Kind::Branch, 10);
    branch.chat = chat;
    let made = host.run(create(&host, &branch)).returned().unwrap().unwrap();
    assert_eq!(made.chat, "Crew 1 - Branch #1");
    assert!(take_back(&host, None).is_ok());
    assert_eq!(theirs(&host.folder()), theirs(&folder));
}

/// A group that lists no chat is as it was written, whichever way that was.
#[test]
fn a_group_without_any_chat_is_written_as_it_was() {
    let chat = ChatRef::new(Owner::Group("7".into()), "Crew 1");
    for record in [r#"{"id":"7","chats": [ ],"size":1.50}"#, r#"{"id":"7","chats":null}"#, "{}\n"] {
        let mut folder = folder();
        folder.put("groups/7.json", record);
        let named = header(r#"{"world_info":"Lore","integrity":"g"}"#);
        folder.put(chat.file(), format!("{named}\n{}", messages().join("\n")));
        let mut branch = request(Kind::Branch, 10);
        branch.chat = chat.clone();
        let host = SimHost::new(folder.clone());
        let made = host.run(create(&host, &branch)).returned().unwrap().unwrap();
        assert!(host.folder().text("groups/7.json").unwrap().contains(&made.chat));
        assert!(take_back(&host, None).is_ok());
        assert_eq!(theirs(&host.folder()), theirs(&folder), "{record}");
    }
}

/// Settings that cannot be read, and in which the lorebook stands, may use it.
#[test]
fn what_damaged_settings_mention_stays() {
    let host = SimHost::new(folder());
    let made = host.run(create(&host, &request(Kind::Branch, 5))).returned().unwrap().unwrap();
    let book = host.folder().lorebooks().find(|name| name.contains("__BR_")).unwrap().to_owned();
    let mut after = host.folder();
    after.put("settings.json", format!("{{\"world_info\":{{\"globalSelect\":[{}", quote(&book)));
    assert_eq!(take_back(&SimHost::new(after), Some(&made.id)), Err(Code::InUse));
}

/// What is not ours.
fn theirs(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let files = folder.files().filter(|(file, _)| !file.starts_with("lorefork/"));
    files.map(|(file, bytes)| (file.to_owned(), bytes.to_vec())).collect()
}

/// The record of an operation, and its file.
fn record(folder: &Folder, id: &str) -> (String, String) {
    let file = format!("lorefork/operations/log/{id}.json");
    let text = folder.text(&file).unwrap().to_owned();
    (file, text)
}

fn fork_at(host: &SimHost, at: usize) -> Id {
    host.run(create(host, &request(Kind::Branch, at))).returned().unwrap().unwrap().id
}

#[test]
fn the_last_operation_is_the_last_whatever_the_clock_says() {
    let host = SimHost::new(folder());
    let (first, second) = (fork_at(&host, 5), fork_at(&host, 8));
    let mut after = host.folder();
    // The first one was made while the clock was a year ahead.
    let (file, text) = record(&after, &first);
    let time = text.split("\"time\": ").nth(1).unwrap().split(',').next().unwrap().to_owned();
    let ahead = time.parse::<u64>().unwrap() + 365 * 24 * 60 * 60 * 1000;
    after.put(file, text.replace(&time, &ahead.to_string()));
    let host = SimHost::new(after);
    let undone = host.run(undo(&host, None)).returned().unwrap().unwrap();
    assert_eq!(undone.operation.id, second);
    let undone = host.run(undo(&host, None)).returned().unwrap().unwrap();
    assert_eq!(undone.operation.id, first);
}

/// Records of a Lorefork that did not number its operations are older than any with a number, and
/// among themselves the clock tells.
#[test]
fn operations_of_old_come_before_all_others() {
    let host = SimHost::new(folder());
    let ids = [fork_at(&host, 5), fork_at(&host, 8), fork_at(&host, 10)];
    let mut after = host.folder();
    let mut order = vec![ids[2].clone()];
    for id in [&ids[1], &ids[0]] {
        let (file, text) = record(&after, id);
        let old = id.rsplit_once('-').unwrap().0.to_owned();
        after.remove(&file);
        // As if the clock had been ahead: they are older all the same.
        let text = text.replace(id.as_str(), &old).replace("\"time\": 1", "\"time\": 2");
        after.put(format!("lorefork/operations/log/{old}.json"), text);
        order.push(old);
    }
    let host = SimHost::new(after);
    let log = host.run(log::read(&host)).returned().unwrap().unwrap();
    let found: Vec<String> = log.operations.iter().rev().map(|one| one.id.clone()).collect();
    assert_eq!(found, order);
}

/// What the trash no longer has stays as it is. It is said, and the one before it is offered.
#[test]
fn after_the_trash_was_emptied_the_next_one_is_offered() {
    let host = SimHost::new(folder());
    // Without a link: the rewinding changes the parent, too.
    let mut branch = request(Kind::Branch, 5);
    branch.link = false;
    let fork = host.run(create(&host, &branch)).returned().unwrap().unwrap().id;
    let rewound = host.run(rewind(&host, &main_chat(), 8, LoreChoice::Snapshot));
    let rewound = rewound.returned().unwrap().unwrap().done.id;
    host.run(trash::empty(&host, 0)).returned().unwrap().unwrap();
    let plan = host.run(plan_undo(&host, None)).returned().unwrap().unwrap();
    assert_eq!(plan.operation.id, fork);
    assert_eq!(
        plan.passed_over.iter().map(|error| error.code).collect::<Vec<_>>(),
        [Code::NotInTrash]
    );
    // Nobody asked for it by name, so nothing is done.
    let before = host.folder();
    let error = host.run(undo(&host, None)).returned().unwrap().unwrap_err();
    assert_eq!(error.code, Code::NotInTrash);
    let short = fork.split('-').next().unwrap().to_owned();
    assert_eq!(error.choices, [Choice::Undo(short)]);
    assert_eq!(host.folder(), before);
    assert_eq!(take_back(&host, Some(&rewound)), Err(Code::NotInTrash));
    assert!(take_back(&host, Some(&fork)).is_ok());
    // Now there is none left to offer.
    assert_eq!(take_back(&host, None), Err(Code::NotInTrash));
}
