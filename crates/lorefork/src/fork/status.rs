//! Status of one timeline.

use serde::Serialize;
use serde_json::Value;

use super::records::STATE_KEY;
use crate::error::{Code, Error};
use crate::host::{ChatView, Host};
use crate::json::Json;
use crate::memory::recap::RUNNING_KEY;
use crate::memory::recap::running::Running;
use crate::tavern::chat::Header;
use crate::tavern::names;
use crate::tavern::place::ChatRef;

/// What a timeline is, in one object.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    pub is_checkpoint: bool,
    pub main_chat: Option<String>,
    pub current_chat: String,
    pub checkpoint_state: Value,
    pub current_lorebook: Option<String>,
    /// Whether the lorebook is there and is the recorded one; `null` without a record.
    pub lorebook_match: Option<bool>,
    pub running_recap_current_version: Option<i64>,
    /// Whether the recorded version is still there; `null` without a record.
    pub running_recap_version_match: Option<bool>,
    /// Other timelines that use the lorebook.
    pub shared_with: Vec<String>,
    /// Whether there are messages, and the number of the last.
    pub last_message: Option<usize>,
    /// Whether the lorebook's file exists; `null` if the chat names none.
    pub lorebook_exists: Option<bool>,
}

/// Reads the status of a timeline.
pub async fn status<H: Host>(host: &H, chat: &ChatRef) -> Result<Status, Error> {
    let unread = |error| Error::reading(&error);
    let view = host.open(chat).await.map_err(unread)?;
    let header = Header::read(view.header()).map_err(|problem| {
        Error::new(
            Code::MissingHeader,
            format!("{}: {problem}", chat.file()),
            "Restore the chat from SillyTavern's backups folder.",
        )
    })?;
    let lorebook = header.lorebook();
    let state = header.meta(&[STATE_KEY]);
    let running = header.meta(&[RUNNING_KEY]).map(Running::read);
    let (mut exists, mut shared_with) = (None, Vec::new());
    if let Some(name) = &lorebook {
        let file = names::lorebook_name(name).unwrap_or_default();
        exists = Some(!file.is_empty() && host.lorebook(&file).await.map_err(unread)?.is_some());
        let headers = host
            .headers(&[crate::json::quote(name), crate::json::quote(&file)])
            .await
            .map_err(unread)?;
        let others = headers.iter().filter(|other| other.chat != *chat);
        let others = others.filter(|other| {
            let named = Header::read(&other.header).ok().and_then(|header| header.lorebook());
            named.is_some_and(|named| names::same_lorebook(&named, name))
        });
        shared_with = others.map(|other| other.chat.to_string()).collect();
    }
    let recorded_book =
        state.and_then(|state| state.some("cloned_lorebook_name")).and_then(Json::str);
    let recorded_version =
        state.and_then(|state| state.some("running_recap_version")).and_then(Json::integer);
    let has_version = |number: i64| {
        running.as_ref().is_some_and(|running| {
            running.versions.iter().any(|version| version.number == Some(number))
        })
    };
    Ok(Status {
        is_checkpoint: header.main_chat().is_some(),
        main_chat: header.main_chat(),
        current_chat: chat.name.clone(),
        checkpoint_state: state
            .and_then(|state| serde_json::from_str(state.text()).ok())
            .unwrap_or(Value::Null),
        lorebook_match: state
            .map(|_| recorded_book.as_deref() == lorebook.as_deref() && exists != Some(false)),
        current_lorebook: lorebook,
        running_recap_current_version: running
            .as_ref()
            .and_then(Running::current)
            .and_then(|version| version.number),
        running_recap_version_match: recorded_version.map(has_version).or(state.map(|_| true)),
        shared_with,
        last_message: view.len().checked_sub(1),
        lorebook_exists: exists,
    })
}
