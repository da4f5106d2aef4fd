//! Editing: replace ranges of bytes, leave all others.

use std::ops::Range;

use super::js;
use super::layout::{Style, laid_out};
use super::read::{Json, JsonError, Member};
use super::string::quote;
use crate::sorted;

/// Replacements collected over one document, then made at once.
#[derive(Debug, Clone)]
pub struct Splices<'a> {
    document: &'a str,
    parts: Vec<(Range<usize>, String)>,
}

impl<'a> Splices<'a> {
    /// Nothing is changed yet.
    pub fn new(document: &'a str) -> Self {
        Self { document, parts: Vec::new() }
    }

    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Puts `new` where `old`, a part of this document, stands.
    pub fn replace(&mut self, old: Json<'a>, new: impl Into<String>) {
        self.range(old.range_in(self.document), new);
    }

    fn range(&mut self, range: Range<usize>, new: impl Into<String>) {
        self.parts.push((range, new.into()));
    }

    /// Takes members out of an object of this document, with their commas and the space that was
    /// their own.
    pub(crate) fn cut_members(&mut self, object: Json<'a>, gone: impl Fn(&Member<'a>) -> bool) {
        let place = |member: &Member<'a>| {
            let (key, value) =
                (member.key.range_in(self.document), member.value.range_in(self.document));
            (key.start..value.end, gone(member))
        };
        let places: Vec<_> = object.members().iter().map(place).collect();
        self.cut(object, &places);
    }

    /// The same for the items of an array.
    pub(crate) fn cut_items(&mut self, array: Json<'a>, gone: impl Fn(&Json<'a>) -> bool) {
        let place = |item: &Json<'a>| (item.range_in(self.document), gone(item));
        let places: Vec<_> = array.items().iter().map(place).collect();
        self.cut(array, &places);
    }

    /// Takes those parts out that go.
    fn cut(&mut self, whole: Json<'a>, places: &[(Range<usize>, bool)]) {
        let document = self.document;
        let mut first = 0;
        while first < places.len() {
            if !places[first].1 {
                first += 1;
                continue;
            }
            let stays = (first..places.len()).find(|index| !places[*index].1);
            let end = places[places.len() - 1].0.end;
            let cut = match (stays, first.checked_sub(1)) {
                (Some(next), _) => places[first].0.start..places[next].0.start,
                (None, Some(previous)) => places[previous].0.end..end,
                (None, None) => {
                    let whole = whole.range_in(document);
                    let inside = whole.start + 1..whole.end - 1;
                    let start = places[0].0.start;
                    let own_lines = document[inside.start..start].contains('\n');
                    if own_lines { inside } else { start..end }
                }
            };
            self.range(cut, "");
            first = stays.unwrap_or(places.len());
        }
    }

    /// The document with all replacements made.
    pub fn apply(mut self) -> String {
        sorted::by_key(&mut self.parts, |(range, _)| (range.start, range.end));
        let grown: usize = self.parts.iter().map(|(_, new)| new.len()).sum();
        let mut out = String::with_capacity(self.document.len() + grown);
        let mut at = 0;
        for (range, new) in &self.parts {
            assert!(at <= range.start, "two edits of one place");
            out.push_str(&self.document[at..range.start]);
            out.push_str(new);
            at = range.end;
        }
        out.push_str(&self.document[at..]);
        out
    }
}

/// Sets the value at `path`, appending keys that are missing. `value` is JSON text, laid out to
/// fit the document. A null on the way counts as missing; anything else that is not an object is
/// an error.
pub fn set(document: &str, path: &[&str], value: &str) -> Result<String, JsonError> {
    set_in(document, Json::parse(document)?, path, value)
}

/// The same for a document that was read before.
pub fn set_in(
    document: &str,
    root: Json<'_>,
    path: &[&str],
    value: &str,
) -> Result<String, JsonError> {
    let Some((key, parents)) = path.split_last() else {
        return Ok(value.to_owned());
    };
    let style = Style::of(document);
    let mut object = root;
    for (depth, parent) in parents.iter().enumerate() {
        match object.get(parent) {
            Some(inner) if inner.is_object() => object = inner,
            Some(inner) if !inner.is_null() => {
                return Err(JsonError::NotAnObject(path[..=depth].join(".")));
            }
            found => {
                let nested = path[depth + 1..]
                    .iter()
                    .rev()
                    .fold(value.to_owned(), |inner, key| format!("{{{}:{inner}}}", quote(key)));
                let mut splices = Splices::new(document);
                let nested = laid_out(&nested, style, depth + 1)?;
                match found {
                    Some(null) => splices.replace(null, nested),
                    None => append(
                        &mut splices,
                        (object, &object.members()),
                        parent,
                        &nested,
                        style,
                        depth,
                    )?,
                }
                return Ok(splices.apply());
            }
        }
    }
    let depth = parents.len();
    let value = laid_out(value, style, depth + 1)?;
    let mut splices = Splices::new(document);
    match object.get(key) {
        Some(old) => splices.replace(old, value),
        None => append(&mut splices, (object, &object.members()), key, &value, style, depth)?,
    }
    Ok(splices.apply())
}

