//! The stories that forks and untangling are judged by are what they say they are.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use lorefork::tavern::chat::Header;
use lorefork::tavern::lorebook::Lorebook;
use lorefork_sim::truth::{Features, Tangled, Truth, told};

/// Every switch by itself, in stories of one chat and of several, and all together.
fn all() -> Vec<(&'static str, Features)> {
    let plain = Features::plain().dense();
    let mut all = Features::one_by_one(plain);
    all.extend(Features::one_by_one(Features { shared: true, ..plain }));
    all.extend([("clean", Features::clean().dense()), ("life", Features::life().dense())]);
    all
}

/// What the entries of a timeline's lorebook say now.
fn live(story: &Tangled, truth: &Truth) -> Vec<String> {
    let chat = story.folder.text(&truth.chat.file()).unwrap();
    let name = Header::read(chat.lines().next().unwrap()).unwrap().lorebook().unwrap();
    let text = story.folder.text(&format!("worlds/{name}.json")).unwrap();
    let book = Lorebook::read(text).unwrap();
    let entries = book.entries.iter().filter(|entry| !entry.comment().starts_with('_'));
    let mut said: Vec<String> = entries.map(|entry| entry.content().into()).collect();
    said.sort();
    said
}

#[test]
fn who_never_shared_has_the_truth_in_the_live_lorebook() {
    let mut seen = 0;
    for (name, features) in all() {
        for seed in 0..20 {
            let story = told(seed, &features);
            for truth in story.truth.iter().filter(|truth| truth.is_alone) {
                let last = truth.moments.last().unwrap();
                let mut told: Vec<String> =
                    last.book.values().map(|lore| lore.content.clone()).collect();
                told.sort();
                assert_eq!(live(&story, truth), told, "{name}, seed {seed}, {}", truth.chat.name);
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn every_switch_makes_a_difference_and_the_same_one_each_time() {
    for (name, features) in all() {
        let base = Features { shared: features.shared, ..Features::plain().dense() };
        let differs = |seed: u64| {
            let folder = told(seed, &features).folder;
            assert_eq!(folder, told(seed, &features).folder, "{name}, seed {seed}");
            folder != told(seed, &base).folder
        };
        assert!((0..8).any(differs), "{name}");
    }
}
