//! The sample folder must be what a real one is, and must not know things before they happen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::Value;

use super::*;

/// SillyTavern's `getStringHash`, written from its source as an oracle.
fn string_hash(text: &str) -> u64 {
    let (mut a, mut b) = (0xdead_beef_u32, 0x41c6_ce57_u32);
    for unit in text.encode_utf16() {
        a = (a ^ u32::from(unit)).wrapping_mul(2_654_435_761);
        b = (b ^ u32::from(unit)).wrapping_mul(1_597_334_677);
    }
    let blend = |x: u32, y: u32| {
        (x ^ (x >> 16)).wrapping_mul(2_246_822_507) ^ (y ^ (y >> 13)).wrapping_mul(3_266_489_909)
    };
    a = blend(a, b);
    b = blend(b, a);
    u64::from(b & 0x1f_ffff) << 32 | u64::from(a)
}

/// Auto-Recap's hash, likewise.
fn recap_hash(text: &str) -> String {
    let step = |hash: i32, unit: u16| hash.wrapping_mul(31).wrapping_add(i32::from(unit));
    let mut rest = text.trim().encode_utf16().fold(0, step).unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(rest % 36, 36));
        rest /= 36;
        if rest == 0 {
            return digits.iter().rev().collect();
        }
    }
}

const HASHES: Hashes = Hashes { string: string_hash, recap: recap_hash };

/// Made once: drawing takes its time in a debug build.
static FILES: LazyLock<Vec<File>> = LazyLock::new(|| files(HASHES));

fn file(path: &str) -> &'static [u8] {
    let path = format!("default-user/{path}");
    let (_, bytes) = FILES.iter().find(|(name, _)| *name == path).unwrap();
    bytes
}

/// Header and messages.
fn chat(path: &str) -> (Value, Vec<Value>) {
    let text = str::from_utf8(file(path)).unwrap();
    let mut lines = text.split('\n').map(|line| serde_json::from_str(line).unwrap());
    (lines.next().unwrap(), lines.collect())
}

fn main_chat() -> (Value, Vec<Value>) {
    chat(&format!("chats/Tamsin/{CHAT}.jsonl"))
}

fn book(name: &str) -> Value {
    serde_json::from_slice(file(&format!("worlds/{name}.json"))).unwrap()
}

/// Message index and snapshot of every recapped scene.
fn snapshots(messages: &[Value]) -> Vec<(usize, Vec<Value>)> {
    let snapshot = |(index, message): (usize, &Value)| {
        let state = &message["extra"]["auto_recap_memory"];
        let version = state["scene_recap_current_index"].as_u64()?.to_string();
        let entries = state["scene_recap_metadata"][&version]["allEntries"].as_array()?;
        Some((index, entries.clone()))
    };
    messages.iter().enumerate().filter_map(snapshot).collect()
}

fn live(document: &Value) -> Vec<Value> {
    let entries = document["entries"].as_object().unwrap().values();
    entries.filter(|entry| entry["comment"] != "__operation_queue").cloned().collect()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap()
}

/// The content of an entry, if there is one of that title.
fn content<'a>(entries: &'a [Value], comment: &str) -> Option<&'a str> {
    entries.iter().find(|entry| entry["comment"] == comment).map(|entry| text(entry, "content"))
}

/// What the registries list: uid -> title.
fn registered(entries: &[Value]) -> BTreeMap<u64, String> {
    let registries =
        entries.iter().filter(|entry| text(entry, "comment").starts_with("_registry_"));
    let lines = registries.flat_map(|entry| text(entry, "content").lines().skip(1));
    let member = |line: &str| {
        let (uid, rest) = line.strip_prefix("- UID=").unwrap().split_once(" | name: ").unwrap();
        (uid.parse().unwrap(), rest.split(" | ").next().unwrap().to_owned())
    };
    lines.map(member).collect()
}

/// What the content entries say of themselves: uid -> title.
fn titles(entries: &[Value]) -> BTreeMap<u64, String> {
    let contents = entries.iter().filter(|entry| !text(entry, "comment").starts_with("_registry_"));
    contents
        .map(|entry| (entry["uid"].as_u64().unwrap(), text(entry, "comment").to_owned()))
        .collect()
}

#[test]
fn the_oracles_know_their_vectors() {
    let recaps = ["", "abc", "The story so far.", "é😀"].map(recap_hash);
    assert_eq!(recaps, ["0", "22ci", "o2vr7l", "16sr0"]);
    // From `getStringHash` in Node.
    assert_eq!(string_hash("The Last Lamp 宵待島 🐉"), 802_042_585_347_725);
}

