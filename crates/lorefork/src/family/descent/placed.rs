//! Who shares most with whom.

use super::common;
use crate::family::trace::Trace;
use crate::sorted;

/// Timelines that have their place, in the order of their messages: whoever shares most with another
/// stands next to it.
pub(super) struct Placed<'t> {
    traces: &'t [Trace],
    /// Positions of traces, and traces by position.
    position: Vec<usize>,
    sorted: Vec<usize>,
    /// Positions of those that have their place, in their order.
    taken: Vec<usize>,
}

impl<'t> Placed<'t> {
    pub(super) fn new(traces: &'t [Trace]) -> Self {
        let mut sorted: Vec<usize> = (0..traces.len()).collect();
        sorted::by(&mut sorted, |a, b| {
            let (one, other) = (&traces[*a], &traces[*b]);
            one.messages.cmp(&other.messages).then_with(|| one.chat.cmp(&other.chat))
        });
        let mut position = vec![0; traces.len()];
        for (at, n) in sorted.iter().enumerate() {
            position[*n] = at;
        }
        Self { traces, position, sorted, taken: Vec::new() }
    }

    pub(super) fn add(&mut self, n: usize) {
        sorted::insert(&mut self.taken, self.position[n]);
    }

    pub(super) fn add_all(&mut self, root: usize, children: &[Vec<usize>]) {
        let mut open = vec![root];
        while let Some(n) = open.pop() {
            self.add(n);
            open.extend(&children[n]);
        }
    }

    /// The one that shares most with these messages, and how many.
    pub(super) fn nearest(&self, messages: &[u64]) -> Option<(usize, usize)> {
        let of = |at: &usize| self.traces[self.sorted[*at]].messages.as_slice();
        let here = self.sorted.partition_point(|n| self.traces[*n].messages.as_slice() < messages);
        let (before, after) = self.taken.split_at(self.taken.partition_point(|at| *at < here));
        let found = before
            .last()
            .into_iter()
            .chain(after.first())
            .map(|at| (*at, common(of(at), messages)));
        found
            .max_by_key(|(at, shared)| (*shared, usize::MAX - at))
            .map(|(at, n)| (self.sorted[at], n))
    }
}
