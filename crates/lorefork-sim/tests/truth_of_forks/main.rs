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

use ceilings::{CLEAN, LIFE, LIFE_CLEAN, SHARED};
use judge::{Tallies, judge};
use tally::Tally;

/// Seeds: more with `LOREFORK_STORIES`, for who has the time; others with `LOREFORK_FIRST`.
fn seeds(few: u64) -> Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
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

fn print(name: &str, tallies: &Tallies) {
    let Tallies { clean, shared, without_trace } = tallies;
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
    let tallies = judged(&Features { shared: false, ..Features::tangled() }, 20);
    println!("{}", Tally::HEAD);
    print("as untangled", &tallies);
    CLEAN.hold(&tallies.clean);
}

#[test]
fn forks_of_timelines_that_share_a_lorebook() {
    let tallies = judged(&Features::tangled(), 15);
    println!("{}", Tally::HEAD);
    print("as untangled", &tallies);
    SHARED.hold(&tallies.shared);
}

/// All that real life does, at once.
#[test]
fn forks_of_all_that_life_does() {
    let (alone, together) = (judged(&Features::clean(), 15), judged(&Features::life(), 15));
    println!("{}", Tally::HEAD);
    print("life alone", &alone);
    print("life", &together);
    LIFE_CLEAN.hold(&alone.clean);
    LIFE.hold(&together.shared);
}

/// What each thing by itself does to forks. Only tells, and only when it is asked for:
/// `cargo test --test truth_of_forks one_by_one -- --ignored --nocapture`.
#[test]
#[ignore = "a table to read"]
fn one_by_one() {
    println!("{}", Tally::HEAD);
    for to in [Features::plain(), Features { shared: true, ..Features::plain() }] {
        let name = if to.shared { "shared" } else { "one chat" };
        print(name, &judged(&to, 6));
        for (name, features) in Features::one_by_one(to) {
            print(name, &judged(&features, 6));
        }
    }
}