#[test]
fn two_runs_give_the_same_bytes_under_distinct_relative_paths() {
    let files = &*FILES;
    assert!(*files == super::files(HASHES));
    let paths: BTreeSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths.len(), files.len());
    assert!(
        paths.iter().all(|path| path.starts_with("default-user/") && !path.contains(['\\', ':']))
    );
}

#[test]
fn chats_are_compact_lines_and_the_rest_is_printed_with_four_spaces() {
    for (path, bytes) in &*FILES {
        let Ok(text) = str::from_utf8(bytes) else { continue };
        assert!(!text.ends_with('\n') && !text.starts_with('\u{feff}'), "{path}");
        if path.ends_with(".jsonl") {
            for line in text.split('\n') {
                assert_eq!(
                    serde_json::from_str::<Value>(line).unwrap().to_string(),
                    line,
                    "{path}"
                );
            }
            assert!(text.starts_with(r#"{"chat_metadata":{"integrity":""#), "{path}");
        } else {
            assert!(text.starts_with("{\n    \"") && text.ends_with("\n}"), "{path}");
        }
    }
}

#[test]
fn entries_stand_under_their_uid_in_ascending_order() {
    for name in [BOOK, ISLE_BOOK, GROUP_BOOK] {
        let document = book(name);
        let entries = document["entries"].as_object().unwrap();
        let keys: Vec<u64> = entries.keys().map(|key| key.parse().unwrap()).collect();
        assert!(keys.is_sorted(), "{name}");
        assert!(entries.iter().zip(&keys).all(|((_, entry), key)| entry["uid"] == *key), "{name}");
    }
    let queue = live(&book(BOOK)).len();
    let document = book(BOOK);
    let (uid, entry) = document["entries"].as_object().unwrap().iter().nth(queue).unwrap();
    assert_eq!((uid.len(), text(entry, "comment")), (13, "__operation_queue"));
    assert_eq!(
        serde_json::from_str::<Value>(text(entry, "content")).unwrap()["queue"],
        serde_json::json!([])
    );
}

#[test]
fn registries_and_entries_agree_at_every_moment() {
    for (path, name) in [
        (format!("chats/Tamsin/{CHAT}.jsonl"), BOOK),
        (format!("chats/凪/{ISLE_CHAT}.jsonl"), ISLE_BOOK),
    ] {
        let (header, messages) = chat(&path);
        let now = live(&book(name));
        for (at, entries) in snapshots(&messages) {
            assert_eq!(registered(&entries), titles(&entries), "{path} at {at}");
            assert!(entries.iter().all(|entry| entry["world"] == name), "{path} at {at}");
            assert!(
                entries.iter().all(|entry| entry.as_object().unwrap().len() == 27),
                "{path} at {at}"
            );
        }
        assert_eq!(registered(&now), titles(&now), "{path}");

        let metadata = &header["chat_metadata"];
        let index = metadata["auto_lorebooks"]["registry"]["index"].as_object().unwrap();
        let index: BTreeMap<u64, String> = index
            .values()
            .map(|record| (record["uid"].as_u64().unwrap(), text(record, "name").to_owned()))
            .collect();
        assert_eq!(index, titles(&now), "{path}");
        assert_eq!(
            (text(metadata, "world_info"), text(&metadata["auto_lorebooks"], "lorebookName")),
            (name, name)
        );
    }
}

#[test]
fn recaps_carry_their_hash_and_name_existing_uids() {
    let (_, messages) = main_chat();
    let known = snapshots(&messages);
    let mut before = BTreeSet::new();
    for (at, entries) in &known {
        let state = &messages[*at]["extra"]["auto_recap_memory"];
        let recap = text(state, "scene_recap_memory");
        assert_eq!(text(state, "scene_recap_hash"), recap_hash(recap));
        assert_eq!(state["scene_recap_versions"][1], *recap);

        let version = &state["scene_recap_metadata"]["1"];
        let uids: BTreeSet<String> = entries.iter().map(|entry| entry["uid"].to_string()).collect();
        let touched = version["created_entry_uids"].as_array().unwrap();
        assert!(touched.iter().all(|uid| uids.contains(uid.as_str().unwrap())), "{at}");
        let recap: Value = serde_json::from_str(recap).unwrap();
        let merged = recap["stage4"]["entities"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|entity| entity["uid"].as_str());
        assert!(merged.into_iter().all(|uid| before.contains(uid)), "{at}");
        before = uids;
    }
}

#[test]
fn scenes_lie_where_they_are_said_to_lie() {
    let (_, messages) = main_chat();
    assert_eq!(messages.len(), SWIPED + 1);
    let ends: Vec<usize> = snapshots(&messages).iter().map(|(at, _)| *at).collect();
    assert_eq!(ends, SCENE_ENDS);
    let mut start = 0;
    for end in ends {
        let version = &messages[end]["extra"]["auto_recap_memory"]["scene_recap_metadata"]["1"];
        assert_eq!((&version["startIdx"], &version["endIdx"]), (&start.into(), &end.into()));
        start = end + 1;
    }
    // The second scene ends on a message that shows its second swipe, so that its state is there
    // twice.
    let swiped = &messages[SCENE_ENDS[1]];
    assert_eq!(swiped["swipe_info"][1]["extra"], swiped["extra"]);
    assert_eq!(messages[SWIPED]["swipes"].as_array().unwrap().len(), 3);
    assert_eq!(messages[SWIPED]["swipe_info"].as_array().unwrap().len(), 3);
}

#[test]
fn the_running_recap_is_sorted_by_scene_and_has_a_hole() {
    let (header, messages) = main_chat();
    let running = &header["chat_metadata"]["auto_recap_running_scene_recaps"];
    let versions = running["versions"].as_array().unwrap();
    let number = |key: &str| -> Vec<u64> {
        versions.iter().map(|version| version[key].as_u64().unwrap()).collect()
    };
    assert_eq!(number("version"), [0, 1, 2, 4, 5]);
    assert_eq!(number("new_scene_index"), [13, 28, 41, 41, 53]);
    assert!(number("timestamp").is_sorted());
    assert_eq!((text(running, "chat_id"), &running["current_version"]), (CHAT, &5.into()));
    assert!(
        number("new_scene_index")
            .iter()
            .all(|at| !messages[*at as usize]["extra"]["auto_recap_memory"].is_null())
    );
}

#[test]
fn no_moment_knows_what_has_not_happened_yet() {
    let (_, messages) = main_chat();
    let [one, two, three, four] = snapshots(&messages).try_into().unwrap();
    let now = live(&book(BOOK));
    let says = |entries: &[Value], comment, words| {
        content(entries, comment).is_some_and(|text| text.contains(words))
    };

    assert!(
        says(&one.1, "character-Ashkeel", "alive") && says(&two.1, "character-Ashkeel", "alive")
    );
    assert!(
        says(&three.1, "character-Ashkeel", "Dead") && says(&four.1, "character-Ashkeel", "Dead")
    );
    assert!(says(&one.1, "character-Jory", "cook") && says(&two.1, "character-Jory", "Prince"));
    assert!(
        !says(&two.1, "character-Osgood Pell", "Lantern Man")
            && says(&three.1, "character-Osgood Pell", "Lantern Man")
    );
    assert!(
        !says(&three.1, "item-Bone whistle", "Lost") && says(&four.1, "item-Bone whistle", "Lost")
    );

    let title = |entries: &[Value]| titles(entries).get(&REUSED_UID).cloned();
    assert_eq!(title(&one.1), None);
    assert_eq!(title(&two.1).as_deref(), Some("character-Lantern Man"));
    assert_eq!(title(&three.1), None);
    assert_eq!(title(&four.1).as_deref(), Some("character-Pinch"));

    let words = |entries: &[Value]| {
        entries.iter().map(|entry| text(entry, "content").to_owned()).collect::<String>()
    };
    for later in ["Prince", "Tallow", "Lantern", "Dead", "Pinch", "Lost in"] {
        assert!(!words(&one.1).contains(later), "{later}");
    }
    for later in ["Dead", "Pinch", "Lost in"] {
        assert!(!words(&two.1).contains(later), "{later}");
    }
    assert!(!words(&three.1).contains("Pinch"));

    // The live book is the last snapshot and one entry edited by hand; one uid is free.
    let edited: Vec<&Value> = now
        .iter()
        .filter(|entry| content(&four.1, text(entry, "comment")) != entry["content"].as_str())
        .collect();
    assert_eq!(edited.len(), 1);
    assert_eq!(titles(&now), titles(&four.1));
    let uids: Vec<u64> = now.iter().map(|entry| entry["uid"].as_u64().unwrap()).collect();
    assert_ne!(*uids.last().unwrap() as usize, uids.len() - 1);
}

#[test]
fn timed_effects_belong_to_live_entries() {
    let (header, messages) = main_chat();
    let document = book(BOOK);
    let sticky = header["chat_metadata"]["timedWorldInfo"]["sticky"].as_object().unwrap();
    assert_eq!(sticky.len(), 3);
    let sent = messages.iter().filter(|message| message["is_system"] == false).count() as u64 - 1;
    for (key, effect) in sticky {
        let uid = key.strip_prefix(BOOK).unwrap().strip_prefix('.').unwrap();
        let printed = document["entries"][uid].to_string();
        let scanned = printed.replacen(',', &format!(r#","world":"{BOOK}","#), 1);
        let scanned = format!(r#"{},"decorators":[]}}"#, scanned.strip_suffix('}').unwrap());
        assert_eq!(effect["hash"], string_hash(&scanned));
        assert_eq!((&effect["start"], &effect["end"]), (&sent.into(), &(sent + 4).into()));
    }
}

#[test]
fn messages_go_forward_in_time_and_use_what_chats_use() {
    let (_, messages) = main_chat();
    assert!(messages.is_sorted_by_key(|message| text(message, "send_date")));
    let any = |test: &dyn Fn(&Value) -> bool| messages.iter().any(test);
    assert!(
        any(&|message| message["is_system"] == true)
            && any(&|message| message["is_system"] == false)
    );
    assert!(any(&|message| text(message, "mes").contains('🐉')));
    for message in &messages {
        if message["is_user"] == true {
            assert!(text(message, "force_avatar").starts_with("/thumbnail?type=persona"));
        } else {
            let shown = message["swipe_id"].as_u64().unwrap() as usize;
            assert_eq!(message["swipes"][shown], message["mes"]);
        }
    }
}

/// As plain SillyTavern leaves it: what one timeline learned stands in the lorebook of all, and each
/// snapshot shows that book at its time.
#[test]
fn the_tangled_family_shares_what_each_of_them_learned() {
    let all = tangled(HASHES);
    let read = |path: &str| {
        let path = format!("default-user/{path}");
        let (_, bytes) = all.iter().find(|(name, _)| *name == path).unwrap();
        str::from_utf8(bytes).unwrap()
    };
    let document: Value =
        serde_json::from_str(read(&format!("worlds/{TANGLED_BOOK}.json"))).unwrap();
    let now = live(&document);
    assert_eq!(content(&now, "character-Old Rime").unwrap().lines().next(), Some("Dead"));
    assert_eq!(registered(&now), titles(&now));
    let mut slugs = BTreeSet::new();
    for (name, dragon, main) in [
        (TANGLED_CHAT, ["Asleep", "Awake"].as_slice(), None),
        (TANGLED_CHECKPOINT, &["Asleep"], Some(TANGLED_CHAT)),
        (TANGLED_BRANCH, &["Asleep", "Dead"], Some(TANGLED_CHAT)),
    ] {
        let mut lines = read(&format!("chats/Tamsin/{name}.jsonl"))
            .split('\n')
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let metadata = lines.next().unwrap()["chat_metadata"].clone();
        assert_eq!(metadata["world_info"], TANGLED_BOOK, "{name}");
        assert_eq!(metadata.get("main_chat").and_then(Value::as_str), main, "{name}");
        slugs.insert(metadata["integrity"].to_string());
        let messages: Vec<Value> = lines.collect();
        assert!(messages.is_sorted_by_key(|message| text(message, "send_date")), "{name}");
        let shown = snapshots(&messages);
        assert_eq!(shown.len(), dragon.len(), "{name}");
        for ((_, entries), state) in shown.iter().zip(dragon) {
            assert!(content(entries, "character-Old Rime").unwrap().starts_with(state), "{name}");
            assert_eq!(registered(entries), titles(entries), "{name}");
        }
    }
    assert_eq!(slugs.len(), 3);
}

#[test]
fn the_group_knows_its_chat_and_members() {
    let paths: Vec<String> = FILES.iter().map(|(path, _)| path.clone()).collect();
    let record = paths.iter().find_map(|path| path.strip_prefix("default-user/groups/")).unwrap();
    let group: Value = serde_json::from_slice(file(&format!("groups/{record}"))).unwrap();
    assert_eq!((text(&group, "name"), text(&group, "chat_id")), (GROUP, GROUP_CHAT));
    for member in group["members"].as_array().unwrap() {
        assert!(paths.contains(&format!("default-user/characters/{}", member.as_str().unwrap())));
    }
    let (header, _) = chat(&format!("group chats/{GROUP_CHAT}.jsonl"));
    assert_eq!(header["chat_metadata"]["world_info"], GROUP_BOOK);
}

#[test]
fn cards_are_pictures_with_both_texts() {
    for name in ["Tamsin", "凪"] {
        let png = file(&format!("characters/{name}.png"));
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
        let has = |bytes: &[u8]| png.windows(bytes.len()).any(|window| window == bytes);
        assert!(has(b"tEXtchara\0") && has(b"tEXtccv3\0"));
        // The checksum of an empty IEND, known from every PNG there is.
        assert!(png.ends_with(b"IEND\xae\x42\x60\x82"));
    }
}
