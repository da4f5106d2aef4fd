//! What is carried over, as JSON.

use super::{Carried, CarryPlan, Fate};
use crate::error::report::findings_json;
use crate::json::{Object, array, array_of_texts};

impl CarryPlan {
    /// `id` is that of the operation, once it was done.
    pub fn json(&self, id: Option<&str>) -> String {
        let entries: Vec<String> = self.entries.iter().map(entry).collect();
        Object::new()
            .text("from", &self.from.name)
            .text("to", &self.to.name)
            .text("lorebook", &self.lorebook)
            .raw("entries", &array(&entries))
            .count("undecided", self.undecided())
            .flag("changed", id.is_some())
            .text_or_null("id", id)
            .raw("warnings", &findings_json(&self.warnings))
            .done()
    }
}

fn entry(one: &Carried) -> String {
    let (fate, uid, other) = match &one.fate {
        Fate::Added(uid) => ("added", Some(uid.to_string()), None),
        Fate::Replaces(uid) => ("replaces", Some(uid.to_string()), None),
        Fate::Same => ("same", None, None),
        Fate::Kept => ("kept", None, None),
        Fate::Undecided(other) => ("undecided", Some(other.uid.clone()), Some(&other.content)),
    };
    Object::new()
        .text("uid", &one.entry.uid)
        .text("name", one.entry.called())
        .text("fate", fate)
        .text_or_null("thereUid", uid.as_deref())
        .text("content", &one.entry.content)
        .text_or_null("there", other.map(String::as_str))
        .raw("registries", &array_of_texts(&one.registries))
        .done()
}
