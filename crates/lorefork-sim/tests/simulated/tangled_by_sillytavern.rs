//! The family that plain SillyTavern makes: a checkpoint, a branch and a branch of the branch, all
//! on the main chat's lorebook, which main went on to write to.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use lorefork::audit::untangle::{OwnBook, Plan, family_of, plan};
use lorefork::fork::{Request, create};
use lorefork::host::Line;
use lorefork::json::{Json, quote};
use lorefork::moment::LoreChoice;
use lorefork::tavern::lorebook::Lorebook;
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork::tavern::time::iso;
use lorefork_sim::{Folder, SimHost, header};

const BOOK: &str = "z-AutoLB-Sera-Main";
const START: u64 = 1_794_769_518_000;
/// Messages that end a scene.
const SCENES: [usize; 4] = [9, 19, 28, 37];

type Entries = Vec<(u64, &'static str, &'static str)>;

/// The book after each scene. Number 5 is given away again, and number 2 is removed by hand.
fn book_after(scene: usize) -> (Entries, &'static [u64]) {
    let sera = (1, "character-Sera", "Guardian of the glade");
    let tea = (2, "item-Dawnpetal tea", "Heals");
    let orrin = (3, "character-Orrin", "Ferryman");
    let lysandra = (4, "character-Lysandra", "Sister");
    match scene {
        0 => (vec![sera, tea], &[1, 2]),
        1 => (vec![sera, tea, orrin, lysandra, (5, "character-Guardian", "A name")], &[3, 4, 5]),
        2 => {
            let orrin = (3, "character-Orrin", "Ferryman; took a memory");
            (vec![sera, tea, orrin, lysandra, (6, "character-Cinder", "Automaton")], &[3, 6])
        }
        _ => {
            let orrin = (3, "character-Orrin", "Ferryman; took a memory; dead");
            let maelis = (5, "character-Elder Maelis", "Daughter of Aldric");
            let key = (7, "character-Veil Keeper", "From Aldric");
            (
                vec![sera, orrin, lysandra, maelis, (6, "character-Cinder", "Automaton"), key],
                &[3, 5, 7],
            )
        }
    }
}

fn registry(entries: &Entries) -> String {
    let mut lines = vec!["[Registry: character]".to_owned()];
    lines.extend(entries.iter().map(|(uid, name, synopsis)| {
        format!("- UID={uid} | name: {name} | aliases: — | synopsis: {synopsis}")
    }));
    lines.join("\n")
}

fn entry(uid: u64, comment: &str, content: &str, more: &str) -> String {
    let (comment, content) = (quote(comment), quote(content));
    format!(
        r#"{{"uid":{uid},"key":[],"keysecondary":[],"comment":{comment},"content":{content},"order":{}{more}}}"#,
        1000 - uid
    )
}

fn time(at: usize) -> u64 {
    START + at as u64 * 60_000
}

