//! Shared lorebooks come apart before all other repairs: that cures more than it was asked for, so
//! whoever planned it looks again.

use crate::audit::problem::{Action, Problem};
use crate::audit::untangle::{self, Family, Plan, family_of};
use crate::error::{Code, Error};
use crate::host::Host;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::place::ChatRef;

/// The timelines of one family that share a lorebook, if that is the problem.
pub fn sharing(problem: &Problem) -> Option<&[ChatRef]> {
    match &problem.fix.action {
        Action::Untangle { chats } => Some(chats),
        _ => None,
    }
}

/// How a shared lorebook would come apart, or why it is left to the user. Reads only.
pub async fn plan<H: Host>(host: &H, problem: &Problem) -> Result<Plan, Sentence> {
    let planned = async { untangle::plan(host, &family(host, problem).await?).await };
    planned.await.map_err(|error| error.in_full())
}

async fn family<H: Host>(host: &H, problem: &Problem) -> Result<Family, Error> {
    let chats = sharing(problem).unwrap_or_default();
    let found = match chats.first() {
        Some(first) => family_of(host, first).await?,
        None => None,
    };
    let Some(Family { lorebook, .. }) = found else {
        let message = say!("The chat names no lorebook any more");
        return Err(Error::new(Code::ChangedMeanwhile, message, say!("Check again.")));
    };
    Ok(Family { lorebook, chats: chats.to_vec() })
}
