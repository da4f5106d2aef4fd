//! Rewinding, deleting, undoing, housekeeping and a repair of several files: every call refused, its answer lost,
//! crashed at. Afterwards, and after recovery, all of it happened or nothing (N-6, R-126).

use lorefork::error::{Code, Error};
use lorefork::family::{Chosen, Decision, Word, carry, entries_of, label, rename};
use lorefork::fork::rewind::rewind;
use lorefork::fork::undecided::{Said, Verdict, decide};
use lorefork::fork::{Request, create};
use lorefork::host::{ChatView as _, Host as _, Line, LineEdit};
use lorefork::housekeeping::{Happened, follow};
use lorefork::json::{Json, quote, set};
use lorefork::moment::LoreChoice;
use lorefork::operation::What;
use lorefork::operation::change::{FileChange, FileRef, To, apply};
use lorefork::operation::recover::{Healed, heal};
use lorefork::operation::undo::undo;
use lorefork::removal::delete::{delete, plan_deletion};
use lorefork::tavern::card::Card;
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_sim::story::{Story, remembered};
use lorefork_sim::{Ended, Fault, Folder, Script, SimHost, entry, header, message};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Flow {
    Fix,
    Rewind,
    Delete,
    Undo,
    UndoDelete,
    /// A checkpoint was renamed, and its family follows.
    Follow,
    /// One that shares its lorebook: who stays is told what it wrote.
    DeleteSharing,
    /// An entry of which nobody could tell goes.
    Decide,
    Rename,
    UndoRename,
    Label,
    Carry,
}

const FLOWS: [Flow; 12] = [
    Flow::Fix,
    Flow::Rewind,
    Flow::Delete,
    Flow::Undo,
    Flow::UndoDelete,
    Flow::Follow,
    Flow::DeleteSharing,
    Flow::Decide,
    Flow::Rename,
    Flow::UndoRename,
    Flow::Label,
    Flow::Carry,
];

/// The entry that is open in [`Flow::Decide`].
const OPEN: &str = "99";

/// The first drawn story that fits: alone with its lorebook, with two scenes.
fn story() -> Story {
    let mut runner = TestRunner::deterministic();
    let mut stories =
        (0..2000).map(|_| remembered().new_tree(&mut runner).expect("a story").current());
    stories
        .find(|story| {
            !story.plan.in_group
                && story.sibling.is_none()
                && story.messages > 6
                && story.messages < 16
                && story.scenes.len() > 1
                && story.scenes[0] + 2 < story.messages
        })
        .expect("such a story")
}

