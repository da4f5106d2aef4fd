//! Families as a file: one HTML page, or one SVG picture. No network, no scripts, both themes; the
//! rows and the words are those of the terminal.

use std::fmt::Write as _;

use lorefork::family::{Family, Picture, Row, Stands, View};
use lorefork::timeline::record::Kind;

use super::Text;
use super::escape::{escape, turns_text};
use super::family;
use super::fit::fit;
use super::style::{BAD, CARE, GOOD, QUIET, STRONG};

/// By this a file is known that we may replace.
pub(crate) const MARK: &str = "lorefork tree";

/// Families under the name of whom they belong to.
pub(crate) struct Section<'s> {
    pub(crate) name: &'s str,
    pub(crate) families: Vec<(&'s Family, View)>,
}

/// Colours of lanes in a light and in a dark page, in turn.
const LANES: [(&str, &str); 6] = [
    ("#0f766e", "#2dd4bf"),
    ("#a21caf", "#e879f9"),
    ("#4d7c0f", "#a3e635"),
    ("#b45309", "#fbbf24"),
    ("#1d4ed8", "#60a5fa"),
    ("#be123c", "#fb7185"),
];

/// Between two lanes, and from the left to the first.
const LANE: usize = 22;
const LEFT: usize = 14;

fn style_sheet() -> String {
    let mut light = String::new();
    let mut dark = String::new();
    for (n, (day, night)) in LANES.iter().enumerate() {
        let _ = write!(light, "--l{n}:{day};");
        let _ = write!(dark, "--l{n}:{night};");
    }
    format!(
        ":root{{color-scheme:light dark;--bg:#fbfaf7;--fg:#1f2328;--q:#6b7280;--g:#15803d;--c:#b45309;\
         --x:#b91c1c;--row:#f1efe8;{light}}}\
         @media(prefers-color-scheme:dark){{:root{{--bg:#15171c;--fg:#e6e6e6;--q:#9097a3;--g:#4ade80;\
         --c:#fbbf24;--x:#f87171;--row:#1e2128;{dark}}}}}"
    )
}

fn lane_colour(lane: usize) -> String {
    format!("var(--l{})", lane % LANES.len())
}

fn x(lane: usize) -> usize {
    LEFT + lane * LANE
}

/// What may stand in HTML and SVG. What joins emoji stays; what would turn the row around is spelled out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || turns_text(c) => {
                out.push_str(&escape(c.encode_utf8(&mut [0; 4])));
            }
            c => out.push(c),
        }
    }
    out
}

/// Styled text with the given element for each piece.
fn pieces(text: &Text, element: &str) -> String {
    let mut out = String::new();
    for (style, part) in text.spans() {
        let class = match style {
            STRONG => "s",
            QUIET => "q",
            GOOD => "g",
            CARE => "c",
            BAD => "x",
            _ => "",
        };
        let part = escaped(part);
        let _ = match class {
            "" => write!(out, "{part}"),
            class => write!(out, "<{element} class=\"{class}\">{part}</{element}>"),
        };
    }
    out
}

