//! Rebinds done wrong.

use lorefork_sim::{Expectation, Outcome, Rule};

use crate::checker::made::{before, edit, isolated, main_chat};
use crate::checker::{breaks, holds};

const FILE: &str = "chats/Mira/Tangled.jsonl";

fn ctx() -> Expectation {
    Expectation::isolate(&main_chat().sibling("Tangled")).outside().recovered()
}

#[track_caller]
fn spoiled(rule: Rule, words: &str, old: &str, new: &str) {
    let mut after = isolated();
    edit(&mut after, FILE, old, new);
    breaks(rule, words, &before(), &after, &ctx());
}

#[test]
fn a_rebind_done_right_passes() {
    holds(&before(), &before(), &ctx());
    let made = Outcome::Made(main_chat().sibling("Tangled"));
    holds(&before(), &isolated(), &ctx().outcome(made.clone()));
    breaks(Rule::AnswersTrue, "rebound", &before(), &before(), &ctx().outcome(made));
}

#[test]
fn i2_more_than_the_lorebook_was_changed() {
    let rule = Rule::NothingOverwritten;
    spoiled(rule, "more than the lorebook's name of message 0", r#""mes":"0""#, r#""mes":"1""#);
    spoiled(rule, "“user_name” of the header", r#""user_name":"unused""#, r#""user_name":"Ann""#);
    spoiled(rule, "kept its slug", r#""integrity":"u""#, r#""integrity":"t""#);
    let mut after = isolated();
    edit(&mut after, "chats/Mira/Main.jsonl", "slug-a", "slug-z");
    breaks(rule, "Main.jsonl was changed", &before(), &after, &ctx());
}

#[test]
fn i4_a_line_still_names_the_shared_lorebook() {
    let rule = Rule::TimelinesComplete;
    let line = r#""world":"Lore__BR_Tangled_a2b3""#;
    spoiled(rule, "message 1 is not renamed", line, r#""world":"Lore""#);
    let header = r#""world_info":"Lore__BR_Tangled_a2b3""#;
    spoiled(rule, "still names “Lore”", header, r#""world_info":"Lore""#);
}

#[test]
fn i5_a_rebind_makes_no_timeline() {
    let mut after = isolated();
    after.put("chats/Mira/New.jsonl", "{}");
    breaks(Rule::NothingLeftBehind, "New.jsonl appeared", &before(), &after, &ctx());
}

#[test]
fn i6_the_lorebook_must_be_new() {
    let mut was = before();
    let name = "worlds/Lore__BR_Tangled_a2b3.json";
    was.put(name, isolated().get(name).unwrap());
    breaks(Rule::LorebooksApart, "which was there before", &was, &isolated(), &ctx());
}
