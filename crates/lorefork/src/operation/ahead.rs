//! A user folder as it will be: a host that shows the files of another one with the changes that
//! were decided so far. So what is planned can be looked at, and planned upon, before anything is
//! written. Nothing can be written here.

use crate::say;
use std::ops::Range;

use super::change::{FileChange, FileRef, To};
use crate::host::{
    ChatView, Damage, Document, HeaderOf, Host, HostError, HostErrorKind, Line, LineEdit, Now,
    Pieces, Stamp, Step, Trashed, Wanted, Written,
};
use crate::tavern::card::Card;
use crate::tavern::group::Group;
use crate::tavern::place::{ChatRef, Owner};

pub(crate) struct Ahead<'h, H: Host> {
    host: &'h H,
    /// One for each file, in the order in which they are to be written.
    changes: Vec<FileChange>,
}

/// A chat as it will be.
pub(crate) struct AheadChat<C> {
    view: C,
    /// As it was asked for: a group may list it by now.
    chat: ChatRef,
    header: String,
    edits: Vec<LineEdit>,
}

impl<'h, H: Host> Ahead<'h, H> {
    pub(crate) fn new(host: &'h H) -> Self {
        Self { host, changes: Vec::new() }
    }

    /// Decides more, on top of what was decided: these changes were planned on this host.
    pub(crate) fn add(&mut self, changes: Vec<FileChange>) {
        for change in changes {
            let before = self.changes.iter_mut().find(|before| before.file.is_same(&change.file));
            match (before, change) {
                (Some(before), change) => before.to = after(&before.to, change.to),
                (None, change) => self.changes.push(change),
            }
        }
    }

    /// All of it as one change set. New lorebooks come first: what names them comes after.
    pub(crate) fn into_changes(self) -> Vec<FileChange> {
        let (new, others): (Vec<_>, Vec<_>) =
            self.changes.into_iter().partition(|change| change.seen.is_none());
        new.into_iter().chain(others).collect()
    }

    fn text(&self, file: &FileRef) -> Option<Document> {
        let change = self.changes.iter().find(|change| change.file.is_same(file))?;
        let To::Text(text) = &change.to else { return None };
        // Of a file that is not there yet nobody has a stamp; `add` knows it by its place.
        let stamp = change.seen.clone().unwrap_or_else(|| Stamp(String::new()));
        Some(Document { text: text.clone(), stamp })
    }
}

fn after(first: &To, then: To) -> To {
    match (first, then) {
        (To::Lines(first), To::Lines(then)) => {
            let mut all: Vec<LineEdit> = first
                .iter()
                .filter(|edit| !then.iter().any(|later| later.line == edit.line))
                .cloned()
                .collect();
            all.extend(then);
            all.sort_by_key(|edit| edit.line);
            To::Lines(all)
        }
        (_, then) => then,
    }
}

/// A header as it will be, of the group that will list it.
fn laid_over(changes: &[FileChange], other: &HeaderOf) -> HeaderOf {
    let mut over = other.clone();
    let file = other.chat.file();
    for change in changes {
        match (&change.file, &change.to) {
            (FileRef::Chat(chat), To::Lines(edits)) if chat.file() == file => {
                if let Some(edit) = edits.iter().find(|edit| edit.line == Line::Header) {
                    over.header.clone_from(&edit.text);
                }
            }
            (FileRef::Group(id), To::Text(text))
                if over.chat.owner == unlisted() && lists(text, &over.chat.name) =>
            {
                over.chat.owner = Owner::Group(id.clone());
            }
            _ => {}
        }
    }
    over
}

fn lists(group: &str, chat: &str) -> bool {
    Group::read(group).is_ok_and(|group| group.spelled(chat).is_some())
}

/// Who owns a group chat that no group lists.
fn unlisted() -> Owner {
    Owner::Group(String::new())
}

impl<C: ChatView> ChatView for AheadChat<C> {
    fn chat(&self) -> &ChatRef {
        &self.chat
    }

    fn header(&self) -> &str {
        &self.header
    }

    fn len(&self) -> usize {
        self.view.len()
    }

    fn stamp(&self) -> &Stamp {
        self.view.stamp()
    }

