//! Who comes from whom, in families that are made up.

use std::collections::{BTreeMap, BTreeSet};

use lorefork::family::{How, Mark, Timeline, Trace, Tree, View};
use lorefork_sim::Chance;

use crate::family::made::{Known, Made, families, traces, tree_of};

/// Each timeline by name, with its parent's name.
fn places(tree: &Tree) -> BTreeMap<String, (Timeline, Option<String>)> {
    let mut places = BTreeMap::new();
    for family in &tree.families {
        for one in &family.timelines {
            let parent = one.parent.map(|parent| family.timelines[parent].chat.name.clone());
            assert!(places.insert(one.chat.name.clone(), (one.clone(), parent)).is_none());
        }
    }
    places
}

fn root(made: &[Made], n: usize) -> usize {
    made[n].parent.map_or(n, |parent| root(made, parent))
}

#[test]
fn records_and_links_say_who_comes_from_whom_and_where() {
    for known in [Known::Records, Known::Links] {
        for seed in 0..60 {
            let mut chance = Chance::new(seed);
            let made = families(&mut chance, 1 + seed as usize % 25);
            let places = places(&tree_of(&traces(&made, known, &mut chance)));
            assert_eq!(places.len(), made.len());
            for one in &made {
                let (seen, parent) = &places[&one.name];
                let expected = one.parent.map(|parent| made[parent].name.clone());
                assert_eq!(*parent, expected, "seed {seed}, {}", one.name);
                assert_eq!(seen.shared, one.shared, "seed {seed}, {}", one.name);
                assert_eq!(seen.messages, one.ids.len());
                let how = if known == Known::Records { How::Record } else { How::Link };
                assert_eq!(seen.how, if one.parent.is_some() { how } else { How::Root });
            }
        }
    }
}

#[test]
fn without_them_messages_tell_who_belongs_together_and_where_they_part() {
    for known in [Known::Content, Known::Mixed] {
        for seed in 0..100 {
            let mut chance = Chance::new(seed);
            let made = families(&mut chance, 1 + seed as usize % 25);
            let tree = tree_of(&traces(&made, known, &mut chance));
            let all = places(&tree);
            assert_eq!(all.len(), made.len(), "no row is lost");
            let by_name: BTreeMap<&str, usize> =
                made.iter().enumerate().map(|(n, one)| (one.name.as_str(), n)).collect();
            for family in &tree.families {
                let roots: BTreeSet<usize> = family
                    .timelines
                    .iter()
                    .map(|one| root(&made, by_name[one.chat.name.as_str()]))
                    .collect();
                assert_eq!(roots.len(), 1, "seed {seed}: stories stay apart");
            }
            let stories = made.iter().filter(|one| one.parent.is_none()).count();
            assert_eq!(tree.families.len(), stories, "seed {seed}");
            for (name, (one, parent)) in &all {
                let Some(parent) = parent else { continue };
                let (own, theirs) =
                    (&made[by_name[name.as_str()]].ids, &made[by_name[parent.as_str()]].ids);
                let shared = own.iter().zip(theirs).take_while(|(a, b)| a == b).count();
                assert!(one.shared <= shared, "seed {seed}: {name} has what it is said to share");
                if one.how == How::Content {
                    assert_eq!(one.shared, shared, "seed {seed}: {name}");
                }
            }
        }
    }
}

#[test]
fn the_order_of_files_does_not_matter() {
    for seed in 0..40 {
        let mut chance = Chance::new(seed);
        let made = families(&mut chance, 20);
        let mut all = traces(&made, Known::Mixed, &mut chance);
        let told = |tree: &Tree| {
            let told = |family: &lorefork::family::Family| {
                family.json(&family.picture(lorefork::family::View::default()))
            };
            tree.families.iter().map(told).collect::<Vec<String>>()
        };
        let one = told(&tree_of(&all));
        all.reverse();
        assert_eq!(one, told(&tree_of(&all)), "seed {seed}");
        all.rotate_left(7);
        assert_eq!(one, told(&tree_of(&all)), "seed {seed}");
    }
}

/// As a server lists chats: headers and numbers of messages, but for the one that is open.
fn listed(mut all: Vec<Trace>, open: usize) -> Vec<Trace> {
    for (n, trace) in all.iter_mut().enumerate().filter(|(n, _)| *n != open) {
        trace.counted = Some(trace.messages.len());
        assert!(n != open && !trace.is_read());
        (trace.messages, trace.first_user) = (Vec::new(), None);
        (trace.links, trace.scenes) = (Vec::new(), Vec::new());
    }
    all
}

#[test]
fn records_of_chats_that_were_only_listed_say_the_same() {
    for seed in 0..60 {
        let mut chance = Chance::new(seed);
        let made = families(&mut chance, 1 + seed as usize % 25);
        let all = traces(&made, Known::Records, &mut chance);
        let places = places(&tree_of(&listed(all, seed as usize % made.len())));
        assert_eq!(places.len(), made.len());
        for one in &made {
            let (seen, parent) = &places[&one.name];
            assert_eq!(*parent, one.parent.map(|parent| made[parent].name.clone()));
            assert_eq!((seen.shared, seen.messages), (one.shared, one.ids.len()), "seed {seed}");
            assert!(seen.is_seen && seen.marks.is_empty(), "seed {seed}: {:?}", seen.marks);
        }
    }
}

#[test]
fn of_chats_that_were_only_listed_nothing_is_claimed_that_nobody_saw() {
    let mut unknown = 0;
    for known in [Known::Links, Known::Content, Known::Mixed] {
        for seed in 0..60 {
            let mut chance = Chance::new(seed);
            let made = families(&mut chance, 1 + seed as usize % 25);
            let open = seed as usize % made.len();
            let tree = tree_of(&listed(traces(&made, known, &mut chance), open));
            for family in &tree.families {
                let rows = family.picture(View::default()).rows;
                assert!(rows.len() >= family.timelines.len(), "seed {seed}: no row is lost");
            }
            let all = places(&tree);
            for (n, one) in made.iter().enumerate() {
                let (seen, parent) = &all[&one.name];
                assert_eq!(seen.messages, one.ids.len());
                let claims = |mark: &Mark| matches!(mark, Mark::Differs | Mark::Equal(_));
                assert!(!seen.marks.iter().any(claims), "seed {seed}: {:?}", seen.marks);
                if let Some(parent) = parent {
                    let is_it = one.parent.map(|parent| &made[parent].name) == Some(parent);
                    assert!(is_it, "seed {seed}: {} does not come from {parent}", one.name);
                    assert!(!seen.is_seen || seen.shared == one.shared, "seed {seed}");
                    // Of those that leave the open chat its messages tell where.
                    assert!(seen.is_seen || one.parent != Some(open) || known == Known::Mixed);
                    unknown += usize::from(seen.at().is_none() && n != open);
                }
            }
        }
    }
    assert!(unknown > 100, "some are not known: {unknown}");
}
