//! One story: every timeline, every message, every entry.

use std::collections::BTreeSet;

use lorefork::fork::{Created, Request, create};
use lorefork::json::Json;
use lorefork::tavern::lorebook::{Entry, Lorebook};
use lorefork::tavern::names::Kind;
use lorefork_sim::SimHost;
use lorefork_sim::truth::{Lore, Moment, Tangled, Truth, birth_key};

use crate::claims::{Claims, Level};
use crate::tally::Tally;

/// What was counted, by what a timeline's lorebook has seen.
#[derive(Debug, Default)]
pub(crate) struct Tallies {
    /// Timelines that have their lorebook for themselves, and always had.
    pub(crate) clean: Tally,
    pub(crate) shared: Tally,
    /// All timelines of stories with changes that leave no trace.
    pub(crate) without_trace: Tally,
    /// Every how many messages one is asked about, besides the last; 0: every one.
    pub(crate) stride: usize,
}

impl Tallies {
    fn of(&mut self, story: &Tangled, truth: &Truth) -> &mut Tally {
        match (story.without_trace, truth.is_alone) {
            (0, true) => &mut self.clean,
            (0, false) => &mut self.shared,
            _ => &mut self.without_trace,
        }
    }
}

pub(crate) fn judge(seed: u64, story: &Tangled, tallies: &mut Tallies) {
    for truth in &story.truth {
        let (stride, last) = (tallies.stride.max(1), truth.moments.len() - 1);
        let tally = tallies.of(story, truth);
        tally.timelines += 1;
        for at in (0..last).step_by(stride).chain([last]) {
            let host = SimHost::new(story.folder.clone()).outside();
            let request = Request {
                at: Some(at),
                drop_queue: true,
                ..Request::new(Kind::Branch, truth.chat.clone())
            };
            tally.forks += 1;
            let case = Case {
                story,
                truth,
                at,
                name: format!("seed {seed}, {} at {at}", truth.chat.name),
            };
            let made = host.run(create(&host, &request));
            match made.returned().unwrap() {
                Err(error) => tally.refuse(&case.name, error.code.word()),
                Ok(made) => {
                    let after = host.folder();
                    let name = made.lorebook.clone().unwrap();
                    let text = after.text(&format!("worlds/{name}.json")).unwrap();
                    case.judge(&made, &Lorebook::read(text).unwrap(), tally);
                }
            }
        }
    }
}

struct Case<'s> {
    story: &'s Tangled,
    truth: &'s Truth,
    at: usize,
    name: String,
}