/// The page.
pub(crate) fn html(sections: &[Section<'_>]) -> String {
    let mut body = String::new();
    for section in sections {
        let _ = write!(body, "<section><h2 dir=\"auto\">{}</h2>", escaped(section.name));
        for (family, view) in &section.families {
            let picture = family.picture(*view);
            body.push_str("<div class=\"tree\">");
            rows(&mut body, family, &picture, 0);
            body.push_str("</div>");
        }
        body.push_str("</section>");
    }
    let colours = style_sheet();
    format!(
        "<!doctype html>\n<!-- {MARK} -->\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>Story tree</title><style>{colours}{PAGE}</style></head><body><main>{body}</main></body></html>\n"
    )
}

const PAGE: &str = "\
*{box-sizing:border-box}\
body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.45 system-ui,-apple-system,'Segoe UI',sans-serif}\
main{max-width:60rem;margin:0 auto;padding:1.2rem 1rem 3rem}\
h2{font-size:1.05rem;font-weight:600;color:var(--q);margin:1.6rem 0 .4rem}\
.tree{margin:0 0 1.4rem}\
.row{position:relative;padding:.28rem .5rem .28rem 0;min-height:2.1rem;display:flex;flex-wrap:wrap;column-gap:1rem;align-items:baseline;border-radius:.4rem}\
.row:hover{background:var(--row)}\
.row.run{min-height:1.5rem;padding-top:.05rem;padding-bottom:.05rem;font-size:.86rem}\
.row i{position:absolute;display:block}\
.v{width:2px;top:0;bottom:0}\
.v.end{bottom:auto;height:.95rem}\
.v.begin{top:.95rem}\
.v.run{width:0;border-left:2px dotted;background:none!important}\
.h{height:2px;top:.92rem}\
.bend{top:.92rem;bottom:0;border-style:solid;border-width:2px 2px 0 0;border-top-right-radius:.8rem}\
.n{width:12px;height:12px;border-radius:50%;top:.62rem;border:2px solid;background:var(--bg)}\
.n.main,.n.open{background:currentColor}\
.n.open{box-shadow:0 0 0 3px var(--bg),0 0 0 5px currentColor}\
.n.canon{border-radius:0;transform:rotate(45deg) scale(.9);background:currentColor}\
.n.checkpoint{border-radius:2px 7px 7px 2px;background:currentColor}\
.n.gone{border-style:dashed;color:var(--q)!important;background:var(--bg)}\
.t{min-width:0;overflow-wrap:anywhere}.t span{unicode-bidi:plaintext}\
.a{font-size:.9rem;overflow-wrap:anywhere}\
.s{font-weight:600}.q{color:var(--q)}.g{color:var(--g)}.c{color:var(--c)}.x{color:var(--x);font-weight:600}\
.path>.t .s{text-decoration:underline;text-decoration-thickness:2px;text-underline-offset:3px}\
details>summary{list-style:none;cursor:pointer}\
details>summary::-webkit-details-marker{display:none}\
summary:focus-visible>.row{outline:2px solid var(--q)}\
details:not([open])>summary .t::after{content:' …';color:var(--q)}\
@media(max-width:32rem){body{font-size:14px}main{padding:.6rem .5rem 2rem}.a{flex-basis:100%}}";

/// Draws the rows from `at` on, up to the end of the lane that is open there; says where it came to.
fn rows(out: &mut String, family: &Family, picture: &Picture, at: usize) -> usize {
    let mut at = at;
    while let Some(row) = picture.rows.get(at) {
        if let Some(run) = &row.run {
            let lanes: String = (0..=run.lane)
                .map(|lane| vertical(lane, if lane == run.lane { "v run" } else { "v" }))
                .collect();
            let text = pieces(&family::run_text(run), "span");
            line(out, "run", &lanes, run.lane + 1, &text, "", "");
        }
        at += 1;
        match row.stands {
            Stands::Fork => {
                out.push_str("<details open><summary>");
                one(out, family, row);
                out.push_str("</summary>");
                at = rows(out, family, picture, at);
                out.push_str("</details>");
            }
            Stands::Tip => {
                one(out, family, row);
                return at;
            }
            Stands::Start | Stands::Leaf | Stands::Folded => one(out, family, row),
        }
    }
    at
}

fn vertical(lane: usize, class: &str) -> String {
    let colour = lane_colour(lane);
    format!(
        "<i class=\"{class}\" style=\"left:{}px;background:{colour};border-color:{colour}\"></i>",
        x(lane) - 1
    )
}

fn one(out: &mut String, family: &Family, row: &Row) {
    let one = &family.timelines[row.timeline];
    let mut lanes: String =
        (0..row.from.map_or(row.lane, |from| from + 1)).map(|lane| vertical(lane, "v")).collect();
    if let Some(from) = row.from {
        let width = x(row.lane) - x(from) + usize::from(row.stands == Stands::Fork);
        let class = if row.stands == Stands::Fork { "bend" } else { "h" };
        let colour = lane_colour(row.lane);
        let paint = if class == "h" { "background" } else { "border-color" };
        let _ = write!(
            lanes,
            "<i class=\"{class}\" style=\"left:{}px;width:{width}px;{paint}:{colour}\"></i>",
            x(from)
        );
    }
    match row.stands {
        Stands::Start => lanes.push_str(&vertical(row.lane, "v begin")),
        Stands::Tip => lanes.push_str(&vertical(row.lane, "v end")),
        _ => {}
    }
    if row.stands != Stands::Fork {
        let class = sign(family, row);
        let colour = match &one.words.colour {
            // Only what is plainly a colour is read as one.
            Some(colour) if row.stands != Stands::Start => colour.clone(),
            _ => lane_colour(row.lane),
        };
        let left = x(row.lane) - 6;
        let _ = write!(lanes, "<i class=\"n {class}\" style=\"left:{left}px;color:{colour}\"></i>");
    }
    let name = pieces(&family::name(family, row), "span");
    let about = pieces(&family::about(family, row), "span");
    let mut title = one.chat.name.clone();
    for (what, text) in [("note", &one.words.note), ("last", &one.said.last)] {
        if let Some(text) = text.as_deref().and_then(lorefork::family::first_words) {
            let _ = write!(title, "\n{what}: {text}");
        }
    }
    let class = if row.is_on_path { "path" } else { "" };
    line(out, class, &lanes, row.lane + 1, &name, &about, &escaped(&title));
}

fn line(
    out: &mut String,
    class: &str,
    lanes: &str,
    width: usize,
    name: &str,
    about: &str,
    title: &str,
) {
    let left = x(width) - 4;
    let about =
        if about.is_empty() { String::new() } else { format!("<div class=\"a\">{about}</div>") };
    let title = if title.is_empty() { String::new() } else { format!(" title=\"{title}\"") };
    let _ = write!(
        out,
        "<div class=\"row {class}\" style=\"padding-left:{left}px\"{title}>{lanes}<div class=\"t\" \
         dir=\"ltr\">{name}</div>{about}</div>"
    );
}

fn sign(family: &Family, row: &Row) -> &'static str {
    let one = &family.timelines[row.timeline];
    match (&one.gone, one.kind) {
        (Some(_), _) => "gone",
        _ if row.stands == Stands::Start => "main",
        _ if row.stands == Stands::Folded => "gone",
        _ if one.is_open => "open",
        _ if one.words.is_canon => "canon",
        (None, Kind::Checkpoint) => "checkpoint",
        (None, Kind::Main) => "main",
        (None, Kind::Branch) => "branch",
    }
}

