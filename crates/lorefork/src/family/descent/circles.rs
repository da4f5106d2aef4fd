//! Parents that lead back to their child.

use super::{Finding, How, Mark};

impl Finding<'_> {
    /// A circle is opened at whoever is most likely the main one.
    pub(super) fn open_circles(&mut self) {
        // 0: not looked at, otherwise the round in which it was.
        let mut round = vec![0; self.places.len()];
        for start in 0..self.places.len() {
            let mut at = start;
            while round[at] == 0 {
                round[at] = start + 1;
                match self.places[at].parent {
                    Some(parent) => at = parent,
                    None => break,
                }
            }
            if round[at] != start + 1 || self.places[at].parent.is_none() {
                continue;
            }
            let mut circle = vec![at];
            let mut next = self.places[at].parent;
            while let Some(one) = next.filter(|one| *one != at) {
                circle.push(one);
                next = self.places[one].parent;
            }
            let Some(main) = circle.into_iter().min_by_key(|n| self.rank(*n)) else { continue };
            self.places[main].parent = None;
            self.places[main].how = How::Root;
            self.places[main].marks.push(Mark::Circle);
            self.claimed[main] = None;
        }
    }
}
