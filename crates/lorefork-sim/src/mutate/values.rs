//! Values of JSON texts: the text stays JSON, but says something that nobody expects.

use std::ops::Range;

use lorefork::json::{Json, Kind, quote};

use super::{names, pick};
use crate::chance::Chance;
use crate::folder::{Folder, is_chat};

/// JSON texts that stand where something else was expected.
const ODD: [&str; 36] = [
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1",
    "0.5",
    "1e5",
    "1e400",
    "-0",
    "9007199254740993",
    "18446744073709551616",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "1794771257676",
    r#""""#,
    r#""..""#,
    r#""..""#,
    r#""-1""#,
    r#""null""#,
    r#""CON""#,
    r#""\"""#,
    r#""x\u001b[31m""#,
    r#""\ud83d""#,
    r#""\udc00\ud800""#,
    r#""a/b""#,
    r#""..""#,
    r#""../../x""#,
    r#""a\nb\r\n""#,
    r#""__proto__""#,
    "[]",
    "{}",
    "[null]",
    "[[[]]]",
    r#"{"0":null}"#,
    r#"[{"uid":0}]"#,
];

/// Changes one value of one file.
pub(super) fn mutate(folder: &mut Folder, chance: &mut Chance) -> Option<String> {
    let file = pick(folder, chance)?;
    let names = names(folder);
    let text = folder.text(&file)?.to_owned();
    let part = if is_chat(&file) { line(&text, chance)? } else { 0..text.len() };
    let (new, what) = changed(&text[part.clone()], &names, chance)?;
    let at = text[..part.start].lines().count();
    folder.put(file.clone(), format!("{}{new}{}", &text[..part.start], &text[part.end..]));
    Some(format!("{file}, line {at}: {what}"))
}

/// The header half of the time, else a line that holds memory, else any.
fn line(text: &str, chance: &mut Chance) -> Option<Range<usize>> {
    let mut from = 0;
    let mut lines: Vec<Range<usize>> = Vec::new();
    for line in text.split_inclusive('\n') {
        lines.push(from..from + line.trim_end_matches(['\r', '\n']).len());
        from += line.len();
    }
    let with_memory = |line: &&Range<usize>| text[(*line).clone()].contains("auto_recap_memory");
    let memory: Vec<_> = lines.iter().skip(1).filter(with_memory).cloned().collect();
    match chance.between(1, 100) {
        ..=50 => lines.first().cloned(),
        51..=85 if !memory.is_empty() => chance.one_of(&memory).cloned(),
        _ => chance.one_of(&lines).cloned(),
    }
}

/// Where a value stands, with its key if it has one.
struct Place {
    key: Option<Range<usize>>,
    value: Range<usize>,
    /// The values beside it.
    siblings: Vec<Range<usize>>,
}

fn range(document: &str, part: Json<'_>) -> Range<usize> {
    let start = part.text().as_ptr() as usize - document.as_ptr() as usize;
    start..start + part.text().len()
}

