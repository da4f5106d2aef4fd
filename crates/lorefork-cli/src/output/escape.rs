//! Text from files, made safe to look at.
//!
//! A chat can be named anything. What would move the cursor, change colours, turn text around or
//! hide in it is shown as an escape instead.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with everything that is not plainly visible spelled out.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte);
    if text.bytes().all(is_plain) || !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = None;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            JOINER if is_sign(before) && is_sign(letters.peek().copied()) => out.push(c),
            c if is_hidden(c) => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
        before = Some(c);
    }
    Cow::Owned(out)
}

/// Makes one picture of several: a family, a flag.
const JOINER: char = '\u{200d}';

/// Whether it is a picture, or colours one, and no letter: nothing can hide between two of them.
fn is_sign(c: Option<char>) -> bool {
    c.is_some_and(|c| c >= '\u{2190}' && !c.is_alphanumeric() && !is_hidden(c))
}

/// Whether a character acts on its surroundings or takes no room of its own.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || turns_text(c)
        || matches!(c,
            // Soft hyphen, letters that are blank, separators of lines and paragraphs.
            '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{2028}' | '\u{2029}' | '\u{3164}' | '\u{ffa0}'
            // Zero width.
            | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
            // Annotations and tags.
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether a character turns the text around it to another direction.
pub(crate) fn turns_text(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}')
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn ordinary_text_of_any_script_stays() {
        for text in ["The Last Lamp - Branch #1", "宵待島の夜", "مرحبا", "Zoë 🐉", "a\\b", "“x”"]
        {
            assert_eq!(escape(text), text);
        }
    }

    #[test]
    fn what_acts_on_a_terminal_is_spelled_out() {
        assert_eq!(escape("a\x1b[31mb"), r"a\u{1b}[31mb");
        assert_eq!(escape("a\nb\r\tc\x07"), r"a\nb\r\tc\u{7}");
        assert_eq!(escape("\u{9b}31m\x7f"), r"\u{9b}31m\u{7f}");
    }

    #[test]
    fn what_turns_text_around_or_hides_is_spelled_out() {
        assert_eq!(escape("a\u{202e}lnosj.b"), r"a\u{202e}lnosj.b");
        assert_eq!(escape("a\u{2066}b\u{2069}"), r"a\u{2066}b\u{2069}");
        assert_eq!(escape("a\u{200b}b\u{feff}\u{ad}"), r"a\u{200b}b\u{feff}\u{ad}");
        assert_eq!(escape("\u{e0041}\u{2028}"), r"\u{e0041}\u{2028}");
    }

    #[test]
    fn pictures_that_are_made_of_several_stay() {
        for text in ["👩\u{200d}👩\u{200d}👧 out", "❤\u{fe0f}\u{200d}🔥", "👩🏽\u{200d}🚀"]
        {
            assert_eq!(escape(text), text);
        }
        assert_eq!(escape("夜\u{200d}夜"), r"夜\u{200d}夜");
        assert_eq!(escape("👩\u{200d}"), r"👩\u{200d}");
        assert_eq!(escape("a\u{200d}👩\u{200d}b"), r"a\u{200d}👩\u{200d}b");
        assert_eq!(escape("👩\u{200d}\u{200d}👩"), r"👩\u{200d}\u{200d}👩");
    }
}
