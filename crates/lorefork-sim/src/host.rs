//! The simulated host: SillyTavern's folder in memory, and a script that spoils things.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use lorefork::host::{
    ChatView, Document, HeaderOf, Host, HostError, HostErrorKind, LineEdit, Now, Pieces, Stamp,
    Step, Trashed, Wanted, Written,
};
use lorefork::tavern::card::Card;
use lorefork::tavern::place::{ChatRef, FileRef, Owner, group_file, lorebook_file};

use crate::files;
use crate::folder::Folder;
use crate::script::{Call, Reach, Script};
use crate::state::{State, error};
use crate::view::SimChat;

/// A host in memory. Deterministic: clock and ids only count.
#[derive(Debug)]
pub struct SimHost {
    state: Rc<State>,
    cards: BTreeMap<String, Card>,
    outside: bool,
    generating: Cell<bool>,
    claimed: Rc<Cell<bool>>,
    /// How often the program was started over this folder; ids of two lives differ.
    life: u64,
    ticks: Cell<u64>,
    ids: Cell<u64>,
    steps: RefCell<Vec<Step>>,
}

/// The one claim there is; dropping it lets the next operation in.
#[derive(Debug)]
pub struct SimClaim(Rc<Cell<bool>>);

impl Drop for SimClaim {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

impl SimHost {
    /// A host like the page inside SillyTavern, with nothing going wrong.
    pub fn new(folder: Folder) -> Self {
        let state = State { unaided: RefCell::new(folder.clone()), ..State::default() };
        *state.folder.borrow_mut() = folder;
        Self {
            state: Rc::new(state),
            cards: BTreeMap::new(),
            outside: false,
            generating: Cell::new(false),
            claimed: Rc::default(),
            life: 0,
            ticks: Cell::new(0),
            ids: Cell::new(0),
            steps: RefCell::default(),
        }
    }

    /// Like a program outside of SillyTavern: the user is nowhere, interrupted writes leave
    /// temporary files.
    #[must_use]
    pub fn outside(mut self) -> Self {
        self.outside = true;
        self.state.leaves_halves.set(true);
        self
    }

    /// What goes wrong. To be said before the first call.
    #[must_use]
    pub fn with_script(mut self, script: Script) -> Self {
        let state = State {
            folder: self.state.folder.clone(),
            unaided: self.state.unaided.clone(),
            earlier: self.state.earlier.clone(),
            open_chat: self.state.open_chat.clone(),
            leaves_halves: self.state.leaves_halves.clone(),
            script,
            ..State::default()
        };
        self.state = Rc::new(state);
        self
    }

    #[must_use]
    pub fn with_card(mut self, character: &str, card: Card) -> Self {
        self.cards.insert(character.to_owned(), card);
        self
    }

    /// Puts the user into a chat; else it is the one the first flow works on.
    #[must_use]
    pub fn in_chat(self, chat: &ChatRef) -> Self {
        *self.state.open_chat.borrow_mut() = Some(chat.clone());
        self
    }

    pub fn set_generating(&self, generating: bool) {
        self.generating.set(generating);
    }

    /// The program started again over the same folder, in calm: what was in memory is gone.
    #[must_use]
    pub fn restart(&self) -> Self {
        let state = State {
            folder: self.state.folder.clone(),
            unaided: self.state.unaided.clone(),
            earlier: self.state.earlier.clone(),
            leaves_halves: self.state.leaves_halves.clone(),
            ..State::default()
        };
        Self {
            state: Rc::new(state),
            cards: self.cards.clone(),
            outside: self.outside,
            generating: Cell::new(false),
            claimed: Rc::default(),
            life: self.life + 1,
            ticks: self.ticks.clone(),
            ids: Cell::new(0),
            steps: RefCell::default(),
        }
    }

    /// The folder as it is now.
    pub fn folder(&self) -> Folder {
        self.state.folder.borrow().clone()
    }

    /// Somebody else writes a file.
    pub fn put(&self, file: &str, text: &str) {
        self.state.folder.borrow_mut().put(file, text);
    }

