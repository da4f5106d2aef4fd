//! The port: the few things the engine asks of the world.
//!
//! Three hosts exist: a data folder (`lorefork-disk`), the page inside SillyTavern, and a
//! simulation that fails on command (`lorefork-sim`). One host speaks for one user folder. A host
//! reads, writes and says how it went; it decides nothing.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};

use crate::say;
use crate::sentence::{Sentence, Value};
use crate::tavern::card::Card;
use crate::tavern::place::{ChatRef, FileRef, Owner};
use crate::tavern::time::LocalTime;

/// Tells one state of a file from another. Only equality means anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp(pub String);

/// What went wrong outside of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostErrorKind {
    /// There is no such file.
    Absent,
    /// Creating found a file of that name.
    Exists,
    /// The file is not what it was when it was read.
    Changed,
    /// The content cannot be used (not UTF-8, a damaged line).
    Damaged,
    /// Another operation runs.
    Busy,
    /// The user went to another chat meanwhile.
    ChatSwitched,
    /// The path leads out of the data folder, or round in a circle.
    Outside,
    /// It could not be read: no permission, a disk error, a server that does not answer.
    ReadFailed,
    /// It could not be written: no space, no permission, a server that says no.
    WriteFailed,
}

/// An error of a host, in words for people: what happened, to which file. A pointer to it, as
/// [`Error`](crate::error::Error) is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostError(Box<Trouble>);

/// What a host's error says; read as its fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What the engine makes a code of, and decides by.
    pub kind: HostErrorKind,
    /// Relative to the user folder, where there is one file to name.
    pub file: Option<String>,
    /// What happened, without the file; of a host's own, in its user's language.
    pub message: Sentence,
}

impl HostError {
    /// An error about this file of the user folder.
    pub fn new(kind: HostErrorKind, file: impl Into<String>, message: impl Into<Sentence>) -> Self {
        Self(Box::new(Trouble { kind, file: Some(file.into()), message: message.into() }))
    }

    /// An error about no file, or about none that can be named.
    pub fn of_none(kind: HostErrorKind, message: impl Into<Sentence>) -> Self {
        Self(Box::new(Trouble { kind, file: None, message: message.into() }))
    }

    /// What happened, to which file.
    pub fn sentence(&self) -> Sentence {
        match &self.file {
            Some(file) => say!("{0}: {1}", file, &self.message),
            None => self.message.clone(),
        }
    }
}

impl Deref for HostError {
    type Target = Trouble;

    fn deref(&self) -> &Trouble {
        &self.0
    }
}

impl DerefMut for HostError {
    fn deref_mut(&mut self) -> &mut Trouble {
        &mut self.0
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl std::error::Error for HostError {}

impl From<&HostError> for Value {
    fn from(error: &HostError) -> Self {
        error.sentence().into()
    }
}

/// How a write ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// It is there, durably.
    Done(Stamp),
    /// It did not happen, and will not.
    Refused(HostError),
    /// The answer got lost: it may or may not be there.
    Unknown(HostError),
}

/// A text file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// All of it, as it stands in the file.
    pub text: String,
    /// The state it was read in: asked for again before the file is changed.
    pub stamp: Stamp,
}

/// The header line of some chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderOf {
    /// Whose header it is.
    pub chat: ChatRef,
    /// The first line that is not blank, which may be damaged.
    pub header: String,
}

/// Which headers somebody is looking for. A host may ask from several threads at once.
pub type Wanted<'w> = dyn Fn(&HeaderOf) -> bool + Sync + 'w;

/// A part of a new timeline's messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Messages of the frozen chat, byte for byte.
    Same(Range<usize>),
    /// One message line, without a line break.
    Text(String),
}

/// The messages of a new timeline, made while they are written: a chat may be larger than memory.
pub type Pieces<'p> = dyn Iterator<Item = Result<Piece, HostError>> + 'p;

/// A line of an existing chat with its new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineEdit {
    /// Which line is changed.
    pub line: Line,
    /// All of the new line, without its line break.
    pub text: String,
}

