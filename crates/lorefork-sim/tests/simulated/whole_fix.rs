//! A whole repair of stories whose truth is known: lorebooks come apart, then all else is mended.
//! No timeline loses what is its own, and what is right is called right.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use lorefork::audit::fix::{Look, Missing, Outcome, repair};
use lorefork::audit::{Action, Code, Folder as Facts, Problem, judge};
use lorefork::fork::{Request, create, isolate};
use lorefork::json::{Json, quote};
use lorefork::moment::{LoreChoice, Quality};
use lorefork::operation::ahead::Ahead;
use lorefork::operation::undo::undo;
use lorefork::operation::{What, log};
use lorefork::tavern::chat::Header;
use lorefork::tavern::lorebook::{Entry, Lorebook};
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork::tavern::time::iso;
use lorefork_sim::truth::{BOOK, Features, Moment, Truth, birth_key, tangled, told};
use lorefork_sim::{Everything, Folder, SimHost, entry, facts, header};

/// More with `LOREFORK_STORIES`, for who has the time.
fn stories() -> u64 {
    std::env::var("LOREFORK_STORIES").ok().and_then(|text| text.parse().ok()).unwrap_or(1000)
}

fn problems(folder: &Folder) -> Vec<Problem> {
    judge(&facts(folder))
}

fn has(problems: &[Problem], code: Code) -> bool {
    problems.iter().any(|problem| problem.code == code)
}

/// As `lorefork fix --apply` does it.
fn fixed(folder: &Folder) -> Folder {
    let host = SimHost::new(folder.clone()).outside();
    let all = Everything(&host);
    host.run(repair(&Ahead::new(&host), &all, Missing::default())).returned().unwrap().unwrap();
    host.folder()
}

fn book_of(folder: &Folder, chat: &ChatRef) -> String {
    let header = folder.text(&chat.file()).unwrap().lines().next().unwrap();
    let name = Header::read(header).unwrap().lorebook().unwrap();
    folder.text(&format!("worlds/{name}.json")).unwrap().to_owned()
}

/// Births of a timeline's own entries that its book lacks though something recorded shows them.
fn lost(folder: &Folder, truth: &Truth) -> Vec<usize> {
    let text = book_of(folder, &truth.chat);
    let book = Lorebook::read(&text).unwrap();
    let is_there = |birth: usize| {
        book.entries.iter().any(|entry| {
            let keys = entry.json.get("key").map(Json::items).unwrap_or_default();
            keys.iter().any(|key| key.says(&birth_key(birth)))
        })
    };
    let own = truth.book.keys().copied().filter(|birth| truth.recorded.contains(birth));
    own.filter(|birth| !is_there(*birth)).collect()
}

