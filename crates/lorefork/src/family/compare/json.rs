//! A comparison as JSON.

use super::{Changed, Comparison, EntryOf, Listed, Pair, Said, Side};
use crate::json::{Object, array, array_of_texts};
use crate::memory::registries::Item;

impl Comparison {
    /// As answers have it.
    pub fn json(&self) -> String {
        let list = |all: &[EntryOf]| array(&all.iter().map(entry).collect::<Vec<_>>());
        let changed: Vec<String> = self.entries.changed.iter().map(changed).collect();
        let entries = Object::new()
            .raw("hereOnly", &list(&self.entries.here_only))
            .raw("thereOnly", &list(&self.entries.there_only))
            .raw("changed", &array(&changed))
            .count("same", self.entries.same)
            .done();
        let registries: Vec<String> = self.registries.iter().map(listed).collect();
        let recap = self.recap.as_ref().map_or_else(|| "null".to_owned(), pair);
        Object::new()
            .flag("same", self.is_same())
            .count("shared", self.shared)
            .count_or_null("partsAfter", self.shared.checked_sub(1))
            .raw("here", &side(&self.here))
            .raw("there", &side(&self.there))
            .raw("before", &messages(&self.before))
            .flag("sameLorebook", self.is_same_book())
            .raw("entries", &entries)
            .raw("registries", &array(&registries))
            .raw("recap", &recap)
            .raw("variables", &pairs(&self.variables))
            .raw("notes", &pairs(&self.notes))
            .done()
    }
}

fn side(side: &Side) -> String {
    Object::new()
        .text("chat", &side.chat.name)
        .text("file", &side.chat.file())
        .count("messages", side.messages)
        .text_or_null("lorebook", side.lorebook.as_deref())
        .flag("lorebookExists", side.has_lorebook)
        .raw("after", &messages(&side.after))
        .done()
}

fn messages(all: &[Said]) -> String {
    let one = |said: &Said| {
        Object::new().count("at", said.at).text("name", &said.name).text("text", &said.text).done()
    };
    array(&all.iter().map(one).collect::<Vec<_>>())
}

fn entry(entry: &EntryOf) -> String {
    Object::new()
        .text("uid", &entry.uid)
        .text("name", entry.called())
        .raw("keys", &array_of_texts(&entry.keys))
        .text("content", &entry.content)
        .done()
}

fn changed(changed: &Changed) -> String {
    let fields: Vec<String> = changed
        .fields
        .iter()
        .map(|field| {
            Object::new()
                .text("field", &field.name)
                .text_or_null("here", field.here.as_deref())
                .text_or_null("there", field.there.as_deref())
                .done()
        })
        .collect();
    Object::new()
        .text("name", changed.here.called())
        .text("hereUid", &changed.here.uid)
        .text("thereUid", &changed.there.uid)
        .raw("fields", &array(&fields))
        .done()
}

fn listed(listed: &Listed) -> String {
    let item = |item: &Option<Item>| match item {
        None => "null".to_owned(),
        Some(item) => Object::new()
            .number("uid", item.uid)
            .text("name", &item.name)
            .raw("aliases", &array_of_texts(&item.aliases))
            .text("synopsis", &item.synopsis)
            .done(),
    };
    Object::new()
        .text("kind", &listed.kind)
        .raw("here", &item(&listed.here))
        .raw("there", &item(&listed.there))
        .done()
}

fn pairs(all: &[Pair]) -> String {
    array(&all.iter().map(pair).collect::<Vec<_>>())
}

fn pair(pair: &Pair) -> String {
    Object::new()
        .text("key", &pair.key)
        .text_or_null("here", pair.here.as_deref())
        .text_or_null("there", pair.there.as_deref())
        .done()
}
