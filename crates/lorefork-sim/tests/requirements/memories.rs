//! MemoryBooks: memories belong to a timeline as far as the messages they were made from.

use lorefork::moment::Quality;
use lorefork::tavern::names::Kind;
use lorefork_sim::Folder;

use crate::story::*;

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
    assert_eq!((forked.made().quality, forked.made().from), (Quality::Snapshot, Some(2)));
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
fn a_memory_whose_number_the_snapshot_gives_another_entry_is_missed_aloud() {
    let folder = folder_with_memories(&[("4", memory(4, "Tale", 3))]);
    let forked = fork(folder, &request(Kind::Branch, 4));
    assert_eq!(forked.made().quality, Quality::Partial);
    assert!(codes(&forked.made().warnings).contains(&"PARTIAL_SNAPSHOT".to_owned()));
    assert!(forked.lore().iter().any(|(_, name, _)| name == "character-Smith"));
}
