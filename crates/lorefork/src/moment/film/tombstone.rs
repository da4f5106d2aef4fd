//! What is left of a timeline that was deleted: that it was, when it was played, and which scenes and
//! events it had. Whoever shared its lorebook keeps it in the header, because the pictures in the
//! messages, and the lorebook, still show what it wrote.
//!
//! It goes wherever the messages go, so it stands beside our record, not in it. It holds no text of
//! the story: of words only their length and a hash, by which they are found in what entries say.

use super::teller::{OfBook, Played, Print, SceneRecord, Teller};
use crate::json::{Json, Object, array, quote};
use crate::memory::recorded::Touched;
use crate::memory::running::{self, LateWork};
use crate::tavern::chat::Header;
use crate::tavern::entry::uid_text;

/// Where a timeline's header keeps what deleted ones wrote to the lorebook they shared.
pub const KEY: &str = "lorefork_gone";

const VERSION: i64 = 1;
/// Longer ones tell less: a header is sent with every message.
const LONGEST: usize = 16_000;
/// All of a header together; then the oldest tell less.
const ALL: usize = 64_000;
/// Messages that follow each other within this time were played in one go.
const ONE_GO: f64 = 600_000.0;

/// A timeline that was deleted, as one that shared its lorebook knows it.
#[derive(Debug, Clone)]
pub struct Gone {
    /// What it tells of the lorebook.
    pub teller: Teller,
    /// How many messages both have in common.
    pub same: usize,
    /// Until when it wrote things that are not told.
    pub untold_until: Option<f64>,
}

/// The tombstone of a chat, for one of those that shared its lorebook and stay: `same` is how many
/// messages both have in common, `until` when one of them got its own lorebook. `None` if it did
/// nothing of its own.
pub fn of_chat<'l>(
    name: &str,
    header: &str,
    messages: impl Iterator<Item = &'l str>,
    same: usize,
    until: Option<f64>,
) -> Option<String> {
    let mut teller = Teller::new(name, header);
    let is_other = |_: &str| false;
    let was_shared = |_: Option<f64>| true;
    let book =
        OfBook { has_registries: true, shares: true, is_other: &is_other, was_shared: &was_shared };
    for (at, line) in messages.enumerate() {
        teller.read_scene(at, line, &book);
        teller.read_date(at, line, until);
    }
    teller.check_dates();
    let is_in = |time: Option<f64>| until.zip(time).is_none_or(|(until, time)| time < until);
    teller.records.retain(|record| is_in(record.taken.or(record.made)));
    teller.versions.retain(|version| is_in(version.time));
    text(&teller, same)
}

/// Of a timeline of which nothing is known but that it was: `same` is how many messages it had in
/// common with the one that remembers it at least.
pub fn untold(name: &str, same: usize, now_ms: u64) -> String {
    let mut item = Object::new();
    item.raw("v", &VERSION.to_string()).text("chat", name).raw("same", &same.to_string());
    item.raw("played", "[]").raw("untold", &now_ms.to_string()).done()
}

/// Of each that a header tells of.
pub fn read(header: &Header<'_>) -> Vec<Gone> {
    let items = header.meta(&[KEY]).map(Json::items).unwrap_or_default();
    items.into_iter().enumerate().filter_map(|(number, item)| gone(number, item)).collect()
}

/// What a tree has to know of one: that it was, where it parted, and how far it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buried {
    /// Its name.
    pub name: String,
    /// How many messages it had in common with the one whose header tells of it.
    pub same: usize,
    /// How many it had, as far as known.
    pub length: usize,
}

/// Of each that a header tells of.
pub fn buried(header: &Header<'_>) -> Vec<Buried> {
    let items = header.meta(&[KEY]).map(Json::items).unwrap_or_default();
    let one = |item: Json<'_>| {
        let same = item.get("same")?.count()?;
        let played = list(item, "played").into_iter().flat_map(range);
        let length = played.map(|one| one.at + 1).max().unwrap_or(0).max(same);
        Some(Buried { name: item.get("chat")?.str()?.into_owned(), same, length })
    };
    items.into_iter().filter_map(one).collect()
}

