//! Rows of a tree, each with what is said about it: beside it, or below it on a narrow screen.

use std::borrow::Cow;

use super::page::Line;
use super::text::Text;

/// Between the two.
const GAP: usize = 2;
/// What is said below a row stands so much further in.
const FURTHER: usize = 2;

/// One row.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// The lines of the tree that lead to it.
    pub(crate) lead: Text,
    /// Those that pass it on their way down.
    pub(crate) below: Text,
    pub(crate) name: Text,
    pub(crate) about: Text,
}

/// Says the lines for a screen of this width. All families stand in the same two columns if there is
/// room for that, else each in its own. A family that needs more room still has what is said below
/// the names, where it can be broken without tearing the tree.
pub(super) fn lay_out(
    families: &[Vec<Row>],
    indent: usize,
    width: usize,
    each: &mut dyn FnMut(&Line<'_>),
) {
    let room = width.saturating_sub(indent);
    let of_all = column(families.iter().flatten(), room);
    for family in families {
        let column = of_all.or_else(|| column(family.iter(), room));
        for row in family {
            match column.filter(|_| !row.about.is_empty()) {
                Some(column) => each(&beside(row, indent, column, room)),
                None => below(row, indent, room, each),
            }
        }
    }
}

/// Where the second column of these rows would begin, if both fit.
fn column<'r>(rows: impl Iterator<Item = &'r Row> + Clone, room: usize) -> Option<usize> {
    // What nothing is said about needs no second column.
    let rows = rows.filter(|row| !row.about.is_empty());
    let names = rows.clone().map(|row| lead(&row.lead, room).width() + row.name.width()).max();
    let about = rows.map(|row| row.about.width()).max().unwrap_or(0);
    let names = names.unwrap_or(0);
    (names + GAP + about <= room).then_some(names + GAP)
}

fn beside(row: &Row, indent: usize, column: usize, room: usize) -> Line<'static> {
    let text = Text::new().then(lead(&row.lead, room)).then(&row.name).padded(column);
    let first = Text::blanks(indent);
    let text = Cow::Owned(text.then(&row.about));
    Line { text, rest: first.clone(), first, wraps: false }
}

fn below(row: &Row, indent: usize, room: usize, each: &mut dyn FnMut(&Line<'_>)) {
    let before = |tree: &Text| Text::blanks(indent).then(lead(tree, room));
    let further = before(&row.below).then(Text::blanks(FURTHER));
    let (text, first) = (Cow::Borrowed(&row.name), before(&row.lead));
    let name = Line { text, first, rest: further, wraps: true };
    each(&name);
    if !row.about.is_empty() {
        let rest = name.rest.clone().then(Text::blanks(FURTHER));
        let text = Cow::Borrowed(&row.about);
        each(&Line { text, first: name.rest, rest, wraps: true });
    }
}

/// The lines of the tree; of one so deep that they would fill the screen, the last.
fn lead(tree: &Text, room: usize) -> Cow<'_, Text> {
    let (columns, most) = (tree.width(), room / 3);
    if columns <= most {
        return Cow::Borrowed(tree);
    }
    let mut left = columns - most + 1;
    let mut last = Text::new().quiet("…");
    for (style, part) in tree.spans() {
        let cut = left.min(part.chars().count());
        left -= cut;
        last = last.styled(style, part.chars().skip(cut).collect::<String>());
    }
    Cow::Owned(last)
}

#[cfg(test)]
mod tests {
    use super::super::Page;
    use super::*;

    fn row(lead: &str, below: &str, name: &str, about: &str) -> Row {
        Row { lead: lead.into(), below: below.into(), name: name.into(), about: about.into() }
    }

    fn shown(families: Vec<Vec<Row>>, width: usize) -> Vec<String> {
        let mut page = Page::new();
        page.rows(2, families);
        let text = page.render(width, false);
        let styled = page.render(width, true);
        assert_eq!(anstream::adapter::strip_str(&styled).to_string(), text);
        text.lines().map(str::to_owned).collect()
    }

    fn two() -> Vec<Vec<Row>> {
        vec![
            vec![row("", "│  ", "The Lamp", "lore"), row("└─ ", "   ", "Branch", "other lore")],
            vec![row("", "", "宵待島の夜", "島")],
        ]
    }

    #[test]
    fn with_room_all_stand_in_two_columns() {
        let wide = ["  The Lamp    lore", "  └─ Branch   other lore", "  宵待島の夜  島"];
        assert_eq!(shown(two(), 24), wide);
    }

    #[test]
    fn without_it_a_family_says_below_what_does_not_fit_beside() {
        let narrow =
            ["  The Lamp", "  │    lore", "  └─ Branch", "       other lore", "  宵待島の夜  島"];
        assert_eq!(shown(two(), 20), narrow);
    }

    #[test]
    fn what_is_too_long_for_a_line_is_broken_and_the_tree_goes_on_beside_it() {
        let family = vec![
            row("", "│  ", "A", "b"),
            row("├─ ", "│  ", "夜夜夜夜夜夜夜夜夜夜", "一二三四五六七八九十"),
            row("└─ ", "   ", "C", "d"),
        ];
        let lines = shown(vec![family], 20);
        assert_eq!(
            lines,
            [
                "  A",
                "  │    b",
                "  ├─ 夜夜夜夜夜夜夜",
                "  │    夜夜夜",
                "  │    一二三四五六",
                "  │      七八九十",
                "  └─ C",
                "       d"
            ]
        );
    }

    #[test]
    fn a_tree_deeper_than_the_screen_is_wide_leaves_room_for_names() {
        let deep: Vec<Row> = (0..60)
            .map(|n| row(&"   ".repeat(n), &"   ".repeat(n + 1), "Branch of a branch", "lore"))
            .collect();
        for line in shown(vec![deep], 40) {
            assert!(line.chars().count() <= 40, "{line}");
            assert!(!line.trim_start_matches(['…', ' ']).is_empty());
        }
    }
}
