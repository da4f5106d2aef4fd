//! The desk: files as they will be after the changes that were decided so far. Changes of one file
//! add up, and all of them together are one change set.

use super::change::{FileChange, To};
use crate::error::{Code, Error};
use crate::host::{ChatView, Host, Line, LineEdit, Stamp};
use crate::say;
use crate::sorted;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::place::{ChatRef, FileRef};
use crate::tavern::slug;
use crate::timeline::record;

pub(crate) struct Desk<'h, H: Host> {
    host: &'h H,
    chats: Vec<OnDesk<H::Chat>>,
    texts: Vec<TextOnDesk>,
}

struct OnDesk<C> {
    view: C,
    edits: Vec<LineEdit>,
    /// Whether its slug changes even where nothing else asks for it.
    is_renewed: bool,
}

struct TextOnDesk {
    file: FileRef,
    seen: Option<Stamp>,
    before: Option<String>,
    now: Option<String>,
}

impl<'h, H: Host> Desk<'h, H> {
    pub(crate) fn new(host: &'h H) -> Self {
        Self { host, chats: Vec::new(), texts: Vec::new() }
    }

    pub(crate) fn host(&self) -> &'h H {
        self.host
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.host.now().ms
    }

    pub(crate) fn id(&self) -> [u8; 16] {
        self.host.id()
    }

    async fn chat(&mut self, chat: &ChatRef) -> Result<&mut OnDesk<H::Chat>, Error> {
        let at = self.chats.iter().position(|open| open.view.chat() == chat);
        let at = match at {
            Some(at) => at,
            None => {
                let view = self.host.open(chat).await?;
                self.chats.push(OnDesk { view, edits: Vec::new(), is_renewed: false });
                self.chats.len() - 1
            }
        };
        Ok(&mut self.chats[at])
    }

    /// Whether a chat lies here.
    pub(crate) fn has(&self, chat: &ChatRef) -> bool {
        self.chats.iter().any(|open| open.view.chat() == chat)
    }

    /// The lines of a chat that change, as they will be.
    pub(crate) fn edits(&self, chat: &ChatRef) -> &[LineEdit] {
        let open = self.chats.iter().find(|open| open.view.chat() == chat);
        open.map_or(&[], |open| &open.edits)
    }

    pub(crate) async fn view(&mut self, chat: &ChatRef) -> Result<&H::Chat, Error> {
        Ok(&self.chat(chat).await?.view)
    }

    /// A line as it will be; a header without its byte order mark.
    pub(crate) async fn line(&mut self, chat: &ChatRef, line: Line) -> Result<String, Error> {
        let open = self.chat(chat).await?;
        if let Some(edit) = open.edits.iter().find(|edit| edit.line == line) {
            return Ok(edit.text.clone());
        }
        match line {
            Line::Header => Ok(open.view.header().trim_start_matches('\u{feff}').to_owned()),
            Line::Message(at) => open.view.line(at).map_err(Error::from),
        }
    }

    pub(crate) async fn set_line(
        &mut self,
        chat: &ChatRef,
        line: Line,
        text: String,
    ) -> Result<(), Error> {
        let open = self.chat(chat).await?;
        open.edits.retain(|edit| edit.line != line);
        open.edits.push(LineEdit { line, text });
        Ok(())
    }

    pub(crate) async fn renew_slug(&mut self, chat: &ChatRef) -> Result<(), Error> {
        let header = self.line(chat, Line::Header).await?;
        self.set_line(chat, Line::Header, header).await?;
        self.chat(chat).await?.is_renewed = true;
        Ok(())
    }

    async fn text(&mut self, file: FileRef) -> Result<&mut TextOnDesk, Error> {
        let at = self.texts.iter().position(|open| open.file.is_same(&file));
        let at = match at {
            Some(at) => at,
            None => {
                let document = match &file {
                    FileRef::Group(id) => self.host.group(id).await,
                    FileRef::Lorebook(name) => self.host.lorebook(name).await,
                    FileRef::Chat(_) => Ok(None),
                };
                let document = document?;
                let (text, seen) = document.map(|found| (found.text, found.stamp)).unzip();
                self.texts.push(TextOnDesk { file, seen, before: text.clone(), now: text });
                self.texts.len() - 1
            }
        };
        Ok(&mut self.texts[at])
    }

    /// A lorebook as it will be.
    pub(crate) async fn book(&mut self, name: &str) -> Result<Option<String>, Error> {
        Ok(self.text(FileRef::Lorebook(name.to_owned())).await?.now.clone())
    }

    pub(crate) async fn set_book(&mut self, name: &str, text: String) -> Result<(), Error> {
        self.text(FileRef::Lorebook(name.to_owned())).await?.now = Some(text);
        Ok(())
    }

    pub(crate) async fn group(&mut self, id: &str) -> Result<String, Error> {
        let open = self.text(FileRef::Group(id.to_owned())).await?;
        let gone = || {
            let message = say!("{0} is gone", open.file.file());
            Error::new(Code::ChangedMeanwhile, message, say!("Check again."))
        };
        open.now.clone().ok_or_else(gone)
    }

    /// Of a group that was read.
    pub(crate) fn set_group(&mut self, id: &str, text: String) {
        let file = FileRef::Group(id.to_owned());
        if let Some(open) = self.texts.iter_mut().find(|open| open.file == file) {
            open.now = Some(text);
        }
    }

    /// What becomes of the files: lorebooks and groups first, then the chats that name them.
    pub(crate) fn changes(self) -> Result<Vec<FileChange>, Error> {
        let mut changes = Vec::new();
        for open in self.texts {
            if let Some(now) = open.now.filter(|now| open.before.as_ref() != Some(now)) {
                changes.push(FileChange { file: open.file, seen: open.seen, to: To::Text(now) });
            }
        }
        for mut open in self.chats {
            let (view, is_renewed) = (&open.view, open.is_renewed);
            open.edits.retain(|edit| match edit.line {
                Line::Header => is_renewed || edit.text != view.header(),
                // Only one that is known to say the same already is no change.
                Line::Message(at) => !view.line(at).is_ok_and(|line| line == edit.text),
            });
            if open.edits.is_empty() {
                continue;
            }
            if self.host.is_outside() || open.is_renewed {
                renew(&mut open, &slug::slug(self.host.id()));
            }
            sorted::by_key(&mut open.edits, |edit| edit.line);
            changes.push(FileChange {
                file: FileRef::Chat(open.view.chat().clone()),
                seen: Some(open.view.stamp().clone()),
                to: To::Lines(open.edits),
            });
        }
        Ok(changes)
    }
}

/// A tab that still holds the old chat must ask before it writes it back.
fn renew<C: ChatView>(open: &mut OnDesk<C>, slug: &str) {
    let at = open.edits.iter().position(|edit| edit.line == Line::Header);
    let text = at.map_or_else(|| open.view.header().to_owned(), |at| open.edits[at].text.clone());
    let Ok(header) = Header::read(&text) else { return };
    if header.slug().is_none() {
        return;
    }
    let is_own = record::own_id(&header, &open.view.chat().name).is_some();
    let mut edit = HeaderEdit::new(&text);
    let set = edit
        .set_text(&["integrity"], slug)
        .and_then(|()| if is_own { edit.set_text(&[record::KEY, "slug"], slug) } else { Ok(()) });
    if set.is_err() {
        return;
    }
    let edit = LineEdit { line: Line::Header, text: edit.into_text() };
    match at {
        Some(at) => open.edits[at] = edit,
        None => open.edits.push(edit),
    }
}