/// A list that says of each only that.
pub fn brief(all: &[Buried]) -> String {
    let one = |one: &Buried| {
        let mut item = Object::new();
        item.raw("v", &VERSION.to_string()).text("chat", &one.name).count("same", one.same);
        item.raw("played", &format!("[[{}]]", one.length.saturating_sub(1))).done()
    };
    array(&all.iter().map(one).collect::<Vec<_>>())
}

/// The list of a header with one more; one of the same timeline is replaced.
pub fn with(header: &Header<'_>, tombstone: &str) -> String {
    let chat = |item: &Json<'_>| item.get("chat").map(Json::text).map(str::to_owned);
    let new = Json::parse(tombstone).ok().as_ref().and_then(chat);
    let before = header.meta(&[KEY]).map(Json::items).unwrap_or_default();
    let before = before.iter().filter(|item| chat(item) != new);
    let mut all: Vec<String> = before.map(|item| item.text().to_owned()).collect();
    all.push(tombstone.to_owned());
    for number in 0..all.len() {
        if all.iter().map(String::len).sum::<usize>() <= ALL {
            break;
        }
        let less = Json::parse(&all[number]).ok().and_then(|item| less(item));
        if let Some(less) = less {
            all[number] = less;
        }
    }
    array(&all)
}

fn text(teller: &Teller, same: usize) -> Option<String> {
    let first = teller.first_date(same);
    // A message that both have may have been recapped when they had parted.
    let is_own = |at: usize, time: Option<f64>| {
        at >= same || first.zip(time).is_some_and(|(first, time)| first < time)
    };
    let records: Vec<&SceneRecord> = teller
        .records
        .iter()
        .filter(|record| is_own(record.at, record.taken.or(record.made)))
        .collect();
    let played: Vec<&Played> = teller.played.iter().filter(|one| one.at >= same).collect();
    if records.is_empty() && played.is_empty() {
        return None;
    }
    let versions = teller
        .versions
        .iter()
        .filter(|version| teller.stands(version).is_some_and(|scene| is_own(scene, version.time)));
    let events: Vec<String> = versions.map(event_text).collect();
    let with = |has_words: bool| {
        let scenes: Vec<String> = records.iter().map(|one| scene_text(one, has_words)).collect();
        let mut item = Object::new();
        item.raw("v", &VERSION.to_string()).text("chat", &teller.name);
        item.raw("same", &same.to_string()).raw("played", &array(&ranges(&played)));
        item.raw("scenes", &array(&scenes)).raw("events", &array(&events)).done()
    };
    let whole = [true, false].into_iter().map(with).find(|text| text.len() <= LONGEST);
    whole.or_else(|| less(Json::parse(&with(false)).ok()?))
}

/// The least that has to be said: from when to when it was played.
fn less(item: Json<'_>) -> Option<String> {
    let played: Vec<Played> =
        item.get("played").map(Json::items)?.into_iter().flat_map(range).collect();
    let times = || played.iter().filter_map(|one| one.time);
    let until = times().map(|(_, last)| last).reduce(f64::max).unwrap_or(f64::MAX);
    let one = |at: usize| Played { at, time: times().next().map(|(first, _)| (first, until)) };
    let ends = played.iter().map(|one| one.at).min().zip(played.iter().map(|one| one.at).max());
    let played: Vec<String> = ends.map(|(a, b)| range_text(&one(a), &one(b))).into_iter().collect();
    let mut less = Object::new();
    less.raw("v", &VERSION.to_string()).raw("chat", item.get("chat")?.text());
    less.raw("same", item.get("same")?.text()).raw("played", &array(&played));
    Some(less.raw("untold", &number(until)).done())
}

fn number(time: f64) -> String {
    if time.is_finite() { format!("{time:.0}") } else { "null".to_owned() }
}

fn number_or_null(time: Option<f64>) -> String {
    time.map_or("null".to_owned(), number)
}

