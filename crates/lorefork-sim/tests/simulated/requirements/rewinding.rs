//! D, F, G and H of the requirements: what goes back with the lorebook, and the records of it.

use lorefork::fork::rewind::rewind;
use lorefork::fork::{Request, create};
use lorefork::json::Json;
use lorefork::moment::{LoreChoice, Quality, Source};
use lorefork::tavern::chat::with_swipe;
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::lorebook_file;
use lorefork::timeline::verify::{Answer, verify};
use lorefork_sim::{SimHost, header, message};

use crate::requirements::story::*;

#[test]
fn r047_r048_r051_r053_the_past_is_rebuilt_with_its_own_uids() {
    let forked = checkpoint_at(6);
    assert_eq!(
        (forked.made().source, forked.made().from, forked.made().quality),
        (Source::Snapshot, Some(5), Quality::Snapshot)
    );
    let keys: Vec<String> = forked.lore().into_iter().map(|(key, _, _)| key).collect();
    assert_eq!(keys, ["0", "1", QUEUE]);
    let early = checkpoint_at(3);
    // Uid 4 was somebody else then.
    assert!(early.lore().iter().any(|(key, name, _)| key == "4" && name == "character-Smith"));
    assert!(!early.text(&early.made().file).contains("Priest"));
}

#[test]
fn r047_another_timeline_that_wrote_later_makes_the_live_book_unfit() {
    // A branch that plain SillyTavern made at message 9 went on and was recapped: the dragon rose.
    let mut lines = messages();
    lines.truncate(10);
    let later = lines[8]
        .replace("recap 2", "another end")
        .replace("buried", "risen")
        .replace("\"timestamp\":3000", "\"timestamp\":9000");
    lines.push(later);
    let branch = main_chat().sibling("Tale - Branch #1");
    let metadata = METADATA
        .replace("slug-main", "other")
        .replace("\"world_info\"", "\"main_chat\":\"Tale\",\"world_info\"");
    let mut tangled = folder().with_chat(&branch, &header(&metadata), &lines);
    let book = tangled.text(&lorebook_file(BOOK)).unwrap().replace("buried", "risen");
    tangled.put(lorebook_file(BOOK), book);
    let forked = fork(tangled, &request(Kind::Checkpoint, 10));
    assert_eq!((forked.made().source, forked.made().from), (Source::Snapshot, Some(8)));
    let dragon = forked.lore().into_iter().find(|(_, name, _)| name == "character-Dragon");
    assert_eq!(dragon.unwrap().2, "buried");
}

