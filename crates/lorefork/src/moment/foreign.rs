//! Entries that snapshots show though they were never this timeline's.
//!
//! While timelines shared a lorebook, each recorded the others' entries with its own. Untangling
//! takes them out of the lorebook, but the snapshots in the messages stay as they are; so it lists
//! them in the header, and whoever rebuilds a lorebook from such a snapshot leaves them out. The list
//! stands beside our record, not in it: it goes wherever the messages go.

use crate::json::{Json, JsonError, Object, array};
use crate::memory::entries::plain_name;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::entry::uid_text;

/// Where a timeline's header lists entries of others that its snapshots may still show.
pub const KEY: &str = "lorefork_foreign";

/// Until when snapshots in the messages may show what others wrote, in milliseconds: others used the
/// lorebook that this timeline's was made of, then.
pub const MIXED_KEY: &str = "lorefork_mixed";

/// Notes that they may until now.
pub fn mark_mixed(header: &mut HeaderEdit, now_ms: u64) -> Result<(), JsonError> {
    header.set(&[MIXED_KEY], &now_ms.to_string())
}

/// What was noted, if it was.
pub fn mixed_until(header: &Header<'_>) -> Option<f64> {
    header.meta(&[MIXED_KEY]).and_then(Json::number)
}

/// An entry of another timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    /// Its number in the lorebook that was shared.
    pub uid: String,
    /// Its comment.
    pub name: String,
    /// When the timeline got its own lorebook. An entry of that name and number in a later snapshot
    /// is its own.
    pub until: f64,
}

/// What a header lists.
pub fn listed(header: &Header<'_>) -> Vec<Foreign> {
    let items = header.meta(&[KEY]).map(Json::items).unwrap_or_default();
    items.into_iter().filter_map(read).collect()
}

fn read(item: Json<'_>) -> Option<Foreign> {
    Some(Foreign {
        uid: uid_text(item.some("uid")?),
        name: item.get("name").and_then(Json::str)?.into_owned(),
        until: item.get("until").and_then(Json::number)?,
    })
}

/// Adds to what a header lists.
pub fn add(edit: &mut HeaderEdit, listed: Vec<Foreign>, new: &[Foreign]) -> Result<(), JsonError> {
    if new.is_empty() {
        return Ok(());
    }
    let is_same = |one: &Foreign, other: &Foreign| one.uid == other.uid && one.name == other.name;
    let mut all = listed;
    all.retain(|one| !new.iter().any(|other| is_same(one, other)));
    all.extend_from_slice(new);
    edit.set(&[KEY], &text(&all))
}

/// As a header holds it.
pub fn text(all: &[Foreign]) -> String {
    let item = |foreign: &Foreign| {
        let mut item = Object::new();
        item.text("uid", &foreign.uid).text("name", &foreign.name);
        item.raw("until", &format!("{:.0}", foreign.until)).done()
    };
    array(&all.iter().map(item).collect::<Vec<_>>())
}

/// Whether an entry of a snapshot is one of them. Of a snapshot without a date nobody knows.
pub fn is_foreign(all: &[Foreign], entry: Json<'_>, taken: Option<f64>) -> bool {
    let Some((uid, taken)) = entry.some("uid").map(uid_text).zip(taken) else { return false };
    let comment = entry.get("comment").and_then(Json::str).unwrap_or_default();
    let is_it = |foreign: &Foreign| {
        foreign.uid == uid
            && taken < foreign.until
            && plain_name(&foreign.name) == plain_name(&comment)
    };
    all.iter().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_recorded_before_the_untangling_is_foreign() {
        let foreign = Foreign { uid: "9".into(), name: "item-Ferry \"x\"".into(), until: 50.0 };
        let header =
            format!(r#"{{"chat_metadata":{{"{KEY}":{}}}}}"#, text(std::slice::from_ref(&foreign)));
        let listed = listed(&Header::read(&header).unwrap());
        assert_eq!(listed, [foreign]);
        let same = r#"{"uid":9,"comment":"Ferry \"x\""}"#;
        let is = |text: &str, taken| is_foreign(&listed, Json::parse(text).unwrap(), taken);
        assert!(is(same, Some(49.0)));
        assert!(!is(same, Some(50.0)), "made anew since");
        assert!(!is(same, None), "nobody knows when");
        assert!(!is(&same.replace('9', "8"), Some(1.0)));
        assert!(!is(&same.replace("Ferry", "Boat"), Some(1.0)), "the number of another entry");
    }
}
