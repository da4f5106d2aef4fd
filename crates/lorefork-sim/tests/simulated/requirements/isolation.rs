//! A, C and E of the requirements: every timeline its own lorebook, and what a copy of one is.

use lorefork::fork::{Isolation, isolate, plan_isolation};
use lorefork::moment::{LoreChoice, Quality, Source};
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::ChatRef;
use lorefork_sim::{Folder, SimHost, header, message};

use crate::requirements::story::*;

#[test]
fn r001_r002_every_fork_names_a_lorebook_of_its_own() {
    let first = checkpoint_at(10);
    let second = fork(first.host.folder(), &request(Kind::Branch, 10));
    let third = fork(second.host.folder(), &request(Kind::Branch, 10));
    let names =
        [first.made(), second.made(), third.made()].map(|made| made.lorebook.clone().unwrap());
    assert!(names[0] != names[1] && names[1] != names[2] && names.iter().all(|name| name != BOOK));
    assert_eq!(third.meta(&["world_info"]).unwrap(), names[2]);
    // R-084: the parent keeps its own.
    assert_eq!(third.parent_meta(&["world_info"]).unwrap(), BOOK);
}

#[test]
fn r003_r005_r036_what_one_writes_the_others_do_not_see() {
    let forked = checkpoint_at(10);
    let before = forked.lore();
    let mut folder = forked.host.folder();
    // Main goes on: the book that only main names now changes.
    folder =
        folder.with_lorebook(BOOK, &[("1", lorefork_sim::entry(1, "character-Dragon", "risen"))]);
    let book = lorefork::tavern::place::lorebook_file(forked.made().lorebook.as_ref().unwrap());
    assert_eq!(lore(folder.text(&book).unwrap()), before);
}

#[test]
fn r004_r158_an_early_checkpoint_knows_its_moment_and_main_knows_its_own() {
    let forked = checkpoint_at(3);
    assert!(
        forked.lore().iter().any(|(_, name, says)| name == "character-Dragon" && says == "alive")
    );
    assert!(!forked.text(&forked.made().file).contains("buried"));
    assert_eq!(lore(&forked.text("worlds/Lore.json")).len(), 4);
    assert_eq!(
        forked.parent_meta(&["auto_recap_running_scene_recaps", "current_version"]).unwrap(),
        "2"
    );
}

#[test]
fn r007_r008_messages_up_to_the_fork_point_travel_byte_for_byte() {
    let forked = checkpoint_at(3);
    let text = forked.text(&forked.made().file);
    let lines: Vec<&str> = text.split('\n').skip(1).collect();
    let parent = messages();
    assert_eq!(lines.len(), 4);
    for index in [0, 1, 3] {
        assert_eq!(lines[index], parent[index]);
    }
    // N-2: the scene's message names the new lorebook, and nothing else of it changed.
    let name = forked.made().lorebook.clone().unwrap();
    assert_eq!(lines[2].replace(&format!("\"{name}\""), "\"Lore\""), parent[2]);
    assert!(!lines[2].contains("\"Lore\""));
}

#[test]
fn r009_main_chat_and_the_fresh_slug_mark_the_new_timeline() {
    let forked = checkpoint_at(3);
    assert_eq!(forked.meta(&["main_chat"]).unwrap(), "Tale");
    assert_ne!(forked.meta(&["integrity"]).unwrap(), "slug-main");
    assert_eq!(forked.meta(&["tainted"]).unwrap(), "true");
    assert_eq!(forked.parent_meta(&["main_chat"]), None);
}

#[test]
fn r011_r149_a_checkpoint_of_a_checkpoint_is_consistent() {
    let first = checkpoint_at(6);
    let mut deeper = request(Kind::Checkpoint, 2);
    deeper.chat = first.made().place.clone();
    let second = fork(first.host.folder(), &deeper);
    assert_eq!(second.made().quality, Quality::Snapshot);
    assert!(
        second.lore().iter().any(|(_, name, says)| name == "character-Dragon" && says == "alive")
    );
    // Names do not grow with depth.
    let name = second.made().lorebook.clone().unwrap();
    assert_eq!(name.matches("__CP_").count(), 1, "{name}");
    assert_eq!(second.meta(&["main_chat"]).unwrap(), first.made().chat);
}

