//! Which message a line is, as a number: the same in every timeline that carries it along.
//!
//! By who wrote it and when, as everywhere in the engine (`moment::film::is_same_message`); its text
//! may have been edited since, and what extensions keep in it differs from copy to copy. Only where
//! its date is not exact, the text counts, too: within a minute much can be said.

use crate::json::{Json, js};
use crate::moment::film::has_exact_date;

/// Which message this is, and whether the user wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) hash: u64,
    pub(super) is_user: bool,
}

impl Identity {
    pub(super) fn of(line: &[u8]) -> Self {
        quick(line).unwrap_or_else(|| slow(line))
    }

    fn new(name: &[u8], is_user: &[u8], date: &[u8], text: &[u8]) -> Self {
        let hash = [name, is_user, date, text].iter().fold(SEED, |hash, part| mix(hash, part));
        Self { hash, is_user: is_user == b"true" }
    }
}

/// As SillyTavern writes messages: name, sender and date before the text. Nothing behind them is
/// looked at, because a line may hold a whole lorebook.
fn quick(line: &[u8]) -> Option<Identity> {
    let (mut name, mut is_user, mut date) = (None, None, None);
    let mut rest = line.strip_prefix(b"{")?;
    loop {
        let (key, after) = plain_string(rest)?;
        let after = after.strip_prefix(b":")?;
        if key == b"mes" {
            break;
        }
        let (value, after) = match after.first()? {
            b'"' => plain_string(after)?,
            b't' | b'f' => {
                let end = after.iter().position(|byte| *byte == b',')?;
                (&after[..end], &after[end..])
            }
            _ => return None,
        };
        match key {
            b"name" => name = Some(value),
            b"is_user" => is_user = Some(value),
            b"send_date" => date = Some(value),
            _ => {}
        }
        rest = after.strip_prefix(b",")?;
    }
    let date = date.filter(|date| is_plainly_exact(date))?;
    Some(Identity::new(name?, is_user?, date, b""))
}

/// Whether it is a date such as `2026-11-15T19:05:18.246Z`, as SillyTavern writes them.
fn is_plainly_exact(date: &[u8]) -> bool {
    let shape = b"0000-00-00T00:00:00";
    let Some((start, rest)) = date.split_at_checked(shape.len()) else { return false };
    let fits = start.iter().zip(shape).all(|(byte, as_in)| match as_in {
        b'0' => byte.is_ascii_digit(),
        other => byte == other,
    });
    let two = |at: usize| (start[at] - b'0') * 10 + (start[at + 1] - b'0');
    fits && two(0) >= 20
        && (1..=12).contains(&two(5))
        && (1..=31).contains(&two(8))
        && two(11) <= 24
        && two(14) < 60
        && two(17) < 60
        && rest.strip_suffix(b"Z").is_some_and(|fraction| {
            fraction.is_empty()
                || fraction.strip_prefix(b".").is_some_and(|digits| {
                    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
                })
        })
}

/// A string without escapes at the beginning, and what follows it.
fn plain_string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = text.strip_prefix(b"\"")?;
    let end = memchr::memchr2(b'"', b'\\', inside)?;
    (inside[end] == b'"').then(|| (&inside[..end], &inside[end + 1..]))
}

