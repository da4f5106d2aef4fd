//! Formats that memory extensions own.
//!
//! Such an extension keeps what a story's world knows in the chat's lorebook, its messages and its
//! metadata. A new one gets a room of its own here and a name in [`Memory`]. Those whose state is only
//! kept from harm are [`guests`].

pub mod fingerprint;
pub mod guests;
pub mod memorybooks;
pub mod recap;

use crate::memory::recap::running::Running;
use crate::memory::recap::scene::Scene;
use crate::tavern::lorebook::Lorebook;

/// A memory extension whose data we understand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Memory {
    /// Scenes with recaps, registries and snapshots.
    AutoRecap,
    /// Entries that each tell a range of messages.
    MemoryBooks,
}

/// Which of them have recorded something of this story. Auto-Recap's registries and queue alone are
/// only what it puts into every lorebook it meets.
pub fn found(
    scenes: &[Scene],
    running: Option<&Running>,
    book: Option<&Lorebook<'_>>,
    chats: &[memorybooks::Told],
) -> Vec<Memory> {
    let mut memories = Vec::new();
    if scenes.iter().any(|scene| scene.is_break || scene.is_evidence)
        || running.is_some_and(|running| !running.versions.is_empty())
    {
        memories.push(Memory::AutoRecap);
    }
    if book.is_some_and(|book| memorybooks::has_ranges(book, chats)) {
        memories.push(Memory::MemoryBooks);
    }
    memories
}
