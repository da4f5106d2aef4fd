//! Forks against the truth: every timeline of generated stories, at every message.
//!
//! Black box: a fork is made through the engine, and the lorebook of the new timeline is compared
//! with what the story says was true there. How sure the engine says it is, is read in `claims.rs`.
//!
//! `LOREFORK_STORIES=2000 cargo test --release --test truth_of_forks -- --nocapture` is the whole.
//! With `LOREFORK_EXAMPLES=1` it shows some of what is wrong: seed, timeline, message, entry.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test that prints a table")]

mod ceilings;
mod claims;
mod judge;
mod tally;

use std::ops::Range;

use lorefork_sim::truth::{Features, told};

use ceilings::{
    CLEAN, CLEAN_DENSE, LIFE, LIFE_CLEAN, LIFE_CLEAN_DENSE, LIFE_DENSE, SHARED, SHARED_DENSE,
};
use judge::{Tallies, judge};
use tally::Tally;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Seeds: more with `LOREFORK_STORIES`, for who has the time; others with `LOREFORK_FIRST`.
fn seeds(few: u64) -> Range<u64> {
    let first = number("LOREFORK_FIRST").unwrap_or_default();
    first..first + number("LOREFORK_STORIES").unwrap_or(few)
}

fn judged(features: &Features, few: u64) -> Tallies {
    let mut tallies = Tallies::default();
    for seed in seeds(few) {
        judge(seed, &told(seed, features), &mut tallies);
    }
    tallies
}

/// As people play. Messages are many, so not every one is asked about, and of fewer stories; of as many
/// as `LOREFORK_LONG` says.
fn judged_at_length(features: &Features, few: u64) -> Tallies {
    let mut tallies = Tallies { stride: 23, ..Tallies::default() };
    let seeds = seeds(few);
    let most = number("LOREFORK_LONG").unwrap_or(few.max((seeds.end - seeds.start) / 20));
    for seed in seeds.start..seeds.start + most {
        judge(seed, &told(seed, features), &mut tallies);
    }
    tallies
}

fn print(name: &str, tallies: &Tallies) {
    let Tallies { clean, shared, without_trace, .. } = tallies;
    for (kind, tally) in [("clean", clean), ("shared", shared), ("no trace", without_trace)] {
        if tally.timelines > 0 {
            println!("{}", tally.row(&format!("{name}: {kind}")));
            if std::env::var_os("LOREFORK_EXAMPLES").is_some() {
                println!("{}", tally.examples());
            }
        }
    }
}

#[test]
fn forks_of_a_chat_that_shares_with_nobody() {
    let clean = Features { shared: false, ..Features::tangled() };
    let (dense, real) = (judged(&clean.dense(), 20), judged_at_length(&clean, 4));
    println!("{}", Tally::HEAD);
    print("dense", &dense);
    print("as people play", &real);
    CLEAN_DENSE.hold(&dense.clean);
    CLEAN.hold(&real.clean);
}

#[test]
fn forks_of_timelines_that_share_a_lorebook() {
    let tangled = Features::tangled();
    let (dense, real) = (judged(&tangled.dense(), 15), judged_at_length(&tangled, 4));
    println!("{}", Tally::HEAD);
    print("dense", &dense);
    print("as people play", &real);
    SHARED_DENSE.hold(&dense.shared);
    SHARED.hold(&real.shared);
}

/// All that real life does, at once, to one chat.
#[test]
fn forks_of_a_chat_to_which_all_happens() {
    let clean = Features::clean();
    let (dense, real) = (judged(&clean.dense(), 15), judged_at_length(&clean, 4));
    println!("{}", Tally::HEAD);
    print("life alone, dense", &dense);
    print("life alone", &real);
    LIFE_CLEAN_DENSE.hold(&dense.clean);
    LIFE_CLEAN.hold(&real.clean);
}

/// The same, to timelines that share.
#[test]
fn forks_of_all_that_life_does() {
    let life = Features::life();
    let (dense, real) = (judged(&life.dense(), 15), judged_at_length(&life, 4));
    println!("{}", Tally::HEAD);
    print("life, dense", &dense);
    print("life", &real);
    LIFE_DENSE.hold(&dense.shared);
    LIFE.hold(&real.shared);
}

/// Stories in which something was called certain, and was wrong:
///
/// - 528, 698, 826, 935, 1268, 1524: an entry that only a lorebook shows that was made of this one
/// - 5, 534, 1047: an entry that got another number when a timeline got its own lorebook
/// - 1005, 1895: a switch that was switched twice between two pictures, and a lorebook made in between
/// - 1791: a snapshot of the time in which others used the lorebook
#[test]
fn what_only_another_lorebook_knows_is_not_called_certain() {
    let mut tallies = Tallies { stride: 3, ..Tallies::default() };
    let features = Features { merged_anew: false, ..Features::life() }.dense();
    for seed in [5, 528, 534, 698, 826, 935, 1005, 1047, 1268, 1524, 1791, 1895] {
        judge(seed, &told(seed, &features), &mut tallies);
    }
    for tally in [&tallies.clean, &tallies.shared] {
        let wrong = (tally.exact_wrong, tally.certain_wrong());
        assert_eq!(wrong, (0, 0), "{}", tally.examples());
    }
}

/// What each thing by itself does to forks. Only tells, and only when it is asked for:
/// `cargo test --test truth_of_forks one_by_one -- --ignored --nocapture`.
#[test]
#[ignore = "a table to read"]
fn one_by_one() {
    println!("{}", Tally::HEAD);
    let plain = Features::plain().dense();
    for to in [plain, Features { shared: true, ..plain }] {
        let name = if to.shared { "shared" } else { "one chat" };
        print(name, &judged(&to, 6));
        for (name, features) in Features::one_by_one(to) {
            print(name, &judged(&features, 6));
        }
    }
}

/// What is better without each thing, of all that happens as people play.
#[test]
#[ignore = "a table to read"]
fn without_one() {
    println!("{}", Tally::HEAD);
    for (name, all) in [("one chat", Features::clean()), ("life", Features::life())] {
        print(name, &judged_at_length(&all, 20));
        for (name, features) in Features::without_one(all) {
            print(name, &judged_at_length(&features, 20));
        }
    }
}
