//! The work queue: an entry of the lorebook that holds waiting operations as JSON.

use crate::json::{Json, JsonError, Kind, Splices, Style, laid_out, quote, set};
use crate::memory::queues::{About, Queue, Queues, Waiting};
use crate::tavern::entry::uid_text;

/// The comment by which Auto-Recap finds its queue.
pub(super) const COMMENT: &str = "__operation_queue";

const EMPTY: &str =
    r#"{"queue":[],"current_operation_id":null,"paused":false,"version":1,"queueVersion":0}"#;

/// Where the metadata keeps lookups that operations go on with.
pub(super) const LOOKUPS: [&str; 2] = ["autoLorebooks", "pendingOps"];

/// As Auto-Recap keeps it.
pub(super) struct Own;

impl Queues for Own {
    fn read(&self, content: &str) -> Queue {
        read(content)
    }

    fn operations<'a>(&self, content: Json<'a>) -> Vec<Json<'a>> {
        content.get("queue").map(Json::items).unwrap_or_default()
    }

    fn about(&self, operation: Json<'_>) -> About {
        about(operation)
    }

    fn without(
        &self,
        entry: Json<'_>,
        goes: &dyn Fn(Json<'_>) -> bool,
    ) -> Result<String, JsonError> {
        without(entry, goes)
    }

    fn with_only(
        &self,
        entry: Json<'_>,
        stays: &dyn Fn(Json<'_>) -> bool,
    ) -> Result<String, JsonError> {
        with_only(entry, stays)
    }

    fn emptied(&self, entry: Json<'_>) -> Result<String, JsonError> {
        emptied(entry)
    }

    fn with_lorebook(
        &self,
        entry: Json<'_>,
        is_it: &dyn Fn(&str) -> bool,
        to: &str,
    ) -> Result<String, JsonError> {
        with_lorebook(entry, is_it, to)
    }

    fn new_entry(&self, uid: u64) -> Result<String, JsonError> {
        new_entry(uid)
    }
}

fn read(content: &str) -> Queue {
    let Ok(json) = Json::parse(content) else { return Queue::Unreadable };
    if !json.is_object() {
        return Queue::Unreadable;
    }
    let Some(queue) = json.some("queue") else { return Queue::Operations(Vec::new()) };
    if queue.kind() != Kind::Array {
        return Queue::Unreadable;
    }
    Queue::Operations(queue.items().into_iter().map(waiting).collect())
}

fn waiting(operation: Json<'_>) -> Waiting {
    let text = |key: &str| operation.get(key).and_then(Json::str).unwrap_or_default().into_owned();
    let mut status = text("status");
    if status.is_empty() {
        // One without a status is one that waits.
        "pending".clone_into(&mut status);
    }
    Waiting {
        kind: text("type"),
        // A retry that waits is one that would run, a paused queue no excuse (R-015).
        is_blocking: ["pending", "in_progress", "retrying"].contains(&status.as_str()),
        status,
        target: target(operation),
    }
}

fn target(operation: Json<'_>) -> Option<String> {
    let find = |place: &str, keys: &[&str]| {
        let place = operation.get(place)?;
        keys.iter().find_map(|key| {
            place.some(key).filter(|value| value.integer().is_some() || value.str().is_some())
        })
    };
    let say = |value: Json<'_>| {
        value.str().map_or_else(|| value.text().to_owned(), |text| text.into_owned())
    };
    if let Some(name) = find("metadata", &["entry_comment", "entity_name", "entry_name", "name"]) {
        return Some(say(name));
    }
    let index = find("params", &["index", "messageIndex"])
        .or_else(|| find("metadata", &["scene_index", "message_index"]));
    if let Some(index) = index {
        return Some(format!("message {}", say(index)));
    }
    let start = find("params", &["startIndex"]).or_else(|| find("metadata", &["start_index"]))?;
    let end = find("params", &["endIndex"]).or_else(|| find("metadata", &["end_index"]))?;
    Some(format!("messages {} to {}", say(start), say(end)))
}