/// `[first message, last, from, to]`: messages that were played in one go.
fn ranges(played: &[&Played]) -> Vec<String> {
    let mut all: Vec<(Played, Played)> = Vec::new();
    for one in played {
        let goes_on = all.last().is_some_and(|(_, last)| match (last.time, one.time) {
            (Some((_, last)), Some((first, _))) => (0.0..ONE_GO).contains(&(first - last)),
            (last, time) => last.is_none() && time.is_none(),
        });
        match all.last_mut().filter(|_| goes_on) {
            Some((_, last)) => *last = **one,
            None => all.push((**one, **one)),
        }
    }
    all.iter().map(|(first, last)| range_text(first, last)).collect()
}

fn range_text(first: &Played, last: &Played) -> String {
    let from = number_or_null(first.time.map(|(from, _)| from));
    let to = number_or_null(last.time.map(|(_, to)| to));
    format!("[{},{},{from},{to}]", first.at, last.at)
}

/// Its first and its last message; it may have been any of them at any time of it.
fn range(json: Json<'_>) -> Vec<Played> {
    let items = json.items();
    let count = |place: usize| items.get(place).and_then(|json| json.count());
    let time = |place: usize| items.get(place).and_then(|json| json.number());
    let time = time(2).zip(time(3));
    [count(0), count(1)].into_iter().flatten().map(|at| Played { at, time }).collect()
}

fn scene_text(record: &SceneRecord, has_words: bool) -> String {
    let list = |all: &[String]| array(&all.iter().map(|one| quote(one)).collect::<Vec<_>>());
    let mut item = Object::new();
    item.raw("at", &record.at.to_string());
    item.raw("made", &number_or_null(record.made)).raw("taken", &number_or_null(record.taken));
    if record.is_early {
        item.raw("early", "true");
    }
    if !record.touched.uids.is_empty() {
        item.raw("uids", &list(&record.touched.uids));
    }
    if !record.touched.names.is_empty() {
        item.raw("names", &list(&record.touched.names));
    }
    let words = record.touched.words.iter().filter(|(_, text)| !text.trim().is_empty());
    let words: Vec<String> = words
        .map(|(name, text)| {
            let text = text.trim();
            format!("[{},{},{}]", quote(name), text.len(), quote(&running::hash(text)))
        })
        .collect();
    if has_words && !words.is_empty() {
        item.raw("words", &array(&words));
    }
    item.done()
}

fn event_text(version: &LateWork) -> String {
    let pair = |(name, hash): &(String, String)| format!("[{},{}]", quote(name), quote(hash));
    let keys: Vec<String> = version.events.iter().map(pair).collect();
    let mut item = Object::new();
    item.raw("scene", &version.scene.to_string()).raw("time", &number_or_null(version.time));
    item.raw("keys", &array(&keys)).done()
}

fn list<'j>(json: Json<'j>, key: &str) -> Vec<Json<'j>> {
    json.get(key).map(Json::items).unwrap_or_default()
}

