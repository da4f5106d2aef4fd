//! Untangling against the truth, over a thousand random stories.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use lorefork::audit::untangle::{Family, OwnBook, family_of, plan, untangle};
use lorefork::error::Code;
use lorefork::fork::{Request, create};
use lorefork::json::Json;
use lorefork::moment::LoreChoice;
use lorefork::operation::undo::undo;
use lorefork::tavern::lorebook::{Entry, Lorebook};
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_sim::truth::{BOOK, Lore, Tangled, Truth, birth_key, tangled};
use lorefork_sim::{Folder, SimHost, entry, header, message};

const STORIES: u64 = 1000;

#[derive(Debug, Default)]
struct Tally {
    timelines: usize,
    entries: usize,
    exact: usize,
    undecided: usize,
    decidable: usize,
    decidable_exact: usize,
    decidable_undecided: usize,
    foreign_left_out: usize,
    foreign_kept_undecided: usize,
    elsewhere: usize,
    operations: usize,
    operations_wrong: usize,
    problems: Vec<String>,
}

fn books_of(story: &Tangled) -> Vec<(OwnBook, String)> {
    let host = SimHost::new(story.folder.clone()).outside();
    let chats = story.truth.iter().map(|truth| truth.chat.clone()).collect();
    let family = Family { lorebook: BOOK.to_owned(), chats };
    let plan = host.run(plan(&host, &family)).returned().unwrap().unwrap();
    let live = story.folder.text(&format!("worlds/{BOOK}.json")).unwrap();
    let text = |own: &OwnBook| own.book.clone().unwrap_or_else(|| live.to_owned());
    plan.timelines.into_iter().map(|own| (own.clone(), text(&own))).collect()
}

fn has_birth(entry: &Entry<'_>, birth: usize) -> bool {
    let keys = entry.json.get("key").map(Json::items).unwrap_or_default();
    keys.iter().any(|key| key.says(&birth_key(birth)))
}

fn lore(entry: &Entry<'_>) -> Lore {
    Lore {
        name: entry.comment().into_owned(),
        content: entry.content().into_owned(),
        disabled: entry.json.get("disable").is_some_and(Json::truthy),
    }
}

fn judge(
    seed: u64,
    truth: &Truth,
    own: &OwnBook,
    text: &str,
    all: &[(OwnBook, String)],
    tally: &mut Tally,
) {
    let book = Lorebook::read(text).unwrap();
    let is_undecided = |entry: &Entry<'_>| {
        own.undecided
            .iter()
            .any(|other| entry.json.get("uid").is_some_and(|uid| uid.text() == other.uid))
    };
    let mut births: Vec<usize> = truth.recorded.clone();
    births.extend(&truth.decidable);
    births.sort_unstable();
    births.dedup();
    for birth in births {
        let found: Vec<&Entry<'_>> =
            book.entries.iter().filter(|entry| has_birth(entry, birth)).collect();
        let is_exact = |lore_of: &Lore| found.len() == 1 && lore(found[0]) == *lore_of;
        let marked = found.iter().any(|entry| is_undecided(entry));
        let is_decidable = truth.decidable.contains(&birth);
        let right = match truth.book.get(&birth) {
            Some(lore) => is_exact(lore),
            None => found.is_empty(),
        };
        tally.decidable += usize::from(is_decidable);
        if is_decidable && marked {
            tally.decidable_undecided += 1;
        } else if is_decidable && right {
            tally.decidable_exact += 1;
        } else if is_decidable {
            tally.problems.push(format!(
                "seed {seed}, {}: entry {birth} is wrong: {:?} instead of {:?}",
                truth.chat.name,
                found.iter().map(|entry| lore(entry)).collect::<Vec<_>>(),
                truth.book.get(&birth)
            ));
        }
        if truth.book.contains_key(&birth) {
            tally.entries += 1;
            tally.exact += usize::from(right && !marked);
            tally.undecided += usize::from(marked);
            if found.is_empty() {
                tally.elsewhere += 1;
                tally.problems.push(format!(
                    "seed {seed}, {}: entry {birth} is in another timeline's book only: {:?}",
                    truth.chat.name, truth.book[&birth]
                ));
                let is_anywhere = all.iter().any(|(_, text)| {
                    Lorebook::read(text)
                        .unwrap()
                        .entries
                        .iter()
                        .any(|entry| has_birth(entry, birth))
                });
                if !is_anywhere {
                    tally
                        .problems
                        .push(format!("seed {seed}, {}: entry {birth} is lost", truth.chat.name));
                }
            }
        } else {
            tally.foreign_left_out += usize::from(found.is_empty());
            tally.foreign_kept_undecided += usize::from(marked);
        }
    }
}

