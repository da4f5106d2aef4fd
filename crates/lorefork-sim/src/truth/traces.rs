//! Changes that leave no trace: nobody could know whose they were, or that they were.

use super::Lore;
use super::played::{Era, Gone, Played, Write};

/// How many there are in a story.
pub(super) fn without(played: &Played) -> usize {
    let shown = played.shown();
    let is_one = |write: &&Write| {
        let line = &played.lines[write.line];
        let is_forgotten = matches!(line.gone, Some(Gone::Linked | Gone::Unlinked));
        is_forgotten
            || !shown.contains(&write.birth)
            || (write.by_hand && (!is_seen(played, write) || is_taken_back(played, write)))
    };
    played.writes.iter().filter(is_one).count()
}

/// Whether an edit by hand is by somebody who can be suspected: who sent messages between the two
/// pictures around it, or took the first of them. A lorebook that we made begins when it was made.
fn is_seen(played: &Played, write: &Write) -> bool {
    let name = &played.books[write.book].name;
    let pictures = || {
        let scenes = played.lines.iter().flat_map(|line| line.scenes()).map(|(_, scene)| scene);
        scenes.filter(|scene| scene.book.as_ref().is_some_and(|book| book.name == *name))
    };
    let before = pictures().filter(|scene| scene.time <= write.time).max_by_key(|scene| scene.time);
    let after = pictures().map(|scene| scene.time).filter(|time| *time > write.time).min();
    let made = played.lines.iter().filter(|line| line.writes_to == write.book);
    let made = made.filter_map(|line| line.own.as_ref().map(|own| own.time)).min();
    let start = before.map_or(0, |scene| scene.time).max(made.unwrap_or_default());
    let end = after.unwrap_or(u64::MAX);
    let line = &played.lines[write.line];
    // Who left the lorebook wrote nothing to it from then on, and the messages since do not say who
    // it was before.
    let left = line.own.as_ref().filter(|own| own.is_isolated && own.of == write.book);
    let end = end.min(left.map_or(u64::MAX, |own| own.time));
    before.is_some_and(|scene| scene.line == write.line)
        || line.messages.iter().any(|message| start < message.date && message.date <= end)
}

/// Whether an edit was undone before any picture was taken: all that is recorded is as if nothing
/// had been.
fn is_taken_back(played: &Played, write: &Write) -> bool {
    let name = &played.books[write.book].name;
    let scenes = played.lines.iter().flat_map(|line| line.scenes()).map(|(_, scene)| scene);
    let times: Vec<u64> = scenes
        .filter(|scene| scene.book.as_ref().is_some_and(|book| book.name == *name))
        .filter(|scene| match scene.era {
            Era::Activated => false,
            Era::OwnOnly => scene.births().contains(&write.birth),
            Era::Before | Era::After | Era::Listed => true,
        })
        .map(|scene| scene.time)
        .collect();
    let same = |other: &&Write| other.birth == write.birth && other.book == write.book;
    let all: Vec<&Write> = played.writes.iter().filter(same).collect();
    let Some(place) = all.iter().position(|other| std::ptr::eq(*other, write)) else {
        return false;
    };
    // What it was made of: a lorebook of ours begins with all that its timeline knew.
    let made = played.lines.iter().find(|line| line.writes_to == write.book);
    let made = made.and_then(|line| line.own.as_ref()).and_then(|own| {
        own.made.entries.values().find(|entry| entry.birth == write.birth).map(|entry| &entry.lore)
    });
    let before = place.checked_sub(1).map_or(made, |before| all[before].after.as_ref());
    let is_pictured = |until: u64| times.iter().any(|time| write.time <= *time && *time < until);
    let mut later = all[place + 1..].iter().take_while(|later| !is_pictured(later.time));
    let is_back = |now: Option<&Lore>| match (before, write.after.as_ref(), now) {
        (Some(before), Some(then), Some(now)) => {
            (before.disabled != then.disabled && before.disabled == now.disabled)
                || (before.content != then.content && before.content == now.content)
        }
        (before, then, now) => {
            before.is_some() != then.is_some() && before.is_some() == now.is_some()
        }
    };
    later.any(|later| is_back(later.after.as_ref()))
}