/// Sets several members of the object at `key`, each of another name. What [`set`] would do one by
/// one, reading all of the document each time; but a new one that JavaScript takes for an index comes
/// where JavaScript would hold it, so that who reads and writes the document leaves it as it is.
pub fn set_members(document: &str, key: &str, new: &[(&str, String)]) -> Result<String, JsonError> {
    let root = Json::parse(document)?;
    let object = root.get(key).unwrap_or(Json::EMPTY);
    let members = object.members();
    if members.is_empty() {
        let Some(((name, value), rest)) = new.split_first() else { return Ok(document.to_owned()) };
        return set_members(&set_in(document, root, &[key, name], value)?, key, rest);
    }
    let names: Vec<_> = members.iter().map(|member| member.key.str().unwrap_or_default()).collect();
    let places = sorted::places(&names, |name| name.as_ref());
    let style = Style::of(document);
    let indexes: Vec<Option<u32>> = names.iter().map(|name| js::index(name)).collect();
    let mut new: Vec<&(&str, String)> = new.iter().collect();
    sorted::by_key(&mut new, |(name, _)| js::index(name).unwrap_or(u32::MAX));
    let mut splices = Splices::new(document);
    for (name, value) in new {
        let value = laid_out(value, style, 2)?;
        if let Some(place) = sorted::at(&places, &names, |name| name.as_ref(), name).last() {
            splices.replace(members[*place].value, value);
            continue;
        }
        let own = js::index(name);
        let is_behind =
            |other: &Option<u32>| own.is_some() && other.is_none_or(|it| Some(it) > own);
        match indexes.iter().position(is_behind) {
            Some(next) => insert(&mut splices, object, &members, next, name, &value),
            None => append(&mut splices, (object, &members), name, &value, style, 1)?,
        }
    }
    Ok(splices.apply())
}

/// Adds a member before another one, spaced like the first.
fn insert(
    splices: &mut Splices<'_>,
    object: Json<'_>,
    members: &[Member<'_>],
    next: usize,
    key: &str,
    value: &str,
) {
    let document = splices.document;
    let inside = object.range_in(document).start + 1;
    let first = members[0].key.range_in(document);
    let before = &document[inside..first.start];
    let between = &document[first.end..members[0].value.range_in(document).start];
    let at = members[next].key.range_in(document).start;
    splices.range(at..at, format!("{}{between}{value},{before}", quote(key)));
}

/// Adds a member behind the last one, spaced like its neighbours.
fn append(
    splices: &mut Splices<'_>,
    (object, members): (Json<'_>, &[Member<'_>]),
    key: &str,
    value: &str,
    style: Style,
    depth: usize,
) -> Result<(), JsonError> {
    if !object.is_object() {
        return Err(JsonError::NotAnObject(key.to_owned()));
    }
    let document = splices.document;
    let inside = object.range_in(document).start + 1;
    let key = quote(key);
    if let (Some(first), Some(last)) = (members.first(), members.last()) {
        let before = &document[inside..first.key.range_in(document).start];
        let between =
            &document[first.key.range_in(document).end..first.value.range_in(document).start];
        let end = last.value.range_in(document).end;
        splices.range(end..end, format!(",{before}{key}{between}{value}"));
    } else if document[inside..].starts_with('}') {
        let (open, close) = (style.newline(depth + 1), style.newline(depth));
        splices.range(inside..inside, format!("{open}{key}{}{value}{close}", style.colon()));
    } else {
        splices.range(inside..inside, format!("{key}{}{value}", style.colon()));
    }
    Ok(())
}