    /// The folder as it would be without us: the beginning, and what the script's other tabs did.
    pub fn unaided(&self) -> Folder {
        self.state.unaided.borrow().clone()
    }

    /// Earlier bytes of files that other tabs changed: a fork may hold one of them rightly.
    pub fn earlier(&self) -> BTreeMap<String, Vec<Vec<u8>>> {
        self.state.earlier.borrow().clone()
    }

    /// All calls so far.
    pub fn trace(&self) -> Vec<Call> {
        self.state.trace.borrow().clone()
    }

    /// The steps a person would have seen.
    pub fn steps(&self) -> Vec<Step> {
        self.steps.borrow().clone()
    }

    pub fn has_crashed(&self) -> bool {
        self.state.crashed.get()
    }

    pub fn is_claimed(&self) -> bool {
        self.claimed.get()
    }

    /// Whether the user is in `chat`. The first chat asked about is where the user is.
    fn is_in(&self, chat: &ChatRef) -> Result<(), HostError> {
        if self.outside {
            return Ok(());
        }
        let mut open = self.state.open_chat.borrow_mut();
        if open.get_or_insert_with(|| chat.clone()) == chat {
            Ok(())
        } else {
            Err(error(HostErrorKind::ChatSwitched, &chat.file(), "another chat was opened"))
        }
    }
}

/// A call that other hosts write in: that it failed is no failed read.
fn writes(mut error: HostError) -> HostError {
    if error.kind == HostErrorKind::ReadFailed {
        error.kind = HostErrorKind::WriteFailed;
    }
    error
}

impl Host for SimHost {
    type Chat = SimChat;
    type Claim = SimClaim;

    async fn claim(&self, what: &str) -> Result<SimClaim, HostError> {
        let _ = what;
        self.state
            .ask("claim", "", |_| {
                if self.claimed.replace(true) {
                    return Err(error(HostErrorKind::Busy, "", "already in progress"));
                }
                Ok(SimClaim(Rc::clone(&self.claimed)))
            })
            .await
            .map_err(writes)
    }

    async fn settle(&self, chat: &ChatRef) -> Result<(), HostError> {
        self.state.ask("settle", &chat.file(), |_| self.is_in(chat)).await.map_err(writes)
    }

    async fn still_there(&self, chat: &SimChat) -> Result<(), HostError> {
        let file = chat.chat().file();
        self.state
            .ask("still_there", &file, |folder| {
                self.is_in(chat.chat())?;
                // Outside, nobody is in the chat: that it changed is found when it is written.
                if self.outside || files::same_slug_and_length(folder, &file, chat) {
                    return Ok(());
                }
                Err(error(HostErrorKind::Changed, &file, "the chat has changed"))
            })
            .await
    }

    async fn pause(&self) {
        // Time passes, in which others may write or the program may end.
        let _ = self.state.ask("pause", "", |_| Ok(())).await;
    }

    async fn open(&self, chat: &ChatRef) -> Result<SimChat, HostError> {
        let file = chat.file();
        self.state
            .ask("open", &file, |folder| {
                let bytes = folder.get(&file).ok_or_else(|| files::absent(&file))?;
                SimChat::freeze(chat, bytes, Rc::clone(&self.state))
            })
            .await
    }

    async fn chat_names(&self, owner: &Owner) -> Result<Vec<String>, HostError> {
        let home = match owner {
            Owner::Character(character) => format!("chats/{character}"),
            Owner::Group(_) => "group chats".to_owned(),
        };
        let names = |folder: &Folder| folder.stems(&home, ".jsonl").map(str::to_owned).collect();
        self.state.ask("chat_names", &home, |folder| Ok(names(folder))).await
    }

    async fn lorebook(&self, name: &str) -> Result<Option<Document>, HostError> {
        let file = lorebook_file(name);
        self.state.ask("lorebook", &file, |folder| files::document(folder, &file)).await
    }

    async fn lorebook_names(&self) -> Result<Vec<String>, HostError> {
        let names = |folder: &Folder| folder.lorebooks().map(str::to_owned).collect();
        self.state.ask("lorebook_names", "worlds", |folder| Ok(names(folder))).await
    }