/// What holds for every book, whatever is true.
fn sound(seed: u64, story: &Tangled, all: &[(OwnBook, String)], tally: &mut Tally) {
    let live = story.folder.text(&format!("worlds/{BOOK}.json")).unwrap();
    let live = Lorebook::read(live).unwrap();
    for entry in live.entries.iter().filter(|e| !e.comment().starts_with('_')) {
        // As it is, or each fact of it with the timeline that wrote it. Under its own number or a new
        // one: where nobody can be shown to have written what the book says now, while every timeline
        // has a text of its own, the one that keeps the name has both, this one marked.
        let keys = |e: &Entry<'_>| e.json.get("key").map(|keys| keys.text().to_owned());
        let stands = |is_it: &dyn Fn(&Lore) -> bool| {
            all.iter().any(|(_, text)| {
                let book = Lorebook::read(text).unwrap();
                book.entries.iter().any(|own| keys(own) == keys(entry) && is_it(&lore(own)))
            })
        };
        let now = lore(entry);
        let facts = now.content.split_inclusive('.').map(str::trim);
        let is_kept = stands(&|own| *own == now)
            || facts.into_iter().all(|fact| stands(&|own| own.content.contains(fact)));
        if !is_kept {
            tally
                .problems
                .push(format!("seed {seed}: {} of the shared book is nowhere", entry.comment()));
        }
    }
    for (own, text) in all {
        let book = Lorebook::read(text).unwrap();
        let mut uids: Vec<&str> =
            book.entries.iter().map(|e| e.json.get("uid").unwrap().text()).collect();
        let count = uids.len();
        uids.sort_unstable();
        uids.dedup();
        if uids.len() != count
            || book
                .entries
                .iter()
                .any(|e| String::from_utf16_lossy(&e.key) != e.json.get("uid").unwrap().text())
        {
            tally.problems.push(format!("seed {seed}, {}: numbers are not kept", own.chat.name));
        }
        // Registries list what is there, under its name.
        let registry = book.entries.iter().find(|e| e.comment().starts_with("_registry_")).unwrap();
        for line in registry.content().lines().filter(|line| line.starts_with('-')) {
            let (uid, rest) = line.strip_prefix("- UID=").unwrap().split_once(' ').unwrap();
            let name = rest.split("name: ").nth(1).unwrap().split(" |").next().unwrap();
            let is_listed = book
                .entries
                .iter()
                .any(|e| e.json.get("uid").unwrap().text() == uid && e.comment() == name);
            if !is_listed {
                tally
                    .problems
                    .push(format!("seed {seed}, {}: the registry lists {line}", own.chat.name));
            }
        }
    }
}

fn queue_of(text: &str) -> Vec<String> {
    let book = Lorebook::read(text).unwrap();
    let queue = book.entries.iter().find(|entry| entry.comment() == "__operation_queue").unwrap();
    let content = queue.content().into_owned();
    let json = Json::parse(&content).unwrap();
    let items = json.get("queue").unwrap().items();
    items.iter().map(|op| op.get("id").unwrap().str().unwrap().into_owned()).collect()
}

/// Issue 5: nothing lost, nothing decidable wrongly attributed, 99 % of it restored exactly.
#[test]
fn a_thousand_stories_come_apart_as_they_were_written() {
    let mut tally = Tally::default();
    for seed in 0..STORIES {
        let story = tangled(seed);
        let books = books_of(&story);
        sound(seed, &story, &books, &mut tally);
        for truth in &story.truth {
            let (own, text) = books.iter().find(|(own, _)| own.chat == truth.chat).unwrap();
            tally.timelines += 1;
            judge(seed, truth, own, text, &books, &mut tally);
            let waiting = queue_of(text);
            tally.operations += waiting.len();
            tally.operations_wrong +=
                waiting.iter().filter(|id| !truth.waiting.contains(id)).count();
            for id in truth.waiting.iter().filter(|id| !waiting.contains(id)) {
                tally
                    .problems
                    .push(format!("seed {seed}, {}: {id} no longer waits", truth.chat.name));
            }
        }
    }
    let Tally { decidable, decidable_exact, .. } = tally;
    let percent = 100.0 * decidable_exact as f64 / decidable as f64;
    let shown: Vec<&String> = tally.problems.iter().take(20).collect();
    println!(
        "{STORIES} stories, {} timelines, {} entries of true books: {} exactly restored, {} undecided, \
         {} in another timeline's book only. Others' entries: {} left out, {} kept as undecided. \
         Decidable: {decidable}, of them {decidable_exact} exactly as they were ({percent:.2} %), {} \
         undecided. Operations: {}, {} in a timeline they are not of.",
        tally.timelines,
        tally.entries,
        tally.exact,
        tally.undecided,
        tally.elsewhere,
        tally.foreign_left_out,
        tally.foreign_kept_undecided,
        tally.decidable_undecided,
        tally.operations,
        tally.operations_wrong
    );
    assert!(tally.problems.is_empty(), "{} problems, {shown:#?}", tally.problems.len());
    assert!(percent >= 99.0, "only {percent:.2} % of what can be decided is as it was");
    assert!(decidable > 15_000, "the stories leave too little to decide: {decidable}");
}

