//! Telling two JSON objects apart, except for members that may differ.

use lorefork::json::Json;

/// A path of keys.
pub(super) type Path<'a> = &'a [&'a str];

/// What a fork or rebind may change in `chat_metadata`; the rest is copied as it is.
pub(super) const MOMENT: &[Path<'_>] = &[
    &["chat_metadata", "integrity"],
    &["chat_metadata", "world_info"],
    &["chat_metadata", "lorefork"],
    &["chat_metadata", "lorefork_mixed"],
    &["chat_metadata", "auto_recap_checkpoint_state"],
    &["chat_metadata", "auto_recap_running_scene_recaps"],
    &["chat_metadata", "auto_recap", "checkpoint_lorebook_map"],
    &["chat_metadata", "auto_recap", "combined_recap"],
    &["chat_metadata", "auto_lorebooks", "lorebookName"],
    &["chat_metadata", "auto_lorebooks", "attachedAt"],
    &["chat_metadata", "auto_lorebooks", "registry"],
    &["chat_metadata", "autoLorebooks", "pendingOps"],
    &["chat_metadata", "timedWorldInfo"],
    &["chat_metadata", "lastInContextMessageId"],
    &["chat_metadata", "main_chat"],
    &["chat_metadata", "tainted"],
    &["chat_metadata", "STMemoryBooks"],
];

/// What a link may change in the parent's header.
pub(super) const LINK_HEADER: &[Path<'_>] = &[
    &["chat_metadata", "integrity"],
    &["chat_metadata", "lorefork"],
    &["chat_metadata", "auto_recap", "checkpoint_lorebook_map"],
];

/// What a link may change in the message it stands at.
pub(super) const LINK_MESSAGE: &[Path<'_>] = &[&["extra", "bookmark_link"], &["extra", "branches"]];

/// The first member that differs though it may not, as `a.b`. Spelling and order count, white
/// space between members does not.
pub(super) fn difference(before: &str, after: &str, may: &[Path<'_>]) -> Option<String> {
    let (Ok(old), Ok(new)) = (Json::parse(before), Json::parse(after)) else {
        return (before != after).then(|| "a line that is not JSON".to_owned());
    };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    collect(old, &mut Vec::new(), may, &mut left);
    collect(new, &mut Vec::new(), may, &mut right);
    let len = left.len().max(right.len());
    let at = (0..len).find(|&at| left.get(at) != right.get(at))?;
    left.get(at).or_else(|| right.get(at)).map(|(path, _)| path.clone())
}

/// All members that must stay, in their order. An object on the way to one that may differ is
/// looked into, so that a missing one and an empty one are the same.
fn collect<'a>(
    json: Json<'a>,
    path: &mut Vec<String>,
    may: &[Path<'_>],
    out: &mut Vec<(String, [&'a str; 2])>,
) {
    for member in json.members() {
        path.push(member.key.str().unwrap_or_default().into_owned());
        let leads =
            |to: &&Path<'_>| to.len() >= path.len() && to.iter().zip(&*path).all(|(a, b)| a == b);
        let leading: Vec<usize> = may.iter().filter(leads).map(|to| to.len()).collect();
        if leading.contains(&path.len()) {
            // May differ.
        } else if !leading.is_empty() && (member.value.is_object() || member.value.is_null()) {
            collect(member.value, path, may, out);
        } else {
            out.push((path.join("."), [member.key.text(), member.value.text()]));
        }
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_members_may_differ() {
        let may: &[Path<'_>] = &[&["a", "b"]];
        let same = |before: &str, after: &str| difference(before, after, may);
        assert_eq!(same(r#"{"x":1.0}"#, r#"{"x":1.0,"a":{"b":2}}"#), None);
        assert_eq!(same(r#"{"a":null}"#, r#"{"a":{"b":2}}"#), None);
        assert_eq!(same(r#"{"a":{"b":1,"c":2}}"#, r#"{"a":{"c":2}}"#), None);
        assert_eq!(same(r#"{"x":1.0}"#, r#"{"x":1}"#), Some("x".into()));
        assert_eq!(same(r#"{"a":{"c":1}}"#, r#"{"a":{"b":1}}"#), Some("a.c".into()));
        assert_eq!(same(r#"{"x":1,"y":2}"#, r#"{"y":2,"x":1}"#), Some("x".into()));
        assert_eq!(same(r#"{"x":1}"#, r#"{"x":1,"z":3}"#), Some("z".into()));
    }
}
