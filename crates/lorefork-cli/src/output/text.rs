//! Text with styles. Whatever enters it is escaped, so nothing else can reach a terminal.

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use super::escape::escape;
use super::style::{CODE, PLAIN, QUIET, STRONG};

/// Pieces of text, each in one style.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    pub(super) spans: Vec<(Style, String)>,
}

impl Text {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Room at the left.
    pub(crate) fn blanks(columns: usize) -> Self {
        Self::from(" ".repeat(columns))
    }

    /// Adds text in a style.
    pub(crate) fn styled(mut self, style: Style, text: impl AsRef<str>) -> Self {
        self.spans.push((style, escape(text.as_ref()).into_owned()));
        self
    }

    pub(crate) fn plain(self, text: impl AsRef<str>) -> Self {
        self.styled(PLAIN, text)
    }

    pub(crate) fn strong(self, text: impl AsRef<str>) -> Self {
        self.styled(STRONG, text)
    }

    pub(crate) fn quiet(self, text: impl AsRef<str>) -> Self {
        self.styled(QUIET, text)
    }

    pub(crate) fn code(self, text: impl AsRef<str>) -> Self {
        self.styled(CODE, text)
    }

    /// A name, in quotes.
    pub(crate) fn name(self, name: impl AsRef<str>) -> Self {
        self.plain("“").strong(name).plain("”")
    }

    /// Columns it takes on a terminal.
    pub(crate) fn width(&self) -> usize {
        // What is escaped and of ASCII takes one column for each letter.
        let wide = |text: &String| if text.is_ascii() { text.len() } else { text.width() };
        self.spans.iter().map(|(_, text)| wide(text)).sum()
    }

    /// The text with blanks after it, up to `width` columns.
    pub(crate) fn padded(self, width: usize) -> Self {
        let missing = width.saturating_sub(self.width());
        self.plain(" ".repeat(missing))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spans.iter().all(|(_, text)| text.is_empty())
    }

    /// Its letters, each with its style.
    pub(super) fn letters(&self) -> impl Iterator<Item = (char, Style)> {
        self.spans.iter().flat_map(|(style, part)| part.chars().map(|c| (c, *style)))
    }

    pub(crate) fn then(mut self, other: Self) -> Self {
        self.spans.extend(other.spans);
        self
    }
}

impl<S: AsRef<str>> From<S> for Text {
    fn from(text: S) -> Self {
        Self::new().plain(text)
    }
}