fn about(operation: Json<'_>) -> About {
    const PARAMS: [&str; 4] = ["index", "messageIndex", "startIndex", "endIndex"];
    const METADATA: [&str; 4] = ["scene_index", "message_index", "start_index", "end_index"];
    let numbers = |place: &str, keys: &[&str]| -> Vec<i64> {
        let place = operation.get(place);
        keys.iter().filter_map(|key| place?.get(key)?.integer()).collect()
    };
    let list = |path: &[&str]| -> Vec<i64> {
        let items = operation.at(path).map(Json::items).unwrap_or_default();
        items.into_iter().filter_map(Json::integer).collect()
    };
    let mut messages = numbers("params", &PARAMS);
    messages.extend(numbers("metadata", &METADATA));
    messages.extend(list(&["params", "indexes"]));
    let lists = [
        ["params", "discovered_breaks"],
        ["metadata", "indexes"],
        ["metadata", "discovered_breaks"],
    ];
    let field = |key: &str| operation.get("params").and_then(|params| params.some(key));
    let entries = ["entryUid", "resolvedUid", "entityId"].into_iter().filter_map(field);
    About {
        messages,
        other_messages: lists.iter().flat_map(|path| list(path)).collect(),
        lorebook: lorebook(operation).and_then(Json::str).map(|name| name.into_owned()),
        made: operation.get("created_at").and_then(Json::number),
        lookup: field("entryId").and_then(Json::str).map(|id| id.into_owned()),
        entries: entries.map(uid_text).collect(),
    }
}

/// The queue entry without some of its operations; its bytes if none goes.
fn without(entry: Json<'_>, goes: impl Fn(Json<'_>) -> bool) -> Result<String, JsonError> {
    let content = entry.get("content").and_then(Json::str).unwrap_or_default();
    let all = Json::parse(&content)?.get("queue").map(Json::items).unwrap_or_default();
    let kept: Vec<&str> =
        all.iter().filter(|operation| !goes(**operation)).map(|json| json.text()).collect();
    if kept.len() == all.len() {
        return Ok(entry.text().to_owned());
    }
    let content = set(&content, &["queue"], &format!("[{}]", kept.join(",")))?;
    set(entry.text(), &["content"], &quote(&content))
}

/// The queue entry with nothing waiting; its bytes if it is so already.
fn emptied(entry: Json<'_>) -> Result<String, JsonError> {
    let content = entry.get("content").and_then(Json::str).unwrap_or_default();
    let queue = read(&content);
    if queue.is_empty() {
        return Ok(entry.text().to_owned());
    }
    let content = if queue == Queue::Unreadable {
        laid_out(EMPTY, Style::Indented(2), 0)?
    } else {
        let content = set(&content, &["queue"], "[]")?;
        let running = Json::parse(&content)?.some("current_operation_id").is_some();
        if running { set(&content, &["current_operation_id"], "null")? } else { content }
    };
    set(entry.text(), &["content"], &quote(&content))
}

/// The queue entry with only those operations that stay; its bytes if all do. One whose content
/// cannot be read stays as it is.
fn with_only(entry: Json<'_>, stays: impl Fn(Json<'_>) -> bool) -> Result<String, JsonError> {
    let content = entry.get("content").and_then(Json::str).unwrap_or_default();
    let all = match Json::parse(&content).ok().and_then(|json| json.some("queue")) {
        Some(queue) => queue.items(),
        None => Vec::new(),
    };
    let kept: Vec<Json<'_>> = all.iter().copied().filter(|operation| stays(*operation)).collect();
    if kept.len() == all.len() {
        return Ok(entry.text().to_owned());
    }
    let ids = |operation: &Json<'_>| operation.get("id").map(|id| id.text().to_owned());
    let texts: Vec<&str> = kept.iter().map(|operation| operation.text()).collect();
    let mut text = set(&content, &["queue"], &format!("[{}]", texts.join(",")))?;
    let current =
        Json::parse(&content)?.some("current_operation_id").map(|id| id.text().to_owned());
    if current.is_some_and(|current| !kept.iter().any(|op| ids(op).as_ref() == Some(&current))) {
        text = set(&text, &["current_operation_id"], "null")?;
    }
    set(entry.text(), &["content"], &quote(&text))
}

