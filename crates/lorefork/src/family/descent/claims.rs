//! What the files themselves say: records, headers, and messages that lead to another timeline.

use super::{Finding, How, Mark, kind_by_name};
use crate::tavern::names;
use crate::timeline::record;

impl Finding<'_> {
    /// What the files themselves say.
    pub(super) fn claims(&mut self) {
        for n in 0..self.traces.len() {
            let name = &self.traces[n].chat.name;
            let head = self.traces[n].head.as_ref().ok();
            let record = head.and_then(|head| head.record.as_ref());
            let from = record.and_then(|record| record.parent.as_ref());
            let is_twin = self.places[n].marks.iter().any(|mark| matches!(mark, Mark::Twin(_)));
            let by_id = from.and_then(|from| self.by_id.get(from.id.as_deref()?).copied());
            let named = from.map(|from| from.chat.clone());
            let by_record = by_id.or_else(|| self.named(named.as_deref()?)).filter(|p| *p != n);
            let main_chat = head.and_then(|head| head.main_chat.clone());
            let by_header = main_chat.as_deref().and_then(|name| self.named(name));
            if by_header == Some(n) {
                self.places[n].marks.push(Mark::OwnParent);
            }
            let by_header = by_header.filter(|parent| *parent != n);
            let links = self.links.get(name).cloned().unwrap_or_default();
            let (parent, how) = match (by_record, by_header) {
                (Some(parent), _) if !is_twin => (Some(parent), How::Record),
                (_, Some(parent)) => (Some(parent), How::Link),
                _ => match self.linked(n, &links) {
                    Some(parent) => (Some(parent), How::Link),
                    None => (None, How::Root),
                },
            };
            let leads = links.iter().find(|(from, ..)| Some(*from) == parent);
            self.claimed[n] = match (how, record, leads) {
                (How::Record, Some(record), _) => Some(record.at + 1),
                (How::Link, _, Some((_, at, _))) => Some(at + 1),
                _ => None,
            };
            let kind = record.map(|record| record.kind).filter(|kind| *kind != record::Kind::Main);
            let kind = kind.or_else(|| leads.or(links.first()).map(|(.., kind)| (*kind).into()));
            let is_child = parent.is_some() || main_chat.is_some();
            self.places[n].kind =
                kind.or_else(|| is_child.then(|| kind_by_name(name))).unwrap_or(record::Kind::Main);
            (self.places[n].parent, self.places[n].how) = (parent, how);
            if parent.is_none() {
                let is_own = |gone: &String| names::chat_name(gone).as_ref() == Some(name);
                self.missing[n] = named.or(main_chat).filter(|gone| !is_own(gone));
            }
        }
    }

    /// Of those whose messages lead to a timeline, the one that shares most with it: branches carry
    /// along the links of their messages. Who shares nothing means another that had its name.
    fn linked(&self, n: usize, links: &[(usize, usize, names::Kind)]) -> Option<usize> {
        let others = links.iter().filter(|(parent, ..)| *parent != n);
        let shared = others.map(|(parent, at, _)| {
            // Of one that was not read, the link alone tells.
            let seen = self.seen(n, *parent);
            let shared = seen.unwrap_or_else(|| (at + 1).min(self.length(n)));
            (shared, usize::MAX - at, *parent)
        });
        let most = shared.max_by_key(|(shared, at, parent)| (*shared, *at, usize::MAX - parent))?;
        (most.0 > 0).then_some(most.2)
    }

    fn named(&self, name: &str) -> Option<usize> {
        let known = self.by_name.get(name);
        known.or_else(|| self.by_name.get(&names::chat_name(name)?)).copied()
    }
}
