//! What may be wrong at most, in thousandths. Ceilings only ever come down, to what each says it is
//! to be. They hold for the few stories of a usual run and for many; stories with changes that leave
//! no trace are counted apart, and have none.

use crate::tally::Tally;

/// In thousandths of forks, or of entries.
#[derive(Debug)]
pub(crate) struct Ceilings {
    /// Of forks: called exact, and not. To be 0.
    pub(crate) exact_wrong: usize,
    /// Of entries: claimed certain, and wrong. To be 0.
    pub(crate) certain_wrong: usize,
    /// Of entries: claimed certain, and only later messages know it. To be 0.
    pub(crate) certain_future: usize,
    /// Of entries: there, in some picture, and not in the answer. To be 0.
    pub(crate) lost: usize,
    /// The same, where only another timeline's own lorebook shows it. To be 0.
    pub(crate) shown_elsewhere: usize,
    /// Of entries. To be 5.
    pub(crate) recorded_wrong: usize,
    /// Of entries. To be 50 for clean chats, 100 for shared ones.
    pub(crate) undecided: usize,
    /// Of forks. To be 10.
    pub(crate) refused: usize,
    /// Of entries that registries should list. To be 0.
    pub(crate) unregistered: usize,
}

/// A chat that shares its lorebook with nobody, in stories as untangling knows them. Undecided is what
/// hands changed between two pictures, while the story went on there: nothing that is recorded says at
/// which message.
pub(crate) const CLEAN: Ceilings = Ceilings {
    exact_wrong: 0,
    certain_wrong: 0,
    certain_future: 0,
    lost: 0,
    shown_elsewhere: 0,
    recorded_wrong: 2,
    undecided: 50,
    refused: 0,
    unregistered: 1,
};

/// The same, where all happens close together. Where a hand and a scene wrote to one entry between two
/// pictures, the scene is taken for who wrote all of it.
pub(crate) const CLEAN_DENSE: Ceilings = Ceilings { recorded_wrong: 5, undecided: 100, ..CLEAN };

/// Timelines that share one, in the same stories.
pub(crate) const SHARED: Ceilings =
    Ceilings { recorded_wrong: 5, undecided: 100, unregistered: 10, ..CLEAN };
pub(crate) const SHARED_DENSE: Ceilings = Ceilings { undecided: 200, ..SHARED };

/// One chat, and all that can happen to it.
pub(crate) const LIFE_CLEAN: Ceilings = Ceilings { recorded_wrong: 5, ..CLEAN };
pub(crate) const LIFE_CLEAN_DENSE: Ceilings =
    Ceilings { recorded_wrong: 12, undecided: 220, unregistered: 4, ..CLEAN };

/// Timelines that share a lorebook, or did, and all that can happen to them.
pub(crate) const LIFE: Ceilings =
    Ceilings { undecided: 100, shown_elsewhere: 2, unregistered: 3, ..LIFE_CLEAN };
pub(crate) const LIFE_DENSE: Ceilings = Ceilings { recorded_wrong: 15, undecided: 360, ..LIFE };

impl Ceilings {
    pub(crate) fn hold(&self, tally: &Tally) {
        let (forks, entries) = (tally.forks, tally.entries());
        let all = [
            ("forks called exact and wrong", tally.exact_wrong, forks, self.exact_wrong),
            (
                "entries claimed certain and wrong",
                tally.certain_wrong(),
                entries,
                self.certain_wrong,
            ),
            ("certain entries of the future", tally.certain_future(), entries, self.certain_future),
            ("entries lost", tally.lost, entries, self.lost),
            ("entries shown elsewhere", tally.shown_elsewhere, entries, self.shown_elsewhere),
            ("entries recorded and wrong", tally.recorded_wrong(), entries, self.recorded_wrong),
            ("undecided entries", tally.undecided(), entries, self.undecided),
            ("forks refused", tally.refused, forks, self.refused),
            ("entries unregistered", tally.unregistered, tally.registered, self.unregistered),
        ];
        let over: Vec<String> = all
            .iter()
            .filter(|(_, count, of, ceiling)| count * 1000 > of * ceiling)
            .map(|(what, count, of, ceiling)| {
                format!("{what}: {count} of {of}, ceiling {ceiling} ‰")
            })
            .collect();
        assert!(over.is_empty(), "{}\n{}", over.join("\n"), tally.examples());
    }
}
