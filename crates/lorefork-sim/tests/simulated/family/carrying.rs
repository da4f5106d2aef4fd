//! Comparing and carrying over, against what was put into the folder.

use lorefork::error::Code;
use lorefork::family::{
    CarriedOver, Chosen, Comparison, Decision, Fate, carry, compare, entries_of, plan_carry,
};
use lorefork::operation::undo::undo;
use lorefork_sim::{Chance, Folder, SimHost, entry};
use std::collections::BTreeMap;

use crate::family::made::{below, chat, message};

const HERE: &str = r#"{"chat_metadata":{"integrity":"a","world_info":"Here","variables":{"gold":3,"same":"x"},"note_prompt":"be kind","auto_recap_running_scene_recaps":{"current_version":2,"versions":[{"version":2,"content":"They met."}]}}}"#;
const THERE: &str = r#"{"chat_metadata":{"integrity":"b","world_info":"There","variables":{"gold":5,"same":"x","sword":true},"auto_lorebooks":{"registry":{"index":{}}},"auto_recap_running_scene_recaps":{"current_version":1,"versions":[{"version":1,"content":"They parted."}]}}}"#;

fn folder(here: &[(&str, String)], there: &[(&str, String)]) -> Folder {
    let lines = |ids: Vec<usize>| -> Vec<String> {
        ids.into_iter().map(|id| message(id, id % 2 == 1, "")).collect()
    };
    Folder::new()
        .with_chat(&chat("A"), HERE, &lines((0..9).collect()))
        .with_chat(&chat("B"), THERE, &lines((0..5).chain(50..53).collect()))
        .with_lorebook("Here", here)
        .with_lorebook("There", there)
}

fn compared(host: &SimHost) -> Comparison {
    host.run(compare(host, &chat("A"), &chat("B"))).returned().unwrap().unwrap()
}

fn carried(
    host: &SimHost,
    uids: &[&str],
    decision: Option<Decision>,
) -> Result<CarriedOver, lorefork::error::Error> {
    let uids: Vec<String> = uids.iter().map(ToString::to_string).collect();
    host.run(carry(host, &chat("A"), &chat("B"), &Chosen::all(&uids, decision))).returned().unwrap()
}

/// What is not ours.
fn theirs(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let files = folder.files().filter(|(file, _)| !file.starts_with("lorefork/"));
    files.map(|(file, bytes)| (file.to_owned(), bytes.to_vec())).collect()
}

#[test]
fn two_timelines_beside_each_other() {
    let here = [("0", entry(0, "Mia", "kind")), ("1", entry(1, "Tom", "tall"))];
    let there = [("0", entry(0, "Mia", "cruel")), ("1", entry(1, "Ann", "small"))];
    let host = SimHost::new(folder(&here, &there)).outside();
    let found = compared(&host);
    assert_eq!(found.shared, 5);
    let said: Vec<usize> = found.before.iter().map(|said| said.at).collect();
    assert_eq!(said, [3, 4]);
    assert_eq!(found.here.after[0].text, "message 5");
    assert_eq!(found.there.after[0].text, "message 50");
    let names = |all: &[lorefork::family::EntryOf]| -> Vec<String> {
        all.iter().map(|one| one.name.clone()).collect()
    };
    assert_eq!(names(&found.entries.here_only), ["Tom"]);
    assert_eq!(names(&found.entries.there_only), ["Ann"]);
    assert_eq!(found.entries.changed[0].fields[0].here.as_deref(), Some("kind"));
    let recap = found.recap.as_ref().unwrap();
    assert_eq!(recap.there.as_deref(), Some("They parted."));
    let variables: Vec<(&str, Option<&str>, Option<&str>)> = found
        .variables
        .iter()
        .map(|one| (one.key.as_str(), one.here.as_deref(), one.there.as_deref()))
        .collect();
    assert_eq!(variables, [("gold", Some("3"), Some("5")), ("sword", None, Some("true"))]);
    assert_eq!(found.notes[0].here.as_deref(), Some("be kind"));
    assert!(!found.is_same());
    lorefork::json::Json::parse(&found.json()).unwrap();
}

