//! The live lorebook as another timeline's: every byte the same but what must change.

use crate::json::{Json, JsonError, Splices, quote, remove, set, set_in};
use crate::memory::entries::is_queue;
use crate::memory::queues;
use crate::tavern::lorebook::{Lorebook, LorebookProblem, OURS};

/// What a lorebook of ours says about itself. A hint only: whoever copies the file copies it too.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The name it was made with: a copy has another one.
    pub name: &'a str,
    /// The operation that made it.
    pub id: &'a str,
    /// The timeline it was made for.
    pub timeline: &'a str,
    /// The lorebook it came from.
    pub from: &'a str,
    /// The message it was made for.
    pub at: usize,
}

/// The newest format of the records we write.
pub const RECORD_VERSION: u32 = 1;

/// A copy of the whole book, with its work queue emptied and further queues left out: there must be
/// one at most.
pub fn copy(book: &Lorebook<'_>, stamp: &Origin<'_>) -> Result<String, LorebookProblem> {
    let text = book.as_object_text()?;
    let object;
    let book = if book.is_array {
        object = Lorebook::read(&text)?;
        &object
    } else {
        book
    };
    let mut splices = Splices::new(&text);
    let all = book.entries.iter().filter(|entry| is_queue(&entry.comment()));
    let mut all: Vec<Json<'_>> = all.map(|entry| entry.json).collect();
    if !all.is_empty() {
        // The first as JavaScript goes through them, which is the one that is used.
        let first = all.remove(0);
        let emptied = queues::emptied(first)?;
        if emptied != first.text() {
            splices.replace(first, emptied);
        }
    }
    if let Some(entries) = book.get("entries").filter(|_| !all.is_empty()) {
        splices.cut_members(entries, |member| all.contains(&member.value));
    }
    Ok(stamped(&splices.apply(), stamp)?)
}

/// The book under its new name, where it has one inside, and with our stamp.
pub fn stamped(text: &str, stamp: &Origin<'_>) -> Result<String, JsonError> {
    let fields = [
        ("v", RECORD_VERSION.to_string()),
        ("id", quote(stamp.id)),
        ("timeline", quote(stamp.timeline)),
        ("from", quote(stamp.from)),
        ("at", stamp.at.to_string()),
    ];
    // Changed apart and put in once: the book may be large.
    let book = Json::parse(text)?;
    let mut own = match book.at(&OURS).filter(|own| !own.is_null()) {
        Some(own) if !own.is_object() => return Err(JsonError::NotAnObject(OURS.join("."))),
        own => own.map_or("{}", Json::text).to_owned(),
    };
    for (key, value) in fields {
        own = set(&own, &[key], &value)?;
    }
    // What was shared on purpose was the book this one comes from.
    own = remove(&own, &["share"])?;
    let stamped = set_in(text, book, &OURS, &own)?;
    match book.get("name") {
        Some(_) => set(&stamped, &["name"], &quote(stamp.name)),
        None => Ok(stamped),
    }
}

/// Whether a newer Lorefork has stamped the book.
pub fn is_newer(book: &Lorebook<'_>) -> bool {
    let v = book.ours().and_then(|ours| ours.get("v")).and_then(Json::integer);
    v.is_some_and(|v| v > i64::from(RECORD_VERSION))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: Origin<'static> =
        Origin { name: "New", id: "op", timeline: "fork", from: "Old", at: 3 };

    #[test]
    fn r037_n4_only_what_must_change_changes() {
        let text = "{\n    \"entries\": {\n        \"7\": {\n            \"uid\": 7,\n            \"odd\": 1.0,\n            \"x\": \"\\ud83d\"\n        }\n    },\n    \"name\": \"Old\",\n    \"unknown\": [1e5]\n}";
        let copied = copy(&Lorebook::read(text).unwrap(), &STAMP).unwrap();
        let back =
            crate::json::remove(&copied, &["extensions"]).unwrap().replace("\"New\"", "\"Old\"");
        assert_eq!(back, text);
        assert!(copied.ends_with("\n    \"extensions\": {\n        \"lorefork\": {\n            \"v\": 1,\n            \"id\": \"op\",\n            \"timeline\": \"fork\",\n            \"from\": \"Old\",\n            \"at\": 3\n        }\n    }\n}"));
    }

    #[test]
    fn r050_one_queue_and_nothing_in_it() {
        let text = r#"{"entries":{"0":{"uid":0},"1763632438061":{"uid":1763632438061,"comment":"__operation_queue","content":"{\"queue\":[{\"id\":1}]}"},"1763632438062":{"uid":1763632438062,"comment":"__operation_queue","content":"{}"}}}"#;
        let copied = copy(&Lorebook::read(text).unwrap(), &STAMP).unwrap();
        let book = Lorebook::read(&copied).unwrap();
        assert_eq!(book.entries.len(), 2);
        assert_eq!(book.entries[1].content(), r#"{"queue":[]}"#);
    }

    #[test]
    fn a_copy_of_a_shared_book_is_not_shared_itself() {
        let text = r#"{"entries":{},"extensions":{"lorefork":{"share":true}}}"#;
        let copied = copy(&Lorebook::read(text).unwrap(), &STAMP).unwrap();
        assert!(!Lorebook::read(&copied).unwrap().is_shared_on_purpose());
        assert!(is_newer(
            &Lorebook::read(r#"{"entries":{},"extensions":{"lorefork":{"v":99}}}"#).unwrap()
        ));
    }

    #[test]
    fn a_queue_under_an_odd_key_is_emptied_too() {
        let text = r#"{"entries":{"\ud83d":{"uid":1,"comment":"__operation_queue","content":"{\"queue\":[1]}"}}}"#;
        let copied = copy(&Lorebook::read(text).unwrap(), &STAMP).unwrap();
        assert!(copied.starts_with(r#"{"entries":{"\ud83d":{"uid":1,"comment":"__operation_queue","content":"{\"queue\":[]}"}}"#), "{copied}");
    }

    #[test]
    fn a_book_of_ours_that_is_copied_again_keeps_what_others_put_there() {
        let text =
            r#"{"entries":{},"extensions":{"lorefork":{"v":1,"id":"older","new":true},"x":1}}"#;
        let copied = copy(&Lorebook::read(text).unwrap(), &STAMP).unwrap();
        assert_eq!(
            copied,
            r#"{"entries":{},"extensions":{"lorefork":{"v":1,"id":"op","new":true,"timeline":"fork","from":"Old","at":3},"x":1}}"#
        );
    }
}
