//! All that the timelines of a family tell about who wrote what into the lorebook they share.

use super::family::{Family, left_at, wrote_until};
use crate::error::Error;
use crate::fork::look::{find_any, in_common};
use crate::host::{ChatView, HostError};
use crate::memory::entries::is_registry;
use crate::memory::scene::Scene;
use crate::memory::scene::marks;
use crate::moment::film::tombstone::{self, Gone};
use crate::moment::film::{OfBook, Teller, is_a_swipe_of};
use crate::tavern::chat::Header;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names::same_lorebook;
use crate::tavern::place::ChatRef;
use crate::timeline::record::Record;

/// A timeline that uses the lorebook, or did.
#[derive(Debug, Clone)]
pub(super) struct Timeline {
    pub chat: ChatRef,
    pub header: String,
    pub len: usize,
    pub scenes: Vec<Scene>,
    /// Whether it uses the lorebook now. One that has its own since is only heard as a witness.
    pub shares: bool,
}

/// What any two timelines have in common.
#[derive(Debug)]
pub(super) struct Common {
    /// How many messages.
    pub messages: Vec<Vec<usize>>,
    /// Whether what the second shows where they part is a swipe in the first.
    pub swipes: Vec<Vec<bool>>,
}

impl Common {
    pub(super) fn of<C: ChatView>(views: &[C]) -> Result<Self, Error> {
        let len = views.len();
        let mut all = Self {
            messages: vec![vec![usize::MAX; len]; len],
            swipes: vec![vec![false; len]; len],
        };
        for (a, one) in views.iter().enumerate() {
            for (b, other) in views[..a].iter().enumerate() {
                let same = in_common(one, other)?;
                (all.messages[a][b], all.messages[b][a]) = (same, same);
                if same < one.len().min(other.len()) {
                    let (ours, theirs) = (one.line(same)?, other.line(same)?);
                    all.swipes[a][b] = is_a_swipe_of(&theirs, &ours);
                    all.swipes[b][a] = is_a_swipe_of(&ours, &theirs);
                }
            }
        }
        Ok(all)
    }
}

/// Timelines that used the lorebook and were deleted, as those who shared with them tell. Adds to what
/// all have in common what these have with each.
pub(super) fn gone(family: &[Timeline], common: &mut Common) -> Vec<Gone> {
    let told = |timeline: &Timeline| {
        let header = Header::read(&timeline.header);
        header.map(|header| tombstone::read(&header)).unwrap_or_default()
    };
    let told: Vec<Vec<Gone>> = family.iter().map(told).collect();
    let mut all: Vec<Gone> = Vec::new();
    for one in told.iter().flatten() {
        if all.iter().any(|known| known.teller.name == one.teller.name) {
            continue;
        }
        let same = |teller: usize| {
            let of = |other: usize| {
                told[other].iter().find(|known| known.teller.name == one.teller.name)
            };
            let own = of(teller).map(|own| own.same);
            // Who was not there to be told has at most as much in common with it as with one who was.
            let others = (0..family.len())
                .filter_map(|other| Some(of(other)?.same.min(common.messages[teller][other])));
            own.or(others.max()).unwrap_or_default()
        };
        let row: Vec<usize> = (0..family.len()).map(same).collect();
        for (teller, same) in row.into_iter().enumerate() {
            common.messages[teller].push(same);
            common.swipes[teller].push(false);
        }
        all.push(one.clone());
    }
    all
}

/// What is known about the lorebook before timelines are read.
pub(super) struct Reading<'r> {
    pub family: &'r Family,
    pub live: &'r Lorebook<'r>,
    /// All lorebooks there are.
    pub books: &'r [String],
    pub common: &'r Common,
}

impl Reading<'_> {
    /// Reads each of them: what it is, and what it tells.
    pub(super) fn all<C: ChatView>(
        &self,
        views: &[C],
    ) -> Result<(Vec<Timeline>, Vec<Teller>), Error> {
        let (mut timelines, mut tellers) = (Vec::new(), Vec::new());
        for (index, view) in views.iter().enumerate() {
            let (timeline, teller) = self.one(index, view)?;
            timelines.push(timeline);
            tellers.push(teller);
        }
        Ok((timelines, tellers))
    }

    fn one<C: ChatView>(&self, index: usize, view: &C) -> Result<(Timeline, Teller), HostError> {
        let lorebook = self.family.lorebook.as_str();
        let shares = self.family.chats.contains(view.chat());
        let header = Header::read(view.header()).ok();
        let name = &view.chat().name;
        let left = header.as_ref().and_then(|header| left_at(header, name, lorebook));
        let was_shared = |time: Option<f64>| left.zip(time).is_some_and(|(left, time)| time < left);
        let is_other = |name: &str| {
            !same_lorebook(name, lorebook)
                && self.books.iter().any(|book| same_lorebook(book, name))
        };
        let has_registries = self.live.entries.iter().any(|entry| is_registry(&entry.comment()));
        let book = OfBook { has_registries, shares, is_other: &is_other, was_shared: &was_shared };
        let mut teller = Teller::new(name, view.header());
        let mut scenes = Vec::new();
        for at in find_any(view, &marks(|marks| marks.scenes), 0..view.len())? {
            scenes.extend(teller.read_scene(at, &view.line(at)?, &book));
        }
        // What all have in common is told by the first.
        let parted = self.common.messages[index].iter().copied().min().unwrap_or_default();
        let from = if index == 0 { 0 } else { parted };
        let until = header.filter(|_| !shares);
        let until = until.and_then(|header| wrote_until(&header, name, lorebook));
        for at in from..view.len() {
            teller.read_date(at, &view.line(at)?, until);
        }
        teller.check_dates();
        let (chat, header) = (view.chat().clone(), view.header().to_owned());
        Ok((Timeline { chat, header, len: view.len(), scenes, shares }, teller))
    }
}

/// A timeline that a newer Lorefork wrote to.
pub(super) fn newer<'v, C: ChatView>(views: &'v [C], family: &Family) -> Option<&'v ChatRef> {
    let shared = views.iter().filter(|view| family.chats.contains(view.chat()));
    let mut newer = shared
        .filter(|view| Header::read(view.header()).ok().as_ref().is_some_and(Record::is_newer));
    newer.next().map(|view| view.chat())
}
