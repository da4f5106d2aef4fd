//! What other tabs do to a folder while we work.

use lorefork::json::{Json, set};
use lorefork::tavern::place::lorebook_file;

use crate::folder::Folder;
use crate::make::{entry, header, message};

/// Adds an entry under the lowest free uid, as SillyTavern's editor would. A lorebook that is not
/// there or cannot be read stays as it is.
pub(crate) fn change_lorebook(folder: &mut Folder, name: &str) {
    let file = lorebook_file(name);
    let Some(text) = folder.text(&file) else { return };
    let Some(entries) = Json::parse(text).ok().and_then(|book| book.get("entries")) else { return };
    let taken = entries.members();
    let mut uid = 0;
    while taken.iter().any(|member| member.is(&uid.to_string())) {
        uid += 1;
    }
    let added = entry(uid, "location-Elsewhere", "Written by another tab.");
    if let Ok(text) = set(text, &["entries", &uid.to_string()], &added) {
        folder.put(file, text);
    }
}

/// Adds a message at the end of a chat.
pub(crate) fn change_chat(folder: &mut Folder, file: &str) {
    let Some(bytes) = folder.get(file) else { return };
    let mut bytes = bytes.to_vec();
    let ended = bytes.ends_with(b"\n");
    if !ended {
        bytes.push(b'\n');
    }
    bytes.extend(message("Another tab", "Meanwhile.", "{}").into_bytes());
    if ended {
        bytes.push(b'\n');
    }
    folder.put(file, bytes);
}

/// Creates a file somebody else is about to create; does nothing if there is one.
pub(crate) fn take_name(folder: &mut Folder, file: &str) {
    if folder.has_any_case(file) {
        return;
    }
    let text = if file.starts_with("worlds/") {
        r#"{"entries":{}}"#.to_owned()
    } else {
        header(r#"{"integrity":"somebody-else"}"#)
    };
    folder.put(file, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_tabs_write_what_sillytavern_would() {
        let mut folder = Folder::new().with_lorebook("Lore", &[("0", entry(0, "a", ""))]);
        change_lorebook(&mut folder, "Lore");
        change_lorebook(&mut folder, "None");
        let book = Json::parse(folder.text("worlds/Lore.json").unwrap()).unwrap();
        assert_eq!(book.at(&["entries", "1", "uid"]).unwrap().integer(), Some(1));

        folder.put("chats/M/a.jsonl", "{}\n");
        folder.put("chats/M/b.jsonl", "{}");
        change_chat(&mut folder, "chats/M/a.jsonl");
        change_chat(&mut folder, "chats/M/b.jsonl");
        assert!(folder.text("chats/M/a.jsonl").unwrap().ends_with("}\n"));
        assert_eq!(folder.text("chats/M/b.jsonl").unwrap().lines().count(), 2);

        take_name(&mut folder, "worlds/LORE.json");
        take_name(&mut folder, "worlds/New.json");
        assert!(!folder.has("worlds/LORE.json") && folder.has("worlds/New.json"));
    }
}
