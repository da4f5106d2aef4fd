//! Entries of two lorebooks beside each other.

use std::collections::BTreeMap;

use crate::error::{Code, Error};
use crate::json::{Json, JsonError, Style, js};
use crate::memory::entries::{is_queue, is_registry, plain_name};
use crate::say;
use crate::sorted;
use crate::tavern::entry::meaning;
use crate::tavern::lorebook::{Entry, Lorebook};

/// What differs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entries {
    /// The other lorebook has none that is the same one.
    pub here_only: Vec<EntryOf>,
    /// The same of the other side.
    pub there_only: Vec<EntryOf>,
    /// Those that are the same one, and say different things.
    pub changed: Vec<Changed>,
    /// How many say the same.
    pub same: usize,
}

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryOf {
    /// Its key in the file, which is its number.
    pub uid: String,
    /// Its title, or what it is best known by.
    pub name: String,
    /// The words that make it act.
    pub keys: Vec<String>,
    /// What it tells the model.
    pub content: String,
}

/// An entry that both have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// As it is on this side.
    pub here: EntryOf,
    /// As it is on the other.
    pub there: EntryOf,
    /// What of it is not the same.
    pub fields: Vec<Field>,
}

/// What one of its fields says here and there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// As the file has it.
    pub name: String,
    /// JSON or text; `None` if it is not there.
    pub here: Option<String>,
    /// The same of the other side.
    pub there: Option<String>,
}

impl EntryOf {
    pub(in crate::family) fn read(entry: &Entry<'_>) -> Self {
        let keys = entry.get("key").map(Json::items).unwrap_or_default();
        let keys = keys.into_iter().filter_map(Json::str).map(|key| key.into_owned());
        Self {
            uid: String::from_utf16_lossy(&entry.key),
            name: entry.comment().into_owned(),
            keys: keys.collect(),
            content: entry.content().into_owned(),
        }
    }

    /// What people call it: its name, or else its first key.
    pub fn called(&self) -> &str {
        let name = self.name.trim();
        let key = || self.keys.first().map_or("", |key| key.trim());
        if name.is_empty() { key() } else { name }
    }
}

impl Entries {
    pub(super) fn of(here: &Lorebook<'_>, there: &Lorebook<'_>) -> Result<Self, Error> {
        let mut found = Self::default();
        let pairs = matches(here, there);
        let mut is_matched = vec![false; there.entries.len()];
        for (n, entry) in here.entries.iter().enumerate().filter(|(_, entry)| is_lore(entry)) {
            let Some(other) = pairs[n] else {
                found.here_only.push(EntryOf::read(entry));
                continue;
            };
            is_matched[other.at] = true;
            let other = &there.entries[other.at];
            let fields = fields(entry, other).map_err(|problem| odd(entry, &problem))?;
            if fields.is_empty() {
                found.same += 1;
            } else {
                let (here, there) = (EntryOf::read(entry), EntryOf::read(other));
                found.changed.push(Changed { here, there, fields });
            }
        }
        let left = there.entries.iter().zip(is_matched).filter(|(_, is_matched)| !is_matched);
        let left = left.filter(|(entry, _)| is_lore(entry));
        found.there_only = left.map(|(entry, _)| EntryOf::read(entry)).collect();
        Ok(found)
    }

    /// Whether nothing differs.
    pub fn is_same(&self) -> bool {
        self.here_only.is_empty() && self.there_only.is_empty() && self.changed.is_empty()
    }
}

fn odd(entry: &Entry<'_>, problem: &JsonError) -> Error {
    let message =
        say!("the entry “{0}” cannot be read: {1}", entry.comment().into_owned(), problem);
    Error::new(Code::CorruptLorebook, message, say!("Repair or replace it, then try again."))
}

/// Registries and the work queue are no lore.
pub(in crate::family) fn is_lore(entry: &Entry<'_>) -> bool {
    let comment = entry.comment();
    !is_registry(&comment) && !is_queue(&comment)
}

/// The entry of the other book that is the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::family) struct Match {
    pub(in crate::family) at: usize,
}

/// Whether an entry here is the one at a place there.
type IsIt<'r> = dyn Fn(&Entry<'_>, usize) -> bool + 'r;

