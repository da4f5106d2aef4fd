//! What the audit sees of a folder in memory, as hosts over a real one read it.

use lorefork::audit;
use lorefork::audit::Problem;
use lorefork::audit::facts::{BookFacts, ChatFacts};
use lorefork::audit::fix::Look;
use lorefork::error::Error;
use lorefork::tavern::place::{ChatRef, Owner};

use crate::folder::Folder;
use crate::host::SimHost;

/// Facts of all lorebooks and of all chats of characters.
pub fn facts(folder: &Folder) -> audit::Folder {
    let mut found = audit::Folder::default();
    for (file, bytes) in folder.files() {
        let parts: Vec<&str> = file.split('/').collect();
        if let ["worlds", name] = parts.as_slice()
            && let Some(name) = name.strip_suffix(".json")
        {
            found.lorebooks.push(BookFacts::read(name, bytes));
        }
        if let ["chats", owner, name] = parts.as_slice()
            && let Some(name) = name.strip_suffix(".jsonl")
        {
            let chat = ChatRef::new(Owner::Character((*owner).to_owned()), name);
            found.chats.push(chat_facts(chat, folder.text(file).unwrap_or_default()));
        }
    }
    found
}

fn chat_facts(chat: ChatRef, text: &str) -> ChatFacts {
    let mut facts = ChatFacts::new(chat);
    let mut lines = text.lines();
    facts.add_header(lines.next().unwrap_or_default());
    for (at, line) in lines.enumerate() {
        facts.add_message(at, line);
        facts.messages += 1;
    }
    facts
}

/// For a repair of all that is found in the folder.
pub struct Everything<'h>(pub &'h SimHost);

impl Look for Everything<'_> {
    async fn folder(&self) -> Result<audit::Folder, Error> {
        Ok(facts(&self.0.folder()))
    }

    fn problems(&self, folder: &audit::Folder) -> Vec<Problem> {
        audit::judge(folder)
    }

    fn is_asked(&self, _: &Problem) -> bool {
        true
    }
}