    fn find(&self, key: &str, range: Range<usize>) -> Result<Vec<usize>, HostError> {
        let mut found = self.view.find(key, range.clone())?;
        let quoted = format!("\"{key}\"");
        for edit in &self.edits {
            let Line::Message(at) = edit.line else { continue };
            found.retain(|other| *other != at);
            if range.contains(&at) && edit.text.contains(&quoted) {
                found.push(at);
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    fn line(&self, message: usize) -> Result<String, HostError> {
        let edit = self.edits.iter().find(|edit| edit.line == Line::Message(message));
        edit.map_or_else(|| self.view.line(message), |edit| Ok(edit.text.clone()))
    }

    fn check(&self, range: Range<usize>) -> Result<Option<Damage>, HostError> {
        self.view.check(range)
    }
}

fn refused() -> HostError {
    let message = say!("this is only a plan; nothing can be written");
    HostError { kind: HostErrorKind::Failed, file: None, message }
}

impl<H: Host> Host for Ahead<'_, H> {
    type Chat = AheadChat<H::Chat>;
    type Claim = H::Claim;

    async fn claim(&self, _: &str) -> Result<H::Claim, HostError> {
        Err(refused())
    }

    async fn settle(&self, _: &ChatRef) -> Result<(), HostError> {
        Ok(())
    }

    async fn still_there(&self, chat: &Self::Chat) -> Result<(), HostError> {
        self.host.still_there(&chat.view).await
    }

    async fn pause(&self) {
        self.host.pause().await;
    }

    async fn open(&self, chat: &ChatRef) -> Result<Self::Chat, HostError> {
        let view = self.host.open(chat).await?;
        let file = chat.file();
        let change = self.changes.iter().find(|change| change.file.file() == file);
        if change.is_some_and(|change| change.seen.as_ref() != Some(view.stamp())) {
            let message = say!("it was changed while the repairs were planned");
            return Err(HostError::new(HostErrorKind::Changed, file, message));
        }
        let edits = match change.map(|change| &change.to) {
            Some(To::Lines(edits)) => edits.clone(),
            _ => Vec::new(),
        };
        let header = edits.iter().find(|edit| edit.line == Line::Header);
        let header = header.map_or_else(|| view.header().to_owned(), |edit| edit.text.clone());
        Ok(AheadChat { chat: chat.clone(), header, edits, view })
    }

    async fn chat_names(&self, owner: &Owner) -> Result<Vec<String>, HostError> {
        self.host.chat_names(owner).await
    }

    async fn lorebook(&self, name: &str) -> Result<Option<Document>, HostError> {
        match self.text(&FileRef::Lorebook(name.to_owned())) {
            Some(decided) => Ok(Some(decided)),
            None => self.host.lorebook(name).await,
        }
    }

    async fn lorebook_names(&self) -> Result<Vec<String>, HostError> {
        let mut all = self.host.lorebook_names().await?;
        for change in &self.changes {
            if let FileRef::Lorebook(name) = &change.file
                && !all.contains(name)
            {
                all.push(name.clone());
            }
        }
        Ok(all)
    }

    async fn headers(&self, wanted: &Wanted<'_>) -> Result<Vec<HeaderOf>, HostError> {
        let changes = &self.changes;
        let found = self.host.headers(&|other| wanted(&laid_over(changes, other))).await?;
        Ok(found.iter().map(|other| laid_over(changes, other)).collect())
    }

    async fn settings(&self) -> Result<Option<String>, HostError> {
        self.host.settings().await
    }

    async fn card(&self, character: &str) -> Result<Option<Card>, HostError> {
        self.host.card(character).await
    }

    async fn group(&self, id: &str) -> Result<Option<Document>, HostError> {
        match self.text(&FileRef::Group(id.to_owned())) {
            Some(decided) => Ok(Some(decided)),
            None => self.host.group(id).await,
        }
    }

    async fn characters(&self) -> Result<Vec<String>, HostError> {
        self.host.characters().await
    }

    async fn groups(&self) -> Result<Vec<String>, HostError> {
        self.host.groups().await
    }

    async fn lorebook_time(&self, name: &str) -> Result<Option<u64>, HostError> {
        self.host.lorebook_time(name).await
    }

    async fn create_lorebook(&self, _: &str, _: &str) -> Written {
        Written::Refused(refused())
    }

    async fn create_chat(
        &self,
        _: &ChatRef,
        _: &str,
        _: &mut Pieces<'_>,
        _: &Self::Chat,
    ) -> Written {
        Written::Refused(refused())
    }

    async fn edit_chat(&self, _: &Self::Chat, _: &[LineEdit]) -> Written {
        Written::Refused(refused())
    }

    async fn replace_lorebook(&self, _: &str, _: &str, _: &Stamp) -> Written {
        Written::Refused(refused())
    }

    async fn replace_group(&self, _: &str, _: &str, _: &Stamp) -> Written {
        Written::Refused(refused())
    }

    async fn remove_lorebook(&self, _: &str, _: &Stamp) -> Written {
        Written::Refused(refused())
    }

    async fn remove_chat(&self, _: &ChatRef, _: &Stamp) -> Written {
        Written::Refused(refused())
    }

    async fn keep(&self, _: &str, _: &FileRef, _: &str) -> Result<(), HostError> {
        Err(refused())
    }

    async fn trash(&self, _: &str, _: &FileRef, _: &Stamp) -> Written {
        Written::Refused(refused())
    }

    async fn restore(&self, _: &str, _: &FileRef) -> Written {
        Written::Refused(refused())
    }

    async fn kept(&self, id: &str, file: &FileRef) -> Result<Option<String>, HostError> {
        self.host.kept(id, file).await
    }

    async fn trashed(&self) -> Result<Vec<Trashed>, HostError> {
        self.host.trashed().await
    }

    async fn burn(&self, _: &str) -> Result<(), HostError> {
        Err(refused())
    }

    async fn note(&self, _: &str, _: &str) -> Result<(), HostError> {
        Err(refused())
    }

    async fn unfinished(&self) -> Result<Vec<String>, HostError> {
        self.host.unfinished().await
    }

    async fn forget(&self, _: &str) -> Result<(), HostError> {
        Err(refused())
    }

    async fn operation_ids(&self) -> Result<Vec<String>, HostError> {
        self.host.operation_ids().await
    }

    async fn log(&self, _: &str, _: &str) -> Result<(), HostError> {
        Err(refused())
    }

    async fn logged(&self) -> Result<Vec<String>, HostError> {
        self.host.logged().await
    }

    fn now(&self) -> Now {
        self.host.now()
    }

    fn id(&self) -> [u8; 16] {
        self.host.id()
    }

    fn is_generating(&self) -> bool {
        self.host.is_generating()
    }

    fn is_outside(&self) -> bool {
        self.host.is_outside()
    }

    fn progress(&self, step: Step) {
        self.host.progress(step);
    }
}
