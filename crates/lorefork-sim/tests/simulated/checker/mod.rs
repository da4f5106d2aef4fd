//! Every rule of `docs/invariants.md` catches what it is there to catch.

mod fork;
mod isolate;
mod made;

use lorefork_sim::{Expectation, Folder, Rule, check};

/// The rules that `after` breaks, each once, and all sentences for the message of a failing test.
fn broken(before: &Folder, after: &Folder, ctx: &Expectation) -> (Vec<Rule>, String) {
    let violations = check(before, after, ctx).err().unwrap_or_default();
    let mut rules: Vec<Rule> = violations.iter().map(|violation| violation.rule).collect();
    rules.sort();
    rules.dedup();
    let sentences: Vec<String> = violations.iter().map(ToString::to_string).collect();
    (rules, sentences.join("\n"))
}

#[track_caller]
fn holds(before: &Folder, after: &Folder, ctx: &Expectation) {
    let (rules, sentences) = broken(before, after, ctx);
    assert!(rules.is_empty(), "{sentences}");
}

/// Breaks `rule`, among others perhaps, with a sentence that says `words`.
#[track_caller]
fn breaks(rule: Rule, words: &str, before: &Folder, after: &Folder, ctx: &Expectation) {
    let (rules, sentences) = broken(before, after, ctx);
    assert!(rules.contains(&rule) && sentences.contains(words), "{rules:?}\n{sentences}");
}
