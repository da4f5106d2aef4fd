//! Group records: `groups/<id>.json`.

use crate::json::{Json, JsonError, Kind, Splices, quote, remove, set};

/// A group as far as forks meet it.
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    /// The whole file, a line break at its end included.
    text: &'a str,
    json: Json<'a>,
}

impl<'a> Group<'a> {
    /// Reads a group's record; what is no JSON is refused.
    pub fn read(text: &'a str) -> Result<Self, JsonError> {
        Ok(Self { text, json: Json::parse(text)? })
    }

    /// Up to 1.14 a group keeps the metadata of its chats itself. SillyTavern 1.16 moves it into
    /// the chats at its first start.
    pub(crate) fn keeps_metadata(&self) -> bool {
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

    /// Whether this chat is one of the group's.
    pub fn lists(&self, chat: &str) -> bool {
        self.chats().iter().any(|name| name.says(chat))
    }

    fn chats(&self) -> Vec<Json<'a>> {
        self.json.get("chats").map(Json::items).unwrap_or_default()
    }

    /// A chat as the group spells its name; SillyTavern opens it by that only.
    pub fn spelled(&self, chat: &str) -> Option<String> {
        let names = self.chats().into_iter().filter_map(Json::str);
        names
            .into_iter()
            .find(|name| super::names::chat_name(name).as_deref() == Some(chat))
            .map(|name| name.into_owned())
    }

    /// The chat that opens with the group.
    pub fn current(&self) -> Option<String> {
        self.json.some("chat_id")?.str().map(std::borrow::Cow::into_owned)
    }

    /// All chats, as the record spells them.
    pub fn chat_names(&self) -> Vec<String> {
        self.chats().into_iter().filter_map(Json::str).map(|name| name.into_owned()).collect()
    }

    /// The record with another chat that opens first.
    pub(crate) fn with_current(&self, chat: &str) -> Result<String, JsonError> {
        set(self.text, &["chat_id"], &quote(chat))
    }

    /// The record when a chat is gone: not in its list any more, and if it would open with it, it
    /// opens with the `parent`, or else with the last one left.
    pub(crate) fn forgetting(&self, chat: &str, parent: Option<&str>) -> Result<String, JsonError> {
        let text = self.without_chat(chat)?;
        if self.current().as_deref() != Some(chat) {
            return Ok(text);
        }
        let rest = Group::read(&text)?;
        let left = rest.chat_names();
        let next = left.iter().find(|name| Some(name.as_str()) == parent).or(left.last());
        next.map_or_else(|| Ok(text.clone()), |next| rest.with_current(next))
    }

    /// A list without any chat, as it is written, if nothing would tell how it was once it has one:
    /// `[ ]`, or nothing at all.
    pub(crate) fn bare_list(&self) -> Option<String> {
        let list = self.json.get("chats").map_or("", Json::text);
        (self.chats().is_empty() && list != "[]").then(|| list.to_owned())
    }

    /// The record with a list that has no chat any more written as it was. Anything else than such a
    /// list is not written, whoever says that it was one.
    pub(crate) fn with_bare_list(&self, was: &str) -> Result<String, JsonError> {
        let is_bare = |was: Json<'_>| matches!(was.kind(), Kind::Array | Kind::Null);
        let is_known = was.is_empty()
            || Json::parse(was).is_ok_and(|was| is_bare(was) && was.items().is_empty());
        match self.json.get("chats") {
            Some(list) if self.chats().is_empty() && is_known => {
                if was.is_empty() {
                    return remove(self.text, &["chats"]);
                }
                let mut splices = Splices::new(self.text);
                splices.replace(list, was);
                Ok(splices.apply())
            }
            _ => Ok(self.text.to_owned()),
        }
    }

    /// The record without a chat in its list, as it was before [`Self::with_chat`]: no byte between
    /// the others changes.
    pub fn without_chat(&self, chat: &str) -> Result<String, JsonError> {
        let mut splices = Splices::new(self.text);
        if let Some(list) = self.json.get("chats") {
            splices.cut_items(list, |name| name.says(chat));
        }
        Ok(splices.apply())
    }

    /// The record in which a chat, as it spells it, has another name.
    pub(crate) fn with_renamed(&self, chat: &str, to: &str) -> String {
        let mut splices = Splices::new(self.text);
        let current = self.json.get("chat_id");
        for name in self.chats().into_iter().chain(current).filter(|name| name.says(chat)) {
            splices.replace(name, quote(to));
        }
        splices.apply()
    }

