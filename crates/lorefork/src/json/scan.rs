//! Walking over JSON text: where a value ends, and what is wrong with it.
//!
//! Nothing is built and nothing is recursive. What is refused, and the words for it, are those of
//! `serde_json`, which checks this file in tests; in the page it would be a fifth of all
//! WebAssembly. A tower of brackets is refused besides: each level that somebody looks into is
//! walked over once more, and what prints one is recursive.

use super::read::JsonError;
use crate::limits::DEEPEST;

/// The end of the value that begins at `at`.
pub(super) fn value_end(bytes: &[u8], mut at: usize) -> Result<usize, JsonError> {
    // The brackets that will close what is open.
    let mut open: Vec<u8> = Vec::new();
    loop {
        match bytes.get(at) {
            Some(b'{' | b'[') if open.len() == DEEPEST => return Err(JsonError::TooDeep),
            Some(b'{') => {
                open.push(b'}');
                at = skip_space(bytes, at + 1);
                if bytes.get(at) != Some(&b'}') {
                    at = value_of_key(bytes, at)?;
                    continue;
                }
            }
            Some(b'[') => {
                open.push(b']');
                at = skip_space(bytes, at + 1);
                match bytes.get(at) {
                    Some(b']') => {}
                    Some(_) => continue,
                    None => return Err(problem(bytes, at, "EOF while parsing a list")),
                }
            }
            _ => at = plain_end(bytes, at)?,
        }
        // A value ends here, and perhaps what it stands in.
        loop {
            let Some(&close) = open.last() else { return Ok(at) };
            at = skip_space(bytes, at);
            match (bytes.get(at), close) {
                (Some(&byte), _) if byte == close => {
                    open.pop();
                    at += 1;
                }
                (Some(b','), b'}') => {
                    at = value_of_key(bytes, skip_space(bytes, at + 1))?;
                    break;
                }
                (Some(b','), _) => {
                    at = skip_space(bytes, at + 1);
                    break;
                }
                (Some(_), b'}') => return Err(problem(bytes, at, "expected `,` or `}`")),
                (Some(_), _) => return Err(problem(bytes, at, "expected `,` or `]`")),
                (None, b'}') => return Err(problem(bytes, at, "EOF while parsing an object")),
                (None, _) => return Err(problem(bytes, at, "EOF while parsing a list")),
            }
        }
    }
}

/// Where the value begins whose key begins at `at`.
pub(super) fn value_of_key(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    match bytes.get(at) {
        Some(b'"') => {}
        Some(_) => return Err(problem(bytes, at, "key must be a string")),
        None => return Err(problem(bytes, at, "EOF while parsing an object")),
    }
    let colon = skip_space(bytes, string_end(bytes, at)?);
    match bytes.get(colon) {
        Some(b':') => Ok(skip_space(bytes, colon + 1)),
        Some(_) => Err(problem(bytes, colon, "expected `:`")),
        None => Err(problem(bytes, colon, "EOF while parsing an object")),
    }
}

pub(super) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// The end of a value that holds no others.
fn plain_end(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    match bytes.get(at) {
        Some(b'"') => string_end(bytes, at),
        Some(b'n') => word_end(bytes, at, b"null"),
        Some(b't') => word_end(bytes, at, b"true"),
        Some(b'f') => word_end(bytes, at, b"false"),
        Some(b'-' | b'0'..=b'9') => number_end(bytes, at),
        Some(_) => Err(problem(bytes, at, "expected value")),
        None => Err(problem(bytes, at, "EOF while parsing a value")),
    }
}

fn word_end(bytes: &[u8], mut at: usize, word: &[u8]) -> Result<usize, JsonError> {
    if bytes.get(at..at + word.len()) == Some(word) {
        return Ok(at + word.len());
    }
    for letter in word {
        match bytes.get(at) {
            Some(byte) if byte == letter => at += 1,
            Some(_) => return Err(problem(bytes, at, "expected ident")),
            None => return Err(problem(bytes, at, "EOF while parsing a value")),
        }
    }
    Ok(at)
}

/// The end of the string whose first quote stands at `at`.
pub(super) fn string_end(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    const CUT: &str = "EOF while parsing a string";
    let mut at = at + 1;
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => {
                let escape = bytes.get(at + 1).ok_or_else(|| problem(bytes, at + 1, CUT))?;
                at += 2;
                match escape {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                    b'u' => {
                        let digits = bytes
                            .get(at..at + 4)
                            .ok_or_else(|| problem(bytes, bytes.len(), CUT))?;
                        at += 4;
                        if !digits.iter().all(u8::is_ascii_hexdigit) {
                            return Err(problem(bytes, at - 1, "invalid escape"));
                        }
                    }
                    _ => return Err(problem(bytes, at - 1, "invalid escape")),
                }
            }
            Some(0..0x20) => {
                // Counted as the place behind the last good character.
                let what = "control character (\\u0000-\\u001F) found while parsing a string";
                return Err(problem(bytes, at - 1, what));
            }
            Some(_) => at = plain_run_end(bytes, at),
            None => return Err(problem(bytes, at, CUT)),
        }
    }
}

/// Where in a string the next quote, backslash or control character may stand, after the plain one
/// at `at`. Eight bytes at a time: most of a chat is the inside of strings.
fn plain_run_end(bytes: &[u8], at: usize) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    // The high bit of the lowest byte that is zero; of higher bytes it may be wrong.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut at = at + 1;
    while let Some(eight) = bytes[at..].first_chunk() {
        let word = u64::from_le_bytes(*eight);
        let special = zero(word ^ (ONES * u64::from(b'"')))
            | zero(word ^ (ONES * u64::from(b'\\')))
            | (word.wrapping_sub(ONES * 0x20) & !word & HIGH);
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at
}

fn number_end(bytes: &[u8], mut at: usize) -> Result<usize, JsonError> {
    let digits_end = |mut at: usize| {
        let start = at;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        if at > start { Ok(at) } else { Err(problem(bytes, at, "invalid number")) }
    };
    if bytes[at] == b'-' {
        at += 1;
    }
    if bytes.get(at) == Some(&b'0') {
        at += 1;
        if bytes.get(at).is_some_and(u8::is_ascii_digit) {
            return Err(problem(bytes, at, "invalid number"));
        }
    } else {
        at = digits_end(at)?;
    }
    if bytes.get(at) == Some(&b'.') {
        at = digits_end(at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        at = digits_end(at)?;
    }
    Ok(at)
}

/// What is wrong with the byte at `at`, or with the end of the text.
#[cold]
pub(super) fn problem(bytes: &[u8], at: usize, what: &str) -> JsonError {
    let before = &bytes[..bytes.len().min(at + 1)];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count();
    JsonError::Malformed(format!("{what} at line {line} column {column}"))
}
