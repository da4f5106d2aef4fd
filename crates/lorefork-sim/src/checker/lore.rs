//! The lorebook of a timeline: whose it is, and whether it holds what its source held.

use std::collections::BTreeSet;

use lorefork::json::{Json, Splices, quote};
use lorefork::tavern::place::lorebook_file;

use super::parts::{Chat, entries, is_ours, is_queue, lorebook, readable};
use super::scene::Scene;

/// A message line as a timeline with its own lorebook must hold it: in a line with Auto-Recap's
/// data every mention of the parent's lorebook is one of the new, and nothing else is changed.
pub(super) fn renamed(line: &str, from: &str, to: &str) -> String {
    // Most lines have none; a key spelled with escapes is one, too.
    if !line.contains("auto_recap_memory") && !line.contains("\\u") {
        return line.to_owned();
    }
    let Ok(message) = Json::parse(line) else { return line.to_owned() };
    let swipes = message.get("swipe_info").map(Json::items).unwrap_or_default();
    let extras: Vec<Json<'_>> = message
        .get("extra")
        .into_iter()
        .chain(swipes.iter().filter_map(|s| s.get("extra")))
        .collect();
    let mut splices = Splices::new(line);
    if extras.iter().any(|extra| extra.get("auto_recap_memory").is_some()) {
        for extra in extras {
            mentions(extra, from, &mut |value| splices.replace(value, quote(to)));
        }
    }
    splices.apply()
}

fn mentions<'a>(json: Json<'a>, book: &str, say: &mut impl FnMut(Json<'a>)) {
    for member in json.members() {
        if (member.is("chatLorebookName") || member.is("world")) && member.value.says(book) {
            say(member.value);
        } else {
            mentions(member.value, book, say);
        }
    }
    for item in json.items() {
        mentions(item, book, say);
    }
}

/// Judges the lorebook of `timeline`, made from that of `parent`.
pub(super) fn judge(
    scene: &Scene<'_>,
    timeline: &Chat<'_>,
    parent: &Chat<'_>,
    found: &mut Vec<String>,
) {
    let file = timeline.file;
    let (own, source) = match (timeline.lorebook(), parent.lorebook()) {
        (Some(own), Some(source)) => (own, source),
        (None, None) => return,
        (own, _) => {
            let (has, had) = if own.is_some() { ("a", "none") } else { ("no", "one") };
            found.push(format!("{file} has {has} lorebook, its parent has {had}"));
            return;
        }
    };
    if scene.ctx.shared && own == source {
        return;
    }
    let Some(book) = lorebook(scene.after, &own) else { return }; // I1 says so.
    if !is_ours(book) {
        found.push(format!("worlds/{own}.json does not say that we made it for {file}"));
    }
    queue(&own, book, found);
    let mut sources: Vec<Json<'_>> = lorebook(scene.before, &source).into_iter().collect();
    let earlier = scene.ctx.earlier.get(&lorebook_file(&source));
    sources.extend(earlier.into_iter().flatten().filter_map(|bytes| readable(bytes)));
    for (key, entry) in entries(book) {
        let had_other_key = sources.iter().any(|source| {
            entries(*source).iter().any(|(k, e)| *k == key && uid(*e).as_ref() != Some(k))
        });
        if uid(entry).as_ref() != Some(&key) && !had_other_key {
            found.push(format!("worlds/{own}.json: entry “{key}” has another uid than its key"));
        }
    }
    let said = |key| timeline.metadata(&["lorefork", "lore", key]).and_then(Json::str);
    match (said("source").as_deref(), said("quality").as_deref()) {
        // What ends after N is left out: that is for the tests of those entries.
        (_, Some("ranged" | "empty")) => {}
        // Entry by entry from all that was recorded: which of them is for the tests that know the
        // truth. None is made up.
        (Some("snapshot"), _) | (_, Some("partial")) => {
            let known = recorded(scene, &sources);
            for name in names(entries(book).iter().map(|(_, entry)| *entry)) {
                if !known.contains(&name) {
                    found.push(format!("worlds/{own}.json has “{name}”, which nothing recorded"));
                }
            }
        }
        _ => {
            let uids_of = |book: Json<'_>| uids(entries(book).iter().map(|(_, entry)| *entry));
            let (kept, all) = (uids_of(book), sources.iter().map(|source| uids_of(*source)));
            let candidates: Vec<BTreeSet<String>> = all.collect();
            if !candidates.contains(&kept) {
                found.push(format!(
                    "worlds/{own}.json has entries {kept:?}, which no source of it has: \
                     {candidates:?}"
                ));
            }
        }
    }
}

