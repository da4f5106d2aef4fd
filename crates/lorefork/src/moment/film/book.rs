//! The text of the lorebook that a timeline knows.

use super::answer::{Answer, Known};
use super::lives::Life;
use super::place::{Placed, places};
use super::value::comment;
use super::{Film, registries};
use crate::json::{Json, JsonError, Member, Splices, Style, laid_out, quote, set, set_members};
use crate::memory::entries::is_queue;
use crate::moment::rebuild::entry_text;
use crate::sorted;
use crate::tavern::lorebook::{Entry, Lorebook, LorebookProblem};

/// What a book is made from.
struct Making<'m> {
    live: &'m Lorebook<'m>,
    film: &'m Film<'m>,
    /// The picture that is nearest to the message, if it is asked about an earlier one: bytes that
    /// nobody compares come from there.
    nearest: Option<(usize, Vec<usize>)>,
}

/// The book, and where its entries stand.
#[derive(Debug)]
pub struct Made {
    /// The whole lorebook.
    pub text: String,
    /// Its entries, in their order.
    pub placed: Vec<Placed>,
}

impl Film<'_> {
    /// The lorebook of an answer: the live one, with every byte as it is but for what is not so. Its
    /// queue stays.
    pub fn book(
        &self,
        live: &Lorebook<'_>,
        answer: &Answer,
        nearest: Option<usize>,
    ) -> Result<Made, LorebookProblem> {
        let nearest = nearest.map(|picture| (picture, self.by_uid(picture)));
        make(&Making { live, film: self, nearest }, answer)
    }
}

fn make(making: &Making<'_>, answer: &Answer) -> Result<Made, LorebookProblem> {
    let document = making.live.as_object_text()?;
    let root = Json::parse(&document)?;
    let entries = root.get("entries").unwrap_or(Json::EMPTY);
    let style = Style::of(&document);
    let kept = answer.all.iter().filter_map(|known| Some((known, known.version?)));
    let kept: Vec<(&Known, usize)> = kept.collect();
    let placed = places(making.film, &kept);
    let by_key = sorted::places(&placed, |place| place.live_key.as_ref());
    let mut splices = Splices::new(&document);
    let mut cut = Vec::new();
    // Of keys that stand twice the last counts; the others are nobody's.
    for (key, json) in crate::json::js::ordered(entries) {
        if is_queue(&comment(json)) {
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
    Ok(Made { text, placed })
}

/// Whether an entry is as it stands in the live book.
fn is_live(making: &Making<'_>, life: &Life, place: &Placed) -> bool {
    place.built.is_none() && life.shows[making.film.live()] == Some(place.version)
}

fn life_of<'h>(making: &Making<'h>, place: &Placed) -> &'h Life {
    &making.film.lives.all[place.life]
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
    let is_live = is_live(making, life, place);
    if !is_live || making.nearest.is_some() {
        let live = Entry::new(place.live_key.clone().unwrap_or_default(), json);
        text = recorded_text(making, life, place, Some(&live))?;
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
    let is_live = is_live(making, life, place);
    let mut text = match live {
        Some(live) if is_live => live.json.text().to_owned(),
        live => recorded_text(making, life, place, live)?,
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

/// An entry as it was recorded. Without a nearest picture its place in the order is the live one's,
/// which is the order of the whole book.
fn recorded_text(
    making: &Making<'_>,
    life: &Life,
    place: &Placed,
    live: Option<&Entry<'_>>,
) -> Result<String, JsonError> {
    let nearest = making.nearest.as_ref();
    let nearest = nearest.filter(|(picture, _)| life.shows[*picture] == Some(place.version));
    let nearest = nearest.filter(|_| place.built.is_none());
    let shown =
        nearest.and_then(|(picture, by_uid)| making.film.shown_in(*picture, by_uid, &life.uid));
    let is_live = is_live(making, life, place);
    if let (None, true, Some(live)) = (shown, is_live, live) {
        return Ok(live.json.text().to_owned());
    }
    let version = place.built.as_ref().unwrap_or(&life.versions[place.version].text);
    let recorded = Json::parse(shown.unwrap_or(version))?;
    let text = entry_text(recorded, live)?;
    match live.and_then(|live| live.json.get("order")).filter(|_| shown.is_none()) {
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
    let content = registries::content(making.film, place.life, placed);
    let now = Json::parse(text)?.get("content").and_then(Json::str).unwrap_or_default();
    if now == content { Ok(text.to_owned()) } else { set(text, &["content"], &quote(&content)) }
}
