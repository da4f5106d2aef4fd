//! A user folder as it will be: a host that shows the files of another one, and while a repair is
//! planned, with the changes that were decided so far. So what is planned can be looked at, and
//! planned upon, before anything is written; nothing can be written then. At any other time it is
//! the other host: so the engine is compiled for one of them, where size counts.

use crate::say;
use crate::sorted;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::change::{FileChange, FileRef, To};
use crate::host::{
    ChatView, Damage, Document, HeaderOf, Host, HostError, HostErrorKind, Line, LineEdit, Now,
    Pieces, Stamp, Step, Trashed, Wanted, Written,
};
use crate::tavern::card::Card;
use crate::tavern::group::Group;
use crate::tavern::place::{ChatRef, Owner};

/// A host with room for a plan.
pub struct Ahead<'h, H: Host> {
    host: &'h H,
    /// While something is planned: one for each file, in the order in which they are to be written.
    decided: RefCell<Option<Rc<Vec<FileChange>>>>,
}

/// A plan that is being made. When it goes, the host shows its files as they are.
pub(crate) struct Planning<'a, 'h, H: Host>(&'a Ahead<'h, H>);

/// A chat as it will be.
pub struct AheadChat<C> {
    view: C,
    /// As it was asked for: a group may list it by now.
    chat: ChatRef,
    header: String,
    edits: Vec<LineEdit>,
}

impl<'h, H: Host> Ahead<'h, H> {
    /// Nothing is written yet: all is as the host has it.
    pub fn new(host: &'h H) -> Self {
        Self { host, decided: RefCell::new(None) }
    }

    /// The other host: its files as they are.
    pub fn host(&self) -> &'h H {
        self.host
    }

    /// Begins to plan.
    pub(crate) fn planning(&self) -> Planning<'_, 'h, H> {
        self.decided.replace(Some(Rc::default()));
        Planning(self)
    }

    fn decided(&self) -> Rc<Vec<FileChange>> {
        self.decided.borrow().clone().unwrap_or_default()
    }

    /// Whether something may be written: what is planned is not there yet.
    fn writing(&self) -> Result<&'h H, HostError> {
        if self.decided.borrow().is_none() {
            return Ok(self.host);
        }
        let message = say!("this is only a plan; nothing can be written");
        Err(HostError::of_none(HostErrorKind::WriteFailed, message))
    }

    fn text(&self, file: &FileRef) -> Option<Document> {
        let decided = self.decided();
        let change = decided.iter().find(|change| change.file.is_same(file))?;
        let To::Text(text) = &change.to else { return None };
        // Of a file that is not there yet nobody has a stamp; `add` knows it by its place.
        let stamp = change.seen.clone().unwrap_or_else(|| Stamp(String::new()));
        Some(Document { text: text.clone(), stamp })
    }
}

impl<H: Host> Planning<'_, '_, H> {
    /// Decides more, on top of what was decided: these changes were planned on this host.
    pub(crate) fn add(&self, changes: Vec<FileChange>) {
        let mut decided = self.0.decided.borrow_mut();
        let all = Rc::make_mut(decided.get_or_insert_default());
        for change in changes {
            let before = all.iter_mut().find(|before| before.file.is_same(&change.file));
            match (before, change) {
                (Some(before), change) => before.to = after(&before.to, change.to),
                (None, change) => all.push(change),
            }
        }
    }

    /// All of it as one change set. New lorebooks come first: what names them comes after.
    pub(crate) fn into_changes(self) -> Vec<FileChange> {
        let decided = self.0.decided.take().unwrap_or_default();
        let (new, others): (Vec<_>, Vec<_>) =
            Rc::unwrap_or_clone(decided).into_iter().partition(|change| change.seen.is_none());
        new.into_iter().chain(others).collect()
    }
}

