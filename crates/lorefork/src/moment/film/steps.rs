//! What happened to an entry between two pictures, step by step, and who says so.
//!
//! A scene adds its words to an entry, or makes one of them. So the words that scenes of that time
//! claim are taken off the end of what an entry says: what is left was there before, or somebody
//! else wrote it. What an entry said in between is in no picture, and yet known.

use super::apply::{How, how};
use super::between::{is_event, touches};
use super::lives::Life;
use super::path::{Path, Sides};
use super::teller::Print;
use super::{Film, Record};
use crate::memory::entries::plain_name;
use crate::memory::running;

/// One change of an entry.
#[derive(Debug, Clone, Default)]
pub(super) struct Step {
    /// The pictures before the first and the last of which it can have happened.
    pub between: (usize, usize),
    pub from: Option<usize>,
    pub to: Option<usize>,
    /// Scenes and events that say so.
    records: Vec<usize>,
    events: Vec<usize>,
    /// Whether hands can have done it, too, which nothing records.
    by_hand: bool,
    /// Whether it makes an entry of an event.
    is_event: bool,
    /// Whether its name has the form that scenes give.
    is_of_a_scene: bool,
    /// Whether a scene says to have written it, and not in these words.
    pub is_told: bool,
    /// Whether nothing of the former text is left, or of the one that an event was given.
    is_replaced: bool,
    /// Whether scenes are only taken for who took it because their own words come right behind.
    pub is_followed: bool,
}

impl Step {
    /// Scenes that say so.
    pub(super) fn records(&self) -> &[usize] {
        &self.records
    }
}

/// Fields that a scene changes when it merges something into an entry.
const MERGED: [&str; 3] = ["content", "key", "comment"];

