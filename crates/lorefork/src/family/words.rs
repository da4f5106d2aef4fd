//! What people said of a timeline: it stands in the timeline's own record, so that it travels with the
//! file. A copy that SillyTavern makes carries the record along, but that is then another's.

use super::say::LONGEST_LABEL;
use crate::json::{Json, JsonError};
use crate::tavern::chat::{Header, HeaderEdit};
use crate::timeline::record::{KEY, mark_main, own_id};

/// Words of a user. Nothing here changes what a timeline is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    /// What it is called in the tree.
    pub label: Option<String>,
    /// A name of a colour, or `#rrggbb`.
    pub colour: Option<String>,
    /// A longer text.
    pub note: Option<String>,
    /// Whether this is how the story really went.
    pub is_canon: bool,
    /// Whether it is folded away.
    pub is_archived: bool,
}

/// One thing to say of a timeline; an empty text, or false, takes it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// A short name beside that of the file.
    Label(String),
    /// The colour of its lane.
    Colour(String),
    /// A longer text.
    Note(String),
    /// Whether it is how the story really went.
    Canon(bool),
    /// Whether trees fold it away.
    Archived(bool),
}

impl Word {
    /// Its key in the record.
    fn key(&self) -> &'static str {
        match self {
            Self::Label(_) => "label",
            Self::Colour(_) => "colour",
            Self::Note(_) => "note",
            Self::Canon(_) => "canon",
            Self::Archived(_) => "archived",
        }
    }
}

impl Words {
    /// Those of the timeline itself.
    pub(super) fn read(header: &Header<'_>, chat: &str) -> Self {
        let Some(_) = own_id(header, chat) else { return Self::default() };
        let text = |key: &str| {
            let text = header.meta(&[KEY, key])?.str()?.trim().to_owned();
            (!text.is_empty()).then_some(text)
        };
        let flag = |key: &str| header.meta(&[KEY, key]).is_some_and(Json::truthy);
        Self {
            label: text("label").map(|label| one_line(&label, LONGEST_LABEL)),
            colour: text("colour").filter(|colour| is_colour(colour)),
            note: text("note"),
            is_canon: flag("canon"),
            is_archived: flag("archived"),
        }
    }
}

/// A label stands in one row of a tree, whoever wrote it.
fn one_line(text: &str, most: usize) -> String {
    let blank = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.chars().map(blank).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(most).collect()
}

/// A colour goes into pictures as it is, so only what is plainly one counts.
pub fn is_colour(text: &str) -> bool {
    let is_name =
        !text.is_empty() && text.len() <= 20 && text.bytes().all(|b| b.is_ascii_lowercase());
    let hex = text.strip_prefix('#');
    is_name
        || hex.is_some_and(|hex| {
            matches!(hex.len(), 3 | 6) && hex.bytes().all(|b| b.is_ascii_hexdigit())
        })
}

