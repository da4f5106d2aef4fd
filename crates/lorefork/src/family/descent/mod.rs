//! Who comes from whom: by records, then links, then content.
//!
//! Whatever files say, every timeline has one place: a circle is opened, a parent that is gone is
//! drawn as such, and what nobody names stands where its messages say.
//!
//! - `claims`: what the files themselves say
//! - `circles`: parents that lead back to their child
//! - `content`: relatives by the messages that both have; parents that are gone
//! - `buried`: deleted ones that others remember
//! - `placed`: who shares most with whom
//! - `forks`: how many messages each has from its parent

mod buried;
mod circles;
mod claims;
mod content;
mod forks;
mod placed;

use super::mark::{How, Mark};
use super::trace::{Place, Trace};
use crate::sorted::{self, Index};
use crate::tavern::names;
use crate::timeline::record;

/// One timeline's place among the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Descent {
    pub(super) parent: Option<usize>,
    pub(super) how: How,
    /// How many messages it has from its parent; at most so many, if that was not seen.
    pub(super) shared: usize,
    /// Whether it is known where it leaves its parent.
    pub(super) is_seen: bool,
    pub(super) kind: record::Kind,
    pub(super) marks: Vec<Mark>,
}

/// One that is named and not there: a parent, known by what its children have of it, or one that was
/// deleted and is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ghost {
    pub(super) name: String,
    pub(super) messages: Vec<u64>,
    /// How many it had at least.
    pub(super) length: usize,
}

/// The places of all timelines of one character or group; those behind the traces are of ghosts.
pub(super) fn descent(traces: &[Trace]) -> (Vec<Descent>, Vec<Ghost>) {
    let mut finding = Finding::new(traces);
    finding.claims();
    finding.open_circles();
    finding.by_content();
    finding.buried();
    finding.fork_points();
    (finding.places, finding.ghosts)
}

/// How many messages two timelines have in common, from the beginning.
pub(super) fn common(a: &[u64], b: &[u64]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

struct Finding<'t> {
    traces: &'t [Trace],
    by_name: Index<String, usize>,
    by_id: Index<&'t str, usize>,
    /// Who has messages that lead to a name, and at which.
    links: Index<String, Vec<(usize, usize, names::Kind)>>,
    places: Vec<Descent>,
    /// How many messages somebody says it has from its parent.
    claimed: Vec<Option<usize>>,
    /// The parent it names that is not there.
    missing: Vec<Option<String>>,
    ghosts: Vec<Ghost>,
}

impl<'t> Finding<'t> {
    fn new(traces: &'t [Trace]) -> Self {
        let mut by_name = Index::default();
        // What is there before what is in the trash.
        let mut order: Vec<usize> = (0..traces.len()).collect();
        sorted::by_key(&mut order, |n| traces[*n].place != Place::Here);
        for n in &order {
            by_name.or_insert(traces[*n].chat.name.clone(), *n);
        }
        let mut by_id: Index<&str, usize> = Index::default();
        // Of two with one record, the one it is about.
        let is_about = |n: usize| {
            let head = traces[n].head.as_ref().ok();
            let record = head.and_then(|head| head.record.as_ref());
            record.is_none_or(|record| record.chat == traces[n].chat.name)
        };
        sorted::by_key(&mut order, |n| (traces[*n].place != Place::Here, !is_about(*n)));
        let place = |trace: &Trace| Descent {
            parent: None,
            how: How::Root,
            shared: 0,
            is_seen: true,
            kind: record::Kind::Main,
            marks: match &trace.head {
                Err(why) => vec![Mark::Unreadable(why.clone())],
                Ok(_) if trace.is_cut => vec![Mark::Cut],
                Ok(_) => Vec::new(),
            },
        };
        let mut places: Vec<Descent> = traces.iter().map(place).collect();
        for n in order {
            let id = traces[n].head.as_ref().ok().and_then(|head| head.id.as_deref());
            let Some(id) = id else { continue };
            match by_id.get(id) {
                Some(first) => {
                    let name = traces[*first].chat.name.clone();
                    places[n].marks.push(Mark::Twin(name));
                }
                None => {
                    by_id.or_insert(id, n);
                }
            }
        }
        let mut links: Index<String, Vec<_>> = Index::default();
        for (n, trace) in traces.iter().enumerate() {
            for link in &trace.links {
                let name = names::chat_name(&link.to).unwrap_or_else(|| link.to.clone());
                links.or_insert(name, Vec::new()).push((n, link.at, link.kind));
            }
        }
        let (claimed, missing) = (vec![None; traces.len()], vec![None; traces.len()]);
        Self { traces, by_name, by_id, links, places, claimed, missing, ghosts: Vec::new() }
    }

    fn common(&self, a: usize, b: usize) -> usize {
        common(self.messages(a), self.messages(b))
    }

    /// How many messages two have in common, if both were read.
    fn seen(&self, a: usize, b: usize) -> Option<usize> {
        let is_read = |n: usize| self.traces.get(n).is_none_or(Trace::is_read);
        (is_read(a) && is_read(b)).then(|| self.common(a, b))
    }

    fn length(&self, n: usize) -> usize {
        match self.traces.get(n) {
            Some(trace) => trace.length(),
            None => self.ghosts[n - self.traces.len()].length,
        }
    }

    fn messages(&self, n: usize) -> &[u64] {
        match self.traces.get(n) {
            Some(trace) => &trace.messages,
            None => &self.ghosts[n - self.traces.len()].messages,
        }
    }

    /// Who most likely is the main one: no parent, no name of a fork, the longest, the first by name.
    fn rank(&self, n: usize) -> impl Ord + use<> {
        let trace = &self.traces[n];
        let is_child = trace.head.as_ref().is_ok_and(|head| head.main_chat.is_some());
        let is_fork = [names::Kind::Checkpoint, names::Kind::Branch]
            .iter()
            .any(|kind| trace.chat.name.contains(kind.token()));
        let length = usize::MAX - trace.length();
        (trace.place != Place::Here, is_child, is_fork, length, trace.chat.name.clone())
    }
}

fn kind_by_name(name: &str) -> record::Kind {
    if name.contains(names::Kind::Checkpoint.token()) {
        record::Kind::Checkpoint
    } else {
        record::Kind::Branch
    }
}

pub(super) fn children(places: &[Descent]) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); places.len()];
    for (n, place) in places.iter().enumerate() {
        if let Some(parent) = place.parent {
            children[parent].push(n);
        }
    }
    children
}
