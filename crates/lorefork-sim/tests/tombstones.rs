//! A timeline that is deleted leaves with those who shared its lorebook what it takes to tell its work
//! from theirs.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use lorefork::audit::untangle::{Family, OwnBook, plan};
use lorefork::json::Json;
use lorefork::moment::film::tombstone;
use lorefork::operation::undo::undo;
use lorefork::removal::delete::delete;
use lorefork::tavern::chat::Header;
use lorefork::tavern::lorebook::Lorebook;
use lorefork_sim::SimHost;
use lorefork_sim::truth::{BOOK, Truth, birth_key, tangled};

const STORIES: u64 = 150;

/// Entries that a timeline gets as its own for sure though they never were.
fn taken_for_its_own(truth: &Truth, own: &OwnBook, text: &str, births: usize) -> Vec<usize> {
    let book = Lorebook::read(text).unwrap();
    let is_open = |uid: &str| own.undecided.iter().any(|one| one.uid == uid);
    let wrong = |birth: &usize| {
        let mut found = book.entries.iter().filter(|entry| {
            let keys = entry.json.get("key").map(Json::items).unwrap_or_default();
            keys.iter().any(|key| key.says(&birth_key(*birth)))
        });
        found.any(|entry| entry.json.get("uid").is_some_and(|uid| !is_open(uid.text())))
    };
    (0..births).filter(|birth| !truth.book.contains_key(birth)).filter(wrong).collect()
}

#[test]
fn what_a_deleted_timeline_wrote_is_nobody_elses() {
    let (mut deleted, mut stones) = (0, 0);
    let mut wrong = Vec::new();
    for seed in 0..STORIES {
        let story = tangled(seed);
        let Some((last, rest)) = story.truth.split_last().filter(|(_, rest)| rest.len() > 1) else {
            continue;
        };
        let host = SimHost::new(story.folder.clone()).outside();
        let done = host.run(delete(&host, &last.chat, &[])).returned().unwrap().unwrap();
        deleted += 1;
        let after = host.folder();
        for truth in rest {
            let header = after.text(&truth.chat.file()).unwrap().lines().next().unwrap();
            let all = tombstone::read(&Header::read(header).unwrap());
            stones += usize::from(all.iter().any(|gone| gone.teller.name == last.chat.name));
        }
        let chats = rest.iter().map(|truth| truth.chat.clone()).collect();
        let family = Family { lorebook: BOOK.to_owned(), chats };
        let planned = host.run(plan(&host, &family)).returned().unwrap().unwrap();
        let live = after.text(&format!("worlds/{BOOK}.json")).unwrap();
        for own in &planned.timelines {
            let truth = rest.iter().find(|truth| truth.chat == own.chat).unwrap();
            let text = own.book.as_deref().unwrap_or(live);
            for birth in taken_for_its_own(truth, own, text, story.shown.len() + 100) {
                wrong.push(format!("seed {seed}, {}: {birth}", own.chat.name));
            }
        }
        host.run(undo(&host, Some(&done.done.id))).returned().unwrap().unwrap();
        for truth in &story.truth {
            let file = truth.chat.file();
            assert_eq!(host.folder().get(&file), story.folder.get(&file), "seed {seed}");
        }
    }
    assert!(deleted > 50 && stones > deleted, "{deleted} deleted, {stones} tombstones");
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
}
