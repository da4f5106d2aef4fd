//! How Auto-Recap changes entries when SillyTavern loads them, before it hashes them: it puts the
//! content into a tag that says which entry it is.

use super::hash::trimmed;
use crate::json::{Json, js, quote, set};

const OPEN: &str = "<setting_lore ";
const CLOSE: &str = "</setting_lore>";

/// The entry of the lorebook `world` as it is then; `None` if it stays as it is.
pub(super) fn wrapped(entry: Json<'_>, world: &str) -> Option<String> {
    let content = entry.get("content")?.str()?.replace("\r\n", "\n").replace('\r', "\n");
    let (decorators, body) = split_decorators(&content);
    let body = trim(body);
    if body.is_empty() || (body.starts_with(OPEN) && body.ends_with(CLOSE)) {
        return None;
    }
    let wrapped = format!("{decorators}{OPEN}{}>\n{body}\n{CLOSE}", attributes(entry, world));
    set(entry.text(), &["content"], &quote(&wrapped)).ok()
}

/// Leading lines that begin with `@@`, and the rest.
fn split_decorators(content: &str) -> (&str, &str) {
    let mut end = 0;
    for line in content.split_inclusive('\n') {
        if !line.starts_with("@@") {
            break;
        }
        end += line.len();
    }
    content.split_at(end)
}

fn attributes(entry: Json<'_>, world: &str) -> String {
    let mut out = Vec::new();
    let mut add = |name: &str, value: &str| out.push(format!("{name}=\"{}\"", escaped(value)));
    let some = |field: &str| entry.some(field);
    let comment = some("comment").filter(|comment| comment.truthy()).map(text);
    add("name", comment.as_deref().unwrap_or("Unnamed Entry"));
    add("uid", some("uid").map(text).as_deref().unwrap_or("unknown"));
    let world = some("world").map_or_else(|| world.to_owned(), text);
    if !world.is_empty() {
        add("world", &world);
    }
    for field in ["position", "order"] {
        if let Some(number) = some(field).filter(|value| value.number().is_some()) {
            add(field, &text(number));
        }
    }
    for field in ["depth", "role"] {
        if let Some(value) = some(field) {
            add(field, &text(value));
        }
    }
    for (name, field) in [("keys", "key"), ("keys_secondary", "keysecondary")] {
        let keys = some(field).map(Json::items).unwrap_or_default();
        if !keys.is_empty() {
            let keys: Vec<String> = keys.into_iter().map(text).collect();
            add(name, &keys.join("|"));
        }
    }
    out.join(" ")
}

/// As JavaScript makes text of a value; nothing of null.
fn text(value: Json<'_>) -> String {
    match value.str() {
        Some(text) => text.into_owned(),
        None if value.is_null() => String::new(),
        None => js::number(value),
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&apos;")
}

/// As JavaScript trims.
fn trim(text: &str) -> &str {
    let is_space =
        |c: char| u16::try_from(u32::from(c)).is_ok_and(|unit| trimmed(&[unit]).is_empty());
    text.trim_matches(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(entry: &str) -> Option<String> {
        let wrapped = wrapped(Json::parse(entry).unwrap(), "My <Lore>")?;
        Some(Json::parse(&wrapped).unwrap().get("content").unwrap().str().unwrap().into_owned())
    }

    #[test]
    fn an_entry_says_which_it_is() {
        let entry = r#"{"uid":3,"key":["a","b"],"keysecondary":[],"comment":"O'Neil & co","content":" x\r\ny\ufeff","order":100.0,"position":0,"depth":4,"role":null}"#;
        assert_eq!(
            content(entry).unwrap(),
            "<setting_lore name=\"O&apos;Neil &amp; co\" uid=\"3\" world=\"My &lt;Lore&gt;\" position=\"0\" order=\"100\" depth=\"4\" keys=\"a|b\">\nx\ny\n</setting_lore>"
        );
        let bare = content(r#"{"content":"@@activate\n@@x\nbody"}"#).unwrap();
        assert!(bare.starts_with(
            "@@activate\n@@x\n<setting_lore name=\"Unnamed Entry\" uid=\"unknown\" world"
        ));
    }

    #[test]
    fn what_is_empty_or_wrapped_stays() {
        for stays in ["", " \\n", "@@activate", "<setting_lore a>x</setting_lore>"] {
            assert_eq!(content(&format!(r#"{{"content":"{stays}"}}"#)), None, "{stays}");
        }
        assert_eq!(content(r#"{"uid":1}"#), None);
    }
}
