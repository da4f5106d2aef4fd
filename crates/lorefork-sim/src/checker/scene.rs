//! The two folders and what they are expected to show.

use lorefork::tavern::place::ChatRef;

use super::parts::Chat;
use super::{Expectation, Flow};
use crate::folder::{Folder, is_chat};

#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) before: &'a Folder,
    pub(super) after: &'a Folder,
    pub(super) ctx: &'a Expectation,
}

impl<'a> Scene<'a> {
    /// The chat the flow was asked about.
    pub(super) fn subject(&self) -> &'a ChatRef {
        match &self.ctx.flow {
            Flow::Fork { parent, .. } => parent,
            Flow::Isolate { chat } => chat,
        }
    }

    /// Whether a file is not what it would be without us, or was not there at all.
    pub(super) fn is_touched(&self, file: &str) -> bool {
        self.before.get(file) != self.after.get(file)
    }

    pub(super) fn new_files(&self) -> impl Iterator<Item = &'a str> {
        let before = self.before;
        self.after.files().map(|(file, _)| file).filter(move |file| !before.has(file))
    }

    pub(super) fn new_chats(&self) -> impl Iterator<Item = &'a str> {
        self.new_files().filter(|file| is_chat(file))
    }

    /// The timelines this flow gave a lorebook: a new one, or the one that was rebound.
    pub(super) fn timelines(&self) -> Vec<Chat<'a>> {
        match &self.ctx.flow {
            Flow::Fork { .. } => {
                self.new_chats().filter_map(|file| Chat::read(self.after, file)).collect()
            }
            Flow::Isolate { chat } => {
                let file = chat.file();
                if !self.is_touched(&file) {
                    return Vec::new();
                }
                let file = self.after.chats().find(|other| *other == file);
                file.and_then(|file| Chat::read(self.after, file)).into_iter().collect()
            }
        }
    }
}
