//! What may happen in a story. Each can be switched by itself, so that it can be seen which one
//! breaks what.

/// All switches. A story is played from its seed and these alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Features {
    /// SillyTavern makes checkpoints and branches, which go on writing to their parent's lorebook.
    pub shared: bool,
    /// Somebody edits the lorebook between two messages.
    pub hands: bool,
    /// That happens once in fifty messages, not once in a dozen.
    pub hands_are_rare: bool,
    /// The same right after a scene, before the next message.
    pub hands_after_scenes: bool,
    /// The same in a timeline that is opened for nothing else: no message tells of it.
    pub hands_without_messages: bool,
    /// Recapped scenes whose snapshot is empty.
    pub empty_snapshots: bool,
    /// Recapped scenes of which nothing but the recap is recorded.
    pub missing_snapshots: bool,
    /// Snapshots of the days before the list of a scene's entries was kept.
    pub unlisted: bool,
    /// The story begins in an old format of snapshots, and goes through those that followed.
    pub eras: bool,
    /// The last line of a registry comes after the snapshot.
    pub late_lines: bool,
    /// Entries of events come after the snapshot; most are named in the running recap.
    pub late_events: bool,
    /// Scenes that are recapped at once, and written into the lorebook only when somebody combines
    /// them, messages later.
    pub late_combining: bool,
    /// Scenes that are recapped and combined once more, at once or messages later.
    pub recapped_anew: bool,
    /// The same in another swipe.
    pub swiped_scenes: bool,
    /// MemoryBooks writes memories with ranges of messages into the same lorebook.
    pub memory_books: bool,
    /// We make some of the forks: with a lorebook of their own.
    pub our_forks: bool,
    /// We give a timeline its own lorebook, while others go on sharing.
    pub isolated: bool,
    /// We delete a timeline that has written.
    pub deleted_by_us: bool,
    /// SillyTavern deletes one, and we see it.
    pub deleted_seen: bool,
    /// SillyTavern deletes one unseen; its parent still links to it.
    pub deleted_linked: bool,
    /// SillyTavern deletes one that nothing links to.
    pub deleted_unlinked: bool,
    /// Whoever deletes a timeline, or sees it deleted, leaves a tombstone with those who shared with it.
    pub tombstones: bool,
}

impl Features {
    /// One chat, and scenes that record all.
    pub fn plain() -> Self {
        Self::default()
    }

    /// Timelines that write to one lorebook: what untangling was built and is judged with.
    pub fn tangled() -> Self {
        Self {
            shared: true,
            hands: true,
            empty_snapshots: true,
            unlisted: true,
            late_lines: true,
            late_events: true,
            ..Self::default()
        }
    }

    /// Whatever can happen to one chat that shares with nobody.
    pub fn clean() -> Self {
        Self {
            shared: false,
            hands_after_scenes: true,
            hands_without_messages: true,
            missing_snapshots: true,
            eras: true,
            late_combining: true,
            recapped_anew: true,
            swiped_scenes: true,
            memory_books: true,
            ..Self::tangled()
        }
    }

    /// All of it. Deletions leave what we leave of them.
    pub fn life() -> Self {
        Self {
            shared: true,
            our_forks: true,
            isolated: true,
            deleted_by_us: true,
            deleted_seen: true,
            tombstones: true,
            ..Self::clean()
        }
    }

    /// Each new switch by itself, with its name, added to a story of this kind.
    pub fn one_by_one(to: Self) -> Vec<(&'static str, Self)> {
        let mut all = vec![
            ("hands", Self { hands: true, ..to }),
            ("hands after scenes", Self { hands_after_scenes: true, ..to }),
            ("hands, no messages", Self { hands_without_messages: true, ..to }),
            ("empty snapshots", Self { empty_snapshots: true, ..to }),
            ("missing snapshots", Self { missing_snapshots: true, ..to }),
            ("unlisted", Self { unlisted: true, ..to }),
            ("eras", Self { eras: true, ..to }),
            ("late lines", Self { late_lines: true, ..to }),
            ("late events", Self { late_events: true, ..to }),
            ("late combining", Self { late_combining: true, ..to }),
            ("recapped anew", Self { recapped_anew: true, ..to }),
            ("swiped scenes", Self { swiped_scenes: true, ..to }),
            ("MemoryBooks", Self { memory_books: true, ..to }),
        ];
        if to.shared {
            all.extend([
                ("our forks", Self { our_forks: true, ..to }),
                ("isolated", Self { isolated: true, ..to }),
                ("deleted by us", Self { deleted_by_us: true, ..to }),
                ("deleted, seen", Self { deleted_seen: true, ..to }),
                ("tombstone", Self { deleted_by_us: true, tombstones: true, ..to }),
                ("deleted, linked", Self { deleted_linked: true, ..to }),
                ("deleted, unlinked", Self { deleted_unlinked: true, ..to }),
            ]);
        }
        all
    }
}
