//! Facts of groups, settings and cards: what belongs to whom, and which lorebooks act besides.

use crate::json::Json;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::group::Group;
use crate::tavern::settings::{Link, Settings};

/// What a group's record says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupFacts {
    /// As its file is called.
    pub id: String,
    /// As the user sees it.
    pub name: String,
    /// Names of its chats as it spells them, the open one included.
    pub chats: Vec<String>,
    /// Members by the folders of their chats.
    pub members: Vec<String>,
    /// Whether it keeps the metadata of its chats itself, as before 1.16.
    pub keeps_metadata: bool,
}

impl GroupFacts {
    /// Or why it cannot be read; SillyTavern does not show it then.
    pub fn read(id: &str, text: &str) -> Result<Self, Sentence> {
        let group = Group::read(text).map_err(|problem| Sentence::from(&problem))?;
        let json = object(text)?;
        let listed = json.get("chats").map(Json::items).unwrap_or_default();
        let mut chats: Vec<String> = Vec::new();
        for chat in listed.into_iter().chain(json.get("chat_id")).filter_map(Json::str) {
            if !chat.is_empty() && !chats.iter().any(|other| *other == chat) {
                chats.push(chat.into_owned());
            }
        }
        Ok(Self {
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
    /// The lorebook.
    pub name: String,
    /// By what it acts.
    pub link: Link,
}

/// Those that `settings.json` names, or why it cannot be read.
pub(super) fn linked_by_settings(text: &str) -> Result<Vec<LinkedBook>, Sentence> {
    object(text)?;
    let settings = Settings::read(text).map_err(|problem| Sentence::from(&problem))?;
    Ok(settings.linked().into_iter().map(|(name, link)| LinkedBook { name, link }).collect())
}

fn object(text: &str) -> Result<Json<'_>, Sentence> {
    let json = Json::parse(text).map_err(|problem| Sentence::from(&problem))?;
    if json.is_object() { Ok(json) } else { Err(say!("it is not a JSON object")) }
}
