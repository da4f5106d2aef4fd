//! Pictures: nothing overlaps, nothing crosses, nobody is missing.

use std::collections::BTreeSet;

use lorefork::family::{Family, Picture, Stands, View};
use lorefork_sim::Chance;

use crate::family::made::{Known, Made, below, families, traces, tree_of};

/// Goes down the rows and looks which lanes are open.
fn check(family: &Family, picture: &Picture, about: &str) {
    let mut open: Vec<usize> = Vec::new();
    let mut reached: Vec<usize> = Vec::new();
    for (n, row) in picture.rows.iter().enumerate() {
        let at = format!("{about}, row {n}: {row:?}");
        assert!(row.lane < picture.lanes, "{at}");
        if let Some(run) = &row.run {
            let lane = row.from.unwrap_or(row.lane);
            assert_eq!(run.lane, lane, "{at}");
            reached[lane] += run.messages;
        }
        match row.stands {
            Stands::Start => {
                assert!(n == 0 && row.from.is_none(), "{at}");
                open.push(0);
                reached.push(0);
            }
            Stands::Tip => {
                assert_eq!(open.pop(), Some(row.lane), "only the last lane ends: {at}");
                let length = family.timelines[row.timeline].messages;
                assert_eq!(reached.pop(), Some(length), "{at}");
            }
            Stands::Fork | Stands::Leaf | Stands::Folded if n > 0 => {
                let from = row.from.unwrap();
                assert_eq!(open.last(), Some(&from), "it leaves the last lane: {at}");
                assert_eq!(row.lane, from + 1, "{at}");
                assert_eq!(reached[from], row.after, "{at}");
                if row.stands == Stands::Fork {
                    open.push(row.lane);
                    reached.push(row.after);
                }
            }
            _ => assert_eq!(picture.rows.len(), 1, "{at}"),
        }
    }
    assert_eq!(open, [] as [usize; 0], "{about}");
}

fn ends(picture: &Picture) -> Vec<usize> {
    let is_end = |stands| matches!(stands, Stands::Leaf | Stands::Tip);
    picture.rows.iter().filter(|row| is_end(row.stands)).map(|row| row.timeline).collect()
}

#[test]
fn every_timeline_ends_once_and_lanes_do_not_cross() {
    for seed in 0..150 {
        let mut chance = Chance::new(seed);
        let made = families(&mut chance, 1 + seed as usize % 40);
        for family in tree_of(&traces(&made, Known::Records, &mut chance)).families {
            for focus in [None, Some(below(&mut chance, family.timelines.len()))] {
                let view = View { focus, is_path: false, with_archived: true };
                let picture = family.picture(view);
                check(&family, &picture, &format!("seed {seed}, {focus:?}"));
                let ends = ends(&picture);
                assert_eq!(ends.len(), family.timelines.len());
                assert_eq!(ends.iter().collect::<BTreeSet<_>>().len(), ends.len());
                assert_eq!(picture, family.picture(view), "the same each time");
                // The main one goes straight down, unless somebody looks at another.
                if focus.is_none() && family.timelines.len() <= 6 {
                    assert!(picture.rows.last().is_some_and(|row| row.timeline == 0));
                }
                if let Some(focus) = focus {
                    let last = picture.rows.last().unwrap();
                    assert_eq!((last.timeline, last.lane), (focus, 0), "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn a_path_shows_what_leaves_it_and_counts_the_rest() {
    for seed in 0..100 {
        let mut chance = Chance::new(seed);
        let made = families(&mut chance, 30);
        for family in tree_of(&traces(&made, Known::Records, &mut chance)).families {
            let focus = below(&mut chance, family.timelines.len());
            let view = View { focus: Some(focus), is_path: true, with_archived: false };
            let picture = family.picture(view);
            check(&family, &picture, &format!("seed {seed}"));
            assert!(picture.lanes <= 2, "a path and what leaves it");
            let hidden: usize = picture.rows.iter().map(|row| row.hidden).sum();
            assert_eq!(ends(&picture).len() + hidden, family.timelines.len(), "seed {seed}");
        }
    }
}

#[test]
fn a_long_chain_of_branches_stays_narrow() {
    let mut made = vec![Made { name: "S".into(), parent: None, shared: 0, ids: (0..20).collect() }];
    for n in 1..300 {
        let from: &Made = &made[n - 1];
        let shared = from.ids.len() - 3;
        let mut ids = from.ids[..shared].to_vec();
        ids.extend(n * 100..n * 100 + 9);
        made.push(Made { name: format!("B{n}"), parent: Some(n - 1), shared, ids });
    }
    let mut chance = Chance::new(0);
    let tree = tree_of(&traces(&made, Known::Links, &mut chance));
    let [family] = tree.families.as_slice() else { panic!("one story") };
    let picture = family.picture(View::default());
    check(family, &picture, "chain");
    assert!(picture.lanes <= 2, "{}", picture.lanes);
    // And a bush of a thousand: never more than the logarithm.
    let made = families(&mut Chance::new(3), 400);
    for family in tree_of(&traces(&made, Known::Links, &mut chance)).families {
        let picture = family.picture(View::default());
        check(&family, &picture, "bush");
        assert!(picture.lanes <= 12, "{}", picture.lanes);
    }
}

#[test]
fn archived_ones_are_folded_away_unless_somebody_stands_there() {
    let made = [
        Made { name: "S".into(), parent: None, shared: 0, ids: (0..20).collect() },
        Made { name: "A".into(), parent: Some(0), shared: 8, ids: (0..8).chain(50..53).collect() },
        Made { name: "B".into(), parent: Some(0), shared: 8, ids: (0..8).chain(60..63).collect() },
        Made { name: "C".into(), parent: Some(0), shared: 9, ids: (0..9).chain(70..73).collect() },
    ];
    let mut tree = tree_of(&traces(&made, Known::Links, &mut Chance::new(0)));
    let family = &mut tree.families[0];
    for one in &mut family.timelines[1..3] {
        one.words.is_archived = true;
    }
    let picture = family.picture(View::default());
    check(family, &picture, "folded");
    let folded: Vec<usize> = picture
        .rows
        .iter()
        .filter(|row| row.stands == Stands::Folded)
        .map(|row| row.hidden)
        .collect();
    assert_eq!(folded, [2]);
    assert_eq!(ends(&picture), [3, 0]);
    let all = family.picture(View { with_archived: true, ..View::default() });
    assert_eq!(ends(&all), [1, 2, 3, 0]);
    let there = family.picture(View { focus: Some(1), ..View::default() });
    assert_eq!(ends(&there), [3, 0, 1], "B is folded, the main chat and C leave the path");
}