/// The folder before the flow: with a checkpoint, where one is needed.
fn before(story: &Story, flow: Flow) -> (Folder, ChatRef) {
    let mut folder = story.folder.clone();
    if flow == Flow::Fix {
        // It misses the lorebook that the repair makes.
        let misses = header(r#"{"integrity":"misses","world_info":"New"}"#);
        folder = folder.with_chat(&story.parent.sibling("Misses"), &misses, &[]);
    }
    if flow == Flow::DeleteSharing {
        let sharing = story.parent.sibling("Sharing");
        let bytes = folder.get(&story.parent.file()).expect("the chat").to_vec();
        folder.put(sharing.file(), bytes);
        return (folder, sharing);
    }
    if flow == Flow::Decide {
        let file = format!("worlds/{}.json", story.lorebook.as_deref().expect("a lorebook"));
        let text = folder.text(&file).expect("the lorebook").to_owned();
        let open = entry(99, "Pier", "Is it there?");
        let text = set(&text, &["entries", OPEN], &open).expect("entries");
        let marks = format!(r#"[{{"uid":{OPEN},"name":"Pier","why":"nobody knows","with":[]}}]"#);
        let text = set(&text, &["extensions", "lorefork", "undecided"], &marks);
        folder.put(file, text.expect("a mark").into_bytes());
        return (folder, story.parent.clone());
    }
    let host = SimHost::new(folder).outside();
    if matches!(flow, Flow::Fix | Flow::Rewind) {
        return (host.folder(), story.parent.clone());
    }
    let mut request = Request::new(Kind::Checkpoint, story.parent.clone());
    request.at = Some(story.scenes[0]);
    let made = host.run(create(&host, &request)).returned().expect("calm").expect("made");
    if flow == Flow::UndoDelete {
        host.run(delete(&host, &made.place, &[])).returned().expect("calm").expect("deleted");
    }
    if flow == Flow::UndoRename {
        let renamed = host.run(rename(&host, &made.place, "Another name"));
        renamed.returned().expect("calm").expect("renamed");
    }
    if flow == Flow::Follow {
        let mut folder = host.folder();
        let renamed = made.place.sibling("Another name");
        let bytes = folder.remove(&made.place.file()).expect("the checkpoint");
        folder.put(renamed.file(), bytes);
        return (folder, renamed);
    }
    (host.folder(), made.place)
}

async fn run(host: &SimHost, flow: Flow, chat: &ChatRef, at: usize) -> Result<(), Error> {
    match flow {
        Flow::Rewind => rewind(host, chat, at, LoreChoice::Auto).await.map(drop),
        Flow::Delete | Flow::DeleteSharing => delete(host, chat, &[]).await.map(drop),
        Flow::Decide => {
            let said = Said { entry: OPEN, verdict: Verdict::Drop };
            decide(host, chat, &[said]).await.map(drop)
        }
        Flow::Rename => rename(host, chat, "Another name").await.map(drop),
        Flow::Label => label(host, chat, &[Word::Label("kept".into())]).await.map(drop),
        Flow::Carry => {
            let view = host.open(chat).await?;
            let header = Json::parse(view.header()).expect("a header");
            let parent = header.at(&["chat_metadata", "main_chat"]).and_then(Json::str);
            let parent = chat.sibling(parent.expect("its parent"));
            let all = entries_of(host, chat).await?;
            let uids: Vec<String> = all.into_iter().map(|entry| entry.uid).collect();
            // Beside what the parent has by now, under other numbers.
            carry(host, chat, &parent, &Chosen::all(&uids, Some(Decision::Both))).await.map(drop)
        }
        Flow::Undo | Flow::UndoDelete | Flow::UndoRename => undo(host, None).await.map(drop),
        Flow::Follow => {
            let view = host.open(chat).await?;
            let header = Json::parse(view.header()).expect("a header");
            let from = header.at(&["chat_metadata", "lorefork", "chat"]).and_then(Json::str);
            let from = from.expect("its former name").into_owned();
            follow(host, &Happened::ChatRenamed { chat: chat.clone(), from }).await.map(drop)
        }
        Flow::Fix => {
            let _claim = host.claim("fix").await?;
            heal(host).await?;
            let view = host.open(chat).await?;
            let names = host.lorebook_names().await?;
            let book = host.lorebook(&names[0]).await?.expect("a book");
            let changes = vec![
                FileChange {
                    file: FileRef::Lorebook("New".into()),
                    seen: None,
                    to: To::Text("{\"entries\":{}}".into()),
                },
                FileChange {
                    file: FileRef::Lorebook(names[0].clone()),
                    seen: Some(book.stamp),
                    to: To::Text("{\"entries\":{},\"fixed\":1}".into()),
                },
                FileChange {
                    file: FileRef::Chat(chat.clone()),
                    seen: Some(view.stamp().clone()),
                    to: To::Lines(vec![LineEdit {
                        line: Line::Message(0),
                        text: "{\"mes\":\"fixed\"}".into(),
                    }]),
                },
            ];
            apply(host, What::Fix, lorefork::say!("a test"), changes).await.map(drop)
        }
    }
}

/// What is not ours.
fn theirs(folder: &Folder) -> Vec<(String, String)> {
    let files = folder.files().filter(|(file, _)| !file.starts_with("lorefork/"));
    files.map(|(file, bytes)| (file.into(), String::from_utf8_lossy(bytes).into())).collect()
}

/// Without what differs from run to run: the clock and the ids only count, but recovery and a
/// second attempt look at them, too.
fn names(files: &[(String, String)]) -> Vec<&str> {
    files.iter().map(|(file, _)| file.as_str()).collect()
}

fn leftovers(folder: &Folder) -> Vec<String> {
    let files = folder.files().map(|(file, _)| file.to_owned());
    files.filter(|file| file.contains("/intents/") || file.ends_with(".tmp")).collect()
}

fn heal_on(host: &SimHost) -> Vec<Healed> {
    host.run(heal(host)).returned().expect("calm").expect("healed")
}

#[test]
fn all_of_it_or_nothing_at_every_call() {
    let story = story();
    let at = story.scenes[0];
    let faults = [
        Fault::Refuse,
        Fault::LoseAnswer { happened: false },
        Fault::LoseAnswer { happened: true },
        Fault::Crash { happened: false },
        Fault::Crash { happened: true },
    ];
    let mut checks = 0;
    for flow in FLOWS {
        let (folder, chat) = before(&story, flow);
        let start = || SimHost::new(folder.clone()).outside().restart();
        let calm = start();
        let answer = calm.run(run(&calm, flow, &chat, at)).returned().expect("calm");
        assert!(answer.is_ok(), "{flow:?}: {answer:?}");
        let (old, new) = (theirs(&folder), theirs(&calm.folder()));
        assert_ne!(old, new, "{flow:?} does something");
        for script in Script::one_by_one(&calm.trace(), &faults) {
            let about = format!("{flow:?}, {script:?}");
            let host = start().with_script(script);
            let answer = host.run(run(&host, flow, &chat, at));
            match &answer {
                Ended::Returned(Ok(())) => assert_eq!(theirs(&host.folder()), new, "{about}"),
                Ended::Returned(Err(error)) => {
                    assert!(error.code != Code::ChangedMeanwhile, "{about}: {error:?}");
                    if !matches!(error.code, Code::AnswerLost | Code::NotTakenBack) {
                        assert_eq!(theirs(&host.folder()), old, "{about}: {error:?}");
                    }
                }
                Ended::Crashed => {}
            }
            let next = host.restart();
            heal_on(&next);
            let now = theirs(&next.folder());
            assert!(now == old || now == new, "{about}: {:?}", names(&now));
            assert_eq!(leftovers(&next.folder()), [""; 0], "{about}");
            checks += 1;
            // Recovery is cut short at each of its calls, and the next one finishes it.
            if matches!(answer, Ended::Crashed) {
                for n in 1..=next.trace().len() {
                    for happened in [false, true] {
                        let crash = Script::calm().at(n, Fault::Crash { happened });
                        let crashed = host.restart().with_script(crash);
                        crashed.run(heal(&crashed));
                        let last = crashed.restart();
                        heal_on(&last);
                        let now = theirs(&last.folder());
                        assert!(now == old || now == new, "{about}, recovery crashed at {n}");
                        assert_eq!(leftovers(&last.folder()), [""; 0], "{about}, {n}");
                        checks += 1;
                    }
                }
            }
        }
    }
    assert!(checks > 500, "{checks}");
}

/// What somebody else writes meanwhile is theirs: it stays, whatever becomes of us.
#[test]
fn what_others_write_meanwhile_stays() {
    let story = story();
    let at = story.scenes[0];
    let lorebook = story.lorebook.clone().expect("a lorebook");
    let flows =
        [Flow::Fix, Flow::Rewind, Flow::Delete, Flow::Undo, Flow::DeleteSharing, Flow::Decide];
    for flow in flows {
        let (folder, chat) = before(&story, flow);
        let start = || SimHost::new(folder.clone()).outside().restart();
        let calm = start();
        let _ = calm.run(run(&calm, flow, &chat, at));
        let others = [
            Fault::ChangeChat { chat: story.parent.clone() },
            Fault::ChangeLorebook { name: lorebook.clone() },
        ];
        for script in Script::one_by_one(&calm.trace(), &others) {
            let host = start().with_script(script.clone());
            let _ = host.run(run(&host, flow, &chat, at));
            let next = host.restart();
            heal_on(&next);
            let after = next.folder();
            for (file, before) in host.unaided().files() {
                let written = host.earlier().contains_key(file);
                if !written || !file.ends_with(".jsonl") {
                    continue;
                }
                // The message that was added is the last line.
                let text = String::from_utf8_lossy(before).into_owned();
                let line = text.trim_end().lines().last().unwrap_or_default().to_owned();
                let now = after.text(file).unwrap_or_default();
                assert!(now.contains(&line), "{flow:?}, {script:?}: {file}");
            }
        }
    }
}

/// R-126: undoing everything brings every byte back, and undoing that, too.
#[test]
fn undo_of_undo_is_the_thing_itself() {
    let story = story();
    let host = SimHost::new(story.folder.clone()).outside();
    let before = theirs(&host.folder());
    let mut request = Request::new(Kind::Checkpoint, story.parent.clone());
    request.at = Some(story.scenes[0]);
    let made = host.run(create(&host, &request)).returned().expect("calm").expect("made");
    let forked = theirs(&host.folder());
    let undone = host.run(undo(&host, None)).returned().expect("calm").expect("undone");
    assert_eq!(theirs(&host.folder()), before);
    host.run(undo(&host, Some(&undone.done.id))).returned().expect("calm").expect("again");
    assert_eq!(theirs(&host.folder()), forked);
    // The fork stands again, so it can be undone again.
    host.run(undo(&host, Some(&made.id))).returned().expect("calm").expect("once more");
    assert_eq!(theirs(&host.folder()), before);
}

/// A group whose new timeline was opened opens with the parent again when that is taken back.
#[test]
fn undoing_a_groups_fork_leaves_no_group_that_opens_with_it() {
    let chat = ChatRef::new(Owner::Group("7".into()), "Crew 1");
    let last = chat.sibling("Crew 2");
    let head = header(r#"{"integrity":"a"}"#);
    let mut folder = Folder::new().with_group("7", &["Crew 1", "Crew 2"]);
    for one in [&chat, &last] {
        folder = folder.with_chat(one, &head, &[message("Mia", "hello", "{}")]);
    }
    let host = SimHost::new(folder).outside();
    let before = theirs(&host.folder());
    let made = host.run(create(&host, &Request::new(Kind::Branch, chat)));
    let made = made.returned().expect("calm").expect("made");
    let mut folder = host.folder();
    let group = folder.text("groups/7.json").expect("the group");
    let opened = group
        .replace(r#""chat_id": "Crew 1""#, &format!(r#""chat_id": {}"#, quote(&made.place.name)));
    assert_ne!(group, opened);
    folder.put("groups/7.json", opened);
    let host = SimHost::new(folder).outside();
    host.run(undo(&host, None)).returned().expect("calm").expect("undone");
    assert_eq!(theirs(&host.folder()), before);
}

/// A parent whose message takes no link never will: the fork stands without one, and is done.
#[test]
fn a_fork_whose_parent_takes_no_link_is_done_and_can_be_undone() {
    let odd_header =
        r#"{"world_info":"L","integrity":"a","auto_recap":{"checkpoint_lorebook_map":7}}"#;
    let cases = [
        (r#"{"world_info":"L","integrity":"a"}"#, "[1]", "message 0"),
        (odd_header, "{}", "its first line"),
    ];
    for (metadata, extra, names) in cases {
        let chat = ChatRef::new(Owner::Character("Mia".into()), "X");
        let folder = Folder::new().with_lorebook("L", &[("0", entry(0, "Pier", "old"))]).with_chat(
            &chat,
            &header(metadata),
            &[message("Mia", "hello", extra)],
        );
        let host = SimHost::new(folder).outside();
        let before = theirs(&host.folder());
        let made = host.run(create(&host, &Request::new(Kind::Branch, chat)));
        let made = made.returned().expect("calm").expect("made");
        let unlinked: Vec<String> = made
            .warnings
            .iter()
            .filter(|warning| warning.code == Code::LinkFailed)
            .map(|warning| warning.message.to_string())
            .collect();
        assert_eq!(unlinked.len(), 1, "{:?}", made.warnings);
        assert!(unlinked[0].contains(names), "{unlinked:?}");
        let healed = host.run(heal(&host)).returned().expect("calm").expect("healed");
        assert!(healed.is_empty(), "nothing was interrupted: {healed:?}");
        host.run(undo(&host, Some(&made.id))).returned().expect("calm").expect("undone");
        assert_eq!(theirs(&host.folder()), before);
    }
}

/// A lorebook goes only if nothing names it: each way of naming it keeps it.
#[test]
fn a_lorebook_that_anything_names_stays() {
    let story = story();
    let (folder, chat) = before(&story, Flow::Delete);
    let deletion = |folder: Folder, card: Option<Card>| {
        let host = SimHost::new(folder).outside();
        let host = match card {
            Some(card) => host.with_card("Somebody", card),
            None => host,
        };
        host.run(plan_deletion(&host, &chat, &[])).returned().expect("calm").expect("a plan")
    };
    let plain = deletion(folder.clone(), None);
    let book = plain.lorebook.expect("the checkpoint's own lorebook goes with it");
    let linked: Vec<(String, usize)> =
        plain.linked.into_iter().map(|(chat, links)| (chat.name, links)).collect();
    assert_eq!(linked, [(story.parent.name, 1)]);
    let name = quote(&book);
    let settings = |inner: &str| ("settings.json", inner.replace("BOOK", &name));
    let ways = [
        settings(r#"{"world_info_settings":{"world_info":{"globalSelect":[BOOK]}}}"#),
        settings(
            r#"{"world_info_settings":{"world_info":{"charLore":[{"name":"x","extraBooks":[BOOK]}]}}}"#,
        ),
        settings(r#"{"power_user":{"persona_descriptions":{"a.png":{"lorebook":BOOK}}}}"#),
        ("groups/9.json", format!("{{\"past_metadata\":{{\"a\":{{\"world_info\":{name}}}}}}}")),
        ("group chats/x.jsonl", format!("{{\"chat_metadata\":{{\"world_info\":{name}}}}}")),
        (
            "chats/Other/x.jsonl",
            format!("{{\"chat_metadata\":{{\"STMemoryBooks\":{{\"manualLorebook\":{name}}}}}}}"),
        ),
        // One that cannot be read may name it.
        ("chats/Other/x.jsonl", format!("{{\"chat_metadata\":{{\"world_info\":{name}")),
    ];
    for (file, text) in ways {
        let mut folder = folder.clone();
        folder.put(file, text.as_bytes());
        let plan = deletion(folder, None);
        assert_eq!(
            (plan.lorebook, plan.stays.map(|(name, _)| name)),
            (None, Some(book.clone())),
            "{text}"
        );
    }
    let card = Card { name: "Somebody".into(), chat: None, lorebook: Some(book) };
    assert_eq!(deletion(folder, Some(card)).lorebook, None);
}
