//! What the engine says: a fixed English text with places, and the values in them. Never prose that
//! somebody has to read back.
//!
//! The text is the key of every language, so it is always a literal behind one of two macros:
//! whoever wants all that can be said finds it in the sources by their names.

use std::fmt;

/// Something that is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// English, with `{0}`, `{1}` for the values.
    pub says: &'static str,
    /// What stands in its places, in their order.
    pub with: Vec<Value>,
}

/// What stands in a place of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A name, a file, a text of somebody else: the same in every language.
    Name(String),
    /// A count or a position, written as the language writes numbers.
    Number(i64),
    /// Further sentences, or words.
    Said(Vec<Sentence>),
}

/// A sentence: `say!("Message {0} links to “{1}”.", at, &name)`.
#[macro_export]
macro_rules! say {
    ($says:literal) => {{
        const { assert!($crate::sentence::places($says) == 0, "a place without a value") };
        $crate::sentence::Sentence { says: $says, with: Vec::new() }
    }};
    ($says:literal, $($with:expr),+ $(,)?) => {{
        const {
            let values = [$(stringify!($with)),+].len();
            assert!($crate::sentence::places($says) == values, "as many places as values");
        };
        $crate::sentence::Sentence::of($says, [$($crate::sentence::Value::from($with)),+])
    }};
}

/// A sentence about one or several: `say_count!(n, "{0} line", "{0} lines")`. The number is `{0}`,
/// further values follow it.
#[macro_export]
macro_rules! say_count {
    ($count:expr, $one:literal, $many:literal $(, $with:expr)* $(,)?) => {{
        const {
            let values = [stringify!($count) $(, stringify!($with))*].len();
            // “A line of {1}” need not say that it is one.
            assert!($crate::sentence::places($one) <= values, "a place without a value");
            assert!($crate::sentence::places($many) == values, "as many places as values");
        };
        let count = $count;
        $crate::sentence::Sentence::of(
            if count == 1 { $one } else { $many },
            [$crate::sentence::Value::from(count) $(, $crate::sentence::Value::from($with))*],
        )
    }};
}

/// How many values a text has places for. Asked when it is compiled: a value that nobody would see,
/// or a hole in a sentence, does not build.
pub const fn places(says: &str) -> usize {
    let (says, mut at, mut most) = (says.as_bytes(), 0, 0);
    while at + 2 < says.len() {
        if says[at] == b'{' && says[at + 1].is_ascii_digit() && says[at + 2] == b'}' {
            let place = (says[at + 1] - b'0') as usize + 1;
            if place > most {
                most = place;
            }
        }
        at += 1;
    }
    most
}

/// An error whose words are those of `From<&Self> for Sentence`.
#[macro_export]
macro_rules! speaks {
    ($error:ty) => {
        impl ::std::fmt::Display for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $crate::sentence::Sentence::from(self).fmt(f)
            }
        }

        impl ::std::error::Error for $error {}

        impl From<&$error> for $crate::sentence::Value {
            fn from(error: &$error) -> Self {
                $crate::sentence::Sentence::from(error).into()
            }
        }
    };
}

impl Sentence {
    /// For the macros. Never inlined: there are hundreds of them.
    #[doc(hidden)]
    #[inline(never)]
    pub fn of<const N: usize>(says: &'static str, with: [Value; N]) -> Self {
        Self { says, with: Vec::from(with) }
    }

    /// What somebody else said, in words that nobody here knows.
    pub fn quoted(text: impl Into<String>) -> Self {
        Self { says: "{0}", with: vec![Value::Name(text.into())] }
    }
}

/// For hosts, which speak only to their own users; what the engine says goes through the macros.
impl From<&str> for Sentence {
    fn from(text: &str) -> Self {
        Self::quoted(text)
    }
}

impl From<String> for Sentence {
    fn from(text: String) -> Self {
        Self::quoted(text)
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.says;
        while let Some(at) = rest.find('{') {
            f.write_str(&rest[..at])?;
            let digit = rest.as_bytes().get(at + 1).copied().unwrap_or_default();
            if let Some(value) = self.with.get(usize::from(digit.wrapping_sub(b'0'))) {
                value.fmt(f)?;
            }
            rest = rest.get(at + 3..).unwrap_or_default();
        }
        f.write_str(rest)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Number(number) => number.fmt(f),
            Self::Said(all) => f.write_str(&listed(all)),
        }
    }
}

/// One after the other, parted by commas; by semicolons if there are commas in them.
fn listed(all: &[Sentence]) -> String {
    let all: Vec<String> = all.iter().map(Sentence::to_string).collect();
    all.join(if all.iter().any(|one| one.contains(", ")) { "; " } else { ", " })
}

impl From<String> for Value {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl From<&String> for Value {
    fn from(name: &String) -> Self {
        Self::Name(name.clone())
    }
}

impl From<&str> for Value {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<&&str> for Value {
    fn from(name: &&str) -> Self {
        Self::from(*name)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<&usize> for Value {
    fn from(number: &usize) -> Self {
        Self::from(*number)
    }
}

impl From<&i64> for Value {
    fn from(number: &i64) -> Self {
        Self::Number(*number)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<Sentence> for Value {
    fn from(sentence: Sentence) -> Self {
        Self::Said(vec![sentence])
    }
}

impl From<&Sentence> for Value {
    fn from(sentence: &Sentence) -> Self {
        Self::Said(vec![sentence.clone()])
    }
}

impl From<Vec<Sentence>> for Value {
    fn from(all: Vec<Sentence>) -> Self {
        Self::Said(all)
    }
}

/// Names, one after the other.
impl From<Vec<String>> for Value {
    fn from(all: Vec<String>) -> Self {
        Self::Name(all.join(", "))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn values_stand_in_their_places() {
        let said = say!("{1} before {0}: {2}.", "a", 7_usize, say!("it is {0}", "{1}"));
        assert_eq!(said.to_string(), "7 before a: it is {1}.");
        assert_eq!(say!("nothing").to_string(), "nothing");
    }

    #[test]
    fn places_are_counted_by_the_last() {
        let places = super::places;
        assert_eq!((places("a"), places("{0}"), places("{1} of {0}"), places("{1}")), (0, 1, 2, 2));
        assert_eq!((places("{"), places("{}"), places("{a}"), places("a {0")), (0, 0, 0, 0));
    }

    #[test]
    fn a_list_is_parted_by_what_is_not_in_it() {
        let list = |all: Vec<super::Sentence>| say!("{0}", all).to_string();
        assert_eq!(list(vec![say!("one"), say!("two")]), "one, two");
        assert_eq!(list(vec![say!("one, too"), say!("two")]), "one, too; two");
    }

    #[test]
    fn one_and_many() {
        let lines =
            |n: usize| say_count!(n, "{0} line of {1}", "{0} lines of {1}", "x").to_string();
        assert_eq!((lines(1), lines(2)), ("1 line of x".to_owned(), "2 lines of x".to_owned()));
    }
}