/// Issue 5: what was another timeline's does not come back with a fork from a snapshot of the shared
/// time, and nothing else is missing.
#[test]
fn a_later_fork_from_an_old_snapshot_knows_nothing_foreign() {
    let (mut forks, mut foreign) = (0, 0);
    for seed in 0..40 {
        let story = tangled(seed);
        let host = SimHost::new(story.folder.clone()).outside();
        let family = family_of(&host, &story.truth[0].chat);
        let family = host.run(family).returned().unwrap().unwrap().unwrap();
        let done = host.run(untangle(&host, &family)).returned().unwrap().unwrap();
        for own in &done.plan.timelines {
            let truth = story.truth.iter().find(|truth| truth.chat == own.chat).unwrap();
            for (at, shown) in snapshots(story.folder.text(&own.chat.file()).unwrap()) {
                let request = Request {
                    at: Some(at),
                    lore: LoreChoice::Snapshot,
                    drop_queue: true,
                    ..Request::new(Kind::Branch, own.chat.clone())
                };
                let made = host.run(create(&host, &request)).returned().unwrap().unwrap();
                let after = host.folder();
                let text = after.text(&format!("worlds/{}.json", made.lorebook.unwrap())).unwrap();
                let book = Lorebook::read(text).unwrap();
                let has = |uid: &str, name: &str| {
                    let is_it = |entry: &&Entry<'_>| {
                        entry.json.get("uid").unwrap().text() == uid && entry.comment() == name
                    };
                    book.entries.iter().find(is_it).is_some()
                };
                for left in &own.left_out {
                    assert!(
                        !has(&left.uid, &left.name),
                        "seed {seed}: {} at {at}: {left:?}",
                        own.chat.name
                    );
                    foreign += usize::from(
                        shown.iter().any(|(uid, name, _)| *uid == left.uid && *name == left.name),
                    );
                }
                for (uid, name, birth) in &shown {
                    let is_true = birth.is_some_and(|birth| truth.book.contains_key(&birth));
                    assert!(
                        !is_true || has(uid, name),
                        "seed {seed}: {} at {at}: {name} is lost",
                        own.chat.name
                    );
                }
                forks += 1;
            }
        }
    }
    println!("{forks} forks from snapshots that showed {foreign} entries of others");
    assert!(forks > 200 && foreign > 200, "{forks} forks, {foreign} entries of others");
}

/// Messages with a snapshot, and the entries it shows: number, name, birth.
#[expect(clippy::type_complexity, reason = "read once, in one test")]
fn snapshots(chat: &str) -> Vec<(usize, Vec<(String, String, Option<usize>)>)> {
    let scene = |(at, line): (usize, &str)| {
        let json = Json::parse(line).unwrap();
        let path = ["extra", "auto_recap_memory", "scene_recap_metadata", "1", "allEntries"];
        let entries = json.at(&path)?.items();
        let entries = entries.iter().map(|entry| {
            let name = entry.get("comment").unwrap().str().unwrap().into_owned();
            let key = entry.get("key").unwrap().items().first().and_then(|key| key.str());
            let birth = key.and_then(|key| (0..400).find(|birth| birth_key(*birth) == key));
            (entry.get("uid").unwrap().text().to_owned(), name, birth)
        });
        Some((at, entries.collect::<Vec<_>>())).filter(|(_, entries)| !entries.is_empty())
    };
    chat.lines().skip(1).enumerate().filter_map(scene).collect()
}

