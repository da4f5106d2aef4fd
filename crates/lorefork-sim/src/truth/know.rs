//! What is true, and what of it can be known.
//!
//! An entry can be decided for a timeline if two of the timeline's own snapshots, the last one
//! before it went its own way and the last one after, show the entry as it truly was, there or not
//! there, and everything that was written to it since the first of them is recorded: a scene lists
//! it, or nobody else was playing between the snapshots around it.

use super::play::{Message, Played, Scene};
use super::{Lore, Truth};
use lorefork::tavern::place::{ChatRef, Owner};

pub(super) fn truth(played: &Played) -> Vec<Truth> {
    (0..played.lines.len()).map(|line| truth_of(played, line)).collect()
}

fn truth_of(played: &Played, line: usize) -> Truth {
    let own = &played.lines[line];
    let births: std::collections::BTreeSet<usize> =
        played.writes.iter().map(|write| write.birth).collect();
    let snapshots: Vec<(usize, &Scene)> =
        own.messages.iter().enumerate().filter_map(snapshot).collect();
    let shown = |scene: &Scene, birth: usize| {
        let book = scene.book.as_ref().expect("a scene with a snapshot");
        book.entries.values().find(|entry| entry.birth == birth).map(|entry| entry.lore.clone())
    };
    let is_recorded = |birth: usize| {
        played.book.entries.values().any(|entry| entry.birth == birth)
            || snapshots.iter().any(|(_, scene)| shown(scene, birth).is_some())
    };
    let fork = went_its_own_way(played, line);
    let before = snapshots.iter().rev().find(|(at, _)| *at <= fork);
    let after = snapshots.iter().rev().find(|(at, _)| *at > fork);
    let decidable = births.iter().copied().filter(|birth| {
        let (Some((_, before)), Some((_, after))) = (before, after) else { return false };
        let at_fork: Option<&Lore> = own.messages[fork].truth.get(birth);
        shown(before, *birth).as_ref() == at_fork
            && shown(after, *birth).as_ref() == own.book.get(birth)
            && played
                .writes
                .iter()
                .filter(|write| write.birth == *birth && write.time > before.time)
                .all(|write| write.listed || nobody_else_played(played, write.time, write.line))
    });
    let decidable: Vec<usize> = decidable.collect();
    Truth {
        chat: ChatRef::new(Owner::Character("Isle".to_owned()), own.name.clone()),
        book: own.book.clone(),
        decidable,
        recorded: births.iter().copied().filter(|birth| is_recorded(*birth)).collect(),
        waiting: played
            .queue
            .iter()
            .filter(|operation| {
                own.messages.get(operation.at).is_some_and(|own| own.id == operation.message)
            })
            .map(|operation| operation.id.clone())
            .collect(),
    }
}

fn snapshot((at, message): (usize, &Message)) -> Option<(usize, &Scene)> {
    Some((at, message.scene.as_ref().filter(|scene| scene.book.is_some())?))
}

/// The last message that a timeline shares with another: a fork's own fork point, and for a main
/// chat the first that was made of it.
fn went_its_own_way(played: &Played, line: usize) -> usize {
    let own = &played.lines[line];
    let of_it =
        played.lines.iter().filter(|other| other.parent == Some(line)).map(|other| other.fork);
    match own.parent {
        Some(_) => own.fork,
        None => of_it.min().unwrap_or_default(),
    }
}

/// Whether only `line` was played between the two snapshots around `time`, of whomever.
fn nobody_else_played(played: &Played, time: u64, line: usize) -> bool {
    let scenes = || {
        played.lines.iter().enumerate().flat_map(|(index, own)| {
            own.messages
                .iter()
                .enumerate()
                .filter_map(snapshot)
                .map(move |(_, scene)| (index, scene.time))
        })
    };
    let before = scenes().map(|(_, taken)| taken).filter(|taken| *taken < time).max();
    let after = scenes().map(|(_, taken)| taken).filter(|taken| *taken >= time).min();
    let (start, end) = (before.unwrap_or(0), after.unwrap_or(u64::MAX));
    let holders = |id: usize| {
        let holds = |own: &super::play::Line| own.messages.iter().any(|message| message.id == id);
        played.lines.iter().map(holds).collect::<Vec<bool>>()
    };
    // All that happened between is in this timeline's story and in no other's.
    let is_its_own = |message: &Message| {
        let held = holders(message.id);
        held[line] && held.iter().filter(|held| **held).count() == 1
    };
    let at_ends = |message: &&Message| {
        message.scene.as_ref().is_some_and(|scene| {
            scene.book.is_some() && (Some(scene.time) == before || Some(scene.time) == after)
        })
    };
    let all = || played.lines.iter().flat_map(|own| &own.messages);
    all().filter(|message| start < message.date && message.date <= end).all(is_its_own)
        && all().filter(at_ends).all(is_its_own)
}
