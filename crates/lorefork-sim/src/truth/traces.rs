//! Changes that leave no trace: nobody could know whose they were, or that they were.

use super::played::{Gone, Played, Write};

/// How many there are in a story.
pub(super) fn without(played: &Played) -> usize {
    let shown = played.shown();
    let is_one = |write: &&Write| {
        let line = &played.lines[write.line];
        let is_forgotten = matches!(line.gone, Some(Gone::Linked | Gone::Unlinked));
        is_forgotten || !shown.contains(&write.birth) || (write.by_hand && !is_seen(played, write))
    };
    played.writes.iter().filter(is_one).count()
}

/// Whether an edit by hand is by somebody who can be suspected: who sent messages between the two
/// pictures around it, or took the first of them.
fn is_seen(played: &Played, write: &Write) -> bool {
    let name = &played.books[write.book].name;
    let pictures = || {
        let scenes = played.lines.iter().flat_map(|line| line.scenes()).map(|(_, scene)| scene);
        scenes.filter(|scene| scene.book.as_ref().is_some_and(|book| book.name == *name))
    };
    let before = pictures().filter(|scene| scene.time <= write.time).max_by_key(|scene| scene.time);
    let after = pictures().map(|scene| scene.time).filter(|time| *time > write.time).min();
    let (start, end) = (before.map_or(0, |scene| scene.time), after.unwrap_or(u64::MAX));
    let line = &played.lines[write.line];
    before.is_some_and(|scene| scene.line == write.line)
        || line.messages.iter().any(|message| start < message.date && message.date <= end)
}
