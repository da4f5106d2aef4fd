//! Entries of which nobody can tell stay marked through forks of forks, until somebody decides.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use lorefork::audit::untangle::{Family, plan};
use lorefork::error::Code;
use lorefork::fork::undecided::{Said, Verdict, decide, plan_decision, undecided};
use lorefork::fork::{Created, Request, create};
use lorefork::json::{Json, set};
use lorefork::moment::Quality;
use lorefork::operation::undo::undo;
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_sim::truth::{BOOK, tangled};
use lorefork_sim::{Folder, SimHost, entry, header, message};

const MARKS: &str = r#"[{"uid":1,"name":"Lamp","why":"nothing recorded says when it was made","with":[]},{"uid":7,"name":"gone by hand","why":"","with":[]}]"#;

fn chat() -> ChatRef {
    ChatRef::new(Owner::Character("Mia".into()), "Story")
}

/// A story whose lorebook has one open entry, and a mark of one that is no longer there.
fn story() -> SimHost {
    let registry = r#"{"uid":2,"comment":"_registry_item","content":"[Registry: item]\n- uid: 1 | name: Lamp | aliases: — | synopsis: —\n- uid: 0 | name: Pier | aliases: — | synopsis: —"}"#;
    let book = format!(
        r#"{{"entries":{{"0":{},"1":{},"2":{registry}}},"extensions":{{"lorefork":{{"v":1,"undecided":{MARKS}}}}}}}"#,
        entry(0, "Pier", "old"),
        entry(1, "Lamp", "lit"),
    );
    let metadata = r#"{"integrity":"a","world_info":"L","auto_lorebooks":{"lorebookName":"L","registry":{"index":{"0":{"uid":0},"1":{"uid":1}}}},"timedWorldInfo":{"sticky":{"L.1":{"hash":1,"start":0,"end":9}}}}"#;
    let mut folder =
        Folder::new().with_chat(&chat(), &header(metadata), &[message("Mia", "hello", "{}")]);
    folder.put("worlds/L.json", book.into_bytes());
    SimHost::new(folder).outside()
}

fn fork(host: &SimHost, parent: &ChatRef) -> Created {
    let made = host.run(create(host, &Request::new(Kind::Branch, parent.clone())));
    made.returned().unwrap().unwrap()
}

fn said(entry: &str, verdict: Verdict) -> [Said<'_>; 1] {
    [Said { entry, verdict }]
}

fn open(host: &SimHost, chat: &ChatRef) -> Vec<String> {
    let listed = host.run(undecided(host, chat)).returned().unwrap().unwrap();
    listed.all.into_iter().map(|open| open.name).collect()
}

#[test]
fn what_is_open_is_open_in_forks_of_forks_and_none_is_called_exact() {
    let host = story();
    let mut parent = chat();
    for _ in 0..3 {
        let made = fork(&host, &parent);
        assert_eq!(made.quality, Quality::Partial);
        let said = made.warnings.iter().find(|warning| warning.code == Code::PartialSnapshot);
        assert!(said.unwrap().message.to_string().contains("Lamp"), "{:?}", made.warnings);
        assert_eq!(open(&host, &made.place), ["Lamp"]);
        parent = made.place;
    }
    let decided =
        host.run(decide(&host, &parent, &said("1", Verdict::Keep))).returned().unwrap().unwrap();
    assert_eq!(decided.plan.left, 0);
    assert_eq!(fork(&host, &parent).quality, Quality::Exact, "somebody has said what is so");
    assert_eq!(open(&host, &chat()), ["Lamp"], "of that timeline alone");
}

