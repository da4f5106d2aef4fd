//! Registries: entries that list which entities the lorebook knows, by uid.

use crate::json::{Json, Member, Object, quote};
use crate::memory::recap::entry_name::plain_name;
use crate::memory::registries::{Item, Mend, Registries};
use crate::sorted;

/// How the comment of a registry begins; its kind comes after it.
const BEGINS: &str = "_registry_";

/// As Auto-Recap keeps them.
pub(super) struct Own;

impl Registries for Own {
    fn kind<'c>(&self, comment: &'c str) -> Option<&'c str> {
        comment.strip_prefix(BEGINS)
    }

    fn items(&self, content: &str) -> Vec<Item> {
        parse(content)
    }

    fn line_item(&self, line: &str) -> Option<Item> {
        line_item("", line)
    }

    fn renumbered(&self, line: &str, from: &str, to: &str) -> Option<String> {
        ["UID=", "uid: ", "uid:"].into_iter().find_map(|mark| {
            let (head, rest) = line.split_once(mark)?;
            let rest = rest.strip_prefix(from)?;
            Some(format!("{head}{mark}{to}{rest}"))
        })
    }

    fn mended(&self, content: &str, mend: &dyn Fn(&Item) -> Mend) -> String {
        mended(content, mend)
    }

    fn is_closed(&self, content: &str) -> bool {
        is_json(content)
    }

    fn with_items(&self, content: &str, kind: &str, new: &[Item]) -> String {
        let lines: Vec<_> = new.iter().map(|item| (item.name.as_str(), full_line(item))).collect();
        with_lines(content, kind, &lines)
    }

    fn names_of(&self, comment: &str) -> Vec<String> {
        names_of(comment).into()
    }
}

/// Reads a registry's content: every spelling that was ever written or described.
fn parse(content: &str) -> Vec<Item> {
    if let Ok(json) = Json::parse(content) {
        return json
            .get("items")
            .map(Json::items)
            .unwrap_or_default()
            .into_iter()
            .filter_map(json_item)
            .collect();
    }
    let mut kind = None;
    let mut items = Vec::new();
    for line in content.lines().map(str::trim) {
        if let Some(header) = header(line) {
            kind = Some(header);
        } else if let Some(kind) = &kind {
            items.extend(line_item(kind, line));
        }
    }
    items
}

/// `[Registry: character]`
fn header(line: &str) -> Option<String> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?;
    let (label, kind) = inside.split_once(':')?;
    label.trim().eq_ignore_ascii_case("registry").then(|| kind.trim().to_owned())
}

/// `- UID=9 | name: … | aliases: a; b | synopsis: …`, or `uid: 9`, with or without the dash.
fn line_item(kind: &str, line: &str) -> Option<Item> {
    let line = line.strip_prefix('-').unwrap_or(line);
    let parts: Vec<&str> = line.split('|').map(str::trim).collect();
    let uid = parts.iter().find_map(|part| labelled(part, "uid")).or_else(|| {
        let (label, digits) = parts.first()?.split_once('=')?;
        label.trim().eq_ignore_ascii_case("uid").then(|| digits.trim())
    })?;
    let field = |label: &str| {
        parts
            .iter()
            .find_map(|part| labelled(part, label))
            .filter(|value| *value != "—")
            .unwrap_or("")
    };
    let name = match field("name") {
        // `uid: 7 | character-Mira`, as one description has it.
        "" => parts.get(1).copied().filter(|part| !part.contains(": ")).unwrap_or(""),
        name => name,
    };
    Some(Item {
        kind: kind.to_owned(),
        uid: uid.parse().ok()?,
        name: name.to_owned(),
        aliases: field("aliases")
            .split(';')
            .map(str::trim)
            .filter(|alias| !alias.is_empty())
            .map(str::to_owned)
            .collect(),
        synopsis: field("synopsis").to_owned(),
    })
}

fn labelled<'p>(part: &'p str, label: &str) -> Option<&'p str> {
    let (found, value) = part.split_once(':')?;
    found.trim().eq_ignore_ascii_case(label).then(|| value.trim())
}

fn json_item(item: Json<'_>) -> Option<Item> {
    let text = |key: &str| item.get(key).and_then(Json::str).unwrap_or_default().into_owned();
    let uid = item.get("id").or_else(|| item.get("uid"))?;
    let uid = uid.integer().or_else(|| uid.str()?.trim().parse().ok())?;
    let aliases = item.get("aliases").map(Json::items).unwrap_or_default();
    Some(Item {
        kind: text("type"),
        uid,
        name: text("name"),
        aliases: aliases
            .into_iter()
            .filter_map(Json::str)
            .map(|alias| alias.into_owned())
            .collect(),
        synopsis: text("synopsis"),
    })
}

