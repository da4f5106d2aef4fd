//! `check`, `fix` and `explain`: a folder for every problem, with exactly that one.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::folder::{Folder, Run, files, run};

/// A user folder written by hand, file by file.
struct Small {
    place: TempDir,
}

impl Small {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        for folder in ["chats/Mira", "worlds", "groups", "group chats"] {
            std::fs::create_dir_all(place.path().join("data/user").join(folder)).unwrap();
        }
        Self { place }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.place.path().join("data/user").join(name)
    }

    fn put(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        std::fs::create_dir_all(self.file(name).parent().unwrap()).unwrap();
        std::fs::write(self.file(name), text).unwrap();
        self
    }

    /// A chat of Mira's with this metadata and these messages' `extra`.
    fn chat(self, name: &str, metadata: Value, extras: &[Value]) -> Self {
        let text = chat_text(metadata, extras);
        self.put(&format!("chats/Mira/{name}.jsonl"), text)
    }

    #[expect(clippy::needless_pass_by_value, reason = "json! is written where it is used")]
    fn book(self, name: &str, entries: Value) -> Self {
        self.put(&format!("worlds/{name}.json"), json!({ "entries": entries }).to_string())
    }

    fn run(&self, arguments: &[&str]) -> Run {
        run(self.place.path(), &[&["--root", "data"], arguments].concat())
    }

    fn codes(&self) -> Vec<String> {
        let found = self.run(&["check", "--json"]);
        let found = found.json();
        let problems = found["problems"].as_array().unwrap();
        problems.iter().map(|problem| problem["code"].as_str().unwrap().to_owned()).collect()
    }

    /// Finds this problem and nothing else, and looking changes nothing; repairs it.
    fn cured(self, code: &str) -> Self {
        let before = files(self.place.path());
        assert_eq!(self.codes(), [code]);
        assert_eq!(self.run(&["check"]).code, 1);
        let planned = self.run(&["fix"]);
        assert_eq!(planned.code, 1, "{}{}", planned.out, planned.err);
        assert_eq!(files(self.place.path()), before, "looking must not write");
        let fixed = self.run(&["fix", "--only", code, "--apply"]);
        assert_eq!(fixed.code, 0, "{code}: {}{}", fixed.out, fixed.err);
        assert_eq!(self.codes(), Vec::<String>::new(), "{code}: {}", self.run(&["check"]).out);
        assert_eq!(self.run(&["check"]).code, 0);
        let cured = files(self.place.path());
        self.taken_back(code, &before);
        // And once more, for what the test asks of the cured folder.
        let again = self.run(&["fix", "--only", code, "--apply"]);
        assert_eq!(again.code, 0, "{code}: {}{}", again.out, again.err);
        assert_eq!(stories(&cured).len(), stories(&files(self.place.path())).len());
        self
    }

    /// Undoes until nothing is left to undo; every byte is as it was.
    fn taken_back(&self, code: &str, before: &BTreeMap<String, Vec<u8>>) {
        let standing = || {
            let log = self.run(&["log", "--json"]).json();
            let operations = log["operations"].as_array().unwrap().clone();
            let stands = |o: &&Value| o["undone"] == false && o["what"] != "undo";
            operations.iter().filter(stands).count()
        };
        assert!(standing() > 0, "{code}: the log has it");
        while standing() > 0 {
            let undone = self.run(&["undo", "--apply"]);
            assert_eq!(undone.code, 0, "{code}: {}{}", undone.out, undone.err);
        }
        assert_eq!(
            stories(&files(self.place.path())),
            stories(before),
            "{code}: every byte is back"
        );
    }

    /// Finds this problem and nothing else; leaves it to the user, and says so.
    fn left(self, code: &str) {
        assert_eq!(self.codes(), [code]);
        let before = files(self.place.path());
        let fixed = self.run(&["fix", "--apply"]);
        assert_eq!(fixed.code, 1, "{}", fixed.out);
        assert!(fixed.out.contains("Left to you"), "{}", fixed.out);
        let after = files(self.place.path());
        let others = |name: &&String| !name.contains("/lorefork/");
        assert!(before.keys().filter(others).eq(after.keys().filter(others)));
        assert_eq!(self.codes(), [code]);
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap()
    }
}

