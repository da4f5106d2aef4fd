//! A family as a tree on a terminal: the engine's rows, drawn with lines.

use anstyle::{AnsiColor, Style};
use lorefork::family::{
    Family, Gone, Lore, Mark, Row as Drawn, Run, Stands, Timeline, View, proposed_by_words,
};
use lorefork::moment::Quality;
use lorefork::timeline::record::Kind;

use super::fit::fit;
use super::rows::Row;
use super::style::{BAD, CARE, GOOD, QUIET, STRONG};
use super::{Page, Text, words};

/// Colours of lanes, in turn.
const LANES: [AnsiColor; 6] = [
    AnsiColor::Cyan,
    AnsiColor::Magenta,
    AnsiColor::Green,
    AnsiColor::Yellow,
    AnsiColor::Blue,
    AnsiColor::Red,
];
/// More names of scenes would hide the tree.
const MOST_SCENES: usize = 2;
/// As much of the name of one.
const SCENE: usize = 28;
/// As much of a name: some take a whole screen.
const NAME: usize = 80;
/// As much of a proposed name.
const PROPOSED: usize = 44;

fn lane_style(lane: usize) -> Style {
    LANES[lane % LANES.len()].on_default()
}

/// Draws a family.
pub(crate) fn draw(page: &mut Page, family: &Family, view: View, indent: usize) {
    let picture = family.picture(view);
    let mut rows = Vec::new();
    for (n, row) in picture.rows.iter().enumerate() {
        if let Some(run) = &row.run {
            let lead = passing(run.lane + 1);
            rows.push(Row { below: lead.clone(), lead, name: run_text(run), about: Text::new() });
        }
        let next = picture.rows.get(n + 1);
        rows.push(Row {
            lead: lead(family, row),
            below: below(row, next),
            name: name(family, row),
            about: about(family, row),
        });
    }
    page.rows(indent, vec![rows]);
}

/// Lanes that go on.
fn passing(lanes: usize) -> Text {
    (0..lanes).fold(Text::new(), |text, lane| text.styled(lane_style(lane), "│ "))
}

fn lead(family: &Family, row: &Drawn) -> Text {
    let text = passing(row.from.unwrap_or(row.lane));
    let text = match row.from {
        Some(from) => text.styled(lane_style(from), "├").styled(lane_style(row.lane), "─"),
        None => text,
    };
    let one = &family.timelines[row.timeline];
    let (style, sign) = match row.stands {
        Stands::Fork => (lane_style(row.lane), "╮"),
        Stands::Folded => (QUIET, "…"),
        Stands::Start => (lane_style(row.lane), if one.gone.is_some() { "◌" } else { "●" }),
        Stands::Leaf | Stands::Tip => sign(one, row.lane),
    };
    text.styled(style, sign).plain(" ")
}

/// What stands for a timeline's end.
fn sign(one: &Timeline, lane: usize) -> (Style, &'static str) {
    let style = lane_style(lane).bold();
    match (&one.gone, one.kind) {
        (Some(_), _) => (QUIET, "◌"),
        _ if one.is_open => (style, "◉"),
        _ if one.words.is_canon => (style, "★"),
        (None, Kind::Checkpoint) => (style, "⚑"),
        (None, Kind::Main) => (style, "●"),
        (None, Kind::Branch) => (style, "○"),
    }
}

/// The lanes that go on below a row, for what of it is broken into further lines.
fn below(row: &Drawn, next: Option<&Drawn>) -> Text {
    let goes_on = match (row.stands, next) {
        (Stands::Start | Stands::Fork, _) => row.lane + 1,
        (Stands::Tip, _) => row.lane,
        _ => row.from.map_or(0, |from| from + 1),
    };
    let width = row.lane + 1;
    passing(goes_on).plain("  ".repeat(width.saturating_sub(goes_on)))
}

pub(super) fn run_text(run: &Run) -> Text {
    let text = format!("… {}", words::count(run.messages, "message", "messages"));
    let mut text = Text::new().quiet(text);
    let shown = run.scenes.iter().take(MOST_SCENES).map(|name| fit(name, SCENE));
    let shown: Vec<String> = shown.collect();
    if !shown.is_empty() {
        let more = run.scenes.len() - shown.len();
        let more = if more > 0 { format!(" · +{more}") } else { String::new() };
        text = text.quiet(" · ").quiet(shown.join(" · ")).quiet(more);
    }
    text
}

