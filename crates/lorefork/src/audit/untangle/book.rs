//! The text of one timeline's own book.

use super::decide::Decision;
use super::history::{History, Life};
use super::place::{Placed, places};
use super::registries;
use crate::json::{Json, JsonError, Member, Splices, Style, laid_out, quote, set, set_members};
use crate::memory::memorybooks;
use crate::memory::recap::queue;
use crate::moment::rebuild::entry_text;
use crate::sorted;
use crate::tavern::lorebook::{Entry, Lorebook};
use crate::tavern::names::same_lorebook;

/// What a book is made from.
pub(super) struct Making<'m> {
    pub live: &'m Lorebook<'m>,
    pub history: &'m History,
    pub decision: &'m Decision,
    /// Whether an operation of the queue goes on here.
    pub waits_here: &'m dyn Fn(Json<'_>) -> bool,
    /// Whether a memory of MemoryBooks is of a message this timeline does not have.
    pub is_foreign_memory: &'m dyn Fn(&Entry<'_>) -> bool,
    /// The shared book's name, and this one's; `None` for the shared book itself, in which further
    /// queues are left alone.
    pub renamed: Option<(&'m str, &'m str)>,
}

/// The book, and where its entries stand.
pub(super) struct Made {
    pub text: String,
    pub placed: Vec<Placed>,
    /// How many memories of other timelines' messages were left out.
    pub memories_left_out: usize,
}

/// The live book, with every byte as it is but for what is not this timeline's.
pub(super) fn make(making: &Making<'_>) -> Result<Made, crate::tavern::lorebook::LorebookProblem> {
    let document = making.live.as_object_text()?;
    let root = Json::parse(&document)?;
    let entries = root.get("entries").unwrap_or(Json::EMPTY);
    let style = Style::of(&document);
    let placed = places(making.history, making.decision);
    let by_key = sorted::places(&placed, |place| place.live_key.as_ref());
    let mut splices = Splices::new(&document);
    let mut queues = 0;
    let mut cut = Vec::new();
    // Of keys that stand twice the last counts; the others are nobody's.
    for (key, json) in crate::json::js::ordered(entries) {
        let is_queue = json.get("comment").is_some_and(|comment| comment.says(queue::COMMENT));
        if is_queue {
            queues += 1;
            if queues == 1 {
                let mut text = queue::with_only(json, making.waits_here)?;
                if let Some((from, to)) = making.renamed {
                    let is_it = |name: &str| same_lorebook(name, from);
                    text = queue::with_lorebook(Json::parse(&text)?, is_it, to)?;
                }
                if text != json.text() {
                    splices.replace(json, text);
                }
            } else if making.renamed.is_some() {
                cut.push(key);
            }
            continue;
        }
        let found =
            sorted::at(&by_key, &placed, |place| place.live_key.as_ref(), &Some(&key)).first();
        match found.map(|place| &placed[*place]) {
            None => cut.push(key),
            Some(place) => {
                if let Some(text) = changed(making, place, &placed, json)? {
                    splices.replace(json, laid_out(&text, style, 2)?);
                }
            }
        }
    }
    cut.sort_unstable();
    let is_cut =
        |member: &Member<'_>| member.key.units().is_some_and(|key| cut.binary_search(&key).is_ok());
    splices.cut_members(entries, is_cut);
    let mut text = splices.apply();
    let by_key = sorted::places(&making.live.entries, |entry| entry.key.as_slice());
    let mut back = Vec::new();
    for place in placed.iter().filter(|place| place.live_key.is_none()) {
        back.push((place.uid.as_str(), added(making, place, &placed, &by_key)?));
    }
    text = set_members(&text, "entries", &back)?;
    let (text, memories_left_out) = memorybooks::without(&text, making.is_foreign_memory)?;
    Ok(Made { text, placed, memories_left_out })
}

fn life_of<'h>(making: &Making<'h>, place: &Placed) -> &'h Life {
    &making.history.lives[place.life]
}

/// The new text of an entry that stands in the live book; `None` if it stays as it is.
fn changed(
    making: &Making<'_>,
    place: &Placed,
    placed: &[Placed],
    json: Json<'_>,
) -> Result<Option<String>, JsonError> {
    let life = life_of(making, place);
    let mut text = json.text().to_owned();
    if life.shows[making.history.live()] != Some(place.version) {
        let live = Entry::new(place.live_key.clone().unwrap_or_default(), json);
        text = recorded_text(life, place, Some(&live))?;
    }
    if life.is_registry {
        text = with_lines(making, &text, place, placed)?;
    }
    Ok((text != json.text()).then_some(text))
}

/// The text of an entry that the live book no longer has, or has under another owner's number.
/// `by_key`: places of the live book's entries.
fn added(
    making: &Making<'_>,
    place: &Placed,
    placed: &[Placed],
    by_key: &[usize],
) -> Result<String, JsonError> {
    let life = life_of(making, place);
    let live = life.live_key.as_ref().and_then(|key| {
        let found =
            sorted::at(by_key, &making.live.entries, |entry| entry.key.as_slice(), &key.as_slice());
        found.first().map(|place| &making.live.entries[*place])
    });
    let is_live = life.shows[making.history.live()] == Some(place.version);
    let mut text = match live {
        Some(live) if is_live => live.json.text().to_owned(),
        live => recorded_text(life, place, live)?,
    };
    if place.former.is_some() {
        let shown_at = Json::parse(&text)?.get("displayIndex").map(|at| at.text().to_owned());
        let former = Json::parse(&text)?.get("uid").map(|uid| uid.text().to_owned());
        text = set(&text, &["uid"], &place.uid)?;
        if shown_at.is_some() && shown_at == former {
            text = set(&text, &["displayIndex"], &place.uid)?;
        }
    }
    if life.is_registry {
        text = with_lines(making, &text, place, placed)?;
    }
    Ok(text)
}

/// An entry as it was recorded. Its place in the order is the live one's, which is the order of the
/// whole book.
fn recorded_text(
    life: &Life,
    place: &Placed,
    live: Option<&Entry<'_>>,
) -> Result<String, JsonError> {
    let recorded = Json::parse(&life.versions[place.version].text)?;
    let text = entry_text(recorded, live)?;
    match live.and_then(|live| live.json.get("order")) {
        Some(order) => set(&text, &["order"], order.text()),
        None => Ok(text),
    }
}

fn with_lines(
    making: &Making<'_>,
    text: &str,
    place: &Placed,
    placed: &[Placed],
) -> Result<String, JsonError> {
    let content = registries::content(making.history, place.life, placed);
    let now = Json::parse(text)?.get("content").and_then(Json::str).unwrap_or_default();
    if now == content { Ok(text.to_owned()) } else { set(text, &["content"], &quote(&content)) }
}
