//! `lorefork diff A B`: what one timeline knows that another does not.

use anstyle::Style;
use lorefork::family::{
    Changed, Comparison, EntryOf, Listed, Message, Pair, Side, compare, first_words,
};
use similar::{ChangeTag, TextDiff};

use crate::args::{Diff, Globals};
use crate::error::{Exit, Failure};
use crate::output::fit::fit;
use crate::output::style::{BAD, CARE, GOOD, PLAIN, QUIET};
use crate::output::{Answer, Page, Text, value, words};
use crate::place::same_user;

/// As much of a text as is shown on one line.
const ONE_LINE: usize = 64;
/// As much of what is the same around a difference.
const AROUND: usize = 24;

pub(super) fn run(globals: &Globals, args: &Diff) -> Result<Answer, Failure> {
    let (place, other) = same_user(globals, &args.here, &args.there)?;
    let found = pollster::block_on(compare(&place.host, &place.chat, &other))?;
    let exit = if found.is_same() { Exit::Done } else { Exit::No };
    Ok(Answer { exit, page: page(&found), json: value(&found.json()) })
}

fn page(found: &Comparison) -> Page {
    let mut page = Page::new();
    page.line(0, Text::new().styled(BAD, "− ").name(&found.here.chat.name));
    page.line(0, Text::new().styled(GOOD, "+ ").name(&found.there.chat.name));
    page.blank();
    if found.is_same() {
        page.line(0, "They say the same: messages, lorebooks, recaps, variables and notes.");
        return page;
    }
    messages(&mut page, found);
    lore(&mut page, found);
    pairs(&mut page, "Registries", &found.registries, registry);
    if let Some(recap) = &found.recap {
        page.blank();
        page.heading("Running recap");
        texts(&mut page, recap.here.as_deref(), recap.there.as_deref(), 2);
    }
    pairs(&mut page, "Variables", &found.variables, pair);
    pairs(&mut page, "Author's note", &found.notes, pair);
    page
}

fn messages(page: &mut Page, found: &Comparison) {
    let rest = |side: &Side| side.messages - found.shared;
    let heading = match found.shared.checked_sub(1) {
        None => "They share no message".to_owned(),
        Some(_) if rest(&found.here) + rest(&found.there) == 0 => {
            let count = words::count(found.shared, "message", "messages");
            format!("They have the same {count}")
        }
        Some(last) => format!("They part after message {last}"),
    };
    page.heading(heading);
    for said in &found.before {
        page.hanging(2, 8, message(said, QUIET, " "));
    }
    for (side, style, sign) in [(&found.here, BAD, "−"), (&found.there, GOOD, "+")] {
        for said in &side.after {
            page.hanging(2, 8, message(said, style, sign));
        }
        let more = rest(side).saturating_sub(side.after.len());
        let text = match (rest(side), more) {
            (0, _) => "ends here".to_owned(),
            (_, 0) => continue,
            _ => format!("… {more} more"),
        };
        page.line(2, Text::new().styled(style, sign).quiet(format!(" {text}")));
    }
}

fn message(said: &Message, style: Style, sign: &str) -> Text {
    let words = first_words(&said.text).unwrap_or_default();
    let text = Text::new().styled(style, sign).quiet(format!(" {:>4}  ", said.at));
    text.strong(&said.name)
        .plain("  ")
        .styled(if style == QUIET { QUIET } else { PLAIN }, fit(&words, ONE_LINE))
}

fn lore(page: &mut Page, found: &Comparison) {
    page.blank();
    let entries = &found.entries;
    if found.is_same_book() {
        let name = found.here.lorebook.as_deref().unwrap_or_default();
        page.hanging(0, 2, Text::new().strong("Lorebook").plain("  both use ").name(name));
        page.hanging(
            2,
            2,
            Text::new().styled(CARE, "! ").plain(
                "What one learns, the other knows. “lorefork fix” shows how they come apart.",
            ),
        );
        return;
    }
    let same = match entries.same {
        0 => "no entry is".to_owned(),
        same => words::count(same, "entry is", "entries are"),
    };
    let sides = [&found.here, &found.there];
    let title = Text::new().strong("Lorebook");
    let title = if sides.iter().all(|side| side.has_lorebook) {
        title.quiet(format!("  {same} the same"))
    } else {
        title
    };
    page.hanging(0, 2, title);
    for side in sides {
        match &side.lorebook {
            None => {
                let text = Text::new().name(&side.chat.name).plain(" has no lorebook");
                page.hanging(2, 2, text);
            }
            Some(name) if !side.has_lorebook => {
                let text = Text::new().styled(BAD, "✗ ").name(name).plain(" does not exist");
                page.hanging(2, 2, text);
            }
            Some(_) => {}
        }
    }
    for (all, style, sign) in [(&entries.here_only, BAD, "− "), (&entries.there_only, GOOD, "+ ")]
    {
        for entry in all {
            page.hanging(2, 2, Text::new().styled(style, sign).then(entry_text(entry)));
        }
    }
    for changed in &entries.changed {
        entry(page, changed);
    }
}

