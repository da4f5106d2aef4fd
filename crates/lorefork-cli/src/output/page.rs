//! What a person reads: paragraphs, aligned fields and tables.

use std::borrow::Cow;
use std::fmt::Write as _;

use anstyle::Style;

use super::rows::{self, Row};
use super::text::Text;
use super::wrap::{fits, whole, wrap};

/// Between two columns.
const GAP: usize = 2;
/// Further in there would be no room left.
const MOST_HANG: usize = 40;

/// Lines to show, still without a width.
#[derive(Debug, Clone, Default)]
pub(crate) struct Page {
    blocks: Vec<Block>,
}

#[derive(Debug, Clone)]
enum Block {
    Line(Line<'static>),
    /// Beside each other where there is room: known when the width is.
    Rows {
        indent: usize,
        families: Vec<Vec<Row>>,
    },
    /// Of a page that was rendered before, for this screen.
    Rendered(String),
}

#[derive(Debug, Clone)]
pub(super) struct Line<'t> {
    pub(super) text: Cow<'t, Text>,
    /// What stands before the first line, and before those it is broken into.
    pub(super) first: Text,
    pub(super) rest: Text,
    /// Whether it may be broken. What a person shall copy may not.
    pub(super) wraps: bool,
}

impl Page {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A paragraph; if it is broken, its other lines are indented by `hang` more.
    pub(crate) fn hanging(&mut self, indent: usize, hang: usize, text: impl Into<Text>) {
        let (first, rest) = (Text::blanks(indent), Text::blanks(indent + hang));
        self.blocks.push(Block::Line(Line {
            text: Cow::Owned(text.into()),
            first,
            rest,
            wraps: true,
        }));
    }

    pub(crate) fn line(&mut self, indent: usize, text: impl Into<Text>) {
        self.hanging(indent, 0, text);
    }

    /// A line that is never broken.
    pub(crate) fn fixed(&mut self, indent: usize, text: impl Into<Text>) {
        let first = Text::blanks(indent);
        let line = Line { text: Cow::Owned(text.into()), rest: first.clone(), first, wraps: false };
        self.blocks.push(Block::Line(line));
    }

    pub(crate) fn blank(&mut self) {
        self.fixed(0, Text::new());
    }

    pub(crate) fn heading(&mut self, text: impl AsRef<str>) {
        self.line(0, Text::new().strong(text));
    }

    /// Labels and values, aligned. A field without a label goes on with the one before.
    pub(crate) fn fields(&mut self, indent: usize, fields: Vec<(&str, Text)>) {
        let labels = fields.iter().map(|(label, _)| Text::from(*label).width()).max().unwrap_or(0);
        for (label, value) in fields {
            let text = Text::new().quiet(label).padded(labels + GAP).then(value);
            self.hanging(indent, labels + GAP, text);
        }
    }

    /// Rows of cells, aligned. The last one of a row may be broken, within its column.
    pub(crate) fn table(&mut self, indent: usize, rows: Vec<Vec<Text>>) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            rows.iter().filter_map(|row| row.get(column)).map(Text::width).max().unwrap_or(0)
        };
        // One long name must not push the cells of all other rows off the line.
        let widths: Vec<usize> = (0..columns).map(|n| width(n).min(MOST_HANG - GAP)).collect();
        for row in rows {
            let last = row.len().saturating_sub(1);
            let mut text = Text::new();
            for (column, cell) in row.into_iter().enumerate() {
                let own = cell.width().max(widths[column]);
                let cell = if column == last { cell } else { cell.padded(own + GAP) };
                text = text.then(cell);
            }
            let before: usize = widths[..last].iter().map(|width| width + GAP).sum();
            self.hanging(indent, before.min(MOST_HANG), text);
        }
    }

    /// Families of rows; each row with what is said about it beside it, or below where that does
    /// not fit.
    pub(crate) fn rows(&mut self, indent: usize, families: Vec<Vec<Row>>) {
        self.blocks.push(Block::Rows { indent, families });
    }

    /// What was rendered before, for this screen.
    pub(crate) fn rendered(&mut self, text: String) {
        self.blocks.push(Block::Rendered(text));
    }

    /// The page as text; with escape sequences for its styles, if it has any.
    pub(crate) fn render(&self, width: usize, is_styled: bool) -> String {
        let mut out = String::new();
        for block in &self.blocks {
            match block {
                Block::Line(line) => write(&mut out, line, width, is_styled),
                Block::Rows { indent, families } => {
                    let mut each = |line: &Line<'_>| write(&mut out, line, width, is_styled);
                    rows::lay_out(families, *indent, width, &mut each);
                }
                Block::Rendered(text) => out.push_str(text),
            }
        }
        out
    }
}

fn write(out: &mut String, line: &Line<'_>, width: usize, is_styled: bool) {
    let Line { text, first, rest, wraps } = line;
    if !wraps || fits(text, width, first) {
        if is_styled {
            return write_line(out, whole(text, first));
        }
        let start = out.len();
        out.push_str(first.as_str());
        out.push_str(text.as_str());
        let end = start + out[start..].trim_end_matches(' ').len();
        out.truncate(end);
        out.push('\n');
        return;
    }
    for line in wrap(text, width, first, rest) {
        if is_styled {
            write_line(out, line.into_iter());
        } else {
            write_line(out, line.into_iter().map(|(c, _)| (c, Style::new())));
        }
    }
}

fn write_line(out: &mut String, line: impl Iterator<Item = (char, Style)>) {
    let mut now = Style::new();
    let mut put = |out: &mut String, (c, style): (char, Style)| {
        if style != now {
            // Writing to a string does not fail.
            let _ = write!(out, "{now:#}{style}");
            now = style;
        }
        out.push(c);
    };
    // Those at the end of the line are left out.
    let mut blanks: Vec<(char, Style)> = Vec::new();
    for (c, style) in line {
        if c == ' ' {
            blanks.push((c, style));
        } else {
            blanks.drain(..).for_each(|blank| put(out, blank));
            put(out, (c, style));
        }
    }
    let _ = writeln!(out, "{now:#}");
}
