//! Forks done wrong.

use std::collections::BTreeMap;

use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_sim::{Expectation, Folder, Outcome, Rule, header, message};

use crate::checker::made::{
    BOOK, INTENT, MAIN, NEW, before, edit, forked, header_of_new, main_chat, new_chat, unlinked,
};
use crate::checker::{breaks, holds};

fn ctx() -> Expectation {
    Expectation::fork(&main_chat(), 2).recovered()
}

/// A right fork with one edit, and what the checker must say about it.
#[track_caller]
fn spoiled(rule: Rule, words: &str, file: &str, old: &str, new: &str) {
    let mut after = forked();
    edit(&mut after, file, old, new);
    breaks(rule, words, &before(), &after, &ctx());
}

#[test]
fn a_fork_done_right_passes() {
    holds(&before(), &before(), &ctx());
    holds(&before(), &forked(), &ctx());
    holds(&before(), &forked(), &ctx().outcome(Outcome::Made(new_chat())));
    // The link failed: the fork stands all the same.
    holds(&before(), &unlinked(), &ctx());
}

#[test]
fn i1_a_named_lorebook_is_missing() {
    let mut after = forked();
    after.remove(BOOK);
    breaks(Rule::NamedLorebooksExist, BOOK, &before(), &after, &ctx());
    let mut after = forked();
    after.put(BOOK, "{}");
    breaks(Rule::NamedLorebooksExist, BOOK, &before(), &after, &ctx());
    let mut after = forked();
    after.put("worlds/Lore.json", "{");
    breaks(Rule::NamedLorebooksExist, "worlds/Lore.json", &before(), &after, &ctx());
}

