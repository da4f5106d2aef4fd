//! Whether a line is a JSON object in UTF-8.

use lorefork::json::{Json, JsonError};
use lorefork::sentence::Sentence;
use lorefork::{limits, say};
use serde::de::IgnoredAny;

/// As fast as it can be told; [`problem`] says what is wrong.
pub(crate) fn is_sound(line: &[u8]) -> bool {
    simdutf8::basic::from_utf8(line)
        .is_ok_and(|text| begins_object(line) && Json::parse(text).is_ok())
}

/// What is wrong with a line, in words.
pub(crate) fn problem(line: &[u8]) -> Sentence {
    if let Err(error) = simdutf8::compat::from_utf8(line) {
        let byte = error.valid_up_to() + 1;
        return say!("not UTF-8 from byte {0} of the line on", byte);
    }
    let is_too_deep = |text| Json::parse(text) == Err(JsonError::TooDeep);
    if std::str::from_utf8(line).is_ok_and(is_too_deep) {
        return limits::TOO_DEEP;
    }
    match json_error(line) {
        // It says "at line 1 column n", and the line would be the wrong one.
        Some(error) if error.is_eof() => say!("not complete: the line ends too early"),
        Some(error) => say!("not valid JSON from column {0} on", error.column()),
        None => say!("not a JSON object"),
    }
}

fn begins_object(line: &[u8]) -> bool {
    line.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}

/// Nothing is built, only walked over. Halves of emoji are fine.
fn json_error(line: &[u8]) -> Option<serde_json::Error> {
    serde_json::from_slice::<IgnoredAny>(line).err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_javascript_would_read_is_sound() {
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(500), "]".repeat(500));
        for line in [
            "{}",
            " {\"a\":1}\r",
            r#"{"a":"\ud83d","b":-0.0e+999}"#,
            "{\"mes\":\"日本\u{2028}\"}",
            &deep,
        ] {
            assert!(is_sound(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn a_tower_of_brackets_is_not_read() {
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(512), "]".repeat(512));
        assert!(!is_sound(deep.as_bytes()));
        assert_eq!(problem(deep.as_bytes()), limits::TOO_DEEP);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, said) in [
            (&b"{\"a\":\"\xff\"}"[..], "not UTF-8 from byte 7 "),
            (b"{\"a\":1", "ends too early"),
            (b"{\"a\":1}x", "column 8"),
            (b"{\"a\":nul}", "not valid JSON"),
            (b"{\"a\":\"\x01\"}", "not valid JSON"),
            (b"[1]", "not a JSON object"),
            (b"null", "not a JSON object"),
            ("\u{feff}{}".as_bytes(), "not valid JSON"),
        ] {
            assert!(!is_sound(line));
            assert!(problem(line).to_string().contains(said), "{} / {said}", problem(line));
        }
    }
}