#[test]
fn a_whole_fix_takes_nothing_from_anybody() {
    let (stories, mut wrong) = (stories(), Vec::new());
    for seed in 0..stories {
        let story = tangled(seed);
        let after = fixed(&story.folder);
        for truth in &story.truth {
            for birth in lost(&after, truth) {
                let lore = &truth.book[&birth];
                wrong.push(format!("seed {seed}, {}: lost {lore:?}", truth.chat.name));
            }
        }
        let found = problems(&after);
        if has(&found, Code::LoreFromTheFuture) || has(&found, Code::SharedLorebook) {
            wrong.push(format!("seed {seed}: still {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {stories}: {:#?}", wrong.len(), &wrong[..wrong.len().min(9)]);
}

#[test]
fn what_is_true_is_not_called_the_future() {
    let wrong: Vec<u64> = (0..stories())
        .filter(|seed| has(&problems(&tangled(*seed).apart), Code::LoreFromTheFuture))
        .collect();
    assert!(wrong.is_empty(), "{}: {wrong:?}", wrong.len());
}

/// Stories in which a timeline was given its own lorebook before anything was repaired.
#[test]
fn isolating_first_takes_nothing_from_those_who_stay() {
    let (mut wrong, mut cured) = (Vec::new(), 0);
    for seed in 0..stories() / 8 {
        let story = tangled(seed);
        let host = SimHost::new(story.folder.clone()).outside();
        let mut stay = story.truth.clone();
        let leaves = stay.remove(1 + seed as usize % (stay.len() - 1)).chat;
        let isolated = host.run(isolate(&host, &leaves, LoreChoice::Auto)).returned().unwrap();
        if isolated.is_err() {
            continue;
        }
        let before = host.folder();
        let after = fixed(&before);
        cured += usize::from(after != before);
        for truth in &stay {
            for birth in lost(&after, truth) {
                wrong.push(format!("seed {seed}, {}: lost {birth}", truth.chat.name));
            }
        }
        let found = problems(&after);
        if has(&found, Code::LoreFromTheFuture) || has(&found, Code::SharedLorebook) {
            wrong.push(format!("seed {seed}: still {found:?}"));
        }
        if fixed(&after) != after {
            wrong.push(format!("seed {seed}: a second time changes something"));
        }
    }
    assert!(wrong.is_empty(), "{}: {:#?}", wrong.len(), &wrong[..wrong.len().min(9)]);
    assert!(cured as u64 > stories() / 16, "{cured}");
}

/// Before the time at which the tests take place.
const START: u64 = 1_790_000_000_000;

fn chat(name: &str) -> ChatRef {
    ChatRef::new(Owner::Character("Isle".to_owned()), name)
}

fn said(at: usize, minute: u64, extra: &str) -> String {
    let date = iso(START + minute * 60_000);
    format!(
        r#"{{"name":"Isle","is_user":false,"send_date":"{date}","mes":"{at} {minute}","extra":{{{extra}}}}}"#
    )
}

/// A scene that recorded these entries, and made the last of them.
fn scene(minute: u64, entries: &[(u64, &str, &str)]) -> String {
    let all: Vec<String> =
        entries.iter().map(|(uid, name, content)| entry(*uid, name, content)).collect();
    let (uid, name, content) = entries.last().unwrap();
    let name = name.split_once('-').map_or(*name, |(_, name)| name);
    let recap = format!(
        r#"{{"stage4":{{"entities":[{{"name":{},"content":[{}]}}]}}}}"#,
        quote(name),
        quote(content)
    );
    format!(
        r#""auto_recap_memory":{{"scene_break":true,"scene_recap_versions":[{recap}],"scene_recap_current_index":0,"scene_recap_memory":{recap},"scene_recap_metadata":{{"0":{{"timestamp":{time},"combined_at":{time},"chatLorebookName":"{BOOK}","created_entry_uids":["{uid}"],"allEntries":[{all}]}}}}}}"#,
        recap = quote(&recap),
        time = START + minute * 60_000 + 30_000,
        all = all.join(",")
    )
}

const REGISTRY: (u64, &str, &str) = (0, "_registry_character", "[Registry: character]");
const LAMP: (u64, &str, &str) = (1, "character-Lamp", "It burns.");
const FERRY: (u64, &str, &str) = (2, "character-Ferry", "It left.");
const NOTES: (u64, &str, &str) = (3, "My own notes", "Remember the lamp.");
const STORM: (u64, &str, &str) = (4, "character-Storm", "It came.");

/// Main has eleven messages. Its branch, made by plain SillyTavern before the last of them, has
/// scenes at 15 and 21; between these main got its last message, and somebody wrote notes into the
/// lorebook.
fn with_notes() -> Folder {
    let extra = |at: usize| match at {
        5 => scene(5, &[REGISTRY, LAMP]),
        15 => scene(115, &[REGISTRY, LAMP, FERRY]),
        21 => scene(321, &[REGISTRY, LAMP, FERRY, NOTES, STORM]),
        _ => String::new(),
    };
    let mut main: Vec<String> = (0..10).map(|at| said(at, at as u64, &extra(at))).collect();
    let mut branch = main.clone();
    branch.extend((10..16).map(|at| said(at, 100 + at as u64, &extra(at))));
    branch.extend((16..22).map(|at| said(at, 300 + at as u64, &extra(at))));
    main[9] = said(9, 9, r#""branches":["Isle - Branch #1"]"#);
    main.push(said(10, 200, ""));
    let live = [REGISTRY, LAMP, FERRY, NOTES, STORM];
    let live: Vec<(String, String)> = live
        .iter()
        .map(|(uid, name, content)| (uid.to_string(), entry(*uid, name, content)))
        .collect();
    let live: Vec<(&str, String)> =
        live.iter().map(|(key, text)| (key.as_str(), text.clone())).collect();
    let head = |slug: &str, more: &str| {
        header(&format!(r#"{{"integrity":"{slug}","world_info":"{BOOK}"{more}}}"#))
    };
    Folder::new()
        .with_chat(&chat("Isle"), &head("m", ""), &main)
        .with_chat(&chat("Isle - Branch #1"), &head("b", r#","main_chat":"Isle""#), &branch)
        .with_lorebook(BOOK, &live)
}

/// Numbers beyond the common beginning prove nothing.
#[test]
fn what_main_wrote_between_two_scenes_of_its_branch_stays() {
    let after = fixed(&with_notes());
    let main = book_of(&after, &chat("Isle"));
    assert!(main.contains("My own notes") && main.contains("character-Lamp"), "{main}");
    assert!(!main.contains("character-Ferry") && !main.contains("character-Storm"), "{main}");
    assert_eq!(fixed(&after), after);
}

/// What the branch wrote does not stay in main because the branch left first.
#[test]
fn a_lorebook_that_a_branch_has_left_is_still_taken_apart() {
    let branch = chat("Isle - Branch #1");
    let host = SimHost::new(with_notes()).outside();
    let isolated = host.run(isolate(&host, &branch, LoreChoice::Live)).returned().unwrap().unwrap();
    assert_ne!(isolated.quality, Some(Quality::Exact), "others have written to it, too");
    let found = problems(&host.folder());
    let left = found.iter().find(|problem| problem.code == Code::SharedLorebook).unwrap();
    assert_eq!((left.chat.as_ref(), &left.others), (Some(&chat("Isle")), &vec![branch.clone()]));
    let after = fixed(&host.folder());
    let main = book_of(&after, &chat("Isle"));
    assert!(main.contains("My own notes") && main.contains("character-Lamp"), "{main}");
    assert!(!main.contains("character-Ferry") && !main.contains("character-Storm"), "{main}");
    let own = book_of(&after, &branch);
    assert!(own.contains("character-Ferry") && own.contains("character-Storm"), "{own}");
    assert!(!has(&problems(&after), Code::SharedLorebook));
    assert_eq!(fixed(&after), after);
}

/// What nobody has but the lorebook that was left stays in it, marked.
#[test]
fn what_the_branch_did_not_take_along_stays() {
    let branch = chat("Isle - Branch #1");
    let host = SimHost::new(with_notes()).outside();
    host.run(isolate(&host, &branch, LoreChoice::Empty)).returned().unwrap().unwrap();
    let main = book_of(&fixed(&host.folder()), &chat("Isle"));
    assert!(main.contains("character-Ferry") && main.contains("undecided"), "{main}");
}

/// A lorebook is gone that several timelines used: each gets back what it recorded of its own story, and
/// nothing of another's for sure.
#[test]
fn a_missing_lorebook_comes_back_as_each_story_recorded_it() {
    let (mut entries, mut wrong, mut foreign) = (0, Vec::new(), 0);
    for seed in 0..stories() / 8 {
        for features in [Features::tangled(), Features { shared: false, ..Features::tangled() }] {
            let story = told(seed, &features.dense());
            let mut folder = story.folder.clone();
            folder.remove(&format!("worlds/{BOOK}.json"));
            let after = fixed(&folder);
            for truth in &story.truth {
                let header = after.text(&truth.chat.file()).unwrap().lines().next().unwrap();
                let name = Header::read(header).unwrap().lorebook().unwrap();
                // Of one that never recorded anything nothing can come back.
                let Some(text) = after.text(&format!("worlds/{name}.json")) else { continue };
                let book = Lorebook::read(text).unwrap();
                let marks = book.ours().and_then(|ours| ours.get("undecided"));
                let marks = marks.map(Json::items).unwrap_or_default();
                let births = book.entries.iter().filter_map(|entry| {
                    let birth = birth(entry)?;
                    let uid = entry.get("uid")?.text();
                    let is_marked = marks.iter().any(|mark| {
                        mark.get("uid").is_some_and(|marked| marked.text().trim_matches('"') == uid)
                    });
                    Some((birth, is_marked))
                });
                let births: Vec<(usize, bool)> = births.collect();
                entries += births.len();
                let is_foreign = |(birth, is_marked): &&(usize, bool)| {
                    !is_marked && !truth.moments.iter().any(|told| told.book.contains_key(birth))
                };
                foreign += births.iter().filter(is_foreign).count();
                // What the last of its own snapshots shows, and is so.
                let own = truth.book.keys().filter(|birth| truth.in_last_snapshot.contains(birth));
                let lost = own.filter(|own| !births.iter().any(|(birth, _)| birth == *own));
                wrong
                    .extend(lost.map(|birth| format!("seed {seed}, {}: {birth}", truth.chat.name)));
            }
        }
    }
    assert!(entries > 200, "{entries}");
    assert!(wrong.is_empty(), "{} lost: {:#?}", wrong.len(), &wrong[..wrong.len().min(9)]);
    assert!(foreign * 200 <= entries, "{foreign} of {entries} are another's");
}

/// Its snapshots show what others wrote as long as they shared. Who they were is asked when it gets its
/// own lorebook, and noted: later nobody is left to ask.
#[test]
fn who_was_isolated_still_knows_what_was_never_its_own() {
    let (mut entries, mut foreign) = (0, 0);
    for seed in 0..stories() / 25 {
        let story = tangled(seed);
        let host = SimHost::new(story.folder.clone()).outside();
        let truth = &story.truth[1 + seed as usize % (story.truth.len() - 1)];
        let done = host.run(isolate(&host, &truth.chat, LoreChoice::Auto)).returned().unwrap();
        if done.is_err() {
            continue;
        }
        for at in 0..truth.moments.len() {
            let host = SimHost::new(host.folder()).outside();
            let request =
                Request { at: Some(at), ..Request::new(Kind::Branch, truth.chat.clone()) };
            let Ok(made) = host.run(create(&host, &request)).returned().unwrap() else { continue };
            let after = host.folder();
            let text = after.text(&format!("worlds/{}.json", made.lorebook.unwrap())).unwrap();
            for birth in Lorebook::read(text).unwrap().entries.iter().filter_map(birth) {
                entries += 1;
                let had = |told: &Moment| told.book.contains_key(&birth);
                foreign += usize::from(!truth.moments.iter().any(had));
            }
        }
    }
    assert!(entries > 200, "{entries}");
    // Those of which nobody could tell then. Not noted, they are a third.
    assert!(foreign * 8 <= entries, "{foreign} of {entries} are another's");
}

fn birth(entry: &Entry<'_>) -> Option<usize> {
    entry.get("key")?.items().first()?.str()?.strip_prefix("born")?.parse().ok()
}

/// Whoever is told of the repair and whoever reads of it in the log is told the same number.
#[test]
fn the_log_counts_what_was_mended() {
    let deleted = Features { deleted_linked: true, ..Features::tangled() }.dense();
    let mut counted = 0;
    for seed in 0..60 {
        let host = SimHost::new(told(seed, &deleted).folder).outside();
        let (ahead, all) = (Ahead::new(&host), Everything(&host));
        let done = host.run(repair(&ahead, &all, Missing::default())).returned().unwrap().unwrap();
        let mended = done.plan.steps.iter().filter(|step| step.outcome == Outcome::Mended).count();
        let log = host.run(log::read(&host)).returned().unwrap().unwrap();
        let last = log.operations.last().unwrap();
        if last.what == What::Fix {
            counted += 1;
            assert_eq!(last.title.with, vec![mended.into()], "seed {seed}");
        }
    }
    assert!(counted > 5, "{counted}");
}

/// SillyTavern deletes a timeline unseen, and its parent still links to it: that is told once, and one
/// repair remembers it and takes the link away. Where nobody is missing, nothing is told.
#[test]
fn who_was_deleted_unseen_is_told_once() {
    let is_it = |problem: &&Problem| problem.code == Code::MissingTombstone;
    let deleted = Features { deleted_linked: true, ..Features::tangled() }.dense();
    let mut told_of = 0;
    for seed in 0..stories() / 8 {
        let story = told(seed, &deleted);
        let found = problems(&story.folder);
        for problem in found.iter().filter(is_it) {
            told_of += 1;
            let Action::Remember { chat: gone } = &problem.fix.action else { panic!() };
            let is_twice = |other: &Problem| {
                let place = |one: &Problem| (one.chat.clone(), one.message);
                matches!(&other.fix.action, Action::Relink { from, .. } if from == gone)
                    && place(other) == place(problem)
            };
            assert!(!found.iter().any(is_twice), "seed {seed}: one problem for one link");
        }
        let after = fixed(&story.folder);
        let left = problems(&after);
        let is_dead = |problem: &&Problem| is_it(problem) || problem.code == Code::DeadBranchLink;
        assert_eq!(left.iter().filter(is_dead).count(), 0, "seed {seed}");
        assert_eq!(fixed(&after), after, "seed {seed}: twice");
        let life = told(seed, &Features::life().dense());
        let found = problems(&life.folder);
        let found: Vec<&Problem> = found.iter().filter(is_it).collect();
        assert!(found.is_empty(), "seed {seed}: {found:?}");
    }
    assert!(told_of > 10, "{told_of}");
}

/// Only this one problem is repaired: the timeline is remembered and its link gone, and undo gives back
/// every byte.
#[test]
fn who_was_deleted_unseen_is_remembered_before_the_link_goes() {
    struct Only<'h>(&'h SimHost);
    impl Look for Only<'_> {
        async fn folder(&self) -> Result<Facts, lorefork::error::Error> {
            Everything(self.0).folder().await
        }
        fn problems(&self, folder: &Facts) -> Vec<Problem> {
            Everything(self.0).problems(folder)
        }
        fn is_asked(&self, problem: &Problem) -> bool {
            problem.code == Code::MissingTombstone
        }
    }
    let deleted = Features { deleted_linked: true, ..Features::tangled() }.dense();
    let mut seen = 0;
    for seed in 0..stories() / 8 {
        let story = told(seed, &deleted);
        let found = problems(&story.folder);
        let Some(one) = found.iter().find(|one| one.code == Code::MissingTombstone) else {
            continue;
        };
        seen += 1;
        let host = SimHost::new(story.folder.clone()).outside();
        let (ahead, only) = (Ahead::new(&host), Only(&host));
        let done = host.run(repair(&ahead, &only, Missing::default()));
        let done = done.returned().unwrap().unwrap();
        assert!(done.done.is_some(), "seed {seed}");
        let (after, file) = (host.folder(), one.chat.as_ref().unwrap().file());
        let (header, messages) = after.text(&file).unwrap().split_once('\n').unwrap();
        let Action::Remember { chat: gone } = &one.fix.action else { panic!("{one:?}") };
        assert!(header.contains("lorefork_gone") && header.contains(gone), "{header}");
        let link = messages.lines().nth(one.message.unwrap()).unwrap();
        assert!(!link.contains(&quote(gone)), "{link}");
        host.run(undo(&host, None)).returned().unwrap().unwrap();
        for file in story.folder.files().map(|(file, _)| file) {
            assert_eq!(host.folder().text(file), story.folder.text(file), "seed {seed}: {file}");
        }
    }
    assert!(seen > 5, "{seen}");
}

/// What a book says for sure: of each entry its number, name and text. Numbers that are marked apart.
fn held(text: &str) -> (Vec<(String, String, String)>, Vec<String>) {
    let book = Lorebook::read(text).unwrap();
    let marks = book.ours().and_then(|ours| ours.get("undecided"));
    let marks = marks.map(Json::items).unwrap_or_default();
    let uid = |json: Json<'_>| json.get("uid").map(|uid| uid.text().trim_matches('"').to_owned());
    let marked: Vec<String> = marks.into_iter().filter_map(uid).collect();
    let entries = book.entries.iter().filter(|entry| !entry.comment().starts_with('_'));
    let said = entries.filter_map(|entry| {
        Some((uid(entry.json)?, entry.comment().into_owned(), entry.content().into_owned()))
    });
    (said.collect(), marked)
}

/// A fork of a tangled timeline at its last message holds what untangling gives that timeline: it is one
/// question.
#[test]
fn a_fork_at_the_last_message_is_what_untangling_gives() {
    let (mut entries, mut differ) = (0, Vec::new());
    for seed in 0..stories() / 8 {
        let story = tangled(seed);
        let after = fixed(&story.folder);
        for truth in &story.truth {
            let host = SimHost::new(story.folder.clone()).outside();
            let request =
                Request { drop_queue: true, ..Request::new(Kind::Branch, truth.chat.clone()) };
            let made = host.run(create(&host, &request)).returned().unwrap().unwrap();
            let name = made.lorebook.unwrap();
            let (fork, forks_marks) =
                held(host.folder().text(&format!("worlds/{name}.json")).unwrap());
            let (fix, fix_marks) = held(&book_of(&after, &truth.chat));
            entries += fork.len();
            let is_open = |uid: &String| forks_marks.contains(uid) || fix_marks.contains(uid);
            for (one, other) in [(&fork, &fix), (&fix, &fork)] {
                let only = one.iter().filter(|entry| !other.contains(entry) && !is_open(&entry.0));
                differ.extend(
                    only.map(|entry| format!("seed {seed}, {}: {entry:?}", truth.chat.name)),
                );
            }
        }
    }
    assert!(entries > 200, "{entries}");
    assert!(differ.is_empty(), "{} differ: {:#?}", differ.len(), &differ[..differ.len().min(9)]);
}
