//! The work queue: an entry of the lorebook that holds waiting operations as JSON.

use crate::json::{Json, JsonError, Kind, Object, Splices, Style, laid_out, quote, set};

/// The comment by which Auto-Recap finds its queue.
pub const COMMENT: &str = "__operation_queue";

const EMPTY: &str =
    r#"{"queue":[],"current_operation_id":null,"paused":false,"version":1,"queueVersion":0}"#;

/// One operation of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// What Auto-Recap shall do, by its word for it.
    pub kind: String,
    /// How far it is, by Auto-Recap's word for it.
    pub status: String,
    /// The message, scene or entity it is about, in words.
    pub target: Option<String>,
}

impl Waiting {
    pub(crate) fn json(&self) -> String {
        Object::new()
            .text("type", &self.kind)
            .text("status", &self.status)
            .text_or_null("target", self.target.as_deref())
            .done()
    }
}

/// What a queue entry holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Queue {
    /// Its content is not JSON. Auto-Recap would treat it as empty; we do not guess.
    Unreadable,
    /// What waits, the next one first; nothing if it is empty.
    Operations(Vec<Waiting>),
}

impl Queue {
    /// Reads the content of a queue's entry.
    pub fn read(content: &str) -> Self {
        let Ok(json) = Json::parse(content) else { return Self::Unreadable };
        if !json.is_object() {
            return Self::Unreadable;
        }
        let Some(queue) = json.some("queue") else { return Self::Operations(Vec::new()) };
        if queue.kind() != Kind::Array {
            return Self::Unreadable;
        }
        Self::Operations(queue.items().into_iter().map(waiting).collect())
    }

    /// Operations that would still run: a retry that waits is one, a paused queue no excuse (R-015).
    pub fn blocking(&self) -> Vec<&Waiting> {
        match self {
            Self::Unreadable => Vec::new(),
            Self::Operations(all) => all
                .iter()
                .filter(|op| ["pending", "in_progress", "retrying"].contains(&op.status.as_str()))
                .collect(),
        }
    }

    /// Whether it is sure that nothing waits.
    pub fn is_empty(&self) -> bool {
        *self == Self::Operations(Vec::new())
    }
}

fn waiting(operation: Json<'_>) -> Waiting {
    let text = |key: &str| operation.get(key).and_then(Json::str).unwrap_or_default().into_owned();
    let status = text("status");
    Waiting {
        kind: text("type"),
        // One without a status is one that waits.
        status: if status.is_empty() { "pending".to_owned() } else { status },
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

/// The messages an operation names.
pub fn messages(operation: Json<'_>) -> Vec<i64> {
    const PARAMS: [&str; 4] = ["index", "messageIndex", "startIndex", "endIndex"];
    const METADATA: [&str; 4] = ["scene_index", "message_index", "start_index", "end_index"];
    let numbers = |place: &str, keys: &[&str]| -> Vec<i64> {
        let place = operation.get(place);
        keys.iter().filter_map(|key| place?.get(key)?.integer()).collect()
    };
    let list = operation.at(&["params", "indexes"]).map(Json::items).unwrap_or_default();
    let mut all = numbers("params", &PARAMS);
    all.extend(numbers("metadata", &METADATA));
    all.extend(list.into_iter().filter_map(Json::integer));
    all
}

/// The queue entry without some of its operations; its bytes if none goes.
pub fn without(entry: Json<'_>, goes: impl Fn(Json<'_>) -> bool) -> Result<String, JsonError> {
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
pub fn emptied(entry: Json<'_>) -> Result<String, JsonError> {
    let content = entry.get("content").and_then(Json::str).unwrap_or_default();
    let queue = Queue::read(&content);
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
pub fn with_only(
    entry: Json<'_>,
    mut stays: impl FnMut(Json<'_>) -> bool,
) -> Result<String, JsonError> {
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
pub fn lorebook(operation: Json<'_>) -> Option<Json<'_>> {
    operation.at(&["params", "lorebookName"])
}

/// The queue entry whose operations write to the lorebook `to` instead of one that `is_it`; its
/// bytes if none does. An operation says the name itself: in a book of another name Auto-Recap
/// would still write to the old one.
pub fn with_lorebook(
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
pub fn new_entry(now_ms: u64) -> Result<String, JsonError> {
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
        let queue = Queue::read(content);
        let kinds: Vec<_> = queue.blocking().iter().map(|op| op.kind.clone()).collect();
        assert_eq!(kinds, ["a", "b", "c", "g"]);
        assert_eq!(Queue::read("not json"), Queue::Unreadable);
        assert_eq!(Queue::read("[]"), Queue::Unreadable);
        assert_eq!(Queue::read(r#"{"queue":{"a":{"status":"pending"}}}"#), Queue::Unreadable);
        assert!(Queue::read("{}").is_empty());
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
            Queue::read(&Json::parse(&broken).unwrap().get("content").unwrap().str().unwrap())
                .is_empty()
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
