//! How many messages each timeline has from its parent.

use super::{Finding, Mark};

impl Finding<'_> {
    /// How many messages each has from its parent.
    pub(super) fn fork_points(&mut self) {
        for n in 0..self.places.len() {
            let Some(parent) = self.places[n].parent else { continue };
            if n >= self.traces.len() {
                continue;
            }
            let (own, theirs) = (self.length(n), self.length(parent));
            let is_ghost = parent >= self.traces.len();
            let Some(common) = self.seen(n, parent) else {
                // Nobody looked at their messages: only what was said of them is known.
                let claimed = self.claimed[n];
                let most = if is_ghost { own } else { own.min(theirs) };
                self.places[n].shared = claimed.map_or(most, |claimed| claimed.min(most));
                self.places[n].is_seen = claimed.is_some();
                continue;
            };
            let mut differs = false;
            let shared = match self.claimed[n] {
                Some(claimed) if is_ghost => claimed.min(own),
                None if is_ghost => common,
                Some(claimed) if claimed <= common => claimed,
                // Another swipe of the last message; or a parent that lost its end since.
                Some(claimed) if common + 1 == claimed || common == theirs || common == own => {
                    common
                }
                Some(claimed) => {
                    differs = true;
                    claimed.min(own).min(theirs)
                }
                None => {
                    differs = common == 0 && own > 0 && theirs > 0;
                    common
                }
            };
            self.places[n].shared = shared;
            if differs {
                self.places[n].marks.push(Mark::Differs);
            } else if !is_ghost && own > 0 && common == own && own == theirs {
                let name = self.traces[parent].chat.name.clone();
                self.places[n].marks.push(Mark::Equal(name));
            }
        }
    }
}