/// A registry's content with its lines mended; all others stay as they are spelled.
fn mended(content: &str, mend: impl Fn(&Item) -> Mend) -> String {
    let mut out = String::with_capacity(content.len());
    for line in content.split_inclusive('\n') {
        let Some(item) = line_item("", line.trim()) else {
            out.push_str(line);
            continue;
        };
        match mend(&item) {
            Mend::Keep => out.push_str(line),
            Mend::Uid(uid) => {
                out.push_str(&line.replacen(&item.uid.to_string(), &uid.to_string(), 1));
            }
            Mend::Drop => {}
        }
    }
    // The last line had no line break; the one before it now ends the text.
    let ended = content.ends_with('\n');
    if !ended && out.ends_with('\n') {
        out.truncate(out.trim_end_matches(['\r', '\n']).len());
    }
    out
}

/// Whether a registry is kept as JSON, as one description has it. Auto-Recap does not read that,
/// and a line in it would leave nothing that anybody can read.
fn is_json(content: &str) -> bool {
    Json::parse(content).is_ok()
}

/// The names under which lines can list an entry with this comment. A line holds a name only up to
/// a bar or line break, or with spaces in their place.
fn names_of(comment: &str) -> [String; 3] {
    let cut = comment.split(['|', '\n', '\r']).next().unwrap_or_default();
    [comment, cut, &without_bars(comment)].map(|name| plain_name(name.trim()))
}

fn without_bars(text: &str) -> String {
    text.replace(['|', '\n', '\r'], " ")
}

/// The line that lists an entry.
fn line(uid: i64, name: &str, aliases: &[String]) -> String {
    let aliases: Vec<String> =
        aliases.iter().map(|alias| without_bars(alias).replace(';', " ")).collect();
    let aliases = if aliases.is_empty() { "—".to_owned() } else { aliases.join("; ") };
    format!("- UID={uid} | name: {} | aliases: {aliases} | synopsis: —", without_bars(name))
}

/// The line that lists an entry, with all that is known of it.
fn full_line(item: &Item) -> String {
    let line = line(item.uid, &item.name, &item.aliases);
    match item.synopsis.trim() {
        "" => line,
        synopsis => {
            let head = line.strip_suffix("—").unwrap_or(&line);
            format!("{head}{}", without_bars(synopsis))
        }
    }
}

/// A registry's content with more lines, given with their names, each among those of its neighbours in
/// the alphabet. Without its first line, `[Registry: character]`, nobody reads a registry: then it
/// gets one.
fn with_lines(content: &str, kind: &str, new: &[(&str, String)]) -> String {
    let Some(((_, first), others)) = new.split_first() else { return content.to_owned() };
    let ending = if content.contains("\r\n") { "\r\n" } else { "\n" };
    if !content.lines().any(|line| header(line.trim()).is_some()) {
        let rest = if content.trim().is_empty() { "" } else { content };
        let gap = if rest.is_empty() { "" } else { ending };
        let begun = format!("[Registry: {kind}]{ending}{first}{gap}{rest}");
        return with_lines(&begun, kind, others);
    }
    let mut new: Vec<(String, &String)> =
        new.iter().map(|(name, line)| (name.to_lowercase(), line)).collect();
    sorted::by(&mut new, |(a, _), (b, _)| a.cmp(b));
    let mut new = new.into_iter().peekable();
    let mut out = String::with_capacity(content.len());
    let mut has_header = false;
    for other in content.split_inclusive('\n') {
        if let Some(item) = line_item("", other.trim()).filter(|_| has_header) {
            let later = item.name.to_lowercase();
            while let Some((_, line)) = new.next_if(|(name, _)| later > *name) {
                out.push_str(line);
                out.push_str(ending);
            }
        }
        has_header |= header(other.trim()).is_some();
        out.push_str(other);
    }
    for (_, line) in new {
        match content.ends_with('\n') {
            true => out.extend([line, ending]),
            false => out.extend([ending, line]),
        }
    }
    out
}