/// All files but Lorefork's own.
fn stories(files: &BTreeMap<String, Vec<u8>>) -> Vec<(&String, &Vec<u8>)> {
    files.iter().filter(|(name, _)| !name.contains("/lorefork/")).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "json! is written where it is used")]
fn chat_text(metadata: Value, extras: &[Value]) -> String {
    let header =
        json!({ "chat_metadata": metadata, "user_name": "unused", "character_name": "unused" });
    let mut lines = vec![header.to_string()];
    lines.extend(
        extras
            .iter()
            .map(|extra| json!({ "name": "Mira", "mes": "…", "extra": extra }).to_string()),
    );
    lines.join("\n")
}

fn plain(count: usize) -> Vec<Value> {
    vec![json!({}); count]
}

fn entry(uid: i64, comment: &str, content: &str) -> Value {
    json!({ "uid": uid, "key": ["k"], "comment": comment, "content": content })
}

fn scene(entries: &[Value]) -> Value {
    json!({ "auto_recap_memory": {
        "scene_break": true, "scene_recap_memory": "r", "scene_recap_current_index": 0,
        "scene_recap_metadata": { "0": { "timestamp": 5, "created_entry_uids": [], "allEntries": entries } },
    } })
}

fn running(chat: &str, current: i64, scenes: &[i64]) -> Value {
    let versions: Vec<Value> = scenes
        .iter()
        .enumerate()
        .map(|(n, at)| json!({ "version": n, "new_scene_index": at, "content": "c", "timestamp": 1 }))
        .collect();
    json!({ "chat_id": chat, "current_version": current, "versions": versions })
}

fn queue(content: &str) -> Value {
    entry(1_763_632_438_061, "__operation_queue", content)
}

#[test]
fn files_that_are_damaged() {
    let sound = chat_text(json!({ "integrity": "a" }), &plain(2));
    Small::new().put("chats/Mira/a.jsonl", format!("{sound}\n{{\"mes\":")).left("CORRUPT_LINE");
    Small::new()
        .put("chats/Mira/a.jsonl", "{\"mes\":\"x\"}\n{\"mes\":\"y\"}")
        .left("MISSING_HEADER");
    let mended =
        Small::new().put("chats/Mira/a.jsonl", format!("\u{feff}{sound}")).cured("BYTE_ORDER_MARK");
    assert!(mended.read("chats/Mira/a.jsonl").starts_with("{\"chat_metadata\""));
    Small::new().put("worlds/L.json", "{\"entries\":{").left("CORRUPT_LOREBOOK");
    Small::new()
        .put("worlds/L.json", "{\"entries\":{")
        .chat("a", json!({ "world_info": "L" }), &[scene(&[entry(3, "Lamp", "lit")])])
        .cured("CORRUPT_LOREBOOK");
}

#[test]
fn names_and_groups() {
    let sound = chat_text(json!({}), &plain(1));
    let both = Small::new().put("chats/Mira/a.jsonl", &sound).put("chats/Mira/A.jsonl", &sound);
    // Where they are one file there is nothing to collide.
    if std::fs::read_dir(both.file("chats/Mira")).unwrap().count() == 2 {
        both.left("NAME_COLLISION");
    }
    let group =
        |id: &str| json!({ "id": id, "name": id, "chat_id": "x", "chats": ["x"] }).to_string();
    Small::new()
        .put("group chats/x.jsonl", &sound)
        .put("groups/1.json", group("1"))
        .put("groups/2.json", group("2"))
        .left("NAME_COLLISION");
    let branch = chat_text(json!({ "main_chat": "x" }), &plain(1));
    Small::new()
        .put("group chats/x.jsonl", &sound)
        .put("group chats/y.jsonl", &branch)
        .put("groups/1.json", group("1"))
        .cured("UNLISTED_GROUP_CHAT");
    Small::new().put("group chats/z.jsonl", &sound).left("UNLISTED_GROUP_CHAT");
}

