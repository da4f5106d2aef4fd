//! Waiting work belongs to the timeline whose messages it is about.

use super::whose::Asked;
use crate::json::Json;
use crate::tavern::chat::Header;
use crate::tavern::entry::uid_text;

/// A place for each timeline of the family.
type Holders = Vec<bool>;

/// Which timelines an operation of the shared queue goes on in. Never none.
pub(super) fn holders(
    operation: Json<'_>,
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
    let made = operation.get("created_at").and_then(Json::number);
    if let Some((teller, at)) = made.and_then(|made| asked.film.last_played(made)) {
        narrow(&mut left, |index| asked.path(index).holds(teller, at));
    }
    let field = |key: &str| operation.get("params").and_then(|params| params.some(key));
    if let Some(id) = field("entryId").and_then(Json::str) {
        narrow(&mut left, |index| {
            let header = Header::read(&family[index].header).ok();
            header
                .is_some_and(|header| header.meta(&["autoLorebooks", "pendingOps", &id]).is_some())
        });
    }
    for key in ["entryUid", "resolvedUid", "entityId"] {
        if let Some(uid) = field(key).map(uid_text) {
            narrow(&mut left, |index| has_entry(index, &uid));
        }
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
fn messages_of(operation: Json<'_>) -> Vec<usize> {
    const PARAMS: [&str; 4] = ["index", "startIndex", "endIndex", "messageIndex"];
    const METADATA: [&str; 4] = ["scene_index", "message_index", "start_index", "end_index"];
    let mut found = Vec::new();
    for (place, keys) in [("params", PARAMS), ("metadata", METADATA)] {
        let Some(place) = operation.get(place) else { continue };
        found.extend(keys.iter().filter_map(|key| place.get(key)?.integer()));
        let lists = ["indexes", "discovered_breaks"].into_iter().filter_map(|key| place.get(key));
        found.extend(lists.flat_map(Json::items).filter_map(Json::integer));
    }
    found.into_iter().filter_map(|at| usize::try_from(at).ok()).collect()
}
