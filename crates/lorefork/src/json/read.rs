//! Reading: pointers into the text, one level at a time.

use std::borrow::Cow;
use std::fmt;

use super::scan::{problem, skip_space, string_end, value_end, value_of_key};
use super::string;
use crate::sentence::Sentence;
use crate::{limits, say, speaks};

/// Why a text could not be read as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonError {
    /// Not well-formed; what and where.
    Malformed(String),
    /// A place that should hold an object holds something else.
    NotAnObject(String),
    /// A place that should hold an array holds something else.
    NotAnArray(String),
    /// Nested so deeply that no program wrote it on purpose.
    TooDeep,
}

impl From<&JsonError> for Sentence {
    fn from(error: &JsonError) -> Self {
        match error {
            // In the words that programmers know; what would be said instead of them helps nobody.
            JsonError::Malformed(what) => say!("not valid JSON: {0}", what),
            JsonError::NotAnObject(what) => say!("“{0}” should be an object, but is not", what),
            JsonError::NotAnArray(what) => say!("“{0}” should be an array, but is not", what),
            JsonError::TooDeep => limits::TOO_DEEP,
        }
    }
}

speaks!(JsonError);

/// What a JSON value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number, however it is written.
    Number,
    /// A text in quotes.
    String,
    /// A list.
    Array,
    /// Keys and values.
    Object,
}

/// One well-formed JSON value: exactly its bytes, wherever they stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Json<'a>(&'a str);

/// A key and its value inside an object.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    /// The key, quoted and escaped as it stands in the text.
    pub key: Json<'a>,
    /// What it stands for; of a key that stands there twice, look for the last.
    pub value: Json<'a>,
}

impl Member<'_> {
    /// Whether the key says `name`, however it is escaped.
    pub fn is(&self, name: &str) -> bool {
        self.key.says(name)
    }
}

impl fmt::Debug for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Json<'static> {
    /// An object without members.
    pub(crate) const EMPTY: Self = Json("{}");
}

impl<'a> Json<'a> {
    /// Checks that `text` is one JSON value, with nothing but white space around it.
    pub fn parse(text: &'a str) -> Result<Self, JsonError> {
        let bytes = text.as_bytes();
        let start = skip_space(bytes, 0);
        let end = value_end(bytes, start)?;
        let rest = skip_space(bytes, end);
        if rest < bytes.len() {
            return Err(problem(bytes, rest, "trailing characters"));
        }
        Ok(Self(&text[start..end]))
    }

    /// The same, and the members if it is an object, found on the way: a lorebook is large.
    pub fn parse_members(text: &'a str) -> Result<(Self, Vec<Member<'a>>), JsonError> {
        let bytes = text.as_bytes();
        let start = skip_space(bytes, 0);
        let mut at = skip_space(bytes, start + 1);
        if bytes.get(start) != Some(&b'{') || bytes.get(at) == Some(&b'}') {
            return Ok((Self::parse(text)?, Vec::new()));
        }
        let mut members = Vec::new();
        loop {
            let value = value_of_key(bytes, at)?;
            let key = Json(&text[at..string_end(bytes, at)?]);
            let end = value_end(bytes, value)?;
            members.push(Member { key, value: Json(&text[value..end]) });
            at = skip_space(bytes, end);
            match bytes.get(at) {
                Some(b',') => at = skip_space(bytes, at + 1),
                Some(b'}') => break,
                Some(_) => return Err(problem(bytes, at, "expected `,` or `}`")),
                None => return Err(problem(bytes, at, "EOF while parsing an object")),
            }
        }
        let rest = skip_space(bytes, at + 1);
        if rest < bytes.len() {
            return Err(problem(bytes, rest, "trailing characters"));
        }
        Ok((Self(&text[start..=at]), members))
    }

