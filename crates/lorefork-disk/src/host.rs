//! The engine's port, over one user folder.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use lorefork::family::Trace;
use lorefork::host::{
    ChatView as _, Document, HeaderOf, Host, HostError, HostErrorKind, LineEdit, Now, Pieces,
    Stamp, Step, Trashed, Wanted, Written,
};
use lorefork::limits::{LARGEST_LOREBOOK, LOREBOOK_TOO_LARGE};
use lorefork::tavern::card::Card;
use lorefork::tavern::names;
use lorefork::tavern::place::{ChatRef, FileRef, Owner, group_file};

use crate::card;
use crate::error::{changed, damaged, while_reading, while_writing};
use crate::find::UserFolder;
use crate::index::Cut;
use crate::inside::{Inside, chat_file, plain};
use crate::lock::{Claim, Holder, LockError, Way, lock};
use crate::traces::Traces;
use crate::view::DiskChat;
use crate::write::{Temporary, written};
use crate::{clock, fs, headers, list, operations, pieces, stamp, trash, write};

/// What is going on, for whoever watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress<'a> {
    Step(Step),
    /// So many bytes of a chat were read.
    Reading {
        done: u64,
        total: u64,
    },
    /// So many bytes of a chat were written.
    Writing {
        done: u64,
        total: u64,
    },
    /// So many files of a folder were begun to be checked.
    Checking {
        done: usize,
        total: usize,
    },
    /// Another operation is still running: what, whose, since when.
    Waiting {
        for_whom: &'a str,
    },
}

