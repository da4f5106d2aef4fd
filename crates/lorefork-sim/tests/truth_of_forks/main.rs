//! Forks against the truth: every timeline of generated stories, at every message.
//!
//! Black box: a fork is made through the engine, and the lorebook of the new timeline is compared
//! with what the story says was true there. How sure the engine says it is, is read in `claims.rs`.
//!
//! `LOREFORK_STORIES=2000 cargo test --release --test truth_of_forks -- --nocapture` is the whole.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test that prints a table")]

mod ceilings;
mod claims;
mod judge;
mod tally;

use lorefork_sim::truth::{Features, told};

use judge::judge;
use tally::Tally;

/// More with `LOREFORK_STORIES`, for who has the time.
fn stories() -> u64 {
    std::env::var("LOREFORK_STORIES").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

fn judged(features: &Features) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..stories() {
        judge(seed, &told(seed, features), &mut tally);
    }
    tally
}

#[test]
fn forks_of_a_chat_that_shares_with_nobody() {
    let tally = judged(&Features { shared: false, ..Features::tangled() });
    println!("{}\n{}", Tally::HEAD, tally.row("clean"));
    ceilings::CLEAN.hold(&tally);
}

#[test]
fn forks_of_timelines_that_share_a_lorebook() {
    let tally = judged(&Features::tangled());
    println!("{}\n{}", Tally::HEAD, tally.row("shared"));
    ceilings::SHARED.hold(&tally);
}
