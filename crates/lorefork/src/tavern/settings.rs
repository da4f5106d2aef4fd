//! `settings.json`, as far as it says which lorebooks act besides a chat's own.

use super::version::Version;
use crate::json::{Json, JsonError};
use crate::say;
use crate::sentence::{Sentence, Value};

/// Another way by which a lorebook acts on a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// It is active in all chats.
    Global,
    /// It came with this character's card.
    Character(String),
    /// The user gave it to this character besides.
    Auxiliary(String),
    /// It goes with the user's persona.
    Persona,
}

impl From<&Link> for Sentence {
    fn from(link: &Link) -> Self {
        match link {
            Link::Global => say!("it is selected as a global lorebook"),
            Link::Character(name) => say!("it is the lorebook of the character “{0}”", name),
            Link::Auxiliary(name) => {
                say!("it is an additional lorebook of the character “{0}”", name)
            }
            Link::Persona => say!("it is the lorebook of a persona"),
        }
    }
}

impl From<&Link> for Value {
    fn from(link: &Link) -> Self {
        Sentence::from(link).into()
    }
}

/// What SillyTavern's `settings.json` says.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    json: Json<'a>,
}

impl<'a> Settings<'a> {
    /// Reads the file's text; what is no JSON is refused.
    pub fn read(text: &'a str) -> Result<Self, JsonError> {
        Ok(Self { json: Json::parse(text)? })
    }

    /// The SillyTavern that wrote them.
    pub fn version(&self) -> Option<Version> {
        Version::parse(&self.json.get("currentVersion")?.str()?)
    }

    /// What stands below an extension's settings, if anything.
    pub fn extension(&self, path: &[&str]) -> Option<Json<'a>> {
        self.json.get("extension_settings")?.at(path)
    }

    /// All lorebooks that act by a setting: global, auxiliary, of a persona.
    pub fn lorebooks(&self) -> Vec<String> {
        let worlds = self.json.at(&["world_info_settings", "world_info"]);
        let items = |list: Option<Json<'a>>| list.map(Json::items).unwrap_or_default();
        let mut books = items(worlds.and_then(|worlds| worlds.get("globalSelect")));
        for lore in items(worlds.and_then(|worlds| worlds.get("charLore"))) {
            books.extend(items(lore.get("extraBooks")));
        }
        let power = self.json.get("power_user");
        books.extend(power.and_then(|power| power.get("persona_description_lorebook")));
        let described = power.and_then(|power| power.get("persona_descriptions"));
        for persona in described.map(Json::members).unwrap_or_default() {
            books.extend(persona.value.get("lorebook"));
        }
        books.into_iter().filter_map(Json::str).map(|name| name.into_owned()).collect()
    }

    /// How `book` acts beyond the chat that names it, for the characters of that chat.
    pub fn links(&self, book: &str, characters: &[String]) -> Vec<Link> {
        let concerns = |link: &Link| match link {
            Link::Character(name) | Link::Auxiliary(name) => characters.contains(name),
            Link::Global | Link::Persona => true,
        };
        let all = self.linked().into_iter().filter(|(name, link)| name == book && concerns(link));
        let mut links: Vec<Link> = Vec::new();
        for (_, link) in all {
            if !links.contains(&link) {
                links.push(link);
            }
        }
        links
    }

    /// All lorebooks that act besides those of chats, and by what.
    pub fn linked(&self) -> Vec<(String, Link)> {
        let mut all = Vec::new();
        let names = |list: Option<Json<'a>>| list.map(Json::items).unwrap_or_default();
        let mut add = |name: Option<Json<'a>>, link: Link| {
            if let Some(name) = name.and_then(Json::str).filter(|name| !name.is_empty()) {
                all.push((name.into_owned(), link));
            }
        };
        let worlds = self.json.at(&["world_info_settings", "world_info"]);
        for name in names(worlds.and_then(|w| w.get("globalSelect"))) {
            add(Some(name), Link::Global);
        }
        for lore in names(worlds.and_then(|w| w.get("charLore"))) {
            let character = lore.get("name").and_then(Json::str).unwrap_or_default().into_owned();
            for name in names(lore.get("extraBooks")) {
                add(Some(name), Link::Auxiliary(character.clone()));
            }
        }
        let power = self.json.get("power_user");
        add(power.and_then(|p| p.get("persona_description_lorebook")), Link::Persona);
        let described = power.and_then(|p| p.get("persona_descriptions"));
        for member in described.map(Json::members).unwrap_or_default() {
            add(member.value.get("lorebook"), Link::Persona);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_a_book_acts_is_seen() {
        let text = r#"{"currentVersion":"1.19.0","world_info_settings":{"world_info":{"globalSelect":["L"],"charLore":[{"name":"mira","extraBooks":["x","L"]},{"name":"other","extraBooks":["L"]}]}},"power_user":{"persona_descriptions":{"a.png":{"lorebook":"L"}}}}"#;
        let settings = Settings::read(text).unwrap();
        assert_eq!(
            settings.links("L", &["mira".into()]),
            [Link::Global, Link::Auxiliary("mira".into()), Link::Persona]
        );
        assert_eq!(settings.lorebooks(), ["L", "x", "L", "L", "L"]);
        assert_eq!(settings.links("M", &["mira".into()]), []);
        assert_eq!(settings.version(), Version::parse("1.19.0"));
    }
}