/// Which line of a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    /// The first line, with the chat's metadata.
    Header,
    /// A message, counted from 0.
    Message(usize),
}

/// A line that is not a JSON object in UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The message it should have been.
    pub message: usize,
    /// The line of the file, counted from 1.
    pub line: usize,
    /// Why it cannot be read.
    pub problem: Sentence,
}

/// A file in the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trashed {
    /// The operation that put it there.
    pub id: String,
    /// Where it stood, relative to the user folder.
    pub file: String,
    /// How much room it takes.
    pub bytes: u64,
}

/// The four steps a person sees, and why the first may take longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The chat is looked at, and judged.
    Validating,
    /// So many other chats wrote to the lorebook, and are read, too.
    Others(usize),
    /// The new lorebook is written.
    Lorebook,
    /// The lorebook stands; whether the user still is where the fork began is asked once more.
    Recording,
    /// The timeline is written, and linked.
    Creating,
}

/// The time, as the engine needs it.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    /// Milliseconds since 1970.
    pub ms: u64,
    /// The same on the user's clock, for names that SillyTavern makes of it.
    pub local: LocalTime,
}

/// A chat frozen when it was opened: probed, never handed over. What is judged is what is written.
#[expect(clippy::len_without_is_empty, reason = "a chat without messages is not a special case")]
pub trait ChatView {
    /// Which chat it is.
    fn chat(&self) -> &ChatRef;
    /// The first line that is not blank; empty if there is none.
    fn header(&self) -> &str;
    /// How many messages there are: lines that are not blank, without the header.
    fn len(&self) -> usize;
    /// The state of the file when it was opened.
    fn stamp(&self) -> &Stamp;
    /// The messages in `range` whose text contains `"key"`, quotes included, ascending.
    fn find(&self, key: &str, range: Range<usize>) -> Result<Vec<usize>, HostError>;
    /// A message's line, without its line break.
    fn line(&self, message: usize) -> Result<String, HostError>;
    /// The first message in `range` that is not a JSON object in UTF-8.
    fn check(&self, range: Range<usize>) -> Result<Option<Damage>, HostError>;
}

/// What holds the chats and lorebooks of one user.
#[expect(async_fn_in_trait, reason = "futures of hosts are neither sent nor boxed")]
pub trait Host {
    /// A chat as it was when it was opened.
    type Chat: ChatView;
    /// Held while an operation runs; dropping it lets the next one in.
    type Claim;

    /// One operation at a time. `what` tells others what they wait for.
    async fn claim(&self, what: &str) -> Result<Self::Claim, HostError>;
    /// Saves what the user has typed but SillyTavern not yet written, in chat and lorebook.
    async fn settle(&self, chat: &ChatRef) -> Result<(), HostError>;
    /// Whether the user is still where the fork began: same chat, owner, slug, message count.
    async fn still_there(&self, chat: &Self::Chat) -> Result<(), HostError>;
    /// Lets some time pass: before an answer that got lost is looked for again, or in long work.
    async fn pause(&self);