/// Heights of rows in a picture.
const ROW: usize = 30;
const RUN: usize = 22;
/// A picture's text cannot be broken, so it is cut.
const COLUMNS: usize = 110;
const WIDTH: usize = 940;

/// The picture.
pub(crate) fn svg(sections: &[Section<'_>]) -> String {
    let mut out = String::new();
    let mut y = 16;
    for section in sections {
        y += 22;
        let _ =
            write!(out, "<text class=\"q h\" x=\"10\" y=\"{y}\">{}</text>", escaped(section.name));
        y += 10;
        for (family, view) in &section.families {
            y = drawn(&mut out, family, &family.picture(*view), y) + 16;
        }
    }
    let colours = style_sheet();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {y}\" width=\"{WIDTH}\" height=\"{y}\" \
         role=\"img\" aria-label=\"Story tree\"><!-- {MARK} --><style>{colours}{PICTURE}</style>\
         <rect class=\"bg\" width=\"{WIDTH}\" height=\"{y}\" rx=\"10\"/>{out}</svg>\n"
    )
}

const PICTURE: &str = "\
text{font:14px system-ui,-apple-system,'Segoe UI',sans-serif;fill:var(--fg)}tspan{unicode-bidi:plaintext}\
.bg{fill:var(--bg)}.h{font-weight:600}.s{font-weight:600}.q{fill:var(--q)}.g{fill:var(--g)}\
.c{fill:var(--c)}.x{fill:var(--x);font-weight:600}.small{font-size:12px}\
path,line{fill:none;stroke-width:2}";

