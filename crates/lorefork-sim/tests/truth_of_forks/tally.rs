//! What was counted.

use std::collections::BTreeMap;

use crate::claims::Level;

/// How many of each are shown in full.
const SHOWN: usize = 5;

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) timelines: usize,
    pub(crate) forks: usize,
    /// All entries as they were.
    pub(crate) right: usize,
    /// Called `exact`, and not.
    pub(crate) exact_wrong: usize,
    /// Wrong as recorded, without a word.
    pub(crate) silently_wrong: usize,
    /// Wrong, and it was said that it may be.
    pub(crate) said_wrong: usize,
    pub(crate) refused: usize,
    /// Entries, right and wrong, of each level.
    certain: [usize; 2],
    recorded: [usize; 2],
    undecided: [usize; 2],
    /// There at that message and in some picture, and not in the answer.
    pub(crate) lost: usize,
    /// The same, and only the own lorebook of a timeline that was made of it shows it, or of the one that
    /// it was made of.
    pub(crate) shown_elsewhere: usize,
    /// There at that message, and nothing on disk shows it.
    pub(crate) shown_nowhere: usize,
    /// Of later messages of the same timeline: certain, recorded, undecided.
    futures: [usize; 3],
    /// Never there, or no longer.
    foreigns: [usize; 3],
    /// Entries that registries should list, and those they do not; lines that lead nowhere.
    pub(crate) registered: usize,
    pub(crate) unregistered: usize,
    pub(crate) leading_nowhere: usize,
    qualities: BTreeMap<&'static str, usize>,
    codes: BTreeMap<&'static str, usize>,
    /// Undecided entries by the reason that is said: guessed right, guessed wrong.
    whys: BTreeMap<String, [usize; 2]>,
    examples: BTreeMap<&'static str, Vec<String>>,
}

impl Tally {
    pub(crate) const HEAD: &str = "                               timelines  forks | right  exact&wrong  silently wrong  said wrong  refused | \
                            entries  certain&wrong  recorded&wrong  undecided  lost (elsewhere, nowhere)  \
                            future c/r/u  foreign c/r/u | unregistered of, dangling lines";

    pub(crate) fn entries(&self) -> usize {
        [self.certain, self.recorded, self.undecided].iter().flatten().sum()
    }

    pub(crate) fn certain_wrong(&self) -> usize {
        self.certain[1]
    }

    pub(crate) fn recorded_wrong(&self) -> usize {
        self.recorded[1]
    }

    pub(crate) fn undecided(&self) -> usize {
        self.undecided.iter().sum()
    }

    /// Claimed certain, though only later messages know it.
    pub(crate) fn certain_future(&self) -> usize {
        self.futures[0]
    }

    pub(crate) fn entry(&mut self, level: Level, is_right: bool) {
        let counts = match level {
            Level::Certain => &mut self.certain,
            Level::Recorded => &mut self.recorded,
            Level::Undecided => &mut self.undecided,
        };
        counts[usize::from(!is_right)] += 1;
    }

    pub(crate) fn why(&mut self, why: &str, is_right: bool) {
        self.whys.entry(why.to_owned()).or_default()[usize::from(!is_right)] += 1;
    }

    pub(crate) fn future(&mut self, level: Level) {
        self.futures[level as usize] += 1;
    }

    pub(crate) fn foreign(&mut self, level: Level) {
        self.foreigns[level as usize] += 1;
    }

    pub(crate) fn refuse(&mut self, name: &str, code: &'static str) {
        self.refused += 1;
        *self.codes.entry(code).or_default() += 1;
        self.example("refused", || format!("{name}: {code}"));
    }

    pub(crate) fn fork(
        &mut self,
        name: &str,
        quality: &'static str,
        level: Level,
        wrong: &[String],
    ) {
        *self.qualities.entry(quality).or_default() += 1;
        let (count, kind) = match level {
            _ if wrong.is_empty() => (&mut self.right, None),
            Level::Certain => (&mut self.exact_wrong, Some("exact and wrong")),
            Level::Recorded => (&mut self.silently_wrong, Some("silently wrong")),
            Level::Undecided => (&mut self.said_wrong, None),
        };
        *count += 1;
        if let Some(kind) = kind {
            self.example(kind, || format!("{name} ({quality}): {}", wrong.join("; ")));
        }
    }

    pub(crate) fn example(&mut self, kind: &'static str, text: impl FnOnce() -> String) {
        let all = self.examples.entry(kind).or_default();
        if all.len() < SHOWN {
            all.push(text());
        }
    }

    /// Some of what is wrong, in full.
    pub(crate) fn examples(&self) -> String {
        let lines = self
            .examples
            .iter()
            .flat_map(|(kind, all)| all.iter().map(move |text| format!("{kind}: {text}")));
        let whys = self.whys.iter().map(|(why, [right, wrong])| {
            format!("undecided: {why}: guessed right {right}, wrong {wrong}")
        });
        lines.chain(whys).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn row(&self, name: &str) -> String {
        let slashed = |counts: [usize; 3]| counts.map(|count| count.to_string()).join("/");
        let words = |counts: &BTreeMap<&str, usize>| {
            let all = counts.iter().map(|(word, count)| format!("{word} {count}"));
            all.collect::<Vec<_>>().join(", ")
        };
        format!(
            "{name:30}{:10}{:7} |{:6}{:13}{:16}{:12}{:9} |{:8}{:15}{:16}{:11}{:6} ({}, {}){:>20}{:>15} |{:7} of {}, {}   [{}; {}]",
            self.timelines,
            self.forks,
            self.right,
            self.exact_wrong,
            self.silently_wrong,
            self.said_wrong,
            self.refused,
            self.entries(),
            self.certain_wrong(),
            self.recorded_wrong(),
            self.undecided(),
            self.lost,
            self.shown_elsewhere,
            self.shown_nowhere,
            slashed(self.futures),
            slashed(self.foreigns),
            self.unregistered,
            self.registered,
            self.leading_nowhere,
            words(&self.qualities),
            words(&self.codes),
        )
    }
}