    /// Freezes a chat. What is asked of it later is answered from that state, whoever writes
    /// meanwhile.
    async fn open(&self, chat: &ChatRef) -> Result<Self::Chat, HostError>;
    /// Names of the owner's chats, as files have them; for a group, of all group chats.
    async fn chat_names(&self, owner: &Owner) -> Result<Vec<String>, HostError>;
    /// A lorebook by its name, `None` if there is no such file.
    async fn lorebook(&self, name: &str) -> Result<Option<Document>, HostError>;
    /// Names of all lorebooks, as files have them.
    async fn lorebook_names(&self) -> Result<Vec<String>, HostError>;
    /// Headers of all chats, of characters and groups, that are wanted. A group chat that no group
    /// lists belongs to the group without an id.
    async fn headers(&self, wanted: &Wanted<'_>) -> Result<Vec<HeaderOf>, HostError>;
    /// `settings.json`, or what of it the page knows.
    async fn settings(&self) -> Result<Option<String>, HostError>;
    /// The card of a character, by its folder name.
    async fn card(&self, character: &str) -> Result<Option<Card>, HostError>;
    /// The record of a group, by its id; `None` if there is no such group.
    async fn group(&self, id: &str) -> Result<Option<Document>, HostError>;
    /// All characters that have a card, by their folder names.
    async fn characters(&self) -> Result<Vec<String>, HostError>;
    /// All groups, by their ids.
    async fn groups(&self) -> Result<Vec<String>, HostError>;
    /// When a lorebook was last written, in milliseconds since 1970, where that can be seen.
    async fn lorebook_time(&self, name: &str) -> Result<Option<u64>, HostError>;

    /// Never over an existing file.
    async fn create_lorebook(&self, name: &str, text: &str) -> Written;
    /// Never over an existing file; complete in its first write.
    async fn create_chat(
        &self,
        chat: &ChatRef,
        header: &str,
        pieces: &mut Pieces<'_>,
        from: &Self::Chat,
    ) -> Written;
    /// Refused as `Changed` if the file is no longer what `chat` froze.
    async fn edit_chat(&self, chat: &Self::Chat, edits: &[LineEdit]) -> Written;
    /// Refused as `Changed` if the file no longer has the stamp that was seen.
    async fn replace_lorebook(&self, name: &str, text: &str, seen: &Stamp) -> Written;
    /// Refused as `Changed` if the record no longer has the stamp that was seen.
    async fn replace_group(&self, id: &str, text: &str, seen: &Stamp) -> Written;
    /// Removes a lorebook only if it still has this stamp.
    async fn remove_lorebook(&self, name: &str, stamp: &Stamp) -> Written;
    /// Removes a chat only if it still has this stamp.
    async fn remove_chat(&self, chat: &ChatRef, stamp: &Stamp) -> Written;

    /// Keeps the former text of a file in the trash, under the id of the operation that changes it.
    async fn keep(&self, id: &str, file: &FileRef, text: &str) -> Result<(), HostError>;
    /// Refuses a file that could not be moved to the trash and back. Asked before the first write.
    async fn can_trash(&self, _file: &FileRef) -> Result<(), HostError> {
        Ok(())
    }
    /// Moves a file to the trash only if it still has this stamp, which it keeps.
    async fn trash(&self, id: &str, file: &FileRef, seen: &Stamp) -> Written;
    /// Moves a file back from the trash, never over an existing one.
    async fn restore(&self, id: &str, file: &FileRef) -> Written;
    /// The text of a file in the trash.
    async fn kept(&self, id: &str, file: &FileRef) -> Result<Option<String>, HostError>;
    /// All that is in the trash.
    async fn trashed(&self) -> Result<Vec<Trashed>, HostError>;
    /// Empties an operation's part of the trash, for good.
    async fn burn(&self, id: &str) -> Result<(), HostError>;

    /// Stores what is about to be done, durably, before the first write.
    async fn note(&self, id: &str, intent: &str) -> Result<(), HostError>;
    /// All that was noted and not forgotten.
    async fn unfinished(&self) -> Result<Vec<String>, HostError>;
    /// Forgets an intent, and half-written files of ours with it.
    async fn forget(&self, id: &str) -> Result<(), HostError>;
    /// Ids of all operations, done or begun. Records are not read for it: they may be large.
    async fn operation_ids(&self) -> Result<Vec<String>, HostError>;
    /// Keeps the record of what was done.
    async fn log(&self, id: &str, record: &str) -> Result<(), HostError>;
    /// All records of what was done.
    async fn logged(&self) -> Result<Vec<String>, HostError>;

    /// The time, of which the engine has none of its own.
    fn now(&self) -> Now;
    /// Sixteen random bytes.
    fn id(&self) -> [u8; 16];
    /// Whether a reply is being generated right now.
    fn is_generating(&self) -> bool;
    /// Whether changes come from outside of SillyTavern, so that an open tab must be made to ask
    /// before it writes back what it has in memory: the chat's slug is changed.
    fn is_outside(&self) -> bool;
    /// Shows how far an operation is. Nothing depends on it.
    fn progress(&self, step: Step);
}