    async fn headers(&self, wanted: &Wanted<'_>) -> Result<Vec<HeaderOf>, HostError> {
        self.state.ask("headers", "", |folder| Ok(files::headers(folder, wanted))).await
    }

    async fn settings(&self) -> Result<Option<String>, HostError> {
        let file = "settings.json";
        let settings = self.state.ask("settings", file, |folder| files::document(folder, file));
        Ok(settings.await?.map(|document| document.text))
    }

    async fn card(&self, character: &str) -> Result<Option<Card>, HostError> {
        let file = format!("characters/{character}.png");
        self.state.ask("card", &file, |_| Ok(self.cards.get(character).cloned())).await
    }

    async fn group(&self, id: &str) -> Result<Option<Document>, HostError> {
        let file = group_file(id);
        self.state.ask("group", &file, |folder| files::document(folder, &file)).await
    }

    async fn characters(&self) -> Result<Vec<String>, HostError> {
        let names = || self.cards.keys().cloned().collect();
        self.state.ask("characters", "characters", |_| Ok(names())).await
    }

    async fn groups(&self) -> Result<Vec<String>, HostError> {
        let ids = |folder: &Folder| folder.stems("groups", ".json").map(str::to_owned).collect();
        self.state.ask("groups", "groups", |folder| Ok(ids(folder))).await
    }

    /// Files here have no times: all are as old as the clock.
    async fn lorebook_time(&self, name: &str) -> Result<Option<u64>, HostError> {
        let file = lorebook_file(name);
        self.state.ask("lorebook_time", &file, |folder| Ok(folder.has(&file).then_some(0))).await
    }

    async fn create_lorebook(&self, name: &str, text: &str) -> Written {
        let file = lorebook_file(name);
        self.state
            .write("create_lorebook", &file, Reach::Create, |folder| {
                files::create(folder, &file, text.as_bytes())
            })
            .await
    }

    async fn create_chat(
        &self,
        chat: &ChatRef,
        header: &str,
        pieces: &mut Pieces<'_>,
        from: &SimChat,
    ) -> Written {
        let file = chat.file();
        // Pieces may read the parent while they are made; those are calls of their own.
        let bytes = match files::assembled(&file, header, pieces, from) {
            Ok(bytes) => bytes,
            Err(error) => return Written::Refused(error),
        };
        self.state
            .write("create_chat", &file, Reach::Create, |folder| {
                files::create(folder, &file, &bytes)
            })
            .await
    }

    async fn edit_chat(&self, chat: &SimChat, edits: &[LineEdit]) -> Written {
        let file = chat.chat().file();
        self.state
            .write("edit_chat", &file, Reach::Write, |folder| {
                files::unchanged(folder, &file, chat.stamp())?;
                let bytes = files::edited(&file, folder.get(&file).unwrap_or_default(), edits)?;
                Ok(files::put(folder, &file, &bytes))
            })
            .await
    }

    async fn replace_lorebook(&self, name: &str, text: &str, seen: &Stamp) -> Written {
        let file = lorebook_file(name);
        self.state
            .write("replace_lorebook", &file, Reach::Write, |folder| {
                files::unchanged(folder, &file, seen)?;
                Ok(files::put(folder, &file, text.as_bytes()))
            })
            .await
    }

    async fn replace_group(&self, id: &str, text: &str, seen: &Stamp) -> Written {
        let file = group_file(id);
        self.state
            .write("replace_group", &file, Reach::Write, |folder| {
                files::unchanged(folder, &file, seen)?;
                Ok(files::put(folder, &file, text.as_bytes()))
            })
            .await
    }

    async fn remove_lorebook(&self, name: &str, stamp: &Stamp) -> Written {
        let file = lorebook_file(name);
        self.state
            .write("remove_lorebook", &file, Reach::Write, |folder| {
                files::removed(folder, &file, stamp)
            })
            .await
    }