impl Film<'_> {
    pub(super) fn take_steps(&mut self) {
        let mut lives = std::mem::take(&mut self.lives.all);
        let steps = lives.iter_mut().map(|life| self.steps_of(life)).collect();
        (self.lives.all, self.steps) = (lives, steps);
    }

    fn steps_of(&self, life: &mut Life) -> Vec<Step> {
        let mut steps = Vec::new();
        let (mut from, mut since) = (None, 0);
        for (number, to) in life.shows.clone().into_iter().enumerate() {
            let between = (since, number);
            match to {
                _ if from == to => {}
                None => steps.push(Self::removal(between, from)),
                Some(to) => self.writing(&mut steps, life, between, (from, to)),
            }
            if life.is_sure[number] {
                since = number + 1;
            }
            from = to;
        }
        steps
    }

    /// Removals are never listed: any scene of that time may have done it, or any hand.
    fn removal(between: (usize, usize), from: Option<usize>) -> Step {
        Step { between, from, by_hand: true, ..Step::default() }
    }

    /// From one text to another.
    fn writing(
        &self,
        steps: &mut Vec<Step>,
        life: &mut Life,
        between: (usize, usize),
        (from, to): (Option<usize>, usize),
    ) {
        // Registries follow the entries they list.
        if life.is_registry {
            let to = Some(to);
            return steps.push(Step { between, from, to, by_hand: true, ..Step::default() });
        }
        let name = plain_name(&life.comment);
        let touching: Vec<(usize, &Record)> = self
            .works(between)
            .into_iter()
            .filter(|(_, one)| touches(&one.touched, life, &name))
            .collect();
        let content = life.versions[to].content();
        let was = from.map(|from| life.versions[from].content());
        let was_disabled = from.is_some_and(|from| life.versions[from].is_disabled());
        // What they say to have written: who, and the words, once each.
        let mut words: Vec<(usize, &str)> = Vec::new();
        for (number, record) in &touching {
            let own = record.touched.words.iter().filter(|(of, _)| plain_name(of) == name);
            words.extend(own.map(|(_, text)| (*number, text.trim())));
        }
        // What stood there before was not added: a model may have put it elsewhere.
        let is_new = |text: &str| {
            let had = was.as_deref().map_or(0, |was| was.matches(text).count());
            had == 0 || content.matches(text).count() > had
        };
        words.retain(|(_, text)| !text.is_empty() && is_new(text));
        let prints: Vec<(usize, &Print)> = touching
            .iter()
            .flat_map(|(number, record)| record.prints.iter().map(move |print| (*number, print)))
            .filter(|(_, print)| plain_name(&print.name) == name)
            .collect();

        // Take off the words from the end, as far as they go.
        let mut left = content.trim_end();
        let mut added: Vec<(Vec<usize>, &str)> = Vec::new();
        let mut maker: Option<(Vec<usize>, Vec<usize>)> = None;
        loop {
            if was.as_deref().is_some_and(|was| was.trim_end() == left) {
                break;
            }
            let hash = running::hash(left);
            let made = self.events_before(between).filter(|(_, event)| {
                from.is_none()
                    && is_event(&life.comment)
                    && event.name == name
                    && event.hash == hash
                    && !left.is_empty()
            });
            let made: Vec<usize> = made.map(|(number, _)| number).collect();
            if !made.is_empty() {
                let same = words.iter().filter(|(_, text)| *text == left);
                maker = Some((same.map(|(number, _)| *number).collect(), made));
                break;
            }
            let at_end = |text: &str| {
                left.strip_suffix(text)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with(char::is_whitespace))
            };
            let printed = prints.iter().filter_map(|(number, print)| {
                let text = left.get(left.len().checked_sub(print.len)?..)?;
                let is_it = print.len > 0 && running::hash(text) == print.hash && is_new(text);
                is_it.then_some((*number, text))
            });
            let said: Vec<(usize, &str)> = words.iter().copied().chain(printed).collect();
            let longest = said.iter().map(|(_, text)| *text).filter(|text| at_end(text));
            let Some(text) = longest.max_by_key(|text| text.len()) else { break };
            let who: Vec<usize> =
                said.iter().filter(|(_, own)| *own == text).map(|(number, _)| *number).collect();
            words.retain(|(_, own)| *own != text);
            let rest = left[..left.len() - text.len()].trim_end();
            // All of it is what they say: they made it, or wrote it anew.
            if rest.is_empty() {
                maker = Some((who, Vec::new()));
                break;
            }
            added.push((who, left));
            left = rest;
        }

        // What came before the words, then each of them.
        // Scenes whose only words come right behind.
        let says_more = |number: &usize| words.iter().any(|(of, _)| of == number);
        let first = added.last().map(|(who, _)| who.as_slice()).unwrap_or_default();
        let first: Vec<usize> = first.iter().copied().filter(|one| !says_more(one)).collect();
        let mut at = from;
        let mut step =
            |life: &mut Life, who: (Vec<usize>, Vec<usize>), text: &str, by_hand: bool| {
                let text = if text == content.trim_end() { &content } else { text };
                let next = life.with_text(to, text, was_disabled).or(Some(to));
                if next != at {
                    let (records, events) = who;
                    let is_event = at.is_none() && is_event(&life.comment);
                    let is_of_a_scene = self.is_of_a_scene(life) || is_event;
                    let is_told = by_hand && !(records.is_empty() && events.is_empty());
                    let is_replaced = at.map_or(!events.is_empty(), |at| {
                        how(&life.versions[at].content(), text) == How::Replaced
                    });
                    let is_followed = is_told && records.iter().all(|one| first.contains(one));
                    steps.push(Step {
                        between,
                        from: at,
                        to: next,
                        records,
                        events,
                        by_hand,
                        is_event,
                        is_of_a_scene,
                        is_told,
                        is_replaced,
                        is_followed,
                    });
                    at = next;
                }
            };
        if let Some(maker) = maker {
            step(life, maker, left, false);
        } else if was.as_deref().map(str::trim_end) != Some(left) {
            // Somebody wrote it: a scene that says so in other words, or that wrote all anew before it
            // added its own, or a hand.
            let is_left = |number: &usize| {
                let is_used = added.iter().any(|(who, _)| who.contains(number));
                says_more(number) || !is_used || first.contains(number)
            };
            let records: Vec<usize> =
                touching.iter().map(|(number, _)| *number).filter(is_left).collect();
            let named = self.events_before(between).filter(|(_, event)| {
                from.is_none() && is_event(&life.comment) && event.name == name
            });
            let events = named.map(|(number, _)| number).collect();
            step(life, (records, events), left, true);
        }
        for (who, text) in added.into_iter().rev() {
            step(life, (who, Vec::new()), text, false);
        }
        // What is no text is changed by hand; keys and names also by whoever merges.
        if at != Some(to) {
            let besides = |version: usize| life.versions[version].besides(&MERGED);
            let is_merged = at.is_some_and(|at| besides(at) == besides(to));
            let records: Vec<usize> = touching.iter().map(|(number, _)| *number).collect();
            let records = if is_merged { records } else { Vec::new() };
            let (from, to) = (at, Some(to));
            steps.push(Step { between, from, to, records, by_hand: true, ..Step::default() });
        }
    }

    /// Who can have written over what scenes of another story did, or made what they wrote to. One that
    /// took the last picture itself shows what it did: nobody came between.
    fn hands_besides(&self, path: &Path<'_>, step: &Step, hands: Sides) -> Sides {
        let last = self.pictures.get(step.between.1).map(|picture| picture.record);
        let records = step.records.iter().map(|number| (*number, &self.records[*number]));
        let others = records.filter(|(number, one)| Some(*number) != last || one.is_early);
        let times = others.map(|(_, one)| one.taken.or(one.made).unwrap_or(f64::NEG_INFINITY));
        match times.reduce(f64::min) {
            // Scenes make no entries of such names: somebody had made it before they wrote to it.
            _ if !step.is_of_a_scene && step.from.is_none() => hands,
            None => Sides::default(),
            Some(_) if !step.is_of_a_scene => hands,
            Some(since) => self.played_since(path, step.between, since),
        }
    }

    /// Who can have taken a step, those first who are the likeliest: who says so; who was there; who
    /// may have been.
    pub(super) fn writers(&self, path: &Path<'_>, step: &Step) -> [Sides; 3] {
        let records = step.records.iter().map(|number| path.record(self, &self.records[*number]));
        let events = step.events.iter().map(|number| path.event(self, &self.events[*number]));
        let recorded = records.chain(events).fold(Sides::default(), Sides::and);
        if !step.by_hand {
            return [recorded, Sides::default(), Sides::default()];
        }
        let works = self.works(step.between).into_iter().filter(|_| step.to.is_none());
        let works = works.map(|(_, record)| path.record(self, record));
        let works = works.fold(Sides::default(), Sides::and);
        let hands = self.hands(path, step.between).and(works);
        let taker = self.taker(path, step.between);
        // Right after a picture, or before the first message: nothing tells of that. What was made then
        // must not be lost. What was removed then stays, and what others may have removed then is not
        // taken for removed here.
        let hands = match (step.from, step.to) {
            (None, _) => hands.and(taker).and(self.stood(path, step.between, true)),
            (_, None) => hands.and(Sides { on: false, ..taker }),
            _ => hands,
        };
        // It may always have been there.
        let is_put_back = step.from.is_none() && self.was_taken_apart(path, step.between);
        let hands = if is_put_back { hands.and(Sides::OPEN) } else { hands };
        let recorded = match recorded {
            nobody if is_put_back && nobody.is_nobody() => nobody,
            // Only scenes give such names, and this one's did not say so.
            nobody if step.is_event && nobody.is_nobody() => {
                let late = self.late(path, step.between);
                if late == Sides::OFF { late.and(hands) } else { late }
            }
            // An event that does not say what it was given: the hand that wrote it anew may have been
            // before, or after. (Of other entries a model may have written all anew.)
            told if step.is_told && step.is_replaced && step.from.is_none() => told.and(hands),
            // Nor need those have made it who name it, in words that are not there: one before may have,
            // and not said so.
            told if step.is_told && step.is_event => told.and(self.late(path, step.between)),
            told if step.is_told && told == Sides::OFF => {
                told.and(self.hands_besides(path, step, hands))
            }
            told => told,
        };
        [recorded, hands, taker.and(self.stood(path, step.between, false))]
    }
}