    /// The record with one more chat in its list.
    pub fn with_chat(&self, chat: &str) -> Result<String, JsonError> {
        let chats = self.chats();
        // Behind the last one, spaced as the record is, so that no other byte changes.
        if let (Some(first), Some(last)) = (chats.first(), chats.last()) {
            let list = self.json.get("chats").map_or("", Json::text);
            let before = &list[1..list.find(first.text()).unwrap_or(1)];
            let mut splices = Splices::new(self.text);
            splices.replace(*last, format!("{},{before}{}", last.text(), quote(chat)));
            return Ok(splices.apply());
        }
        match self.json.some("chats") {
            Some(odd) if odd.kind() != Kind::Array => {
                Err(JsonError::NotAnArray("chats".to_owned()))
            }
            _ => set(self.text, &["chats"], &format!("[{}]", quote(chat))),
        }
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
        let back = Group::read(&with).unwrap().without_chat("c").unwrap();
        assert_eq!(back, text);
        let none = Group::read("{\n    \"chats\": [\n        \"c\"\n    ]\n}").unwrap();
        assert_eq!(none.without_chat("c").unwrap(), empty);
        assert_eq!(none.without_chat("d").unwrap(), "{\n    \"chats\": [\n        \"c\"\n    ]\n}");
        let ended = format!("{text}\n");
        assert!(Group::read(&ended).unwrap().with_chat("c").unwrap().ends_with("}\n"));
        assert!(Group::read(r#"{"chats":"a"}"#).unwrap().with_chat("c").is_err());
        assert_eq!(Group::read(r#"{"chats":["g: c"]}"#).unwrap().spelled("g c").unwrap(), "g: c");
    }

    #[test]
    fn what_was_listed_is_taken_out_again_byte_for_byte() {
        for chats in
            [r#"["a", "b"]"#, r#"["a","b"]"#, "[ \"a\" ,\t\"b\"\r\n]", r#"["a"]"#, "[\n  \"a\"]"]
        {
            let text = format!("{{\"chats\": {chats}, \"x\": 1.0}}\n");
            let with = Group::read(&text).unwrap().with_chat("c").unwrap();
            assert_eq!(Group::read(&with).unwrap().without_chat("c").unwrap(), text);
        }
        for text in
            ["{\n  \"chats\": [ ],\n  \"x\": 1\n}", "{\"chats\":null}", "{\"x\": 1.0}", "{}\n"]
        {
            let bare = Group::read(text).unwrap().bare_list().unwrap();
            let with = Group::read(text).unwrap().with_chat("c").unwrap();
            let without = Group::read(&with).unwrap().without_chat("c").unwrap();
            assert_eq!(Group::read(&without).unwrap().with_bare_list(&bare).unwrap(), text);
        }
        let none = Group::read(r#"{"chats": []}"#).unwrap();
        for odd in ["[", r#"["x"]"#, "{}", "1", "[],\"x\":1", "\"\u{1b}\""] {
            assert_eq!(none.with_bare_list(odd).unwrap(), r#"{"chats": []}"#);
        }
        let one = Group::read(r#"{"chats": ["a"]}"#).unwrap();
        assert_eq!(one.with_bare_list("[ ]").unwrap(), r#"{"chats": ["a"]}"#, "somebody came");
        let first = Group::read(r#"{"chats": ["c", "a", "c", "b"]}"#).unwrap();
        assert_eq!(first.without_chat("c").unwrap(), r#"{"chats": ["a", "b"]}"#);
    }

    #[test]
    fn a_group_never_opens_with_a_chat_that_is_gone() {
        let group = |current: &str| format!(r#"{{"chat_id":"{current}","chats":["a","b","c"]}}"#);
        let without = |current: &str, parent| {
            let text = group(current);
            Group::read(&text).unwrap().forgetting("c", parent).unwrap()
        };
        let left = |current: &str| group(current).replace(r#","c"]"#, "]");
        assert_eq!(without("c", Some("a")), left("a"));
        assert_eq!(without("c", Some("elsewhere")), left("b"));
        assert_eq!(without("c", None), left("b"));
        assert_eq!(without("a", Some("b")), left("a"), "it opens with another");
        let alone = Group::read(r#"{"chat_id":"c","chats":["c"]}"#).unwrap();
        assert_eq!(alone.forgetting("c", None).unwrap(), r#"{"chat_id":"c","chats":[]}"#);
    }

    #[test]
    fn groups_of_114_are_recognised() {
        assert!(Group::read(r#"{"past_metadata":{}}"#).unwrap().keeps_metadata());
        assert!(!Group::read(r#"{"chats":[]}"#).unwrap().keeps_metadata());
    }
}