#[test]
fn what_is_dropped_goes_with_all_that_speaks_of_it_and_comes_back() {
    let host = story();
    let before: Vec<_> = ["worlds/L.json".to_owned(), chat().file()]
        .map(|file| host.folder().text(&file).unwrap().to_owned())
        .into();
    let plan = host.run(plan_decision(&host, &chat(), &said("Lamp", Verdict::Drop)));
    assert_eq!(plan.returned().unwrap().unwrap().left, 0);
    assert_eq!(host.folder().text("worlds/L.json"), Some(before[0].as_str()), "a plan only reads");
    let done =
        host.run(decide(&host, &chat(), &said("Lamp", Verdict::Drop))).returned().unwrap().unwrap();
    let folder = host.folder();
    let book = folder.text("worlds/L.json").unwrap();
    assert!(!book.contains("Lamp") && book.contains("Pier"), "{book}");
    let head = folder.text(&chat().file()).unwrap().lines().next().unwrap();
    let head = Json::parse(head).unwrap();
    let index = head.at(&["chat_metadata", "auto_lorebooks", "registry", "index"]).unwrap();
    assert_eq!(index.members().len(), 1, "{}", index.text());
    let effects = head.at(&["chat_metadata", "timedWorldInfo"]).unwrap();
    assert!(!effects.text().contains("L.1"), "{}", effects.text());
    host.run(undo(&host, Some(&done.done.id))).returned().unwrap().unwrap();
    let after: Vec<_> = ["worlds/L.json".to_owned(), chat().file()]
        .map(|file| host.folder().text(&file).unwrap().to_owned())
        .into();
    assert_eq!(after, before);
}

#[test]
fn who_else_uses_the_lorebook_is_named() {
    let host = story();
    let mut folder = host.folder();
    let bytes = folder.get(&chat().file()).unwrap().to_vec();
    folder.put(chat().sibling("Another").file(), bytes);
    let host = SimHost::new(folder).outside();
    let plan = host.run(plan_decision(&host, &chat(), &said("1", Verdict::Drop)));
    let warnings = plan.returned().unwrap().unwrap().warnings;
    assert_eq!(warnings[0].code, Code::NamedElsewhere);
    assert!(warnings[0].message.to_string().contains("Another"), "{warnings:?}");
}

#[test]
fn nobody_guesses_what_is_said_both_ways_and_what_is_said_twice_is_said_once() {
    let host = story();
    let both = [
        Said { entry: "1", verdict: Verdict::Keep },
        Said { entry: "Lamp", verdict: Verdict::Drop },
    ];
    let refused = host.run(decide(&host, &chat(), &both)).returned().unwrap().unwrap_err();
    assert_eq!(refused.code, Code::NoSuchEntry);
    let twice = [both[0], Said { entry: "Lamp", verdict: Verdict::Keep }];
    let done = host.run(decide(&host, &chat(), &twice)).returned().unwrap().unwrap();
    assert_eq!((done.plan.entries.len(), done.plan.left), (1, 0));
    let again = host.run(decide(&host, &chat(), &twice)).returned().unwrap().unwrap_err();
    assert_eq!(again.code, Code::NoSuchEntry, "nothing is left to decide");
}

#[test]
fn what_was_open_before_stays_open_when_a_shared_lorebook_comes_apart() {
    let mut kept = 0;
    for seed in 0..40 {
        let story = tangled(seed);
        let file = format!("worlds/{BOOK}.json");
        let text = story.folder.text(&file).unwrap();
        let book = Json::parse(text).unwrap();
        let uid = book.get("entries").unwrap().members()[0].value.get("uid").unwrap().text();
        let mark = format!(r#"[{{"uid":{uid},"name":"n","why":"from before","with":[]}}]"#);
        let text = set(text, &["extensions", "lorefork", "undecided"], &mark).unwrap();
        let mut folder = story.folder.clone();
        folder.put(file, text.into_bytes());
        let host = SimHost::new(folder).outside();
        let chats = story.truth.iter().map(|truth| truth.chat.clone()).collect();
        let family = Family { lorebook: BOOK.to_owned(), chats };
        let planned = host.run(plan(&host, &family)).returned().unwrap().unwrap();
        for text in planned.timelines.iter().filter_map(|own| own.book.as_deref()) {
            let book = Json::parse(text).unwrap();
            let entries = book.get("entries").unwrap().members();
            let mut numbers = entries.iter().filter_map(|entry| entry.value.get("uid"));
            let marks = book.at(&["extensions", "lorefork", "undecided"]);
            let marks = marks.map(Json::items).unwrap_or_default();
            let is_marked = marks.iter().any(|mark| mark.get("uid").unwrap().text() == uid);
            assert_eq!(is_marked, numbers.any(|own| own.text() == uid), "seed {seed}");
            kept += usize::from(is_marked);
        }
    }
    assert!(kept > 20, "{kept}");
}