impl Case<'_> {
    fn now(&self) -> &Moment {
        &self.truth.moments[self.at]
    }

    fn judge(&self, made: &Created, book: &Lorebook<'_>, tally: &mut Tally) {
        let claims = Claims::read(made, book);
        let mut births: BTreeSet<usize> = self.now().book.keys().copied().collect();
        births.extend(book.entries.iter().filter_map(birth));
        let mut wrong = Vec::new();
        for birth in births {
            if let Some(what) = self.entry(birth, &claims, book, tally) {
                wrong.push(what);
            }
        }
        self.registries(book, tally);
        tally.fork(&self.name, made.quality.word(), claims.said(), &wrong);
    }

    /// Judges one entry; what is wrong with it, if anything is.
    fn entry(
        &self,
        birth: usize,
        claims: &Claims,
        book: &Lorebook<'_>,
        tally: &mut Tally,
    ) -> Option<String> {
        let found: Vec<&Entry<'_>> =
            book.entries.iter().filter(|entry| self::birth(entry) == Some(birth)).collect();
        let said: Vec<Lore> = found.iter().map(|entry| lore(entry)).collect();
        // Two of one birth: both must be marked, or it is a claim that cannot be true.
        let level = found.iter().map(|entry| claims.of(&uid(entry))).min();
        let level = level.unwrap_or(claims.whole());
        let is_true = self.now().book.contains_key(&birth);
        let is_right = said.len() <= 1 && self.now().allows(birth, said.first());
        tally.entry(level, is_right);
        if level == Level::Undecided {
            let why = found.first().map(|entry| claims.why(&uid(entry))).unwrap_or_default();
            tally.why(why, is_right);
        }
        if is_right {
            return None;
        }
        let what = format!(
            "entry {birth} ({level:?}): {said:?} instead of {:?}",
            self.now().book.get(&birth)
        );
        match level {
            Level::Certain => tally.example("certain and wrong", || self.told(&what)),
            Level::Recorded => tally.example("recorded and wrong", || self.told(&what)),
            Level::Undecided => {}
        }
        if is_true && found.is_empty() {
            if self.truth.shown.contains(&birth) {
                tally.lost += 1;
                tally.example("lost", || self.told(&what));
            } else if self.story.shown.contains(&birth) {
                tally.shown_elsewhere += 1;
                tally.example("lost, and shown elsewhere", || self.told(&what));
            } else {
                tally.shown_nowhere += 1;
            }
        }
        if said.iter().any(|lore| self.is_of_the_future(birth, lore)) {
            tally.future(level);
        } else if !is_true {
            tally.foreign(level);
        }
        Some(what)
    }

    fn told(&self, what: &str) -> String {
        format!("{}: {what}", self.name)
    }

    /// Whether only later messages of this timeline know this.
    fn is_of_the_future(&self, birth: usize, lore: &Lore) -> bool {
        let knows = |moment: &Moment| moment.allows(birth, Some(lore));
        let (past, future) = self.truth.moments.split_at(self.at + 1);
        !past.iter().any(knows) && future.iter().any(knows)
    }

    /// What registries should list, and what they list.
    fn registries(&self, book: &Lorebook<'_>, tally: &mut Tally) {
        let lines: Vec<(String, String)> = book
            .entries
            .iter()
            .filter(|entry| entry.comment().starts_with("_registry_"))
            .flat_map(|entry| entry.content().lines().filter_map(line).collect::<Vec<_>>())
            .collect();
        let has = |entry: &Entry<'_>| {
            lines.iter().any(|(number, name)| *number == uid(entry) && *name == entry.comment())
        };
        for entry in &book.entries {
            let Some(birth) = birth(entry) else { continue };
            if self.now().registered.contains(&birth) {
                tally.registered += 1;
                tally.unregistered += usize::from(!has(entry));
                if !has(entry) {
                    tally.example("unregistered", || self.told(&entry.comment()));
                }
            }
        }
        let leads = |(number, name): &&(String, String)| {
            book.entries.iter().any(|entry| *number == uid(entry) && *name == entry.comment())
        };
        tally.leading_nowhere += lines.iter().filter(|line| !leads(line)).count();
    }
}

/// Number and name in a line of a registry.
fn line(line: &str) -> Option<(String, String)> {
    let (uid, rest) = line.strip_prefix("- UID=")?.split_once(' ')?;
    let name = rest.split("name: ").nth(1)?.split(" |").next()?;
    Some((uid.to_owned(), name.to_owned()))
}

fn uid(entry: &Entry<'_>) -> String {
    entry.get("uid").map(|uid| uid.text().to_owned()).unwrap_or_default()
}

/// Entries carry their birth among their keys.
fn birth(entry: &Entry<'_>) -> Option<usize> {
    let keys = entry.get("key").map(Json::items).unwrap_or_default();
    keys.iter().find_map(|key| {
        let birth = key.str()?.strip_prefix("born")?.parse().ok()?;
        key.says(&birth_key(birth)).then_some(birth)
    })
}

fn lore(entry: &Entry<'_>) -> Lore {
    Lore {
        name: entry.comment().into_owned(),
        content: entry.content().into_owned(),
        disabled: entry.get("disable").is_some_and(Json::truthy),
    }
}
