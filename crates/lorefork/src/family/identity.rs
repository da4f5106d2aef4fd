//! Which message a line is, as a number: the same in every timeline that carries it along.
//!
//! By who wrote it and when, as everywhere in the engine; its text may have been edited since, and
//! what extensions keep in it differs from copy to copy. Only a message without a date is known by
//! its text.

use crate::json::{Json, js};

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

    fn new(name: &[u8], is_user: &[u8], what: &[u8]) -> Self {
        let hash = [name, is_user, what].iter().fold(SEED, |hash, part| mix(hash, part));
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
    Some(Identity::new(name?, is_user?, date?))
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
    let Ok(json) = Json::parse(&text) else { return Identity::new(b"", b"", line) };
    let print = |key: &str| {
        json.some(key).map(|value| value.str().map_or_else(|| js::number(value), Into::into))
    };
    let flag = |key: &str| match json.get(key).and_then(Json::bool) {
        Some(flag) => flag.to_string(),
        None => print(key).unwrap_or_default(),
    };
    let what = print("send_date").or_else(|| print("mes")).unwrap_or_default();
    let name = print("name").unwrap_or_default();
    Identity::new(name.as_bytes(), flag("is_user").as_bytes(), what.as_bytes())
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
        for line in [
            r#"{"name":"Mia","is_user":false,"is_system":false,"send_date":"2026-11-15T19:05:18.246Z","mes":"a"}"#,
            r#"{"name":"Mia","is_user":true,"send_date":"November 15, 2026 7:05pm","mes":"a","extra":{}}"#,
        ] {
            let quick = quick(line.as_bytes()).unwrap();
            assert_eq!(quick, slow(line.as_bytes()));
        }
    }

    #[test]
    fn what_others_wrote_into_a_message_and_its_text_do_not_matter() {
        let identity = |line: &str| Identity::of(line.as_bytes()).hash;
        let a = r#"{"name":"Mia","is_user":false,"send_date":"d","mes":"a","extra":{}}"#;
        let edited = r#"{"name":"Mia","is_user":false,"is_system":true,"send_date":"d","mes":"b","extra":{"bookmark_link":"x"}}"#;
        let spread = r#"{ "mes":"c", "extra": {"mes":"x"}, "send_date":"d", "is_user":false, "name":"M\u0069a"}"#;
        assert_eq!(identity(a), identity(edited));
        assert_eq!(identity(a), identity(spread));
        let later = a.replace(r#""d""#, r#""e""#);
        let by_user = a.replace("false", "true");
        let by_tom = a.replace("Mia", "Tom");
        for other in [&later, &by_user, &by_tom] {
            assert_ne!(identity(a), identity(other), "{other}");
        }
        assert!(Identity::of(by_user.as_bytes()).is_user);
    }

    #[test]
    fn without_a_date_the_text_counts() {
        let identity = |line: &str| Identity::of(line.as_bytes()).hash;
        let line = |text: &str| format!(r#"{{"name":"Mia","is_user":false,"mes":"{text}"}}"#);
        assert_eq!(identity(&line("a")), identity(&line("a")));
        assert_ne!(identity(&line("a")), identity(&line("b")));
        // Dates of 2023 are numbers.
        let dated = |date: &str| {
            format!(r#"{{"name":"Mia","is_user":false,"send_date":{date},"mes":"x"}}"#)
        };
        assert_eq!(identity(&dated("1700000000000")), identity(&dated("1.7e12")));
    }

    #[test]
    fn what_is_no_message_is_known_by_its_bytes() {
        let identity = |line: &[u8]| Identity::of(line).hash;
        assert_eq!(identity(b"{nope"), identity(b"{nope"));
        assert_ne!(identity(b"{nope"), identity(b"{nope!"));
        assert_ne!(identity(b"\xff"), identity(b"\xff\xff"));
    }
}
