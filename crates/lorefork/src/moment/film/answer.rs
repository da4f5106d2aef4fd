//! The question, and its answer.

use super::Film;
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
    pub level: Level,
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

/// How an entry can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Absent,
    Is(usize),
    /// As no picture shows it.
    Unseen,
}

fn shown(version: Option<usize>) -> State {
    version.map_or(State::Absent, State::Is)
}

/// All ways in which an entry can be in this story, while the film runs.
struct Run {
    states: Vec<State>,
    is_recorded: bool,
    /// The best guess, should it stay open.
    guess: Option<usize>,
    why: Option<Why>,
    was_own: bool,
}

impl Run {
    /// What the states become if the change from one picture to the next is of this story.
    fn changed(&self, before: Option<usize>, after: Option<usize>) -> Vec<State> {
        let change = |state: &State| match after {
            None => State::Absent,
            // Written onto something else than the picture shows: then what came of it is nowhere.
            Some(_) if *state != shown(before) => State::Unseen,
            Some(_) => shown(after),
        };
        let mut all: Vec<State> = Vec::new();
        for state in self.states.iter().map(change) {
            if !all.contains(&state) {
                all.push(state);
            }
        }
        all
    }

    fn step(&mut self, film: &Film<'_>, path: &Path<'_>, step: &Step) {
        let (before, after) = (step.from, step.to);
        let writers = film.writers(path, step);
        let recorded = writers[0];
        // Nobody can have done it: somebody did of whom nothing is left.
        let by = writers.into_iter().find(|one| !one.is_nobody()).unwrap_or(Sides::OPEN);
        let all = writers.into_iter().fold(by, Sides::and);
        // Without times nobody knows for sure who was between two pictures.
        self.is_recorded |= all != by || (film.is_undated && writers[1..] != [Sides::default(); 2]);
        if !by.on {
            return;
        }
        let changed = self.changed(before, after);
        let is_new = before.is_none();
        if changed.contains(&State::Unseen) && !self.states.contains(&State::Unseen) {
            self.why = Some(Why::ChangedByBoth);
        }
        if !by.off {
            self.states = changed;
            self.guess = after;
        } else {
            for state in changed {
                if !self.states.contains(&state) {
                    self.states.push(state);
                }
            }
            self.why = Some(match (is_new, after) {
                (_, None) => Why::RemovedBySomebody,
                (true, _) => Why::MadeBySomebody,
                _ => Why::ChangedBySomebody,
            });
            // A scene of another story lists it: what it was before is the better guess.
            let is_earlier = recorded.off && self.guess.is_some();
            self.guess = if is_earlier { self.guess } else { after.or(self.guess) };
        }
        self.was_own |= self.states.iter().any(|state| *state != State::Absent);
    }

    fn known(self, life: usize) -> Known {
        let open = || Known {
            life,
            version: self.guess,
            level: Level::Undecided,
            why: self.why,
            was_own: self.was_own,
        };
        let level = if self.is_recorded { Level::Recorded } else { Level::Certain };
        match self.states.as_slice() {
            [State::Absent] => Known { version: None, level, why: None, ..open() },
            [State::Is(version)] => Known { version: Some(*version), level, why: None, ..open() },
            _ => open(),
        }
    }
}

impl Film<'_> {
    /// What does this timeline know at this message?
    pub fn ask(&self, path: &Path<'_>) -> Answer {
        Answer { all: (0..self.steps.len()).map(|life| self.run(path, life)).collect() }
    }

    fn run(&self, path: &Path<'_>, life: usize) -> Known {
        let mut run = Run {
            states: vec![State::Absent],
            is_recorded: false,
            guess: None,
            why: None,
            was_own: false,
        };
        let mut steps = self.steps[life].as_slice();
        if self.extent.since.is_some() {
            // What the first picture shows was so.
            let first = self.lives.all[life].shows[0];
            (run.states, run.guess, run.was_own) = (vec![shown(first)], first, first.is_some());
            steps = &steps[steps.partition_point(|step| step.between.1 == 0)..];
        }
        for step in steps {
            run.step(self, path, step);
        }
        run.known(life)
    }
}