    /// The bytes of this value, as they stand in the document.
    pub fn text(self) -> &'a str {
        self.0
    }

    /// What it is, by its first character.
    pub fn kind(self) -> Kind {
        match self.0.as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// Whether it can be asked for keys.
    pub fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// Whether it is `null`, which is not the same as not being there.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The members of an object in file order, duplicates included; empty for anything else.
    pub fn members(self) -> Vec<Member<'a>> {
        let mut members = Vec::new();
        self.each_member(|member| members.push(member));
        members
    }

    fn each_member(self, mut act: impl FnMut(Member<'a>)) {
        if !self.is_object() {
            return;
        }
        let mut at = skip_space(self.0.as_bytes(), 1);
        while let Some((member, next)) = self.member_at(at) {
            act(member);
            at = next;
        }
    }

    /// The items of an array; empty for anything else.
    pub fn items(self) -> Vec<Json<'a>> {
        if self.kind() != Kind::Array {
            return Vec::new();
        }
        let mut items = Vec::new();
        let mut at = skip_space(self.0.as_bytes(), 1);
        while let Some((item, next)) = self.value_at(at) {
            items.push(item);
            at = next;
        }
        items
    }

    /// The member whose key begins at `at`, and where the next would begin. None at the end.
    fn member_at(self, at: usize) -> Option<(Member<'a>, usize)> {
        let bytes = self.0.as_bytes();
        bytes.get(at).filter(|&&byte| byte == b'"')?;
        let end = string_end(bytes, at).ok()?;
        let key = Json(&self.0[at..end]);
        // Behind it stands a colon.
        let value = skip_space(bytes, skip_space(bytes, end) + 1);
        let (value, next) = self.value_at(value)?;
        Some((Member { key, value }, next))
    }

    /// The value that begins at `at`, and where the next one or its key would begin.
    fn value_at(self, at: usize) -> Option<(Json<'a>, usize)> {
        let bytes = self.0.as_bytes();
        bytes.get(at).filter(|&&byte| byte != b']')?;
        let end = value_end(bytes, at).ok()?;
        // Behind it stands a comma or the closing bracket.
        let next = skip_space(bytes, skip_space(bytes, end) + 1);
        Some((Json(&self.0[at..end]), next))
    }

    /// The value of `key`. The last of duplicates, as in JavaScript.
    pub fn get(self, key: &str) -> Option<Json<'a>> {
        let mut found = None;
        self.each_member(|member| {
            if member.is(key) {
                found = Some(member.value);
            }
        });
        found
    }

    /// The value at the end of a path of keys.
    pub fn at(self, path: &[&str]) -> Option<Json<'a>> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }

    /// The value of `key`, unless it is missing or null.
    pub fn some(self, key: &str) -> Option<Json<'a>> {
        self.get(key).filter(|value| !value.is_null())
    }

    /// A string, decoded. Half an emoji becomes U+FFFD, as in a file name that Node writes.
    pub fn str(self) -> Option<Cow<'a, str>> {
        (self.kind() == Kind::String).then(|| string::decode(self.0))
    }

    /// A string as JavaScript holds it: UTF-16, halves of emoji included.
    pub fn units(self) -> Option<Vec<u16>> {
        (self.kind() == Kind::String).then(|| string::units(self.0))
    }

    /// Whether this is a string that says exactly `text`.
    pub fn says(self, text: &str) -> bool {
        let bytes = self.0.as_bytes();
        if bytes.first() != Some(&b'"') {
            return false;
        }
        let inner = &bytes[1..bytes.len() - 1];
        if inner.len() <= text.len() || !inner.contains(&b'\\') {
            // An escape is longer than what it stands for.
            return inner == text.as_bytes();
        }
        self.units().is_some_and(|units| units.iter().copied().eq(text.encode_utf16()))
    }

    /// A number as JavaScript would read it; `None` if it is none.
    pub fn number(self) -> Option<f64> {
        (self.kind() == Kind::Number).then(|| self.0.parse().ok()).flatten()
    }

    /// A whole number that fits; `7.0` and `7e0` count, as in JavaScript.
    pub fn integer(self) -> Option<i64> {
        let number = self.number()?;
        let whole = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
        whole.then_some(number as i64)
    }

    /// A message's number, or how many there are of something.
    pub fn count(self) -> Option<usize> {
        usize::try_from(self.integer()?).ok()
    }

    /// `true` or `false`; `None` for all else, however true JavaScript might find it.
    pub fn bool(self) -> Option<bool> {
        (self.kind() == Kind::Bool).then(|| self.0 == "true")
    }

    /// What `if (value)` would do.
    pub fn truthy(self) -> bool {
        match self.kind() {
            Kind::Null => false,
            Kind::Bool => self.0 == "true",
            Kind::Number => self.number().is_some_and(|n| n != 0.0),
            Kind::String => self.0 != "\"\"",
            Kind::Array | Kind::Object => true,
        }
    }

    /// Where this value stands in `document`, of which it must be a part.
    pub(super) fn range_in(self, document: &str) -> std::ops::Range<usize> {
        let start = (self.0.as_ptr() as usize).wrapping_sub(document.as_ptr() as usize);
        let end = start.wrapping_add(self.0.len());
        assert!(start <= end && end <= document.len(), "an edit must stay inside its own document");
        start..end
    }
}

