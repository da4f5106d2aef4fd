//! Removing: a timeline with the lorebook only it uses, and lorebooks of ours that lost theirs.
//! Removed means moved to the trash.

pub mod delete;
pub mod sweep;
