//! The question, and its answer.

use super::Film;
use super::apply::{State, changed, shown};
use super::lives::Life;
use super::path::{Path, Sides};
use super::steps::Step;

/// How sure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// No possible writer could have made it otherwise.
    Certain,
    /// What the records say; only a hand that left no trace could contradict.
    Recorded,
    /// The records themselves leave it open.
    Undecided,
}

/// Why nobody can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Nothing recorded says who made it.
    MadeBySomebody,
    /// Nothing recorded says who changed it.
    ChangedBySomebody,
    /// This timeline and another changed it.
    ChangedByBoth,
    /// It is gone, and nothing recorded says who removed it.
    RemovedBySomebody,
    /// No timeline can be shown to have written it.
    WrittenByNobody,
}

/// What a timeline knows of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Which entry of the film.
    pub life: usize,
    /// How it is; `None` if the timeline does not have it.
    pub version: Option<usize>,
    /// Its text as no picture has it, made of what the records say: like that version.
    pub built: Option<String>,
    /// How sure that is.
    pub level: Level,
    /// What makes it unsure, if nobody can tell.
    pub why: Option<Why>,
    /// Whether it ever had it.
    pub was_own: bool,
}

/// What a timeline knows at a message.
#[derive(Debug, Clone)]
pub struct Answer {
    /// For every entry that any picture shows.
    pub all: Vec<Known>,
}

impl Answer {
    /// How sure the whole of it is.
    pub fn level(&self) -> Level {
        self.all.iter().map(|known| known.level).max().unwrap_or(Level::Certain)
    }
}

/// All ways in which an entry can be in this story, while the film runs.
struct Run<'l> {
    life: &'l Life,
    states: Vec<State>,
    is_recorded: bool,
    /// The best guess, should it stay open.
    guess: State,
    why: Option<Why>,
    was_own: bool,
}

impl Run<'_> {
    fn step(&mut self, film: &Film<'_>, path: &Path<'_>, step: &Step) {
        let writers = film.writers(path, step);
        let recorded = writers[0];
        // A hand may have written to what was not of this story, and made it its own: before a scene of
        // another one added to it, or right after this one took a picture. It must not be lost.
        let is_change = step.to.is_some() && self.states == [State::Absent];
        let before = step.between.0.checked_sub(1).and_then(|before| self.life.shows[before]);
        let is_after_own = recorded.is_nobody() && before.is_some();
        let can_be_own = (step.is_followed && writers[1].on)
            || (is_after_own && film.taker(path, step.between).on);
        let by = match likeliest(writers) {
            by if !by.on && is_change && can_be_own => Sides::OPEN,
            by => by,
        };
        let all = writers.into_iter().fold(by, Sides::and);
        // Without times nobody knows for sure who was between two pictures; and who else uses the
        // lorebook can have opened it and said nothing.
        // Registries follow the entries they list.
        let is_shared = film.tellers.len() > 1 && !self.life.is_registry;
        let by_hand = film.is_undated || (is_shared && recorded.is_nobody() && by.on);
        self.is_recorded |= all != by || (by_hand && writers[1..] != [Sides::default(); 2]);
        if !by.on {
            return;
        }
        let change = |state: &State| changed(self.life, state, (step.from, step.to), step.is_told);
        let mut after: Vec<State> = Vec::new();
        for state in self.states.iter().map(change) {
            if !after.contains(&state) {
                after.push(state);
            }
        }
        let guess = match change(&self.guess) {
            State::Unseen => shown(step.to),
            guess => guess,
        };
        if after.contains(&State::Unseen) && !self.states.contains(&State::Unseen) {
            self.why = Some(Why::ChangedByBoth);
        }
        if !by.off {
            (self.states, self.guess) = (after, guess);
        } else {
            for state in after {
                if !self.states.contains(&state) {
                    self.states.push(state);
                }
            }
            self.why = Some(match (step.from, step.to) {
                (_, None) => Why::RemovedBySomebody,
                (None, _) => Why::MadeBySomebody,
                _ => Why::ChangedBySomebody,
            });
            // A scene of another story lists it: what it was before is the better guess. What may be
            // there is never left out.
            let is_earlier = recorded.off && self.guess != State::Absent;
            if !is_earlier && guess != State::Absent {
                self.guess = guess;
            }
        }
        self.was_own |= self.states.iter().any(|state| *state != State::Absent);
    }

    fn known(self, life: usize) -> Known {
        let of = |state: &State| match state {
            State::Absent | State::Unseen => (None, None),
            State::Is(version) => (Some(*version), None),
            State::Built(like, text) => (Some(*like), Some(text.clone())),
        };
        // As no picture shows it: nothing but the records says so.
        let is_built = matches!(self.states.as_slice(), [State::Built(..)]);
        let (state, level, why) = match self.states.as_slice() {
            [State::Unseen] => (&self.guess, Level::Undecided, self.why),
            [one] if self.is_recorded || is_built => (one, Level::Recorded, None),
            [one] => (one, Level::Certain, None),
            _ => (&self.guess, Level::Undecided, self.why),
        };
        let (version, built) = of(state);
        Known { life, version, built, level, why, was_own: self.was_own }
    }
}

/// Those who did it, as far as anybody can tell.
fn likeliest(writers: [Sides; 3]) -> Sides {
    // Nobody can have done it: somebody did of whom nothing is left.
    writers.into_iter().find(|one| !one.is_nobody()).unwrap_or(Sides::OPEN)
}

impl Film<'_> {
    /// Whether all that was ever written to an entry is known to be of one of these stories: then each
    /// has its own part of it, and nothing is lost if none has all of it.
    pub fn is_told_apart(&self, paths: &[Path<'_>], life: usize) -> bool {
        self.steps[life]
            .iter()
            .all(|step| paths.iter().any(|path| likeliest(self.writers(path, step)) == Sides::ON))
    }

    /// What does this timeline know at this message?
    pub fn ask(&self, path: &Path<'_>) -> Answer {
        Answer { all: (0..self.steps.len()).map(|life| self.run(path, life)).collect() }
    }

    fn run(&self, path: &Path<'_>, life: usize) -> Known {
        let mut run = Run {
            life: &self.lives.all[life],
            states: vec![State::Absent],
            is_recorded: false,
            guess: State::Absent,
            why: None,
            was_own: false,
        };
        let mut steps = self.steps[life].as_slice();
        if let Some(since) = self.extent.since {
            // While others used the lorebook that this one was made of, a picture showed theirs as well.
            run.is_recorded = path.strangers_until.is_some_and(|until| since < until);
            // What the first picture shows was so.
            let first = self.lives.all[life].shows[0];
            (run.states, run.guess, run.was_own) =
                (vec![shown(first)], shown(first), first.is_some());
            steps = &steps[steps.partition_point(|step| step.between.1 == 0)..];
        }
        for step in steps {
            run.step(self, path, step);
        }
        run.known(life)
    }
}