/// As anybody may have written them.
fn slow(line: &[u8]) -> Identity {
    let text = String::from_utf8_lossy(line);
    let Ok(json) = Json::parse(&text) else { return Identity::new(b"", b"", b"", line) };
    let print = |key: &str| {
        json.some(key).map(|value| value.str().map_or_else(|| js::number(value), Into::into))
    };
    let flag = |key: &str| match json.get(key).and_then(Json::bool) {
        Some(flag) => flag.to_string(),
        None => print(key).unwrap_or_default(),
    };
    let text = if has_exact_date(json) { None } else { print("mes") };
    let [name, date, text] =
        [print("name"), print("send_date"), text].map(Option::unwrap_or_default);
    let is_user = flag("is_user");
    Identity::new(name.as_bytes(), is_user.as_bytes(), date.as_bytes(), text.as_bytes())
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes bytes, and their number, into a hash. Nobody is kept out by it: it tells messages apart.
pub(super) fn mix(hash: u64, bytes: &[u8]) -> u64 {
    let fold = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * 0xa076_1d64_78bd_642f_u128;
        (product >> 64) as u64 ^ product as u64 ^ 0xe703_7ed1_a0b4_28db
    };
    let mut chunks = bytes.chunks_exact(8);
    let mut hash = fold(hash, bytes.len() as u64 ^ SEED);
    for chunk in &mut chunks {
        hash = fold(hash, u64::from_le_bytes(chunk.try_into().unwrap_or_default()));
    }
    let mut last = [0; 8];
    last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    fold(hash, u64::from_le_bytes(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_reading_agree() {
        let with = |date: &str| {
            format!(
                r#"{{"name":"Mia","is_user":true,"is_system":false,"send_date":"{date}","mes":"a"}}"#
            )
        };
        for date in ["2026-11-15T19:05:18.246Z", "2026-11-15T19:05:18Z", "2026-12-31T24:00:00.1Z"] {
            let quick = quick(with(date).as_bytes()).unwrap();
            assert_eq!(quick, slow(with(date).as_bytes()));
        }
        for date in [
            "November 15, 2026 7:05pm",
            "2026-11-15T19:05:18",
            "2026-13-15T19:05:18Z",
            "2026-11-15T19:05:18.Z",
            "",
        ] {
            assert!(quick(with(date).as_bytes()).is_none(), "{date}");
        }
    }

    #[test]
    fn what_others_wrote_into_a_message_and_its_text_do_not_matter() {
        let identity = |line: &str| Identity::of(line.as_bytes()).hash;
        let a = r#"{"name":"Mia","is_user":false,"send_date":"2026-11-15T19:05:18Z","mes":"a","extra":{}}"#;
        let edited = r#"{"name":"Mia","is_user":false,"is_system":true,"send_date":"2026-11-15T19:05:18Z","mes":"b","extra":{"bookmark_link":"x"}}"#;
        let spread = r#"{ "mes":"c", "extra": {"mes":"x"}, "send_date":"2026-11-15T19:05:18Z", "is_user":false, "name":"M\u0069a"}"#;
        assert_eq!(identity(a), identity(edited));
        assert_eq!(identity(a), identity(spread));
        let later = a.replace(":18Z", ":19Z");
        let by_user = a.replace("false", "true");
        let by_tom = a.replace("Mia", "Tom");
        for other in [&later, &by_user, &by_tom] {
            assert_ne!(identity(a), identity(other), "{other}");
        }
        assert!(Identity::of(by_user.as_bytes()).is_user);
    }

    #[test]
    fn messages_are_the_same_where_the_film_says_so() {
        use crate::moment::film::is_same_message;
        let dates = [
            "",
            r#""send_date":null,"#,
            r#""send_date":1700000000000,"#,
            r#""send_date":"November 15, 2026 7:05pm","#,
            r#""send_date":"2026-11-15T19:05:18.246Z","#,
            r#""send_date":"November 15, 2026 7:06pm","gen_started":"2026-11-15T19:06:18.246Z","#,
        ];
        let mut lines = Vec::new();
        for date in dates {
            for (name, is_user) in [("Mia", false), ("Tom", false)] {
                for text in ["a", "b"] {
                    lines.push(format!(
                        r#"{{"name":"{name}","is_user":{is_user},{date}"mes":"{text}"}}"#
                    ));
                }
            }
        }
        for a in &lines {
            for b in &lines {
                let hash = |line: &str| Identity::of(line.as_bytes()).hash;
                assert_eq!(hash(a) == hash(b), is_same_message(a, b), "{a}\n{b}");
            }
        }
    }

    #[test]
    fn what_is_no_message_is_known_by_its_bytes() {
        let identity = |line: &[u8]| Identity::of(line).hash;
        assert_eq!(identity(b"{nope"), identity(b"{nope"));
        assert_ne!(identity(b"{nope"), identity(b"{nope!"));
        assert_ne!(identity(b"\xff"), identity(b"\xff\xff"));
    }
}
