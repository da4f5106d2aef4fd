//! Beside extensions that keep state per chat: whatever they do in a timeline, the lorebook and the
//! metadata of the one it came from stay as they are, and so do lorebooks that all use.

use lorefork::audit::untangle::{Family, untangle};
use lorefork::fork::rewind::rewind;
use lorefork::fork::{Request, create, isolate};
use lorefork::housekeeping::{DeletedChat, Happened, follow};
use lorefork::moment::LoreChoice;
use lorefork::operation::salvage::save_beside;
use lorefork::removal::delete::plan_deletion;
use lorefork::removal::sweep::orphans;
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, lorebook_file};
use lorefork_sim::{Folder, SimHost, header};
use serde_json::{Value, json};

use crate::requirements::imitated::*;
use crate::requirements::story::{BOOK, main_chat};

/// The character's own lorebook, which all chats use.
const TOWN: &str = "Town";
const IDENTITY: &str = "tvchat_11111111-1111-4111-8111-111111111111";

fn says(at: usize) -> String {
    format!("message {at}")
}

fn lines(count: usize) -> Vec<String> {
    let line = |at: usize| json!({ "name": "Mira", "mes": says(at), "tunnelvision_message_id": format!("tvmsg_{at}"), "extra": {} });
    (0..count).map(|at| line(at).to_string()).collect()
}

/// An entry that TunnelVision made of a message.
fn tracked(uid: usize, at: usize) -> Value {
    let key = format!("!tv_tracker:v2:{IDENTITY}:tvmsg_{at}:{}", fingerprint(&says(at)));
    json!({ "uid": uid, "comment": format!("of {at}"), "content": "now", "key": ["word", key] })
}

fn undo_key(at: usize) -> String {
    format!("v2:tvmsg_{at}:{}", fingerprint(&says(at)))
}

/// The metadata of a chat that all of them have been at work in.
fn metadata(parent: Option<&str>) -> Value {
    let mut metadata = json!({
        "integrity": "slug-main",
        "world_info": BOOK,
        "tunnelvision_chat_identity": IDENTITY,
        "tunnelvision_selected_book": BOOK,
        "tunnelvision_tracker_hashes": { "Lore:2": "x" },
        "tunnelvision_snapshots": {
            undo_key(5): { "createdUids": [{ "bookName": BOOK, "uid": 1 }, { "uid": 7 }], "modifiedEntries": {}, "treeState": {} },
            undo_key(9): {
                "createdUids": [{ "bookName": BOOK, "uid": 2 }],
                "modifiedEntries": { "Lore:0": { "uid": 0, "comment": "of 2", "content": "before" } },
                "treeState": { "Lore": { "root": {} } },
            },
        },
        "tunnelvision_postturn": {
            "lastProcessedMsgIdx": 9,
            "rollback": { "createdUids": [2], "book": BOOK, "trackerReverts": [{ "uid": 0, "book": BOOK, "previousContent": "before" }] },
        },
        "tunnelvision_notebook": [{ "id": "n", "content": "Lore" }],
        "nemolore": {
            "lorebook": BOOK,
            "created_by": "nemo",
            "memory": {
                "chatId": "Tale",
                "sources": [{ "id": "Tale:9", "chatId": "Tale", "messageIndex": 9 }],
                "records": [{ "id": "r", "sourceIds": ["Tale:9"] }],
            },
            "summaries": { "Tale": { "chatId": "Tale", "text": "all of it" } },
        },
        "carrot_chat_books": [BOOK, "Ours alone"],
        "multi_chat_lore_sources": { "version": 1, "sources": ["Atlas", BOOK] },
        "lore_management_session": { "active": true, "startMessageIndex": 4 },
        "tracker": { "tempTrackerId": 10, "tempTracker": { "a": 1 }, "kept": true },
        "st_bme_commit_marker": { "revision": 3 },
    });
    if let Some(parent) = parent {
        metadata["main_chat"] = json!(parent);
    }
    metadata
}

fn with_book(folder: Folder, name: &str, entries: &[Value]) -> Folder {
    let entries: Vec<(String, String)> =
        entries.iter().map(|entry| (entry["uid"].to_string(), entry.to_string())).collect();
    let entries: Vec<(&str, String)> =
        entries.iter().map(|(key, text)| (key.as_str(), text.clone())).collect();
    folder.with_lorebook(name, &entries)
}

/// A story of ten messages; entries were made of 2, 5 and 9, the first was changed at 9, and the
/// character's lorebook has one of 9.
fn folder() -> Folder {
    let mut folder =
        Folder::new().with_chat(&main_chat(), &header(&metadata(None).to_string()), &lines(10));
    folder = with_book(folder, BOOK, &[tracked(0, 2), tracked(1, 5), tracked(2, 9)]);
    folder = with_book(folder, TOWN, &[tracked(0, 9)]);
    folder = with_book(folder, "Atlas", &[json!({ "uid": 0, "comment": "a map" })]);
    with_book(folder, "Ours alone", &[json!({ "uid": 0, "comment": "notes" })])
}