impl<H: Host> Drop for Planning<'_, '_, H> {
    fn drop(&mut self) {
        self.0.decided.replace(None);
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
            sorted::by_key(&mut all, |edit| edit.line);
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
        sorted::sort(&mut found);
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

impl<H: Host> Host for Ahead<'_, H> {
    type Chat = AheadChat<H::Chat>;
    type Claim = H::Claim;

    async fn claim(&self, why: &str) -> Result<H::Claim, HostError> {
        self.writing()?.claim(why).await
    }

    async fn settle(&self, chat: &ChatRef) -> Result<(), HostError> {
        match self.writing() {
            Ok(host) => host.settle(chat).await,
            Err(_) => Ok(()),
        }
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
        let decided = self.decided();
        let change = decided.iter().find(|change| change.file.file() == file);
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
        for change in &*self.decided() {
            if let FileRef::Lorebook(name) = &change.file
                && !all.contains(name)
            {
                all.push(name.clone());
            }
        }
        Ok(all)
    }

    async fn headers(&self, wanted: &Wanted<'_>) -> Result<Vec<HeaderOf>, HostError> {
        let decided = self.decided();
        if decided.is_empty() {
            return self.host.headers(wanted).await;
        }
        let changes: &[FileChange] = &decided;
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

    async fn create_lorebook(&self, name: &str, text: &str) -> Written {
        match self.writing() {
            Ok(host) => host.create_lorebook(name, text).await,
            Err(error) => Written::Refused(error),
        }
    }

    async fn create_chat(
        &self,
        chat: &ChatRef,
        header: &str,
        pieces: &mut Pieces<'_>,
        from: &Self::Chat,
    ) -> Written {
        match self.writing() {
            Ok(host) => host.create_chat(chat, header, pieces, &from.view).await,
            Err(error) => Written::Refused(error),
        }
    }

    async fn edit_chat(&self, chat: &Self::Chat, edits: &[LineEdit]) -> Written {
        match self.writing() {
            Ok(host) => host.edit_chat(&chat.view, edits).await,
            Err(error) => Written::Refused(error),
        }
    }

    async fn replace_lorebook(&self, name: &str, text: &str, seen: &Stamp) -> Written {
        match self.writing() {
            Ok(host) => host.replace_lorebook(name, text, seen).await,
            Err(error) => Written::Refused(error),
        }
    }

    async fn replace_group(&self, id: &str, text: &str, seen: &Stamp) -> Written {
        match self.writing() {
            Ok(host) => host.replace_group(id, text, seen).await,
            Err(error) => Written::Refused(error),
        }
    }

    async fn remove_lorebook(&self, name: &str, seen: &Stamp) -> Written {
        match self.writing() {
            Ok(host) => host.remove_lorebook(name, seen).await,
            Err(error) => Written::Refused(error),
        }
    }

    async fn remove_chat(&self, chat: &ChatRef, seen: &Stamp) -> Written {
        match self.writing() {
            Ok(host) => host.remove_chat(chat, seen).await,
            Err(error) => Written::Refused(error),
        }
    }

    async fn keep(&self, id: &str, file: &FileRef, text: &str) -> Result<(), HostError> {
        self.writing()?.keep(id, file, text).await
    }

    async fn trash(&self, id: &str, file: &FileRef, seen: &Stamp) -> Written {
        match self.writing() {
            Ok(host) => host.trash(id, file, seen).await,
            Err(error) => Written::Refused(error),
        }
    }

    async fn restore(&self, id: &str, file: &FileRef) -> Written {
        match self.writing() {
            Ok(host) => host.restore(id, file).await,
            Err(error) => Written::Refused(error),
        }
    }

    async fn kept(&self, id: &str, file: &FileRef) -> Result<Option<String>, HostError> {
        self.host.kept(id, file).await
    }

    async fn trashed(&self) -> Result<Vec<Trashed>, HostError> {
        self.host.trashed().await
    }

    async fn burn(&self, id: &str) -> Result<(), HostError> {
        self.writing()?.burn(id).await
    }

    async fn note(&self, id: &str, text: &str) -> Result<(), HostError> {
        self.writing()?.note(id, text).await
    }

    async fn unfinished(&self) -> Result<Vec<String>, HostError> {
        self.host.unfinished().await
    }

    async fn forget(&self, id: &str) -> Result<(), HostError> {
        self.writing()?.forget(id).await
    }

    async fn operation_ids(&self) -> Result<Vec<String>, HostError> {
        self.host.operation_ids().await
    }

    async fn log(&self, id: &str, text: &str) -> Result<(), HostError> {
        self.writing()?.log(id, text).await
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
