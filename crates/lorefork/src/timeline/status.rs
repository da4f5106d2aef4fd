//! Status of one timeline.

use super::header::header;
use crate::error::Error;
use crate::host::{ChatView, Host};
use crate::json::{Object, array_of_texts};
use crate::memory::checkpoints::State;
use crate::memory::running::Running;
use crate::naming::who_names;
use crate::tavern::names;
use crate::tavern::place::ChatRef;

/// What a timeline is, in one object.
#[derive(Debug, Clone)]
pub struct Status {
    /// Whether it is a timeline that came from another one, by its header.
    pub is_checkpoint: bool,
    /// The chat it says it came from.
    pub main_chat: Option<String>,
    /// Its own name.
    pub current_chat: String,
    /// JSON text.
    pub checkpoint_state: Option<String>,
    /// The lorebook that its header names, which need not exist.
    pub current_lorebook: Option<String>,
    /// Whether the lorebook is there and is the recorded one; `null` without a record.
    pub lorebook_match: Option<bool>,
    /// The version of the running recap that is in use.
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

impl Status {
    /// As answers have it.
    pub fn json(&self) -> String {
        Object::new()
            .flag("is_checkpoint", self.is_checkpoint)
            .text_or_null("main_chat", self.main_chat.as_deref())
            .text("current_chat", &self.current_chat)
            .raw("checkpoint_state", self.checkpoint_state.as_deref().unwrap_or("null"))
            .text_or_null("current_lorebook", self.current_lorebook.as_deref())
            .flag_or_null("lorebook_match", self.lorebook_match)
            .number_or_null("running_recap_current_version", self.running_recap_current_version)
            .flag_or_null("running_recap_version_match", self.running_recap_version_match)
            .raw("shared_with", &array_of_texts(&self.shared_with))
            .count_or_null("last_message", self.last_message)
            .flag_or_null("lorebook_exists", self.lorebook_exists)
            .done()
    }
}

/// Reads the status of a timeline.
pub async fn status<H: Host>(host: &H, chat: &ChatRef) -> Result<Status, Error> {
    let view = host.open(chat).await?;
    let header = header(&view, chat)?;
    let lorebook = header.lorebook();
    let state = State::of(&header);
    let running = Running::of(&header);
    let (mut exists, mut shared_with) = (None, Vec::new());
    if let Some(name) = &lorebook {
        let file = names::lorebook_name(name).unwrap_or_default();
        exists = Some(!file.is_empty() && host.lorebook(&file).await?.is_some());
        let others = who_names(host, name).await?.into_iter();
        shared_with = others
            .filter(|other| other.chat != *chat)
            .map(|other| other.chat.to_string())
            .collect();
    }
    // One that is shared on purpose was not copied.
    let recorded_book = state.and_then(|state| state.copy().or_else(|| state.original()));
    let recorded_version = state.and_then(State::version);
    let has_version = |number: i64| {
        running.as_ref().is_some_and(|running| {
            running.versions.iter().any(|version| version.number == Some(number))
        })
    };
    Ok(Status {
        is_checkpoint: header.main_chat().is_some(),
        main_chat: header.main_chat(),
        current_chat: chat.name.clone(),
        checkpoint_state: state.map(|state| state.json().to_owned()),
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