/// A branch at message 5 that SillyTavern made: it has all that its parent had.
fn with_plain_branch(folder: Folder) -> (Folder, ChatRef) {
    let branch = main_chat().sibling("Tale - Branch #1");
    let mut metadata = metadata(Some("Tale"));
    metadata["integrity"] = json!("slug-branch");
    (folder.with_chat(&branch, &header(&metadata.to_string()), &lines(6)), branch)
}

fn fork_at(folder: Folder, kind: Kind, at: usize, lore: LoreChoice) -> (SimHost, ChatRef) {
    let host = SimHost::new(folder).outside();
    let mut request = Request::new(kind, main_chat());
    (request.at, request.lore) = (Some(at), lore);
    let made = host.run(create(&host, &request)).returned().unwrap().unwrap();
    (host, made.place)
}

/// Lets everybody do in `chat` what they do, and looks whether `files` are as they were.
fn all_at_work(folder: &Folder, chat: &ChatRef, files: &[String]) -> Folder {
    let mut after = folder.clone();
    tunnelvision_opens(&mut after, chat, TOWN);
    tunnelvision_swipes(&mut after, chat);
    nemolore_writes(&mut after, chat);
    for file in files {
        assert_eq!(after.text(file), folder.text(file), "{file} was changed from {chat}");
    }
    after
}

/// What no other timeline may change: its own lorebook and chat, and the lorebooks of all.
fn of_main() -> Vec<String> {
    let books = [BOOK, TOWN, "Atlas"].map(lorebook_file);
    books.into_iter().chain([main_chat().file()]).collect()
}

fn book_of(folder: &Folder, chat: &ChatRef) -> String {
    played(folder, chat).metadata["world_info"].as_str().unwrap().to_owned()
}

/// Nothing of what must not be copied is in the timeline, and it names its parent's lorebook nowhere
/// but where its record says what it came from.
fn is_apart(folder: &Folder, chat: &ChatRef) {
    let mut metadata = played(folder, chat).metadata;
    let own = book_of(folder, chat);
    for gone in ["tunnelvision_snapshots", "lore_management_session"] {
        assert_eq!(metadata[gone], Value::Null, "{gone}");
    }
    assert_eq!(metadata["tunnelvision_postturn"], json!({ "lastProcessedMsgIdx": 9 }));
    assert_eq!(metadata["tracker"], json!({ "kept": true }));
    assert_eq!(metadata["tunnelvision_notebook"][0]["content"], "Lore", "a text is no name");
    assert_eq!(metadata["nemolore"]["lorebook"], own.as_str());
    assert_eq!(metadata["nemolore"]["created_by"], "nemo");
    assert_eq!(carrot_applies(folder, chat), own);
    assert_eq!(sources(folder, chat), ["Atlas".to_owned(), own.clone()]);
    for said in ["lorefork", "auto_recap_checkpoint_state", "tunnelvision_notebook"] {
        metadata.as_object_mut().unwrap().remove(said);
    }
    if own != BOOK {
        let text = metadata.to_string();
        assert!(!text.contains("\"Lore\"") && !text.contains("\"Lore:"), "{text}");
    }
}

fn identity(folder: &Folder, chat: &ChatRef) -> String {
    played(folder, chat).metadata["tunnelvision_chat_identity"].as_str().unwrap().to_owned()
}

#[test]
fn nothing_that_extensions_do_in_a_fork_reaches_its_parent() {
    for (kind, at) in [(Kind::Branch, 5), (Kind::Checkpoint, 5), (Kind::Branch, 9)] {
        let (host, fork) = fork_at(folder(), kind, at, LoreChoice::Live);
        let made = host.folder();
        is_apart(&made, &fork);
        let metadata = played(&made, &fork).metadata;
        assert_eq!(metadata["st_bme_commit_marker"], Value::Null);
        assert_eq!(metadata["nemolore"]["memory"], Value::Null);
        assert_eq!(timeline_memory_opens(&made, &fork), at + 1);
        let new = identity(&made, &fork);
        assert!(new.starts_with("tvchat_") && new.len() == IDENTITY.len() && new != IDENTITY);
        let after = all_at_work(&made, &fork, &of_main());
        // Its own entries are known as its own: those of messages that it lacks are cleared away.
        let own = after.text(&lorebook_file(&book_of(&made, &fork))).unwrap();
        assert!(
            own.contains("of 5") && own.contains("learnt by NemoLore") && !own.contains(IDENTITY)
        );
        assert_eq!(own.contains("of 9"), at == 9);
        assert_eq!(identity(&made, &main_chat()), IDENTITY);
    }
}

