//! Group records: `groups/<id>.json`.

use crate::json::{Json, JsonError, Style, laid_out, quote, set};

/// A group as far as forks meet it.
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    json: Json<'a>,
}

impl<'a> Group<'a> {
    pub fn read(text: &'a str) -> Result<Self, JsonError> {
        Ok(Self { json: Json::parse(text)? })
    }

    /// Up to 1.14 a group keeps the metadata of its chats itself. SillyTavern 1.16 moves it into
    /// the chats at its first start.
    pub fn keeps_metadata(&self) -> bool {
        ["chat_metadata", "past_metadata"].iter().any(|key| self.json.some(key).is_some())
    }

    /// Members by the folder names of their chats.
    pub fn members(&self) -> Vec<String> {
        let members = self.json.get("members").map(Json::items).unwrap_or_default();
        members
            .into_iter()
            .filter_map(Json::str)
            .map(|avatar| avatar.replacen(".png", "", 1))
            .collect()
    }

    pub fn lists(&self, chat: &str) -> bool {
        self.chats().iter().any(|name| name.says(chat))
    }

    fn chats(&self) -> Vec<Json<'a>> {
        self.json.get("chats").map(Json::items).unwrap_or_default()
    }

    /// The record with one more chat in its list.
    pub fn with_chat(&self, chat: &str) -> Result<String, JsonError> {
        let chats = self.chats();
        // Behind the last one, spaced as the record is, so that no other byte changes.
        if let Some(last) = chats.last() {
            let text = self.json.text();
            let list = self.json.get("chats").map_or("", Json::text);
            let before = &list[1..list.find(chats[0].text()).unwrap_or(1)];
            let mut splices = crate::json::Splices::new(text);
            splices.replace(*last, format!("{},{before}{}", last.text(), quote(chat)));
            return Ok(splices.apply());
        }
        let list = laid_out(&format!("[{}]", quote(chat)), Style::Compact, 0)?;
        set(self.json.text(), &["chats"], &list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r151_a_chat_is_listed_and_nothing_else_changes() {
        let text = "{\n    \"id\": \"1\",\n    \"chats\": [\n        \"a\",\n        \"b\"\n    ],\n    \"size\": 1.50\n}";
        let with = Group::read(text).unwrap().with_chat("c").unwrap();
        assert_eq!(
            with,
            "{\n    \"id\": \"1\",\n    \"chats\": [\n        \"a\",\n        \"b\",\n        \"c\"\n    ],\n    \"size\": 1.50\n}"
        );
        let empty = "{\n    \"chats\": []\n}";
        assert_eq!(
            Group::read(empty).unwrap().with_chat("c").unwrap(),
            "{\n    \"chats\": [\n        \"c\"\n    ]\n}"
        );
        assert!(Group::read(&with).unwrap().lists("c"));
    }

    #[test]
    fn groups_of_114_are_recognised() {
        assert!(Group::read(r#"{"past_metadata":{}}"#).unwrap().keeps_metadata());
        assert!(!Group::read(r#"{"chats":[]}"#).unwrap().keeps_metadata());
    }
}