/// Says one thing of a timeline in its header. One without a record of its own gets one, with an id;
/// everything else in the record stays.
pub(super) fn say(
    edit: &mut HeaderEdit,
    chat: &str,
    id: &str,
    word: &Word,
) -> Result<(), JsonError> {
    let before = edit.text().to_owned();
    let header = Header::read(&before).ok();
    let has_own = header.is_some_and(|header| own_id(&header, chat).is_some());
    let key = [KEY, word.key()];
    let (value, is_nothing) = match word {
        Word::Label(text) => {
            let text = one_line(text, LONGEST_LABEL);
            (crate::json::quote(&text), text.is_empty())
        }
        Word::Colour(text) | Word::Note(text) => {
            (crate::json::quote(text.trim()), text.trim().is_empty())
        }
        Word::Canon(flag) | Word::Archived(flag) => (flag.to_string(), !flag),
    };
    if is_nothing {
        return if has_own { edit.remove(&key) } else { Ok(()) };
    }
    if !has_own {
        // What stands there is a copy that came with the chat, or nothing.
        edit.remove(&[KEY])?;
        let slug = header.and_then(|header| header.slug());
        mark_main(edit, id, chat, slug.as_deref())?;
    }
    edit.set(&key, &value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, words: &[Word]) -> String {
        let mut edit = HeaderEdit::new(text);
        for word in words {
            say(&mut edit, "Mine", "i", word).unwrap();
        }
        edit.into_text()
    }

    fn read(text: &str, chat: &str) -> Words {
        Words::read(&Header::read(text).unwrap(), chat)
    }

    #[test]
    fn a_label_is_one_row_whoever_wrote_it() {
        let text = r#"{"chat_metadata":{"integrity":"s"}}"#;
        let after = said(text, &[Word::Label(" a\nb\u{1b}[31m\t c ".into())]);
        assert!(after.contains(r#""label":"a b [31m c""#), "{after}");
        let long = format!(
            r#"{{"chat_metadata":{{"lorefork":{{"id":"x","chat":"Mine","label":"a\nb{}"}}}}}}"#,
            "y".repeat(300)
        );
        let label = read(&long, "Mine").label.unwrap();
        assert!(label.starts_with("a by") && label.chars().count() == LONGEST_LABEL, "{label}");
    }

    /// Half of an emoji, as a text that was cut has it, is no reason to lose a byte.
    #[test]
    fn a_lone_surrogate_in_a_label_is_shown_and_elsewhere_kept() {
        let text = r#"{"chat_metadata":{"lorefork":{"id":"x","chat":"Mine","label":"a\ud83d","note":"\udc09 b","odd":"\ud83d"}}}"#;
        let words = read(text, "Mine");
        assert_eq!(words.label.as_deref(), Some("a\u{fffd}"));
        let after = said(text, &[Word::Canon(true)]);
        assert_eq!(after, text.replace(r#""}}}"#, r#"","canon":true}}}"#));
        let after = said(text, &[Word::Label("b".into())]);
        assert_eq!(after, text.replace(r#""a\ud83d""#, r#""b""#));
    }

    #[test]
    fn what_is_said_is_read_back_and_the_rest_stays() {
        let text =
            r#"{"chat_metadata":{"integrity":"s","lorefork":{"id":"x","chat":"Mine","odd":1.0}}}"#;
        let all = [
            Word::Label(" spares the dragon ".into()),
            Word::Colour("#a0b1c2".into()),
            Word::Note("n".into()),
            Word::Canon(true),
            Word::Archived(true),
        ];
        let after = said(text, &all);
        assert!(after.contains(r#""id":"x","chat":"Mine","odd":1.0,"label":"spares the dragon""#));
        let words = read(&after, "Mine");
        assert_eq!(words.label.as_deref(), Some("spares the dragon"));
        assert_eq!(words.colour.as_deref(), Some("#a0b1c2"));
        assert!(words.is_canon && words.is_archived);
        let back = [
            Word::Label(String::new()),
            Word::Colour(String::new()),
            Word::Note(" ".into()),
            Word::Canon(false),
            Word::Archived(false),
        ];
        assert_eq!(said(&after, &back), text);
    }

    #[test]
    fn a_chat_without_a_record_gets_one_and_a_copied_one_is_not_its_own() {
        let after = said(r#"{"chat_metadata":{"integrity":"s"}}"#, &[Word::Label("l".into())]);
        assert_eq!(
            after,
            r#"{"chat_metadata":{"integrity":"s","lorefork":{"v":1,"id":"i","kind":"main","chat":"Mine","slug":"s","label":"l"}}}"#
        );
        // As SillyTavern copies it into a branch.
        let copy = after.replace(r#""integrity":"s""#, r#""integrity":"t","main_chat":"Mine""#);
        assert_eq!(read(&copy, "Mine - Branch #1"), Words::default());
        let plain = r#"{"chat_metadata":{}}"#;
        assert_eq!(said(plain, &[Word::Label(" ".into()), Word::Canon(false)]), plain);
    }

    #[test]
    fn a_colour_is_a_colour() {
        for good in ["red", "rebeccapurple", "#abc", "#A0b1C2"] {
            assert!(is_colour(good), "{good}");
        }
        for bad in ["", "#", "#abcd", "red;", "url(x)", "\"", "#gggggg", "Red"] {
            assert!(!is_colour(bad), "{bad}");
        }
    }
}