pub(super) fn name(family: &Family, row: &Drawn) -> Text {
    let one = &family.timelines[row.timeline];
    let short = fit(family.short_name(row.timeline), NAME);
    let mut text = Text::new();
    match row.stands {
        Stands::Folded => {
            let hidden = words::count(row.hidden, "archived timeline", "archived timelines");
            return text.quiet(hidden);
        }
        // Its end tells more.
        Stands::Fork => {
            let called = one.words.label.as_deref().unwrap_or(&short);
            return text.quiet(called);
        }
        Stands::Start | Stands::Leaf | Stands::Tip => {}
    }
    let style = if one.gone.is_some() { QUIET } else { STRONG };
    if row.stands == Stands::Start {
        text = text.styled(style, &short);
        if one.gone == Some(Gone::Named) {
            text = text.quiet("  gone");
        }
        let count = words::count(family.timelines.len(), "timeline", "timelines");
        return text.quiet(format!("  {count}"));
    }
    // The beginning has its name.
    let is_main = one.parent.is_none() && row.stands == Stands::Tip;
    let called = if is_main { "main chat" } else { &short };
    text = text.styled(style, one.words.label.as_deref().unwrap_or(called));
    if one.is_open {
        text = text.styled(GOOD, "  open");
    }
    if one.words.is_canon {
        text = text.styled(CARE, "  canon");
    }
    if one.words.is_archived {
        text = text.quiet("  archived");
    }
    if one.words.label.is_none()
        && one.parent.is_some()
        && let Some(said) = one.said.first.as_deref().and_then(proposed_by_words)
    {
        text = text.quiet("  “").quiet(fit(&said, PROPOSED)).quiet("”");
    }
    text
}

pub(super) fn about(family: &Family, row: &Drawn) -> Text {
    let one = &family.timelines[row.timeline];
    let mut parts: Vec<Text> = Vec::new();
    match row.stands {
        Stands::Start | Stands::Folded => return Text::new(),
        Stands::Fork => {
            return match one.at() {
                Some(at) if row.after == one.shared => Text::new().quiet(format!("at {at}")),
                _ => Text::new(),
            };
        }
        _ => {}
    }
    if let Some(at) = one.at().filter(|_| row.stands == Stands::Leaf && row.after == one.shared) {
        parts.push(Text::new().quiet(format!("at {at}")));
    }
    parts.push(length(one));
    if row.hidden > 0 {
        parts.push(Text::new().quiet(format!("+{} from here", row.hidden)));
    }
    parts.extend(lore(one));
    parts.extend(one.marks.iter().map(mark));
    let mut text = Text::new();
    for (n, part) in parts.into_iter().enumerate() {
        text = if n > 0 { text.quiet(" · ").then(part) } else { part };
    }
    text
}

fn length(one: &Timeline) -> Text {
    let count = words::count(one.messages, "message", "messages");
    Text::new().quiet(match &one.gone {
        Some(Gone::Named) => "gone".to_owned(),
        Some(Gone::Trash(_)) => "in the trash".to_owned(),
        None if one.parent.is_none() => count,
        None if one.own() == 0 => "nothing since".to_owned(),
        None => words::count(one.own(), "message since", "messages since"),
    })
}

fn lore(one: &Timeline) -> Option<Text> {
    let text = Text::new();
    match one.lore {
        Lore::Missing => return Some(text.styled(BAD, "✗ no lorebook")),
        Lore::Shared(others) => {
            let with = words::count(others, "other", "others");
            return Some(text.styled(CARE, format!("! shares its lorebook with {with}")));
        }
        Lore::None | Lore::Own | Lore::OnPurpose => {}
    }
    Some(match one.quality? {
        Quality::Exact | Quality::Snapshot => text.styled(GOOD, "✓ lore as it was"),
        Quality::Ranged => text.styled(GOOD, "✓ lore by message ranges"),
        Quality::Partial => text.styled(CARE, "≈ lore in part"),
        Quality::Current => text.styled(CARE, "? lore as it happened to be"),
        Quality::Future => text.styled(CARE, "! lore knows the future"),
        Quality::Empty => text.quiet("lore from nothing"),
        Quality::Shared => text.quiet("lore shared on purpose"),
        Quality::None => return None,
    })
}

fn mark(mark: &Mark) -> Text {
    let style = match mark {
        Mark::Unreadable(_) => BAD,
        Mark::Equal(_) => QUIET,
        _ => CARE,
    };
    Text::new().styled(style, mark.sentence().to_string())
}