/// The text that a JSON string stands for; `None` if it is none.
pub fn plain_text(raw: &str) -> Option<String> {
    Json::parse(raw).ok()?.str().map(|text| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json<'_> {
        Json::parse(text).unwrap()
    }

    #[test]
    fn every_odd_thing_of_the_table_keeps_its_bytes() {
        for text in [
            "1.0",
            "1.10",
            "-0",
            "12345678901234567890123",
            "1e5",
            "1E+5",
            r#"{"b":1,"a":2,"10":3,"2":4}"#,
            r#"{"a":1,"a":2}"#,
            r#""\u00e9\/\u2028""#,
            r#"{"\ud83d":"\ud83d"}"#,
            r#"{"$serde_json::private::Number":"1"}"#,
            r#"{"$serde_json::private::RawValue":"1"}"#,
        ] {
            assert_eq!(json(text).text(), text);
        }
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        assert_eq!(json(&deep).text(), deep);
        assert_eq!(json(" \r\n{ }\t").text(), "{ }");
    }

    #[test]
    fn the_last_duplicate_counts_and_keys_may_be_escaped() {
        assert_eq!(json(r#"{"a":1,"a":2}"#).get("a").unwrap().text(), "2");
        assert_eq!(json(r#"{"\u0061":1}"#).get("a").unwrap().text(), "1");
        assert_eq!(
            json(r#"{"a":{"b":[1,{"c":3}]}}"#).at(&["a", "b"]).unwrap().items()[1]
                .get("c")
                .unwrap()
                .text(),
            "3"
        );
    }

    #[test]
    fn half_an_emoji_is_neither_lost_nor_equal_to_another() {
        let half = json(r#""a\ud83d""#);
        assert_eq!(half.units().unwrap(), [0x61, 0xd83d]);
        assert_eq!(half.str().unwrap(), "a\u{fffd}");
        assert!(!half.says("a\u{fffd}"));
    }

    #[test]
    fn truth_is_javascripts() {
        for text in ["0", "-0", "0.0", "\"\"", "null", "false"] {
            assert!(!json(text).truthy(), "{text}");
        }
        for text in ["1", "\"0\"", "[]", "{}", "true"] {
            assert!(json(text).truthy(), "{text}");
        }
    }

    #[test]
    fn broken_text_is_refused() {
        for text in ["", "{", "{\"a\":}", "[1,]", "\"\u{1}\"", "01", "{}{}", "\u{feff}{}"] {
            assert!(Json::parse(text).is_err(), "{text:?}");
        }
    }
}
