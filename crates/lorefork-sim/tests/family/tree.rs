//! Who comes from whom, in families that are made up.

use std::collections::{BTreeMap, BTreeSet};

use lorefork::family::{How, Timeline, Tree};
use lorefork_sim::Chance;

use crate::made::{Known, Made, families, traces, tree_of};

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
