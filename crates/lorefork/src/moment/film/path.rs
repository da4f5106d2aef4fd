//! What lies in the story of a timeline up to a message.

use super::{Event, Film, Record};

/// Whether something happened in that story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Sides {
    /// Some of those who can have done it are of the story.
    pub on: bool,
    /// Some are not.
    pub off: bool,
}

impl Sides {
    pub(super) const ON: Self = Self { on: true, off: false };
    pub(super) const OFF: Self = Self { on: false, off: true };
    pub(super) const OPEN: Self = Self { on: true, off: true };

    pub(super) fn and(self, other: Self) -> Self {
        Self { on: self.on || other.on, off: self.off || other.off }
    }

    pub(super) fn is_nobody(self) -> bool {
        self == Self::default()
    }
}

/// The story of a timeline up to a message.
#[derive(Debug, Clone)]
pub struct Path<'p> {
    /// Its place among those who tell.
    pub teller: usize,
    /// The message N.
    pub at: usize,
    /// How many messages it has in common with each of them.
    pub common: &'p [usize],
    /// Of each of them, whether the first message that is not in common is a swipe here.
    pub swipes: &'p [bool],
    /// From when on recaps of message N are of another swipe than the chosen one.
    pub superseded: Option<f64>,
    /// Until when others wrote to the lorebook who do not tell.
    pub strangers_until: Option<f64>,
}

impl Path<'_> {
    /// How many messages of another timeline are of this story.
    fn limit(&self, teller: usize) -> usize {
        let all = self.at + 1;
        if teller == self.teller { all } else { self.common[teller].min(all) }
    }

    /// Whether a message of a timeline is one of this timeline's, whatever N is.
    pub(super) fn is_one(&self, teller: usize, at: usize) -> bool {
        teller == self.teller || at < self.common[teller]
    }

    /// Messages `first..=last` of a timeline.
    pub(super) fn messages(&self, teller: usize, first: usize, last: usize) -> Sides {
        let limit = self.limit(teller);
        // Whoever has it as a swipe was played then as well, or was one with this one.
        let is_swipe = teller != self.teller
            && self.swipes[teller]
            && limit <= self.at
            && (first..=last).contains(&limit);
        Sides { on: first < limit || is_swipe, off: last >= limit + usize::from(is_swipe) }
    }

    pub(super) fn record(&self, film: &Film<'_>, record: &Record) -> Sides {
        let own = record.held.iter().find(|held| held.teller == self.teller);
        if let Some(own) = own {
            let is_later = self.superseded.is_some_and(|since| {
                own.is_swiped_away && record.taken.is_none_or(|taken| taken >= since)
            });
            // A recap that may still wait to be combined may have written nothing.
            let on = if record.is_waiting { Sides::OPEN } else { Sides::ON };
            return match own.at.cmp(&self.at) {
                std::cmp::Ordering::Less => on,
                std::cmp::Ordering::Equal if !is_later => on,
                _ => Sides::OFF,
            };
        }
        // It has the message, but not the recap: cleared since, or recapped after they parted.
        let may_be = record.held.iter().any(|held| {
            let parted = self.common[held.teller];
            let first = |teller: usize| film.tellers[teller].first_date(parted);
            let is_before =
                |date: Option<f64>| date.zip(record.taken).is_none_or(|(date, taken)| taken < date);
            held.at < self.limit(held.teller)
                && is_before(first(held.teller))
                && is_before(first(self.teller))
        });
        if may_be { Sides::OPEN } else { Sides::OFF }
    }

    pub(super) fn event(&self, film: &Film<'_>, event: &Event) -> Sides {
        let is_own = |(teller, at): &(usize, usize)| *teller == self.teller && *at <= self.at;
        // Combined when the story had gone on, here or where it was made before this one was forked.
        let is_later = event.held.iter().any(|(teller, _)| {
            let next = film.tellers[*teller].first_date(self.limit(*teller));
            next.zip(event.time).is_some_and(|(next, time)| next < time)
        });
        match event.held.iter().any(is_own) {
            true if is_later => Sides::OPEN,
            true => Sides::ON,
            false => Sides::OFF,
        }
    }
}
