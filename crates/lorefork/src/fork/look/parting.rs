//! Where a timeline and its parent part: the parent's memories up to there are its own.

use super::Look;
use super::checkpoint::said;
use crate::host::{ChatView, Host, HostError};
use crate::memory::ranges;
use crate::tavern::chat::Header;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::place::ChatRef;
use crate::timeline::record::Record;

/// The last message that both tell, by the record; without one, all of them may.
pub(super) fn recorded(header: &Header<'_>, chat: &ChatRef) -> i64 {
    let at = Record::own(header, &chat.name).map(|record| record.at);
    at.and_then(|at| i64::try_from(at).ok()).unwrap_or(i64::MAX)
}

/// The same, looked for in the parent of a timeline without a record, if the lorebook holds memories of
/// the parent: those after it never happened here. `None` if nobody knows.
pub(super) async fn find_parting<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    live: Option<&Lorebook<'_>>,
) -> Option<i64> {
    let (Some(parent), Some(i64::MAX)) = (look.header().main_chat(), look.parting) else {
        return look.parting;
    };
    if !live.is_some_and(|live| ranges::tells_of(live, &parent, look.at)) {
        return look.parting;
    }
    let parent = host.open(&look.view.chat().sibling(parent)).await;
    // One that is gone or damaged proves nothing: its memories are another chat's.
    parent.and_then(|parent| last_in_common(&parent, &look.view)).ok()
}

fn last_in_common<C: ChatView>(a: &C, b: &C) -> Result<i64, HostError> {
    for message in 0..a.len().min(b.len()) {
        let (theirs, ours) = (a.line(message)?, b.line(message)?);
        if theirs != ours && said(&theirs) != said(&ours) {
            return Ok(message as i64 - 1);
        }
    }
    Ok(a.len().min(b.len()) as i64 - 1)
}