/// Issue 5: a book that is shared on purpose stays whole.
#[test]
fn a_book_that_is_shared_on_purpose_is_not_taken_apart() {
    let mut folder = tangled(3).folder;
    let file = format!("worlds/{BOOK}.json");
    let marked = folder.text(&file).unwrap().replacen(
        '{',
        r#"{"extensions":{"lorefork":{"share":true}},"#,
        1,
    );
    folder.put(file, marked);
    let chats = tangled(3).truth.iter().map(|truth| truth.chat.clone()).collect();
    let host = SimHost::new(folder.clone()).outside();
    let family = Family { lorebook: BOOK.to_owned(), chats };
    let refused = host.run(untangle(&host, &family)).returned().unwrap().unwrap_err();
    assert_eq!(refused.code, Code::SharedOnPurpose);
    for (file, bytes) in folder.files() {
        assert_eq!(host.folder().get(file), Some(bytes), "{file}");
    }
}

/// Issue 5: one operation; undo gives back every byte.
#[test]
fn untangling_is_one_operation_and_can_be_taken_back() {
    for seed in 0..20 {
        let story = tangled(seed);
        let host = SimHost::new(story.folder.clone()).outside();
        let chats: Vec<_> = story.truth.iter().map(|truth| truth.chat.clone()).collect();
        let family = host.run(family_of(&host, &chats[0])).returned().unwrap().unwrap().unwrap();
        let mut expected = chats.clone();
        expected.sort();
        assert_eq!(family.chats, expected, "the whole family is found");
        let done = host.run(untangle(&host, &family)).returned().unwrap().unwrap();
        let after = host.folder();
        let mut books = Vec::new();
        for own in &done.plan.timelines {
            let header = after.text(&own.chat.file()).unwrap().lines().next().unwrap();
            let book = Json::parse(header).unwrap().at(&["chat_metadata", "world_info"]).unwrap();
            assert!(book.says(&own.lorebook), "{} names its own book", own.chat.name);
            assert!(after.has(&format!("worlds/{}.json", own.lorebook)));
            // Its parent knows, as it would of a fork that Lorefork made.
            if let Some(parent) = Json::parse(header).unwrap().at(&["chat_metadata", "main_chat"]) {
                let parent = parent.str().unwrap();
                let of =
                    done.plan.timelines.iter().find(|other| other.chat.name == parent).unwrap();
                let header = after.text(&of.chat.file()).unwrap().lines().next().unwrap();
                let path =
                    ["chat_metadata", "auto_recap", "checkpoint_lorebook_map", &own.chat.name];
                assert!(Json::parse(header).unwrap().at(&path).unwrap().says(&own.lorebook));
            }
            // No scene names the shared book any more, where it is not the timeline's own.
            let names_it =
                after.text(&own.chat.file()).unwrap().contains(&format!("\"world\":\"{BOOK}\""));
            assert!(!names_it || own.keeps_name);
            books.push(own.lorebook.clone());
        }
        let kept = done.plan.timelines.iter().filter(|own| own.keeps_name);
        assert_eq!(kept.map(|own| own.chat.name.as_str()).collect::<Vec<_>>(), ["Isle"]);
        books.sort();
        books.dedup();
        assert_eq!(books.len(), chats.len(), "nobody shares a book");
        host.run(undo(&host, Some(&done.done.id))).returned().unwrap().unwrap();
        let back = host.folder();
        for (file, bytes) in story.folder.files() {
            assert_eq!(back.get(file), Some(bytes), "seed {seed}: {file}");
        }
        assert_eq!(back.lorebooks().count(), 1, "the new books are gone");
    }
}