/// Goes down from the top and stops somewhere: what stands high up is met more often.
fn place(document: &str, chance: &mut Chance) -> Option<Place> {
    let mut at = Json::parse(document).ok()?;
    let mut found: Option<Place> = None;
    loop {
        let members = at.members();
        let items = at.items();
        let children: Vec<(Option<Range<usize>>, Json<'_>)> = members
            .iter()
            .map(|member| (Some(range(document, member.key)), member.value))
            .chain(items.iter().map(|item| (None, *item)))
            .collect();
        if children.is_empty() || (found.is_some() && chance.percent(25)) {
            return found;
        }
        let (key, value) = chance.one_of(&children)?.clone();
        let siblings = children.iter().map(|(_, sibling)| range(document, *sibling)).collect();
        found = Some(Place { key, value: range(document, value), siblings });
        at = value;
    }
}

fn odd(names: &[String], chance: &mut Chance) -> String {
    if chance.percent(20)
        && let Some(name) = chance.one_of(names)
    {
        return quote(name);
    }
    chance.one_of(&ODD).copied().unwrap_or("null").to_owned()
}

/// A JSON text with one thing changed, and what.
fn changed(document: &str, names: &[String], chance: &mut Chance) -> Option<(String, String)> {
    let Place { key, value, siblings } = place(document, chance)?;
    let put = |range: &Range<usize>, new: &str| {
        format!("{}{new}{}", &document[..range.start], &document[range.end..])
    };
    let old = &document[value.clone()];
    let about = key.as_ref().map_or("an item", |key| &document[key.clone()]);
    let whole = key.as_ref().map_or(value.start, |key| key.start)..value.end;
    Some(match chance.between(1, 100) {
        ..=20 => (put(&with_comma(document, &whole), ""), format!("without {about}")),
        21..=30 => {
            let new = if chance.percent(50) { old.to_owned() } else { odd(names, chance) };
            let again = match &key {
                Some(key) => format!(",{}:{new}", &document[key.clone()]),
                None => format!(",{new}"),
            };
            (put(&(value.end..value.end), &again), format!("{about} twice, then {}", short(&new)))
        }
        31..=65 => {
            let new = odd(names, chance);
            (put(&value, &new), format!("{about} is {}", short(&new)))
        }
        66..=75 => {
            let new = nearly(old, chance)?;
            (put(&value, &new), format!("{about} is nearly the same: {}", short(&new)))
        }
        76..=82 => {
            let new = if chance.percent(50) { format!("[{old}]") } else { quote(old) };
            (put(&value, &new), format!("{about} is wrapped: {}", short(&new)))
        }
        83..=90 => {
            let new = document[chance.one_of(&siblings)?.clone()].to_owned();
            (put(&value, &new), format!("{about} is what stands beside it: {}", short(&new)))
        }
        _ => {
            let key = key?;
            let new = if chance.percent(50) { r#""""# } else { r#""other""# };
            (put(&key, new), format!("{about} is called {new}"))
        }
    })
}

/// A member or an item together with the comma that goes with it.
fn with_comma(document: &str, whole: &Range<usize>) -> Range<usize> {
    let before = document[..whole.start].trim_end();
    let after = document[whole.end..].trim_start();
    if after.starts_with(',') {
        whole.start..document.len() - after.len() + 1
    } else if before.ends_with(',') {
        before.len() - 1..whole.end
    } else {
        whole.clone()
    }
}

/// The same kind of value, a little different.
fn nearly(old: &str, chance: &mut Chance) -> Option<String> {
    let json = Json::parse(old).ok()?;
    Some(match json.kind() {
        Kind::Number => {
            let number = json.integer()?;
            let by = [-1000, -1, 1, 1000];
            (number + chance.one_of(&by).copied().unwrap_or(1)).to_string()
        }
        Kind::String => {
            let text = json.str()?;
            let half: String = text.chars().take(text.chars().count() / 2).collect();
            let all = [half, format!("{text} "), format!("{text}x"), text.to_uppercase()];
            quote(chance.one_of(&all)?)
        }
        Kind::Bool => if old == "true" { "false" } else { "true" }.to_owned(),
        Kind::Array => {
            let mut items: Vec<&str> = json.items().iter().map(|item| item.text()).collect();
            items.reverse();
            if chance.percent(50) {
                items.pop();
            }
            format!("[{}]", items.join(","))
        }
        Kind::Object => {
            let mut members = json.members();
            members.reverse();
            if chance.percent(50) {
                members.truncate(members.len() / 2);
            }
            let members: Vec<String> = members
                .iter()
                .map(|member| format!("{}:{}", member.key.text(), member.value.text()))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Kind::Null => "0".to_owned(),
    })
}

/// Changes what the text of a registry says.
pub(super) fn mutate_registry(folder: &mut Folder, chance: &mut Chance) -> Option<String> {
    let books: Vec<&str> = folder.lorebooks().collect();
    let file = format!("worlds/{}.json", chance.one_of(&books)?);
    let text = folder.text(&file)?.to_owned();
    let entries = Json::parse(&text).ok()?.get("entries")?.members();
    let is_registry = |entry: &Json<'_>| {
        entry.get("comment").and_then(Json::str).is_some_and(|name| name.starts_with("_registry"))
    };
    let registries: Vec<Json<'_>> =
        entries.iter().map(|member| member.value).filter(is_registry).collect();
    let content = chance.one_of(&registries)?.get("content")?;
    let old = content.str()?.into_owned();
    let lines: Vec<&str> = old.lines().collect();
    let (new, what) = match chance.between(0, 7) {
        0 => (String::new(), "emptied"),
        1 => (r#"{"1":{"uid":1,"name":"Ash"}}"#.to_owned(), "JSON instead of text"),
        2 => (old.chars().take(chance.between(0, old.chars().count())).collect(), "cut"),
        3 => (lines.get(1..).unwrap_or_default().join("\n"), "without its first line"),
        4 => (lines[..lines.len().saturating_sub(1)].join("\n"), "without its last line"),
        5 => (format!("{old}\n{}", lines.last().unwrap_or(&"")), "with its last line twice"),
        6 => (old.replace("UID=", "UID=9"), "with other numbers"),
        _ => (format!("My own notes.\n\n{old}\n- Ash"), "with notes in it"),
    };
    let at = range(&text, content);
    folder.put(file.clone(), format!("{}{}{}", &text[..at.start], quote(&new), &text[at.end..]));
    Some(format!("{file}: a registry {what}"))
}

fn short(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_json_stays_json() {
        let document = r#"{"a": {"b": [1, "two", {"c": null}], "d": ""}, "e": true, "f": []}"#;
        for seed in 0..2000 {
            let mut chance = Chance::new(seed);
            if let Some((new, what)) = changed(document, &["Name".to_owned()], &mut chance) {
                assert!(Json::parse(&new).is_ok(), "{what}: {new}");
            }
        }
    }
}