#[test]
fn a_fork_that_shares_its_lorebook_on_purpose_undoes_nothing_in_it() {
    let (host, fork) = fork_at(folder(), Kind::Branch, 5, LoreChoice::Share);
    let made = host.folder();
    assert_eq!(book_of(&made, &fork), BOOK);
    is_apart(&made, &fork);
    let mut after = made.clone();
    tunnelvision_opens(&mut after, &fork, TOWN);
    tunnelvision_swipes(&mut after, &fork);
    for file in of_main() {
        assert_eq!(after.text(&file), made.text(&file), "{file}");
    }
}

#[test]
fn forks_of_forks_and_forks_from_checkpoints_have_identities_of_their_own() {
    let (host, first) = fork_at(folder(), Kind::Checkpoint, 5, LoreChoice::Live);
    let mut request = Request::new(Kind::Branch, first.clone());
    request.at = Some(5);
    let second = host.run(create(&host, &request)).returned().unwrap().unwrap().place;
    let made = host.folder();
    let all = [main_chat(), first.clone(), second.clone()].map(|chat| identity(&made, &chat));
    assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2], "{all:?}");
    let own = made.text(&lorebook_file(&book_of(&made, &second))).unwrap();
    assert!(own.contains(&all[2]) && !own.contains(&all[1]) && !own.contains(&all[0]));
    let mut files = of_main();
    files.extend([lorebook_file(&book_of(&made, &first)), first.file()]);
    all_at_work(&made, &second, &files);
}

#[test]
fn an_isolated_branch_lets_go_of_its_parent() {
    let (folder, branch) = with_plain_branch(folder());
    let host = SimHost::new(folder);
    host.run(isolate(&host, &branch, LoreChoice::Live)).returned().unwrap().unwrap();
    let made = host.folder();
    is_apart(&made, &branch);
    assert_ne!(identity(&made, &branch), IDENTITY);
    let after = all_at_work(&made, &branch, &of_main());
    let own = after.text(&lorebook_file(&book_of(&made, &branch))).unwrap();
    assert!(own.contains("of 5") && !own.contains("of 9"));
}

#[test]
fn a_main_chat_that_is_isolated_stays_who_it_is_and_leaves_the_shared_lorebook_alone() {
    let (folder, branch) = with_plain_branch(folder());
    let host = SimHost::new(folder);
    host.run(isolate(&host, &main_chat(), LoreChoice::Live)).returned().unwrap().unwrap();
    let made = host.folder();
    is_apart(&made, &main_chat());
    assert_eq!(identity(&made, &main_chat()), IDENTITY);
    let metadata = played(&made, &main_chat()).metadata;
    assert_eq!(metadata["st_bme_commit_marker"]["revision"], 3, "its own");
    assert_eq!(nemolore_loads(&made, &main_chat()).len(), 1, "its own");
    all_at_work(&made, &main_chat(), &[lorebook_file(BOOK), branch.file()]);
}

#[test]
fn nothing_is_undone_in_a_lorebook_that_was_rewound() {
    let host = SimHost::new(folder());
    let main = main_chat();
    host.run(rewind(&host, &main, 5, LoreChoice::Empty)).returned().unwrap().unwrap();
    let made = host.folder();
    assert_eq!(book_of(&made, &main_chat()), BOOK, "in place");
    is_apart(&made, &main_chat());
    assert_eq!(identity(&made, &main_chat()), IDENTITY);
    let mut after = made.clone();
    tunnelvision_swipes(&mut after, &main_chat());
    for file in of_main() {
        assert_eq!(after.text(&file), made.text(&file), "{file}");
    }
}

#[test]
fn an_untangled_family_lets_go_of_each_other() {
    let (folder, branch) = with_plain_branch(folder());
    let host = SimHost::new(folder).outside();
    let family = Family { lorebook: BOOK.to_owned(), chats: vec![main_chat(), branch.clone()] };
    host.run(untangle(&host, &family)).returned().unwrap().unwrap();
    let made = host.folder();
    is_apart(&made, &branch);
    assert_ne!(identity(&made, &branch), IDENTITY);
    assert_eq!(identity(&made, &main_chat()), IDENTITY);
    let own = made.text(&lorebook_file(&book_of(&made, &branch))).unwrap();
    assert!(!own.contains(IDENTITY) && own.contains(&identity(&made, &branch)));
    all_at_work(&made, &branch, &of_main());
}

