//! The requirements, one by one, on a small story: `docs/requirements.md` maps each number here.
//!
//! The story has eleven messages. Scenes end at 2, 5 and 8; the dragon is alive after the first,
//! dies in the second; the third buries him. The lorebook is as it was left after the third.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod flow;
mod guests;
mod imitated;
mod interrupted;
mod isolation;
mod living;
mod memories;
mod mending;
mod preconditions;
mod regressions;
mod rewinding;
mod story;
mod taking_back;
mod used_by_others;
