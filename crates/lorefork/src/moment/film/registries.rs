//! Registries list the entries of the book, so they follow them.

use super::Film;
use super::place::Placed;
use crate::memory::entries::plain_name;
use crate::memory::registries::{self, line_item};
use crate::sorted;

/// The content of a registry for the timeline that keeps `placed`: lines of entries it does not
/// have are left out, those of entries that got another state or number go with them, and those of
/// entries that are gone from the shared book come back.
pub(super) fn content(film: &Film<'_>, registry: usize, placed: &[Placed]) -> String {
    let pictures = Pictures::of(film, registry);
    let Some((number, newest)) = pictures.contents.last() else { return String::new() };
    let by_life = sorted::places(placed, |place| place.life);
    let mut lines: Vec<String> = Vec::new();
    let mut is_listed = vec![false; placed.len()];
    for raw in newest.split('\n') {
        let Some(target) = target(film, *number, raw) else {
            lines.push(raw.to_owned());
            continue;
        };
        let own = sorted::at(&by_life, placed, |place| place.life, &target).first();
        let Some(own) = own.copied() else { continue };
        is_listed[own] = true;
        let is_live = film.lives.all[target].shows[film.live()] == Some(placed[own].version);
        let former = if is_live { None } else { pictures.line_of(film, &placed[own]) };
        lines.push(renumbered(former.unwrap_or(raw), &placed[own]));
    }
    let others = placed.iter().zip(is_listed).filter(|(_, is_listed)| !is_listed);
    let back = others.filter_map(|(place, _)| {
        let line = pictures.line_of(film, place)?;
        Some(renumbered(line, place))
    });
    with_lines(lines, back.collect()).join("\n")
}

/// Puts lines where they belong by their names.
fn with_lines(lines: Vec<String>, back: Vec<String>) -> Vec<String> {
    let name = |line: &str| line_item(line.trim()).map(|item| item.name.to_lowercase());
    // Before the first line with a later name; so what counts is the latest name up to a line.
    let latest = lines.iter().scan(None, |latest: &mut Option<String>, line| {
        *latest = latest.take().max(name(line));
        Some(latest.clone())
    });
    let latest: Vec<Option<String>> = latest.collect();
    // Else behind the last line that says something.
    let end = lines.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
    let place = |line: String| {
        let name = name(&line);
        let at = latest.partition_point(|latest| *latest <= name);
        (if at < lines.len() { at } else { end }, name, line)
    };
    let mut back: Vec<_> = back.into_iter().map(place).collect();
    back.sort_by(|(at, name, _), (other_at, other, _)| (at, name).cmp(&(other_at, other)));
    let mut back = back.into_iter().peekable();
    let mut all = Vec::new();
    for (at, line) in lines.into_iter().enumerate() {
        while let Some((_, _, line)) = back.next_if(|(before, ..)| *before == at) {
            all.push(line);
        }
        all.push(line);
    }
    all.extend(back.map(|(_, _, line)| line));
    all
}

/// Which entry a line of a picture lists: by number and name, or by number; the one that was there
/// then, if several had them.
fn target(film: &Film<'_>, picture: usize, line: &str) -> Option<usize> {
    let item = line_item(line.trim())?;
    let (uid, name) = (item.uid.to_string(), plain_name(&item.name));
    let owners = film.lives.owners(&uid).iter().rev().copied();
    let lives = owners.filter(|life| !film.lives.all[*life].is_registry);
    let is_named = |life: &usize| plain_name(&film.lives.all[*life].comment) == name;
    let is_there = |life: &usize| film.lives.all[*life].shows[picture].is_some();
    // The first of the highest: the newest.
    lives.rev().max_by_key(|life| (is_named(life), is_there(life)))
}

/// A registry in all pictures that show it.
struct Pictures<'h> {
    /// By the number of the picture.
    contents: Vec<(usize, &'h str)>,
    /// The first line of each entry: `(life, picture, line)`, ascending.
    lines: Vec<(usize, usize, &'h str)>,
}

impl<'h> Pictures<'h> {
    fn of(film: &'h Film<'_>, registry: usize) -> Self {
        let all = film.lives.registries.iter().filter(|(_, life, _)| *life == registry);
        let contents: Vec<_> = all.map(|(number, _, text)| (*number, text.as_str())).collect();
        let mut lines = Vec::new();
        for (number, content) in &contents {
            let listed = content.split('\n');
            let listed = listed.filter_map(|line| Some((target(film, *number, line)?, line)));
            lines.extend(listed.map(|(life, line)| (life, *number, line)));
        }
        lines.sort_by_key(|(life, number, _)| (*life, *number));
        lines.dedup_by_key(|(life, number, _)| (*life, *number));
        Self { contents, lines }
    }

    /// The line of an entry, from the newest picture in which the entry was as the timeline has it;
    /// if it was not registered yet, from the first after it that has one.
    fn line_of(&self, film: &Film<'_>, place: &Placed) -> Option<&'h str> {
        let life = &film.lives.all[place.life];
        let newest = life.shows.iter().rposition(|shown| *shown == Some(place.version))?;
        let from = self.lines.partition_point(|(life, ..)| *life < place.life);
        let to = self.lines.partition_point(|(life, ..)| *life <= place.life);
        let own = &self.lines[from..to];
        let later = own.partition_point(|(_, number, _)| *number < newest);
        own.get(later).or_else(|| own[..later].last()).map(|(_, _, line)| *line)
    }
}

fn renumbered(line: &str, place: &Placed) -> String {
    let Some(former) = &place.former else { return line.to_owned() };
    registries::renumbered(line, former, &place.uid)
}