fn gone(number: usize, item: Json<'_>) -> Option<Gone> {
    let text = |json: Json<'_>| json.str().map(|text| text.into_owned());
    let time = |json: Json<'_>, key: &str| json.get(key).and_then(Json::number);
    let name = item.get("chat").and_then(text)?;
    let played: Vec<Played> = list(item, "played").into_iter().flat_map(range).collect();
    let mut untold_until = time(item, "untold");
    // A later Lorefork may tell what this one does not understand.
    if item.get("v").and_then(Json::integer) != Some(VERSION) {
        untold_until = Some(f64::MAX);
    }
    let scene = |(place, json): (usize, Json<'_>)| {
        let print = |json: Json<'_>| {
            let parts = json.items();
            let name = text(*parts.first()?)?;
            Some(Print { name, len: parts.get(1)?.count()?, hash: text(*parts.get(2)?)? })
        };
        Some(SceneRecord {
            at: json.get("at")?.count()?,
            id: format!("gone {number} {place} {name}"),
            made: time(json, "made"),
            taken: time(json, "taken"),
            entries: None,
            is_partial: false,
            is_early: json.get("early").is_some_and(Json::truthy),
            is_waiting: false,
            is_undated: false,
            touched: Touched {
                uids: list(json, "uids").into_iter().map(uid_text).collect(),
                names: list(json, "names").into_iter().filter_map(text).collect(),
                words: Vec::new(),
            },
            prints: list(json, "words").into_iter().filter_map(print).collect(),
            is_swiped_away: false,
        })
    };
    let records: Vec<SceneRecord> =
        list(item, "scenes").into_iter().enumerate().filter_map(scene).collect();
    let version = |json: Json<'_>| {
        let pair = |json: Json<'_>| {
            let parts = json.items();
            Some((text(*parts.first()?)?, text(*parts.get(1)?)?))
        };
        Some(LateWork {
            time: time(json, "time"),
            scene: json.get("scene")?.integer()?,
            events: list(json, "keys").into_iter().filter_map(pair).collect(),
        })
    };
    let versions: Vec<LateWork> = list(item, "events").into_iter().filter_map(version).collect();
    let same = item.get("same").and_then(Json::count)?;
    let scenes = versions.iter().filter_map(|version| usize::try_from(version.scene).ok());
    let recapped = records.iter().map(|record| record.at).chain(scenes).collect();
    let mut teller = Teller::default();
    teller.name = name;
    (teller.records, teller.recapped) = (records, recapped);
    (teller.played, teller.versions) = (played, versions);
    Some(Gone { teller, same, untold_until })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(at: usize, extra: &str) -> String {
        format!(
            r#"{{"name":"A","send_date":"2026-01-01T00:{at:02}:00.000Z","mes":"m{at}","extra":{{{extra}}}}}"#
        )
    }

    fn chat() -> (String, Vec<String>) {
        let header = r#"{"chat_metadata":{"auto_recap_running_scene_recaps":{"versions":[{"version":0,"timestamp":1767225850000,"new_scene_index":3,"event_keys":["0:Storm:abc"]}]}}}"#;
        let scene = r#""auto_recap_memory":{"scene_break":true,"scene_recap_memory":"x","scene_recap_versions":["","{\"stage4\":{\"entities\":[{\"name\":\"Mira\",\"content\":[\"She sails.\"]}]}}"],"scene_recap_metadata":{"1":{"timestamp":1767225840000,"combined_at":1767225845000,"created_entry_uids":["9"],"allEntries":[{"uid":9}]}}}"#;
        let lines = (0..6).map(|at| line(at, if at == 3 { scene } else { "" })).collect();
        (header.to_owned(), lines)
    }

    #[test]
    fn it_tells_what_a_timeline_did_alone_and_none_of_its_words() {
        let (header, lines) = chat();
        let text = of_chat("Gone", &header, lines.iter().map(String::as_str), 2, None).unwrap();
        assert!(!text.contains("sails") && text.len() < 400, "{text}");
        let head = format!(r#"{{"chat_metadata":{{"{KEY}":[{text}]}}}}"#);
        let header = Header::read(&head).unwrap();
        let all = read(&header);
        let gone = &all[0];
        assert_eq!((gone.same, gone.untold_until), (2, None));
        assert_eq!(gone.teller.played.iter().map(|one| one.at).collect::<Vec<_>>(), [2, 5]);
        let scene = &gone.teller.records[0];
        assert_eq!((scene.at, scene.taken), (3, Some(1_767_225_845_000.0)));
        assert_eq!(scene.touched.uids, ["9"]);
        assert_eq!((scene.prints[0].len, gone.teller.versions[0].events.len()), (10, 1));
        // The same once more replaces it.
        assert_eq!(with(&header, &text), format!("[{text}]"));
    }

    #[test]
    fn it_stays_small_whatever_the_timeline_was() {
        let (header, lines) = chat();
        let many: Vec<String> = (0..2000).map(|_| lines[3].clone()).collect();
        let text = of_chat("Gone", &header, many.iter().map(String::as_str), 2, None).unwrap();
        assert!(text.len() < LONGEST);
        let head = format!(r#"{{"chat_metadata":{{"{KEY}":[{text}]}}}}"#);
        let gone = read(&Header::read(&head).unwrap());
        assert!(gone[0].untold_until.is_some() && !gone[0].teller.played.is_empty());
    }

    #[test]
    fn who_did_nothing_alone_leaves_nothing() {
        let (header, lines) = chat();
        assert_eq!(of_chat("Gone", &header, lines.iter().map(String::as_str), 6, None), None);
    }
}
