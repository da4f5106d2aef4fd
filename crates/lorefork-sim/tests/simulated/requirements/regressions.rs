//! Mistakes that were made once.

use lorefork::fork::isolate;
use lorefork::moment::{LoreChoice, Quality, Source};
use lorefork::operation::recover::{Healed, heal};
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, Owner, lorebook_file};
use lorefork_sim::{Fault, Folder, Script, SimHost, header, message};

use crate::requirements::story::*;

fn plain(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| message("Mira", text, "{}")).collect()
}

#[test]
fn a_checkpoint_of_a_story_that_was_retold_is_no_snapshot() {
    let start = folder().with_chat(
        &main_chat(),
        &header(r#"{"world_info":"Lore","integrity":"s"}"#),
        &plain(&["hello", "to the castle", "*nods*"]),
    );
    let first = fork(start, &request(Kind::Checkpoint, 2));
    // Deleted and told otherwise, up to a message that says the same; then a scene.
    let text = first.text(&main_chat().file());
    let mut lines = vec![text.lines().next().unwrap().to_owned()];
    lines.extend(plain(&["hello", "to the sea", "*nods*"]));
    lines.push(messages()[2].clone());
    let mut retold = first.host.folder();
    retold.put(main_chat().file(), lines.join("\n"));
    let forked = fork(retold, &request(Kind::Branch, 2));
    assert!(!forked.made().is_from_checkpoint);
    assert_ne!(forked.made().quality, Quality::Exact);
}

#[test]
fn a_checkpoint_of_another_swipe_is_no_snapshot() {
    let mut lines = messages();
    lines.truncate(9);
    lines[8] = with_swipes(&lines[8], &["instead"], &["{}"]);
    let start = folder().with_chat(&main_chat(), &header(METADATA), &lines);
    let first = fork(start, &request(Kind::Checkpoint, 8));
    let mut other = request(Kind::Branch, 8);
    other.swipe = Some(1);
    let second = fork(first.host.folder(), &other);
    assert_eq!((second.made().source, second.made().from), (Source::Snapshot, Some(5)));
    assert!(second.lore().iter().all(|(_, name, _)| name != "character-Priest"));
}

/// What Auto-Recap recapped since is in the running recap, so it must be in the lorebook.
#[test]
fn a_checkpoint_from_before_a_recap_is_no_snapshot() {
    let start = folder().with_chat(
        &main_chat(),
        &header(r#"{"world_info":"Lore","integrity":"s"}"#),
        &plain(&["message 0", "message 1", "message 2", "message 3"]),
    );
    let start = start.with_lorebook(BOOK, &[]);
    let first = fork(start, &request(Kind::Checkpoint, 3));
    let text = first.text(&main_chat().file());
    let mut lines = vec![text.lines().next().unwrap().to_owned()];
    lines.extend(messages());
    let mut recapped = first.host.folder().with_lorebook(BOOK, &live_entries());
    recapped.put(main_chat().file(), lines.join("\n"));
    let second = fork(recapped, &request(Kind::Branch, 3));
    assert_eq!((second.made().source, second.made().from), (Source::Snapshot, Some(2)));
    assert!(second.lore().iter().any(|(_, name, _)| name == "character-Smith"));
}

/// A host on which a checkpoint was made and its end never recorded.
fn interrupted() -> (Forked, SimHost) {
    let calm = checkpoint_at(6);
    let link = calm.host.trace().iter().position(|call| call.name == "edit_chat").unwrap() + 1;
    let script = Script::calm().at(link, Fault::Crash { happened: false });
    let host = SimHost::new(folder()).with_script(script);
    let _ = host.run(lorefork::fork::create(&host, &request(Kind::Checkpoint, 6)));
    (calm, host.restart())
}

#[test]
fn healing_removes_nothing_it_cannot_read() {
    let (_, host) = interrupted();
    let mut folder = host.folder();
    let fork = folder.chats().find(|file| file.contains("Checkpoint")).unwrap().to_owned();
    let marked = format!("\u{feff}{}", folder.text(&fork).unwrap());
    folder.put(fork, marked);
    let host = SimHost::new(folder.clone());
    let healed = host.run(heal(&host)).returned().unwrap().unwrap();
    assert!(matches!(&healed[..], [Healed::Left(_)]), "{healed:?}");
    assert_eq!(host.folder(), folder);
}

#[test]
fn an_operation_that_cannot_be_healed_blocks_no_other() {
    let (_, host) = interrupted();
    let mut folder = host.folder();
    let fork_file = folder.chats().find(|file| file.contains("Checkpoint")).unwrap().to_owned();
    folder.put(fork_file, "broken");
    let forked = fork(folder, &request(Kind::Branch, 10));
    assert!(matches!(&forked.made().healed[..], [Healed::Left(_)]));
    assert!(codes(&forked.made().warnings).contains(&"INTERRUPTED_OPERATION".to_owned()));
}

#[test]
fn a_link_that_failed_is_made_by_the_next_operation() {
    let calm = checkpoint_at(6);
    let link = calm.host.trace().iter().position(|call| call.name == "edit_chat").unwrap() + 1;
    let host = SimHost::new(folder()).with_script(Script::calm().at(link, Fault::Refuse));
    let forked = fork_on(host, &request(Kind::Checkpoint, 6));
    assert!(codes(&forked.made().warnings).contains(&"LINK_FAILED".to_owned()));
    let name = forked.made().chat.clone();
    let next = SimHost::new(forked.host.folder());
    next.run(heal(&next)).returned().unwrap().unwrap();
    let parent = next.folder().text(&main_chat().file()).unwrap().to_owned();
    assert!(parent.contains(&format!("\"bookmark_link\":\"{name}\"")));
}

#[test]
fn two_spellings_of_one_lorebook_are_one_lorebook() {
    let other = main_chat().sibling("Other");
    for spelling in ["Lo?re", "\\u004core"] {
        let metadata = format!(r#"{{"integrity":"o","world_info":"{spelling}"}}"#);
        let shared = folder().with_chat(&other, &header(&metadata), &plain(&["a"]));
        let host = SimHost::new(shared);
        let isolated =
            host.run(isolate(&host, &other, LoreChoice::Live)).returned().unwrap().unwrap();
        assert!(isolated.changed, "{spelling}");
        assert_eq!(
            host.run(lorefork::timeline::status::status(&host, &main_chat()))
                .returned()
                .unwrap()
                .unwrap()
                .shared_with
                .len(),
            0
        );
    }
}

#[test]
fn a_damaged_timeline_may_have_written_to_the_lorebook_at_any_time() {
    let other = main_chat().sibling("Other");
    let mut shared = folder();
    shared.put(
        other.file(),
        format!(
            "{}\n{{\"extra\":{{\"auto_recap_memory\":{{\"scene_recap_memory\":",
            header(r#"{"world_info":"Lore"}"#)
        ),
    );
    let forked = fork(shared, &request(Kind::Checkpoint, 10));
    assert_eq!((forked.made().source, forked.made().from), (Source::Snapshot, Some(8)));
}

#[test]
fn an_isolated_copy_of_a_shared_book_is_not_shared() {
    let other = main_chat().sibling("Other");
    let mut shared = folder().with_chat(
        &other,
        &header(r#"{"integrity":"o","world_info":"Lore"}"#),
        &plain(&["a"]),
    );
    shared.put("worlds/Lore.json", r#"{"entries":{},"extensions":{"lorefork":{"share":true}}}"#);
    let host = SimHost::new(shared);
    host.run(isolate(&host, &other, LoreChoice::Live)).returned().unwrap().unwrap();
    let mut next = request(Kind::Branch, 0);
    next.chat = other;
    assert_eq!(fork(host.folder(), &next).made().source, Source::Live);
}

#[test]
fn a_recycled_name_is_linked_anew() {
    let first = fork(folder(), &request(Kind::Branch, 6));
    let mut gone = first.host.folder();
    gone.remove(&first.made().file);
    gone.remove(&lorebook_file(first.made().lorebook.as_ref().unwrap()));
    let second = fork_on(SimHost::new(gone).outside(), &request(Kind::Branch, 6));
    assert_eq!(second.made().chat, first.made().chat);
    let mapped =
        second.parent_meta(&["auto_recap", "checkpoint_lorebook_map", &second.made().chat]);
    assert_eq!(mapped, second.made().lorebook);
    // Its name stands once in the list, and the slug it names is the parent's.
    let line = second.text(&main_chat().file()).lines().nth(7).unwrap().to_owned();
    assert_eq!(line.matches(&second.made().chat).count(), 1);
    assert_eq!(second.meta(&["lorefork", "parent", "slug"]), second.parent_meta(&["integrity"]));
}

#[test]
fn isolating_keeps_the_familys_id_and_what_others_wrote() {
    let child = checkpoint_at(6);
    let id = child.parent_meta(&["lorefork", "id"]).unwrap();
    let other = main_chat().sibling("Other");
    let mut shared =
        child.host.folder().with_chat(&other, &header(r#"{"world_info":"Lore"}"#), &plain(&["a"]));
    let noted = shared
        .text(&main_chat().file())
        .unwrap()
        .replace("\"kind\":\"main\"", "\"kind\":\"main\",\"note\":1.0");
    shared.put(main_chat().file(), noted);
    let host = SimHost::new(shared);
    let isolated =
        host.run(isolate(&host, &main_chat(), LoreChoice::Auto)).returned().unwrap().unwrap();
    // The other one's hand may have written to it, and nothing would tell.
    assert_eq!(isolated.quality, Some(Quality::Snapshot));
    let text = host.folder().text(&main_chat().file()).unwrap().to_owned();
    assert_eq!(meta(&text, &["lorefork", "id"]).unwrap(), id);
    assert_eq!(meta(&text, &["lorefork", "note"]).unwrap(), "1.0");
}

#[test]
fn a_group_finds_back_to_a_parent_by_the_name_it_has_in_the_list() {
    let chat = ChatRef::new(Owner::Group("7".into()), "g c");
    let mut folder = Folder::new().with_group("7", &["g: c"]);
    folder.put(chat.file(), format!("{}\n{}", header("{}"), plain(&["a"])[0]));
    let mut request = request(Kind::Branch, 0);
    request.chat = chat;
    assert_eq!(fork(folder, &request).meta(&["main_chat"]).unwrap(), "g: c");
}

/// The story, and a branch by plain SillyTavern that left it after the first scene and was recapped
/// at this time, while both wrote to one lorebook: its scene found a cave.
fn shared_with_a_branch(time: u64) -> Folder {
    const CAVE: &str = r#"{"uid":7,"comment":"location-Cave","content":"dark","world":"Lore","key":[],"keysecondary":[],"strategy":"normal"}"#;
    let with_cave =
        |line: &String| line.replace("\"allEntries\":[", &format!("\"allEntries\":[{CAVE},"));
    let mut branch = messages();
    branch.truncate(4);
    let scene = messages()[5]
        .replace("recap 1", "elsewhere")
        .replace("19:05:18", "20:17:03")
        .replace("\"timestamp\":2000", &format!("\"timestamp\":{time}"))
        .replace("\"created_entry_uids\":[\"1\"]", "\"created_entry_uids\":[\"7\"]");
    branch.push(with_cave(&scene));
    let mut main = messages();
    if time < 3000 {
        main[8] = with_cave(&main[8]);
    }
    let mut live = live_entries();
    live.push(("7", lorefork_sim::entry(7, "location-Cave", "dark")));
    let metadata = r#"{"integrity":"other","main_chat":"Tale","world_info":"Lore"}"#;
    folder()
        .with_chat(&main_chat(), &header(METADATA), &main)
        .with_chat(&main_chat().sibling("Tale - Branch #1"), &header(metadata), &branch)
        .with_lorebook(BOOK, &live)
}

#[test]
fn what_another_timeline_wrote_is_left_out() {
    // Before the last scene, whose snapshot shows it, and after it.
    for time in [2500, 9000] {
        for at in [10, 8, 6] {
            let forked = fork(shared_with_a_branch(time), &request(Kind::Checkpoint, at));
            let lore = forked.lore();
            assert!(lore.iter().all(|(_, name, _)| name != "location-Cave"), "{time}, {at}");
            assert!(lore.iter().any(|(_, name, _)| name == "character-Dragon"));
        }
    }
}

#[test]
fn a_scene_that_both_have_and_one_recapped_anew_is_still_of_both() {
    let lines = [
        messages()[0].clone(),
        messages()[1].clone(),
        messages()[2]
            .replace("recap 0", "retold")
            .replace("\"endIdx\"", "\"combined_at\":9000,\"endIdx\""),
    ];
    let branch = main_chat().sibling("Tale - Branch #1");
    let shared = folder().with_chat(&branch, &header(r#"{"world_info":"Lore"}"#), &lines);
    let forked = fork(shared, &request(Kind::Checkpoint, 6));
    let dragon = forked.lore().into_iter().find(|(_, name, _)| name == "character-Dragon");
    assert_eq!(dragon.unwrap().2, "dead");
}

#[test]
fn names_that_differ_in_an_accent_only_are_taken() {
    let mut first = request(Kind::Checkpoint, 6);
    first.name = Some("Café".into());
    let made = fork(folder(), &first);
    first.name = Some("cafe".into());
    assert_eq!(fork(made.host.folder(), &first).result.unwrap_err().code.to_string(), "NAME_TAKEN");
}

#[test]
fn settings_that_cannot_be_read_are_said() {
    let mut broken = folder();
    broken.put("settings.json", "{");
    let report = report(broken, &request(Kind::Branch, 10));
    assert!(report.valid && codes(&report.warnings).contains(&"SETTINGS_UNREADABLE".to_owned()));
}
