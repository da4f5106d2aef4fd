//! Strings between JSON text, UTF-8 and JavaScript's UTF-16.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The UTF-16 units of a JSON string, given with its quotes. The text is known to be well-formed.
pub(super) fn units(raw: &str) -> Vec<u16> {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    let mut units = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        units.extend(rest[..at].encode_utf16());
        let escape = rest.as_bytes().get(at + 1).copied().unwrap_or(b'\\');
        let mut taken = 2;
        units.push(match escape {
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => 0x0a,
            b'r' => 0x0d,
            b't' => 0x09,
            b'u' => {
                taken = 6;
                let digits = rest.get(at + 2..at + 6).unwrap_or_default();
                u16::from_str_radix(digits, 16).unwrap_or(0xfffd)
            }
            other => u16::from(other),
        });
        rest = rest.get(at + taken..).unwrap_or_default();
    }
    units.extend(rest.encode_utf16());
    units
}

/// A JSON string as UTF-8; halves of surrogate pairs become U+FFFD.
pub(super) fn decode(raw: &str) -> Cow<'_, str> {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    if inner.contains('\\') {
        Cow::Owned(String::from_utf16_lossy(&units(raw)))
    } else {
        Cow::Borrowed(inner)
    }
}

/// A string as `JSON.stringify` writes it, quotes included.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        push_char(&mut out, c);
    }
    out.push('"');
    out
}

/// The same for UTF-16: a half of a surrogate pair is written as its escape.
pub fn quote_units(units: &[u16]) -> String {
    let mut out = String::with_capacity(units.len() + 2);
    out.push('"');
    for c in char::decode_utf16(units.iter().copied()) {
        match c {
            Ok(c) => push_char(&mut out, c),
            Err(half) => push_escape(&mut out, half.unpaired_surrogate()),
        }
    }
    out.push('"');
    out
}

fn push_char(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if u32::from(c) < 0x20 => push_escape(out, u32::from(c) as u16),
        c => out.push(c),
    }
}

fn push_escape(out: &mut String, unit: u16) {
    // Writing to a String cannot fail.
    let _ = write!(out, "\\u{unit:04x}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_is_javascripts() {
        assert_eq!(
            quote("a\"\\\n\u{1}\u{7f}é😀\u{2028}"),
            "\"a\\\"\\\\\\n\\u0001\u{7f}é😀\u{2028}\""
        );
        assert_eq!(quote_units(&[0xd83d]), r#""\ud83d""#);
        assert_eq!(quote_units(&[0xd83d, 0xde00, 0xdc00]), "\"😀\\udc00\"");
    }

    #[test]
    fn decoding_reverses_quoting() {
        for text in ["", "\\u", "a\tb\u{8}\u{c}/", "日本語", "👩‍🚀\u{0}"] {
            assert_eq!(decode(&quote(text)), text);
        }
        assert_eq!(decode(r#""\ud83d\ude00\/""#), "😀/");
    }
}
