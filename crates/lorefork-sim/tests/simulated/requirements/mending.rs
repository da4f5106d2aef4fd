//! Repairs of a whole folder: what is right already stays, and nothing is left to complain of.

use lorefork::audit::fix::{Look, Missing, Outcome, Repaired, repair};
use lorefork::audit::{Problem, judge};
use lorefork::error::Error;
use lorefork::json::Json;
use lorefork::operation::ahead::Ahead;
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, lorebook_file};
use lorefork_sim::{Everything, Folder, SimHost, entry, facts, header, message};

use crate::requirements::story::*;

fn codes_of(folder: &Folder) -> Vec<&'static str> {
    judge(&facts(folder)).iter().map(|problem| problem.code.name()).collect()
}

fn repaired(folder: &Folder) -> (Folder, Repaired) {
    let host = SimHost::new(folder.clone()).outside();
    let done = host.run(repair(&Ahead::new(&host), &Everything(&host), Missing::default()));
    let done = done.returned().unwrap().unwrap();
    (host.folder(), done)
}

fn mended(folder: &Folder) -> Folder {
    repaired(folder).0
}

fn rename(folder: &mut Folder, from: &ChatRef, to: &str) -> ChatRef {
    let to = from.sibling(to);
    let bytes = folder.remove(&from.file()).unwrap();
    folder.put(to.file(), bytes);
    to
}

/// Keys with the numbers and names of the entries that stand there.
fn numbers(folder: &Folder) -> Vec<(String, i64, String)> {
    let text = folder.text(&lorebook_file("Chain")).unwrap();
    let entries = Json::parse(text).unwrap().get("entries").unwrap().members().into_iter();
    let mut all: Vec<_> = entries
        .map(|member| {
            let text = |json: Json<'_>| json.str().unwrap().into_owned();
            let uid = member.value.get("uid").unwrap().integer().unwrap();
            (text(member.key), uid, text(member.value.get("comment").unwrap()))
        })
        .collect();
    all.sort();
    all
}

fn chain(entries: &[(&str, u64, &str)]) -> Vec<(String, i64, String)> {
    let entries: Vec<_> =
        entries.iter().map(|(key, uid, name)| (*key, entry(*uid, name, ""))).collect();
    numbers(&mended(&folder().with_lorebook("Chain", &entries)))
}

fn said(entries: &[(&str, i64, &str)]) -> Vec<(String, i64, String)> {
    entries.iter().map(|(key, uid, name)| ((*key).into(), *uid, (*name).into())).collect()
}

#[test]
fn entries_in_wrong_places_keep_their_numbers() {
    let row = [("0", 1, "Ann"), ("1", 2, "Bob"), ("2", 3, "Cid")];
    assert_eq!(chain(&row), said(&[("1", 1, "Ann"), ("2", 2, "Bob"), ("3", 3, "Cid")]));
    let swapped = [("0", 1, "Ann"), ("1", 0, "Bob")];
    assert_eq!(chain(&swapped), said(&[("0", 0, "Bob"), ("1", 1, "Ann")]));
}

#[test]
fn of_two_entries_with_one_number_one_gets_another() {
    let twice = [("3", 3, "Ann"), ("7", 3, "Bob")];
    assert_eq!(chain(&twice), said(&[("3", 3, "Ann"), ("7", 7, "Bob")]));
    // The number of its place is that of somebody else.
    let taken = [("3", 3, "Ann"), ("7", 3, "Bob"), ("8", 7, "Cid")];
    assert_eq!(chain(&taken), said(&[("3", 3, "Ann"), ("7", 7, "Cid"), ("8", 8, "Bob")]));
}

