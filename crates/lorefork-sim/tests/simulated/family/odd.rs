//! Whatever files say: drawn as well as can be, with a mark; never a hang, never a lost row.

use lorefork::family::{Gone, How, Mark, Trace, Tree, View};
use lorefork_sim::Chance;

use crate::family::made::{Known, Made, message, read, traces, tree_of};

fn header(metadata: &str) -> String {
    format!(r#"{{"chat_metadata":{{{metadata}}}}}"#)
}

fn lines(ids: impl IntoIterator<Item = usize>) -> Vec<String> {
    ids.into_iter().map(|id| message(id, id % 2 == 1, "")).collect()
}

fn child_of(name: &str, parent: &str, ids: impl IntoIterator<Item = usize>) -> Trace {
    read(name, &header(&format!(r#""main_chat":"{parent}""#)), &lines(ids))
}

/// All timelines as `name < parent @ shared`, in the order of the tree.
fn told(tree: &Tree) -> Vec<String> {
    let mut told = Vec::new();
    for family in &tree.families {
        family.picture(View::default());
        for one in &family.timelines {
            let parent = one.parent.map(|parent| &family.timelines[parent].chat.name);
            let parent = parent.map(|name| format!(" < {name} @ {}", one.shared));
            told.push(format!("{}{}", one.chat.name, parent.unwrap_or_default()));
        }
    }
    told
}

fn marks(tree: &Tree, name: &str) -> Vec<&'static str> {
    let mut all = tree.families.iter().flat_map(|family| &family.timelines);
    let one = all.find(|one| one.chat.name == name).unwrap();
    one.marks.iter().map(Mark::word).collect()
}

#[test]
fn a_circle_is_opened_once() {
    let all = [
        child_of("A", "B", 0..9),
        child_of("B", "C", 0..7),
        child_of("C", "A", 0..5),
        child_of("D", "C", 0..4),
    ];
    let tree = tree_of(&all);
    assert_eq!(told(&tree), ["A", "C < A @ 5", "D < C @ 4", "B < C @ 5"]);
    assert_eq!(marks(&tree, "A"), ["circle"]);
    assert_eq!(marks(&tree, "B"), [""; 0]);
}

#[test]
fn who_names_itself_stands_where_its_messages_say() {
    let all = [child_of("A", "A", 0..9), child_of("B", "B", (0..4).chain(50..60))];
    let tree = tree_of(&all);
    assert_eq!(told(&tree), ["B", "A < B @ 4"], "the longer one is the main one");
    assert_eq!(marks(&tree, "A"), ["ownParent"]);
}

#[test]
fn a_greeting_alone_is_no_family() {
    // Somebody copied the greeting, date and all.
    let stories = |name: &str, from: usize| {
        read(name, &header(""), &lines([0].into_iter().chain(from..from + 9)))
    };
    assert_eq!(told(&tree_of(&[stories("A", 101), stories("B", 201)])), ["A", "B"]);
    // With what the user answered they are one story.
    let stories = |name: &str, from: usize| {
        read(name, &header(""), &lines([0, 1].into_iter().chain(from..from + 9)))
    };
    assert_eq!(told(&tree_of(&[stories("A", 101), stories("B", 201)])), ["A", "B < A @ 2"]);
}

#[test]
fn the_same_words_at_another_time_are_another_story() {
    let said = |date: &str| {
        ["hello", "hi", "how are you?"].map(|text| {
            format!(
                r#"{{"name":"Mia","is_user":true,"send_date":"{date} {}","mes":"{text}"}}"#,
                text.len()
            )
        })
    };
    let all = [read("A", &header(""), &said("1")), read("B", &header(""), &said("2"))];
    assert_eq!(told(&tree_of(&all)), ["A", "B"]);
}

#[test]
fn a_parent_that_is_gone_is_drawn_as_gone() {
    let all = [
        child_of("A", "Lost", (0..9).chain(100..105)),
        child_of("B", "Lost", (0..6).chain(200..205)),
        child_of("C", "Other", 300..305),
    ];
    let tree = tree_of(&all);
    assert_eq!(told(&tree), ["Lost", "A < Lost @ 6", "B < Lost @ 6", "Other", "C < Other @ 0"]);
    assert_eq!(tree.families[0].timelines[0].gone, Some(Gone::Named));
}

#[test]
fn who_was_deleted_stands_where_those_who_remember_it_say() {
    let remembers = |name: &str, parent: &str, gone: &[(&str, usize)], ids: Vec<usize>| {
        let gone: Vec<String> = gone
            .iter()
            .map(|(name, same)| {
                format!(r#"{{"v":1,"chat":"{name}","same":{same},"played":[[{same},11,1,2]]}}"#)
            })
            .collect();
        let gone = gone.join(",");
        read(name, &header(&format!(r#"{parent}"lorefork_gone":[{gone}]"#)), &lines(ids))
    };
    let of_a = r#""main_chat":"A","#;
    let all = [
        remembers("A", "", &[("Gone", 8)], (0..20).collect()),
        // Forks carry along what their parent knew, however early they parted.
        remembers("B", of_a, &[("Gone", 8)], (0..6).chain(100..103).collect()),
        remembers("C", of_a, &[("Other", 9), ("B", 3)], (0..10).chain(200..205).collect()),
        // The lorebook of another story, which began alike.
        remembers("S", "", &[("Theirs", 1)], [0].into_iter().chain(301..309).collect()),
    ];
    let tree = tree_of(&all);
    let expected = ["A", "B < A @ 6", "Gone < A @ 8", "Other < A @ 9", "C < A @ 10", "S"];
    assert_eq!(told(&tree), expected);
    let gone = &tree.families[0].timelines[2];
    assert_eq!((&gone.gone, gone.messages, gone.how), (&Some(Gone::Named), 12, How::Record));
    assert_eq!(gone.at(), Some(7));
}

#[test]
fn a_parent_that_was_renamed_is_found_by_its_messages() {
    let all = [
        read("New name", &header(""), &lines(0..20)),
        child_of("A", "Old name", (0..9).chain(100..105)),
    ];
    let tree = tree_of(&all);
    assert_eq!(told(&tree), ["New name", "A < New name @ 9"]);
    assert_eq!(marks(&tree, "A"), ["parentGone"]);
    assert_eq!(tree.families[0].timelines[1].how, How::Content);
}

#[test]
fn a_thousand_equal_chats_are_a_thousand_rows() {
    let all: Vec<Trace> =
        (0..1_000).map(|n| read(&format!("Copy {n}"), &header(""), &lines(0..50))).collect();
    let tree = tree_of(&all);
    let [family] = tree.families.as_slice() else { panic!("one story") };
    assert_eq!(family.timelines.len(), 1_000);
    let named: Vec<&str> = family.timelines[..3].iter().map(|one| one.chat.name.as_str()).collect();
    assert_eq!(named, ["Copy 0", "Copy 1", "Copy 2"]);
    assert!(family.timelines[1..].iter().all(|one| one.shared == 50 && one.own() == 0));
    assert_eq!(marks(&tree, "Copy 7"), ["equal"]);
    assert_eq!(family.picture(View::default()).rows.len(), 1_001);
}

#[test]
fn a_header_that_cannot_be_read_keeps_nobody_out() {
    let all = [read("A", "{ not", &lines(0..9)), read("B", &header(""), &lines(0..12))];
    let tree = tree_of(&all);
    assert_eq!(told(&tree), ["B", "A < B @ 9"]);
    assert_eq!(marks(&tree, "A"), ["unreadable"]);
    assert!(!tree.families[0].timelines[1].is_well());
    let empty = [read("A", "", &[]), read("B", "", &[])];
    assert_eq!(told(&tree_of(&empty)), ["A", "B"]);
}

#[test]
fn two_chats_with_one_record_are_two() {
    let made = [
        Made { name: "S".into(), parent: None, shared: 0, ids: (0..20).collect() },
        Made { name: "B".into(), parent: Some(0), shared: 8, ids: (0..8).chain(50..53).collect() },
    ];
    let mut all = traces(&made, Known::Records, &mut Chance::new(0));
    // Copied in a file manager.
    let mut copy = all[1].clone();
    copy.chat.name = "B (copy)".into();
    all.push(copy);
    let tree = tree_of(&all);
    assert_eq!(told(&tree), ["S", "B < S @ 8", "B (copy) < S @ 8"]);
    assert_eq!(marks(&tree, "B (copy)"), ["twin"]);
}

#[test]
fn another_swipe_and_edited_messages() {
    let parent: Vec<String> = lines(0..20);
    // Another swipe of message 9 has another date.
    let mut child = lines(0..9);
    child.push(message(999, true, ""));
    child.extend(lines(50..53));
    // Somebody edited message 3 there since.
    child[3] = child[3].replace("message 3", "something else");
    let record = r#""main_chat":"S","integrity":"s","lorefork":{"v":1,"id":"i","kind":"branch","chat":"B","slug":"s","parent":{"chat":"S","slug":null,"id":null},"at":9,"base":null,"lore":{"source":"live","quality":"exact","from":null,"of":null,"hash":null}}"#;
    let all = [read("S", &header(""), &parent), read("B", &header(record), &child)];
    let tree = tree_of(&all);
    assert_eq!(told(&tree), ["S", "B < S @ 9"], "message 9 is its own");
    assert_eq!(marks(&tree, "B"), [""; 0]);
    // Messages that were deleted from the parent: the record still knows.
    let mut shorter = parent.clone();
    shorter.remove(2);
    let all = [read("S", &header(""), &shorter), read("B", &header(record), &child)];
    let tree = tree_of(&all);
    assert_eq!(told(&tree), ["S", "B < S @ 10"]);
    assert_eq!(marks(&tree, "B"), ["differs"]);
    // And one that lost its end.
    let all = [read("S", &header(""), &parent[..5]), read("B", &header(record), &child)];
    assert_eq!(told(&tree_of(&all)), ["S", "B < S @ 5"]);
}

#[test]
fn a_link_in_a_message_is_enough_and_copies_of_it_do_not_mislead() {
    let mut main = lines(0..20);
    main[5] = message(5, true, r#""bookmark_link":"Kept""#);
    let mut branch = main[..10].to_vec();
    branch.extend(lines(100..110));
    // Its header lost its parent; both others have the link, the main chat is meant.
    let kept = read("Kept", &header(""), &lines(0..6));
    let all = [
        read("S", &header(""), &main),
        read("S - Branch #1", &header(r#""main_chat":"S""#), &branch),
        kept,
    ];
    let tree = tree_of(&all);
    assert_eq!(told(&tree), ["S", "Kept < S @ 6", "S - Branch #1 < S @ 10"]);
    let kept = &tree.families[0].timelines[1];
    assert_eq!((kept.how, kept.kind.word()), (How::Link, "checkpoint"));
}
