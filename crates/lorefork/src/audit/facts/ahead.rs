//! Facts of a folder as it will be, once changes are made that were decided.

use super::{BookFacts, ChatFacts, Folder, GroupFacts, MARKS};
use crate::host::{Line, LineEdit};
use crate::operation::change::{FileChange, FileRef, To};
use crate::sorted;
use crate::tavern::names;
use crate::tavern::place::Owner;

impl Folder {
    /// The facts after these changes.
    pub(in crate::audit) fn lay(&mut self, changes: &[FileChange]) {
        for change in changes {
            match (&change.file, &change.to) {
                (FileRef::Chat(chat), To::Lines(edits)) => {
                    let file = chat.file();
                    let chat = self.chats.iter_mut().find(|facts| facts.chat.file() == file);
                    if let Some(facts) = chat {
                        facts.lay(edits);
                    }
                }
                (FileRef::Lorebook(name), To::Text(text)) => self.lay_lorebook(name, text),
                (FileRef::Group(id), To::Text(text)) => self.lay_group(id, text),
                // Repairs move no file to the trash, nor back.
                _ => {}
            }
        }
    }

    fn lay_lorebook(&mut self, name: &str, text: &str) {
        let at = self.lorebooks.iter().position(|facts| names::same_lorebook(&facts.name, name));
        let Some(at) = at else {
            self.lorebooks.push(BookFacts::read(name, text.as_bytes()));
            sorted::by(&mut self.lorebooks, |a, b| a.name.cmp(&b.name));
            return;
        };
        let before = &mut self.lorebooks[at];
        let is_shared = before.book.as_ref().is_ok_and(|book| book.is_shared_on_purpose);
        let mut now = BookFacts::read(&before.name, text.as_bytes());
        if let Ok(book) = &mut now.book {
            // The page knows it from its settings, not from the file.
            book.is_shared_on_purpose |= is_shared;
        }
        *before = now;
    }

    fn lay_group(&mut self, id: &str, text: &str) {
        let Ok(now) = GroupFacts::read(id, text) else { return };
        for facts in &mut self.chats {
            let is_listed = facts.chat.owner == Owner::Group(String::new())
                && now.chats.iter().any(|chat| {
                    names::chat_name(chat).as_deref() == Some(facts.chat.name.as_str())
                });
            if is_listed {
                facts.chat.owner = Owner::Group(id.to_owned());
            }
        }
        if let Some(before) = self.groups.iter_mut().find(|group| group.id == id) {
            *before = now;
        }
    }
}

impl ChatFacts {
    /// The facts after some lines were changed.
    pub(in crate::audit) fn lay(&mut self, edits: &[LineEdit]) {
        for edit in edits {
            match edit.line {
                Line::Header => self.add_header(&edit.text),
                Line::Message(at) => {
                    self.links.retain(|mark| mark.at != at);
                    self.scenes.retain(|scene| scene.at != at);
                    if MARKS.iter().any(|mark| edit.text.contains(mark)) {
                        self.add_message(at, &edit.text);
                    }
                }
            }
        }
        sorted::by_key(&mut self.links, |mark| mark.at);
        sorted::by_key(&mut self.scenes, |scene| scene.at);
    }
}