fn entry_text(entry: &EntryOf) -> Text {
    let text = Text::new().strong(called(entry)).quiet(format!("  #{}  ", entry.uid));
    let words = first_words(&entry.content).unwrap_or_default();
    text.plain(fit(&words, ONE_LINE))
}

fn called(entry: &EntryOf) -> &str {
    match entry.called() {
        "" => "(without a name)",
        name => name,
    }
}

fn entry(page: &mut Page, changed: &Changed) {
    let number = match (&changed.here.uid, &changed.there.uid) {
        (here, there) if here == there => format!("  #{here}"),
        (here, there) => format!("  #{here}, there #{there}"),
    };
    page.hanging(2, 2, Text::new().styled(CARE, "~ ").strong(called(&changed.here)).quiet(number));
    for field in &changed.fields {
        if field.name == "content" {
            texts(page, field.here.as_deref(), field.there.as_deref(), 6);
            continue;
        }
        let text = Text::new().quiet(format!("{}: ", field.name));
        let (here, there) = (field.here.as_deref(), field.there.as_deref());
        page.hanging(6, 2, text.then(word_by_word(here.unwrap_or(""), there.unwrap_or(""))));
    }
}

/// Two texts, word by word.
fn texts(page: &mut Page, here: Option<&str>, there: Option<&str>, indent: usize) {
    match (here, there) {
        (Some(here), Some(there)) => {
            for line in changed_lines(here, there) {
                page.hanging(indent, 2, line);
            }
        }
        (Some(only), None) => {
            page.hanging(indent, 2, Text::new().styled(BAD, "− ").plain(one_line(only)));
        }
        (None, Some(only)) => {
            page.hanging(indent, 2, Text::new().styled(GOOD, "+ ").plain(one_line(only)));
        }
        (None, None) => {}
    }
}

fn one_line(text: &str) -> String {
    fit(&text.split_whitespace().collect::<Vec<_>>().join(" "), ONE_LINE * 2)
}

/// The paragraphs that differ, each with the words that do.
fn changed_lines(here: &str, there: &str) -> Vec<Text> {
    let diff = TextDiff::from_lines(here, there);
    let mut lines = Vec::new();
    for group in diff.grouped_ops(0) {
        let range = |of: &dyn Fn(&similar::DiffOp) -> std::ops::Range<usize>| {
            let all = group.iter().map(of);
            all.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
        };
        let old = diff.old_slices()[range(&|op| op.old_range())].concat();
        let new = diff.new_slices()[range(&|op| op.new_range())].concat();
        lines.push(word_by_word(old.trim_end(), new.trim_end()));
    }
    lines
}

/// What is gone and what is new, with a little of what is around it. Without colour, brackets tell.
fn word_by_word(here: &str, there: &str) -> Text {
    let parts = parts(here, there);
    let last = parts.len().saturating_sub(1);
    let mut text = Text::new();
    for (n, part) in parts.into_iter().enumerate() {
        let plain = |text: &str| text.replace(['\n', '\r', '\t'], " ");
        text = match part {
            Part::Same(same) => text.quiet(shortened(&plain(&same), n == 0, n == last)),
            Part::Other(gone, new) => {
                let text = marked(text, BAD, "[-", &plain(&gone), "-]");
                marked(text, GOOD, "{+", &plain(&new), "+}")
            }
        };
    }
    text
}

/// A stretch of two texts.
enum Part {
    Same(String),
    Other(String, String),
}

/// Fewer letters in common between two differences are chance.
const CHANCE: usize = 12;