/// What cannot be read is a problem of its own, and all that would follow from it is not known.
#[test]
fn what_follows_from_damage_is_nobodys_fault() {
    let sound = chat_text(json!({}), &plain(1));
    let whole = json!({ "id": "1", "name": "Crew", "chat_id": "x", "chats": ["x"] }).to_string();
    let mut not_text = whole.replace("Crew", "?").into_bytes();
    let at = not_text.iter().position(|byte| *byte == b'?').unwrap();
    not_text[at] = 0xff;
    for record in [whole.as_bytes()[..whole.len() / 2].to_vec(), not_text, b"[]".to_vec()] {
        let folder =
            || Small::new().put("group chats/x.jsonl", &sound).put("groups/1.json", &record);
        folder().left("CORRUPT_GROUP");
        let said = folder().run(&["fix"]);
        assert!(said.out.contains("groups/1.json") && !said.out.contains("elete"), "{}", said.out);
    }
    let orphan = || Small::new().book("z", json!({ "1763632438061": queue("{}") }));
    orphan().put("settings.json", "{\"world_info_settings\":").left("CORRUPT_SETTINGS");
    orphan().put("settings.json", b"\xff").left("CORRUPT_SETTINGS");
    // A chat that lost its header may have named it.
    orphan().put("chats/Mira/a.jsonl", "{\"mes\":\"x\"}\n{\"mes\":\"y\"}").left("MISSING_HEADER");
    // Whether several chats share it on purpose stands in the lorebook.
    Small::new()
        .put("worlds/L.json", "{\"entries\":{")
        .chat("a", json!({ "world_info": "L", "integrity": "1" }), &plain(2))
        .chat("b", json!({ "world_info": "L", "main_chat": "a", "integrity": "2" }), &plain(1))
        .left("CORRUPT_LOREBOOK");
    // A timeline whose header is damaged stays in its parent's list.
    let map = json!({ "checkpoint_lorebook_map": { "b": "M" } });
    Small::new()
        .chat("a", json!({ "auto_recap": map }), &plain(2))
        .put("chats/Mira/b.jsonl", "{\"chat_metadata\":{\"main_chat\":\"a\",\"wor\n{\"mes\":\"x\"}")
        .left("CORRUPT_LINE");
}