fn message(at: usize, who: &str) -> String {
    let scene = SCENES.iter().position(|end| *end == at);
    let extra = scene.map_or(String::new(), |scene| {
        let (entries, touched) = book_after(scene);
        let world = format!(r#","world":"{BOOK}","strategy":"normal","tags":[]"#);
        let mut all = vec![entry(0, "_registry_character", &registry(&entries), &world)];
        all.extend(entries.iter().map(|(uid, name, content)| entry(*uid, name, content, &world)));
        let touched: Vec<String> = touched.iter().map(|uid| format!("\"{uid}\"")).collect();
        format!(
            r#""auto_recap_memory":{{"scene_break":true,"scene_recap_versions":["","r{at}"],"scene_recap_current_index":1,"scene_recap_memory":"r{at}","scene_recap_metadata":{{"1":{{"timestamp":{},"combined_at":{},"chatLorebookName":"{BOOK}","created_entry_uids":[{}],"allEntries":[{}]}}}}}}"#,
            time(at) + 20_000, time(at) + 30_000, touched.join(","), all.join(",")
        )
    });
    format!(
        r#"{{"name":"Sera","is_user":false,"send_date":"{}","mes":"{who} {at}","extra":{{{extra}}}}}"#,
        iso(time(at))
    )
}

fn head(slug: &str, parent: Option<&str>) -> String {
    let parent = parent.map_or(String::new(), |name| format!(r#""main_chat":{},"#, quote(name)));
    let versions: Vec<String> = SCENES
        .iter()
        .enumerate()
        .map(|(n, at)| {
            format!(
                r#"{{"version":{n},"timestamp":{},"content":"v{n}","new_scene_index":{at}}}"#,
                time(*at) + 29_000
            )
        })
        .collect();
    header(&format!(
        r#"{{"integrity":"{slug}",{parent}"auto_recap_running_scene_recaps":{{"chat_id":"Main","current_version":3,"versions":[{}]}},"world_info":"{BOOK}","auto_lorebooks":{{"lorebookName":"{BOOK}","registry":{{"index":{{}}}}}}}}"#,
        versions.join(",")
    ))
}

fn chat(name: &str) -> ChatRef {
    ChatRef::new(Owner::Character("Sera".into()), name)
}

fn tangled() -> Folder {
    let main: Vec<String> = (0..41).map(|at| message(at, "Main")).collect();
    let mut branch = main[..29].to_vec();
    branch.push(message(45, "Branch"));
    let mut live: Vec<(String, String)> = Vec::new();
    let (entries, _) = book_after(3);
    live.push(("0".into(), entry(0, "_registry_character", &registry(&entries), "")));
    live.extend(entries.iter().map(|(uid, name, content)| {
        (uid.to_string(), entry(*uid, name, content, r#","scanDepth":3"#))
    }));
    let queue = r#"{"uid":1794769518061,"comment":"__operation_queue","content":"{\"queue\":[]}"}"#;
    live.push(("1794769518061".into(), queue.into()));
    let live: Vec<(&str, String)> =
        live.iter().map(|(key, text)| (key.as_str(), text.clone())).collect();
    Folder::new()
        .with_chat(&chat("Main"), &head("m", None), &main)
        .with_chat(&chat("Checkpoint"), &head("c", Some("Main")), &main[..29])
        .with_chat(&chat("Main - Branch #1"), &head("b", Some("Main")), &branch)
        .with_chat(&chat("Main - Branch #2"), &head("d", Some("Main - Branch #1")), &main[..20])
        .with_lorebook(BOOK, &live)
}

fn untangled() -> Plan {
    let host = SimHost::new(tangled()).outside();
    let family =
        host.run(family_of(&host, &chat("Main - Branch #2"))).returned().unwrap().unwrap().unwrap();
    host.run(plan(&host, &family)).returned().unwrap().unwrap()
}

fn own<'p>(plan: &'p Plan, name: &str) -> &'p OwnBook {
    plan.timelines.iter().find(|own| own.chat.name == name).unwrap()
}

/// Number, name and content of all entries but registry and queue.
fn entries(own: &OwnBook) -> Vec<(i64, String, String)> {
    let text = own.book.as_deref().unwrap();
    let book = Lorebook::read(text).unwrap();
    let mut all: Vec<_> = book
        .entries
        .iter()
        .filter(|entry| !entry.comment().starts_with('_'))
        .map(|entry| {
            (entry.uid().unwrap(), entry.comment().into_owned(), entry.content().into_owned())
        })
        .collect();
    all.sort();
    all
}

fn expected(scene: usize) -> Vec<(i64, String, String)> {
    let (entries, _) = book_after(scene);
    let own =
        |(uid, name, content): (u64, &str, &str)| (uid as i64, name.to_owned(), content.to_owned());
    entries.into_iter().map(own).collect()
}

#[test]
fn main_keeps_its_book_and_every_byte_of_it() {
    let plan = untangled();
    let main = &plan.timelines[0];
    assert_eq!((main.chat.name.as_str(), main.keeps_name), ("Main", true));
    assert!(main.book.is_none());
    // Its map tells where its children's lore is now; nothing else of it changes.
    let [header] = main.lines.as_slice() else { panic!("{:?}", main.lines) };
    assert_eq!(header.line, Line::Header);
    let map = Json::parse(&header.text).unwrap();
    let map = map.at(&["chat_metadata", "auto_recap", "checkpoint_lorebook_map"]).unwrap();
    assert_eq!(map.members().len(), 2);
}

#[test]
fn each_of_the_others_has_the_book_of_its_last_message() {
    let plan = untangled();
    for (name, scene) in [("Checkpoint", 2), ("Main - Branch #1", 2), ("Main - Branch #2", 1)] {
        assert_eq!(entries(own(&plan, name)), expected(scene), "{name}");
    }
    // What is gone since went when only main was played: no scene of theirs, no hand of theirs.
    let marked = |name: &str| {
        own(&plan, name).undecided.iter().map(|other| other.uid.clone()).collect::<Vec<_>>()
    };
    for name in ["Checkpoint", "Main - Branch #1", "Main - Branch #2"] {
        assert!(marked(name).is_empty(), "{name}: {:?}", own(&plan, name).undecided);
    }
    let left: Vec<&str> =
        own(&plan, "Checkpoint").left_out.iter().map(|left| left.name.as_str()).collect();
    assert_eq!(left, ["character-Elder Maelis", "character-Veil Keeper"]);
    let keeper = &own(&plan, "Checkpoint").left_out[1];
    assert_eq!((keeper.uid.as_str(), keeper.at), ("7", Some(37)));
    assert_eq!(keeper.of, ["Main"]);
}

#[test]
fn registries_recaps_and_scenes_follow() {
    let plan = untangled();
    let branch = own(&plan, "Main - Branch #2");
    let book = Lorebook::read(branch.book.as_deref().unwrap()).unwrap();
    let listed =
        book.entries.iter().find(|entry| entry.comment() == "_registry_character").unwrap();
    assert_eq!(listed.content().lines().count(), 6);
    assert!(listed.content().contains("UID=5 | name: character-Guardian"));
    assert!(
        !listed.content().contains("Maelis") && listed.content().contains("synopsis: Ferryman\n")
    );
    // An entry that is still there keeps what snapshots do not record; number 5 is another's.
    let depth = |uid: i64| {
        book.entries
            .iter()
            .find(|e| e.uid() == Some(uid))
            .unwrap()
            .json
            .get("scanDepth")
            .unwrap()
            .text()
            .to_owned()
    };
    assert_eq!((depth(3).as_str(), depth(5).as_str()), ("3", "null"));
    assert_eq!(branch.lines[0].line, Line::Header);
    let head = Json::parse(&branch.lines[0].text).unwrap();
    let meta = |path: &[&str]| head.get("chat_metadata").unwrap().at(path).unwrap();
    assert!(
        meta(&["world_info"]).says(&branch.lorebook)
            && meta(&["auto_lorebooks", "lorebookName"]).says(&branch.lorebook)
    );
    assert_eq!(meta(&["auto_recap_running_scene_recaps", "versions"]).items().len(), 2);
    assert_eq!(meta(&["auto_lorebooks", "registry", "index"]).members().len(), 5);
    assert!(branch.lines[1..].iter().all(|edit| !edit.text.contains(&format!("\"{BOOK}\""))));
    assert_eq!(branch.lines.len(), 3);
}

/// Message 28 of main shows its second swipe; the first is older, and was written in main, too.
fn swiped(shown: usize) -> String {
    let dates = [iso(time(28) - 40_000), iso(time(28))];
    let infos: Vec<String> =
        dates.iter().map(|date| format!(r#"{{"send_date":"{date}","extra":{{}}}}"#)).collect();
    let swipes = format!(
        r#""swipe_id":{shown},"swipes":["First 28","Main 28"],"swipe_info":[{}],"extra":"#,
        infos.join(",")
    );
    let line = message(28, "Main").replacen("\"extra\":", &swipes, 1);
    if shown == 1 {
        return line;
    }
    // As SillyTavern shows a swipe: its text, its date, what belongs to it.
    let (head, _) = line.split_once(r#""auto_recap_memory""#).unwrap();
    format!("{head}}}}}")
        .replace(r#""mes":"Main 28""#, r#""mes":"First 28""#)
        .replacen(&dates[1], &dates[0], 1)
}

/// An old swipe's date does not make a branch a writer of the time before it was made.
#[test]
fn a_branch_from_an_older_swipe_brings_nothing_back() {
    let mut folder = tangled();
    for name in ["Main", "Checkpoint", "Main - Branch #1"] {
        let text = folder.text(&chat(name).file()).unwrap().to_owned();
        let lines: Vec<&str> = text.lines().collect();
        let swiped = text.replace(lines[29], &swiped(1));
        assert_ne!(swiped, text);
        folder.put(chat(name).file(), swiped);
    }
    let planned = |folder: Folder| {
        let host = SimHost::new(folder).outside();
        let family = host.run(family_of(&host, &chat("Main"))).returned().unwrap().unwrap();
        host.run(plan(&host, &family.unwrap())).returned().unwrap().unwrap()
    };
    let is_as_it_was = |plan: &Plan, what: &str| {
        let main = &plan.timelines[0];
        assert!(main.book.is_none() && main.undecided.is_empty(), "{what}: {plan:?}");
        let checkpoint = own(plan, "Checkpoint");
        assert_eq!(entries(checkpoint), expected(2), "{what}");
        // An entry is in one group only.
        for own in &plan.timelines {
            let twice = own.undecided.iter().find(|other| own.restored.contains(&other.name));
            assert!(twice.is_none(), "{what}: {plan:?}");
        }
    };
    is_as_it_was(&planned(folder.clone()), "without it");

    let mut branch: Vec<String> = (0..28).map(|at| message(at, "Main")).collect();
    branch.push(swiped(0));
    let by_sillytavern =
        folder.clone().with_chat(&chat("Main - Branch #3"), &head("s", Some("Main")), &branch);
    is_as_it_was(&planned(by_sillytavern), "by SillyTavern");

    let host = SimHost::new(folder).outside();
    let mut request = Request::new(Kind::Branch, chat("Main"));
    (request.at, request.swipe, request.lore) = (Some(28), Some(0), LoreChoice::Snapshot);
    host.run(create(&host, &request)).returned().unwrap().unwrap();
    is_as_it_was(&planned(host.folder()), "by Lorefork");
}
