//! Text with styles. Whatever enters it is escaped, so nothing else can reach a terminal.

use std::borrow::Borrow;

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use super::escape::escape;
use super::style::{CODE, PLAIN, QUIET, STRONG};

/// Text, each piece of it in one style.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    text: String,
    /// The styles, each with where it ends.
    spans: Vec<(Style, usize)>,
    /// Columns it takes on a terminal.
    columns: usize,
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
        let text = escape(text.as_ref());
        self.text.push_str(&text);
        self.columns += wide(&text);
        self.go_on(style, self.text.len());
        self
    }

    /// What was added up to here is in this style.
    fn go_on(&mut self, style: Style, end: usize) {
        match self.spans.last_mut() {
            Some((last, so_far)) if *last == style => *so_far = end,
            _ => self.spans.push((style, end)),
        }
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
        self.columns
    }

    /// The text with blanks after it, up to `width` columns.
    pub(crate) fn padded(self, width: usize) -> Self {
        let missing = width.saturating_sub(self.width());
        self.plain(" ".repeat(missing))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Without its styles.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Its pieces.
    pub(super) fn spans(&self) -> impl Iterator<Item = (Style, &str)> {
        let mut start = 0;
        self.spans.iter().map(move |(style, end)| {
            let part = &self.text[start..*end];
            start = *end;
            (*style, part)
        })
    }

    /// Its letters, each with its style.
    pub(super) fn letters(&self) -> impl Iterator<Item = (char, Style)> {
        self.spans().flat_map(|(style, part)| part.chars().map(move |c| (c, style)))
    }

    pub(crate) fn then(mut self, other: impl Borrow<Self>) -> Self {
        let other = other.borrow();
        let before = self.text.len();
        self.text.push_str(&other.text);
        self.columns += other.columns;
        for (style, end) in &other.spans {
            self.go_on(*style, before + end);
        }
        self
    }
}

/// Columns of a text that is escaped.
fn wide(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

impl<S: AsRef<str>> From<S> for Text {
    fn from(text: S) -> Self {
        Self::new().plain(text)
    }
}
