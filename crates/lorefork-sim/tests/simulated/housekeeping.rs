//! Names change, chats go, and what refers to them follows (N-8, R-111 to R-118). Folders are written
//! by hand, renamed and deleted as SillyTavern does it: one file, and nothing else.

use lorefork::audit::fix::Missing;
use lorefork::audit::fix::missing::{lost, replace};
use lorefork::error::Code;
use lorefork::fork::bindings::copy_bound;
use lorefork::fork::{Request, create};
use lorefork::host::Host;
use lorefork::housekeeping::{DeletedChat, Followed, Happened, follow, keep_copy};
use lorefork::json::Json;
use lorefork::moment::LoreChoice;
use lorefork::operation::ahead::Ahead;
use lorefork::operation::log;
use lorefork::operation::recover::{Healed, heal};
use lorefork::operation::salvage::save_beside;
use lorefork::operation::undo::undo;
use lorefork::removal::delete::delete;
use lorefork::removal::sweep::orphans;
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_sim::{Folder, SimHost, entry, header, message};

fn chat(name: &str) -> ChatRef {
    ChatRef::new(Owner::Character("Mira".into()), name)
}

/// A main chat with a running recap, a checkpoint at message 1, and a branch at message 2 that carries
/// along the checkpoint's link.
fn family() -> (SimHost, String, String) {
    let metadata = r#"{"integrity":"slug-main","world_info":"Lore","variables":{"x":1.50},"auto_recap_running_scene_recaps":{"chat_id":"Main","current_version":0,"versions":[{"version":0,"content":"So far.","new_scene_index":0,"scene_count":1}]}}"#;
    let recap = r#"{"auto_recap_memory":{"scene_break":true,"scene_recap_memory":"r","scene_recap_metadata":{"0":{"timestamp":5,"chatLorebookName":"Lore","allEntries":[{"uid":0,"comment":"a","world":"Lore"}]}}}}"#;
    let messages: Vec<String> = (0..4)
        .map(|at| message("Mira", &format!("m{at}"), if at == 0 { recap } else { "{}" }))
        .collect();
    let folder = Folder::new()
        .with_chat(&chat("Main"), &header(metadata), &messages)
        .with_lorebook("Lore", &[("0", entry(0, "a", "text"))]);
    let host = SimHost::new(folder);
    let fork = |kind, at| {
        let mut request = Request::new(kind, chat("Main"));
        request.at = Some(at);
        let made = host.run(create(&host, &request)).returned().expect("calm").expect("made");
        (made.chat, made.lorebook.expect("a lorebook"))
    };
    let (checkpoint, book) = fork(Kind::Checkpoint, 1);
    let (branch, _) = fork(Kind::Branch, 2);
    assert_eq!(checkpoint, "Main - Checkpoint #1");
    assert_eq!(branch, "Main - Branch #1");
    let names = (checkpoint, book);
    (host, names.0, names.1)
}

/// The folder, for somebody who has no log of what was before: a new simulation counts its ids anew.
fn folder_of(host: &SimHost) -> Folder {
    let mut folder = host.folder();
    let ours: Vec<String> = folder.files().map(|(file, _)| file.to_owned()).collect();
    for file in ours.iter().filter(|file| file.starts_with("lorefork/")) {
        folder.remove(file);
    }
    folder
}

fn moved(host: &SimHost, from: &str, to: &str) -> SimHost {
    let mut folder = folder_of(host);
    let bytes = folder.remove(from).expect("a file");
    folder.put(to, bytes);
    SimHost::new(folder)
}

fn removed(host: &SimHost, chat: &ChatRef) -> (SimHost, DeletedChat) {
    let mut folder = folder_of(host);
    let bytes = folder.remove(&chat.file()).expect("a chat");
    let text = String::from_utf8(bytes).expect("text");
    let mut lines = text.lines().map(str::to_owned);
    let header = lines.next().expect("a header");
    (SimHost::new(folder), DeletedChat { chat: chat.clone(), header, messages: lines.collect() })
}

fn follows(host: &SimHost, happened: &Happened) -> Followed {
    host.run(follow(host, happened)).returned().expect("calm").expect("followed")
}

fn text(host: &SimHost, file: &str) -> String {
    host.folder().text(file).unwrap_or_else(|| panic!("{file} is there")).to_owned()
}

/// A value of a chat's header, as JSON text.
fn meta(host: &SimHost, name: &str, path: &[&str]) -> Option<String> {
    let text = text(host, &chat(name).file());
    let line = text.lines().next().expect("a header");
    let json = Json::parse(line).expect("JSON").get("chat_metadata")?.at(path)?;
    Some(json.text().to_owned())
}

fn theirs(host: &SimHost) -> Vec<(String, String)> {
    let folder = host.folder();
    let files = folder.files().filter(|(file, _)| !file.starts_with("lorefork/"));
    files.map(|(file, bytes)| (file.into(), String::from_utf8_lossy(bytes).into())).collect()
}

