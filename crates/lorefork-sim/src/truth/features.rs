//! What may happen in a story. Each can be switched by itself, so that it can be seen which one
//! breaks what.

/// All switches. A story is played from its seed and these alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// SillyTavern makes checkpoints and branches, which go on writing to their parent's lorebook.
    pub shared: bool,
    /// Somebody edits the lorebook between two messages.
    pub hands: bool,
    /// Recapped scenes whose snapshot is empty.
    pub empty_snapshots: bool,
    /// Snapshots of the days before the list of a scene's entries was kept.
    pub unlisted: bool,
    /// The last line of a registry comes after the snapshot.
    pub late_lines: bool,
    /// Entries of events come after the snapshot; most are named in the running recap.
    pub late_events: bool,
}

impl Features {
    /// One chat, and scenes that record all.
    pub const fn plain() -> Self {
        Self {
            shared: false,
            hands: false,
            empty_snapshots: false,
            unlisted: false,
            late_lines: false,
            late_events: false,
        }
    }

    /// Timelines that write to one lorebook: what untangling was built and is judged with.
    pub const fn tangled() -> Self {
        Self {
            shared: true,
            hands: true,
            empty_snapshots: true,
            unlisted: true,
            late_lines: true,
            late_events: true,
        }
    }
}
