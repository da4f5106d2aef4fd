//! Operations: what is intended before the first write, what was done, and how a crash is healed.
//!
//! As data and rules; hosts only store and return texts.

mod intent;
pub mod recover;

pub use intent::{Change, Intent, LinkIntent, NewFile, What, hash};
