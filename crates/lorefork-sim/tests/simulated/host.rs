//! The host does what the port says, and scripts do what they say.

use lorefork::host::{ChatView, Host, HostErrorKind, Line, LineEdit, Piece, Written};
use lorefork::tavern::card::Card;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_sim::{Ended, Fault, Folder, Reach, Script, SimHost, entry, header, message};

fn mira(name: &str) -> ChatRef {
    ChatRef::new(Owner::Character("Mira".into()), name)
}

fn folder() -> Folder {
    let lines: Vec<String> = (0..4).map(|n| message("Mira", &format!("Line {n}"), "{}")).collect();
    let group = ChatRef::new(Owner::Group("7".into()), "Crew");
    Folder::new()
        .with_chat(&mira("Main"), &header(r#"{"integrity":"a","world_info":"Lore"}"#), &lines)
        .with_chat(&group, &header(r#"{"world_info":"Lore"}"#), &lines[..1])
        .with_lorebook("Lore", &[("0", entry(0, "a", "b"))])
        .with_group("7", &["Crew"])
}

fn struck(n: usize, fault: Fault) -> SimHost {
    SimHost::new(folder()).with_script(Script::calm().at(n, fault))
}

/// Runs what must not crash.
fn now<T>(host: &SimHost, flow: impl Future<Output = T>) -> T {
    host.run(flow).returned().expect("the flow lives")
}

fn kind_of(written: Written) -> HostErrorKind {
    match written {
        Written::Refused(error) => error.kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn reading_finds_what_is_there() {
    let card = Card { name: "Mira".into(), chat: None, lorebook: None };
    let host = SimHost::new(folder()).with_card("Mira", card.clone());
    now(&host, async {
        let chat = host.open(&mira("Main")).await.unwrap();
        assert_eq!((chat.len(), chat.find("mes", 1..3).unwrap()), (4, vec![1, 2]));
        assert_eq!(host.open(&mira("None")).await.unwrap_err().kind, HostErrorKind::Absent);
        assert_eq!(host.chat_names(&mira("").owner).await.unwrap(), ["Main"]);
        assert_eq!(host.chat_names(&Owner::Group("9".into())).await.unwrap(), ["Crew"]);
        assert_eq!(host.lorebook("None").await.unwrap(), None);
        assert_eq!(host.lorebook_names().await.unwrap(), ["Lore"]);
        assert_eq!(host.card("Mira").await.unwrap(), Some(card.clone()));
        assert_eq!(host.settings().await.unwrap(), None);
        let named = host.headers(&|other| other.header.contains("\"Lore\"")).await.unwrap();
        let named: Vec<String> = named.iter().map(|header| header.chat.to_string()).collect();
        assert_eq!(named, ["Mira/Main", "group:7/Crew"]);
    });
}

#[test]
fn creating_never_meets_an_existing_file() {
    let host = SimHost::new(folder());
    now(&host, async {
        assert_eq!(kind_of(host.create_lorebook("LORE", "{}").await), HostErrorKind::Exists);
        let chat = host.open(&mira("Main")).await.unwrap();
        let pieces = || {
            let pieces = [Piece::Same(0..2), Piece::Text("{\"mes\":\"x\"}".into())];
            pieces.into_iter().map(Ok)
        };
        let new = mira("New");
        assert!(matches!(
            host.create_chat(&new, "{}", &mut pieces(), &chat).await,
            Written::Done(_)
        ));
        let again = host.create_chat(&new, "{}", &mut pieces(), &chat).await;
        assert_eq!(kind_of(again), HostErrorKind::Exists);
    });
    let text = host.folder().text("chats/Mira/New.jsonl").unwrap().to_owned();
    assert!(text.starts_with("{}\n{\"name\":\"Mira\"") && text.ends_with("\n{\"mes\":\"x\"}"));
}

#[test]
fn changing_needs_the_state_that_was_seen() {
    let mut folder = folder();
    folder.put("chats/Mira/Main.jsonl", "{\"h\":1}\r\n\n{\"mes\":0}\r\n{\"mes\":1}\n");
    let host = SimHost::new(folder);
    now(&host, async {
        let chat = host.open(&mira("Main")).await.unwrap();
        let edits = [
            LineEdit { line: Line::Message(1), text: "{\"mes\":2}".into() },
            LineEdit { line: Line::Header, text: "{\"h\":2}\r".into() },
        ];
        assert!(matches!(host.edit_chat(&chat, &edits).await, Written::Done(_)));
        assert_eq!(kind_of(host.edit_chat(&chat, &edits).await), HostErrorKind::Changed);
        let group = host.group("7").await.unwrap().unwrap();
        assert!(matches!(host.replace_group("7", "{}", &group.stamp).await, Written::Done(_)));
        let again = host.replace_group("7", "{}", &group.stamp).await;
        assert_eq!(kind_of(again), HostErrorKind::Changed);
        let lore = host.lorebook("Lore").await.unwrap().unwrap();
        assert_eq!(
            kind_of(host.remove_lorebook("Lore", chat.stamp()).await),
            HostErrorKind::Changed
        );
        assert!(matches!(host.remove_lorebook("Lore", &lore.stamp).await, Written::Done(_)));
        assert_eq!(kind_of(host.remove_lorebook("Lore", &lore.stamp).await), HostErrorKind::Absent);
        let stamp = host.open(&mira("Main")).await.unwrap().stamp().clone();
        assert_eq!(
            kind_of(host.remove_chat(&mira("Main"), chat.stamp()).await),
            HostErrorKind::Changed
        );
        let text = host.folder().text("chats/Mira/Main.jsonl").unwrap().to_owned();
        assert_eq!(text, "{\"h\":2}\r\n\n{\"mes\":0}\r\n{\"mes\":2}\n");
        assert!(matches!(host.remove_chat(&mira("Main"), &stamp).await, Written::Done(_)));
    });
}

#[test]
fn one_operation_at_a_time() {
    let host = SimHost::new(folder());
    now(&host, async {
        let claim = host.claim("a checkpoint").await.unwrap();
        assert_eq!(host.claim("a branch").await.unwrap_err().kind, HostErrorKind::Busy);
        drop(claim);
        host.claim("a branch").await.unwrap();
    });
}

#[test]
fn intents_are_kept_until_forgotten() {
    let host = SimHost::new(folder());
    now(&host, async {
        host.note("b", "second").await.unwrap();
        host.note("a", "first").await.unwrap();
        assert_eq!(host.unfinished().await.unwrap(), ["first", "second"]);
        host.forget("a").await.unwrap();
        host.log("a", "done").await.unwrap();
    });
    let next = host.restart();
    assert_eq!(now(&next, next.unfinished()).unwrap(), ["second"]);
    assert_eq!(next.folder().text("lorefork/operations/log/a.json"), Some("done"));
}

#[test]
fn clock_and_ids_are_the_same_on_every_run_and_never_twice() {
    let (one, two) = (SimHost::new(folder()), SimHost::new(folder()));
    assert_eq!((one.id(), one.now().ms), (two.id(), two.now().ms));
    assert_ne!(one.id(), one.id());
    assert_ne!(one.restart().id(), two.restart().restart().id());
    assert!(one.now().ms < one.restart().now().ms);
}

#[test]
fn every_call_is_numbered_reads_of_a_chat_too() {
    let host = SimHost::new(folder());
    now(&host, async {
        let chat = host.open(&mira("Main")).await.unwrap();
        chat.line(0).unwrap();
        chat.check(0..1).unwrap();
        host.create_lorebook("New", "{}").await;
    });
    let trace = host.trace();
    let names: Vec<(usize, &str)> = trace.iter().map(|call| (call.n, call.name)).collect();
    assert_eq!(names, [(1, "open"), (2, "line"), (3, "check"), (4, "create_lorebook")]);
    assert_eq!(trace[3].file, "worlds/New.json");
    assert_eq!((trace[0].reach, trace[3].reach), (Reach::Read, Reach::Create));
}

#[test]
fn a_refused_call_did_nothing() {
    let host = struck(1, Fault::Refuse);
    let written = now(&host, host.create_lorebook("New", "{}"));
    assert_eq!(kind_of(written), HostErrorKind::WriteFailed);
    assert_eq!(host.folder(), folder());

    let host = struck(2, Fault::Refuse);
    now(&host, async {
        let chat = host.open(&mira("Main")).await.unwrap();
        assert_eq!(chat.line(0).unwrap_err().kind, HostErrorKind::ReadFailed);
        assert!(chat.line(0).is_ok());
    });
    let host = struck(1, Fault::Refuse);
    assert!(now(&host, host.note("a", "x")).is_err());
    assert_eq!(host.folder(), folder());
}

#[test]
fn a_lost_answer_tells_nothing() {
    for happened in [false, true] {
        let host = struck(1, Fault::LoseAnswer { happened });
        let written = now(&host, host.create_lorebook("New", "{}"));
        assert!(matches!(written, Written::Unknown(_)));
        assert_eq!(host.folder().has("worlds/New.json"), happened);
    }
}

#[test]
fn after_a_crash_nothing_runs_any_more() {
    for happened in [false, true] {
        let host = struck(2, Fault::Crash { happened }).outside();
        let mut lived = false;
        let ended = host.run(async {
            let _claim = host.claim("a checkpoint").await.unwrap();
            host.create_lorebook("New", "{}").await;
            lived = true;
            host.create_lorebook("Newer", "{}").await;
        });
        assert_eq!((ended, lived), (Ended::Crashed, false));
        assert!(!host.is_claimed());
        assert_eq!(host.trace().len(), 2);
        let left = host.folder();
        assert_eq!(left.has("worlds/New.json"), happened);
        assert_eq!(left.has("worlds/.lorefork-2.tmp"), !happened);
        let next = host.restart();
        now(&next, next.forget("x")).unwrap();
        assert!(!next.folder().has("worlds/.lorefork-2.tmp"));
    }
}

#[test]
fn a_crash_while_a_chat_is_read_stops_at_the_next_call() {
    let host = struck(2, Fault::Crash { happened: true });
    let ended = host.run(async {
        let chat = host.open(&mira("Main")).await.unwrap();
        chat.line(0).unwrap();
        host.create_lorebook("New", "{}").await;
    });
    assert_eq!(ended, Ended::Crashed);
    assert_eq!(host.folder(), folder());
    let host = struck(2, Fault::Crash { happened: true });
    let ended = host.run(async { host.open(&mira("Main")).await.unwrap().line(0).unwrap() });
    assert_eq!(ended, Ended::Crashed);
}

#[test]
fn the_user_may_leave_and_others_may_write() {
    let there = |host: &SimHost| {
        now(host, async {
            let chat = host.open(&mira("Main")).await.unwrap();
            host.still_there(&chat).await.unwrap();
            host.still_there(&chat).await.map_err(|error| error.kind)
        })
    };
    let change = Fault::ChangeChat { chat: mira("Main") };
    assert_eq!(there(&struck(9, Fault::SwitchChat)), Ok(()));
    assert_eq!(there(&struck(2, Fault::SwitchChat)), Err(HostErrorKind::ChatSwitched));
    assert_eq!(there(&struck(2, change.clone())), Err(HostErrorKind::Changed));
    assert_eq!(there(&struck(2, Fault::SwitchChat).outside()), Ok(()));
    assert_eq!(there(&struck(2, change).outside()), Ok(()));
    let host = SimHost::new(folder()).in_chat(&mira("Other"));
    let settled = now(&host, host.settle(&mira("Main")));
    assert_eq!(settled.unwrap_err().kind, HostErrorKind::ChatSwitched);
}

#[test]
fn what_others_did_is_known_without_us() {
    let host = struck(1, Fault::ChangeLorebook { name: "Lore".into() });
    now(&host, host.create_lorebook("New", "{}"));
    let (is, unaided) = (host.folder(), host.unaided());
    assert_eq!(is.get("worlds/Lore.json"), unaided.get("worlds/Lore.json"));
    assert_ne!(is.get("worlds/Lore.json"), folder().get("worlds/Lore.json"));
    assert!(!unaided.has("worlds/New.json"));
    assert_eq!(host.earlier()["worlds/Lore.json"], [folder().get("worlds/Lore.json").unwrap()]);
}

#[test]
fn a_name_may_be_taken_at_the_last_moment() {
    let host = struck(1, Fault::TakeName);
    let written = now(&host, host.create_lorebook("New", "{\"mine\":1}"));
    assert_eq!(kind_of(written), HostErrorKind::Exists);
    assert_eq!(host.folder(), host.unaided());
    assert!(host.folder().has("worlds/New.json"));
}
