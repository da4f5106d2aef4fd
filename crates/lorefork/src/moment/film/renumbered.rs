//! Entries that got other numbers, where timelines got lorebooks of their own.
//!
//! To the film they are two: the one is gone when the other comes. Two that have name and keys in
//! common, and were never there together, may be one.

use super::Film;
use super::answer::{Answer, Level, Why};
use super::lives::Version;

impl Film<'_> {
    /// What may be one is there once; if both do not say the same, nobody can tell.
    pub fn tell_renumbered(&self, answer: &mut Answer) {
        let mut named: Vec<(String, usize)> = Vec::new();
        for (place, known) in answer.all.iter().enumerate() {
            let life = &self.lives.all[known.life];
            let version = known.version.map(|version| &life.versions[version]);
            let version = version.or(life.versions.last()).filter(|_| !life.is_registry);
            named.extend(version.and_then(Version::name_and_keys).map(|said| (said, place)));
        }
        named.sort();
        for group in named.chunk_by(|(a, _), (b, _)| a == b).filter(|group| group.len() > 1) {
            let mut places: Vec<usize> = group.iter().map(|(_, place)| *place).collect();
            self.tell_removed(answer, &places);
            places.retain(|place| answer.all[*place].version.is_some());
            for (nth, place) in places.iter().enumerate() {
                for other in &places[nth + 1..] {
                    self.tell_apart(answer, *place, *other);
                }
            }
        }
    }

    /// It was there, and is there now under another number: so nobody need have removed it.
    fn tell_removed(&self, answer: &mut Answer, places: &[usize]) {
        let life = |place: &usize| &self.lives.all[answer.all[*place].life];
        let is_there = |place: &usize| answer.all[*place].version.is_some();
        let is_live = |place: &usize| life(place).shows[self.live()].is_some();
        if places.iter().any(is_there) || !places.iter().any(is_live) {
            return;
        }
        let was_own = |place: &&usize| answer.all[**place].was_own && !is_live(place);
        let Some(place) = places.iter().copied().find(|place| was_own(&place)) else { return };
        let version = life(&place).shows.iter().rev().find_map(|shown| *shown);
        let known = &mut answer.all[place];
        (known.version, known.built) = (version, None);
        (known.level, known.why) = (Level::Undecided, Some(Why::RemovedBySomebody));
    }

    fn tell_apart(&self, answer: &mut Answer, a: usize, b: usize) {
        let life = |place: usize| &self.lives.all[answer.all[place].life];
        let is_both = |(a, b): (&Option<usize>, &Option<usize>)| a.is_some() && b.is_some();
        if life(a).shows.iter().zip(&life(b).shows).any(is_both) {
            return;
        }
        let says = |place: usize| {
            let known = &answer.all[place];
            let text = known.built.as_deref();
            let version = known.version.map(|version| &life(place).versions[version]);
            version.map(|version| text.map_or_else(|| version.said(), Version::said_by))
        };
        let last = |place: usize| life(place).shows.iter().rposition(Option::is_some);
        match says(a) == says(b) {
            true => {
                let (kept, other) = if last(a) >= last(b) { (a, b) } else { (b, a) };
                let level = answer.all[a].level.min(answer.all[b].level).max(Level::Recorded);
                answer.all[kept].level = level;
                (answer.all[other].version, answer.all[other].built) = (None, None);
            }
            false => {
                for place in [a, b] {
                    let known = &mut answer.all[place];
                    known.level = Level::Undecided;
                    known.why = known.why.or(Some(Why::ChangedBySomebody));
                }
            }
        }
    }
}
