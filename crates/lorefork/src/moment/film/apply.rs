//! What a change makes of an entry that is not, in the story that is asked about, as the picture
//! before the change shows it: another timeline had written to it.
//!
//! A change is what differs between the two pictures: words that were added are added here, too; a
//! text that replaced all of another replaces whatever was here; a switch is switched. Where a text
//! was edited in its middle, nobody knows what would have become of this one.

use super::lives::{Life, Version};
use super::value::canonical;
use crate::json::{Json, JsonError, quote, remove, set};

/// How an entry can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    Absent,
    /// As a picture shows it.
    Is(usize),
    /// As no picture shows it, and yet it is known: like that version, with this text.
    Built(usize, String),
    /// As no picture shows it.
    Unseen,
}

pub(super) fn shown(version: Option<usize>) -> State {
    version.map_or(State::Absent, State::Is)
}

/// What a change makes of a state. `is_told`: whether a scene says that it made it, which then may
/// have built a new text out of the old one.
pub(super) fn changed(
    life: &Life,
    state: &State,
    (before, after): (Option<usize>, Option<usize>),
    is_told: bool,
) -> State {
    let Some(to) = after else { return State::Absent };
    let Some(from) = before.filter(|_| *state != shown(before)) else { return State::Is(to) };
    let (was, is) = (&life.versions[from], &life.versions[to]);
    let (like, own) = match state {
        State::Is(version) => (*version, Some(life.versions[*version].text.as_str())),
        State::Built(version, text) => (*version, Some(text.as_str())),
        State::Absent | State::Unseen => (to, None),
    };
    let own_content = own.map(content).unwrap_or_default();
    let content = match how(&was.content(), &is.content()) {
        // Switching another story's entry on or off makes it no part of this one.
        How::Same if own.is_none() => return state.clone(),
        How::Same => own_content,
        How::Added(_) if *state == State::Unseen => return State::Unseen,
        How::Added(words) if own_content.trim_end().is_empty() => words.trim_start().to_owned(),
        How::Added(words) => format!("{}{words}", own_content.trim_end()),
        How::Replaced if !is_told => is.content(),
        How::Replaced | How::Edited => return State::Unseen,
    };
    let built = built(own.unwrap_or(&is.text), &content, was, is);
    let Ok(text) = built else { return State::Unseen };
    match Json::parse(&text).ok().and_then(|json| life.version_of(&canonical(json))) {
        Some(version) => State::Is(version),
        None => State::Built(like, text),
    }
}

/// An entry with that text, and with what else was changed.
fn built(own: &str, text: &str, was: &Version, is: &Version) -> Result<String, JsonError> {
    let mut built = set(own, &["content"], &quote(text))?;
    let now = Json::parse(&is.text)?;
    for field in was.differing(is).into_iter().filter(|field| field != "content") {
        built = match now.get(&field) {
            Some(value) => set(&built, &[&field], value.text())?,
            None => remove(&built, &[&field])?,
        };
    }
    Ok(built)
}

fn content(text: &str) -> String {
    let json = Json::parse(text).ok();
    let content = json.and_then(|json| json.get("content")?.str().map(|text| text.into_owned()));
    content.unwrap_or_default()
}

/// How one text became another.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum How<'t> {
    Same,
    /// These words came behind it, with the space before them.
    Added(&'t str),
    /// Nothing of it is left.
    Replaced,
    Edited,
}

pub(super) fn how<'t>(was: &str, is: &'t str) -> How<'t> {
    if was.trim_end() == is.trim_end() {
        return How::Same;
    }
    let added = is.strip_prefix(was.trim_end());
    if let Some(added) = added.filter(|added| added.starts_with(char::is_whitespace)) {
        return How::Added(added.trim_end());
    }
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut words: Vec<String> = words.map(str::to_lowercase).collect();
        words.sort_unstable();
        words.dedup();
        words
    };
    let (before, after) = (words(was), words(is));
    let kept = before.iter().filter(|word| after.binary_search(word).is_ok()).count();
    let sentences = |text: &str| -> Vec<String> {
        let parts = text.split(['.', '!', '?', '\n', '。']).map(str::trim);
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let now = sentences(is);
    let is_kept = sentences(was).iter().any(|sentence| now.contains(sentence));
    if is_kept || kept * 2 > before.len() { How::Edited } else { How::Replaced }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_text_became_another() {
        assert_eq!(how("A captain.", "A captain. "), How::Same);
        assert_eq!(how("A captain.", "A captain.\nShe sails."), How::Added("\nShe sails."));
        assert_eq!(how("A captain.", "Gone for good"), How::Replaced);
        assert_eq!(how("A captain. Old.", "The captain of a ship. Old."), How::Edited);
        assert_eq!(how("A captain of old", "A captain, of a very old ship"), How::Edited);
    }
}