/// A chat of another story, as long as ours.
fn stranger(folder: Folder, name: &str) -> Folder {
    let words: Vec<String> =
        (0..30).map(|at| message("Mira", &format!("other {at}"), "{}")).collect();
    folder.with_chat(&main_chat().sibling(name), &header(r#"{"integrity":"stranger"}"#), &words)
}

#[test]
fn another_chat_under_the_parents_old_name_is_not_the_parent() {
    let forked = checkpoint_at(5);
    let checkpoint = &forked.made().place;
    let mut folder = forked.host.folder();
    let parent = rename(&mut folder, &main_chat(), "Tale old");
    let folder = stranger(folder, "Tale");
    assert!(codes_of(&folder).contains(&"MISSING_PARENT"), "{:?}", codes_of(&folder));
    let after = mended(&folder);
    let untouched = main_chat().file();
    assert_eq!(after.text(&untouched), folder.text(&untouched));
    let text = |chat: &ChatRef| after.text(&chat.file()).unwrap().to_owned();
    assert_eq!(meta(&text(checkpoint), &["main_chat"]).as_deref(), Some("Tale old"));
    let map = ["auto_recap", "checkpoint_lorebook_map", checkpoint.name.as_str()];
    assert_eq!(meta(&text(&parent), &map), forked.made().lorebook);
    assert_eq!(codes_of(&after), Vec::<&str>::new());
}

#[test]
fn a_link_that_is_gone_comes_back_in_the_true_parent() {
    let forked = checkpoint_at(5);
    let link = format!("\"bookmark_link\":\"{}\"", forked.made().place.name);
    let mut folder = forked.host.folder();
    let parent = rename(&mut folder, &main_chat(), "Tale old");
    let text = folder.text(&parent.file()).unwrap();
    assert!(text.contains(&link));
    let text = text.replace(&link, "\"was\":0");
    folder.put(parent.file(), text);
    let after = mended(&stranger(folder, "Tale"));
    assert!(after.text(&parent.file()).unwrap().contains(&link));
    assert!(!after.text(&main_chat().file()).unwrap().contains(&link));
}

#[test]
fn a_branch_that_took_its_parents_name_is_not_its_own_parent() {
    let forked = fork(folder(), &request(Kind::Branch, 5));
    let mut folder = forked.host.folder();
    let parent = rename(&mut folder, &main_chat(), "Tale (old)");
    let branch = rename(&mut folder, &forked.made().place, "Tale");
    assert!(codes_of(&folder).contains(&"MISSING_PARENT"), "{:?}", codes_of(&folder));
    let after = mended(&folder);
    let text = |chat: &ChatRef| after.text(&chat.file()).unwrap().to_owned();
    assert_eq!(meta(&text(&branch), &["main_chat"]).as_deref(), Some("Tale (old)"));
    assert!(text(&parent).contains(r#""branches":["Tale"]"#), "its link leads there");
    assert_eq!(codes_of(&after), Vec::<&str>::new());
}

#[test]
fn the_list_of_timelines_is_made_of_what_the_repair_decided() {
    let forked = fork(folder(), &request(Kind::Branch, 5));
    let mut folder = forked.host.folder();
    rename(&mut folder, &forked.made().place, "Renamed");
    assert!(codes_of(&folder).contains(&"STALE_MAPPING"), "{:?}", codes_of(&folder));
    let after = mended(&folder);
    let map = ["auto_recap", "checkpoint_lorebook_map", "Renamed"];
    let parent = after.text(&main_chat().file()).unwrap();
    assert_eq!(meta(parent, &map), forked.made().lorebook);
    assert!(parent.contains(r#""branches":["Renamed"]"#), "linked once");
    assert_eq!(codes_of(&after), Vec::<&str>::new());
}

#[test]
fn nor_does_the_list_name_a_lorebook_that_was_just_taken_away() {
    let forked = fork(folder(), &request(Kind::Branch, 5));
    let mut folder = forked.host.folder().with_lorebook("Wrong", &[]);
    let own = forked.made().lorebook.clone().unwrap();
    let file = forked.made().place.file();
    let named = format!("\"world_info\":\"{own}\"");
    let text = folder.text(&file).unwrap();
    assert!(text.contains(&named));
    let text = text.replace(&named, "\"world_info\":\"Wrong\"");
    folder.put(file, text);
    assert!(codes_of(&folder).contains(&"LOREBOOK_MISMATCH"), "{:?}", codes_of(&folder));
    let after = mended(&folder);
    let map = ["auto_recap", "checkpoint_lorebook_map", forked.made().place.name.as_str()];
    assert_eq!(meta(after.text(&main_chat().file()).unwrap(), &map), Some(own));
}

/// Nobody lists them any more: the registry was emptied, or is kept as JSON, or holds no line at all.
#[test]
fn what_is_called_repaired_is_gone_and_stays_gone() {
    let lamp = || entry(9, "item-Lamp", "lit");
    let registry = |content: &str| entry(3, "_registry_item", content);
    let with =
        |content: &str| folder().with_lorebook("Odd", &[("3", registry(content)), ("9", lamp())]);
    for (content, is_cured) in [
        ("", true),
        ("nothing", true),
        ("- UID=4 | name: item-Axe", true),
        (r#"{"items":[]}"#, false),
        ("[]", false),
    ] {
        let before = with(content);
        assert!(codes_of(&before).contains(&"UNREGISTERED_ENTRY"), "{content}");
        let (after, first) = repaired(&before);
        let found = codes_of(&after).contains(&"UNREGISTERED_ENTRY");
        assert_eq!(found, !is_cured, "{content}");
        let said = first.plan.steps.iter().find(|step| {
            step.problem.code.name() == "UNREGISTERED_ENTRY" && step.outcome == Outcome::Mended
        });
        assert_eq!(said.is_some(), is_cured, "{content}: {:?}", first.plan.steps);
        let (again, second) = repaired(&after);
        assert!(second.done.is_none(), "{content}: {:?}", second.plan);
        assert_eq!(again, after);
    }
}

/// Finds a problem that its repair does not cure, in the plan or only in the folder itself.
struct Stubborn<'h> {
    host: &'h SimHost,
    /// Looks at the folder from this one on find it, cured or not.
    from: usize,
    looks: std::cell::Cell<usize>,
    found: Vec<Problem>,
}

impl Look for Stubborn<'_> {
    async fn folder(&self) -> Result<lorefork::audit::Folder, Error> {
        self.looks.set(self.looks.get() + 1);
        Ok(facts(&self.host.folder()))
    }

    fn problems(&self, folder: &lorefork::audit::Folder) -> Vec<Problem> {
        if self.looks.get() < self.from { judge(folder) } else { self.found.clone() }
    }

    fn is_asked(&self, _: &Problem) -> bool {
        true
    }
}

fn stubborn(from: usize) -> (Folder, Folder, Repaired) {
    let before = folder().with_lorebook("Chain", &[("0", entry(7, "a", ""))]);
    let found = judge(&facts(&before));
    assert_eq!(found.len(), 1, "{found:?}");
    let host = SimHost::new(before.clone()).outside();
    let look = Stubborn { host: &host, from, looks: 0.into(), found };
    let done = host.run(repair(&Ahead::new(&host), &look, Missing::default()));
    let done = done.returned().unwrap().unwrap();
    (before, host.folder(), done)
}

#[test]
fn what_is_still_found_after_its_repair_is_not_called_repaired() {
    let (before, after, done) = stubborn(2);
    assert!(before != after && done.done.is_some(), "it was repaired");
    assert!(matches!(done.plan.steps[0].outcome, Outcome::NotCured(_)), "{:?}", done.plan.steps);
}

#[test]
fn what_its_repair_would_not_cure_is_not_touched() {
    let (before, after, done) = stubborn(1);
    assert!(before == after && done.done.is_none(), "nothing was changed");
    assert!(matches!(done.plan.steps[0].outcome, Outcome::Left(_)), "{:?}", done.plan.steps);
}