#[test]
fn r032_a_chat_without_lorebook_is_forked_without_one() {
    let forked = fork(
        Folder::new().with_chat(&main_chat(), &header("{}"), &messages()),
        &request(Kind::Branch, 4),
    );
    assert_eq!((forked.made().lorebook.clone(), forked.made().source), (None, Source::None));
    assert_eq!(
        forked.meta(&["auto_recap_checkpoint_state", "cloned_lorebook_name"]).unwrap(),
        "null"
    );
    assert!(forked.host.folder().lorebooks().next().is_none());
}

#[test]
fn r033_r034_r035_r156_a_live_copy_has_every_entry_with_its_uid() {
    let forked = checkpoint_at(10);
    assert_eq!((forked.made().source, forked.made().quality), (Source::Live, Quality::Exact));
    assert_eq!(forked.lore(), lore(folder().text("worlds/Lore.json").unwrap()));
}

#[test]
fn r038_a_registry_line_that_names_nothing_is_reported_not_refused() {
    let folder = folder().with_lorebook(
        BOOK,
        &[(
            "0",
            lorefork_sim::entry(0, "_registry_item", "[Registry: item]\n- UID=9 | name: item-Cup"),
        )],
    );
    let report = report(folder, &request(Kind::Branch, 10));
    assert!(report.valid && codes(&report.warnings).contains(&"DANGLING_REGISTRY_UID".to_owned()));
}

#[test]
fn r039_the_order_of_entries_is_kept() {
    let order = |book: &str| lore(book).into_iter().map(|(key, _, _)| key).collect::<Vec<_>>();
    let forked = checkpoint_at(10);
    let name = lorefork::tavern::place::lorebook_file(forked.made().lorebook.as_ref().unwrap());
    assert_eq!(order(&forked.text(&name)), order(folder().text("worlds/Lore.json").unwrap()));
}

#[test]
fn r041_r042_r043_one_write_makes_the_lorebook_or_none_is_made() {
    let calls: Vec<String> =
        checkpoint_at(10).host.trace().iter().map(|call| call.name.to_string()).collect();
    assert_eq!(calls.iter().filter(|name| name.contains("create_lorebook")).count(), 1);
}

#[test]
fn r045_a_missing_source_makes_nothing() {
    let mut gone = folder();
    gone.remove("worlds/Lore.json");
    let forked = fork(gone.clone(), &request(Kind::Branch, 10));
    let error = forked.result.as_ref().unwrap_err();
    assert_eq!(error.code.to_string(), "MISSING_LOREBOOK");
    assert_eq!(forked.host.folder(), gone);
    // By choice it can be rebuilt from what the chat recorded of it.
    let mut rebuilt = request(Kind::Branch, 10);
    rebuilt.lore = LoreChoice::Snapshot;
    let forked = fork(gone, &rebuilt);
    assert!(
        forked.lore().iter().any(|(_, name, says)| name == "character-Dragon" && says == "buried")
    );
}

#[test]
fn a_book_shared_on_purpose_stays_shared() {
    let marked = r#"{"entries":{},"extensions":{"lorefork":{"share":true}}}"#;
    let mut shared = folder();
    shared.put("worlds/Lore.json", marked);
    let forked = fork(shared, &request(Kind::Branch, 10));
    assert_eq!(
        (forked.made().source, forked.made().lorebook.clone()),
        (Source::Shared, Some(BOOK.to_owned()))
    );
    assert_eq!(forked.meta(&["world_info"]).unwrap(), BOOK);
    // A setting or an option says the same.
    let mut by_option = request(Kind::Branch, 10);
    by_option.lore = LoreChoice::Share;
    assert_eq!(fork(folder(), &by_option).made().quality, Quality::Shared);
    let mut by_setting = request(Kind::Branch, 10);
    by_setting.shared = vec![BOOK.to_owned()];
    assert_eq!(fork(folder(), &by_setting).made().quality, Quality::Shared);
}