/// What is not gone was not repaired, and doing it again changes nothing.
#[test]
fn what_cannot_be_cured_is_left() {
    let registry = |content: &str| entry(3, "_registry_item", content);
    let with = |content: &str| {
        Small::new()
            .book("L", json!({ "3": registry(content), "9": entry(9, "item-Lamp", "lit") }))
            .chat("a", json!({ "world_info": "L" }), &plain(1))
    };
    with("").cured("UNREGISTERED_ENTRY");
    with(r#"{"items":[]}"#).left("UNREGISTERED_ENTRY");
    let key = "auto_recap_running_scene_recaps";
    let store = r#"{"chat_id":"a","current_version":0,"versions":[{"version":-9223372036854775809,"new_scene_index":0}]}"#;
    let header = format!("{{\"chat_metadata\":{{\"{key}\":{store}}}}}\n{{\"mes\":\"x\"}}");
    Small::new().put("chats/Mira/a.jsonl", header).left("RECAP_VERSION_MISSING");
    if cfg!(windows) {
        return;
    }
    // No link and no list can lead to a name that SillyTavern cannot open.
    let group = json!({ "id": "1", "name": "1", "chat_id": "x", "chats": ["x"] }).to_string();
    let sound = chat_text(json!({}), &plain(1));
    let branch = chat_text(json!({ "main_chat": "x" }), &plain(1));
    Small::new()
        .put("group chats/x.jsonl", sound)
        .put("group chats/y\u{1b}[31m.jsonl", branch)
        .put("groups/1.json", group)
        .left("UNLISTED_GROUP_CHAT");
}

/// Untangling shows what was hidden: the preview has that, too, and one undo takes all of it back.
#[test]
fn a_repair_is_one_operation_and_its_preview_is_all_of_it() {
    let map = json!({ "checkpoint_lorebook_map": { "gone": "M" } });
    let folder = Small::new()
        .book("L", json!({ "7": entry(3, "Lamp", "lit") }))
        .chat("a", json!({ "world_info": "L", "integrity": "1", "auto_recap": map }), &plain(3))
        .chat("b", json!({ "world_info": "L", "main_chat": "a", "integrity": "2" }), &plain(2));
    let before = files(folder.place.path());
    let codes = |run: &Run| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let steps = run.json()["steps"].as_array().unwrap().clone();
        steps.iter().map(|step| (text(&step["code"]), text(&step["outcome"]))).collect()
    };
    let planned = codes(&folder.run(&["fix", "--json"]));
    let done = folder.run(&["fix", "--apply", "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert_eq!(codes(&done), planned);
    assert!(planned.iter().all(|(_, outcome)| outcome == "mended"), "{planned:?}");
    assert!(planned.len() > 2, "{planned:?}");
    assert_eq!(done.json()["operations"].as_array().unwrap().len(), 1);
    assert_eq!(folder.codes(), Vec::<String>::new());
    let after = files(folder.place.path());
    assert_eq!(folder.run(&["fix", "--apply"]).code, 0);
    assert_eq!(stories(&files(folder.place.path())), stories(&after), "nothing is left to do");
    assert_eq!(folder.run(&["undo", "--apply"]).code, 0);
    assert_eq!(stories(&files(folder.place.path())), stories(&before));
}

#[test]
fn r001_lorebooks_that_are_shared() {
    let book = json!({ "0": entry(0, "Lamp", "lit") });
    let family = Small::new()
        .book("L", book.clone())
        .chat(
            "a",
            json!({ "world_info": "L", "integrity": "1" }),
            &[json!({}), json!({}), json!({})],
        )
        .chat("b", json!({ "world_info": "L", "main_chat": "a", "integrity": "2" }), &plain(2))
        .cured("SHARED_LOREBOOK");
    assert!(
        family.read("chats/Mira/a.jsonl").contains(r#""world_info":"L""#),
        "main keeps its own"
    );
    // Chats that have nothing to do with each other are asked about.
    let strangers = || {
        Small::new().chat("a", json!({ "world_info": "L" }), &plain(1)).chat(
            "b",
            json!({ "world_info": "L" }),
            &plain(1),
        )
    };
    strangers().book("L", book).left("SHARED_LOREBOOK");
    let shared = strangers()
        .put("worlds/L.json", r#"{"entries":{},"extensions":{"lorefork":{"share":true}}}"#);
    assert_eq!(shared.codes(), Vec::<String>::new());
}

#[test]
fn lorebooks_that_are_missing_or_not_the_right_ones() {
    let gone = |extras: &[Value]| Small::new().chat("a", json!({ "world_info": "L" }), extras);
    let rebuilt = gone(&[scene(&[entry(3, "Lamp", "lit")])]).cured("MISSING_LOREBOOK");
    assert!(rebuilt.read("worlds/L.json").contains("lit"));
    gone(&plain(1)).left("MISSING_LOREBOOK");
    for (how, is_there) in [("empty", true), ("detach", false)] {
        let folder = gone(&plain(1));
        assert_eq!(folder.run(&["fix", "--apply", "--missing", how]).code, 0, "{how}");
        assert_eq!(folder.codes(), Vec::<String>::new());
        assert_eq!(folder.file("worlds/L.json").exists(), is_there);
    }
    Small::new().book("z", json!({ "1763632438061": queue("{}") })).left("ORPHANED_LOREBOOK");
    Small::new()
        .book("L", json!({}))
        .book("M", json!({}))
        .chat("a", json!({ "world_info": "L" }), &plain(1))
        .chat("b", json!({ "world_info": "M", "main_chat": "a", "integrity": "s",
            "lorefork": { "v": 1, "id": "i", "kind": "branch", "chat": "b", "slug": "s",
                "parent": { "chat": "a" }, "at": 0, "lore": { "source": "live", "quality": "exact", "hash": "h" } },
            "auto_recap_checkpoint_state": { "cloned_lorebook_name": "Gone" } }), &plain(1))
        .cured("LOREBOOK_MISMATCH");
    Small::new()
        .book("L", json!({}))
        .put("settings.json", r#"{"world_info_settings":{"world_info":{"globalSelect":["L"]}}}"#)
        .chat("a", json!({ "world_info": "L" }), &plain(1))
        .chat("b", json!({ "main_chat": "a" }), &plain(1))
        .left("LOREBOOK_ALSO_GLOBAL");
}

/// What one chat recorded is not the lore of another, though both named one lorebook.
#[test]
fn a_missing_lorebook_that_several_chats_name_comes_back_for_each() {
    let family = || {
        let (lamp, frost) = (entry(3, "Lamp", "lit"), entry(4, "Frost", "heart"));
        let at = |minute: u64, mut scene: Value| {
            scene["send_date"] = json!(format!("2026-01-01T00:{minute:02}:00.000Z"));
            scene["auto_recap_memory"]["scene_recap_metadata"]["0"]["timestamp"] =
                json!(1_767_225_605_000 + minute * 60_000);
            scene
        };
        let early = at(0, scene(std::slice::from_ref(&lamp)));
        let mut late = at(9, scene(&[lamp, frost]));
        late["auto_recap_memory"]["scene_recap_metadata"]["0"]["created_entry_uids"] = json!(["4"]);
        let map = json!({ "checkpoint_lorebook_map": { "b": "L" } });
        let main = json!({ "world_info": "L", "integrity": "1", "auto_recap": map });
        let branch = json!({ "world_info": "L", "integrity": "2", "main_chat": "a" });
        Small::new().chat("a", main, std::slice::from_ref(&early)).chat("b", branch, &[early, late])
    };
    for asked in [&[][..], &["b"]] {
        let folder = family();
        let before = files(folder.place.path());
        let fixed = folder.run(&[&["fix", "--apply"], asked].concat());
        assert_eq!(fixed.code, 0, "{}{}", fixed.out, fixed.err);
        assert_eq!(folder.codes(), Vec::<String>::new(), "{}", folder.run(&["check"]).out);
        let header = folder.read("chats/Mira/b.jsonl").lines().next().unwrap().to_owned();
        let header: Value = serde_json::from_str(&header).unwrap();
        let own = header["chat_metadata"]["world_info"].as_str().unwrap();
        // Nothing links to it, and no branch is called so.
        assert!(own.starts_with("L__CP_b_"), "{own}");
        assert!(folder.read(&format!("worlds/{own}.json")).contains("heart"));
        let main = folder.read("worlds/L.json");
        // It may have been written by hand before the branch was made: kept, and named.
        let is_named = main.contains("undecided") && main.contains(r#""name": "Frost""#);
        assert!(main.contains("lit") && is_named, "{main}");
        folder.taken_back("MISSING_LOREBOOK", &before);
    }
}

#[test]
fn what_is_wrong_inside_a_lorebook() {
    let with = |entries: Value| {
        Small::new().book("L", entries).chat("a", json!({ "world_info": "L" }), &plain(3))
    };
    let rekeyed = with(json!({ "7": entry(3, "Lamp", "lit") })).cured("UID_KEY_MISMATCH");
    assert!(rekeyed.read("worlds/L.json").contains(r#""3":{"#));
    let empty = r#"{"queue":[]}"#;
    let second = json!({ "uid": 5, "comment": "__operation_queue", "content": empty });
    with(json!({ "1763632438061": queue(empty), "5": second })).cured("DUPLICATE_QUEUE");
    with(json!({ "1763632438061": queue("{") })).cured("QUEUE_UNREADABLE");
    let waiting = r#"{"queue":[{"id":"1","params":{"index":37}},{"id":"2","params":{"index":2}}]}"#;
    let dropped = with(json!({ "1763632438061": queue(waiting) })).cured("QUEUE_FOREIGN_OPERATION");
    assert!(dropped.read("worlds/L.json").contains(r#"\"index\":2"#), "its own work stays");
    // Renamed outside of SillyTavern: nobody else can mean that name.
    let waiting = r#"{"queue":[{"id":"1","params":{"lorebookName":"Former"}}]}"#;
    let named = with(json!({ "1763632438061": queue(waiting) })).cured("QUEUE_FOREIGN_OPERATION");
    assert!(named.read("worlds/L.json").contains(r#"\"lorebookName\":\"L\""#));

    let line =
        |uid: i64, name: &str| format!("- UID={uid} | name: {name} | aliases: — | synopsis: —");
    let registry = |lines: &[String]| {
        entry(0, "_registry_character", &format!("[Registry: character]\n{}", lines.join("\n")))
    };
    with(json!({ "0": registry(&[line(9, "character-Tom"), line(4, "character-Ann")]), "4": entry(4, "character-Ann", "") }))
        .cured("DANGLING_REGISTRY_UID");
    let by_name = with(json!({ "0": registry(&[line(4, "character-Tom")]), "4": entry(4, "item-Lamp", ""), "5": entry(5, "character-Tom", "") }))
        .cured("REGISTRY_WRONG_ENTRY");
    assert!(by_name.read("worlds/L.json").contains("UID=5 | name: character-Tom"));
    let listed = with(json!({ "0": registry(&[line(4, "character-Tom")]), "4": entry(4, "character-Tom", ""), "5": entry(5, "character-Ann", "") }))
        .cured("UNREGISTERED_ENTRY");
    assert!(
        listed
            .read("worlds/L.json")
            .contains(r"- UID=5 | name: character-Ann | aliases: k | synopsis: —\n- UID=4")
    );
    Small::new()
        .book("L", json!({ "4": entry(4, "character-Tom", "") }))
        .chat("a", json!({ "world_info": "L", "auto_lorebooks": { "registry": { "index": { "9": { "uid": 9, "name": "character-Ann" } } } } }), &plain(1))
        .cured("STALE_REGISTRY_INDEX");
}

#[test]
fn memories_of_later_messages() {
    let with = |chat: Value, at: usize| {
        let memory = json!({ "uid": 4, "comment": "later", "stmemorybooks": true, "STMB_start": 2, "STMB_end": 9, "STMB_chatId": chat });
        let mut parent = plain(12);
        parent[at] = json!({ "branches": ["b"] });
        Small::new().book("L", json!({ "4": memory })).chat("a", json!({}), &parent).chat(
            "b",
            json!({ "world_info": "L", "main_chat": "a" }),
            &plain(3),
        )
    };
    let later = |folder: &Small| folder.codes().contains(&"LORE_FROM_THE_FUTURE".to_owned());
    let of_parent = with("a".into(), 2);
    assert!(later(&of_parent));
    assert_eq!(of_parent.run(&["fix", "--only", "LORE_FROM_THE_FUTURE", "--apply"]).code, 0);
    assert!(!later(&of_parent) && !of_parent.read("worlds/L.json").contains("later"));
    // Its own messages were deleted since; and nobody knows of which chat a memory without one is.
    assert!(!later(&with("b".into(), 2)) && !later(&with(Value::Null, 2)));
    // It was forked behind that message, and messages were deleted in it since.
    assert!(!later(&with("a".into(), 9)));
}

/// A scene whose recap says which entry it wrote.
fn telling(name: &str, words: &str) -> Value {
    let recap = json!({ "stage4": { "entities": [{ "name": name, "content": [words] }] } });
    let mut scene = scene(&[]);
    scene["auto_recap_memory"]["scene_recap_versions"] = json!([recap.to_string()]);
    scene
}

#[test]
fn lore_that_the_parents_scenes_wrote_later() {
    let book = json!({
        "1": entry(1, "Lamp", "It burns."),
        "2": entry(2, "event-Fire", "The pier burnt."),
        "3": entry(3, "event-Flood", "The archive was flooded."),
        "4": entry(4, "Notes", "Written by hand."),
    });
    let folder = |at: usize| {
        let mut extras = plain(6);
        extras[1] = telling("Lamp", "It burns.");
        extras[4] = telling("Fire", "The pier was set on fire.");
        extras[5] = telling("Flood", "The archive was flooded.");
        let branch = extras[..3].to_vec();
        extras[at]["branches"] = json!(["b"]);
        Small::new()
            .book("L", book.clone())
            .book("M", book.clone())
            .chat("a", json!({ "world_info": "L" }), &extras)
            .chat("b", json!({ "world_info": "M", "main_chat": "a" }), &branch)
    };
    let copied = folder(2);
    let found = copied.run(&["check", "--json"]).json();
    let is_later = |problem: &&Value| problem["code"] == "LORE_FROM_THE_FUTURE";
    let later = found["problems"].as_array().unwrap().iter().find(is_later).unwrap();
    assert_eq!((&later["lorebook"], &later["chat"]), (&"M".into(), &"Mira/b".into()));
    assert_eq!(copied.run(&["fix", "--apply"]).code, 0);
    let after = copied.read("worlds/M.json");
    // The fire is not in the words of that scene: what is not proved stays.
    assert!(!after.contains("Flood") && after.contains("Fire") && after.contains("Lamp"));
    assert!(after.contains("Notes") && copied.read("worlds/L.json").contains("Flood"));
    // It was forked behind that scene, and messages were deleted in it since.
    assert!(!folder(5).codes().contains(&"LORE_FROM_THE_FUTURE".to_owned()));
}

#[test]
fn r064_recaps() {
    let with = |metadata: Value| Small::new().chat("a", metadata, &plain(3));
    let key = "auto_recap_running_scene_recaps";
    with(json!({ key: running("other", 0, &[1]) })).cured("RECAP_CHAT_ID_MISMATCH");
    with(json!({ key: running("a", 7, &[1]) })).cured("RECAP_VERSION_MISSING");
    let trimmed = with(json!({ key: running("a", 1, &[1, 9]) })).cured("RECAP_FROM_THE_FUTURE");
    assert!(trimmed.read("chats/Mira/a.jsonl").contains(r#""current_version":0"#));
    with(json!({ "auto_recap": { "combined_recap": { "chat_id": "a", "message_count": 9 } } }))
        .cured("COMBINED_RECAP_MISMATCH");
}

#[test]
fn links_between_timelines() {
    Small::new().chat("b", json!({ "main_chat": "gone" }), &plain(1)).cured("MISSING_PARENT");
    Small::new()
        .chat("a", json!({}), &[json!({ "bookmark_link": "gone" })])
        .cured("DEAD_CHECKPOINT_LINK");
    let kept = Small::new()
        .chat("a", json!({}), &[json!({ "branches": ["gone", "b"] })])
        .chat("b", json!({ "main_chat": "a" }), &plain(1))
        .cured("DEAD_BRANCH_LINK");
    assert!(kept.read("chats/Mira/a.jsonl").contains(r#""branches":["b"]"#));
    Small::new()
        .chat("a", json!({ "integrity": "s" }), &plain(1))
        .chat("b", json!({ "integrity": "s" }), &plain(1))
        .cured("SHARED_SLUG");
    Small::new()
        .chat(
            "a",
            json!({ "auto_recap": { "checkpoint_lorebook_map": { "gone": "L" } } }),
            &plain(1),
        )
        .cured("STALE_MAPPING");
    let books = || Small::new().book("L", json!({})).book("M", json!({}));
    books()
        .chat("a", json!({ "world_info": "L" }), &plain(1))
        .chat("b", json!({ "world_info": "M", "main_chat": "a" }), &plain(1))
        .cured("LEGACY_TIMELINE");
    let linked = books()
        .chat("a", json!({ "world_info": "L", "lorefork": { "v": 1, "id": "i", "kind": "main", "chat": "a" } }), &plain(2))
        .chat("b", json!({ "world_info": "M", "main_chat": "a",
            "lorefork": { "v": 1, "id": "j", "kind": "branch", "chat": "b", "parent": { "chat": "a", "id": "i" }, "at": 1,
                "lore": { "source": "live", "quality": "exact", "hash": "h" } },
            "auto_recap_checkpoint_state": { "cloned_lorebook_name": "M" } }), &plain(2))
        .cured("UNLINKED_TIMELINE");
    assert!(linked.read("chats/Mira/a.jsonl").contains(r#""branches":["b"]"#));
}

#[test]
fn fresh_forks_of_every_kind_are_clean() {
    let folder = Folder::new();
    for fork in [
        &["checkpoint", "The Last Lamp", "--at", "13"][..],
        &["checkpoint", "The Last Lamp", "--at", "13", "--name", "Again"],
        &["branch", "The Last Lamp", "--at", "41", "--no-link"],
        &["branch", "The Last Lamp", "--lore", "share"],
        &["branch", "The Last Lamp - Checkpoint #1"],
        &["checkpoint", "group:The Night Watch"],
    ] {
        assert_eq!(folder.run(fork).code, 0, "{fork:?}");
        let checked = folder.run(&["check"]);
        assert_eq!(checked.code, 0, "after {fork:?}: {}", checked.out);
    }
}

#[test]
fn explain_prints_the_page_and_knows_what_was_meant() {
    let folder = Small::new();
    let page = folder.run(&["explain", "shared-lorebook"]);
    assert!(page.code == 0 && page.out.starts_with("SHARED_LOREBOOK\n"), "{}", page.out);
    let wrong = folder.run(&["explain", "SHARED_LOREBOK"]);
    assert!(wrong.code == 2 && wrong.err.contains("SHARED_LOREBOOK"), "{}", wrong.err);
}

#[test]
fn an_interrupted_operation_that_nobody_can_read_is_left() {
    let folder = Small::new().put("lorefork/operations/intents/x.json", "{}");
    folder.left("INTERRUPTED_OPERATION");
}

#[test]
fn hostile_names_neither_reach_the_terminal_nor_leave_the_folder() {
    let evil = if cfg!(windows) { "Evil" } else { "Evil \u{1b}[31m <img src=x onerror=1>" };
    let odd = r#"{"mes":"\ud83d","extra":{"bookmark_link":"\ud83d"}}"#;
    let small = Small::new()
        .chat(evil, json!({ "integrity": "a", "world_info": "../../out" }), &[json!({})])
        .chat("bidi", json!({ "integrity": "b", "world_info": "g\u{202e}one" }), &[json!({})])
        .book("宵待島", json!({ "7": { "uid": 5, "comment": "y\u{1b}[2J", "content": "" } }));
    let text = chat_text(json!({ "integrity": "c", "main_chat": "x" }), &[]) + "\n" + odd;
    let small = small.put("chats/Mira/half.jsonl", text + "\n{\"mes\":\"cut of");
    let before = files(small.place.path());
    for arguments in [
        &["check"][..],
        &["fix"],
        &["fix", "--apply", "--missing", "empty"],
        &["log"],
        &["undo"],
        &["undo", "--apply"],
        &["log"],
        &["sweep"],
    ] {
        let run = small.run(arguments);
        let said = run.out + &run.err;
        let is_raw = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!said.contains(is_raw), "{arguments:?}: {said:?}");
        assert!(run.code < 2, "{arguments:?}: {said}");
        let all = files(small.place.path());
        assert!(all.keys().all(|name| name.starts_with("/data/user/")), "{:?}", all.keys());
    }
    assert_eq!(stories(&files(small.place.path())), stories(&before));
}
