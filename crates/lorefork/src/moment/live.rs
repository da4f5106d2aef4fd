//! The live lorebook as another timeline's: every byte the same but what must change.

use crate::json::{Json, JsonError, quote, remove, set};
use crate::memory::recap::queue;
use crate::tavern::lorebook::{Lorebook, LorebookProblem};

/// What a lorebook of ours says about itself. A hint only: whoever copies the file copies it too.
#[derive(Debug, Clone, Copy)]
pub struct Stamp<'a> {
    pub name: &'a str,
    /// The operation that made it.
    pub id: &'a str,
    pub timeline: &'a str,
    /// The lorebook it came from.
    pub from: &'a str,
    pub at: usize,
}

/// The newest format of the records we write.
pub const RECORD_VERSION: u32 = 1;

/// A copy of the whole book, with its work queue emptied. Also says how many further queues were
/// left out: there must be one at most.
pub fn copy(book: &Lorebook<'_>, stamp: &Stamp<'_>) -> Result<(String, usize), LorebookProblem> {
    let mut text = book.as_object_text()?.into_owned();
    let mut queues = 0;
    for entry in book.entries.iter().filter(|entry| entry.comment() == queue::COMMENT) {
        let key = String::from_utf16_lossy(&entry.key);
        if queues == 0 {
            let emptied = queue::emptied(entry.json)?;
            if emptied != entry.json.text() {
                let content = Json::parse(&emptied)?
                    .get("content")
                    .map(Json::text)
                    .unwrap_or("\"\"")
                    .to_owned();
                text = set(&text, &["entries", &key, "content"], &content)?;
            }
        } else {
            text = remove(&text, &["entries", &key])?;
        }
        queues += 1;
    }
    Ok((stamped(&text, stamp)?, queues.max(1) - 1))
}

/// The book under its new name, where it has one inside, and with our stamp.
pub fn stamped(text: &str, stamp: &Stamp<'_>) -> Result<String, JsonError> {
    let mut text = text.to_owned();
    if Json::parse(&text)?.get("name").is_some() {
        text = set(&text, &["name"], &quote(stamp.name))?;
    }
    let fields = [
        ("v", RECORD_VERSION.to_string()),
        ("id", quote(stamp.id)),
        ("timeline", quote(stamp.timeline)),
        ("from", quote(stamp.from)),
        ("at", stamp.at.to_string()),
    ];
    for (key, value) in fields {
        text = set(&text, &["extensions", "lorefork", key], &value)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: Stamp<'static> =
        Stamp { name: "New", id: "op", timeline: "fork", from: "Old", at: 3 };

    #[test]
    fn r037_n4_only_what_must_change_changes() {
        let text = "{\n    \"entries\": {\n        \"7\": {\n            \"uid\": 7,\n            \"odd\": 1.0,\n            \"x\": \"\\ud83d\"\n        }\n    },\n    \"name\": \"Old\",\n    \"unknown\": [1e5]\n}";
        let (copied, left_out) = copy(&Lorebook::read(text).unwrap(), &STAMP).unwrap();
        assert_eq!(left_out, 0);
        let back =
            crate::json::remove(&copied, &["extensions"]).unwrap().replace("\"New\"", "\"Old\"");
        assert_eq!(back, text);
        assert!(copied.ends_with("\n    \"extensions\": {\n        \"lorefork\": {\n            \"v\": 1,\n            \"id\": \"op\",\n            \"timeline\": \"fork\",\n            \"from\": \"Old\",\n            \"at\": 3\n        }\n    }\n}"));
    }

    #[test]
    fn r050_one_queue_and_nothing_in_it() {
        let text = r#"{"entries":{"0":{"uid":0},"1763632438061":{"uid":1763632438061,"comment":"__operation_queue","content":"{\"queue\":[{\"id\":1}]}"},"1763632438062":{"uid":1763632438062,"comment":"__operation_queue","content":"{}"}}}"#;
        let (copied, left_out) = copy(&Lorebook::read(text).unwrap(), &STAMP).unwrap();
        assert_eq!(left_out, 1);
        let book = Lorebook::read(&copied).unwrap();
        assert_eq!(book.entries.len(), 2);
        assert_eq!(book.entries[1].content(), r#"{"queue":[]}"#);
    }

    #[test]
    fn a_book_of_ours_that_is_copied_again_keeps_what_others_put_there() {
        let text =
            r#"{"entries":{},"extensions":{"lorefork":{"v":1,"id":"older","new":true},"x":1}}"#;
        let (copied, _) = copy(&Lorebook::read(text).unwrap(), &STAMP).unwrap();
        assert_eq!(
            copied,
            r#"{"entries":{},"extensions":{"lorefork":{"v":1,"id":"op","new":true,"timeline":"fork","from":"Old","at":3},"x":1}}"#
        );
    }
}