fn queue(own: &str, book: Json<'_>, found: &mut Vec<String>) {
    let all = entries(book);
    let queues: Vec<Json<'_>> =
        all.iter().map(|(_, entry)| *entry).filter(|entry| is_queue(*entry)).collect();
    if queues.len() > 1 {
        found.push(format!("worlds/{own}.json has {} queues", queues.len()));
    }
    for entry in queues {
        let content = entry.get("content").and_then(Json::str).unwrap_or_default();
        let waiting =
            Json::parse(&content).ok().and_then(|c| c.get("queue")).map(|q| q.items().len());
        if waiting != Some(0) {
            found.push(format!("worlds/{own}.json: its queue is not empty"));
        }
    }
}

fn uid(entry: Json<'_>) -> Option<String> {
    entry.get("uid")?.integer().map(|uid| uid.to_string())
}

/// The uids of entries, without that of a queue.
fn uids<'a>(entries: impl Iterator<Item = Json<'a>>) -> BTreeSet<String> {
    entries.filter(|entry| !is_queue(*entry)).filter_map(uid).collect()
}

/// Names of entries, without that of a queue.
fn names<'a>(entries: impl Iterator<Item = Json<'a>>) -> BTreeSet<String> {
    let named = entries.filter(|entry| !is_queue(*entry));
    named.filter_map(|entry| entry.get("comment")?.str().map(Into::into)).collect()
}

/// Names of all entries that were ever recorded: in the lorebook, in any snapshot of any timeline, and
/// in lorebooks of ours.
fn recorded(scene: &Scene<'_>, sources: &[Json<'_>]) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let ours = scene.before.lorebooks().filter_map(|name| lorebook(scene.before, name));
    for book in ours.chain(sources.iter().copied()) {
        all.extend(names(entries(book).iter().map(|(_, entry)| *entry)));
    }
    for text in scene.before.chats().filter_map(|file| scene.before.text(file)) {
        for line in text.lines().filter_map(|line| Json::parse(line).ok()) {
            all_entries(line, &mut |list| all.extend(names(list.items().into_iter())));
        }
    }
    all
}

fn all_entries<'a>(json: Json<'a>, say: &mut impl FnMut(Json<'a>)) {
    for member in json.members() {
        if member.is("allEntries") {
            say(member.value);
        } else {
            all_entries(member.value, say);
        }
    }
    for item in json.items() {
        all_entries(item, say);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_with_recap_data_are_renamed() {
        let plain = r#"{"mes":"Old","extra":{"world":"Old"}}"#;
        assert_eq!(renamed(plain, "Old", "New"), plain);
        let recap = r#"{"mes":"Old","extra":{"auto_recap_memory":{"m":[{"chatLorebookName":"Old","a":[{"world":"\u004fld"},{"world":"Other"}]}]}},"swipe_info":[{"extra":{"world":"Old"}}],"world":"Old"}"#;
        let expected = r#"{"mes":"Old","extra":{"auto_recap_memory":{"m":[{"chatLorebookName":"New","a":[{"world":"New"},{"world":"Other"}]}]}},"swipe_info":[{"extra":{"world":"New"}}],"world":"Old"}"#;
        assert_eq!(renamed(recap, "Old", "New"), expected);
    }
}
