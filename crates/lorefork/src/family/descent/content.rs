//! Relatives by the messages that both have, and parents that are gone.

use super::placed::Placed;
use super::{Descent, Finding, Ghost, How, Mark, children, kind_by_name};
use crate::sorted;
use crate::tavern::names;
use crate::timeline::record;

impl<'t> Finding<'t> {
    /// Where records and links are gone: whoever shares a beginning with another belongs to it. A
    /// greeting alone is no family, so the user must have written something in it.
    pub(super) fn by_content(&mut self) {
        let mut roots: Vec<usize> =
            (0..self.traces.len()).filter(|n| self.places[*n].parent.is_none()).collect();
        sorted::by_cached_key(&mut roots, |n| (self.missing[*n].is_some(), self.rank(*n)));
        let children = children(&self.places);
        let mut placed = Placed::new(self.traces);
        let mut orphans = Vec::new();
        for root in roots {
            match self.relative(root, &placed) {
                Some((parent, shared)) => self.attach(root, parent, shared),
                None if self.missing[root].is_some() => {
                    orphans.push(root);
                    continue;
                }
                None => {}
            }
            placed.add_all(root, &children);
        }
        for root in orphans {
            // Another orphan may have found its place meanwhile; but not one of the same parent,
            // which stands beside it.
            let Some(gone) = self.missing[root].clone() else { continue };
            let name = names::chat_name(&gone).unwrap_or(gone);
            let ghost = self.ghosts.iter().position(|ghost| ghost.name == name);
            let ghost = ghost.unwrap_or_else(|| self.add_ghost(name));
            self.places[root].parent = Some(self.traces.len() + ghost);
            self.places[root].how = How::Link;
            let record = self.traces[root].head.as_ref().ok().and_then(|head| head.record.as_ref());
            if let Some(record) = record {
                self.places[root].how = How::Record;
                self.claimed[root] = Some((record.at + 1).min(self.traces[root].length()));
            }
        }
        self.tell_ghosts(&mut placed);
    }

    /// One that is not there, without a place so far.
    pub(super) fn add_ghost(&mut self, name: String) -> usize {
        self.ghosts.push(Ghost { name, messages: Vec::new(), length: 0 });
        self.places.push(Descent {
            parent: None,
            how: How::Root,
            shared: 0,
            is_seen: true,
            kind: record::Kind::Main,
            marks: Vec::new(),
        });
        self.claimed.push(None);
        self.missing.push(None);
        self.ghosts.len() - 1
    }

    /// What is known of parents that are gone, and where they belong themselves.
    fn tell_ghosts(&mut self, placed: &mut Placed<'t>) {
        for ghost in 0..self.ghosts.len() {
            let at = self.traces.len() + ghost;
            let of = |n: &usize| self.places[*n].parent == Some(at);
            let all: Vec<usize> = (0..self.traces.len()).filter(of).collect();
            let mut known: &[u64] = &[];
            let mut length = 0;
            for (n, child) in all.iter().enumerate() {
                length = length.max(self.claimed[*child].unwrap_or(0));
                let messages = &self.traces[*child].messages;
                let mut with = self.claimed[*child].unwrap_or(0).min(messages.len());
                for other in &all[n + 1..] {
                    with = with.max(self.common(*child, *other));
                }
                if with > known.len() {
                    known = &messages[..with];
                }
            }
            self.ghosts[ghost].messages = known.to_vec();
            self.ghosts[ghost].length = length.max(known.len());
            let first_user = all.iter().filter_map(|n| self.traces[*n].first_user).min();
            if let Some((parent, shared)) = self.related(known, first_user, placed, &all) {
                let place = &mut self.places[at];
                place.kind = record::Kind::Branch;
                (place.parent, place.how, place.shared) = (Some(parent), How::Content, shared);
            }
            for child in all {
                placed.add(child);
            }
        }
    }

    fn attach(&mut self, root: usize, parent: usize, shared: usize) {
        let place = &mut self.places[root];
        (place.parent, place.how) = (Some(parent), How::Content);
        if let Some(gone) = self.missing[root].take() {
            place.marks.push(Mark::ParentGone(gone));
        }
        if place.kind == record::Kind::Main {
            place.kind = kind_by_name(&self.traces[root].chat.name);
        }
        self.claimed[root] = Some(shared);
    }

    /// The timeline, of those that have a place, that a root shares most with.
    fn relative(&self, root: usize, placed: &Placed<'_>) -> Option<(usize, usize)> {
        let trace = &self.traces[root];
        self.related(&trace.messages, trace.first_user, placed, &[])
    }

    fn related(
        &self,
        messages: &[u64],
        first_user: Option<usize>,
        placed: &Placed<'_>,
        except: &[usize],
    ) -> Option<(usize, usize)> {
        let (nearest, shared) = placed.nearest(messages)?;
        if first_user.is_none_or(|first| shared <= first) || except.contains(&nearest) {
            return None;
        }
        // The eldest that has all of these messages.
        let mut parent = nearest;
        while let Some(elder) = self.places[parent].parent {
            let is_there = elder < self.traces.len() && self.common(parent, elder) >= shared;
            if !is_there {
                break;
            }
            parent = elder;
        }
        Some((parent, shared))
    }
}