#[test]
fn what_says_the_same_is_the_same() {
    let all = [("0", entry(0, "Mia", "kind"))];
    let mut folder = folder(&all, &all);
    let text = folder.text(&chat("A").file()).unwrap().replace("\"Here\"", "\"There\"");
    folder.put(chat("B").file(), text);
    let host = SimHost::new(folder);
    let found = compared(&host);
    assert!(found.is_same() && !found.is_same_book());
    // In both the same book: nothing can be carried over.
    host.put(&chat("B").file(), host.folder().text(&chat("A").file()).unwrap());
    assert!(compared(&host).is_same_book());
    assert_eq!(carried(&host, &["0"], None).unwrap_err().code, Code::InUse);
}

#[test]
fn an_entry_goes_over_with_a_free_number_and_its_registry_line() {
    let registry =
        "[Registry: character]\n- UID=4 | name: Osk | aliases: the smith | synopsis: A smith";
    let here =
        [("4", entry(4, "Osk", "A smith.")), ("9", entry(9, "_registry_character", registry))];
    let there = [
        ("4", entry(4, "Ship", "Sails.")),
        (
            "7",
            entry(
                7,
                "_registry_character",
                "[Registry: character]\n- UID=3 | name: Zed | aliases: — | synopsis: —",
            ),
        ),
    ];
    let host = SimHost::new(folder(&here, &there)).outside();
    let before = theirs(&host.folder());
    let done = carried(&host, &["4"], None).unwrap();
    assert_eq!(done.plan.entries[0].fate, Fate::Added(10), "4 is another's, 9 was given away");
    assert_eq!(done.plan.entries[0].registries, ["character"]);
    let book = host.folder().text("worlds/There.json").unwrap().to_owned();
    let json = lorefork::json::Json::parse(&book).unwrap();
    let osk = json.at(&["entries", "10"]).unwrap();
    assert!(
        osk.get("uid").unwrap().integer() == Some(10)
            && osk.get("content").unwrap().says("A smith.")
    );
    let lines = json.at(&["entries", "7", "content"]).unwrap().str().unwrap().into_owned();
    assert!(
        lines.contains("- UID=10 | name: Osk | aliases: the smith | synopsis: A smith"),
        "{lines}"
    );
    assert!(json.at(&["entries", "4", "content"]).unwrap().says("Sails."));
    let header = host.folder().text(&chat("B").file()).unwrap().lines().next().unwrap().to_owned();
    let index = lorefork::json::Json::parse(&header).unwrap();
    let item = index.at(&["chat_metadata", "auto_lorebooks", "registry", "index", "10"]).unwrap();
    assert!(item.get("name").unwrap().says("Osk"));
    assert_eq!(
        host.folder().text("worlds/Here.json"),
        String::from_utf8(
            before.iter().find(|(file, _)| file == "worlds/Here.json").unwrap().1.clone()
        )
        .ok()
        .as_deref()
    );
    // Once more: it is there.
    let again = carried(&host, &["4"], None).unwrap();
    assert!(again.done.is_none() && again.plan.entries[0].fate == Fate::Same);
    host.run(undo(&host, None)).returned().unwrap().unwrap();
    assert_eq!(theirs(&host.folder()), before, "undo gives back every byte");
}

