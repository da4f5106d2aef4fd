//! Timed effects (sticky, cooldown) when a lorebook gets another name.
//!
//! SillyTavern finds an effect again by a hash of the entry that has the book's name in it, and
//! keeps it under a key that has the name too. A copy under a new name would lose all of them.

use super::lorebook::Lorebook;
use super::timed::string_hash;
use crate::json::{Json, JsonError, Member, Style, js, quote, quote_units, set};

/// The hash SillyTavern gives an entry of the book `world`; see [`string_hash`] for what is hashed.
pub fn entry_hash(entry: Json<'_>, world: &str) -> Result<u64, JsonError> {
    let fields = js::ordered(entry);
    let get = |name: &str| {
        fields
            .iter()
            .find(|(key, _)| key.iter().copied().eq(name.encode_utf16()))
            .map(|(_, value)| *value)
    };
    let content =
        get("content").filter(|content| content.truthy()).and_then(Json::units).unwrap_or_default();
    let (decorators, content) = split_decorators(&content);
    let decorators: Vec<String> = decorators.iter().map(|line| quote_units(line)).collect();
    let decorators = format!("[{}]", decorators.join(","));
    let content = quote_units(content);

    let mut members: Vec<(String, String)> = Vec::new();
    if let Some(uid) = get("uid") {
        members.push(("uid".to_owned(), uid.text().to_owned()));
    }
    members.push((
        "world".to_owned(),
        get("world").map_or_else(|| quote(world), |own| own.text().to_owned()),
    ));
    for (key, value) in &fields {
        let name = String::from_utf16_lossy(key);
        match name.as_str() {
            "uid" | "world" => {}
            "content" => members.push((name, content.clone())),
            "decorators" => members.push((name, decorators.clone())),
            _ => members.push((name, value.text().to_owned())),
        }
    }
    for (name, value) in [("decorators", decorators), ("content", content)] {
        if get(name).is_none() {
            members.push((name.to_owned(), value));
        }
    }
    let members: Vec<String> =
        members.iter().map(|(key, value)| format!("{}:{value}", quote(key))).collect();
    let printed =
        js::stringify(Json::parse(&format!("{{{}}}", members.join(",")))?, Style::Compact)?;
    Ok(string_hash(printed.encode_utf16()))
}

/// Takes leading `@@` lines off, as SillyTavern does.
fn split_decorators(content: &[u16]) -> (Vec<Vec<u16>>, &[u16]) {
    let at = u16::from(b'@');
    let begins = |line: &[u16], with: &str| {
        line.len() >= with.len() && with.encode_utf16().eq(line.iter().copied().take(with.len()))
    };
    if !content.starts_with(&[at, at]) {
        return (Vec::new(), content);
    }
    let mut decorators = Vec::new();
    let mut after_unknown = false;
    let mut start = 0;
    for line in content.split(|unit| *unit == u16::from(b'\n')) {
        if !line.starts_with(&[at, at]) {
            return (decorators, &content[start..]);
        }
        start += line.len() + 1;
        let is_fallback = line.starts_with(&[at, at, at]);
        if is_fallback && !after_unknown {
            continue;
        }
        let line = if is_fallback { &line[1..] } else { line };
        if begins(line, "@@activate") || begins(line, "@@dont_activate") {
            decorators.push(line.to_vec());
            after_unknown = false;
        } else {
            after_unknown = true;
        }
    }
    (decorators, content)
}