#[test]
fn r118_a_second_checkpoint_of_a_message_says_that_it_takes_the_link() {
    let first = checkpoint_at(4);
    let second = fork(first.host.folder(), &request(Kind::Checkpoint, 4));
    assert!(codes(&second.made().warnings).contains(&"REPLACES_CHECKPOINT".to_owned()));
    assert!(second.host.folder().has(&first.made().file));
    let line = second.text(&main_chat().file());
    assert!(line.contains(&format!("\"bookmark_link\":\"{}\"", second.made().chat)));
}

#[test]
fn r006_n7_settings_kept_for_one_chat_are_reported() {
    let mut folder = folder();
    folder.put("settings.json", r#"{"currentVersion":"1.19.0","extension_settings":{"auto_recap_memory":{"chats_enabled":{"Tale":true}}}}"#);
    let report = report(folder, &request(Kind::Branch, 10));
    assert!(codes(&report.warnings).contains(&"SETTINGS_NOT_COPIED".to_owned()));
}

#[test]
fn odd_names_of_lorebooks_are_found_by_their_file() {
    // Typed with characters that no file can have: SillyTavern keeps what was typed.
    let metadata = METADATA.replace("\"world_info\":\"Lore\"", "\"world_info\":\"Lo?re\"");
    let forked = fork(folder_with(&metadata), &request(Kind::Branch, 10));
    assert_eq!(forked.made().entries, 3);
}

/// The story with another chat that names its lorebook, as SillyTavern leaves one.
fn shared_with(name: &str, more: &str) -> (Folder, ChatRef) {
    let other = main_chat().sibling(name);
    let head = METADATA.replacen('{', &format!("{{{more}"), 1).replace("slug-main", "other");
    (folder().with_chat(&other, &header(&head), &messages()[..9]), other)
}

fn own_book(folder: Folder, chat: &ChatRef) -> String {
    let host = SimHost::new(folder).outside();
    let isolated = host.run(isolate(&host, chat, LoreChoice::Live)).returned().unwrap().unwrap();
    isolated.lorebook.unwrap()
}

#[test]
fn r060_only_branches_are_marked_as_branches() {
    let (folder, _) = shared_with("Another tale", "");
    let name = own_book(folder, &main_chat());
    assert!(name.starts_with("Lore__Tale_"), "{name}");
    // Its flag leads to a newer checkpoint since.
    let (folder, checkpoint) = shared_with("Before the fall", r#""main_chat":"Tale","#);
    let name = own_book(folder, &checkpoint);
    assert!(name.starts_with("Lore__CP_Before_the_fall_"), "{name}");
    let (folder, branch) = shared_with("Tale - Branch #2", r#""main_chat":"Tale","#);
    let name = own_book(folder, &branch);
    assert!(name.starts_with("Lore__BR_Branch_2_"), "{name}");
    // Whatever it is called: the parent's message says so.
    let (folder, branch) = shared_with("Before the fall", r#""main_chat":"Tale","#);
    let mut lines = messages();
    lines[8] = message("Mira", "message 8", r#"{"branches":["Before the fall"]}"#);
    let name = own_book(folder.with_chat(&main_chat(), &header(METADATA), &lines), &branch);
    assert!(name.starts_with("Lore__BR_"), "{name}");
}

#[test]
fn isolating_does_not_speak_of_forking() {
    let (folder, branch) = shared_with("Tale - Branch #1", r#""main_chat":"Tale","#);
    let queue = queue_entry(r#"{"type":"x","status":"pending"}"#);
    let mut entries = live_entries();
    entries.retain(|(key, _)| *key != QUEUE);
    entries.push((QUEUE, queue));
    let host = SimHost::new(folder.with_lorebook(BOOK, &entries)).outside();
    for lore in [LoreChoice::Auto, LoreChoice::Live, LoreChoice::Snapshot] {
        let planned = host.run(plan_isolation(&host, &branch, lore)).returned().unwrap();
        let Isolation::Planned(plan) = planned.unwrap() else { panic!("it shares its lorebook") };
        let said = plan.report.json().done().replace("lorefork", "");
        assert!(said.contains("QUEUE_NOT_EMPTY"), "{said}");
        assert!(!said.contains("fork ") && !said.contains("Fork"), "{said}");
        assert!(!said.contains("new timeline"), "{said}");
    }
}