/// Takes the member at `path` out, all of its duplicates too. Does nothing where there is none.
pub fn remove(document: &str, path: &[&str]) -> Result<String, JsonError> {
    let Some((key, parents)) = path.split_last() else {
        return Ok(document.to_owned());
    };
    let mut splices = Splices::new(document);
    if let Some(object) = Json::parse(document)?.at(parents) {
        splices.cut_members(object, |member| member.is(key));
    }
    Ok(splices.apply())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRETTY: &str = "{\n    \"entries\": {\n        \"0\": {}\n    }\n}";

    #[test]
    fn a_value_is_replaced_and_nothing_else() {
        let text = "{ \"b\" : 1.0 ,\t\"a\":[1e5, \"\\ud83d\"] }";
        assert_eq!(set(text, &["b"], "2").unwrap(), "{ \"b\" : 2 ,\t\"a\":[1e5, \"\\ud83d\"] }");
    }

    #[test]
    fn a_new_key_looks_like_its_neighbours() {
        assert_eq!(set(r#"{"a":1}"#, &["b", "c"], "[1,2]").unwrap(), r#"{"a":1,"b":{"c":[1,2]}}"#);
        assert_eq!(
            set(PRETTY, &["extensions", "x"], r#"{"y":1}"#).unwrap(),
            "{\n    \"entries\": {\n        \"0\": {}\n    },\n    \"extensions\": {\n        \"x\": {\n            \"y\": 1\n        }\n    }\n}"
        );
        assert_eq!(
            set(PRETTY, &["entries", "0", "uid"], "0").unwrap(),
            "{\n    \"entries\": {\n        \"0\": {\n            \"uid\": 0\n        }\n    }\n}"
        );
    }

    #[test]
    fn what_was_put_in_can_be_taken_out() {
        for text in [
            PRETTY,
            "{}",
            "{ }",
            "{\n}",
            r#"{"a":1}"#,
            "{\"a\" : 1 }",
            "{\r\n  \"a\": {\r\n    \"b\": 1\r\n  }\r\n}",
        ] {
            let with = set(text, &["new"], r#"{"k":[1,{"z":null}]}"#).unwrap();
            assert_ne!(with, text);
            assert_eq!(remove(&with, &["new"]).unwrap(), text);
        }
    }

    #[test]
    fn duplicates_are_set_like_javascript_and_removed_all() {
        assert_eq!(set(r#"{"a":1,"a":2}"#, &["a"], "3").unwrap(), r#"{"a":1,"a":3}"#);
        assert_eq!(remove(r#"{"a":1,"b":0,"a":2}"#, &["a"]).unwrap(), r#"{"b":0}"#);
        assert_eq!(remove("{\n  \"a\": 1\n}", &["a"]).unwrap(), "{}");
        assert_eq!(remove(r#"{"a":1}"#, &["x", "y"]).unwrap(), r#"{"a":1}"#);
    }

    #[test]
    fn several_are_set_as_one_by_one() {
        let new = [("v", "{\"uid\":5}".to_owned()), ("a", "[1]".into()), ("é", "null".into())];
        for text in [
            PRETTY,
            "{}",
            r#"{"entries":{}}"#,
            r#"{"entries":{ "x" : 1, "\u0061": 2}}"#,
            r#"{"entries":null,"b":1}"#,
            "{\r\n  \"entries\": {\r\n    \"b\": 1,\r\n    \"a\": 1,\r\n    \"a\": 2\r\n  }\r\n}",
        ] {
            let one_by_one = new.iter().fold(text.to_owned(), |text, (name, value)| {
                set(&text, &["entries", name], value).unwrap()
            });
            assert_eq!(set_members(text, "entries", &new).unwrap(), one_by_one);
            assert_eq!(set_members(text, "entries", &[]).unwrap(), text);
        }
        assert!(set_members(r#"{"entries":"x"}"#, "entries", &new).is_err());
    }

    #[test]
    fn new_indexes_come_where_javascript_holds_them() {
        let new = [("23", "4".to_owned()), ("5", "5".into()), ("1", "6".into())];
        let text = r#"{"entries":{"1":1,"7":2,"1790000000000":3,"x":0}}"#;
        assert_eq!(
            set_members(text, "entries", &new).unwrap(),
            r#"{"entries":{"1":6,"5":5,"7":2,"23":4,"1790000000000":3,"x":0}}"#
        );
        let text = "{\n  \"entries\": {\n    \"7\": 1\n  }\n}";
        let wanted = "{\n  \"entries\": {\n    \"1\": 6,\n    \"5\": 5,\n    \"7\": 1,\n    \"23\": 4\n  }\n}";
        assert_eq!(set_members(text, "entries", &new).unwrap(), wanted);
    }

    #[test]
    fn a_string_in_the_way_is_not_overwritten() {
        assert!(matches!(set(r#"{"a":"x"}"#, &["a", "b"], "1"), Err(JsonError::NotAnObject(_))));
        assert!(matches!(set("[]", &["a"], "1"), Err(JsonError::NotAnObject(_))));
        assert_eq!(set(r#"{"a":null}"#, &["a", "b"], "1").unwrap(), r#"{"a":{"b":1}}"#);
    }
}