    async fn remove_chat(&self, chat: &ChatRef, stamp: &Stamp) -> Written {
        let file = chat.file();
        self.state
            .write("remove_chat", &file, Reach::Write, |folder| {
                files::removed(folder, &file, stamp)
            })
            .await
    }

    async fn keep(&self, id: &str, file: &FileRef, text: &str) -> Result<(), HostError> {
        let kept = files::trash_file(id, file);
        self.put_own("keep", &kept, |folder| files::put(folder, &kept, text.as_bytes())).await
    }

    async fn trash(&self, id: &str, file: &FileRef, seen: &Stamp) -> Written {
        let (from, to) = (file.file(), files::trash_file(id, file));
        self.state
            .write("trash", &from, Reach::Write, |folder| {
                files::unchanged(folder, &from, seen)?;
                files::moved(folder, &from, &to)
            })
            .await
    }

    async fn restore(&self, id: &str, file: &FileRef) -> Written {
        let (from, to) = (files::trash_file(id, file), file.file());
        self.state
            .write("restore", &to, Reach::Create, |folder| files::moved(folder, &from, &to))
            .await
    }

    async fn kept(&self, id: &str, file: &FileRef) -> Result<Option<String>, HostError> {
        let kept = files::trash_file(id, file);
        let document = self.state.ask("kept", &kept, |folder| files::document(folder, &kept));
        Ok(document.await?.map(|document| document.text))
    }

    async fn trashed(&self) -> Result<Vec<Trashed>, HostError> {
        self.state.ask("trashed", files::TRASH, |folder| Ok(files::trashed(folder))).await
    }

    async fn burn(&self, id: &str) -> Result<(), HostError> {
        let home = format!("{}/{id}/", files::TRASH);
        self.put_own("burn", &home, |folder| files::burnt(folder, &home)).await
    }

    async fn note(&self, id: &str, intent: &str) -> Result<(), HostError> {
        let file = files::intent_file(id);
        self.put_own("note", &file, |folder| files::put(folder, &file, intent.as_bytes())).await
    }

    async fn unfinished(&self) -> Result<Vec<String>, HostError> {
        self.state.ask("unfinished", files::INTENTS, |folder| Ok(files::intents(folder))).await
    }

    async fn forget(&self, id: &str) -> Result<(), HostError> {
        let file = files::intent_file(id);
        self.put_own("forget", &file, |folder| files::forgotten(folder, &file)).await
    }

    async fn operation_ids(&self) -> Result<Vec<String>, HostError> {
        self.state.ask("operation_ids", files::LOG, |folder| Ok(files::operation_ids(folder))).await
    }

    async fn log(&self, id: &str, record: &str) -> Result<(), HostError> {
        let file = files::log_file(id);
        self.put_own("log", &file, |folder| files::put(folder, &file, record.as_bytes())).await
    }

    async fn logged(&self) -> Result<Vec<String>, HostError> {
        self.state.ask("logged", files::LOG, |folder| Ok(files::records(folder))).await
    }

    fn now(&self) -> Now {
        let ticks = self.ticks.get() + 1;
        self.ticks.set(ticks);
        files::time_after(ticks)
    }

    fn id(&self) -> [u8; 16] {
        let count = self.ids.get() + 1;
        self.ids.set(count);
        let hash = blake3::hash(format!("{} {count}", self.life).as_bytes());
        std::array::from_fn(|index| hash.as_bytes()[index])
    }

    fn is_generating(&self) -> bool {
        self.generating.get()
    }

    fn is_outside(&self) -> bool {
        self.outside
    }

    fn progress(&self, step: Step) {
        self.steps.borrow_mut().push(step);
    }
}

impl SimHost {
    /// A write into our own room, which answers yes or no.
    async fn put_own(
        &self,
        name: &'static str,
        file: &str,
        act: impl FnOnce(&mut Folder) -> Stamp,
    ) -> Result<(), HostError> {
        match self.state.write(name, file, Reach::Write, |folder| Ok(act(folder))).await {
            Written::Done(_) => Ok(()),
            Written::Refused(error) | Written::Unknown(error) => Err(error),
        }
    }
}