type Watcher = Box<dyn Fn(Progress<'_>)>;

/// The chats and lorebooks of one user folder.
pub struct DiskHost {
    inside: Inside,
    wait: Duration,
    watcher: Option<Watcher>,
    /// Intents of this process. It has cleaned up behind itself.
    noted: RefCell<BTreeSet<String>>,
}

impl DiskHost {
    pub fn new(user: &UserFolder) -> Result<Self, HostError> {
        let inside = Inside::new(&user.path)?;
        if let Some(root) = &user.root {
            let shown = user.path.display().to_string();
            let root = fs::real_path(root).map_err(while_reading(&shown, "open it"))?;
            if !inside.folder().starts_with(root) {
                return Err(HostError::new(
                    HostErrorKind::Outside,
                    shown,
                    format!(
                        "this is a link that leads out of the data folder, to {0}. Give that \
                         folder itself: --root \"{0}\"",
                        inside.folder().display()
                    ),
                ));
            }
        }
        let wait = Duration::from_secs(60);
        Ok(Self { inside, wait, watcher: None, noted: RefCell::default() })
    }

    /// How long to wait for another operation; a minute if nothing is said.
    #[must_use]
    pub fn waiting(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Who hears what is going on.
    #[must_use]
    pub fn watched_by(mut self, watcher: impl Fn(Progress<'_>) + 'static) -> Self {
        self.watcher = Some(Box::new(watcher));
        self
    }

    /// From here on, what is looked at is noted, so that an answer can be kept.
    #[must_use]
    pub fn noting(mut self) -> Self {
        self.inside = self.inside.noting();
        self
    }

    /// The answer to this question, if it was kept and all that was looked at for it is as it was.
    pub fn kept_answer(&self, question: &str) -> Option<String> {
        crate::looked::kept(&self.inside.unnoted(), question)
    }

    /// Keeps the answer to a question for which this host looked. Only the last one is kept.
    pub fn keep_answer(&self, question: &str, answer: &str) {
        self.inside.keep_answer(question, answer, std::time::SystemTime::now());
    }

    /// The user folder, with all links resolved.
    pub fn folder(&self) -> &Path {
        self.inside.folder()
    }

    /// All chats: those of characters, then those of groups. A chat that no group lists has a
    /// group with an empty id as owner.
    pub fn chats(&self) -> Result<Vec<ChatRef>, HostError> {
        let mut chats = list::solo_chats(&self.inside)?;
        chats.extend(list::group_chats(&self.inside, &list::groups(&self.inside)?)?);
        Ok(chats)
    }

    /// The facts of all files, for the audit. Reads only.
    pub fn facts(&self) -> Result<lorefork::audit::Folder, HostError> {
        let tell = |done: usize, total: usize| self.tell(Progress::Checking { done, total });
        crate::audit::facts(&self.inside, &tell)
    }

    /// What the chats of an owner, or of all, say about their families. Reads only.
    pub fn traces(&self, owner: Option<&Owner>) -> Result<Traces, HostError> {
        let tell = |done: usize, total: usize| self.tell(Progress::Checking { done, total });
        crate::traces::traces(&self.inside, owner, &tell)
    }

    /// Keeps what was read, so that next time only what changed is read again.
    pub fn keep_traces(&self, traces: &Traces) {
        traces.keep(&self.inside.unnoted(), std::time::SystemTime::now());
    }

    /// Some messages of a chat that was traced; `None` for one that is not there any more.
    pub fn messages(
        &self,
        trace: &Trace,
        wanted: &[usize],
    ) -> Result<Vec<Option<String>>, HostError> {
        crate::traces::messages(&self.inside, trace, wanted)
    }

    fn tell(&self, progress: Progress<'_>) {
        if let Some(watcher) = &self.watcher {
            watcher(progress);
        }
    }

    /// A text file, `None` if it is absent.
    fn document(&self, file: &str) -> Result<Option<Document>, HostError> {
        let Some(path) = self.inside.if_existing(file)? else { return Ok(None) };
        let bytes = fs::read(&path).map_err(while_reading(file, "read it"))?;
        let stamp = stamp::of_bytes(&bytes);
        let text = String::from_utf8(bytes).map_err(|_| damaged(file, "it is not UTF-8"))?;
        Ok(Some(Document { text, stamp }))
    }

    fn write_chat(
        &self,
        chat: &ChatRef,
        header: &str,
        pieces: &mut Pieces<'_>,
        from: &DiskChat,
    ) -> Result<Written, HostError> {
        let file = chat_file(chat)?;
        let path = self.inside.new_file(&file)?;
        if fs::exists(&path) {
            // Said before hundreds of megabytes are copied; what counts is what `create` finds.
            return Err(HostError::new(HostErrorKind::Exists, file, "this chat already exists"));
        }
        let temporary = Temporary::beside(&path).map_err(while_writing(&file, "create it"))?;
        let tell = |done, total| self.tell(Progress::Writing { done, total });
        pieces::write_new(header, pieces, from, temporary.file(), &tell)
            .map_err(|failure| failure.into_error(&file))?;
        if !from.is_unchanged()? {
            return Err(changed(from.name()));
        }
        Ok(written(&file, "create it", temporary.create(&path)))
    }

    fn rewrite_chat(&self, chat: &DiskChat, edits: &[LineEdit]) -> Result<Written, HostError> {
        let (file, path) = (chat.name(), chat.path());
        let is_same = || match stamp::of_path(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            now => now.map(|now| now == *chat.stamp()),
        };
        if !is_same().map_err(while_reading(file, "read it"))? {
            return Err(changed(file));
        }
        let temporary = Temporary::beside(path).map_err(while_writing(file, "write it"))?;
        let tell = |done, total| self.tell(Progress::Writing { done, total });
        pieces::write_edited(edits, chat, temporary.file(), &tell)
            .map_err(|failure| failure.into_error(file))?;
        Ok(written(file, "write it", temporary.replace(path, is_same)))
    }

    /// Removes a file if it `is_same` as was seen, which is asked immediately before.
    fn remove(
        &self,
        file: &str,
        is_same: impl FnOnce(&Path) -> std::io::Result<bool>,
    ) -> Result<Written, HostError> {
        let path = self.inside.existing(file)?;
        if !is_same(&path).map_err(while_reading(file, "read it"))? {
            return Err(changed(file));
        }
        let gone = Stamp(String::new());
        Ok(written(file, "remove it", write::remove(&path).map(|()| gone)))
    }
}

/// The file of a lorebook. Names in chats are as they were typed, files are not.
fn lorebook_path(name: &str) -> Result<String, HostError> {
    let file = names::lorebook_file(name);
    plain(&file)?;
    Ok(format!("worlds/{file}"))
}

fn group_path(id: &str) -> Result<String, HostError> {
    plain(id)?;
    Ok(group_file(id))
}

/// The file of whatever an operation changes.
fn file_path(file: &FileRef) -> Result<String, HostError> {
    match file {
        FileRef::Chat(chat) => chat_file(chat),
        FileRef::Lorebook(name) => lorebook_path(name),
        FileRef::Group(id) => group_path(id),
    }
}

impl Host for DiskHost {
    type Chat = DiskChat;
    type Claim = Claim;

    async fn claim(&self, what: &str) -> Result<Claim, HostError> {
        let folder = operations::make_folder(&self.inside, operations::OURS)?;
        let holder = Holder::new(what, clock::zoned().strftime("%F %T").to_string());
        let tell = |for_whom: &str| self.tell(Progress::Waiting { for_whom });
        let claim = lock(&folder, &holder, Way::System, self.wait, &tell).map_err(|error| {
            let file = "lorefork/lock";
            match error {
                LockError::Disk(error) => while_writing(file, "lock it")(error),
                LockError::Busy(other) => HostError::of_none(
                    HostErrorKind::Busy,
                    format!("{other} is still working on this folder"),
                ),
            }
        })?;
        // An intent that was cut short was never noted, so nobody will ever forget it.
        operations::sweep_own(&self.inside)?;
        Ok(claim)
    }

    /// Nothing waits to be saved: what a tab holds in memory cannot be seen from here.
    async fn settle(&self, _: &ChatRef) -> Result<(), HostError> {
        Ok(())
    }

    /// Nobody is anywhere on disk.
    async fn still_there(&self, _: &DiskChat) -> Result<(), HostError> {
        Ok(())
    }

    async fn pause(&self) {
        std::thread::sleep(Duration::from_millis(200));
    }

    async fn open(&self, chat: &ChatRef) -> Result<DiskChat, HostError> {
        let path = self.inside.existing(&chat_file(chat)?)?;
        let tell = |done, total| self.tell(Progress::Reading { done, total });
        DiskChat::open(chat, path, Cut::default(), &tell)
    }

    async fn chat_names(&self, owner: &Owner) -> Result<Vec<String>, HostError> {
        let names = match owner {
            Owner::Character(folder) => {
                plain(folder)?;
                self.inside.names(&format!("chats/{folder}"))?
            }
            Owner::Group(_) => self.inside.names("group chats")?,
        };
        Ok(list::names_in_use(names, "jsonl"))
    }

    async fn lorebook(&self, name: &str) -> Result<Option<Document>, HostError> {
        // There can be no file of an impossible name.
        let Ok(file) = lorebook_path(name) else { return Ok(None) };
        if let Some(path) = self.inside.if_existing(&file)? {
            let found = path.metadata().map_err(while_reading(&file, "read it"))?;
            if found.len() > LARGEST_LOREBOOK as u64 {
                return Err(damaged(&file, LOREBOOK_TOO_LARGE));
            }
        }
        self.document(&file)
    }

    async fn lorebook_names(&self) -> Result<Vec<String>, HostError> {
        Ok(list::names_in_use(self.inside.names("worlds")?, "json"))
    }

    async fn headers(&self, wanted: &Wanted<'_>) -> Result<Vec<HeaderOf>, HostError> {
        headers::headers(&self.inside, wanted)
    }

    async fn settings(&self) -> Result<Option<String>, HostError> {
        Ok(self.document("settings.json")?.map(|document| document.text))
    }

    async fn card(&self, character: &str) -> Result<Option<Card>, HostError> {
        plain(character)?;
        let file = format!("characters/{character}.png");
        let Some(path) = self.inside.if_existing(&file)? else { return Ok(None) };
        let bytes = fs::read(&path).map_err(while_reading(&file, "read it"))?;
        card::read(&bytes).map(Some).map_err(|error| damaged(&file, error.to_string()))
    }

    async fn group(&self, id: &str) -> Result<Option<Document>, HostError> {
        self.document(&group_path(id)?)
    }

    async fn characters(&self) -> Result<Vec<String>, HostError> {
        Ok(list::names_in_use(self.inside.names("characters")?, "png"))
    }

    async fn groups(&self) -> Result<Vec<String>, HostError> {
        Ok(list::names_in_use(self.inside.names("groups")?, "json"))
    }

    async fn lorebook_time(&self, name: &str) -> Result<Option<u64>, HostError> {
        let file = lorebook_path(name)?;
        let Some(path) = self.inside.if_existing(&file)? else { return Ok(None) };
        let time = path.metadata().and_then(|metadata| metadata.modified());
        let time = time.map_err(while_reading(&file, "read its date"))?;
        let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Ok(Some(u64::try_from(since.as_millis()).unwrap_or(u64::MAX)))
    }

    async fn create_lorebook(&self, name: &str, text: &str) -> Written {
        let create = || {
            let file = lorebook_path(name)?;
            let path = self.inside.new_file(&file)?;
            Ok(written(&file, "create it", write::create(&path, text)))
        };
        create().unwrap_or_else(Written::Refused)
    }

    async fn create_chat(
        &self,
        chat: &ChatRef,
        header: &str,
        pieces: &mut Pieces<'_>,
        from: &DiskChat,
    ) -> Written {
        self.write_chat(chat, header, pieces, from).unwrap_or_else(Written::Refused)
    }

    async fn edit_chat(&self, chat: &DiskChat, edits: &[LineEdit]) -> Written {
        self.rewrite_chat(chat, edits).unwrap_or_else(Written::Refused)
    }

    async fn replace_lorebook(&self, name: &str, text: &str, seen: &Stamp) -> Written {
        let replace = || {
            let file = lorebook_path(name)?;
            let path = self.inside.existing(&file)?;
            Ok(written(&file, "write it", write::replace(&path, text, seen)))
        };
        replace().unwrap_or_else(Written::Refused)
    }

    async fn replace_group(&self, id: &str, text: &str, seen: &Stamp) -> Written {
        let replace = || {
            let file = group_path(id)?;
            let path = self.inside.existing(&file)?;
            Ok(written(&file, "write it", write::replace(&path, text, seen)))
        };
        replace().unwrap_or_else(Written::Refused)
    }

    async fn remove_lorebook(&self, name: &str, stamp: &Stamp) -> Written {
        let is_same = |path: &Path| Ok(stamp::of_bytes(&fs::read(path)?) == *stamp);
        lorebook_path(name)
            .and_then(|file| self.remove(&file, is_same))
            .unwrap_or_else(Written::Refused)
    }

    async fn remove_chat(&self, chat: &ChatRef, stamp: &Stamp) -> Written {
        let is_same = |path: &Path| Ok(stamp::of_path(path)? == *stamp);
        chat_file(chat)
            .and_then(|file| self.remove(&file, is_same))
            .unwrap_or_else(Written::Refused)
    }

    async fn keep(&self, id: &str, file: &FileRef, text: &str) -> Result<(), HostError> {
        trash::keep(&self.inside, id, &file_path(file)?, text)
    }

    async fn can_trash(&self, file: &FileRef) -> Result<(), HostError> {
        trash::can_put(&self.inside, &file_path(file)?)
    }

    async fn trash(&self, id: &str, file: &FileRef, seen: &Stamp) -> Written {
        let is_same = |path: &Path| match file {
            FileRef::Chat(_) => Ok(stamp::of_path(path)? == *seen),
            _ => Ok(stamp::of_bytes(&fs::read(path)?) == *seen),
        };
        file_path(file)
            .and_then(|path| trash::put(&self.inside, id, &path, is_same, seen))
            .unwrap_or_else(Written::Refused)
    }

    async fn restore(&self, id: &str, file: &FileRef) -> Written {
        let stamp = |path: &Path| match file {
            FileRef::Chat(_) => stamp::of_path(path),
            _ => Ok(stamp::of_bytes(&fs::read(path)?)),
        };
        file_path(file)
            .and_then(|path| trash::restore(&self.inside, id, &path, stamp))
            .unwrap_or_else(Written::Refused)
    }

    async fn kept(&self, id: &str, file: &FileRef) -> Result<Option<String>, HostError> {
        let file = trash::file(id, &file_path(file)?)?;
        Ok(self.document(&file)?.map(|document| document.text))
    }

    async fn trashed(&self) -> Result<Vec<Trashed>, HostError> {
        trash::all(&self.inside)
    }

    async fn burn(&self, id: &str) -> Result<(), HostError> {
        trash::burn(&self.inside, id)
    }

    async fn note(&self, id: &str, intent: &str) -> Result<(), HostError> {
        operations::note(&self.inside, id, intent)?;
        self.noted.borrow_mut().insert(id.to_owned());
        Ok(())
    }

    async fn unfinished(&self) -> Result<Vec<String>, HostError> {
        operations::unfinished(&self.inside)
    }

    async fn forget(&self, id: &str) -> Result<(), HostError> {
        // First what it left behind, then the reason to look for it.
        if !self.noted.borrow_mut().remove(id) {
            operations::sweep_temps(&self.inside)?;
        }
        operations::forget(&self.inside, id)
    }

    async fn operation_ids(&self) -> Result<Vec<String>, HostError> {
        operations::ids(&self.inside)
    }

    async fn log(&self, id: &str, record: &str) -> Result<(), HostError> {
        operations::log(&self.inside, id, record)
    }

    async fn logged(&self) -> Result<Vec<String>, HostError> {
        operations::logged(&self.inside)
    }

    fn now(&self) -> Now {
        clock::now()
    }

    fn id(&self) -> [u8; 16] {
        let mut id = [0; 16];
        // Without randomness no name is safe; no system that runs this lacks it.
        getrandom::fill(&mut id).expect("the operating system gives random bytes");
        id
    }

    fn is_generating(&self) -> bool {
        false
    }

    fn is_outside(&self) -> bool {
        true
    }

    fn progress(&self, step: Step) {
        self.tell(Progress::Step(step));
    }
}