#[test]
fn a_renamed_lorebook_is_followed_in_all_keys() {
    let mut folder = folder();
    let bytes = folder.remove(&lorebook_file(BOOK)).unwrap();
    folder.put(lorebook_file("Legends"), bytes);
    let before = folder.text(&main_chat().file()).unwrap().to_owned();
    let host = SimHost::new(folder);
    let happened = Happened::LorebookRenamed { from: BOOK.into(), to: "Legends".into() };
    host.run(follow(&host, &happened)).returned().unwrap().unwrap();
    let after = host.folder().text(&main_chat().file()).unwrap().to_owned();
    let expected = before
        .replace("\"Lore\"", "\"Legends\"")
        .replace("\"Lore:", "\"Legends:")
        .replace(r#""content":"Legends""#, r#""content":"Lore""#);
    assert_eq!(after, expected);
}

#[test]
fn a_renamed_chat_keeps_the_memories_that_say_its_name() {
    let mut folder = folder();
    let bytes = folder.remove(&main_chat().file()).unwrap();
    let renamed = main_chat().sibling("Saga");
    folder.put(renamed.file(), bytes);
    assert!(nemolore_loads(&folder, &renamed).is_empty());
    let host = SimHost::new(folder);
    let happened = Happened::RenamedItself { chat: renamed.clone(), from: "Tale".into() };
    host.run(follow(&host, &happened)).returned().unwrap().unwrap();
    assert_eq!(nemolore_loads(&host.folder(), &renamed).len(), 1);
    let metadata = played(&host.folder(), &renamed).metadata;
    assert_eq!(metadata["nemolore"]["summaries"]["Saga"]["chatId"], "Saga");
}

#[test]
fn a_lorebook_that_only_an_extension_names_is_nobodys_orphan() {
    let keys = [
        json!({ "nemolore": { "lorebook": "Made" } }),
        json!({ "carrot_chat_books": ["Made"] }),
        json!({ "multi_chat_lore_sources": { "sources": ["Made"] } }),
        json!({ "tunnelvision_selected_book": "Made" }),
        json!({ "tunnelvision_snapshots": { "k": { "createdUids": [{ "bookName": "Made" }] } } }),
        json!({ "tunnelvision_snapshots": { "k": { "modifiedEntries": { "Made:3": {} } } } }),
        json!({ "tunnelvision_snapshots": { "k": { "treeState": { "Made": {} } } } }),
        json!({ "tunnelvision_postturn": { "rollback": { "book": "Made" } } }),
        json!({ "tunnelvision_postturn": { "rollback": { "trackerReverts": [{ "book": "Made" }] } } }),
    ];
    let other = main_chat().sibling("Other");
    let made = r#"{"entries":{},"extensions":{"lorefork":{"v":1,"id":"x"}}}"#;
    for key in keys {
        let mut folder = Folder::new()
            .with_chat(&main_chat(), &header(r#"{"world_info":"Made"}"#), &lines(2))
            .with_chat(&other, &header(&key.to_string()), &lines(2));
        folder.put("worlds/Made.json", made);
        let host = SimHost::new(folder.clone());
        let plan = host.run(plan_deletion(&host, &main_chat(), &[])).returned().unwrap().unwrap();
        assert_eq!((plan.lorebook, plan.stays.is_some()), (None, true), "{key}");
        let gone = folder.remove(&main_chat().file()).unwrap();
        let host = SimHost::new(folder);
        let found = host.run(orphans(&host, 0, &[])).returned().unwrap().unwrap();
        assert!(found.is_empty(), "{key}");
        // Nor is it marked as one.
        let text = String::from_utf8(gone).unwrap();
        let mut lines = text.lines().map(str::to_owned);
        let header = lines.next().unwrap();
        let chats = vec![DeletedChat { chat: main_chat(), header, messages: lines.collect() }];
        let followed = host.run(follow(&host, &Happened::ChatsDeleted { chats }));
        assert!(followed.returned().unwrap().unwrap().orphans.is_empty(), "{key}");
    }
}

#[test]
fn what_is_saved_beside_is_somebody_else() {
    let (folder, branch) = with_plain_branch(folder());
    let host = SimHost::new(folder).outside();
    let family = Family { lorebook: BOOK.to_owned(), chats: vec![main_chat(), branch] };
    let done = host.run(untangle(&host, &family)).returned().unwrap().unwrap().done;
    let saved = host.run(save_beside(&host, &done.id)).returned().unwrap().unwrap();
    let made = host.folder();
    for name in saved.chats {
        let beside = main_chat().sibling(name);
        assert_ne!(identity(&made, &beside), IDENTITY);
        assert_eq!(played(&made, &beside).metadata["tunnelvision_snapshots"], Value::Null);
        let mut after = made.clone();
        tunnelvision_opens(&mut after, &beside, TOWN);
        tunnelvision_swipes(&mut after, &beside);
        for file in of_main() {
            assert_eq!(after.text(&file), made.text(&file), "{file}");
        }
    }
}
