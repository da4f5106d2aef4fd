//! A lorebook rebuilt from a snapshot.
//!
//! A snapshot records 27 fields of an entry. What it does not record comes from the live entry, if
//! that still is the same entry, else from SillyTavern's defaults.

use super::foreign::{Foreign, is_foreign};
use crate::json::{Json, JsonError, Style, js, quote_units, set};
use crate::memory::entries::{self, is_no_name, plain_name};
use crate::memory::queues;
use crate::memory::registries::{self, Item, Mend};
use crate::memory::scene::Snapshot;
use crate::sorted;
use crate::tavern::entry;
use crate::tavern::lorebook::{Entry, Lorebook, LorebookProblem, empty_book, entries_text};

/// A lorebook made from a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    /// The whole file.
    pub text: String,
    /// How many recorded entries have no uid, or that of another one: nobody knows their place.
    pub left_out: usize,
}

/// The lorebook of the snapshot, with everything about the book that is not an entry as it is now.
/// `live` is `None` if the file is gone; `foreign` is what other timelines wrote.
pub fn rebuild(
    snapshot: &Snapshot<'_>,
    live: Option<&Lorebook<'_>>,
    foreign: &[Foreign],
    now_ms: u64,
) -> Result<Rebuilt, JsonError> {
    let mut entries: Vec<(Vec<u16>, String)> = Vec::new();
    let (others, own): (Vec<Json<'_>>, Vec<Json<'_>>) = snapshot
        .entries
        .iter()
        .filter(|entry| !is_queue(**entry))
        .partition(|entry| is_foreign(foreign, **entry, snapshot.taken));
    let mut other_uids: Vec<i64> =
        others.iter().filter_map(|other| other.get("uid").and_then(Json::integer)).collect();
    other_uids.sort_unstable();
    let keys: Vec<Option<Vec<u16>>> =
        own.iter().map(|recorded| recorded.some("uid").map(key_of)).collect();
    let firsts = sorted::firsts(&keys, |key| key.as_deref());
    let live_keys = live.map(|book| sorted::places(&book.entries, |entry| entry.key.as_slice()));
    for ((recorded, key), is_first) in own.iter().zip(keys).zip(firsts) {
        let Some(key) = key.filter(|_| is_first) else { continue };
        let same = live.zip(live_keys.as_deref());
        let same = same.and_then(|(book, keys)| same_entry(book, keys, &key, *recorded));
        entries.push((key, without_lines_of(&other_uids, entry_text(*recorded, same)?)?));
    }
    let left_out = own.len() - entries.len();
    let mut taken: Vec<&[u16]> = entries.iter().map(|(key, _)| key.as_slice()).collect();
    taken.sort_unstable();
    let queue = queue_for(live, &taken, now_ms)?;
    entries.extend(queue);
    let entries = entries_text(entries.iter().map(|(key, text)| (key.as_slice(), text.as_str())));
    let empty = empty_book();
    let book = set(live.map_or(empty.as_str(), |book| book.text), &["entries"], &entries)?;
    // As the live one is spread: in a file over lines, in an answer of the server not at all.
    let style = match live.map(|book| Style::of(book.text)) {
        Some(Style::Compact) => Style::Compact,
        _ => Style::TAVERN,
    };
    Ok(Rebuilt { text: js::stringify(Json::parse(&book)?, style)?, left_out })
}

/// A registry without the lines of entries that were left out, given by their sorted numbers; any
/// other entry as it is.
fn without_lines_of(others: &[i64], entry: String) -> Result<String, JsonError> {
    if others.is_empty() {
        return Ok(entry);
    }
    let is_other = |item: &Item| others.binary_search(&item.uid).is_ok();
    let mend = |item: &Item| if is_other(item) { Mend::Drop } else { Mend::Keep };
    registries::mended(Json::parse(&entry)?, mend)
}

fn key_of(uid: Json<'_>) -> Vec<u16> {
    uid.units().unwrap_or_else(|| js::number(uid).encode_utf16().collect())
}

/// The live queue, emptied; a new one if there is none, or if its place belonged to somebody else
/// at the time of the snapshot.
fn queue_for(
    live: Option<&Lorebook<'_>>,
    taken: &[&[u16]],
    now_ms: u64,
) -> Result<Option<(Vec<u16>, String)>, JsonError> {
    let queue = live.and_then(|book| book.entries.iter().find(|entry| is_queue(entry.json)));
    if let Some(entry) = queue.filter(|entry| taken.binary_search(&entry.key.as_slice()).is_err()) {
        return Ok(Some((entry.key.clone(), queues::emptied(entry.json)?)));
    }
    let mut uid = now_ms;
    let key = |uid: u64| uid.to_string().encode_utf16().collect::<Vec<u16>>();
    while taken.binary_search(&key(uid).as_slice()).is_ok() {
        uid += 1;
    }
    Ok(queues::new_entry(uid)?.map(|entry| (key(uid), entry)))
}