/// What the scene at this message recorded of the lorebook.
fn recorded(line: &str) -> String {
    let (_, after) = line.split_once(r#""scene_recap_metadata":{"0":"#).unwrap();
    format!("{}]}}", after.split_once("]}}").unwrap().0)
}

#[test]
fn r048_of_two_snapshots_the_one_from_before_later_scenes_is_taken() {
    // The first scene was recapped anew when the lorebook knew the whole story.
    let mut lines = messages();
    let late = recorded(&lines[8]).replace("\"timestamp\":3000", "\"timestamp\":9000");
    lines[2] = lines[2]
        .replace("\"scene_recap_current_index\":0", "\"scene_recap_current_index\":1")
        .replace(
            "\"scene_recap_metadata\":{",
            &format!("\"scene_recap_metadata\":{{\"1\":{late},"),
        );
    let retold = folder().with_chat(&main_chat(), &header(METADATA), &lines);
    let forked = fork(retold, &request(Kind::Checkpoint, 2));
    assert_eq!((forked.made().from, forked.made().quality), (Some(2), Quality::Snapshot));
    assert!(
        forked.lore().iter().any(|(_, name, says)| name == "character-Dragon" && says == "alive")
    );
}

/// What is gone by the next scene may have gone before this message, or after it.
#[test]
fn an_entry_that_was_removed_around_a_message_is_kept_and_named() {
    let forked = checkpoint_at(3);
    assert_eq!(forked.made().quality, Quality::Partial);
    let said = forked.made().warnings.iter().find(|one| one.message.to_string().contains("nobody"));
    assert!(said.unwrap().message.to_string().contains("character-Smith"));
    assert!(forked.lore().iter().any(|(_, name, _)| name == "character-Smith"));
}

#[test]
fn n5_a_snapshot_that_may_know_later_scenes_says_so() {
    // Recapped in time, but combined, and so recorded, only when all was told.
    let mut lines = messages();
    for (line, time) in [(2, 9000), (5, 9001), (8, 9002)] {
        lines[line] =
            lines[line].replace("\"endIdx\"", &format!("\"combined_at\":{time},\"endIdx\""));
    }
    let late = folder().with_chat(&main_chat(), &header(METADATA), &lines);
    for (at, from) in [(3, 2), (6, 5)] {
        let forked = fork(late.clone(), &request(Kind::Checkpoint, at));
        assert_eq!((forked.made().from, forked.made().quality), (Some(from), Quality::Partial));
        let said = codes(&forked.made().warnings);
        assert!(said.contains(&"PARTIAL_SNAPSHOT".to_owned()), "{said:?}");
    }
}

#[test]
fn r049_r056_where_nothing_is_recorded_it_is_refused_and_nothing_is_written() {
    // Only the running recap tells that something happened later.
    let plain: Vec<String> = (0..11).map(|i| message("Mira", &format!("{i}"), "{}")).collect();
    let bare = folder().with_chat(&main_chat(), &header(METADATA), &plain);
    let forked = fork(bare.clone(), &request(Kind::Checkpoint, 1));
    assert_eq!(forked.result.as_ref().unwrap_err().code.to_string(), "NO_SNAPSHOT");
    assert_eq!(forked.host.folder(), bare);
    for (choice, quality) in
        [(LoreChoice::Live, Quality::Future), (LoreChoice::Empty, Quality::Empty)]
    {
        let mut chosen = request(Kind::Checkpoint, 1);
        chosen.lore = choice;
        assert_eq!(fork(bare.clone(), &chosen).made().quality, quality);
    }
}

/// What the first scene wrote was not there before it; what it found was.
#[test]
fn before_the_first_snapshot_the_lorebook_lacks_what_its_scene_wrote() {
    let forked = checkpoint_at(1);
    assert_eq!(
        (forked.made().source, forked.made().quality),
        (Source::Snapshot, Quality::Snapshot)
    );
    assert!(forked.lore().iter().all(|(_, name, _)| !name.starts_with("character-")));
}

#[test]
fn r052_gaps_and_huge_uids_are_normal() {
    let forked = checkpoint_at(10);
    let keys: Vec<String> = forked.lore().into_iter().map(|(key, _, _)| key).collect();
    assert_eq!(keys, ["0", "1", "4", QUEUE]);
}

#[test]
fn r054_where_the_lore_came_from_is_recorded() {
    let forked = checkpoint_at(6);
    assert_eq!(forked.meta(&["lorefork", "lore", "source"]).unwrap(), "snapshot");
    assert_eq!(forked.meta(&["lorefork", "lore", "from"]).unwrap(), "5");
    assert_eq!(forked.meta(&["lorefork", "at"]).unwrap(), "6");
    assert_eq!(forked.meta(&["lorefork", "parent", "chat"]).unwrap(), "Tale");
}

#[test]
fn r063_r064_r065_r157_the_running_recap_goes_back_with_it() {
    let forked = checkpoint_at(6);
    let running = |key: &str| forked.meta(&["auto_recap_running_scene_recaps", key]).unwrap();
    assert_eq!(
        (running("current_version"), running("chat_id")),
        ("1".to_owned(), forked.made().chat.clone())
    );
    assert!(!running("versions").contains("three"));
    assert_eq!(
        forked.meta(&["auto_recap_checkpoint_state", "running_recap_version"]).unwrap(),
        "1"
    );
    assert_eq!(
        forked.meta(&["auto_recap_checkpoint_state", "running_recap_content"]).unwrap(),
        "two"
    );
    assert_eq!(
        forked.meta(&["auto_recap_checkpoint_state", "running_recap_scene_count"]).unwrap(),
        "2"
    );
    let versions = forked.meta(&["auto_recap_checkpoint_state", "running_recap_versions"]).unwrap();
    assert!(!versions.contains("two") && versions.contains("\"hash\""), "{versions}");
}

#[test]
fn r071_the_parents_recap_is_untouched_and_each_has_its_own_chat_id() {
    let forked = checkpoint_at(6);
    assert_eq!(
        forked.parent_meta(&["auto_recap_running_scene_recaps", "chat_id"]).unwrap(),
        "Tale"
    );
    assert_eq!(
        forked.parent_meta(&["auto_recap_running_scene_recaps", "current_version"]).unwrap(),
        "2"
    );
}

#[test]
fn r072_r073_r074_the_combined_recap_is_kept_unless_it_knows_more() {
    let kept = checkpoint_at(6);
    assert_eq!(kept.meta(&["auto_recap", "combined_recap", "chat_id"]).unwrap(), kept.made().chat);
    assert_eq!(
        kept.meta(&["auto_recap_checkpoint_state", "combined_recap_message_count"]).unwrap(),
        "6"
    );
    let dropped = checkpoint_at(4);
    assert_eq!(dropped.meta(&["auto_recap", "combined_recap"]), None);
    assert!(codes(&dropped.made().warnings).contains(&"COMBINED_RECAP_DROPPED".to_owned()));
    assert_eq!(
        dropped.meta(&["auto_recap_checkpoint_state", "combined_recap_content"]).unwrap(),
        "null"
    );
}

#[test]
fn r075_r076_r077_r078_r079_r080_the_state_record_has_real_values() {
    let forked = checkpoint_at(8);
    let state = |key: &str| forked.meta(&["auto_recap_checkpoint_state", key]).unwrap();
    assert_eq!(
        (state("message_id"), state("queue_was_empty")),
        ("8".to_owned(), "true".to_owned())
    );
    assert_eq!(
        (state("has_scene_break"), state("has_scene_recap"), state("has_running_recap")),
        ("true".to_owned(), "true".to_owned(), "true".to_owned())
    );
    assert_eq!(
        (state("original_lorebook_name"), state("cloned_lorebook_name")),
        (BOOK.to_owned(), forked.made().lorebook.clone().unwrap())
    );
    assert_eq!(
        (state("scene_break_name"), state("scene_recap")),
        ("Scene 2".to_owned(), "recap 2".to_owned())
    );
    assert!(state("extension_version").starts_with("lorefork "));
    // Of a message that ends no scene it says so; the names are of the newest scene before it.
    let between = checkpoint_at(6);
    let state = |key: &str| between.meta(&["auto_recap_checkpoint_state", key]).unwrap();
    assert_eq!(
        (state("has_scene_break"), state("scene_break_name")),
        ("false".to_owned(), "Scene 1".to_owned())
    );
    assert_eq!(forked.parent_meta(&["auto_recap_checkpoint_state"]), None);
}

#[test]
fn n1_registry_index_pending_work_and_the_attached_book_follow() {
    let forked = checkpoint_at(6);
    assert_eq!(
        forked.meta(&["auto_lorebooks", "lorebookName"]).unwrap(),
        forked.made().lorebook.clone().unwrap()
    );
    let index = forked.meta(&["auto_lorebooks", "registry", "index"]).unwrap();
    assert!(index.contains("\"dead\"") && !index.contains("Priest"), "{index}");
    assert_eq!(forked.meta(&["auto_lorebooks", "registry", "counters"]).unwrap(), r#"{"x":1}"#);
    assert_eq!(forked.meta(&["autoLorebooks", "pendingOps"]).unwrap(), "{}");
    // A live copy keeps the index as it is.
    let live = checkpoint_at(10);
    assert!(live.meta(&["auto_lorebooks", "registry", "index"]).unwrap().contains("Priest"));
}

#[test]
fn n4_unknown_keys_and_odd_spellings_survive() {
    let metadata = METADATA.replace("\"variables\"", r#""odd":[1.0,1e5,"\ud83d"],"variables""#);
    let forked = fork(folder_with(&metadata), &request(Kind::Branch, 6));
    assert_eq!(forked.meta(&["odd"]).unwrap(), r#"[1.0,1e5,"\ud83d"]"#);
    assert_eq!(forked.meta(&["lastInContextMessageId"]), None);
}

#[test]
fn half_an_emoji_in_a_recap_reaches_the_record_whole() {
    let lines: Vec<String> =
        messages().iter().map(|line| line.replace("\"recap 1\"", r#""half \ud83d""#)).collect();
    let folder = folder().with_chat(
        &main_chat(),
        &header(&METADATA.replace("\"two\"", r#""two \ud83d""#)),
        &lines,
    );
    let forked = fork(folder, &request(Kind::Branch, 6));
    let header = forked.text(&forked.made().file).lines().next().unwrap().to_owned();
    let state = Json::parse(&header)
        .unwrap()
        .at(&["chat_metadata", "auto_recap_checkpoint_state"])
        .unwrap();
    assert_eq!(state.get("scene_recap").unwrap().text(), r#""half \ud83d""#);
    assert_eq!(state.get("running_recap_content").unwrap().text(), r#""two \ud83d""#);
}

#[test]
fn an_untouched_checkpoint_serves_as_snapshot_of_its_message() {
    // No memory data at all: only the checkpoint tells how the book was at message 1.
    let plain: Vec<String> = (0..4).map(|i| message("Mira", &format!("{i}"), "{}")).collect();
    let start = folder().with_chat(
        &main_chat(),
        &header(r#"{"world_info":"Lore","integrity":"s"}"#),
        &plain[..2],
    );
    let first = fork(start, &request(Kind::Checkpoint, 1));
    assert_eq!(first.made().quality, Quality::Exact);
    // The story goes on, the book changes, and a scene is recapped.
    let mut grown = first.host.folder();
    let text = format!("{}\n{}", grown.text(&main_chat().file()).unwrap(), messages()[2]);
    grown.put(main_chat().file(), text);
    let grown = grown.with_lorebook(BOOK, &[("1", lorefork_sim::entry(1, "later", "later"))]);
    let second = fork(grown.clone(), &request(Kind::Branch, 1));
    assert_eq!((second.made().source, second.made().from), (Source::Snapshot, Some(1)));
    assert_eq!(second.lore(), first.lore());
    // Once somebody wrote to the checkpoint's book, it no longer tells.
    let touched = grown.with_lorebook(first.made().lorebook.as_ref().unwrap(), &[]);
    assert!(!fork(touched, &request(Kind::Branch, 1)).made().is_from_checkpoint);
}

#[test]
fn a_branch_of_another_swipe_does_not_know_the_recapped_one() {
    let mut lines = messages();
    lines[8] = with_swipes(&lines[8], &["instead"], &["{}"]);
    lines.truncate(9);
    let folder = folder().with_chat(&main_chat(), &header(METADATA), &lines);
    let mut other = request(Kind::Branch, 8);
    other.swipe = Some(1);
    let forked = fork(folder, &other);
    assert_eq!((forked.made().source, forked.made().from), (Source::Snapshot, Some(5)));
    assert!(forked.text(&forked.made().file).contains(r#""mes":"instead""#));
    assert_eq!(forked.meta(&["auto_recap_running_scene_recaps", "current_version"]).unwrap(), "1");
}

#[test]
fn a_branch_of_a_swipe_does_not_know_one_that_was_recapped_later() {
    let mut lines = messages();
    lines.truncate(9);
    let extra = Json::parse(&lines[8]).unwrap().get("extra").unwrap().text().to_owned();
    let later =
        extra.replace("3000", "4000").replace("recap 2", "ghost").replace("Priest", "Ghost");
    lines[8] = with_swipe(&with_swipes(&lines[8], &["boo"], &[&later]), 1).unwrap();
    let metadata = METADATA.replace(r#""current_version":2"#, r#""current_version":3"#).replace(
        r#""new_scene_index":8}"#,
        r#""new_scene_index":8},{"version":3,"timestamp":4001,"content":"ghost","new_scene_index":8}"#,
    );
    let mut told = folder().with_chat(&main_chat(), &header(&metadata), &lines);
    let book = told.text(&lorebook_file(BOOK)).unwrap().replace("Priest", "Ghost");
    told.put(lorebook_file(BOOK), book);
    let branch = |swipe| fork(told.clone(), &Request { swipe, ..request(Kind::Branch, 8) });
    const RUNNING: &str = "auto_recap_running_scene_recaps";

    let first = branch(Some(0));
    assert_eq!((first.made().source, first.made().from), (Source::Snapshot, Some(8)));
    assert!(first.lore().iter().any(|(_, name, _)| name == "character-Priest"));
    assert_eq!(first.meta(&[RUNNING, "current_version"]).unwrap(), "2");
    assert!(!first.meta(&[RUNNING, "versions"]).unwrap().contains("ghost"));
    // The one that is shown was recapped last: the lorebook is its own.
    for swipe in [None, Some(1)] {
        let shown = branch(swipe);
        assert_eq!(shown.made().quality, Quality::Exact);
        assert_eq!(shown.meta(&[RUNNING, "current_version"]).unwrap(), "3");
    }
}

/// Its messages go up to where it was made, its lore does not.
#[test]
fn a_checkpoint_that_was_rewound_is_no_snapshot_of_its_last_message() {
    let shared = Request { lore: LoreChoice::Share, ..request(Kind::Checkpoint, 9) };
    let forked = fork_on(SimHost::new(folder()).outside(), &shared);
    let (host, chat) = (&forked.host, &forked.made().place);
    host.run(rewind(host, chat, 6, LoreChoice::Auto)).returned().unwrap().unwrap();
    let found = host.run(verify(host, chat)).returned().unwrap().unwrap();
    assert_eq!(found.state, Answer::Differs);
    assert_eq!(found.differences[0].to_string(), "its lore was set back to message 6");
    assert_eq!(found.differences.len(), 1);
    let mut later = request(Kind::Branch, 9);
    later.lore = LoreChoice::Snapshot;
    let made = host.run(create(host, &later)).returned().unwrap().unwrap();
    assert_eq!((made.source, made.from), (Source::Snapshot, Some(8)));
    let book = host.folder().text(&lorebook_file(&made.lorebook.unwrap())).unwrap().to_owned();
    assert!(book.contains("buried"), "of message 8, not of 6");
}

/// A main chat has no record before; its messages stay, and none was added.
#[test]
fn a_main_chat_that_was_rewound_is_as_long_as_before() {
    let host = SimHost::new(folder()).outside();
    let rewound = host.run(rewind(&host, &main_chat(), 6, LoreChoice::Auto)).returned().unwrap();
    let found = host.run(verify(&host, &main_chat())).returned().unwrap().unwrap();
    assert_eq!((found.at, found.state), (10, Answer::Differs));
    assert_eq!(found.differences[0].to_string(), "its lore was set back to message 6");
    assert_eq!(found.differences.len(), 1);
    let said = rewound.unwrap().plan.report.json().done().replace("lorefork", "");
    assert!(!said.contains("fork") && !said.contains("Fork"), "{said}");
    assert!(!said.contains("new timeline"), "{said}");
}

/// What is told before is what is recorded after.
#[test]
fn a_running_recap_of_later_scenes_alone_is_none() {
    for at in [1, 2, 6, 10] {
        let said = report(folder(), &request(Kind::Checkpoint, at)).state.has_running_recap;
        let mut anyhow = request(Kind::Checkpoint, at);
        anyhow.lore = LoreChoice::Live;
        let forked = fork(folder(), &anyhow);
        let recorded = forked.meta(&["auto_recap_checkpoint_state", "has_running_recap"]);
        assert_eq!(recorded.unwrap(), said.to_string(), "at {at}");
    }
}
