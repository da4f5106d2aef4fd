//! `settings.json`, as far as it says which lorebooks act besides a chat's own.

use std::fmt;

use super::version::Version;
use crate::json::{Json, JsonError};

/// Another way by which a lorebook acts on a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    Global,
    Character(String),
    Auxiliary(String),
    Persona,
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.write_str("it is selected as a global lorebook"),
            Self::Character(name) => write!(f, "it is the lorebook of the character “{name}”"),
            Self::Auxiliary(name) => {
                write!(f, "it is an additional lorebook of the character “{name}”")
            }
            Self::Persona => f.write_str("it is the lorebook of a persona"),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    json: Json<'a>,
}

impl<'a> Settings<'a> {
    pub fn read(text: &'a str) -> Result<Self, JsonError> {
        Ok(Self { json: Json::parse(text)? })
    }

    /// The SillyTavern that wrote them.
    pub fn version(&self) -> Option<Version> {
        Version::parse(&self.json.get("currentVersion")?.str()?)
    }

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
        let mut links = Vec::new();
        let names = |list: Option<Json<'a>>| list.map(Json::items).unwrap_or_default();
        let worlds = self.json.at(&["world_info_settings", "world_info"]);
        if names(worlds.and_then(|w| w.get("globalSelect"))).iter().any(|name| name.says(book)) {
            links.push(Link::Global);
        }
        for lore in names(worlds.and_then(|w| w.get("charLore"))) {
            let character = lore.get("name").and_then(Json::str).unwrap_or_default().into_owned();
            if characters.contains(&character)
                && names(lore.get("extraBooks")).iter().any(|name| name.says(book))
            {
                links.push(Link::Auxiliary(character));
            }
        }
        let persona = |value: Option<Json<'_>>| value.is_some_and(|name| name.says(book));
        let power = self.json.get("power_user");
        let described = power
            .and_then(|p| p.get("persona_descriptions"))
            .map(Json::members)
            .unwrap_or_default();
        if persona(power.and_then(|p| p.get("persona_description_lorebook")))
            || described.iter().any(|member| persona(member.value.get("lorebook")))
        {
            links.push(Link::Persona);
        }
        links
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