/// A lorebook with a queue, which is empty if it had none.
pub fn with_queue(text: &str, now_ms: u64) -> Result<String, LorebookProblem> {
    let book = Lorebook::read(text)?;
    if book.entries.iter().any(|entry| is_queue(entry.json)) {
        return Ok(text.to_owned());
    }
    let mut taken: Vec<&[u16]> = book.entries.iter().map(|entry| entry.key.as_slice()).collect();
    taken.sort_unstable();
    let with = || {
        let Some((key, queue)) = queue_for(None, &taken, now_ms)? else {
            return Ok(text.to_owned());
        };
        let text = set(text, &["entries", &String::from_utf16_lossy(&key)], &queue)?;
        js::stringify(Json::parse(&text)?, Style::TAVERN)
    };
    with().map_err(LorebookProblem::Json)
}

fn is_queue(entry: Json<'_>) -> bool {
    let comment = entry.get("comment").and_then(Json::str);
    comment.is_some_and(|comment| entries::is_queue(&comment))
}

/// The live entry that is the recorded one. `keys`: places of the live entries by key.
fn same_entry<'b>(
    book: &'b Lorebook<'_>,
    keys: &[usize],
    key: &[u16],
    recorded: Json<'_>,
) -> Option<&'b Entry<'b>> {
    let found = sorted::at(keys, &book.entries, |entry| entry.key.as_slice(), &key);
    let mut found = found.iter().map(|place| &book.entries[*place]);
    found.find(|entry| is_same_entry(entry.json, recorded))
}

/// Whether two entries with one uid are the same entry: they have the same name. A uid alone proves
/// nothing, since SillyTavern gives free ones away again.
pub fn is_same_entry(a: Json<'_>, b: Json<'_>) -> bool {
    let name = |json: Json<'_>| {
        let comment = json.get("comment").and_then(Json::str).unwrap_or_default();
        plain_name(&comment)
    };
    name(a) == name(b)
}

/// Whether the snapshot really says something about this field.
fn is_recorded(field: &str, value: Json<'_>) -> bool {
    match field {
        // Derived from other fields, or only meant while SillyTavern runs.
        "strategy" => false,
        "keysecondary" => !value.items().is_empty(),
        "comment" => !value.str().is_some_and(|comment| is_no_name(&comment)),
        _ => !entry::RUNTIME.contains(&field),
    }
}

