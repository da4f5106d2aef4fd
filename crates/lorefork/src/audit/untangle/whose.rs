//! What the film of the shared lorebook answers to each timeline, as of its last message.

use super::read::{Common, Timeline};
use crate::json::Json;
use crate::memory::ranges;
use crate::moment::film::value::is_same;
use crate::moment::film::{Answer, Film, Known, Level, Life, Path, Why};
use crate::moment::foreign;
use crate::sorted;
use crate::tavern::chat::Header;
use crate::tavern::entry::uid_text;
use crate::tavern::lorebook::{Entry, Lorebook};
use crate::timeline::record;

/// Whose stories are asked about.
pub(super) struct Asked<'a> {
    pub film: &'a Film<'a>,
    pub family: &'a [Timeline],
    pub common: &'a Common,
    pub live: &'a Lorebook<'a>,
    /// Whether a timeline used the lorebook that cannot be read.
    pub has_strangers: bool,
    /// Until when deleted timelines wrote of which nothing more is told.
    pub untold_until: Option<f64>,
}

impl Asked<'_> {
    /// The story of one of them.
    pub(super) fn path(&self, index: usize) -> Path<'_> {
        let timeline = &self.family[index];
        let header = Header::read(&timeline.header).ok();
        let header = header.as_ref();
        let listed = header.map(foreign::listed).unwrap_or_default();
        let left = header.and_then(|header| record::shared(header, &timeline.chat.name));
        let apart = self.live.ours().and_then(|ours| ours.get("apart")).and_then(Json::number);
        let until = listed.iter().map(|one| one.until).chain(apart);
        let until = until.chain(left.map(|(_, until)| until as f64));
        let mixed = header.and_then(foreign::mixed_until);
        let until = until.chain(mixed).chain(self.untold_until).reduce(f64::max);
        Path {
            teller: index,
            at: timeline.len.saturating_sub(1),
            common: &self.common.messages[index],
            swipes: &self.common.swipes[index],
            superseded: None,
            strangers_until: if self.has_strangers { Some(f64::INFINITY) } else { until },
        }
    }

    /// The answer for each of those who share; the others have theirs already. `keeper` is the one
    /// that keeps the book's name. `taken_along`: what timelines that left have in their own books.
    pub(super) fn answers(
        &self,
        keeper: usize,
        taken_along: &[(String, Json<'_>)],
    ) -> Vec<Option<Answer>> {
        let mut answers: Vec<Option<Answer>> = (0..self.family.len())
            .map(|index| self.family[index].shares.then(|| self.answer(index)))
            .collect();
        let shared = (0..self.family.len()).filter(|index| self.family[*index].shares);
        let paths: Vec<Path<'_>> = shared.map(|index| self.path(index)).collect();
        // What the book says now must stay somewhere, if not each has its part of it.
        for (index, life) in self.film.lives.all.iter().enumerate() {
            let Some(shown) = life.shows[self.film.live()] else { continue };
            let is_it = |known: &Known| {
                known.life == index && known.version == Some(shown) && known.built.is_none()
            };
            let is_kept = answers.iter().flatten().any(|answer| answer.all.iter().any(is_it));
            let is_elsewhere = is_elsewhere(life, shown, taken_along);
            if is_kept || is_elsewhere || self.film.is_told_apart(&paths, index) {
                continue;
            }
            let kept = Known {
                life: index,
                version: Some(shown),
                built: None,
                level: Level::Undecided,
                why: Some(Why::WrittenByNobody),
                was_own: true,
            };
            let Some(answer) = &mut answers[keeper] else { continue };
            match answer.all.iter_mut().find(|known| known.life == index) {
                // It has none, so it may as well have this one.
                Some(known) if known.version.is_none() => *known = kept,
                _ => answer.all.push(kept),
            }
        }
        answers
    }

    fn answer(&self, index: usize) -> Answer {
        let mut answer = self.film.ask(&self.path(index));
        for known in &mut answer.all {
            let life = &self.film.lives.all[known.life];
            let shown = life.shows[self.film.live()];
            let text = shown.map(|version| life.versions[version].text.as_str());
            let json = text.and_then(|text| Json::parse(text).ok());
            let entry = json.map(|json| Entry::new(Vec::new(), json));
            // Those that say from which messages they were made go by these.
            if entry.is_some_and(|entry| ranges::made_from(&entry).is_some()) {
                (known.version, known.level, known.why) = (shown, Level::Certain, None);
                known.built = None;
            }
            // Registries follow the entries they list.
            if life.is_registry {
                let last = life.shows.iter().rev().find_map(|shown| *shown);
                (known.version, known.level, known.why) = (shown.or(last), Level::Certain, None);
                known.built = None;
            }
        }
        answer
    }
}

/// Whether a timeline that has its own book already has an entry there.
fn is_elsewhere(life: &Life, version: usize, taken_along: &[(String, Json<'_>)]) -> bool {
    let from = taken_along.partition_point(|(uid, _)| *uid < life.uid);
    let mut same = taken_along[from..].iter().take_while(|(uid, _)| *uid == life.uid);
    let shown = Json::parse(&life.versions[version].text).ok();
    shown.is_some_and(|shown| same.any(|(_, own)| is_same(*own, shown)))
}

/// Entries of lorebooks, by number.
pub(super) fn by_number<'b>(books: &[Lorebook<'b>]) -> Vec<(String, Json<'b>)> {
    let entries = books.iter().flat_map(|book| &book.entries);
    let mut all: Vec<(String, Json<'b>)> =
        entries.filter_map(|entry| Some((uid_text(entry.some("uid")?), entry.json))).collect();
    sorted::by(&mut all, |(a, _), (b, _)| a.cmp(b));
    all
}