/// The lorebook that an operation is to write to.
fn lorebook(operation: Json<'_>) -> Option<Json<'_>> {
    operation.at(&["params", "lorebookName"])
}

/// The queue entry whose operations write to the lorebook `to` instead of one that `is_it`; its
/// bytes if none does. An operation says the name itself: in a book of another name Auto-Recap
/// would still write to the old one.
pub(super) fn with_lorebook(
    entry: Json<'_>,
    is_it: impl Fn(&str) -> bool,
    to: &str,
) -> Result<String, JsonError> {
    let content = entry.get("content").and_then(Json::str).unwrap_or_default();
    let queue = Json::parse(&content).ok().and_then(|json| json.get("queue"));
    let mut splices = Splices::new(&content);
    for operation in queue.map(Json::items).unwrap_or_default() {
        if let Some(name) = lorebook(operation)
            && name.str().is_some_and(|name| is_it(&name))
        {
            splices.replace(name, quote(to));
        }
    }
    if splices.is_empty() {
        return Ok(entry.text().to_owned());
    }
    set(entry.text(), &["content"], &quote(&splices.apply()))
}

/// A new queue entry, for a lorebook rebuilt from a snapshot, which never has one. Like Auto-Recap
/// numbers it: by the time in milliseconds.
fn new_entry(now_ms: u64) -> Result<String, JsonError> {
    let content = quote(&laid_out(EMPTY, Style::Indented(2), 0)?);
    Ok(format!(
        r#"{{"uid":{now_ms},"key":[],"keysecondary":[],"comment":"{COMMENT}","content":{content},"constant":false,"disable":true,"excludeRecursion":true,"order":9999,"position":0,"depth":4,"selectiveLogic":0,"addMemo":false,"probability":100,"useProbability":true,"displayIndex":{now_ms}}}"#
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r015_what_blocks_and_what_does_not() {
        let content = r#"{"queue":[{"type":"a","status":"pending"},{"type":"b","status":"in_progress"},{"type":"c","status":"retrying"},{"type":"d","status":"failed"},{"type":"e","status":"cancelled"},{"type":"f","status":"completed"},{"type":"g"}],"paused":true}"#;
        let queue = read(content);
        let kinds: Vec<_> = queue.blocking().iter().map(|op| op.kind.clone()).collect();
        assert_eq!(kinds, ["a", "b", "c", "g"]);
        assert_eq!(read("not json"), Queue::Unreadable);
        assert_eq!(read("[]"), Queue::Unreadable);
        assert_eq!(read(r#"{"queue":{"a":{"status":"pending"}}}"#), Queue::Unreadable);
        assert!(read("{}").is_empty());
    }

    #[test]
    fn r136_an_operation_says_what_it_is_about() {
        let say = |json: &str| target(Json::parse(json).unwrap());
        assert_eq!(say(r#"{"params":{"index":4}}"#).unwrap(), "message 4");
        assert_eq!(
            say(r#"{"metadata":{"start_index":1,"end_index":5}}"#).unwrap(),
            "messages 1 to 5"
        );
        assert_eq!(
            say(r#"{"params":{"index":4},"metadata":{"entry_comment":"character-Mira"}}"#).unwrap(),
            "character-Mira"
        );
        assert_eq!(say("{}"), None);
    }

    #[test]
    fn r050_only_the_queue_is_emptied() {
        let empty = r#"{"uid":1,"content":"{\n  \"queue\": [],\n  \"version\": 1\n}","x":1.0}"#;
        assert_eq!(emptied(Json::parse(empty).unwrap()).unwrap(), empty);
        let busy = r#"{"uid":1,"content":"{\n  \"queue\": [\n    {\"id\":\"op\"}\n  ],\n  \"current_operation_id\": \"op\",\n  \"paused\": true\n}","x":1.0}"#;
        assert_eq!(
            emptied(Json::parse(busy).unwrap()).unwrap(),
            r#"{"uid":1,"content":"{\n  \"queue\": [],\n  \"current_operation_id\": null,\n  \"paused\": true\n}","x":1.0}"#
        );
        let broken = emptied(Json::parse(r#"{"uid":1,"content":"oops"}"#).unwrap()).unwrap();
        assert!(
            read(&Json::parse(&broken).unwrap().get("content").unwrap().str().unwrap()).is_empty()
        );
        assert!(Json::parse(&new_entry(1_763_632_438_061).unwrap()).is_ok());
    }

    #[test]
    fn a_moved_operation_writes_to_the_book_it_waits_in() {
        let entry = r#"{"uid":1,"content":"{ \"queue\": [{\"params\":{\"lorebookName\":\"L\",\"x\":1.0}},{\"params\":{\"lorebookName\":\"Other\"}},{}] }"}"#;
        let json = Json::parse(entry).unwrap();
        let moved = with_lorebook(json, |name| name == "L", "New").unwrap();
        assert_eq!(moved, entry.replace(r#"\"L\""#, r#"\"New\""#));
        assert_eq!(with_lorebook(json, |_| false, "New").unwrap(), entry);
        let broken = r#"{"content":"{"}"#;
        assert_eq!(with_lorebook(Json::parse(broken).unwrap(), |_| true, "New").unwrap(), broken);
    }
}