/// The registry index of the metadata, made anew from what the registries list. Of two lines for
/// one uid the last counts, as when Auto-Recap reads them.
pub(super) fn index(items: &[Item]) -> String {
    let mut last: Vec<&Item> = items.iter().rev().collect();
    sorted::by_key(&mut last, |item| item.uid);
    last.dedup_by_key(|item| item.uid);
    let mut index = Object::new();
    for item in last {
        index.raw(&item.uid.to_string(), &record(item));
    }
    index.done()
}

/// Number and name in a member of the index.
pub(super) fn indexed(member: &Member<'_>) -> Option<(i64, String)> {
    let uid = member.key.str()?.parse().ok()?;
    let text = |key: &str| Some(member.value.some(key)?.str()?.into_owned());
    Some((uid, text("comment").or_else(|| text("name")).unwrap_or_default()))
}

/// An item as the index holds it.
pub(super) fn record(item: &Item) -> String {
    let aliases: Vec<String> = item.aliases.iter().map(|alias| quote(alias)).collect();
    format!(
        r#"{{"uid":{uid},"id":"{uid}","type":{},"name":{name},"comment":{name},"synopsis":{},"aliases":[{}]}}"#,
        quote(&item.kind),
        quote(&item.synopsis),
        aliases.join(","),
        uid = item.uid,
        name = quote(&item.name),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r038_every_spelling_of_a_line_is_read() {
        let content = "[Registry: character]\r\n- UID=9 | name: character-Mira | aliases: mira; captain | synopsis: Ship captain\r\n- uid: 10 | name: character-Tom | aliases: — | synopsis: —\nuid: 7 | character-Ann\n\nnot a line";
        let items = parse(content);
        assert_eq!(
            items.iter().map(|item| (item.uid, item.name.as_str())).collect::<Vec<_>>(),
            [(9, "character-Mira"), (10, "character-Tom"), (7, "character-Ann")]
        );
        assert_eq!(items[0].aliases, ["mira", "captain"]);
        assert_eq!((items[1].aliases.len(), items[1].synopsis.as_str()), (0, ""));
        assert_eq!(parse(r#"{"items":[{"id":"9","name":"a","type":"item"}]}"#)[0].uid, 9);
        assert_eq!(parse("- UID=9 | name: no header"), []);
    }

    #[test]
    fn a_line_is_added_where_it_is_read() {
        let add = |content: &str, name: &str| {
            with_lines(content, "item", &[(name, super::line(9, name, &[]))])
        };
        let line = |name: &str| format!("- UID=9 | name: {name} | aliases: — | synopsis: —");
        // An emptied registry, and one whose first line was lost.
        assert_eq!(add("", "item-Cup"), format!("[Registry: item]\n{}", line("item-Cup")));
        for content in ["", " \n", "notes", "- UID=3 | name: item-Axe", "[Registry: item]\r\n"] {
            let items = parse(&add(content, "item-Cup"));
            assert!(items.iter().any(|item| item.uid == 9 && item.name == "item-Cup"), "{content}");
        }
        let content = "- UID=5 | name: item-Zoo\r\n[Registry: item]\r\n- UID=4 | name: item-Dew";
        let expected = content.replace("- UID=4", &format!("{}\r\n- UID=4", line("item-Cup")));
        assert_eq!(add(content, "item-Cup"), expected);
        // Several are added as one by one.
        let names = ["item-Cup", "item-Dot", "item-Axe", "item-cup", "item-Zoo"];
        let several = names.map(|name| (name, line(name)));
        for content in ["", "notes", content, "[Registry: item]\r\n", "[Registry: item]"] {
            let one_by_one = names.iter().fold(content.to_owned(), |text, name| add(&text, name));
            assert_eq!(with_lines(content, "item", &several), one_by_one);
        }
        // What a line cannot hold.
        let items = parse(&add("", "item-a|b; c\nd"));
        assert!(
            crate::memory::registries::means(&items[0].name, "item-a|b; c\nd")
                && !crate::memory::registries::means(&items[0].name, "item-a; c")
        );
        assert!(
            is_json("[]")
                && is_json("{\"items\":[]}")
                && !is_json("")
                && !is_json("[Registry: item]")
        );
    }

    #[test]
    fn n1_the_index_says_what_the_registries_say() {
        let items = parse(
            "[Registry: item]\n- UID=9 | name: item-\"Cup\" | aliases: cup | synopsis: old\n- UID=9 | name: item-Cup | aliases: — | synopsis: new",
        );
        assert_eq!(
            index(&items),
            r#"{"9":{"uid":9,"id":"9","type":"item","name":"item-Cup","comment":"item-Cup","synopsis":"new","aliases":[]}}"#
        );
    }
}
