//! Operations: what is intended before the first write, what was done, and how a crash is healed.
//!
//! As data and rules; hosts only store and return texts.

pub mod ahead;
pub mod beside;
pub mod change;
pub(crate) mod desk;
mod intent;
mod leads;
pub mod log;
pub(crate) mod order;
pub mod record;
pub mod recover;
mod state;
pub(crate) mod title;
pub mod trash;
pub mod undo;
mod what;

pub use intent::{Change, Intent, LinkIntent, Made, NewFile, hash};
pub use what::What;