/// One lorebook taking the place of another.
#[derive(Clone, Copy)]
pub struct Move<'m> {
    /// The lorebook that was used before, by its name.
    pub from: (&'m str, &'m Lorebook<'m>),
    /// The one that takes its place, by its name.
    pub to: (&'m str, &'m Lorebook<'m>),
    /// Whether two entries with one uid are the same entry. A uid alone proves nothing, since
    /// SillyTavern gives free ones away again.
    pub is_same: fn(Json<'_>, Json<'_>) -> bool,
    /// How an extension changes an entry of the book of this name when it is loaded, if at all:
    /// SillyTavern hashes what it gets then.
    pub loaded: fn(Json<'_>, &str) -> Option<String>,
}

/// The timed effects of a chat whose lorebook was exchanged. Effects of entries the new book does
/// not have are dropped; effects of other books stay as they are.
pub fn moved(effects: Json<'_>, exchange: Move<'_>) -> Result<String, JsonError> {
    let mut kinds = Vec::new();
    for kind in effects.members() {
        let mut kept = Vec::new();
        for effect in kind.value.members() {
            kept.extend(moved_effect(effect, exchange)?);
        }
        let value = if kind.value.is_object() {
            format!("{{{}}}", kept.join(","))
        } else {
            kind.value.text().to_owned()
        };
        kinds.push(format!("{}:{value}", kind.key.text()));
    }
    Ok(format!("{{{}}}", kinds.join(",")))
}

/// One effect as it goes on, key and value; `None` if its entry is not in the new book.
fn moved_effect(effect: Member<'_>, exchange: Move<'_>) -> Result<Option<String>, JsonError> {
    let Move { from, to, is_same, loaded } = exchange;
    let name = effect.key.str().unwrap_or_default();
    let uid = name.strip_prefix(from.0).and_then(|rest| rest.strip_prefix('.'));
    // A book called “Lore” must not take the effects of one called “Lore.old”.
    let Some(uid) = uid.filter(|uid| !uid.is_empty() && !uid.contains('.')) else {
        return Ok(Some(format!("{}:{}", effect.key.text(), effect.value.text())));
    };
    let (Some(new), old) = (find(to.1, uid), find(from.1, uid)) else { return Ok(None) };
    if old.is_some_and(|old| !is_same(old, new)) {
        return Ok(None);
    }
    let mut value = effect.value.text().to_owned();
    let as_loaded = |entry: Json<'_>, world: &str| match loaded(entry, world) {
        Some(text) => entry_hash(Json::parse(&text)?, world),
        None => entry_hash(entry, world),
    };
    let is = |hash: u64| effect.value.get("hash").map(js::number) == Some(hash.to_string());
    let hash = match old {
        Some(old) if is(entry_hash(old, from.0)?) => Some(entry_hash(new, to.0)?),
        Some(old) if is(as_loaded(old, from.0)?) => Some(as_loaded(new, to.0)?),
        _ => None,
    };
    if let Some(hash) = hash {
        value = set(&value, &["hash"], &hash.to_string())?;
    }
    Ok(Some(format!("{}:{value}", quote(&format!("{}.{uid}", to.0)))))
}

fn find<'b>(book: &Lorebook<'b>, uid: &str) -> Option<Json<'b>> {
    let is_it = |own: Json<'_>| own.says(uid) || js::number(own) == uid;
    book.entries.iter().map(|entry| entry.json).find(|json| json.get("uid").is_some_and(is_it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trap12_effects_follow_the_book() {
        let old = r#"{"entries":{"3":{"uid":3,"comment":"a","content":"x"},"4":{"uid":4,"content":"y"},"5":{"uid":5,"comment":"Pinch"}}}"#;
        let new = r#"{"entries":{"3":{"uid":3,"comment":"a","content":"x"},"5":{"uid":5,"comment":"Lantern Man"}}}"#;
        let (old, new) = (Lorebook::read(old).unwrap(), Lorebook::read(new).unwrap());
        let hash = entry_hash(old.entries[0].json, "Lore").unwrap();
        let effects = format!(
            r#"{{"sticky":{{"Lore.3":{{"hash":{hash},"start":3.0,"end":7}},"Lore.4":{{"hash":1}},"Lore.5":{{"hash":2}},"Lore.old.3":{{"hash":5}}}},"cooldown":{{"Lore.3":{{"hash":99}}}}}}"#
        );
        let is_same = |a: Json<'_>, b: Json<'_>| {
            a.get("comment").map(Json::text) == b.get("comment").map(Json::text)
        };
        let loaded = |_: Json<'_>, _: &str| None;
        let exchange = Move { from: ("Lore", &old), to: ("Copy", &new), is_same, loaded };
        let after = moved(Json::parse(&effects).unwrap(), exchange).unwrap();
        let rehashed = entry_hash(new.entries[0].json, "Copy").unwrap();
        assert_ne!(hash, rehashed);
        // 4 is not in the new book, 5 is another entry there; another book's effect stays.
        assert_eq!(
            after,
            format!(
                r#"{{"sticky":{{"Copy.3":{{"hash":{rehashed},"start":3.0,"end":7}},"Lore.old.3":{{"hash":5}}}},"cooldown":{{"Copy.3":{{"hash":99}}}}}}"#
            )
        );
    }

    #[test]
    fn an_effect_of_an_entry_that_was_changed_when_it_was_loaded_is_known_and_stays_so() {
        let text = r#"{"entries":{"3":{"uid":3,"content":"x"}}}"#;
        let book = Lorebook::read(text).unwrap();
        let loaded = |entry: Json<'_>, world: &str| {
            set(entry.text(), &["content"], &quote(&format!("{world}: x"))).ok()
        };
        let hash = |world: &str| {
            let text = loaded(book.entries[0].json, world).unwrap();
            entry_hash(Json::parse(&text).unwrap(), world).unwrap()
        };
        let effects = format!(r#"{{"sticky":{{"Lore.3":{{"hash":{}}}}}}}"#, hash("Lore"));
        let exchange =
            Move { from: ("Lore", &book), to: ("Copy", &book), is_same: |_, _| true, loaded };
        let after = moved(Json::parse(&effects).unwrap(), exchange).unwrap();
        assert_eq!(after, format!(r#"{{"sticky":{{"Copy.3":{{"hash":{}}}}}}}"#, hash("Copy")));
    }

    #[test]
    fn decorators_leave_the_content() {
        let units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
        let split = |text: &str| {
            let text = units(text);
            let (decorators, content) = split_decorators(&text);
            (
                decorators.iter().map(|d| String::from_utf16(d).unwrap()).collect::<Vec<_>>(),
                String::from_utf16(content).unwrap(),
            )
        };
        assert_eq!(split("plain"), (vec![], "plain".into()));
        assert_eq!(split("@@activate\nrest\n@@x"), (vec!["@@activate".into()], "rest\n@@x".into()));
        assert_eq!(
            split("@@unknown\n@@@activate\nrest"),
            (vec!["@@activate".into()], "rest".into())
        );
        assert_eq!(split("@@@activate\nrest"), (vec![], "rest".into()));
        assert_eq!(split("@@activate"), (vec!["@@activate".into()], "@@activate".into()));
    }
}