#[test]
fn i1_one_that_was_missing_before_is_not_our_doing() {
    let lost = header(r#"{"world_info":"Lost"}"#);
    let chat = main_chat().sibling("Lost");
    let with = |folder: Folder| folder.with_chat(&chat, &lost, &[]);
    holds(&with(before()), &with(forked()), &ctx());
}

#[test]
fn i2_something_else_was_changed_or_removed() {
    let rule = Rule::NothingOverwritten;
    spoiled(rule, "settings.json was changed", "settings.json", "{}", "{ }");
    spoiled(rule, "worlds/Lore.json was changed", "worlds/Lore.json", "\"a\"", "\"A\"");
    let mut after = forked();
    after.remove("chats/Mira/Tangled.jsonl");
    breaks(rule, "Tangled.jsonl was removed", &before(), &after, &ctx());
}

#[test]
fn i2_more_than_the_link_was_changed_in_the_parent() {
    let rule = Rule::NothingOverwritten;
    spoiled(rule, "“chat_metadata.odd”", MAIN, "1.0", "1");
    spoiled(rule, "“mes” of message 2", MAIN, r#""mes":"2""#, r#""mes":"two""#);
    spoiled(rule, "the line of message 4", MAIN, r#""mes":"4""#, r#""mes":"four""#);
    spoiled(
        rule,
        "list of branches",
        MAIN,
        r#"["Old","Main - Branch #1"]"#,
        r#"["Main - Branch #1"]"#,
    );
    spoiled(rule, "another slug", MAIN, "slug-a", "slug-z");
    spoiled(rule, "blank lines", MAIN, "\n", "\n\n");
    spoiled(rule, "had 5 messages and has 6", MAIN, "\n", "\n{}\n");
    breaks(rule, "kept its slug", &before(), &forked(), &ctx().outside());
}

#[test]
fn i3_the_parent_is_linked_to_nothing_or_to_half_a_timeline() {
    let rule = Rule::ParentWholeOrLinked;
    spoiled(rule, "linked to no new timeline", MAIN, r#","Main - Branch #1"]"#, "]");
    spoiled(rule, "another main chat", NEW, r#""main_chat":"Main""#, r#""main_chat":"Else""#);
    spoiled(rule, "shares its lorebook", NEW, "Lore__BR_Branch_1_k3f9", "Lore");
    spoiled(rule, "its map does not lead", MAIN, "\"Lore__BR_Branch_1_k3f9\"", "\"Lore\"");
    spoiled(rule, "which has 4 messages", NEW, "\n", "\n{}\n");
    let mut after = forked();
    after.remove(NEW);
    breaks(rule, "which is not there", &before(), &after, &ctx());
}

#[test]
fn i4_a_header_is_incomplete() {
    let rule = Rule::TimelinesComplete;
    spoiled(rule, "no slug of its own", NEW, "slug-b", "slug-a");
    spoiled(rule, "not marked as used", NEW, r#""tainted":true"#, r#""tainted":false"#);
    spoiled(rule, "as its main chat", NEW, r#","main_chat":"Main""#, "");
    spoiled(rule, "record of where", NEW, r#""lorefork":{"#, r#""other":{"#);
    spoiled(rule, "that of another chat", NEW, r#""chat":"Main - Branch #1""#, r#""chat":"Main""#);
    spoiled(rule, "“chat_metadata.odd”", NEW, "1.0", "1");
    spoiled(rule, "checkpoint_state", NEW, "auto_recap_checkpoint_state", "auto_recap_state");
    spoiled(
        rule,
        "map of checkpoints",
        NEW,
        r#""odd""#,
        r#""auto_recap":{"checkpoint_lorebook_map":{"a":"b"}},"odd""#,
    );
    spoiled(
        rule,
        "second record",
        NEW,
        r#""odd""#,
        r#""auto_lorebooks":{"lorebookName":"Lore"},"odd""#,
    );
    spoiled(
        rule,
        "waiting in its parent",
        NEW,
        r#""odd""#,
        r#""autoLorebooks":{"pendingOps":{"a":1}},"odd""#,
    );
    let mut after = forked();
    after.put(NEW, "");
    breaks(rule, "no header", &before(), &after, &ctx());
}

#[test]
fn i4_a_message_differs() {
    let rule = Rule::TimelinesComplete;
    spoiled(rule, "message 0 is not its parent's", NEW, r#""mes":"0""#, r#""mes":"O""#);
    spoiled(
        rule,
        "message 1 is not its parent's",
        NEW,
        r#"Name":"Lore__BR_Branch_1_k3f9""#,
        r#"Name":"Lore""#,
    );
    let mut after = forked();
    let text = after.text(NEW).unwrap().to_owned();
    after.put(NEW, text.rsplit_once('\n').unwrap().0);
    breaks(rule, "has 2 messages instead of 3", &before(), &after, &ctx());
    after.put(NEW, text + "\n");
    breaks(rule, "ends in a line break", &before(), &after, &ctx());
}

#[test]
fn i4_another_swipe_is_shown() {
    let swipes = |folder: &mut Folder| {
        edit(folder, MAIN, r#""mes":"2","#, r#""mes":"2","swipes":["2","zwei"],"#);
    };
    let (mut was, mut after) = (before(), forked());
    swipes(&mut was);
    swipes(&mut after);
    let ctx = ctx().of_swipe(1);
    breaks(Rule::TimelinesComplete, "does not show swipe 1", &was, &after, &ctx);
    edit(&mut after, NEW, r#""mes":"2""#, r#""mes":"zwei""#);
    holds(&was, &after, &ctx);
}

#[test]
fn i4_the_running_recap_knows_the_future() {
    let rule = Rule::TimelinesComplete;
    let index = r#""new_scene_index":1}"#;
    let future = r#""new_scene_index":1},{"version":1,"content":"So far.","new_scene_index":3}"#;
    spoiled(rule, "after message 2", NEW, index, future);
    spoiled(rule, "is not its parent's", NEW, "So far.", "So near.");
    spoiled(
        rule,
        "belongs to another chat",
        NEW,
        r#""chat_id":"Main - Branch #1""#,
        r#""chat_id":"Main""#,
    );
    spoiled(rule, "or the reverse", NEW, "auto_recap_running_scene_recaps", "gone");
}

#[test]
fn i4_the_lorebook_is_not_that_of_the_moment() {
    let rule = Rule::TimelinesComplete;
    spoiled(rule, "another uid than its key", BOOK, r#""uid":2"#, r#""uid":1"#);
    spoiled(rule, "which nothing recorded", BOOK, r#""comment":"a""#, r#""comment":"made up""#);
    spoiled(rule, "queue is not empty", BOOK, r#"\"queue\":[]"#, r#"\"queue\":[{}]"#);
    spoiled(rule, "has 2 queues", BOOK, r#""comment":"a""#, r#""comment":"__operation_queue""#);
    spoiled(rule, "does not say that we made it", BOOK, r#""lorefork""#, r#""other""#);
    spoiled(rule, "has no lorebook, its parent has one", NEW, "world_info", "no_world");
    // Said to be live, it must have all that is live.
    spoiled(rule, "which no source of it has", NEW, r#""source":"snapshot""#, r#""source":"live""#);
}

#[test]
fn i4_a_fork_may_hold_what_a_lorebook_was_before_others_changed_it() {
    let (mut was, mut after) = (before(), forked());
    edit(&mut after, NEW, r#""source":"snapshot""#, r#""source":"live""#);
    edit(&mut after, BOOK, r#""1763632438061""#, r#""5":{"uid":5},"1763632438061""#);
    holds(&was, &after, &ctx());
    let old = was.get("worlds/Lore.json").unwrap().to_vec();
    for folder in [&mut was, &mut after] {
        edit(folder, "worlds/Lore.json", r#""5":"#, r#""1":{"uid":1},"5":"#);
    }
    breaks(Rule::TimelinesComplete, "which no source", &was, &after, &ctx());
    let earlier = BTreeMap::from([("worlds/Lore.json".to_owned(), vec![old])]);
    holds(&was, &after, &ctx().earlier(earlier));
}

#[test]
fn i5_something_was_left_behind() {
    let rule = Rule::NothingLeftBehind;
    for (file, words) in [
        ("worlds/.lorefork-3.tmp", "half a file"),
        (INTENT, "after recovery"),
        ("worlds/Odd.json", "no chat names it"),
        ("worlds/sub/x", "appeared"),
        ("chats/Orrin/New.jsonl", "appeared"),
        ("chats/Mira/Zweig.jsonl", "beside another new timeline"),
    ] {
        let mut after = forked();
        after.put(file, r#"{"entries":{}}"#);
        breaks(rule, words, &before(), &after, &ctx());
    }
    // One of ours that lost its timeline.
    let (mut was, mut after) = (before(), before());
    for folder in [&mut was, &mut after] {
        folder.put("worlds/Own.json", r#"{"entries":{},"extensions":{"lorefork":{}}}"#);
    }
    edit(&mut was, "chats/Mira/Tangled.jsonl", "\"Lore\"", "\"Own\"");
    breaks(rule, "no chat names it any more", &was, &after, &ctx());
}

#[test]
fn i5_before_recovery_an_intent_excuses_what_it_names() {
    let waiting = Expectation::fork(&main_chat(), 2);
    let mut after = before();
    after.put(BOOK, forked().get(BOOK).unwrap());
    after.put("chats/Mira/.lorefork-3.tmp", "{");
    breaks(Rule::NothingLeftBehind, "no chat names it", &before(), &after, &waiting);
    after.put(INTENT, r#"{"lorebook":"Something else"}"#);
    breaks(Rule::NothingLeftBehind, "no chat names it", &before(), &after, &waiting);
    after.put(INTENT, r#"{"lorebook":"Lore__BR_Branch_1_k3f9"}"#);
    holds(&before(), &after, &waiting);
    breaks(Rule::NothingLeftBehind, "half a file", &before(), &after, &ctx());
}

#[test]
fn i6_two_timelines_share_a_lorebook() {
    let rule = Rule::LorebooksApart;
    let mut after = forked();
    for _ in 0..3 {
        edit(&mut after, NEW, "Lore__BR_Branch_1_k3f9", "Lore");
    }
    breaks(rule, "both name “Lore”", &before(), &after, &ctx());
    after.remove(BOOK);
    let (rules, sentences) = crate::checker::broken(&before(), &after, &ctx().shared());
    assert!(!rules.contains(&rule), "{sentences}");

    let twin = main_chat().sibling("Twin");
    let text = header_of_new().replace(r#""chat":"Main - Branch #1""#, r#""chat":"Twin""#);
    let was = before().with_chat(&twin, &text, &[]);
    let after = forked().with_chat(&twin, &text, &[]);
    breaks(rule, "both ours", &was, &after, &ctx());
}

#[test]
fn i7_the_answer_is_not_true() {
    let rule = Rule::AnswersTrue;
    let made = ctx().outcome(Outcome::Made(new_chat()));
    breaks(rule, "was reported as made", &before(), &before(), &made);
    let nothing = ctx().outcome(Outcome::Nothing);
    breaks(rule, "the flow said no", &before(), &forked(), &nothing);
    holds(&before(), &before(), &nothing);
}

#[test]
fn a_group_lists_its_new_timeline_at_the_end() {
    let crew = ChatRef::new(Owner::Group("7".into()), "Crew");
    let ctx = Expectation::fork(&crew, 0).recovered();
    let line = message("Mira", "0", "{}");
    let was = Folder::new()
        .with_chat(&crew, &header(r#"{"integrity":"a"}"#), std::slice::from_ref(&line))
        .with_group("7", &["Crew"]);
    let new = header(
        r#"{"integrity":"b","main_chat":"Crew","tainted":true,"lorefork":{"chat":"Branch"},"auto_recap_checkpoint_state":{}}"#,
    );
    let after = was.clone().with_chat(&crew.sibling("Branch"), &new, &[line]);
    breaks(Rule::TimelinesComplete, "in no list of chats", &was, &after, &ctx);
    holds(&was, &after.clone().with_group("7", &["Crew", "Branch"]), &ctx);
    let wrong = after.clone().with_group("7", &["Branch", "Crew"]);
    breaks(Rule::NothingOverwritten, "at its end", &was, &wrong, &ctx);
    let mut wrong = after.with_group("7", &["Crew", "Branch"]);
    edit(&mut wrong, "groups/7.json", r#""chat_id": "Crew""#, r#""chat_id": "Branch""#);
    breaks(Rule::NothingOverwritten, "“chat_id”", &was, &wrong, &ctx);
}
