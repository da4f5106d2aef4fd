//! Waiting work belongs to the timeline whose messages it is about.

use super::whose::Asked;
use crate::memory::queues::{About, has_lookup};
use crate::tavern::chat::Header;

/// A place for each timeline of the family.
type Holders = Vec<bool>;

/// Which timelines an operation of the shared queue goes on in. Never none.
pub(super) fn holders(
    operation: &About,
    asked: &Asked<'_>,
    keeper: usize,
    has_entry: &dyn Fn(usize, &str) -> bool,
) -> Holders {
    let family = asked.family;
    let mut left: Holders = family.iter().map(|timeline| timeline.shares).collect();
    let messages = messages_of(operation);
    narrow(&mut left, |index| messages.iter().all(|at| *at < family[index].len));
    if !messages.is_empty() && !messages.iter().all(|at| family.iter().any(|t| *at < t.len)) {
        // Nobody has these messages; it stays where it is, for the audit to find.
        return only(keeper, family.len());
    }
    // The one that was played last when the operation was queued.
    if let Some((teller, at)) = operation.made.and_then(|made| asked.film.last_played(made)) {
        narrow(&mut left, |index| asked.path(index).holds(teller, at));
    }
    if let Some(id) = &operation.lookup {
        narrow(&mut left, |index| {
            Header::read(&family[index].header).is_ok_and(|header| has_lookup(&header, id))
        });
    }
    for uid in &operation.entries {
        narrow(&mut left, |index| has_entry(index, uid));
    }
    if left.contains(&true) { left } else { only(keeper, family.len()) }
}

fn only(index: usize, len: usize) -> Holders {
    (0..len).map(|other| other == index).collect()
}

/// Leaves those for whom it holds, if there are any.
fn narrow(left: &mut Holders, holds: impl Fn(usize) -> bool) {
    let narrowed: Holders =
        left.iter().enumerate().map(|(index, was)| *was && holds(index)).collect();
    if narrowed.contains(&true) {
        *left = narrowed;
    }
}

/// All messages that an operation refers to.
fn messages_of(operation: &About) -> Vec<usize> {
    let all = operation.messages.iter().chain(&operation.other_messages);
    all.filter_map(|at| usize::try_from(*at).ok()).collect()
}