/// Of so many that say the same under one name any may be the one.
const ALIKE: usize = 8;

/// For each entry here the one there that it is: with the same number and name, as copies have them;
/// else one of the same name and text, which was carried over; else the only one of that name; else
/// the one with its number and its text, which was renamed. A number alone proves nothing: after a
/// fork both sides give away the same ones.
pub(in crate::family) fn matches(here: &Lorebook<'_>, there: &Lorebook<'_>) -> Vec<Option<Match>> {
    let mut matched: Vec<Option<Match>> = vec![None; here.entries.len()];
    let mut is_taken = vec![false; there.entries.len()];
    let name = |entry: &Entry<'_>| plain_name(entry.comment().trim());
    let mut by_key: BTreeMap<&[u16], Vec<usize>> = BTreeMap::new();
    let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let text = |entry: &Entry<'_>| format!("{}\n{}", name(entry), entry.content());
    let mut by_text: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (n, entry) in there.entries.iter().enumerate().filter(|(_, entry)| is_lore(entry)) {
        by_key.entry(&entry.key).or_default().push(n);
        by_name.entry(name(entry)).or_default().push(n);
        by_text.entry(text(entry)).or_default().push(n);
    }
    let mut own_names: BTreeMap<String, usize> = BTreeMap::new();
    for entry in here.entries.iter().filter(|entry| is_lore(entry)) {
        *own_names.entry(name(entry)).or_default() += 1;
    }
    let rounds: [&IsIt<'_>; 4] = [
        &|entry, at| there.entries[at].key == entry.key && name(&there.entries[at]) == name(entry),
        &|entry, at| !entry.content().is_empty() && text(&there.entries[at]) == text(entry),
        &|entry, at| {
            let called = name(entry);
            let is_only = own_names.get(&called) == Some(&1)
                && by_name.get(&called).is_some_and(|all| all.len() == 1);
            !called.is_empty() && is_only && name(&there.entries[at]) == called
        },
        &|entry, at| {
            let other = &there.entries[at];
            let content = entry.content();
            other.key == entry.key && !content.is_empty() && other.content() == content
        },
    ];
    for is_it in rounds {
        for (n, entry) in here.entries.iter().enumerate().filter(|(_, entry)| is_lore(entry)) {
            if matched[n].is_some() {
                continue;
            }
            let with_key = by_key.get(entry.key.as_slice()).into_iter().flatten();
            let with_name = by_name.get(&name(entry)).into_iter().flatten().take(2);
            let alike = by_text.get(&text(entry)).into_iter().flatten().take(ALIKE);
            let mut all = with_key.chain(with_name).chain(alike).copied();
            let found = all.find(|at| !is_taken[*at] && is_it(entry, *at));
            if let Some(at) = found {
                is_taken[at] = true;
                matched[n] = Some(Match { at });
            }
        }
    }
    matched
}

/// What a field says that says nothing.
const NOTHING: [&str; 4] = ["null", "\"\"", "[]", "{}"];

/// Fields that mean something else here than there; the number is where an entry is kept, not what it
/// says.
pub(in crate::family) fn fields(
    here: &Entry<'_>,
    there: &Entry<'_>,
) -> Result<Vec<Field>, JsonError> {
    let all = |entry: &Entry<'_>| -> Result<BTreeMap<String, String>, JsonError> {
        let mut all = BTreeMap::new();
        for (key, value) in js::ordered(entry.json) {
            let key = String::from_utf16_lossy(&key);
            if key != "uid"
                && let Some(printed) = meaning(entry, &key, value)?
                && !NOTHING.contains(&printed.as_str())
            {
                all.insert(key, printed);
            }
        }
        Ok(all)
    };
    let (mine, theirs) = (all(here)?, all(there)?);
    let mut names: Vec<&String> = mine.keys().chain(theirs.keys()).collect();
    // What people read comes first.
    let rank = |name: &str| ["comment", "content", "key"].iter().position(|first| *first == name);
    sorted::by_key(&mut names, |name| (rank(name).unwrap_or(usize::MAX), *name));
    names.dedup();
    let differing = names.into_iter().filter(|name| mine.get(*name) != theirs.get(*name));
    Ok(differing
        .map(|name| Field {
            name: name.clone(),
            here: mine.contains_key(name).then(|| told(here, name)),
            there: theirs.contains_key(name).then(|| told(there, name)),
        })
        .collect())
}

