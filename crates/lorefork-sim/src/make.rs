//! Small folders for tests, written by hand rather than by the code under test.

use lorefork::json::quote;
use lorefork::tavern::place::{ChatRef, group_file, lorebook_file};

use crate::folder::Folder;

/// A header line as SillyTavern 1.19 writes it. `metadata` is JSON text.
pub fn header(metadata: &str) -> String {
    format!(r#"{{"chat_metadata":{metadata},"user_name":"unused","character_name":"unused"}}"#)
}

/// A message line. `extra` is JSON text.
pub fn message(name: &str, text: &str, extra: &str) -> String {
    let (name, text) = (quote(name), quote(text));
    format!(
        r#"{{"name":{name},"is_user":false,"is_system":false,"send_date":"2026-11-15T19:05:18.246Z","mes":{text},"extra":{extra}}}"#
    )
}

/// A lorebook entry with the few fields most tests need.
pub fn entry(uid: u64, comment: &str, content: &str) -> String {
    let (comment, content) = (quote(comment), quote(content));
    format!(
        r#"{{"uid":{uid},"key":[],"keysecondary":[],"comment":{comment},"content":{content},"disable":false}}"#
    )
}

impl Folder {
    /// Adds a chat: lines joined by line feeds, none at the end.
    #[must_use]
    pub fn with_chat(mut self, chat: &ChatRef, header: &str, messages: &[String]) -> Self {
        let mut text = header.to_owned();
        for message in messages {
            text.push('\n');
            text.push_str(message);
        }
        self.put(chat.file(), text);
        self
    }

    /// Adds a lorebook; entries are `(key, JSON text)`.
    #[must_use]
    pub fn with_lorebook(mut self, name: &str, entries: &[(&str, String)]) -> Self {
        let entries: Vec<String> =
            entries.iter().map(|(key, entry)| format!("{}:{entry}", quote(key))).collect();
        self.put(lorebook_file(name), format!(r#"{{"entries":{{{}}}}}"#, entries.join(",")));
        self
    }

    /// Adds a group whose first chat is the open one.
    #[must_use]
    pub fn with_group(mut self, id: &str, chats: &[&str]) -> Self {
        let names: Vec<String> = chats.iter().map(|name| quote(name)).collect();
        let open = names.first().cloned().unwrap_or_else(|| "null".to_owned());
        let (quoted, chats) = (quote(id), names.join(",\n        "));
        self.put(
            group_file(id),
            format!(
                "{{\n    \"id\": {quoted},\n    \"name\": \"Crew\",\n    \"chat_id\": {open},\n    \"chats\": [\n        {chats}\n    ],\n    \"date_added\": 1794771257670.5352\n}}"
            ),
        );
        self
    }
}

#[cfg(test)]
mod tests {
    use lorefork::json::Json;
    use lorefork::tavern::place::Owner;

    use super::*;

    #[test]
    fn what_is_made_can_be_read() {
        let chat = ChatRef::new(Owner::Group("7".into()), "Night \"watch\"");
        let folder = Folder::new()
            .with_chat(&chat, &header("{}"), &[message("Mira", "a\nb", "{}")])
            .with_lorebook("Lore", &[("0", entry(0, "a", "\\"))])
            .with_group("7", &[&chat.name]);
        let text = folder.text(&chat.file()).unwrap();
        assert_eq!(text.lines().count(), 2);
        assert!(text.lines().all(|line| Json::parse(line).is_ok()));
        let lore = Json::parse(folder.text("worlds/Lore.json").unwrap()).unwrap();
        assert_eq!(lore.at(&["entries", "0", "uid"]).unwrap().integer(), Some(0));
        let group = Json::parse(folder.text("groups/7.json").unwrap()).unwrap();
        assert!(group.get("chats").unwrap().items()[0].says(&chat.name));
    }
}
