//! Formats that memory extensions own.
//!
//! Such an extension keeps what a story's world knows in the chat's lorebook, its messages and its
//! metadata. A new one gets a room of its own here and a name in [`Memory`].

pub mod memorybooks;
pub mod recap;

/// A memory extension whose data we understand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Memory {
    AutoRecap,
    MemoryBooks,
}