/// A field as people read it: a text as it is, a list of words in a row.
fn told(entry: &Entry<'_>, field: &str) -> String {
    let Some(value) = entry.get(field) else { return String::new() };
    if let Some(text) = value.str() {
        return text.into_owned();
    }
    let items = value.items();
    let words: Option<Vec<String>> =
        items.iter().map(|item| item.str().map(|word| word.into_owned())).collect();
    match words {
        Some(words) if !words.is_empty() => words.join(", "),
        _ => js::stringify(value, Style::Compact).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(here: &str, there: &str) -> Entries {
        let (here, there) = (book(here), book(there));
        let (here, there) = (Lorebook::read(&here).unwrap(), Lorebook::read(&there).unwrap());
        Entries::of(&here, &there).unwrap()
    }

    fn book(entries: &str) -> String {
        format!(r#"{{"entries":{{{entries}}}}}"#)
    }

    fn entry(uid: u32, name: &str, content: &str) -> String {
        format!(r#""{uid}":{{"uid":{uid},"comment":"{name}","content":"{content}"}}"#)
    }

    fn names(all: &[EntryOf]) -> Vec<&str> {
        all.iter().map(|one| one.called()).collect()
    }

    #[test]
    fn entries_are_known_by_number_and_name() {
        let here = [entry(0, "Mia", "a"), entry(1, "Tom", "b"), entry(2, "Lamp", "c")].join(",");
        let there = [entry(0, "Mia", "a"), entry(1, "Tom", "x"), entry(2, "Ship", "d")].join(",");
        let found = compared(&here, &there);
        assert_eq!(found.same, 1);
        assert_eq!(names(&found.here_only), ["Lamp"], "a number alone proves nothing");
        assert_eq!(names(&found.there_only), ["Ship"]);
        let [changed] = found.changed.as_slice() else { panic!("{found:?}") };
        assert_eq!(changed.fields.len(), 1);
        assert_eq!(changed.fields[0].name, "content");
        assert_eq!(changed.fields[0].there.as_deref(), Some("x"));
    }

    #[test]
    fn one_that_got_another_number_or_name_is_still_it() {
        let found = compared(&entry(7, "character-Mia", "a"), &entry(9, "Mia", "a"));
        assert_eq!(found.changed[0].fields[0].name, "comment");
        let found = compared(&entry(7, "Mia", "a"), &entry(7, "Maria", "a"));
        assert_eq!((found.changed.len(), found.here_only.len()), (1, 0));
        let two = [entry(1, "Mia", "a"), entry(2, "Mia", "b")].join(",");
        let found = compared(&two, &entry(3, "Mia", "c"));
        assert_eq!(found.here_only.len(), 2, "which of them, nobody knows");
    }

    #[test]
    fn of_several_of_one_name_the_text_tells_which() {
        let two = [entry(1, "Mia", "a"), entry(2, "Mia", "b")].join(",");
        let found = compared(&two, &entry(3, "Mia", "b"));
        assert_eq!((found.same, found.here_only.len(), found.there_only.len()), (1, 1, 0));
        assert_eq!(found.here_only[0].content, "a");
        // Carried over, beside others that took its number.
        let there = [entry(2, "Tom", "x"), entry(8, "Mia", "b"), entry(9, "Mia", "c")].join(",");
        let found = compared(&two, &there);
        assert_eq!((found.same, found.here_only.len(), found.there_only.len()), (1, 1, 2));
    }

    #[test]
    fn what_is_no_lore_or_no_change_is_not_told() {
        let here = r#""0":{"uid":0,"comment":"Mia","order":100,"key":["a"]},"1":{"uid":1,"comment":"_registry_character","content":"x"}"#;
        let there = r#""0":{"uid":0,"comment":"Mia","key":["a"],"displayIndex":3},"5":{"comment":"__operation_queue"}"#;
        assert!(compared(here, there).is_same());
        let keys = compared(
            r#""0":{"comment":"M","key":["a"]}"#,
            r#""0":{"comment":"M","key":["a","b"]}"#,
        );
        assert_eq!(keys.changed[0].fields[0].there.as_deref(), Some("a, b"));
    }
}
