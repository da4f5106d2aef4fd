//! Lorebooks: World Info files.

use std::borrow::Cow;

use crate::json::{Json, JsonError, Member, js, quote_units};
use crate::limits;
use crate::sentence::Sentence;
use crate::{say, speaks};

/// Why a file is not a lorebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LorebookProblem {
    /// The file is not JSON.
    Json(JsonError),
    /// There are no entries, or they are no object.
    NoEntries,
    /// Two entries stand under this number.
    SameUid(String),
    /// It is larger than what is read.
    TooLarge,
}

impl From<&LorebookProblem> for Sentence {
    fn from(problem: &LorebookProblem) -> Self {
        match problem {
            LorebookProblem::Json(why) => why.into(),
            LorebookProblem::NoEntries => say!("it has no “entries”"),
            LorebookProblem::SameUid(uid) => say!("two entries have the number {0}", uid),
            LorebookProblem::TooLarge => limits::LOREBOOK_TOO_LARGE,
        }
    }
}

speaks!(LorebookProblem);

impl From<JsonError> for LorebookProblem {
    fn from(error: JsonError) -> Self {
        Self::Json(error)
    }
}

/// Where a lorebook says what we noted about it.
pub(crate) const OURS: [&str; 2] = ["extensions", "lorefork"];

/// Where it says one thing of that.
pub(crate) fn ours(key: &str) -> [&str; 3] {
    [OURS[0], OURS[1], key]
}

/// A lorebook's text with its entries found.
#[derive(Debug, Clone)]
pub struct Lorebook<'a> {
    /// The whole file.
    pub text: &'a str,
    /// The same, to ask for keys that are not entries.
    pub json: Json<'a>,
    /// What stands beside the entries, and the entries.
    top: Vec<Member<'a>>,
    /// As JavaScript would go through them.
    pub entries: Vec<Entry<'a>>,
    /// Some tools write entries as an array; SillyTavern reads it, we never write one.
    pub is_array: bool,
}

/// One entry. Its key in the file is its uid, except in files that somebody else wrote.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// The key under which it stands, unescaped, in UTF-16 as JavaScript has it.
    pub key: Vec<u16>,
    /// The whole entry.
    pub json: Json<'a>,
    /// Found once: a book of a thousand entries is asked about each of them often.
    pub(crate) members: Vec<Member<'a>>,
}

impl<'a> Entry<'a> {
    /// An entry that stands under this key.
    pub fn new(key: Vec<u16>, json: Json<'a>) -> Self {
        Self { key, json, members: json.members() }
    }

    /// The value of a field. The last of duplicates, as in JavaScript.
    pub fn get(&self, field: &str) -> Option<Json<'a>> {
        last(&self.members, field)
    }

    /// The value of a field, unless it is missing or null.
    pub fn some(&self, field: &str) -> Option<Json<'a>> {
        self.get(field).filter(|value| !value.is_null())
    }

    /// The number it says it has, which need not be its key.
    pub fn uid(&self) -> Option<i64> {
        self.get("uid")?.integer()
    }

    /// Its title, by which extensions find entries of theirs.
    pub fn comment(&self) -> Cow<'a, str> {
        self.get("comment").and_then(Json::str).unwrap_or_default()
    }

    /// What it tells the model.
    pub fn content(&self) -> Cow<'a, str> {
        self.get("content").and_then(Json::str).unwrap_or_default()
    }
}

impl<'a> Lorebook<'a> {
    /// Finds the entries of a lorebook's text, in JavaScript's order.
    pub fn read(text: &'a str) -> Result<Self, LorebookProblem> {
        if text.len() > limits::LARGEST_LOREBOOK {
            return Err(LorebookProblem::TooLarge);
        }
        let (json, top) = Json::parse_members(text)?;
        let entries = last(&top, "entries").ok_or(LorebookProblem::NoEntries)?;
        let is_array = entries.kind() == crate::json::Kind::Array;
        let entries = if is_array {
            entries
                .items()
                .into_iter()
                .enumerate()
                .map(|(index, json)| Entry::new(key_of(json, index), json))
                .collect()
        } else if entries.is_object() {
            js::ordered(entries).into_iter().map(|(key, json)| Entry::new(key, json)).collect()
        } else {
            return Err(LorebookProblem::NoEntries);
        };
        Ok(Self { text, json, top, entries, is_array })
    }

    /// The value of a member of the book itself.
    pub fn get(&self, key: &str) -> Option<Json<'a>> {
        last(&self.top, key)
    }

    /// What we noted about it.
    pub fn ours(&self) -> Option<Json<'a>> {
        self.get(OURS[0])?.get(OURS[1])
    }

    /// The book with `entries` as an object, which is how it may be written.
    pub(crate) fn as_object_text(&self) -> Result<Cow<'a, str>, LorebookProblem> {
        if !self.is_array {
            return Ok(Cow::Borrowed(self.text));
        }
        let firsts = crate::sorted::firsts(&self.entries, |entry| entry.key.as_slice());
        if let Some(second) = firsts.iter().position(|is_first| !is_first) {
            let key = &self.entries[second].key;
            return Err(LorebookProblem::SameUid(String::from_utf16_lossy(key)));
        }
        let entries = entries_text(
            self.entries.iter().map(|entry| (entry.key.as_slice(), entry.json.text())),
        );
        Ok(Cow::Owned(crate::json::set(self.text, &["entries"], &entries)?))
    }

    /// Whether the user marked this book as shared between timelines on purpose.
    pub fn is_shared_on_purpose(&self) -> bool {
        self.ours().and_then(|ours| ours.get("share")).is_some_and(Json::truthy)
    }
}

/// Of members with this key the last one, which is the one that JavaScript sees.
fn last<'a>(members: &[Member<'a>], key: &str) -> Option<Json<'a>> {
    members.iter().rev().find(|member| member.is(key)).map(|member| member.value)
}

fn key_of(entry: Json<'_>, index: usize) -> Vec<u16> {
    let uid = entry.get("uid").and_then(Json::integer).unwrap_or(index as i64);
    uid.to_string().encode_utf16().collect()
}

/// Entries as the text of a JSON object.
pub(crate) fn entries_text<'e>(entries: impl Iterator<Item = (&'e [u16], &'e str)>) -> String {
    let members: Vec<String> =
        entries.map(|(key, json)| format!("{}:{json}", quote_units(key))).collect();
    format!("{{{}}}", members.join(","))
}

/// An empty lorebook, as SillyTavern would print it.
pub(crate) fn empty_book() -> String {
    "{\n    \"entries\": {}\n}".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_read_and_written_as_an_object() {
        let text = r#"{"entries":[{"uid":7,"comment":"a"},{"comment":"b"}],"name":"x"}"#;
        let book = Lorebook::read(text).unwrap();
        assert_eq!(
            book.as_object_text().unwrap(),
            r#"{"entries":{"7":{"uid":7,"comment":"a"},"1":{"comment":"b"}},"name":"x"}"#
        );
        let twice = Lorebook::read(r#"{"entries":[{"uid":7},{"uid":7}]}"#).unwrap();
        assert_eq!(twice.as_object_text().unwrap_err(), LorebookProblem::SameUid("7".into()));
    }

    #[test]
    fn what_is_not_a_lorebook_is_refused() {
        assert_eq!(Lorebook::read("{}").unwrap_err(), LorebookProblem::NoEntries);
        assert_eq!(Lorebook::read(r#"{"entries":null}"#).unwrap_err(), LorebookProblem::NoEntries);
        assert!(matches!(Lorebook::read("nope"), Err(LorebookProblem::Json(_))));
    }
}
