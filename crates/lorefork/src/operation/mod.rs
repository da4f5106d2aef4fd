//! Operations: what is intended before the first write, what was done, and how a crash is healed.
//!
//! As data and rules; hosts only store and return texts.

pub mod ahead;
pub mod change;
mod dangling;
mod intent;
mod kind;
pub(crate) mod link;
pub mod log;
pub(crate) mod order;
pub mod record;
pub mod recover;
pub mod salvage;
pub(crate) mod staging;
mod state;
pub(crate) mod title;
pub mod trash;
pub mod undo;

pub use intent::{Intent, LinkIntent, Made, NewFile, hash};
pub use kind::What;