/// Branches of two chats, each the first of its parent, would have books of one name.
#[test]
fn timelines_whose_books_would_have_one_name_get_two() {
    let chat = |name: &str| ChatRef::new(Owner::Character("Mia".to_owned()), name);
    let mut folder = Folder::new().with_lorebook("L", &[("0", entry(0, "Pier", "old"))]);
    let family = [
        ("M", None),
        ("M - Branch #1", Some("M")),
        ("Castle", Some("M")),
        ("Castle - Branch #1", Some("Castle")),
    ];
    for (name, parent) in family {
        let parent = parent.map(|parent| format!(r#","main_chat":"{parent}""#));
        let parent = parent.unwrap_or_default();
        let head = header(&format!(r#"{{"world_info":"L","integrity":"{name}"{parent}}}"#));
        folder = folder.with_chat(&chat(name), &head, &[message("Mia", "hello", "{}")]);
    }
    let host = SimHost::new(folder).outside();
    let family = host.run(family_of(&host, &chat("M"))).returned().unwrap().unwrap().unwrap();
    let plan = host.run(plan(&host, &family)).returned().unwrap().unwrap();
    let mut books: Vec<&str> = plan.timelines.iter().map(|own| own.lorebook.as_str()).collect();
    assert_eq!(books.iter().filter(|name| name.starts_with("L__BR_Branch_1_")).count(), 2);
    books.sort_unstable();
    books.dedup();
    assert_eq!(books.len(), 4, "{books:?}");
}

/// A chat that has got the name of a parent since is none of its family.
#[test]
fn a_family_is_known_by_its_ids() {
    let chat = |name: &str| ChatRef::new(Owner::Character("Mia".to_owned()), name);
    let said = [message("Mia", "hello", "{}"), message("Mia", "so", "{}")];
    let folder = Folder::new().with_lorebook("L", &[("0", entry(0, "Pier", "old"))]).with_chat(
        &chat("M"),
        &header(r#"{"world_info":"L","integrity":"m"}"#),
        &said,
    );
    let host = SimHost::new(folder);
    let mut request = Request::new(Kind::Branch, chat("M"));
    request.at = Some(1);
    let made = host.run(create(&host, &request)).returned().unwrap().unwrap();
    let mut folder = host.folder();
    let main = folder.remove(&chat("M").file()).unwrap();
    folder.put(chat("Old").file(), main);
    let branch = folder.text(&made.place.file()).unwrap();
    let tangled = branch.replace(&format!("\"{}\"", made.lorebook.unwrap()), "\"L\"");
    folder.put(made.place.file(), tangled);
    let stranger = header(r#"{"world_info":"L","integrity":"s"}"#);
    let host = SimHost::new(folder.with_chat(&chat("M"), &stranger, &said)).outside();
    let family = host.run(family_of(&host, &made.place)).returned().unwrap().unwrap().unwrap();
    let mut chats = vec![made.place, chat("Old")];
    chats.sort();
    assert_eq!(family.chats, chats);
}

/// What others use is not touched, however they came to it.
#[test]
fn a_book_that_others_use_is_not_taken_apart() {
    let chats: Vec<_> = tangled(3).truth.iter().map(|truth| truth.chat.clone()).collect();
    let bound = format!(
        r#"{{"chat_metadata":{{"integrity":"other","STMemoryBooks":{{"manualLorebook":"{BOOK}"}}}}}}"#
    );
    let global =
        format!(r#"{{"world_info_settings":{{"world_info":{{"globalSelect":["{BOOK}"]}}}}}}"#);
    let cases = [
        (chats[0].sibling("Stranger").file(), bound, "Stranger"),
        ("settings.json".to_owned(), global, "global"),
    ];
    for (file, text, by) in cases {
        let mut folder = tangled(3).folder;
        folder.put(file, text);
        let host = SimHost::new(folder.clone()).outside();
        let family = Family { lorebook: BOOK.to_owned(), chats: chats.clone() };
        let refused = host.run(untangle(&host, &family)).returned().unwrap().unwrap_err();
        assert_eq!(refused.code, Code::NamedElsewhere);
        assert!(refused.to_string().contains(by), "{refused}");
        for (file, bytes) in folder.files() {
            assert_eq!(host.folder().get(file), Some(bytes), "{file}");
        }
    }
}

/// Work that goes with a timeline writes to that timeline's book, not to the one it shared.
#[test]
fn waiting_work_names_the_book_it_goes_to() {
    let chat = |name: &str| ChatRef::new(Owner::Character("Mia".to_owned()), name);
    let waiting = r#"{ "queue": [{"id":"op","params":{"lorebookName":"L","index":2,"x":1.0}}] }"#;
    let queue = entry(9, "__operation_queue", waiting);
    let said = |times: usize| vec![message("Mia", "hello", "{}"); times];
    let branch = header(r#"{"world_info":"L","integrity":"b","main_chat":"M"}"#);
    let folder = Folder::new()
        .with_lorebook("L", &[("9", queue)])
        .with_chat(&chat("M"), &header(r#"{"world_info":"L","integrity":"m"}"#), &said(1))
        .with_chat(&chat("M - Branch #1"), &branch, &said(3));
    let host = SimHost::new(folder).outside();
    let family = host.run(family_of(&host, &chat("M"))).returned().unwrap().unwrap().unwrap();
    let plan = host.run(plan(&host, &family)).returned().unwrap().unwrap();
    let own = plan.timelines.iter().find(|own| !own.keeps_name).unwrap();
    let book = Lorebook::read(own.book.as_ref().unwrap()).unwrap();
    let named = waiting.replace(r#""L""#, &format!("\"{}\"", own.lorebook));
    assert_eq!(book.entries[0].content(), named);
}