/// Draws one family from `y` down; says where it ends.
fn drawn(out: &mut String, family: &Family, picture: &Picture, y: usize) -> usize {
    let mut y = y;
    let lane = |lane: usize, from: usize, to: usize, dots: &str| {
        let (x, colour) = (x(lane), lane_colour(lane));
        format!(
            "<line x1=\"{x}\" y1=\"{from}\" x2=\"{x}\" y2=\"{to}\" style=\"stroke:{colour}\"{dots}/>"
        )
    };
    for row in &picture.rows {
        out.push_str("<g class=\"row\">");
        if let Some(run) = &row.run {
            for n in 0..=run.lane {
                let dots = if n == run.lane { " stroke-dasharray=\"2 4\"" } else { "" };
                out.push_str(&lane(n, y, y + RUN, dots));
            }
            let text = pieces(&cut(&family::run_text(run), COLUMNS), "tspan");
            let (at, base) = (x(run.lane + 1) - 4, y + 15);
            let _ = write!(out, "<text class=\"small\" x=\"{at}\" y=\"{base}\">{text}</text>");
            y += RUN;
        }
        let middle = y + ROW / 2;
        for n in 0..row.from.map_or(row.lane, |from| from + 1) {
            out.push_str(&lane(n, y, y + ROW, ""));
        }
        let (here, colour) = (x(row.lane), lane_colour(row.lane));
        match (row.stands, row.from) {
            (Stands::Start, _) => out.push_str(&lane(row.lane, middle, y + ROW, "")),
            (Stands::Tip, _) => out.push_str(&lane(row.lane, y, middle, "")),
            (Stands::Fork, Some(from)) => {
                let (left, bend, end) = (x(from), here - 10, y + ROW);
                let _ = write!(
                    out,
                    "<path d=\"M{left} {middle}H{bend}Q{here} {middle} {here} {end}\" style=\"stroke:{colour}\"/>"
                );
            }
            (_, Some(from)) => {
                let left = x(from);
                let _ = write!(
                    out,
                    "<line x1=\"{left}\" y1=\"{middle}\" x2=\"{here}\" y2=\"{middle}\" style=\"stroke:{colour}\"/>"
                );
            }
            _ => {}
        }
        if row.stands != Stands::Fork {
            node(out, family, row, here, middle);
        }
        let about = family::about(family, row);
        let name = cut(&family::name(family, row), COLUMNS);
        let room = COLUMNS.saturating_sub(name.width() + 3);
        let text = pieces(&name, "tspan");
        let about = pieces(&cut(&about, room), "tspan");
        let gap = if about.is_empty() { "" } else { "<tspan>   </tspan>" };
        let (at, base) = (x(row.lane + 1) - 4, middle + 5);
        let _ = write!(
            out,
            "<text x=\"{at}\" y=\"{base}\" xml:space=\"preserve\">{text}{gap}{about}</text></g>"
        );
        y += ROW;
    }
    y
}

fn node(out: &mut String, family: &Family, row: &Row, x: usize, y: usize) {
    let class = sign(family, row);
    let words = &family.timelines[row.timeline].words;
    let colour = match &words.colour {
        Some(colour) if row.stands != Stands::Start => colour.clone(),
        _ => lane_colour(row.lane),
    };
    let (fill, stroke, dashes) = match class {
        "gone" => ("var(--bg)", "var(--q)".to_owned(), " stroke-dasharray=\"2 2\""),
        "branch" => ("var(--bg)", colour, ""),
        _ => (colour.as_str(), colour.clone(), ""),
    };
    let paint = format!("style=\"fill:{fill};stroke:{stroke};stroke-width:2\"{dashes}");
    let _ = match class {
        "checkpoint" => write!(
            out,
            "<path d=\"M{0} {1}V{2}M{0} {1}H{3}L{4} {5}L{3} {6}H{0}Z\" {paint}/>",
            x - 4,
            y - 7,
            y + 8,
            x + 8,
            x + 5,
            y - 3,
            y + 1
        ),
        "open" => write!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"9\" style=\"fill:var(--bg);stroke:{stroke};stroke-width:2\"/>\
             <circle cx=\"{x}\" cy=\"{y}\" r=\"5\" {paint}/>"
        ),
        _ => write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"6\" {paint}/>"),
    };
}

/// The beginning of a styled text.
fn cut(text: &Text, columns: usize) -> Text {
    let mut left = columns;
    let mut out = Text::new();
    for (style, part) in text.spans() {
        let width = Text::from(part).width();
        if width <= left {
            out = out.styled(style, part);
            left -= width;
            continue;
        }
        if left > 1 {
            out = out.styled(style, fit(part, left));
        }
        break;
    }
    out
}
