//! Who comes from whom: by records, then links, then content.
//!
//! Whatever files say, every timeline has one place: a circle is opened, a parent that is gone is
//! drawn as such, and what nobody names stands where its messages say.

use std::collections::{BTreeMap, BTreeSet};

use super::trace::{Place, Trace};
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::names;
use crate::timeline::record;

/// How it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Nobody says that it comes from anything.
    Root,
    /// By our record.
    Record,
    /// By a header that names its parent, or a message that leads to it.
    Link,
    /// By the messages that both have.
    Content,
}

impl How {
    /// As it stands in answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Record => "record",
            Self::Link => "link",
            Self::Content => "content",
        }
    }
}

/// Something odd about a timeline's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// Who follows its parents comes back to it.
    Circle,
    /// It says that it is its own parent.
    OwnParent,
    /// The parent it names, which does not exist.
    ParentGone(String),
    /// Another timeline that says it is the same one.
    Twin(String),
    /// It shares fewer messages with its parent than it should.
    Differs,
    /// Its parent, by name, which has the very same messages.
    Equal(String),
    /// Its header cannot be read: why, in words.
    Unreadable(Sentence),
}

impl Mark {
    /// As it stands in answers.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Circle => "circle",
            Self::OwnParent => "ownParent",
            Self::ParentGone(_) => "parentGone",
            Self::Twin(_) => "twin",
            Self::Differs => "differs",
            Self::Equal(_) => "equal",
            Self::Unreadable(_) => "unreadable",
        }
    }

    /// In words.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Circle => say!("its parents lead back to itself"),
            Self::OwnParent => say!("it names itself as its parent"),
            Self::ParentGone(name) => say!("“{0}”, which it names as its parent, is gone", name),
            Self::Twin(name) => say!("it has the same record as “{0}”", name),
            Self::Differs => say!("messages before the fork are not those of its parent any more"),
            Self::Equal(name) => say!("it has the same messages as “{0}”", name),
            Self::Unreadable(why) => say!("its first line cannot be read: {0}", why),
        }
    }
}

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

/// A parent that is named and not there: known by what its children have of it.
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
    finding.fork_points();
    (finding.places, finding.ghosts)
}

/// How many messages two timelines have in common, from the beginning.
pub(super) fn common(a: &[u64], b: &[u64]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

struct Finding<'t> {
    traces: &'t [Trace],
    by_name: BTreeMap<String, usize>,
    by_id: BTreeMap<&'t str, usize>,
    /// Who has messages that lead to a name, and at which.
    links: BTreeMap<String, Vec<(usize, usize, names::Kind)>>,
    places: Vec<Descent>,
    /// How many messages somebody says it has from its parent.
    claimed: Vec<Option<usize>>,
    /// The parent it names that is not there.
    missing: Vec<Option<String>>,
    ghosts: Vec<Ghost>,
}

impl<'t> Finding<'t> {
    fn new(traces: &'t [Trace]) -> Self {
        let mut by_name = BTreeMap::new();
        // What is there before what is in the trash.
        let mut order: Vec<usize> = (0..traces.len()).collect();
        order.sort_by_key(|n| traces[*n].place != Place::Here);
        for n in &order {
            by_name.entry(traces[*n].chat.name.clone()).or_insert(*n);
        }
        let mut by_id: BTreeMap<&str, usize> = BTreeMap::new();
        // Of two with one record, the one it is about.
        let is_about = |n: usize| {
            let head = traces[n].head.as_ref().ok();
            let record = head.and_then(|head| head.record.as_ref());
            record.is_none_or(|record| record.chat == traces[n].chat.name)
        };
        order.sort_by_key(|n| (traces[*n].place != Place::Here, !is_about(*n)));
        let place = |trace: &Trace| Descent {
            parent: None,
            how: How::Root,
            shared: 0,
            is_seen: true,
            kind: record::Kind::Main,
            marks: match &trace.head {
                Err(why) => vec![Mark::Unreadable(why.clone())],
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
                    by_id.insert(id, n);
                }
            }
        }
        let mut links: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for (n, trace) in traces.iter().enumerate() {
            for link in &trace.links {
                let name = names::chat_name(&link.to).unwrap_or_else(|| link.to.clone());
                links.entry(name).or_default().push((n, link.at, link.kind));
            }
        }
        let (claimed, missing) = (vec![None; traces.len()], vec![None; traces.len()]);
        Self { traces, by_name, by_id, links, places, claimed, missing, ghosts: Vec::new() }
    }

    /// What the files themselves say.
    fn claims(&mut self) {
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

    /// A circle is opened at whoever is most likely the main one.
    fn open_circles(&mut self) {
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

    /// Where records and links are gone: whoever shares a beginning with another belongs to it. A
    /// greeting alone is no family, so the user must have written something in it.
    fn by_content(&mut self) {
        let mut roots: Vec<usize> =
            (0..self.traces.len()).filter(|n| self.places[*n].parent.is_none()).collect();
        roots.sort_by_cached_key(|n| (self.missing[*n].is_some(), self.rank(*n)));
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
            let ghost = ghost.unwrap_or_else(|| {
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
            });
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

    /// How many messages each has from its parent.
    fn fork_points(&mut self) {
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

/// Timelines that have their place, in the order of their messages: whoever shares most with another
/// stands next to it.
struct Placed<'t> {
    traces: &'t [Trace],
    /// Positions of traces, and traces by position.
    position: Vec<usize>,
    sorted: Vec<usize>,
    taken: BTreeSet<usize>,
}

impl<'t> Placed<'t> {
    fn new(traces: &'t [Trace]) -> Self {
        let mut sorted: Vec<usize> = (0..traces.len()).collect();
        sorted.sort_by(|a, b| {
            let (one, other) = (&traces[*a], &traces[*b]);
            one.messages.cmp(&other.messages).then_with(|| one.chat.cmp(&other.chat))
        });
        let mut position = vec![0; traces.len()];
        for (at, n) in sorted.iter().enumerate() {
            position[*n] = at;
        }
        Self { traces, position, sorted, taken: BTreeSet::new() }
    }

    fn add(&mut self, n: usize) {
        self.taken.insert(self.position[n]);
    }

    fn add_all(&mut self, root: usize, children: &[Vec<usize>]) {
        let mut open = vec![root];
        while let Some(n) = open.pop() {
            self.add(n);
            open.extend(&children[n]);
        }
    }

    /// The one that shares most with these messages, and how many.
    fn nearest(&self, messages: &[u64]) -> Option<(usize, usize)> {
        let of = |at: &usize| self.traces[self.sorted[*at]].messages.as_slice();
        let here = self.sorted.partition_point(|n| self.traces[*n].messages.as_slice() < messages);
        let before = self.taken.range(..here).next_back();
        let after = self.taken.range(here..).next();
        let found = before.into_iter().chain(after).map(|at| (*at, common(of(at), messages)));
        found
            .max_by_key(|(at, shared)| (*shared, usize::MAX - at))
            .map(|(at, n)| (self.sorted[at], n))
    }
}
