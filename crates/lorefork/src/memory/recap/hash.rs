//! The hash by which Auto-Recap notices that a recap's text has changed.

/// Auto-Recap's hash of a text: trimmed, then 31·h + unit over UTF-16 code
/// units in wrapping 32 bits, its absolute value in base 36.
pub fn recap_hash(text: &str) -> String {
    recap_hash_of_units(&text.encode_utf16().collect::<Vec<_>>())
}

/// The same for text that may hold half an emoji, which a `&str` cannot.
pub fn recap_hash_of_units(units: &[u16]) -> String {
    let hash = trimmed(units)
        .iter()
        .fold(0_i32, |hash, &unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)));
    // Not `abs`: JavaScript's numbers have a place for the smallest one's.
    base36(hash.unsigned_abs())
}

/// As JavaScript trims. Rust's `trim` differs in two characters: it takes
/// U+0085 (next line) away and leaves U+FEFF (byte order mark).
pub(super) fn trimmed(units: &[u16]) -> &[u16] {
    let stays = |&unit: &u16| !is_javascript_space(unit);
    let Some(start) = units.iter().position(stays) else {
        return &[];
    };
    let end = units.iter().rposition(stays).map_or(start, |last| last + 1);
    &units[start..end]
}

fn is_javascript_space(unit: u16) -> bool {
    matches!(
        unit,
        0x09..=0x0d | 0x20 | 0xa0 | 0x1680 | 0x2000..=0x200a | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x3000 | 0xfeff
    )
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(number % 36, 36));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r080_the_known_vectors() {
        for (text, hash) in
            [("", "0"), ("abc", "22ci"), ("The story so far.", "o2vr7l"), ("é😀", "16sr0")]
        {
            assert_eq!(recap_hash(text), hash, "{text:?}");
        }
    }

    #[test]
    fn r080_trims_what_javascript_trims() {
        assert_eq!(recap_hash(" \n\t\u{b}\u{feff}\u{a0}\u{3000}abc\u{2028}\r\n "), "22ci");
        assert_eq!(recap_hash(" \u{feff} "), "0");
        for stays in ["\u{85}abc", "abc\u{180e}", "\u{200b}abc"] {
            assert_ne!(recap_hash(stays), "22ci", "{stays:?}");
        }
        assert_ne!(recap_hash("a bc"), "22ci");
    }

    #[test]
    fn r080_half_an_emoji_and_the_smallest_number() {
        assert_eq!(recap_hash_of_units(&[0xd83d]), "16pp");
        // A text whose sum is exactly -2^31.
        assert_eq!(recap_hash("polygenelubricants"), "zik0zk");
    }
}
