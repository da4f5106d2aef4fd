//! Breaking text into lines that fit.

use anstyle::Style;
use unicode_width::UnicodeWidthChar as _;

use super::text::Text;

type Styled = (char, Style);

/// Whether a text fits into one line.
pub(super) fn fits(text: &Text, width: usize, first: &Text) -> bool {
    first.width() + text.width() <= width
}

/// The lines of a text that does not fit into one, at most `width` columns wide: the first after
/// `first`, the others after `rest`. A word that is too long for a line is cut.
pub(super) fn wrap(text: &Text, width: usize, first: &Text, rest: &Text) -> Vec<Vec<Styled>> {
    let (first_columns, rest_columns) = (first.width(), rest.width());
    let mut lines: Vec<Vec<Styled>> = vec![letters(first)];
    // Where the line begins, and where we are.
    let (mut start, mut column) = (first_columns, first_columns);
    let mut is_fresh = true;
    for word in words(text) {
        let columns: usize = word.iter().map(|styled| wide(styled.0)).sum();
        // What would not fit there either is cut where it stands.
        let is_room_below = rest_columns + columns <= width;
        if !is_fresh && is_room_below && column + 1 + columns > width {
            lines.push(letters(rest));
            (start, column, is_fresh) = (rest_columns, rest_columns, true);
        }
        if !is_fresh {
            push(&mut lines, (' ', word.first().map_or(Style::new(), |styled| styled.1)));
            column += 1;
        }
        for styled in word {
            let columns = wide(styled.0);
            if column + columns > width && column > start {
                lines.push(letters(rest));
                (start, column) = (rest_columns, rest_columns);
            }
            push(&mut lines, styled);
            column += columns;
        }
        is_fresh = false;
    }
    lines
}

/// A text that fits, letter by letter as if it had been broken into words: most lines are such.
pub(super) fn whole(text: &Text, first: &Text) -> impl Iterator<Item = Styled> {
    let mut letters = text.letters().peekable();
    let text = std::iter::from_fn(move || {
        let (c, style) = letters.next()?;
        // A blank looks like the word behind it.
        let next = letters.peek().filter(|(next, _)| *next != ' ').map(|(_, style)| *style);
        Some((c, if c == ' ' { next.unwrap_or_default() } else { style }))
    });
    first.letters().chain(text)
}

fn letters(text: &Text) -> Vec<Styled> {
    text.letters().collect()
}

fn push(lines: &mut [Vec<Styled>], styled: Styled) {
    if let Some(line) = lines.last_mut() {
        line.push(styled);
    }
}

fn wide(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The words; each blank ends one, so several blanks stay several.
fn words(text: &Text) -> Vec<Vec<Styled>> {
    let mut words = vec![Vec::new()];
    for (c, style) in letters(text) {
        if c == ' ' {
            words.push(Vec::new());
        } else if let Some(word) = words.last_mut() {
            word.push((c, style));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize) -> Vec<String> {
        let (text, first) = (Text::from(text), Text::new());
        let lines = match fits(&text, width, &first) {
            true => vec![whole(&text, &first).collect()],
            false => wrap(&text, width, &first, &Text::blanks(2)),
        };
        lines.into_iter().map(|line| line.into_iter().map(|(c, _)| c).collect()).collect()
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three", 20), ["one two three"]);
        assert_eq!(wrapped("one two three", 8), ["one two", "  three"]);
        assert_eq!(wrapped("", 8), [""]);
    }

    #[test]
    fn long_words_are_cut_and_wide_letters_count_twice() {
        assert_eq!(wrapped("abcdefghij", 6), ["abcdef", "  ghij"]);
        assert_eq!(wrapped("宵待島の夜 x", 6), ["宵待島", "  の夜", "  x"]);
        assert_eq!(wrapped("– abcdefghij", 6), ["– abcd", "  efgh", "  ij"]);
    }

    #[test]
    fn what_fits_looks_as_if_it_had_been_broken() {
        use super::super::style::{CARE, QUIET};
        let text = Text::new().quiet("a b ").styled(CARE, "c").quiet("  d").plain(" ");
        let whole: Vec<Styled> = whole(&text, &Text::from("> ")).collect();
        let style_of = |c| whole.iter().find(|(other, _)| *other == c).unwrap().1;
        let told: String = whole.iter().map(|(c, _)| *c).collect();
        assert_eq!(told, "> a b c  d ");
        assert_eq!((style_of('a'), style_of('c')), (QUIET, CARE));
        assert_eq!((whole[3].1, whole[5].1, whole[7].1), (QUIET, CARE, Style::new()));
    }

    #[test]
    fn no_width_is_too_small() {
        assert_eq!(wrapped("ab", 1), ["a", "  b"]);
    }
}
