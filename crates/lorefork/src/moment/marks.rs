//! The list of entries of which nobody can tell, as a lorebook keeps it, where the model does not see
//! it. What is on it stays there until somebody decides, or the entry is gone.

use std::collections::BTreeSet;

use super::live::RECORD_VERSION;
use crate::json::{Json, JsonError, quote, remove, set};
use crate::tavern::entry::uid_text;
use crate::tavern::lorebook::{Entry, Lorebook, ours};

/// One of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark<'m> {
    pub uid: &'m str,
    pub name: &'m str,
    /// Why nobody can tell.
    pub why: &'m str,
    /// Other timelines that have it, too.
    pub with: &'m [String],
}

/// The number by which a mark or a person means an entry.
pub(crate) fn number(entry: &Entry<'_>) -> String {
    entry.some("uid").map_or_else(|| String::from_utf16_lossy(&entry.key), uid_text)
}

/// All that the list says, with the numbers; whether the entries are there is not looked at.
pub(crate) fn listed<'b>(book: &Lorebook<'b>) -> Vec<(String, Json<'b>)> {
    let marks = book.ours().and_then(|ours| ours.get("undecided")).map(Json::items);
    let with_number = |mark: Json<'b>| Some((uid_text(mark.some("uid")?), mark));
    marks.unwrap_or_default().into_iter().filter_map(with_number).collect()
}

/// The lorebook with these on its list as well.
pub(crate) fn add(text: &str, new: &[Mark<'_>]) -> Result<String, JsonError> {
    // One that cannot be read says nothing.
    let book = Lorebook::read(text).ok();
    let before = book.as_ref().map(listed).unwrap_or_default();
    let entries = book.iter().filter(|_| !before.is_empty()).flat_map(|book| &book.entries);
    let numbers: BTreeSet<String> = entries.map(number).collect();
    let marked: BTreeSet<&str> = new.iter().map(|mark| mark.uid).collect();
    let is_kept = |uid: &String| numbers.contains(uid) && !marked.contains(uid.as_str());
    let kept = before.iter().filter(|(uid, _)| is_kept(uid));
    let kept = kept.map(|(_, mark)| mark.text().to_owned());
    write(text, &kept.chain(new.iter().map(mark_text)).collect::<Vec<_>>())
}

/// The lorebook with just these on its list, each as it stood there.
pub(crate) fn write(text: &str, marks: &[String]) -> Result<String, JsonError> {
    if marks.is_empty() {
        return remove(text, &ours("undecided"));
    }
    let text = set(text, &ours("v"), &RECORD_VERSION.to_string())?;
    set(&text, &ours("undecided"), &format!("[{}]", marks.join(",")))
}

fn mark_text(mark: &Mark<'_>) -> String {
    let uid = match mark.uid.parse::<u64>() {
        Ok(number) => number.to_string(),
        Err(_) => quote(mark.uid),
    };
    let with: Vec<String> = mark.with.iter().map(|name| quote(name)).collect();
    let (name, why) = (quote(mark.name), quote(mark.why));
    format!(r#"{{"uid":{uid},"name":{name},"why":{why},"with":[{}]}}"#, with.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_open_stays_open_as_long_as_its_entry_is_there() {
        let old = |uid: &str| format!(r#"{{"uid":{uid},"name":"n","why":"w","odd":1.0}}"#);
        let text = format!(
            r#"{{"entries":{{"1":{{"uid":1}},"2":{{"uid":2}}}},"extensions":{{"lorefork":{{"undecided":[{},{},{}]}}}}}}"#,
            old("1"),
            old("2"),
            old("3")
        );
        let new = Mark { uid: "2", name: "a \"b\"", why: "now", with: &["X".to_owned()] };
        let marked = add(&text, &[new]).unwrap();
        let book = Lorebook::read(&marked).unwrap();
        let marks: Vec<String> =
            listed(&book).into_iter().map(|(_, mark)| mark.text().to_owned()).collect();
        let said = r#"{"uid":2,"name":"a \"b\"","why":"now","with":["X"]}"#;
        assert_eq!(marks, [old("1"), said.to_owned()], "3 is gone, and its number may come again");
        let none = write(&marked, &[]).unwrap();
        assert!(!none.contains("undecided"));
    }
}
