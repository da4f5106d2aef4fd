//! Who names a lorebook. One rule, for everybody who asks.

use crate::error::{Code, Error};
use crate::host::{HeaderOf, Host, HostError, HostErrorKind};
use crate::json::Json;
use crate::memory::{guests, memorybooks};
use crate::tavern::chat::Header;
use crate::tavern::names::same_lorebook;
use crate::tavern::place::ChatRef;
use crate::tavern::settings::Settings;

/// Whether a header names a lorebook: however it is spelled there, if it means the same file. One
/// that cannot be read names it if the name stands in it: better once too often.
pub(crate) fn names(header: &str, lorebook: &str) -> bool {
    match Header::read(header) {
        Ok(header) => header.lorebook().is_some_and(|name| same_lorebook(&name, lorebook)),
        Err(_) => header.contains(lorebook),
    }
}

/// All lorebooks that a chat's metadata names: its own, and those that extensions name in keys of
/// theirs.
fn in_metadata(metadata: Json<'_>) -> Vec<String> {
    let members = metadata.members();
    let own = members.iter().rfind(|member| member.is("world_info"));
    let own = own.and_then(|own| own.value.str()).filter(|name| !name.is_empty());
    let mut all: Vec<String> = own.map(|name| name.into_owned()).into_iter().collect();
    all.extend(memorybooks::bindings(metadata));
    all.extend(guests::books(&members));
    all
}

/// All timelines that name a lorebook as theirs.
pub(crate) async fn who_names<H: Host>(
    host: &H,
    lorebook: &str,
) -> Result<Vec<HeaderOf>, HostError> {
    host.headers(&|other| names(&other.header, lorebook)).await
}

/// All timelines that name a lorebook in any way: none may be left without it.
pub(crate) async fn who_needs<H: Host>(
    host: &H,
    lorebook: &str,
) -> Result<Vec<HeaderOf>, HostError> {
    let needs = |other: &HeaderOf| match Header::read(&other.header) {
        Ok(header) => {
            let named = header.metadata().map(in_metadata).unwrap_or_default();
            named.iter().any(|name| same_lorebook(name, lorebook))
        }
        Err(_) => other.header.contains(lorebook),
    };
    host.headers(&needs).await
}

/// A lorebook that something names, and what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub lorebook: String,
    /// In words.
    pub by: String,
}

/// A chat that names a lorebook, as [`Named::by`].
pub(crate) fn in_words(chat: &ChatRef) -> String {
    format!("the chat {chat}")
}

/// All lorebooks that anything names, `but` these chats: headers of chats, groups of old times,
/// global, character, auxiliary and persona links. Whoever removes a lorebook asks this first.
pub async fn named_lorebooks<H: Host>(host: &H, but: &[ChatRef]) -> Result<Vec<Named>, Error> {
    let unread = |error: HostError| Error::reading(&error);
    let mut named = Vec::new();
    let books = host.lorebook_names().await.map_err(unread)?;
    for other in host.headers(&|_| true).await.map_err(unread)? {
        if but.iter().any(|chat| chat.file() == other.chat.file()) {
            continue;
        }
        let by = in_words(&other.chat);
        let mut add = |lorebook: String| named.push(Named { lorebook, by: by.clone() });
        match Header::read(&other.header) {
            Ok(header) => {
                let named = header.metadata().map(in_metadata).unwrap_or_default();
                named.into_iter().for_each(&mut add);
            }
            // Better once too often.
            Err(_) => {
                books
                    .iter()
                    .filter(|book| other.header.contains(*book))
                    .cloned()
                    .for_each(&mut add);
            }
        }
    }
    for id in host.groups().await.map_err(unread)? {
        let Some(document) = host.group(&id).await.map_err(unread)? else { continue };
        let by = format!("the group {id}");
        named.extend(
            in_group(&document.text).into_iter().map(|lorebook| Named { lorebook, by: by.clone() }),
        );
    }
    if let Some(text) = host.settings().await.map_err(unread)? {
        let settings = Settings::read(&text).map_err(|problem| {
            Error::new(
                Code::SettingsUnreadable,
                format!("settings.json: {problem}, so nobody knows which lorebooks it uses"),
                "Start SillyTavern once, or restore the file, then try again.",
            )
        })?;
        named.extend(settings.lorebooks().into_iter().map(|lorebook| Named {
            lorebook,
            by: "SillyTavern's settings: global, additional or of a persona".to_owned(),
        }));
    }
    for character in host.characters().await.map_err(unread)? {
        match host.card(&character).await {
            Ok(card) => named.extend(
                card.and_then(|card| card.lorebook)
                    .map(|lorebook| Named { lorebook, by: format!("the character {character}") }),
            ),
            // SillyTavern cannot read it either.
            Err(error) if error.kind == HostErrorKind::Damaged => {}
            Err(error) => return Err(unread(error)),
        }
    }
    Ok(named)
}

/// Up to 1.14 a group keeps the metadata of its chats itself.
fn in_group(text: &str) -> Vec<String> {
    let Ok(group) = Json::parse(text) else { return Vec::new() };
    let past = group.get("past_metadata").map(Json::members).unwrap_or_default();
    let all = group.get("chat_metadata").into_iter().chain(past.iter().map(|chat| chat.value));
    all.flat_map(in_metadata).collect()
}
