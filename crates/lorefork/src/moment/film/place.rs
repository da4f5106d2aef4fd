//! Where each entry stands in the lorebook that is made.
//!
//! Numbers are kept. Only where history gave one number to two entries that this timeline both has
//! does the older one get a new number: SillyTavern gives numbers away again when an entry is
//! removed, and another timeline removed it.

use super::Film;
use super::answer::{Known, Level};
use super::lives::Life;
use crate::sorted;

/// A kept entry with its place.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Which entry of the film.
    pub life: usize,
    /// Which of the ways it has been.
    pub version: usize,
    /// Its text, if no picture has it.
    pub built: Option<String>,
    /// Its key in the live book, where it stays if it is there.
    pub live_key: Option<Vec<u16>>,
    /// The number it gets.
    pub uid: String,
    /// The number it had, if it could not be kept.
    pub former: Option<String>,
}

pub(super) fn places(film: &Film<'_>, kept: &[(&Known, usize)]) -> Vec<Placed> {
    let mut next = next_free(film);
    let last_seen =
        |life: &Life| life.shows.iter().rposition(|shown| shown.is_some()).unwrap_or_default();
    let mut order: Vec<usize> = (0..kept.len()).collect();
    // Whoever had the number last keeps it; of two versions of one entry, the one that is sure.
    order.sort_by_key(|index| {
        let (known, _) = kept[*index];
        let is_open = known.level == Level::Undecided;
        (std::cmp::Reverse(last_seen(&film.lives.all[known.life])), is_open)
    });
    let life_of = |index: &usize| &film.lives.all[kept[*index].0.life];
    let firsts = sorted::firsts(&order, |index| life_of(index).uid.as_str());
    let mut placed: Vec<(usize, Placed)> = Vec::new();
    for (index, is_first) in order.into_iter().zip(firsts) {
        let (known, version) = kept[index];
        let life = &film.lives.all[known.life];
        let mut place = Placed {
            life: known.life,
            version,
            built: known.built.clone(),
            live_key: life.live_key.clone(),
            uid: life.uid.clone(),
            former: None,
        };
        if !is_first {
            (place.live_key, place.former) = (None, Some(life.uid.clone()));
            place.uid = next.to_string();
            next += 1;
        }
        placed.push((index, place));
    }
    placed.sort_by_key(|(index, _)| *index);
    placed.into_iter().map(|(_, place)| place).collect()
}

/// A number that no entry ever had. Queues are numbered by the time in milliseconds, which says
/// nothing about entries.
fn next_free(film: &Film<'_>) -> u64 {
    let numbers = film.lives.all.iter().filter_map(|life| life.uid.parse::<u64>().ok());
    numbers.filter(|uid| *uid < 1_000_000_000).max().map_or(0, |uid| uid + 1)
}