/// What followed a name goes back only to a name that is there; then it does, byte for byte.
fn goes_back(host: &SimHost, followed: &[&Followed], there: &str, before: &[(String, String)]) {
    let id = |followed: &Followed| followed.done.as_ref().expect("something followed").id.clone();
    let take_back = |followed| host.run(undo(host, Some(&id(followed)))).returned().expect("calm");
    let after = theirs(host);
    for followed in followed {
        let refused = take_back(followed).expect_err("refused");
        let is_lorebook = there.starts_with("worlds/");
        let code = if is_lorebook { Code::MissingLorebook } else { Code::ChatNotFound };
        assert_eq!(refused.code, code, "{refused}");
    }
    assert_eq!(theirs(host), after, "what is refused changes nothing");
    host.put(there, "{}");
    for followed in followed {
        take_back(followed).expect("undone");
    }
    let mut now = theirs(host);
    now.retain(|(file, _)| file != there);
    assert_eq!(now, before);
}

fn undone(host: &SimHost) {
    host.run(undo(host, None)).returned().expect("calm").expect("undone");
}

#[test]
fn n8_a_renamed_main_chat_keeps_its_recap_and_its_children() {
    let (host, checkpoint, _) = family();
    let host = moved(&host, "chats/Mira/Main.jsonl", "chats/Mira/Story.jsonl");
    let before = theirs(&host);
    // First its own file, before anybody opens it.
    let renamed = Happened::RenamedItself { chat: chat("Story"), from: "Main".into() };
    let itself = follows(&host, &renamed);
    assert_eq!(itself.chats, [chat("Story")]);
    let recap = ["auto_recap_running_scene_recaps", "chat_id"];
    assert_eq!(meta(&host, "Story", &recap).unwrap(), "\"Story\"");
    assert_eq!(meta(&host, "Story", &["lorefork", "chat"]).unwrap(), "\"Story\"");
    assert_eq!(meta(&host, "Story", &["variables"]).unwrap(), r#"{"x":1.50}"#);
    // Then the rest.
    let renamed = Happened::ChatRenamed { chat: chat("Story"), from: "Main".into() };
    let rest = follows(&host, &renamed);
    assert_eq!(rest.chats.len(), 2);
    for child in [&checkpoint, "Main - Branch #1"] {
        assert_eq!(meta(&host, child, &["main_chat"]).unwrap(), "\"Story\"");
        assert_eq!(meta(&host, child, &["lorefork", "parent", "chat"]).unwrap(), "\"Story\"");
        assert_eq!(meta(&host, child, &recap).unwrap(), format!("\"{child}\""));
    }
    // Nothing is left to do, and all of it can be taken back.
    assert!(follows(&host, &renamed).done.is_none());
    goes_back(&host, &[&rest, &itself], "chats/Mira/Main.jsonl", &before);
}

#[test]
fn n8_links_and_maps_follow_a_renamed_child_in_the_whole_family() {
    let (host, checkpoint, book) = family();
    let host = moved(&host, &chat(&checkpoint).file(), "chats/Mira/Before the storm.jsonl");
    let before = theirs(&host);
    let renamed =
        Happened::ChatRenamed { chat: chat("Before the storm"), from: checkpoint.clone() };
    let followed = follows(&host, &renamed);
    let mut changed = followed.chats.clone();
    changed.sort();
    assert_eq!(changed, [chat("Before the storm"), chat("Main"), chat("Main - Branch #1")]);
    for name in ["Main", "Main - Branch #1"] {
        let text = text(&host, &chat(name).file());
        assert!(text.contains(r#""bookmark_link":"Before the storm""#), "{text}");
        assert!(!text.contains(&format!("\"bookmark_link\":\"{checkpoint}\"")), "{text}");
    }
    let map = meta(&host, "Main", &["auto_recap", "checkpoint_lorebook_map"]).unwrap();
    assert!(map.contains(&format!("\"Before the storm\":\"{book}\"")), "{map}");
    assert!(!map.contains(&checkpoint), "{map}");
    goes_back(&host, &[&followed], &chat(&checkpoint).file(), &before);
}

#[test]
fn a_name_that_somebody_took_meanwhile_is_not_ours_to_follow() {
    let (host, checkpoint, _) = family();
    let host = moved(&host, "chats/Mira/Main.jsonl", "chats/Mira/Story.jsonl");
    let mut folder = folder_of(&host);
    folder.put("chats/Mira/Main.jsonl", header("{}"));
    // Made by somebody else, from the new chat.
    let other = header(r#"{"main_chat":"Main","integrity":"o"}"#);
    folder.put("chats/Mira/Other.jsonl", other.clone());
    let host = SimHost::new(folder);
    let renamed = Happened::ChatRenamed { chat: chat("Story"), from: "Main".into() };
    follows(&host, &renamed);
    assert_eq!(text(&host, "chats/Mira/Other.jsonl"), other);
    assert_eq!(text(&host, "chats/Mira/Main.jsonl"), header("{}"));
    // Its own children know it by its id.
    assert_eq!(meta(&host, &checkpoint, &["main_chat"]).unwrap(), "\"Story\"");
}

#[test]
fn r113_a_deleted_child_leaves_no_links_and_its_lorebook_is_marked() {
    let (host, checkpoint, book) = family();
    let (host, gone) = removed(&host, &chat(&checkpoint));
    let before = theirs(&host);
    let happened = Happened::ChatsDeleted { chats: vec![gone] };
    let followed = follows(&host, &happened);
    assert_eq!(followed.orphans, std::slice::from_ref(&book));
    for name in ["Main", "Main - Branch #1"] {
        assert!(!text(&host, &chat(name).file()).contains("bookmark_link"), "{name}");
    }
    let map = meta(&host, "Main", &["auto_recap", "checkpoint_lorebook_map"]).unwrap();
    assert!(!map.contains(&checkpoint), "{map}");
    let marked = text(&host, &format!("worlds/{book}.json"));
    assert!(marked.contains("\"orphaned\""), "{marked}");
    let listed = host.run(orphans(&host, 0, &[])).returned().expect("calm").expect("listed");
    assert_eq!(listed.iter().map(|orphan| &orphan.name).collect::<Vec<_>>(), [&book]);
    assert!(listed[0].time.is_some() && listed[0].timeline == checkpoint);
    goes_back(&host, &[&followed], &chat(&checkpoint).file(), &before);
}

#[test]
fn a_deleted_parent_leaves_its_children_on_their_own_with_their_recap() {
    let (host, checkpoint, _) = family();
    let (host, gone) = removed(&host, &chat("Main"));
    let before = theirs(&host);
    let followed = follows(&host, &Happened::ChatsDeleted { chats: vec![gone] });
    assert_eq!(followed.chats, [chat("Main - Branch #1"), chat(&checkpoint)]);
    // What the parent had is the user's: no mark.
    assert_eq!(followed.orphans, [""; 0]);
    assert_eq!(meta(&host, &checkpoint, &["main_chat"]), None);
    let recap = ["auto_recap_running_scene_recaps", "chat_id"];
    assert_eq!(meta(&host, &checkpoint, &recap).unwrap(), format!("\"{checkpoint}\""));
    goes_back(&host, &[&followed], &chat("Main").file(), &before);
}

#[test]
fn r115_a_lorebook_that_somebody_else_names_is_not_marked_and_a_chat_that_is_there_is_not_gone() {
    let (host, checkpoint, book) = family();
    let mut folder = folder_of(&host);
    let other = header(&format!("{{\"world_info\":\"{book}\"}}"));
    folder.put("chats/Else/x.jsonl", other);
    let (host, gone) = removed(&SimHost::new(folder), &chat(&checkpoint));
    let followed = follows(&host, &Happened::ChatsDeleted { chats: vec![gone] });
    assert_eq!(followed.orphans, [""; 0]);
    // SillyTavern tells of a deletion that its server refused.
    let (host, checkpoint, _) = family();
    let (_, gone) = removed(&host, &chat(&checkpoint));
    assert!(follows(&host, &Happened::ChatsDeleted { chats: vec![gone] }).done.is_none());
}

#[test]
fn a_deleted_character_leaves_orphans_only() {
    let (host, checkpoint, book) = family();
    let mut gone = Vec::new();
    let mut left = host;
    for name in ["Main", "Main - Branch #1", &checkpoint] {
        let (host, header) = removed(&left, &chat(name));
        (left, gone) = (host, [gone, vec![header]].concat());
    }
    let followed = follows(&left, &Happened::ChatsDeleted { chats: gone });
    assert_eq!(followed.chats, []);
    assert_eq!(followed.orphans.len(), 2);
    assert!(followed.orphans.contains(&book));
    assert!(left.folder().has("worlds/Lore.json"));
}

#[test]
fn n8_timelines_follow_a_renamed_lorebook() {
    let (host, checkpoint, book) = family();
    let from = format!("worlds/{book}.json");
    let host = moved(&host, &from, "worlds/The storm.json");
    let before = theirs(&host);
    let renamed = Happened::LorebookRenamed { from: book.clone(), to: "The storm".into() };
    let followed = follows(&host, &renamed);
    assert_eq!(followed.lorebook.as_deref(), Some("The storm"));
    let mut changed = followed.chats.clone();
    changed.sort();
    assert_eq!(changed, [chat("Main"), chat(&checkpoint)]);
    let whole = text(&host, &chat(&checkpoint).file());
    assert!(!whole.contains(&format!("\"chatLorebookName\":\"{book}\"")), "{whole}");
    assert!(whole.contains(r#""chatLorebookName":"The storm""#), "{whole}");
    assert_eq!(meta(&host, &checkpoint, &["world_info"]).unwrap(), "\"The storm\"");
    let state = ["auto_recap_checkpoint_state", "cloned_lorebook_name"];
    assert_eq!(meta(&host, &checkpoint, &state).unwrap(), "\"The storm\"");
    let map = ["auto_recap", "checkpoint_lorebook_map", &checkpoint];
    assert_eq!(meta(&host, "Main", &map).unwrap(), "\"The storm\"");
    goes_back(&host, &[&followed], &from, &before);
    // The old one is there: nobody knows who means which.
    let (host, _, book) = family();
    let mut folder = folder_of(&host);
    let copy = folder.get(&format!("worlds/{book}.json")).expect("a book").to_owned();
    folder.put("worlds/The storm.json", copy);
    let host = SimHost::new(folder);
    let renamed = Happened::LorebookRenamed { from: book, to: "The storm".into() };
    assert!(follows(&host, &renamed).done.is_none());
}

#[test]
fn r151_groups_follow_too() {
    let group = |name: &str| ChatRef::new(Owner::Group("7".into()), name);
    let main = header(
        r#"{"integrity":"g","auto_recap_running_scene_recaps":{"chat_id":"Night","versions":[]}}"#,
    );
    let child = header(r#"{"main_chat":"Night","integrity":"c"}"#);
    let folder = Folder::new()
        .with_chat(&group("Watch"), &main, &[message("A", "m", r#"{"branches":["Child"]}"#)])
        .with_chat(&group("Child"), &child, &[])
        .with_group("7", &["Watch", "Child"]);
    let host = SimHost::new(folder);
    let renamed = Happened::ChatRenamed { chat: group("Watch"), from: "Night".into() };
    assert_eq!(follows(&host, &renamed).chats.len(), 2);
    assert!(text(&host, "group chats/Child.jsonl").contains(r#""main_chat":"Watch""#));
    assert!(text(&host, "group chats/Watch.jsonl").contains(r#""chat_id":"Watch""#));
}

#[test]
fn a_lorebook_that_was_saved_anew_and_deleted_was_renamed() {
    let (host, checkpoint, book) = family();
    let from = format!("worlds/{book}.json");
    let old = text(&host, &from);
    let host = moved(&host, &from, "worlds/The storm.json");
    let gone = |text: &str, made: &[&str]| Happened::LorebookGone {
        name: book.clone(),
        text: text.to_owned(),
        made: made.iter().map(|name| (*name).to_owned()).collect(),
        with_chat: false,
        copy: None,
    };
    // One that has other entries has nothing to do with it; without any it is just gone.
    let other = Folder::new().with_lorebook("Other", &[("7", entry(7, "z", "else"))]);
    let mut folder = folder_of(&host);
    folder.put("worlds/Other.json", other.get("worlds/Other.json").expect("a book"));
    let host = SimHost::new(folder);
    assert!(follows(&host, &gone(&old, &["Other"])).done.is_none());
    assert!(follows(&host, &gone(&old, &[])).done.is_none());
    let followed = follows(&host, &gone(&old, &["The storm"]));
    assert!(followed.done.is_some());
    assert_eq!(meta(&host, &checkpoint, &["world_info"]).unwrap(), "\"The storm\"");
}

#[test]
fn the_waiting_work_of_a_renamed_lorebook_follows() {
    let waiting = r#"{"queue":[{"id":"op","params":{"lorebookName":"Lore","entryUid":0}}]}"#;
    let folder = Folder::new()
        .with_chat(&chat("Main"), &header(r#"{"integrity":"s","world_info":"Lore"}"#), &[])
        .with_lorebook("The storm", &[("9", entry(9, "__operation_queue", waiting))]);
    let host = SimHost::new(folder);
    let before = theirs(&host);
    let renamed = Happened::LorebookRenamed { from: "Lore".into(), to: "The storm".into() };
    let followed = follows(&host, &renamed);
    assert!(followed.done.is_some() && followed.orphans.is_empty());
    let book = text(&host, "worlds/The storm.json");
    assert!(book.contains(r#"\"lorebookName\":\"The storm\",\"entryUid\":0"#), "{book}");
    goes_back(&host, &[&followed], "worlds/Lore.json", &before);
}

/// A main chat and a branch as plain SillyTavern makes it: both name one lorebook, and a third chat
/// has it bound by MemoryBooks.
fn sharing() -> SimHost {
    let main = header(r#"{"integrity":"s","world_info":"Lore"}"#);
    let branch = header(r#"{"integrity":"b","world_info":"Lore","main_chat":"Main"}"#);
    let bound = header(r#"{"integrity":"c","STMemoryBooks":{"manualLorebook":"Lore"}}"#);
    let folder = Folder::new()
        .with_chat(&chat("Main"), &main, &[])
        .with_chat(&chat("Branch"), &branch, &[])
        .with_chat(&chat("Bound"), &bound, &[])
        .with_lorebook("Lore", &[("0", entry(0, "a", "text"))])
        .with_lorebook("Nobody's", &[("0", entry(0, "b", "text"))]);
    SimHost::new(folder)
}

/// Deletes a lorebook as SillyTavern's server does, when a copy of it was kept.
fn deleted(host: &SimHost, name: &str, made: &[&str], with_chat: bool) -> Happened {
    let was = text(host, &format!("worlds/{name}.json"));
    let copy = host.run(keep_copy(host, name, &was)).returned().expect("calm").expect("kept");
    assert!(copy.is_some() && host.folder().has(&format!("worlds/{name}.json")));
    host.run(async {
        let now = host.lorebook(name).await.expect("read").expect("a lorebook");
        host.remove_lorebook(name, &now.stamp).await
    });
    Happened::LorebookGone {
        name: name.to_owned(),
        text: was,
        made: made.iter().map(|name| (*name).to_owned()).collect(),
        with_chat,
        copy,
    }
}

/// How many operations the log has, how many files the trash, and how many are under way.
fn left_over(host: &SimHost) -> (usize, usize, usize) {
    let counted = host.run(async {
        let log = log::read(host).await.expect("a log").operations.len();
        let trash = host.trashed().await.expect("a trash").len();
        (log, trash, host.unfinished().await.expect("intents").len())
    });
    counted.returned().expect("calm")
}

#[test]
fn a_lorebook_that_goes_along_with_a_chat_comes_back_if_others_name_it() {
    let host = sharing();
    let before = theirs(&host);
    // Auto-Recap, when the main chat is deleted.
    let happened = deleted(&host, "Lore", &[], true);
    let followed = follows(&host, &happened);
    assert!(followed.is_back && followed.done.is_some());
    assert_eq!(followed.naming, [chat("Bound"), chat("Branch"), chat("Main")]);
    assert_eq!(theirs(&host), before, "the very bytes");
    assert_eq!(left_over(&host), (1, 0, 0), "one operation, and no copy: it is there");
    // Who wanted it deleted can have that, and all of it back again.
    let id = followed.done.expect("an operation").id;
    let gone = host.run(undo(&host, Some(&id))).returned().expect("calm").expect("undone");
    assert!(!host.folder().has("worlds/Lore.json"));
    host.run(undo(&host, Some(&gone.done.id))).returned().expect("calm").expect("undone");
    assert_eq!(theirs(&host), before);
}

#[test]
fn a_lorebook_that_somebody_deletes_is_in_the_trash_as_long_as_a_timeline_names_it() {
    for with_chat in [false, true] {
        let host = sharing();
        let before = theirs(&host);
        let nobody = follows(&host, &deleted(&host, "Nobody's", &[], with_chat));
        assert!(!nobody.is_back && nobody.copy.is_none() && nobody.naming.is_empty());
        assert_eq!(left_over(&host), (0, 0, 0), "nobody misses it, so nothing is kept");
        let path = "worlds/Nobody's.json";
        let (_, text) = before.iter().find(|(file, _)| file == path).expect("it was there");
        host.put(path, text);
    }
    let host = sharing();
    let before = theirs(&host);
    let followed = follows(&host, &deleted(&host, "Lore", &[], false));
    assert!(!followed.is_back && followed.done.is_none());
    assert_eq!(followed.naming.len(), 3);
    assert!(!host.folder().has("worlds/Lore.json"), "that is what somebody wanted");
    assert_eq!(left_over(&host), (1, 1, 0));
    let copy = followed.copy.expect("a copy in the log");
    host.run(undo(&host, Some(&copy))).returned().expect("calm").expect("undone");
    assert_eq!(theirs(&host), before, "the very bytes");
}

#[test]
fn the_copy_of_a_lorebook_of_ours_is_kept_even_if_its_timeline_is_not_known() {
    let (host, checkpoint, book) = family();
    let (host, _) = removed(&host, &chat(&checkpoint));
    let followed = follows(&host, &deleted(&host, &book, &[], true));
    assert!(!followed.is_back && followed.naming.is_empty());
    assert!(followed.copy.is_some());
    assert_eq!(left_over(&host), (1, 1, 0));
}

#[test]
fn a_copy_is_kept_of_a_lorebook_that_is_overwritten_and_none_of_one_that_is_renamed() {
    let host = sharing();
    let happened = deleted(&host, "Lore", &[], false);
    // SillyTavern's editor makes a new one of the same name.
    host.put("worlds/Lore.json", r#"{"entries":{}}"#);
    let followed = follows(&host, &happened);
    let copy = followed.copy.expect("a copy in the log");
    assert_eq!((followed.is_back, left_over(&host)), (false, (1, 1, 0)));
    let refused = host.run(undo(&host, Some(&copy))).returned().expect("calm");
    assert_eq!(refused.expect_err("refused").code, Code::ChangedSince);
    let beside = host.run(save_beside(&host, &copy)).returned().expect("calm").expect("saved");
    assert_eq!(beside.lorebooks.len(), 1);

    let host = sharing();
    host.put("worlds/The storm.json", &text(&host, "worlds/Lore.json"));
    let followed = follows(&host, &deleted(&host, "Lore", &["The storm"], true));
    assert_eq!(followed.lorebook.as_deref(), Some("The storm"));
    assert_eq!(meta(&host, "Branch", &["world_info"]).unwrap(), "\"The storm\"");
    assert_eq!(left_over(&host), (1, 0, 0), "only what followed");
    // One that the server did not delete.
    let host = sharing();
    let was = text(&host, "worlds/Lore.json");
    host.run(keep_copy(&host, "Lore", &was)).returned().expect("calm").expect("kept");
    let healed = host.run(heal(&host)).returned().expect("calm").expect("healed");
    assert!(matches!(&healed[..], [Healed::Undone(_)]), "{healed:?}");
    assert_eq!(left_over(&host), (0, 0, 0));
}

#[test]
fn a_copy_survives_a_page_that_is_closed_before_anything_follows() {
    let host = sharing();
    let before = theirs(&host);
    let Happened::LorebookGone { copy: Some(copy), .. } = deleted(&host, "Lore", &[], true) else {
        panic!("a copy is kept");
    };
    let healed = host.run(heal(&host)).returned().expect("calm").expect("healed");
    assert!(matches!(&healed[..], [Healed::Finished(_)]), "{healed:?}");
    assert_eq!(left_over(&host), (1, 1, 0));
    host.run(undo(&host, Some(&copy))).returned().expect("calm").expect("undone");
    assert_eq!(theirs(&host), before);
    // If another operation healed it, what follows is the same, and the record stays.
    let host = sharing();
    let happened = deleted(&host, "Lore", &[], true);
    host.run(heal(&host)).returned().expect("calm").expect("healed");
    assert!(follows(&host, &happened).is_back);
    assert_eq!(left_over(&host).2, 0);
    assert_eq!(theirs(&host), before);
}

#[test]
fn without_a_copy_a_lorebook_that_went_along_with_a_chat_comes_back_all_the_same() {
    let host = sharing();
    let before = theirs(&host);
    let was = text(&host, "worlds/Lore.json");
    deleted(&host, "Lore", &[], true);
    let gone = |text: &str| Happened::LorebookGone {
        name: "Lore".into(),
        text: text.into(),
        made: Vec::new(),
        with_chat: true,
        copy: None,
    };
    // What could not be read is not put back.
    let followed = follows(&host, &gone(""));
    assert_eq!((followed.is_back, followed.naming.len()), (false, 3));
    assert!(follows(&host, &gone(&was)).is_back);
    assert_eq!(theirs(&host), before);
}

/// R-110: each choice for a missing lorebook is undone byte for byte, and none is made unasked.
#[test]
fn r110_every_choice_for_a_missing_lorebook_can_be_taken_back() {
    let choices = [Missing::Rebuild, Missing::Parent, Missing::Empty, Missing::Detach];
    for choice in choices {
        let (host, checkpoint, book) = family();
        let mut folder = folder_of(&host);
        folder.remove(&format!("worlds/{book}.json"));
        let host = SimHost::new(folder);
        let before = theirs(&host);
        let found = host.run(lost(&host, &chat(&checkpoint))).returned().expect("calm");
        let found = found.expect("looked").expect("it is missing");
        assert_eq!((found.lorebook.as_str(), found.snapshot), (book.as_str(), Some(0)));
        assert_eq!(found.parent, Some(("Main".to_owned(), "Lore".to_owned())));
        assert_eq!(theirs(&host), before, "looking changes nothing");
        let replaced =
            host.run(replace(&Ahead::new(&host), &chat(&checkpoint), choice, &[])).returned();
        assert!(replaced.expect("calm").expect("replaced").is_some(), "{choice:?}");
        let world = meta(&host, &checkpoint, &["world_info"]);
        let folder = host.folder();
        let made = folder.text(&format!("worlds/{book}.json"));
        match choice {
            Missing::Detach => assert_eq!((world, made), (None, None)),
            Missing::Empty => assert!(!made.expect("a book").contains("\"uid\"")),
            _ => assert!(made.expect("a book").contains("\"uid\"")),
        }
        undone(&host);
        assert_eq!(theirs(&host), before, "{choice:?}");
    }
    let (host, checkpoint, _) = family();
    let there = host.run(lost(&host, &chat(&checkpoint))).returned().expect("calm");
    assert_eq!(there.expect("looked"), None);
}

/// What a branch recorded is not the lore of the chat it came from: rebuilt, it is the branch's own.
#[test]
fn a_missing_lorebook_that_others_name_is_rebuilt_for_this_timeline_alone() {
    let (host, checkpoint, book) = family();
    let mut folder = folder_of(&host);
    folder.remove(&format!("worlds/{book}.json"));
    let main = folder.text("chats/Mira/Main.jsonl").expect("the main chat").to_owned();
    folder.put("chats/Mira/Main.jsonl", main.replacen("\"Lore\"", &format!("\"{book}\""), 1));
    let before = theirs(&SimHost::new(folder.clone()));
    for shared in [vec![], vec![book.clone()]] {
        let host = SimHost::new(folder.clone());
        let chat = chat(&checkpoint);
        let rebuilt =
            host.run(replace(&Ahead::new(&host), &chat, Missing::Rebuild, &shared)).returned();
        assert!(rebuilt.expect("calm").expect("rebuilt").is_some());
        let world = meta(&host, &checkpoint, &["world_info"]).expect("a lorebook");
        let world = world.trim_matches('"');
        let is_own = world != book;
        assert_eq!(is_own, shared.is_empty(), "{world}");
        assert!(text(&host, &format!("worlds/{world}.json")).contains("\"uid\""));
        let old = host.folder().text(&format!("worlds/{book}.json")).is_some();
        assert_ne!(old, is_own, "what only the branch recorded is not given to the main chat");
        undone(&host);
        assert_eq!(theirs(&host), before);
    }
}

/// Lorebooks that MemoryBooks binds besides the chat's own are copied, too, as they were.
#[test]
fn a_new_timeline_gets_its_own_of_what_memorybooks_binds() {
    let own = r#"{"integrity":"s","world_info":"Lore","STMemoryBooks":{"manualLorebook":"Memories","manualCharacterLorebooks":{"a":"Of A","b":"Locked"},"highestMemoryProcessed":3,"x":1.0}}"#;
    let memory = |uid: u64, end: u64| {
        format!(
            r#"{{"uid":{uid},"comment":"m{uid}","stmemorybooks":true,"STMB_start":0,"STMB_end":{end},"STMB_chatId":"Main"}}"#
        )
    };
    let messages: Vec<String> = (0..4).map(|at| message("Mira", &format!("m{at}"), "{}")).collect();
    let folder = Folder::new()
        .with_chat(&chat("Main"), &header(own), &messages)
        .with_lorebook("Lore", &[("0", entry(0, "a", "text"))])
        .with_lorebook("Memories", &[("0", memory(0, 1)), ("1", memory(1, 3))])
        .with_lorebook("Of A", &[("0", memory(0, 1))])
        .with_lorebook("Locked", &[("0", memory(0, 1))]);
    let host = SimHost::new(folder);
    let mut request = Request::new(Kind::Branch, chat("Main"));
    request.at = Some(1);
    let made = host.run(create(&host, &request)).returned().expect("calm").expect("made");
    // Until they are copied MemoryBooks may do it itself.
    let marker = ["STMemoryBooks", "branchLorebookCopies"];
    assert_eq!(meta(&host, &made.chat, &marker), None);
    let before = theirs(&host);
    let shared = ["Locked".to_owned()];
    let bound = host.run(copy_bound(&host, &made.place, &shared)).returned().expect("calm");
    let books = bound.expect("copied").expect("some").books;
    assert_eq!(
        books.iter().map(|(from, _)| from.as_str()).collect::<Vec<_>>(),
        ["Memories", "Of A"]
    );
    let copy = text(&host, &format!("worlds/{}.json", books[0].1));
    assert!(copy.contains("\"m0\"") && !copy.contains("\"m1\""), "{copy}");
    assert!(copy.contains(&format!("\"STMB_chatId\":\"{}\"", made.chat)), "{copy}");
    let says = |path: &[&str]| meta(&host, &made.chat, path).unwrap();
    assert_eq!(says(&["STMemoryBooks", "manualLorebook"]), format!("\"{}\"", books[0].1));
    let members = format!(r#"{{"a":"{}","b":"Locked"}}"#, books[1].1);
    assert_eq!(says(&["STMemoryBooks", "manualCharacterLorebooks"]), members);
    assert_eq!(says(&["STMemoryBooks", "highestMemoryProcessed"]), "1");
    assert_eq!(says(&["STMemoryBooks", "x"]), "1.0");
    let marker = says(&marker);
    assert!(marker.contains(&format!("\"branchChatId\":\"{}\"", made.chat)), "{marker}");
    undone(&host);
    assert_eq!(theirs(&host), before);
}

/// A branch carries along the flag of a checkpoint, and SillyTavern makes an empty chat of a name that
/// it does not find: whoever deletes a timeline takes it away everywhere, and brings it back everywhere.
#[test]
fn a_timeline_that_is_deleted_leaves_no_link_in_its_family() {
    let (host, checkpoint, _) = family();
    let host = host.restart();
    let mut request = Request::new(Kind::Branch, chat(&checkpoint));
    request.at = Some(1);
    let made = host.run(create(&host, &request)).returned().expect("calm").expect("made");
    let before = theirs(&host);
    let deleted = host.run(delete(&host, &chat(&checkpoint), &[])).returned();
    let deleted = deleted.expect("calm").expect("deleted").plan;
    let linked: Vec<(ChatRef, usize)> =
        [chat("Main - Branch #1"), chat("Main")].map(|c| (c, 1)).into();
    assert_eq!(deleted.linked, linked);
    assert_eq!(deleted.children, std::slice::from_ref(&made.place));
    for name in ["Main", "Main - Branch #1", &made.chat] {
        assert!(!text(&host, &chat(name).file()).contains("\"bookmark_link\":"), "{name}");
    }
    assert_eq!(meta(&host, &made.chat, &["main_chat"]), None);
    undone(&host);
    assert_eq!(theirs(&host), before);
}

/// Its family goes on meanwhile. It comes back all the same, with what still can lead to it.
#[test]
fn a_deleted_timeline_comes_back_though_its_family_went_on() {
    let (host, checkpoint, book) = family();
    let host = host.restart();
    let (was, lore) = (text(&host, &chat(&checkpoint).file()), format!("worlds/{book}.json"));
    let entries = text(&host, &lore);
    let deleted = host.run(delete(&host, &chat(&checkpoint), &[])).returned();
    let id = deleted.expect("calm").expect("deleted").done.id;
    let main = chat("Main").file();
    let went_on = text(&host, &main).replacen(r#""x":1.50"#, r#""x":2"#, 1);
    host.put(&main, &went_on);
    let undone = host.run(undo(&host, Some(&id))).returned().expect("calm").expect("undone");
    assert_eq!(text(&host, &chat(&checkpoint).file()), was);
    assert_eq!(text(&host, &lore), entries);
    let now = text(&host, &main);
    assert!(now.contains(r#""x":2"#) && now.contains(r#""bookmark_link":"#), "{now}");
    let said: Vec<String> =
        undone.done.warnings.iter().map(|found| found.message.to_string()).collect();
    assert!(matches!(said.as_slice(), [one] if one.contains("Main went on since")), "{said:?}");
}

/// The next branch gets the name of the one that was deleted. Then that one comes back under another.
#[test]
fn a_deleted_timeline_whose_name_is_taken_is_saved_beside() {
    let (host, _, _) = family();
    let branch = chat("Main - Branch #1");
    let was = text(&host, &branch.file());
    let book = meta(&host, &branch.name, &["world_info"]).expect("a lorebook");
    let deleted = host.run(delete(&host, &branch, &[])).returned().expect("calm").expect("deleted");
    let mut request = Request::new(Kind::Branch, chat("Main"));
    request.at = Some(0);
    let made = host.run(create(&host, &request)).returned().expect("calm").expect("made");
    assert_eq!(made.place, branch, "the name is free again");
    let next = text(&host, &branch.file());
    let refused = host.run(undo(&host, Some(&deleted.done.id))).returned().expect("calm");
    assert_eq!(refused.unwrap_err().code, Code::ChangedSince);
    let saved = host.run(save_beside(&host, &deleted.done.id)).returned().expect("calm");
    let saved = saved.expect("saved");
    let [name] = saved.chats.as_slice() else { panic!("one chat: {:?}", saved.chats) };
    let beside = text(&host, &chat(name).file());
    let messages = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(messages(&beside), messages(&was));
    let [saved] = saved.lorebooks.as_slice() else { panic!("one lorebook") };
    assert_eq!(meta(&host, name, &["world_info"]), Some(format!("\"{saved}\"")));
    assert_ne!(book, format!("\"{saved}\""));
    assert_eq!(text(&host, &branch.file()), next, "the new one stays as it is");
}

/// A setting for all forks does not make a copy of what is shared on purpose; who says so for this
/// fork gets one.
#[test]
fn what_is_shared_on_purpose_stays_shared_whatever_is_preferred() {
    for (is_preference, shares) in [(true, true), (false, false)] {
        let (host, _, _) = family();
        let mut request = Request::new(Kind::Branch, chat("Main"));
        (request.lore, request.is_preference) = (LoreChoice::Empty, is_preference);
        request.shared = vec!["Lore".into()];
        let made = host.run(create(&host, &request)).returned().expect("calm").expect("made");
        assert_eq!(made.lorebook.as_deref() == Some("Lore"), shares, "{:?}", made.lorebook);
    }
}
