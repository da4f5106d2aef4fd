//! What is true, and what of it can be known.
//!
//! A timeline with snapshots of its own before and after it went its own way can decide an entry if
//! whose every write to it was is recorded. It is if
//!
//! - a scene with a snapshot lists the entry, or
//! - all that was played between the two pictures around the write, theirs included, is of this
//!   timeline's story, or nothing of it is.
//!
//! It then does not matter whether its later snapshots show the entry: they show the shared book.
//!
//! What is not decidable, and why:
//! - what a timeline wrote into an entry after another had: the text holds both, and nothing tells
//!   the parts from each other;
//! - what it wrote and another wrote over before any picture was taken: its own text is nowhere;
//! - entries made, edited or removed by hand, entries of events, and scenes without a snapshot, while
//!   others played between the same two pictures: nothing says who it was;
//! - entries that no picture and not the live book shows.

use std::collections::BTreeSet;

use super::Truth;
use super::played::{Line, Message, Played, Scene, Write};
use lorefork::tavern::place::{ChatRef, Owner};

pub(super) fn truth(played: &Played) -> Vec<Truth> {
    played.alive().map(|(line, _)| truth_of(played, line)).collect()
}

fn truth_of(played: &Played, line: usize) -> Truth {
    let own = &played.lines[line];
    let births: BTreeSet<usize> = played.writes.iter().map(|write| write.birth).collect();
    let is_live = |birth: usize| played.book(line).uid_of(birth).is_some();
    let is_recorded =
        |birth: usize| is_live(birth) || pictures(own).any(|(_, scene)| shows(scene, birth));
    let is_anywhere = |birth: usize| {
        let mut all = played.lines.iter().flat_map(pictures);
        is_live(birth) || all.any(|(_, scene)| shows(scene, birth))
    };
    let fork = went_its_own_way(played, line);
    let has_both =
        pictures(own).any(|(at, _)| at <= fork) && pictures(own).any(|(at, _)| at > fork);
    let is_decidable =
        |birth: usize| has_both && is_anywhere(birth) && can_be_decided(played, line, birth);
    Truth {
        chat: ChatRef::new(Owner::Character("Isle".to_owned()), own.name.clone()),
        book: own.now.book.clone(),
        decidable: births.iter().copied().filter(|birth| is_decidable(*birth)).collect(),
        recorded: births.iter().copied().filter(|birth| is_recorded(*birth)).collect(),
        waiting: played
            .queue
            .iter()
            .filter(|operation| {
                own.messages.get(operation.at).is_some_and(|own| own.id == operation.message)
            })
            .map(|operation| operation.id.clone())
            .collect(),
        is_alone: is_alone(played, own.writes_to),
        in_last_snapshot: pictures(own).last().map(|(_, scene)| scene.births()).unwrap_or_default(),
        shown: shown_by(played, own.writes_to),
        moments: own.messages.iter().map(|message| message.truth.clone()).collect(),
    }
}

/// Births that its lorebook shows, or a snapshot of it: of who uses it, or of who did, until then.
fn shown_by(played: &Played, book: usize) -> BTreeSet<usize> {
    let until = |line: &Line| match &line.own {
        _ if line.writes_to == book => Some(u64::MAX),
        Some(own) if own.is_isolated && own.of == book => Some(own.time),
        _ => None,
    };
    let users = played.alive().filter_map(|(_, line)| Some((line, until(line)?)));
    let scenes = users.flat_map(|(line, until)| {
        line.scenes().map(|(_, scene)| scene).filter(move |scene| scene.time < until)
    });
    let births = scenes.flat_map(Scene::births);
    let live = played.books[book].entries.values().map(|entry| entry.birth);
    births.chain(live).collect()
}

/// Whether only one timeline ever wrote to a lorebook, and to the one that it was made of.
fn is_alone(played: &Played, book: usize) -> bool {
    let made = |line: &&Line| line.own.is_some() && line.writes_to == book;
    let made = played.lines.iter().find(made).and_then(|line| line.own.as_ref());
    let has_left =
        |line: &Line| line.own.as_ref().is_some_and(|own| own.is_isolated && own.of == book);
    let users = played.lines.iter().filter(|line| line.writes_to == book || has_left(line));
    users.count() == 1 && made.is_none_or(|made| is_alone(played, made.of))
}

fn can_be_decided(played: &Played, line: usize, birth: usize) -> bool {
    let writes: Vec<&Write> = played.writes.iter().filter(|write| write.birth == birth).collect();
    let is_known =
        |write: &&Write| write.listed || is_one_sided(played, write.time, &played.lines[line]);
    if !writes.iter().all(is_known) {
        return false;
    }
    let is_left = played.lines[line].now.book.contains_key(&birth);
    let times = || played.lines.iter().flat_map(pictures).map(|(_, scene)| scene.time);
    writes.windows(2).all(|pair| {
        let (before, after) = (pair[0], pair[1]);
        match (is_of(played, line, before), is_of(played, line, after)) {
            // Built on another's text.
            (false, true) => !is_left,
            // Its own text must have been seen before another wrote over it.
            (true, false) => times().any(|time| before.time <= time && time < after.time),
            _ => true,
        }
    })
}

/// The messages of a timeline that took a snapshot.
fn pictures(line: &Line) -> impl Iterator<Item = (usize, &Scene)> {
    line.scenes().filter(|(_, scene)| scene.book.is_some())
}

fn shows(scene: &Scene, birth: usize) -> bool {
    scene.book.as_ref().is_some_and(|book| book.entries.values().any(|entry| entry.birth == birth))
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

fn holds(line: &Line, message: &Message) -> bool {
    line.messages.iter().any(|own| own.id == message.id)
}

/// Whether a write is of the timeline's story: it has the message the write came after.
fn is_of(played: &Played, line: usize, write: &Write) -> bool {
    let mut messages = played.lines[write.line].messages.iter();
    let last = messages.rfind(|message| message.date <= write.time);
    last.is_some_and(|last| holds(&played.lines[line], last))
}

/// Whether all that happened between the two snapshots around `time` is of this timeline's story,
/// or nothing of it.
fn is_one_sided(played: &Played, time: u64, own: &Line) -> bool {
    let taken = || played.lines.iter().flat_map(pictures).map(|(_, scene)| scene.time);
    let before = taken().filter(|taken| *taken < time).max();
    let after = taken().filter(|taken| *taken >= time).min();
    let (start, end) = (before.unwrap_or(0), after.unwrap_or(u64::MAX));
    let took_one = |message: &Message| {
        let scene = message.scene.as_ref().filter(|scene| scene.book.is_some());
        scene.is_some_and(|scene| Some(scene.time) == before || Some(scene.time) == after)
    };
    let mut sides = played
        .lines
        .iter()
        .flat_map(|line| &line.messages)
        .filter(|message| (start < message.date && message.date <= end) || took_one(message))
        .map(|message| holds(own, message));
    let Some(first) = sides.next() else { return true };
    sides.all(|side| side == first)
}
