//! A timeline that is deleted leaves with those who shared its lorebook what it takes to tell its work
//! from theirs.
#![expect(clippy::unwrap_used, reason = "a test")]

use lorefork::audit::untangle::{Family, OwnBook, plan};
use lorefork::housekeeping::{DeletedChat, Happened, follow};
use lorefork::json::Json;
use lorefork::moment::film::tombstone;
use lorefork::operation::undo::undo;
use lorefork::removal::delete::delete;
use lorefork::tavern::chat::Header;
use lorefork::tavern::lorebook::Lorebook;
use lorefork_sim::truth::{BOOK, Truth, birth_key, tangled};
use lorefork_sim::{Folder, SimHost};

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

#[test]
fn sillytavern_deletes_one_and_what_is_left_of_it_is_the_same() {
    let mut compared = 0;
    for seed in 0..STORIES {
        let story = tangled(seed);
        let Some((last, rest)) = story.truth.split_last().filter(|(_, rest)| rest.len() > 1) else {
            continue;
        };
        let ours = SimHost::new(story.folder.clone()).outside();
        ours.run(delete(&ours, &last.chat, &[])).returned().unwrap().unwrap();
        let mut folder = story.folder.clone();
        let text = String::from_utf8(folder.remove(&last.chat.file()).unwrap()).unwrap();
        let mut lines = text.lines().map(str::to_owned);
        let header = lines.next().unwrap();
        let chat = last.chat.clone();
        let chats = vec![DeletedChat { chat, header, messages: lines.collect() }];
        let theirs = SimHost::new(folder);
        let happened = Happened::ChatsDeleted { chats };
        theirs.run(follow(&theirs, &happened)).returned().unwrap().unwrap();
        for truth in rest {
            let stones = |host: &SimHost| {
                let folder = host.folder();
                let header = folder.text(&truth.chat.file()).unwrap().lines().next().unwrap();
                let header = Header::read(header).unwrap();
                header.meta(&[tombstone::KEY]).map(|all| all.text().to_owned())
            };
            assert_eq!(stones(&theirs), stones(&ours), "seed {seed}, {}", truth.chat.name);
            compared += usize::from(stones(&ours).is_some());
        }
    }
    assert!(compared > 100, "{compared}");
}

/// Entries that those who stay get as their own for sure though they never were.
fn taken(folder: &Folder, rest: &[Truth], births: usize) -> usize {
    let host = SimHost::new(folder.clone()).outside();
    let chats = rest.iter().map(|truth| truth.chat.clone()).collect();
    let family = Family { lorebook: BOOK.to_owned(), chats };
    let planned = host.run(plan(&host, &family)).returned().unwrap().unwrap();
    let live = folder.text(&format!("worlds/{BOOK}.json")).unwrap();
    let of = |own: &OwnBook| {
        let truth = rest.iter().find(|truth| truth.chat == own.chat).unwrap();
        taken_for_its_own(truth, own, own.book.as_deref().unwrap_or(live), births).len()
    };
    planned.timelines.iter().map(of).sum()
}

/// Of a whole character that is deleted nobody has seen the messages: those who shared are told that it
/// was, and take no more for their own than if nothing were known.
#[test]
fn of_one_whose_messages_nobody_saw_is_left_that_it_was() {
    let (mut stones, mut unknown, mut told) = (0, 0, 0);
    for seed in 0..STORIES {
        let story = tangled(seed);
        let Some((last, rest)) = story.truth.split_last().filter(|(_, rest)| rest.len() > 1) else {
            continue;
        };
        let mut folder = story.folder.clone();
        let text = String::from_utf8(folder.remove(&last.chat.file()).unwrap()).unwrap();
        let header = text.lines().next().unwrap().to_owned();
        let chats = vec![DeletedChat { chat: last.chat.clone(), header, messages: Vec::new() }];
        let host = SimHost::new(folder.clone());
        let happened = Happened::ChatsDeleted { chats };
        host.run(follow(&host, &happened)).returned().unwrap().unwrap();
        let after = host.folder();
        for truth in rest {
            let header = after.text(&truth.chat.file()).unwrap().lines().next().unwrap();
            let all = tombstone::read(&Header::read(header).unwrap());
            let is_it = |gone: &tombstone::Gone| gone.teller.name == last.chat.name;
            assert!(all.iter().any(|gone| is_it(gone) && gone.untold_until.is_some()));
            stones += 1;
        }
        let births = story.shown.len() + 100;
        unknown += taken(&folder, rest, births);
        told += taken(&after, rest, births);
    }
    println!("{stones} tombstones; taken without them {unknown}, with them {told}");
    assert!(stones > 100, "{stones}");
    assert!(told <= unknown, "{told} of {unknown}");
}
