//! MemoryBooks: memories belong to a timeline as far as the messages they were made from.

use lorefork::fork::isolate;
use lorefork::json::Json;
use lorefork::moment::{LoreChoice, Quality, Source};
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::lorebook_file;
use lorefork_sim::{Folder, SimHost, header, message};

use crate::requirements::story::*;

/// A memory of the messages up to `end` of a chat.
fn memory(uid: u64, chat: &str, end: usize) -> String {
    format!(
        r#"{{"uid":{uid},"comment":"Memory to {end}","content":"of {chat}","odd":1.0,"disable":false,"stmemorybooks":true,"STMB_start":0,"STMB_end":{end},"STMB_chatId":"{chat}"}}"#
    )
}

/// The story, with these in its lorebook, too.
fn folder_with_memories(memories: &[(&'static str, String)]) -> Folder {
    let mut entries = live_entries();
    entries.retain(|(key, _)| memories.iter().all(|(other, _)| other != key));
    entries.extend(memories.iter().cloned());
    let metadata = METADATA.replacen('{', r#"{"STMemoryBooks":{"highestMemoryProcessed":7},"#, 1);
    folder_with(&metadata).with_lorebook(BOOK, &entries)
}

fn keys(forked: &Forked) -> Vec<String> {
    forked.lore().into_iter().map(|(key, _, _)| key).filter(|key| key != QUEUE).collect()
}

#[test]
fn a_rebuilt_lorebook_has_the_memories_up_to_its_message_that_came_after_the_snapshot() {
    let folder = folder_with_memories(&[("5", memory(5, "Tale", 3)), ("6", memory(6, "Tale", 7))]);
    let forked = fork(folder, &request(Kind::Branch, 4));
    assert_eq!((forked.made().source, forked.made().from), (Source::Snapshot, Some(2)));
    assert_eq!(keys(&forked), ["0", "1", "4", "5"]);
    let highest = forked.meta(&["STMemoryBooks", "highestMemoryProcessed"]);
    assert_eq!(highest.as_deref(), Some("3"));
}

#[test]
fn a_rebuilt_lorebook_has_no_memories_of_later_messages() {
    let folder = folder_with_memories(&[("5", memory(5, "Tale", 3))]);
    // The scene was recapped when the story was further on already.
    let mut lines = messages();
    lines[2] = lines[2]
        .replace("\"allEntries\":[", "\"allEntries\":[{\"uid\":5,\"comment\":\"Memory to 3\"},");
    let text = folder.text(&main_chat().file()).unwrap();
    let folder = folder.clone().with_chat(&main_chat(), text.lines().next().unwrap(), &lines);
    let forked = fork(folder.clone(), &request(Kind::Branch, 2));
    assert_eq!(keys(&forked), ["0", "1", "4"]);
    assert_eq!(forked.meta(&["STMemoryBooks", "highestMemoryProcessed"]), None);
    assert_eq!(keys(&fork(folder, &request(Kind::Branch, 3))), ["0", "1", "4", "5"]);
}

#[test]
fn a_memory_whose_number_another_entry_had_at_that_message_is_there_with_it() {
    let folder = folder_with_memories(&[("4", memory(4, "Tale", 3))]);
    let forked = fork(folder, &request(Kind::Branch, 4));
    for there in ["character-Smith", "Memory to 3"] {
        assert!(forked.lore().iter().any(|(_, name, _)| name == there), "{:?}", forked.lore());
    }
}

const BRANCH: &str = "Tale - Branch #1";

/// A branch that SillyTavern made: it tells something else from message 5 on, and shares the
/// lorebook, to which both have added memories since.
fn made_by_sillytavern() -> Folder {
    let told = |who: &str, from: usize| -> Vec<String> {
        (0..10)
            .map(|index| format!("{} {index}", if index < from { "both" } else { who }))
            .map(|text| message("Mira", &text, "{}"))
            .collect()
    };
    let of_branch = header(r#"{"integrity":"b","world_info":"Lore","main_chat":"Tale"}"#);
    let memories =
        [("0", memory(0, "Tale", 3)), ("1", memory(1, "Tale", 7)), ("2", memory(2, BRANCH, 8))];
    Folder::new()
        .with_chat(
            &main_chat(),
            &header(r#"{"integrity":"t","world_info":"Lore"}"#),
            &told("main", 5),
        )
        .with_chat(&main_chat().sibling(BRANCH), &of_branch, &told("branch", 5))
        .with_lorebook(BOOK, &memories)
}

/// Each memory's number and chat.
fn memories_in(folder: &Folder, book: &str) -> Vec<(String, String)> {
    let text = folder.text(&lorebook_file(book)).unwrap();
    let entries = Json::parse(text).unwrap().get("entries").unwrap().members();
    let text_of = |json: Json<'_>| json.str().unwrap().into_owned();
    entries
        .into_iter()
        .map(|entry| (text_of(entry.key), text_of(entry.value.get("STMB_chatId").unwrap())))
        .collect()
}

fn named(memories: &[(&str, &str)]) -> Vec<(String, String)> {
    memories.iter().map(|(key, chat)| ((*key).to_owned(), (*chat).to_owned())).collect()
}

#[test]
fn a_branch_that_sillytavern_made_keeps_its_parents_memories_up_to_where_they_part() {
    let branch = main_chat().sibling(BRANCH);
    let host = SimHost::new(made_by_sillytavern());
    let isolated = host.run(isolate(&host, &branch, LoreChoice::Auto)).returned().unwrap().unwrap();
    assert_eq!(isolated.quality, Some(Quality::Ranged));
    assert!(codes(&isolated.warnings).contains(&"NOT_REWOUND".to_owned()), "it is said");
    let own = memories_in(&host.folder(), isolated.lorebook.as_ref().unwrap());
    assert_eq!(own, named(&[("0", BRANCH), ("2", BRANCH)]));
    let main = memories_in(&host.folder(), BOOK);
    assert_eq!(main, named(&[("0", "Tale"), ("1", "Tale"), ("2", BRANCH)]));
}

#[test]
fn memories_of_a_parent_that_is_gone_stay_what_they_are() {
    let mut folder = made_by_sillytavern();
    folder.remove(&main_chat().file());
    let mut request = request(Kind::Branch, 9);
    request.chat = main_chat().sibling(BRANCH);
    let forked = fork(folder, &request);
    assert!(codes(&forked.made().warnings).contains(&"OTHERS_WROTE_TOO".to_owned()));
    let name = forked.made().chat.clone();
    let own = memories_in(&forked.host.folder(), forked.made().lorebook.as_ref().unwrap());
    assert_eq!(own, named(&[("0", "Tale"), ("1", "Tale"), ("2", &name)]));
}

#[test]
fn memories_that_come_from_a_checkpoint_say_the_new_timelines_name() {
    let folder = folder_with_memories(&[("5", memory(5, "Tale", 1))]);
    let first = fork(folder, &request(Kind::Checkpoint, 2));
    let second = fork(first.host.folder(), &request(Kind::Branch, 2));
    assert!(second.made().is_from_checkpoint);
    let text = second.text(&lorebook_file(second.made().lorebook.as_ref().unwrap()));
    assert!(text.contains(&second.made().chat) && !text.contains(&first.made().chat));
    let highest = second.meta(&["STMemoryBooks", "highestMemoryProcessed"]);
    assert_eq!(highest.as_deref(), Some("1"));
}
