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
    /// Models that put new words before the old ones, or write all of it anew.
    pub merged_anew: bool,
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
    /// Sessions of the story before anything is made of it, and in all its timelines after that.
    pub opening: (usize, usize),
    pub sessions: (usize, usize),
    /// Messages of a session, which a scene may end.
    pub session: (usize, usize),
    /// Entries that a scene makes or adds to.
    pub works: (usize, usize),
    /// Every how many new entries a model words otherwise than its recap.
    pub reworded_each: usize,
    /// Of a hundred merges: how many do not put the new words behind the old ones.
    pub merged_anew: usize,
    /// Of a hundred stories with old formats of snapshots: how many begin in them.
    pub begins_early: usize,
    /// Of a hundred messages: how many are followed by an edit by hand.
    pub hands: usize,
    /// The same of scenes, and of sessions after which a timeline is opened for nothing but an edit.
    pub hands_besides: usize,
}

impl Features {
    /// As people play: stories of some hundred messages, scenes of 10 to 40, and an edit by hand once in
    /// fifty messages. What a real
    /// Auto-Recap wrote in 41 messages is where the rest comes from: each scene of ten messages made five
    /// to eight entries, the first one ten, all in the very words of its recap, and merged into one to
    /// three; half of that is enough here. How a model merges is up to the model. The dense pace has as
    /// much in a tenth of the messages, so that everything meets everything: it is the harder judge of
    /// what must never be wrong.
    pub(super) fn pace(&self) -> Pace {
        match self.is_dense {
            false => Pace {
                opening: (3, 8),
                sessions: (8, 20),
                session: (10, 40),
                works: (8, 20),
                reworded_each: 20,
                merged_anew: 50,
                begins_early: 20,
                hands: 2,
                hands_besides: 10,
            },
            true => Pace {
                opening: (1, 3),
                sessions: (3, 9),
                session: (2, 7),
                works: (1, 4),
                reworded_each: 2,
                merged_anew: 25,
                begins_early: 100,
                hands: 8,
                hands_besides: 20,
            },
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
            merged_anew: true,
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
            ("merged anew", Self { merged_anew: true, ..to }),
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

    /// The same, each switch taken from a story of this kind.
    pub fn without_one(of: Self) -> Vec<(&'static str, Self)> {
        vec![
            ("no hands", Self { hands: false, ..of }),
            ("no hands after scenes", Self { hands_after_scenes: false, ..of }),
            ("no hands without messages", Self { hands_without_messages: false, ..of }),
            (
                "no hands at all",
                Self {
                    hands: false,
                    hands_after_scenes: false,
                    hands_without_messages: false,
                    ..of
                },
            ),
            ("none merged anew", Self { merged_anew: false, ..of }),
            ("no empty snapshots", Self { empty_snapshots: false, ..of }),
            ("no missing snapshots", Self { missing_snapshots: false, ..of }),
            ("all listed", Self { unlisted: false, ..of }),
            ("no eras", Self { eras: false, ..of }),
            ("no late lines", Self { late_lines: false, ..of }),
            ("no late events", Self { late_events: false, ..of }),
            ("no late combining", Self { late_combining: false, ..of }),
            ("none recapped anew", Self { recapped_anew: false, ..of }),
            ("no swiped scenes", Self { swiped_scenes: false, ..of }),
            ("no MemoryBooks", Self { memory_books: false, ..of }),
            ("no forks of ours", Self { our_forks: false, ..of }),
            ("none isolated", Self { isolated: false, ..of }),
            ("none deleted", Self { deleted_by_us: false, deleted_seen: false, ..of }),
        ]
    }
}
