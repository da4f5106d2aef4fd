//! What a timeline could be called: the first message that is its own, in a few words.

/// More would not fit beside a tree.
const MOST: usize = 60;
/// A sentence of fewer letters is no name: “Yes.”
const FEWEST: usize = 8;

/// The first words of a message, without what only means how it looks; `None` if there are none.
pub fn first_words(text: &str) -> Option<String> {
    let words = plain(text);
    (!words.is_empty()).then(|| cut(&words, MOST * 2))
}

/// A name for a timeline, by the first message that its parent does not have.
pub fn proposed(text: &str) -> Option<String> {
    proposed_by_words(&plain(text))
}

/// The same, by the [`plain`] words of that message.
pub fn proposed_by_words(words: &str) -> Option<String> {
    let mut end = words.len();
    for (letters, (at, c)) in words.char_indices().take(MOST + 1).enumerate() {
        let is_end = matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | ';' | '—');
        let after = at + c.len_utf8();
        // “3.5” and “Mr.X” do not end here.
        let ends = matches!(c, '。' | '！' | '？') || words[after..].starts_with([' ', '”', '"']);
        if is_end && ends && letters >= FEWEST {
            end = at;
            break;
        }
    }
    let sentence = words[..end].trim_end_matches(['.', ',', ';', ' ', '…']);
    (!sentence.is_empty()).then(|| cut(sentence, MOST))
}

/// The beginning of a text on one line, without tags, stars and quotes.
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut tag = 0;
    let mut letters = 0;
    // Enough for what is kept, however long the message is.
    for c in text.chars().take(4_000) {
        match c {
            '<' => tag = 1,
            '>' if tag > 0 => tag = 0,
            _ if tag > 0 && tag < 80 => tag += 1,
            '*' | '_' | '"' | '“' | '”' | '`' | '#' | '~' | '«' | '»' | '「' | '」' => {}
            c if c.is_whitespace() || c.is_control() => {
                if !out.ends_with(' ') && !out.is_empty() {
                    out.push(' ');
                }
            }
            c => {
                tag = 0;
                letters += 1;
                out.push(c);
            }
        }
        // One more than is ever shown, to know that there are more.
        if letters > MOST * 2 + 1 {
            break;
        }
    }
    out.trim_end().to_owned()
}

/// The beginning of a text, cut between words if possible.
fn cut(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let end = match text[..end].rfind(' ') {
        Some(space) if space > end / 2 => space,
        _ => end,
    };
    format!("{}…", text[..end].trim_end_matches([',', ' ', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_first_sentence_without_ornaments() {
        let named = |text: &str| proposed(text).unwrap();
        assert_eq!(named("*She spares the dragon.* \"Go,\" she says."), "She spares the dragon");
        assert_eq!(named("Yes. I will open the door."), "Yes. I will open the door");
        assert_eq!(named("<b>Run</b>\n\n  to the   harbour!"), "Run to the harbour!");
        assert_eq!(named("彼女は灯台に火をともした。そして待った。"), "彼女は灯台に火をともした");
        assert_eq!(named("It costs 3.5 crowns, no more"), "It costs 3.5 crowns, no more");
        assert_eq!(named("...?"), "...?");
    }

    #[test]
    fn a_long_sentence_is_cut_between_words() {
        let name = proposed(&"word ".repeat(100)).unwrap();
        assert!(name.chars().count() <= MOST + 1 && name.ends_with("word…"), "{name}");
        let name = proposed(&"夜".repeat(500)).unwrap();
        assert_eq!(name.chars().count(), MOST + 1);
    }

    #[test]
    fn nothing_gives_no_name() {
        for text in ["", "  \n", "***", "<br>", "\u{7}"] {
            assert_eq!(proposed(text), None, "{text:?}");
        }
    }
}