#[test]
fn a_conflict_is_decided_by_hand() {
    let here = [("0", entry(0, "Mia", "kind"))];
    let there = [("0", entry(0, "Mia", "cruel")), ("1", entry(1, "Tom", "tall"))];
    let start = folder(&here, &there);
    let before = theirs(&start);
    for decision in [None, Some(Decision::Keep), Some(Decision::Replace), Some(Decision::Both)] {
        let host = SimHost::new(start.clone()).outside();
        let plan = host
            .run(plan_carry(&host, &chat("A"), &chat("B"), &Chosen::all(&["0".into()], decision)))
            .returned()
            .unwrap()
            .unwrap();
        assert_eq!(plan.undecided(), usize::from(decision.is_none()));
        assert_eq!(theirs(&host.folder()), before, "planning writes nothing");
        let done = carried(&host, &["0"], decision);
        let all = host.run(entries_of(&host, &chat("B"))).returned().unwrap().unwrap();
        let contents: Vec<(&str, &str)> =
            all.iter().map(|one| (one.uid.as_str(), one.content.as_str())).collect();
        match decision {
            None => assert_eq!(done.unwrap_err().code, Code::NameTaken),
            Some(Decision::Keep) => assert!(done.unwrap().done.is_none()),
            Some(Decision::Replace) => assert_eq!(contents, [("0", "kind"), ("1", "tall")]),
            Some(Decision::Both) => {
                assert_eq!(contents, [("0", "cruel"), ("1", "tall"), ("2", "kind")]);
            }
        }
        if theirs(&host.folder()) != before {
            host.run(undo(&host, None)).returned().unwrap().unwrap();
        }
        assert_eq!(theirs(&host.folder()), before, "{decision:?}");
    }
}

/// Lorebooks by chance, carried over by chance, against a model of names and contents.
#[test]
fn carrying_over_does_what_a_model_does() {
    for seed in 0..80 {
        let mut chance = Chance::new(seed);
        let book = |chance: &mut Chance| -> Vec<(String, String, String)> {
            let mut uid = 0;
            let names = ["Mia", "Tom", "Ann", "Osk", "Lamp", "Ship", "Tern"];
            let some = names.iter().filter(|_| chance.percent(60)).collect::<Vec<_>>();
            some.into_iter()
                .map(|name| {
                    uid += 1 + below(chance, 3);
                    let content = format!("{name} {}", below(chance, 2));
                    (uid.to_string(), (*name).to_owned(), content)
                })
                .collect()
        };
        let (here, there) = (book(&mut chance), book(&mut chance));
        let made = |all: &[(String, String, String)]| -> Vec<(String, String)> {
            all.iter()
                .map(|(uid, name, content)| {
                    (uid.clone(), entry(uid.parse().unwrap(), name, content))
                })
                .collect()
        };
        let (a, b) = (made(&here), made(&there));
        fn keyed(all: &[(String, String)]) -> Vec<(&str, String)> {
            all.iter().map(|(key, text)| (key.as_str(), text.clone())).collect()
        }
        let host = SimHost::new(folder(&keyed(&a), &keyed(&b))).outside();
        let before = theirs(&host.folder());
        let chosen: Vec<&(String, String, String)> =
            here.iter().filter(|_| chance.percent(50)).collect();
        let uids: Vec<&str> = chosen.iter().map(|(uid, ..)| uid.as_str()).collect();
        carried(&host, &uids, Some(Decision::Replace)).unwrap();
        let mut model: BTreeMap<String, String> =
            there.iter().map(|(_, name, content)| (name.clone(), content.clone())).collect();
        for (_, name, content) in &chosen {
            model.insert(name.clone(), content.clone());
        }
        let all = host.run(entries_of(&host, &chat("B"))).returned().unwrap().unwrap();
        let now: BTreeMap<String, String> =
            all.iter().map(|one| (one.name.clone(), one.content.clone())).collect();
        assert_eq!(now, model, "seed {seed}");
        assert_eq!(now.len(), all.len(), "seed {seed}: nothing is there twice");
        // Who was there keeps its number.
        for (uid, name, _) in &there {
            assert!(all.iter().any(|one| one.uid == *uid && one.name == *name), "seed {seed}");
        }
        if theirs(&host.folder()) != before {
            host.run(undo(&host, None)).returned().unwrap().unwrap();
        }
        assert_eq!(theirs(&host.folder()), before, "seed {seed}");
    }
}
