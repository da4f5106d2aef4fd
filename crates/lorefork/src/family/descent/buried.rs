//! Timelines that were deleted and are not in the trash: those who shared their lorebook keep that they
//! were.

use std::collections::BTreeMap;

use super::{Finding, How, kind_by_name};
use crate::family::trace::Place;

impl Finding<'_> {
    /// Each stands below the one that had most in common with it. Whoever shared no more than a
    /// greeting was of another story.
    pub(super) fn buried(&mut self) {
        let is_known = |name: &str| {
            self.traces.iter().any(|trace| trace.chat.name == name)
                || self.ghosts.iter().any(|ghost| ghost.name == name)
        };
        // Of each, who tells of it, how much they had in common, and how long it was.
        let mut found: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
        for (n, trace) in self.traces.iter().enumerate() {
            let head = trace.head.as_ref().ok().filter(|_| trace.place == Place::Here);
            for one in head.into_iter().flat_map(|head| &head.buried) {
                let same = one.same.min(trace.length());
                if !self.is_story(n, same) || self.is_carried(n, &one.name) || is_known(&one.name) {
                    continue;
                }
                let known = found.entry(&one.name).or_insert((n, same, one.length));
                if same > known.1 {
                    (known.0, known.1) = (n, same);
                }
                known.2 = known.2.max(one.length);
            }
        }
        for (name, (teller, same, length)) in found {
            let parent = self.eldest(teller, same);
            let ghost = self.add_ghost(name.to_owned());
            self.ghosts[ghost].length = length;
            let place = &mut self.places[self.traces.len() + ghost];
            (place.parent, place.how, place.shared) = (Some(parent), How::Record, same);
            place.kind = kind_by_name(name);
        }
    }

    /// Whether its parent tells of it, too: a fork carries along what its parent knew, however early it
    /// parted.
    fn is_carried(&self, n: usize, name: &str) -> bool {
        let parent = self.places[n].parent.and_then(|parent| self.traces.get(parent));
        let head = parent.and_then(|parent| parent.head.as_ref().ok());
        head.is_some_and(|head| head.buried.iter().any(|one| one.name == name))
    }

    /// Whether the user has written something in so many messages, as far as anybody knows.
    fn is_story(&self, n: usize, same: usize) -> bool {
        match self.traces[n].first_user {
            Some(first) => first < same,
            None => same > 1 && !self.traces[n].is_read(),
        }
    }

    /// The eldest that has all of these messages.
    fn eldest(&self, n: usize, same: usize) -> usize {
        let mut found = n;
        while let Some(elder) = self.places[found].parent.filter(|elder| *elder < self.traces.len())
        {
            let common = self.seen(found, elder).or(self.claimed[found]);
            if common.is_none_or(|common| common < same) {
                break;
            }
            found = elder;
        }
        found
    }
}
