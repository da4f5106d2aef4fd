//! What may happen in a story. Each can be switched by itself, so that it can be seen which one
//! breaks what.

/// All switches. A story is played from its seed and these alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Features {
    /// Everything happens much closer together than people play (`Pace`).
    pub is_dense: bool,
    /// SillyTavern makes checkpoints and branches, which go on writing to their parent's lorebook.
    pub shared: bool,
    /// Somebody edits the lorebook between two messages.
    pub hands: bool,
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

/// How much happens in how many messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Messages of a session, which a scene may end.
    pub session: (usize, usize),
    /// Entries that a scene makes or adds to.
    pub works: (usize, usize),
    /// Of a hundred messages: how many are followed by an edit by hand.
    pub hands: usize,
    /// The same of scenes, and of sessions after which a timeline is opened for nothing but an edit.
    pub hands_besides: usize,
}

impl Features {
    /// As people play: scenes of 10 to 40 messages, and an edit by hand once in fifty. Auto-Recap makes or
    /// adds to about eight entries in ten messages; half
    /// of that is enough here. The dense pace has as much in a tenth of the messages, so that everything
    /// meets everything: it is the harder judge of what must never be wrong.
    pub(super) fn pace(&self) -> Pace {
        match self.is_dense {
            false => Pace { session: (10, 40), works: (3, 8), hands: 2, hands_besides: 10 },
            true => Pace { session: (2, 7), works: (1, 4), hands: 8, hands_besides: 20 },
        }
    }

    pub fn dense(self) -> Self {
        Self { is_dense: true, ..self }
    }

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
