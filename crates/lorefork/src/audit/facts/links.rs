//! Facts of groups, settings and cards: what belongs to whom, and which lorebooks act besides.

use crate::json::Json;
use crate::tavern::group::Group;
use crate::tavern::settings::{Link, Settings};

/// What a group's record says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupFacts {
    pub id: String,
    pub name: String,
    /// Names of its chats as it spells them, the open one included.
    pub chats: Vec<String>,
    /// Members by the folders of their chats.
    pub members: Vec<String>,
    /// Whether it keeps the metadata of its chats itself, as before 1.16.
    pub keeps_metadata: bool,
}

impl GroupFacts {
    /// `None` if it cannot be read; SillyTavern does not show it either.
    pub fn read(id: &str, text: &str) -> Option<Self> {
        let group = Group::read(text).ok()?;
        let json = Json::parse(text).ok().filter(|json| json.is_object())?;
        let listed = json.get("chats").map(Json::items).unwrap_or_default();
        let mut chats: Vec<String> = Vec::new();
        for chat in listed.into_iter().chain(json.get("chat_id")).filter_map(Json::str) {
            if !chat.is_empty() && !chats.iter().any(|other| *other == chat) {
                chats.push(chat.into_owned());
            }
        }
        Some(Self {
            id: id.to_owned(),
            name: json.get("name").and_then(Json::str).unwrap_or_default().into_owned(),
            chats,
            members: group.members(),
            keeps_metadata: group.keeps_metadata(),
        })
    }
}

/// A lorebook that acts besides those of chats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedBook {
    pub name: String,
    pub link: Link,
}

/// Those that `settings.json` names; none if it cannot be read.
pub fn linked_by_settings(text: &str) -> Vec<LinkedBook> {
    let Ok(settings) = Settings::read(text) else { return Vec::new() };
    settings.linked().into_iter().map(|(name, link)| LinkedBook { name, link }).collect()
}
