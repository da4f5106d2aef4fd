//! A fork and a rebind done right, written by hand.

use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_sim::{Folder, entry, header, message};

pub(crate) const NEW: &str = "chats/Mira/Main - Branch #1.jsonl";
pub(crate) const MAIN: &str = "chats/Mira/Main.jsonl";
pub(crate) const BOOK: &str = "worlds/Lore__BR_Branch_1_k3f9.json";
pub(crate) const INTENT: &str = "lorefork/operations/intents/01.json";

pub(crate) fn main_chat() -> ChatRef {
    ChatRef::new(Owner::Character("Mira".into()), "Main")
}

pub(crate) fn new_chat() -> ChatRef {
    main_chat().sibling("Main - Branch #1")
}

const QUEUE: &str =
    r#"{"uid":1763632438061,"comment":"__operation_queue","content":"{\"queue\":[]}"}"#;

/// A scene break that recorded entries 0 and 2 of `book`.
fn scene(book: &str) -> String {
    message(
        "Mira",
        "The door closes.",
        &format!(
            r#"{{"auto_recap_memory":{{"scene_break":true,"scene_recap_memory":"x","scene_recap_metadata":{{"1":{{"chatLorebookName":"{book}","allEntries":[{{"uid":0,"world":"{book}"}},{{"uid":2,"world":"{book}"}}]}}}}}}}}"#
        ),
    )
}

fn version(number: usize, scene: usize) -> String {
    format!(r#"{{"version":{number},"content":"So far.","new_scene_index":{scene}}}"#)
}

fn recap(chat: &str, versions: &[String]) -> String {
    let versions = versions.join(",");
    format!(
        r#""auto_recap_running_scene_recaps":{{"chat_id":"{chat}","current_version":0,"versions":[{versions}]}}"#
    )
}

/// Main has five messages, scenes at 1 and 3; the sibling shares its lorebook.
pub(crate) fn before() -> Folder {
    let recap = recap("Main", &[version(0, 1), version(1, 3)]);
    let metadata = format!(r#"{{"integrity":"slug-a","world_info":"Lore","odd":1.0,{recap}}}"#);
    let plain = |text: &str| message("Mira", text, r#"{"branches":["Old"]}"#);
    let lines = [plain("0"), scene("Lore"), plain("2"), scene("Lore"), plain("4")];
    let mut folder = Folder::new()
        .with_chat(&main_chat(), &header(&metadata), &lines)
        .with_chat(&main_chat().sibling("Tangled"), &header(&tangled("Lore", "t", "")), &lines[..2])
        .with_lorebook(
            "Lore",
            &[
                ("0", entry(0, "a", "")),
                ("2", entry(2, "b", "")),
                ("5", entry(5, "c", "")),
                ("1763632438061", QUEUE.into()),
            ],
        );
    folder.put("settings.json", "{}");
    folder
}

fn tangled(book: &str, slug: &str, more: &str) -> String {
    format!(r#"{{"integrity":"{slug}","world_info":"{book}","main_chat":"Main"{more}}}"#)
}

pub(crate) fn header_of_new() -> String {
    let recap = recap("Main - Branch #1", &[version(0, 1)]);
    header(&format!(
        r#"{{"integrity":"slug-b","world_info":"Lore__BR_Branch_1_k3f9","odd":1.0,{recap},"main_chat":"Main","tainted":true,"lorefork":{{"v":1,"kind":"branch","chat":"Main - Branch #1","lore":{{"source":"snapshot","quality":"snapshot"}}}},"auto_recap_checkpoint_state":{{}}}}"#
    ))
}

fn book(name: &str) -> Folder {
    let folder = Folder::new().with_lorebook(
        name,
        &[("0", entry(0, "a", "")), ("2", entry(2, "b", "")), ("1763632438061", QUEUE.into())],
    );
    let file = format!("worlds/{name}.json");
    let text = folder
        .text(&file)
        .expect("made by hand")
        .strip_suffix('}')
        .expect("made by hand")
        .to_owned();
    let mut marked = Folder::new();
    marked.put(file, text + r#","extensions":{"lorefork":{"v":1}}}"#);
    marked
}

/// The folder after a branch at message 2 whose lorebook comes from the scene at 1.
pub(crate) fn forked() -> Folder {
    let mut folder = unlinked();
    edit(
        &mut folder,
        MAIN,
        r#""odd":1.0"#,
        r#""odd":1.0,"auto_recap":{"checkpoint_lorebook_map":{"Main - Branch #1":"Lore__BR_Branch_1_k3f9"}},"lorefork":{"v":1,"kind":"main"}"#,
    );
    edit(
        &mut folder,
        MAIN,
        r#""mes":"2","extra":{"branches":["Old"]}"#,
        r#""mes":"2","extra":{"branches":["Old","Main - Branch #1"]}"#,
    );
    folder
}

/// The same, before the link.
pub(crate) fn unlinked() -> Folder {
    let mut folder = before();
    let text = folder.text(MAIN).expect("made by hand").to_owned();
    let lines: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
    let mut own = lines[..3].to_vec();
    own[1] = scene("Lore__BR_Branch_1_k3f9");
    folder = folder.with_chat(&new_chat(), &header_of_new(), &own);
    for (file, bytes) in book("Lore__BR_Branch_1_k3f9").files() {
        folder.put(file, bytes);
    }
    folder
}

/// The sibling with its own lorebook, isolated from outside.
pub(crate) fn isolated() -> Folder {
    let more = r#","lorefork":{"v":1,"kind":"branch","chat":"Tangled","lore":{"source":"snapshot","quality":"snapshot"}}"#;
    let name = "Lore__BR_Tangled_a2b3";
    let line = message("Mira", "0", r#"{"branches":["Old"]}"#);
    let mut folder = before().with_chat(
        &main_chat().sibling("Tangled"),
        &header(&tangled(name, "u", more)),
        &[line, scene(name)],
    );
    for (file, bytes) in book(name).files() {
        folder.put(file, bytes);
    }
    folder
}

/// Replaces the first `old` in a file, which must be there.
#[track_caller]
pub(crate) fn edit(folder: &mut Folder, file: &str, old: &str, new: &str) {
    let text = folder.text(file).expect("made by hand").to_owned();
    assert!(text.contains(old), "{file} has no {old}");
    folder.put(file, text.replacen(old, new, 1));
}