/// What two texts have in common and what not, word by word; where they hardly have anything, as two
/// whole texts.
fn parts(here: &str, there: &str) -> Vec<Part> {
    let diff = TextDiff::from_words(here, there);
    if diff.ratio() < 0.4 {
        return vec![Part::Other(here.to_owned(), there.to_owned())];
    }
    let mut parts: Vec<Part> = Vec::new();
    for change in diff.iter_all_changes() {
        let word = change.value();
        match (change.tag(), parts.last_mut()) {
            (ChangeTag::Equal, Some(Part::Same(same))) => same.push_str(word),
            (ChangeTag::Equal, _) => parts.push(Part::Same(word.to_owned())),
            (ChangeTag::Delete, Some(Part::Other(gone, _))) => gone.push_str(word),
            (ChangeTag::Insert, Some(Part::Other(_, new))) => new.push_str(word),
            (ChangeTag::Delete, _) => parts.push(Part::Other(word.to_owned(), String::new())),
            (ChangeTag::Insert, _) => parts.push(Part::Other(String::new(), word.to_owned())),
        }
    }
    let mut joined: Vec<Part> = Vec::new();
    let mut all = parts.into_iter().peekable();
    while let Some(part) = all.next() {
        match (part, joined.last_mut()) {
            (Part::Same(same), Some(Part::Other(gone, new)))
                if same.trim().chars().count() < CHANCE && all.peek().is_some() =>
            {
                gone.push_str(&same);
                new.push_str(&same);
            }
            (Part::Other(more, also), Some(Part::Other(gone, new))) => {
                gone.push_str(&more);
                new.push_str(&also);
            }
            (part, _) => joined.push(part),
        }
    }
    joined
}

/// Blanks at its ends stay outside of the brackets.
fn marked(text: Text, style: Style, open: &str, part: &str, close: &str) -> Text {
    let inner = part.trim();
    if inner.is_empty() {
        return text;
    }
    let before = &part[..part.len() - part.trim_start().len()];
    let after = &part[part.trim_end().len()..];
    text.plain(before).styled(style, format!("{open}{inner}{close}")).plain(after)
}

/// The ends of what is the same, next to what is not.
fn shortened(part: &str, is_first: bool, is_last: bool) -> String {
    let count = part.chars().count();
    let most = if is_first || is_last { AROUND } else { 2 * AROUND };
    if count <= most + 3 {
        return part.to_owned();
    }
    let head: String = part.chars().take(AROUND).collect();
    let tail: String = part.chars().skip(count - AROUND).collect();
    match (is_first, is_last) {
        (true, true) => part.to_owned(),
        (true, false) => format!("… {}", tail.trim_start()),
        (false, true) => format!("{} …", head.trim_end()),
        (false, false) => format!("{} … {}", head.trim_end(), tail.trim_start()),
    }
}

fn pairs<T>(page: &mut Page, heading: &str, all: &[T], draw: impl Fn(&mut Page, &T)) {
    if all.is_empty() {
        return;
    }
    page.blank();
    page.heading(heading);
    for one in all {
        draw(page, one);
    }
}

fn pair(page: &mut Page, pair: &Pair) {
    let text = Text::new().quiet(format!("{}: ", pair.key));
    let (here, there) = (pair.here.as_deref(), pair.there.as_deref());
    page.hanging(2, 2, text.then(word_by_word(here.unwrap_or(""), there.unwrap_or(""))));
}

fn registry(page: &mut Page, listed: &Listed) {
    let (style, sign, item) = match (&listed.here, &listed.there) {
        (Some(here), Some(_)) => (CARE, "~ ", here),
        (Some(here), None) => (BAD, "− ", here),
        (None, Some(there)) => (GOOD, "+ ", there),
        (None, None) => return,
    };
    let text = Text::new().styled(style, sign).strong(&item.name);
    let mut text = text.quiet(format!("  {}", listed.kind));
    if let (Some(here), Some(there)) = (&listed.here, &listed.there) {
        let told = |item: &lorefork::memory::registries::Item| {
            format!("{} {}", item.aliases.join(", "), item.synopsis)
        };
        text = text.plain("  ").then(word_by_word(&told(here), &told(there)));
    }
    page.hanging(2, 2, text);
}
