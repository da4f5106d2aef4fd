//! Registries list the entries of the book, so they follow them.

use super::history::History;
use super::place::Placed;
use crate::memory::recap::registry::line_item;
use crate::moment::rebuild::plain_name;

/// The content of a registry for the timeline that keeps `placed`: lines of entries it does not
/// have are left out, those of entries that got another state or number go with them, and those of
/// entries that are gone from the shared book come back.
pub(super) fn content(history: &History, registry: usize, placed: &[Placed]) -> String {
    let newest = history.registries.iter().rev().find(|(_, life, _)| *life == registry);
    let Some((_, _, newest)) = newest else { return String::new() };
    let mut lines: Vec<String> = Vec::new();
    let mut listed: Vec<usize> = Vec::new();
    for raw in newest.split('\n') {
        let Some(target) = target(history, raw) else {
            lines.push(raw.to_owned());
            continue;
        };
        let Some(own) = placed.iter().position(|placed| placed.life == target) else { continue };
        listed.push(own);
        let is_live = history.lives[target].shows[history.live()] == Some(placed[own].version);
        let former = if is_live { None } else { line_of(history, registry, &placed[own]) };
        let text = former.unwrap_or_else(|| raw.to_owned());
        lines.push(renumbered(&text, &placed[own]));
    }
    for (own, place) in placed.iter().enumerate() {
        if listed.contains(&own) {
            continue;
        }
        if let Some(text) = line_of(history, registry, place) {
            let text = renumbered(&text, place);
            let name = |line: &str| line_item("", line.trim()).map(|item| item.name.to_lowercase());
            let is_later =
                |other: &String| name(other).is_some_and(|other| Some(other) > name(&text));
            let at = lines.iter().position(is_later).unwrap_or_else(|| {
                // Behind the last line that says something.
                lines.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1)
            });
            lines.insert(at, text);
        }
    }
    lines.join("\n")
}

/// Which entry a line lists: by number and name; a line of neither is left alone.
fn target(history: &History, line: &str) -> Option<usize> {
    let item = line_item("", line.trim())?;
    let (uid, name) = (item.uid.to_string(), plain_name(&item.name));
    let is_named = |life: &&super::history::Life| plain_name(&life.comment) == name;
    let lives = || history.lives.iter().enumerate().filter(|(_, life)| !life.is_registry).rev();
    let by_both = lives().find(|(_, life)| life.uid == uid && is_named(life));
    let by_number = || lives().find(|(_, life)| life.uid == uid);
    by_both.or_else(by_number).map(|(index, _)| index)
}

/// The line of an entry, from the newest picture in which the entry was as the timeline has it; if
/// it was not registered yet, from the first after it that has one.
fn line_of(history: &History, registry: usize, place: &Placed) -> Option<String> {
    let life = &history.lives[place.life];
    let newest = life.shows.iter().rposition(|shown| *shown == Some(place.version))?;
    let lines = |content: &str| {
        let own = |line: &&str| target(history, line) == Some(place.life);
        content.split('\n').find(own).map(str::to_owned)
    };
    let of = |number: usize| {
        let mut pictures = history.registries.iter();
        pictures
            .find(|(picture, life, _)| *picture == number && *life == registry)
            .and_then(|(_, _, content)| lines(content))
    };
    of(newest)
        .or_else(|| (newest + 1..=history.live()).find_map(of))
        .or_else(|| (0..newest).rev().find_map(of))
}

fn renumbered(line: &str, place: &Placed) -> String {
    let Some(former) = &place.former else { return line.to_owned() };
    for mark in ["UID=", "uid: ", "uid:"] {
        if let Some((head, rest)) = line.split_once(mark)
            && let Some(rest) = rest.strip_prefix(former.as_str())
        {
            return format!("{head}{mark}{}{rest}", place.uid);
        }
    }
    line.to_owned()
}