/// An entry as it was recorded, with what snapshots leave out taken from the live one.
pub fn entry_text(recorded: Json<'_>, live: Option<&Entry<'_>>) -> Result<String, JsonError> {
    let mut fields: Vec<(Vec<u16>, String)> = Vec::new();
    match live {
        Some(live) => fields.extend(
            js::ordered(live.json)
                .into_iter()
                .filter(|(key, _)| {
                    !entry::RUNTIME
                        .iter()
                        .any(|runtime| key.iter().copied().eq(runtime.encode_utf16()))
                })
                .map(|(key, value)| (key, value.text().to_owned())),
        ),
        None => {
            let uid = recorded.get("uid").map_or("null", Json::text);
            fields.push(("uid".encode_utf16().collect(), uid.to_owned()));
            fields.extend(
                entry::new_entry_fields()
                    .map(|(field, default)| (field.encode_utf16().collect(), default.to_owned())),
            );
        }
    }
    for (key, value) in js::ordered(recorded) {
        if !is_recorded(&String::from_utf16_lossy(&key), value) {
            continue;
        }
        match fields.iter_mut().find(|(other, _)| *other == key) {
            Some((_, old)) => *old = value.text().to_owned(),
            None => fields.push((key, value.text().to_owned())),
        }
    }
    let members: Vec<String> =
        fields.iter().map(|(key, value)| format!("{}:{value}", quote_units(key))).collect();
    Ok(format!("{{{}}}", members.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rebuilt(entries: &str, live: &str) -> String {
        let snapshot_text = format!("[{entries}]");
        let snapshot = Snapshot {
            taken: Some(7.0),
            version: "0".into(),
            entries: Json::parse(&snapshot_text).unwrap().items(),
            created: None,
        };
        let live = Lorebook::read(live).unwrap();
        rebuild(&snapshot, Some(&live), &[], 1_763_632_438_061).unwrap().text
    }

    #[test]
    fn r035_uids_stay_and_a_reused_uid_is_another_entry() {
        let live = r#"{"entries":{"25":{"uid":25,"comment":"character-Elder Maelis","content":"elder","characterFilter":{"names":["x"]}}}}"#;
        let text = rebuilt(
            r#"{"uid":25,"comment":"character-Guardian","content":"guard","world":"W","strategy":"normal","tags":[]}"#,
            live,
        );
        let book = Lorebook::read(&text).unwrap();
        let entry = &book.entries[0];
        assert_eq!(
            (entry.uid(), entry.comment().as_ref(), entry.content().as_ref()),
            (Some(25), "character-Guardian", "guard")
        );
        assert!(
            entry.json.get("characterFilter").is_none()
                && entry.json.get("world").is_none()
                && entry.json.get("strategy").is_none()
        );
        assert_eq!(entry.json.get("useProbability").unwrap().text(), "true");
        assert!(!text.contains("elder"));
    }

    #[test]
    fn what_is_not_recorded_comes_from_the_same_live_entry() {
        let live = r#"{"entries":{"9":{"uid":9,"key":["a"],"keysecondary":["ferry"],"comment":"eldoria","content":"now","scanDepth":2,"odd":1.0}},"top":{"x":1}}"#;
        let text = rebuilt(
            r#"{"comment":"location-Eldoria","uid":9,"world":"W","key":["a","b"],"keysecondary":[],"content":"then","tags":["t"]}"#,
            live,
        );
        let book = Lorebook::read(&text).unwrap();
        let entry = &book.entries[0];
        assert_eq!(entry.content(), "then");
        assert_eq!(entry.comment(), "location-Eldoria");
        assert_eq!(entry.json.at(&["keysecondary"]).unwrap().items().len(), 1);
        assert_eq!(
            (entry.json.get("scanDepth").unwrap().text(), entry.json.get("odd").unwrap().text()),
            ("2", "1")
        );
        assert!(book.json.at(&["top", "x"]).is_some());
    }

    #[test]
    fn r050_the_queue_is_one_and_empty() {
        let live = r#"{"entries":{"1763632438061":{"uid":1763632438061,"comment":"__operation_queue","content":"{\"queue\":[{}]}"}}}"#;
        let text =
            rebuilt(r#"{"uid":0,"comment":"a"},{"uid":7,"comment":"__operation_queue"}"#, live);
        let book = Lorebook::read(&text).unwrap();
        assert_eq!(book.entries.iter().filter(|e| is_queue(e.json)).count(), 1);
        assert_eq!(book.entries[1].content(), r#"{"queue":[]}"#);
        let none = rebuilt(r#"{"uid":0,"comment":"a"}"#, r#"{"entries":{}}"#);
        assert_eq!(Lorebook::read(&none).unwrap().entries[1].uid(), Some(1_763_632_438_061));
    }

    #[test]
    fn a_queue_does_not_push_an_entry_out() {
        let live = r#"{"entries":{"20":{"uid":20,"comment":"__operation_queue","content":"{}"}}}"#;
        let text = rebuilt(r#"{"uid":20,"comment":"character-Mira"}"#, live);
        let book = Lorebook::read(&text).unwrap();
        assert_eq!(
            book.entries
                .iter()
                .map(|e| (e.uid().unwrap(), e.comment().into_owned()))
                .collect::<Vec<_>>(),
            [
                (20, "character-Mira".to_owned()),
                (1_763_632_438_061, "__operation_queue".to_owned())
            ]
        );
    }

    #[test]
    fn entries_without_a_place_are_counted() {
        let text =
            r#"[{"uid":1,"comment":"a"},{"uid":1,"comment":"b"},{"comment":"c"},{"uid":null}]"#;
        let snapshot = Snapshot {
            taken: Some(7.0),
            version: "0".into(),
            entries: Json::parse(text).unwrap().items(),
            created: None,
        };
        assert_eq!(rebuild(&snapshot, None, &[], 5).unwrap().left_out, 3);
    }

    #[test]
    fn unnamed_entries_stay_unnamed() {
        let text = rebuilt(
            r#"{"uid":3,"comment":"(unnamed)","content":"c"}"#,
            r#"{"entries":{"3":{"uid":3,"comment":"","scanDepth":4}}}"#,
        );
        let book = Lorebook::read(&text).unwrap();
        assert_eq!(
            (
                book.entries[0].comment().as_ref(),
                book.entries[0].json.get("scanDepth").unwrap().text()
            ),
            ("", "4")
        );
    }

    #[test]
    fn what_another_timeline_wrote_is_left_out_with_its_registry_line() {
        let registry = r#"{"uid":0,"comment":"_registry_item","content":"[Registry: item]\n- UID=1 | name: item-Bell | aliases: — | synopsis: x\n- UID=2 | name: item-Heart | aliases: — | synopsis: y"}"#;
        let entries = format!(
            r#"[{registry},{{"uid":1,"comment":"item-Bell"}},{{"uid":2,"comment":"item-Heart"}}]"#
        );
        let snapshot = Snapshot {
            taken: Some(7.0),
            version: "1".to_owned(),
            entries: Json::parse(&entries).unwrap().items(),
            created: None,
        };
        let heart = Foreign { uid: "2".to_owned(), name: "item-Heart".to_owned(), until: 8.0 };
        let names = |foreign: &[Foreign]| {
            let text = rebuild(&snapshot, None, foreign, 5).unwrap().text;
            let book = Lorebook::read(&text).unwrap();
            let names = book.entries.iter().map(|entry| entry.comment().into_owned());
            (names.collect::<Vec<_>>().join(" "), book.entries[0].content().lines().count())
        };
        assert_eq!(names(&[]), ("_registry_item item-Bell item-Heart __operation_queue".into(), 3));
        assert_eq!(names(&[heart]), ("_registry_item item-Bell __operation_queue".into(), 2));
    }
}
