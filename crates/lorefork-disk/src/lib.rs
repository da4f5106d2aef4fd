//! Host over a SillyTavern data folder.
//!
//! [`Root`] finds the folder, [`select()`] the chat a person means, and [`DiskHost`] is what the
//! engine then asks. Chats are never loaded whole: [`DiskChat`] knows where the lines stand and
//! reads single ones; a fork's messages are copied by the kernel.
//!
//! # Limitations
//! A tab of SillyTavern holds its open chat, its groups and its settings in memory and writes them
//! back whole. From here nobody can see that; the engine makes the tab ask before it does.

mod audit;
pub mod card;
mod check;
mod clock;
mod error;
#[cfg(test)]
mod failing;
mod find;
mod fs;
mod headers;
mod host;
mod index;
mod inside;
mod list;
mod lock;
mod looked;
mod mark;
mod nearest;
mod operations;
mod packed;
mod parallel;
mod pieces;
mod select;
mod stamp;
mod trace_index;
mod traces;
mod trash;
mod view;
mod write;

pub use find::{FindError, Root, UserFolder};
pub use host::{DiskHost, Progress};
pub use lock::Claim;
pub use select::{SelectError, select};
pub use traces::Traces;
pub use view::DiskChat;
