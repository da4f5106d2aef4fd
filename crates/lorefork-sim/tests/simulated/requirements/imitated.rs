//! Extensions that keep state per chat, as far as they change lorebooks: what each does when a chat
//! is opened, when its last message is swiped, when it writes.

use lorefork::tavern::place::{ChatRef, lorebook_file};
use lorefork_sim::Folder;
use serde_json::{Value, json};

/// A chat as its file says: metadata and messages.
pub(crate) struct Played {
    pub(crate) metadata: Value,
    pub(crate) messages: Vec<Value>,
}

pub(crate) fn played(folder: &Folder, chat: &ChatRef) -> Played {
    let text = folder.text(&chat.file()).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let header = lines.next().unwrap();
    Played { metadata: header["chat_metadata"].clone(), messages: lines.collect() }
}

fn book(folder: &Folder, name: &str) -> Option<Value> {
    folder.text(&lorebook_file(name)).map(|text| serde_json::from_str(text).unwrap())
}

fn save(folder: &mut Folder, name: &str, book: &Value) {
    folder.put(lorebook_file(name), serde_json::to_vec(book).unwrap());
}

/// How TunnelVision knows what a message said.
pub(crate) fn fingerprint(text: &str) -> String {
    let hash = text
        .encode_utf16()
        .fold(0x811c_9dc5_u32, |hash, unit| (hash ^ u32::from(unit)).wrapping_mul(0x0100_0193));
    format!("f1_{}_{hash:08x}", text.encode_utf16().count())
}

/// Whether a chat holds the message with this id, saying this.
fn says(messages: &[Value], id: &str, print: &str) -> bool {
    let is_it = |message: &Value| {
        message["tunnelvision_message_id"] == id
            && fingerprint(message["mes"].as_str().unwrap_or_default()) == print
    };
    messages.iter().any(is_it)
}

/// TunnelVision, when a chat is opened: what its identity made of messages that are not there goes, out
/// of every active lorebook.
pub(crate) fn tunnelvision_opens(folder: &mut Folder, chat: &ChatRef, of_character: &str) {
    let Played { metadata, messages } = played(folder, chat);
    let own = metadata["tunnelvision_chat_identity"].as_str().unwrap_or("nobody").to_owned();
    let listed = metadata["carrot_chat_books"].as_array().cloned().unwrap_or_default();
    let mut active: Vec<String> =
        listed.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
    active.extend(metadata["world_info"].as_str().map(str::to_owned));
    active.push(of_character.to_owned());
    for name in active {
        let Some(mut lore) = book(folder, &name) else { continue };
        let entries = lore["entries"].as_object_mut().unwrap();
        let before = entries.len();
        entries.retain(|_, entry| {
            let keys = entry["key"].as_array().cloned().unwrap_or_default();
            !keys.iter().filter_map(Value::as_str).any(|key| {
                let parts: Vec<&str> = key.split(':').collect();
                matches!(parts.as_slice(), ["!tv_tracker", "v2", whose, id, print]
                    if *whose == own && !says(&messages, id, print))
            })
        });
        if entries.len() != before {
            save(folder, &name, &lore);
        }
    }
}

/// TunnelVision, when the last message was swiped: every undo record whose message is not there, or
/// says something else, is played back, and so is the last turn's work.
pub(crate) fn tunnelvision_swipes(folder: &mut Folder, chat: &ChatRef) {
    let Played { metadata, mut messages } = played(folder, chat);
    messages.last_mut().unwrap()["mes"] = json!("another reply");
    for (key, record) in metadata["tunnelvision_snapshots"].as_object().into_iter().flatten() {
        let parts: Vec<&str> = key.split(':').collect();
        if says(&messages, parts[1], parts[2]) {
            continue;
        }
        for made in record["createdUids"].as_array().into_iter().flatten() {
            forget(folder, made["bookName"].as_str(), &made["uid"]);
        }
        for (key, entry) in record["modifiedEntries"].as_object().into_iter().flatten() {
            let (name, uid) = key.rsplit_once(':').unwrap();
            write(folder, name, uid, entry.clone());
        }
    }
    let rollback = &metadata["tunnelvision_postturn"]["rollback"];
    for uid in rollback["createdUids"].as_array().into_iter().flatten() {
        forget(folder, rollback["book"].as_str(), uid);
    }
    for former in rollback["trackerReverts"].as_array().into_iter().flatten() {
        let name = former["book"].as_str().unwrap();
        let uid = former["uid"].to_string();
        let Some(lore) = book(folder, name) else { continue };
        let mut entry = lore["entries"][&uid].clone();
        entry["content"] = former["previousContent"].clone();
        write(folder, name, &uid, entry);
    }
}

fn forget(folder: &mut Folder, name: Option<&str>, uid: &Value) {
    let Some((name, mut lore)) = name.and_then(|name| Some((name, book(folder, name)?))) else {
        return;
    };
    lore["entries"].as_object_mut().unwrap().remove(&uid.to_string());
    save(folder, name, &lore);
}

fn write(folder: &mut Folder, name: &str, uid: &str, entry: Value) {
    let Some(mut lore) = book(folder, name) else { return };
    lore["entries"][uid] = entry;
    save(folder, name, &lore);
}

/// NemoLore writes down what it learnt: to the lorebook of its own key, before the chat's.
pub(crate) fn nemolore_writes(folder: &mut Folder, chat: &ChatRef) {
    let metadata = played(folder, chat).metadata;
    let name = metadata["nemolore"]["lorebook"].as_str().or(metadata["world_info"].as_str());
    let Some(name) = name else { return };
    write(folder, name, "99", json!({ "uid": 99, "comment": "learnt by NemoLore" }));
}

/// The memories that NemoLore loads: none if they are another chat's.
pub(crate) fn nemolore_loads(folder: &Folder, chat: &ChatRef) -> Vec<Value> {
    let memory = &played(folder, chat).metadata["nemolore"]["memory"];
    let is_own = memory["chatId"] == chat.name.as_str();
    let whole = format!("{}:", chat.name);
    let all = memory["records"].as_array().cloned().unwrap_or_default();
    let is_found = |record: &Value| {
        let sources = record["sourceIds"].as_array().unwrap();
        sources.iter().all(|source| source.as_str().unwrap().starts_with(&whole))
    };
    all.into_iter().filter(|record| is_own && is_found(record)).collect()
}

/// The chat's lorebook after somebody pressed Apply in CarrotKernel's connector.
pub(crate) fn carrot_applies(folder: &Folder, chat: &ChatRef) -> String {
    let metadata = played(folder, chat).metadata;
    let first = metadata["carrot_chat_books"].as_array().and_then(|list| list.first());
    first.unwrap_or(&metadata["world_info"]).as_str().unwrap().to_owned()
}

/// The lorebooks that Chat Lore Sources adds while a reply is made.
pub(crate) fn sources(folder: &Folder, chat: &ChatRef) -> Vec<String> {
    let listed = &played(folder, chat).metadata["multi_chat_lore_sources"]["sources"];
    listed.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// timeline-memory, when a chat is opened: how many messages it leaves.
pub(crate) fn timeline_memory_opens(folder: &Folder, chat: &ChatRef) -> usize {
    let Played { metadata, messages } = played(folder, chat);
    let under_way = &metadata["lore_management_session"];
    match under_way["startMessageIndex"].as_u64().filter(|_| under_way["active"] == true) {
        Some(from) if from > 0 => messages.len().min(from as usize),
        _ => messages.len(),
    }
}
