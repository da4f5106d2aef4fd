//! Errors for people: what happened, to what, and what they can do now.

mod explain;
pub mod report;

use std::fmt;

use crate::choice::Choice;
use crate::host::{HostError, HostErrorKind};
use crate::say;
use crate::sentence::{Sentence, Value};
use report::Report;

/// Everything that can be said of a fork, as a stable code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    // Requirements.
    MessageNotFound,
    QueueNotEmpty,
    QueueUnreadable,
    Generating,
    MissingLorebook,
    NoSnapshot,
    NameTaken,
    NoSceneBreak,
    NoSceneRecap,
    SceneWithoutSnapshot,
    NoRunningRecap,
    NotInRunningRecap,
    // Warnings.
    LorebookAlsoGlobal,
    LoreMayBeNewer,
    PartialSnapshot,
    KnowsTheFuture,
    NotRewound,
    ReplacesCheckpoint,
    SettingsNotCopied,
    OtherBooksShared,
    NamedElsewhere,
    SharedOnPurpose,
    OthersWroteToo,
    SettingsUnreadable,
    DanglingRegistryUid,
    DuplicateQueue,
    CombinedRecapDropped,
    DamagedLater,
    InterruptedOperation,
    ReloadSillytavern,
    LinkFailed,
    // Errors.
    ChatNotFound,
    DamagedChat,
    EmptyChat,
    ByteOrderMark,
    MissingHeader,
    CorruptLorebook,
    CorruptGroup,
    CorruptCard,
    CorruptRecord,
    GroupTooOld,
    NoSuchSwipe,
    NoSuchEntry,
    BadName,
    NewerRecord,
    NoRecord,
    Busy,
    ChangedMeanwhile,
    ChatSwitched,
    AnswerLost,
    NotTakenBack,
    NotInTrash,
    ChangedSince,
    Continued,
    NothingToUndo,
    UnknownOperation,
    InUse,
    OutsideRoot,
    WriteFailed,
    ReadFailed,
}

impl Code {
    /// As reports and scripts know it.
    pub fn word(self) -> &'static str {
        match self {
            Self::MessageNotFound => "MESSAGE_NOT_FOUND",
            Self::QueueNotEmpty => "QUEUE_NOT_EMPTY",
            Self::QueueUnreadable => "QUEUE_UNREADABLE",
            Self::Generating => "GENERATING",
            Self::MissingLorebook => "MISSING_LOREBOOK",
            Self::NoSnapshot => "NO_SNAPSHOT",
            Self::NameTaken => "NAME_TAKEN",
            Self::NoSceneBreak => "NO_SCENE_BREAK",
            Self::NoSceneRecap => "NO_SCENE_RECAP",
            Self::SceneWithoutSnapshot => "SCENE_WITHOUT_SNAPSHOT",
            Self::NoRunningRecap => "NO_RUNNING_RECAP",
            Self::NotInRunningRecap => "NOT_IN_RUNNING_RECAP",
            Self::LorebookAlsoGlobal => "LOREBOOK_ALSO_GLOBAL",
            Self::LoreMayBeNewer => "LORE_MAY_BE_NEWER",
            Self::PartialSnapshot => "PARTIAL_SNAPSHOT",
            Self::KnowsTheFuture => "KNOWS_THE_FUTURE",
            Self::NotRewound => "NOT_REWOUND",
            Self::ReplacesCheckpoint => "REPLACES_CHECKPOINT",
            Self::SettingsNotCopied => "SETTINGS_NOT_COPIED",
            Self::OtherBooksShared => "OTHER_BOOKS_SHARED",
            Self::OthersWroteToo => "OTHERS_WROTE_TOO",
            Self::SettingsUnreadable => "SETTINGS_UNREADABLE",
            Self::DanglingRegistryUid => "DANGLING_REGISTRY_UID",
            Self::DuplicateQueue => "DUPLICATE_QUEUE",
            Self::CombinedRecapDropped => "COMBINED_RECAP_DROPPED",
            Self::DamagedLater => "DAMAGED_LATER",
            Self::InterruptedOperation => "INTERRUPTED_OPERATION",
            Self::ReloadSillytavern => "RELOAD_SILLYTAVERN",
            Self::LinkFailed => "LINK_FAILED",
            Self::ChatNotFound => "CHAT_NOT_FOUND",
            Self::DamagedChat => "DAMAGED_CHAT",
            Self::EmptyChat => "EMPTY_CHAT",
            Self::ByteOrderMark => "BYTE_ORDER_MARK",
            Self::MissingHeader => "MISSING_HEADER",
            Self::CorruptLorebook => "CORRUPT_LOREBOOK",
            Self::CorruptGroup => "CORRUPT_GROUP",
            Self::CorruptCard => "CORRUPT_CARD",
            Self::CorruptRecord => "CORRUPT_RECORD",
            Self::GroupTooOld => "GROUP_TOO_OLD",
            Self::NoSuchSwipe => "NO_SUCH_SWIPE",
            Self::NoSuchEntry => "NO_SUCH_ENTRY",
            Self::BadName => "BAD_NAME",
            Self::NewerRecord => "NEWER_RECORD",
            Self::NoRecord => "NO_RECORD",
            Self::Busy => "BUSY",
            Self::ChangedMeanwhile => "CHANGED_MEANWHILE",
            Self::ChatSwitched => "CHAT_SWITCHED",
            Self::AnswerLost => "ANSWER_LOST",
            Self::NotTakenBack => "NOT_TAKEN_BACK",
            Self::OutsideRoot => "OUTSIDE_ROOT",
            Self::WriteFailed => "WRITE_FAILED",
            Self::ReadFailed => "READ_FAILED",
            Self::NotInTrash => "NOT_IN_TRASH",
            Self::ChangedSince => "CHANGED_SINCE",
            Self::Continued => "CONTINUED",
            Self::NothingToUndo => "NOTHING_TO_UNDO",
            Self::UnknownOperation => "UNKNOWN_OPERATION",
            Self::InUse => "IN_USE",
            Self::NamedElsewhere => "NAMED_ELSEWHERE",
            Self::SharedOnPurpose => "SHARED_ON_PURPOSE",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What kind of “no” it is; the command line makes its exit code of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The answer is no: a requirement is not met.
    No,
    /// It could not be done: input, usage, disk.
    CouldNot,
    /// Somebody else is writing.
    SomebodyElse,
}

/// Why an operation did not happen.
#[derive(Debug, Clone)]
pub struct Error {
    pub code: Code,
    pub message: Sentence,
    /// What the user can do now, in words; nothing if there is nothing to say.
    pub hint: Option<Sentence>,
    /// The same as data.
    pub choices: Vec<Choice>,
    /// All that was found, if a requirement was not met.
    pub report: Option<Box<Report>>,
}

pub(crate) const LOOK_AGAIN: Sentence = say!(
    "The answer got lost on the way. Nothing was removed; Lorefork finds out and puts it right \
     before its next change."
);

impl Error {
    pub fn new(code: Code, message: Sentence, hint: impl Into<Option<Sentence>>) -> Self {
        Self { code, message, hint: hint.into(), choices: Vec::new(), report: None }
    }

    /// Nobody knows whether it was written.
    pub(crate) fn answer_lost(error: &HostError) -> Self {
        Self::new(Code::AnswerLost, error.sentence(), LOOK_AGAIN)
    }

    /// With something that the user can do.
    #[must_use]
    pub fn or(mut self, choice: Choice) -> Self {
        self.choices.push(choice);
        self
    }

    /// What happened, and what the user can do now.
    pub fn in_full(&self) -> Sentence {
        match &self.hint {
            Some(hint) => say!("{0}. {1}", &self.message, hint),
            None => say!("{0}.", &self.message),
        }
    }

    pub fn kind(&self) -> ErrorKind {
        match self.code {
            Code::Busy | Code::ChangedMeanwhile | Code::ChatSwitched => ErrorKind::SomebodyElse,
            Code::QueueNotEmpty
            | Code::QueueUnreadable
            | Code::Generating
            | Code::NoSnapshot
            | Code::NameTaken
            | Code::NoSceneBreak
            | Code::NoSceneRecap
            | Code::SceneWithoutSnapshot
            | Code::NoRunningRecap
            | Code::NotInRunningRecap
            | Code::ChangedSince
            | Code::Continued
            | Code::NothingToUndo
            | Code::InUse
            | Code::SharedOnPurpose
            | Code::NoRecord => ErrorKind::No,
            _ => ErrorKind::CouldNot,
        }
    }
}

/// The only place where a host's error gets its code, so that it is the same wherever it is met.
impl From<HostError> for Error {
    fn from(error: HostError) -> Self {
        let tried_again =
            say!("See the message above; when the cause is gone, try again. Nothing was lost.");
        let (code, hint) = match error.kind {
            HostErrorKind::Absent => {
                (Code::ChatNotFound, say!("Check the name; it may have been renamed or deleted."))
            }
            HostErrorKind::Exists => (Code::NameTaken, say!("Choose another name.")),
            HostErrorKind::Changed => (
                Code::ChangedMeanwhile,
                say!("Somebody else is writing to it. Wait until that is done, then try again."),
            ),
            HostErrorKind::Damaged => damaged(error.file.as_deref().unwrap_or_default()),
            HostErrorKind::Busy => (Code::Busy, say!("Wait until it is done, then try again.")),
            HostErrorKind::ChatSwitched => (
                Code::ChatSwitched,
                say!("Go back to the chat and try again. Nothing was changed."),
            ),
            HostErrorKind::Outside => (
                Code::OutsideRoot,
                say!(
                    "Use the real folder instead of the link, or move the files into the data \
                     folder."
                ),
            ),
            HostErrorKind::ReadFailed => (Code::ReadFailed, tried_again),
            HostErrorKind::WriteFailed => (Code::WriteFailed, tried_again),
        };
        let choice = match error.kind {
            HostErrorKind::Exists => Some(Choice::Rename),
            HostErrorKind::Changed => Some(Choice::Reload),
            HostErrorKind::Busy => Some(Choice::Wait),
            _ => None,
        };
        let mut told = Self::new(code, error.sentence(), hint);
        told.choices.extend(choice);
        told
    }
}

pub(crate) const REPAIR_LOREBOOK: Sentence = say!(
    "Repair the file or restore it from a backup of yours; SillyTavern keeps none of lorebooks."
);

/// What it means that a file's content cannot be used: its folder says what kind of file it is.
fn damaged(file: &str) -> (Code, Sentence) {
    match file.split_once('/').map_or(file, |(folder, _)| folder) {
        "worlds" => (Code::CorruptLorebook, REPAIR_LOREBOOK),
        "characters" => (
            Code::CorruptCard,
            say!(
                "Save the character in SillyTavern once, or import its card again: without it \
                 nobody knows which lorebook it brings along."
            ),
        ),
        "groups" => (
            Code::CorruptGroup,
            say!("Restore the group's record from a backup of the data folder."),
        ),
        "settings.json" => (
            Code::SettingsUnreadable,
            say!("Start SillyTavern once, or restore the file, then try again."),
        ),
        "lorefork" => (
            Code::CorruptRecord,
            say!("Repair the file or restore it from a backup, then try again."),
        ),
        _ => (
            Code::DamagedChat,
            say!("Restore the file from SillyTavern's backups folder, or repair the line by hand."),
        ),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}

impl std::error::Error for Error {}

impl From<&Error> for Value {
    fn from(error: &Error) -> Self {
        Self::from(&error.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_host_says_has_one_code() {
        let code = |kind, file: &str| Error::from(HostError::new(kind, file, "it is so")).code;
        assert_eq!(code(HostErrorKind::ReadFailed, "worlds/Lore.json"), Code::ReadFailed);
        assert_eq!(code(HostErrorKind::WriteFailed, "worlds/Lore.json"), Code::WriteFailed);
        for (file, damaged) in [
            ("chats/Mira/Main.jsonl", Code::DamagedChat),
            ("group chats/Main.jsonl", Code::DamagedChat),
            ("worlds/Lore.json", Code::CorruptLorebook),
            ("characters/Mira.png", Code::CorruptCard),
            ("groups/17.json", Code::CorruptGroup),
            ("settings.json", Code::SettingsUnreadable),
            ("lorefork/log/17.json", Code::CorruptRecord),
        ] {
            assert_eq!(code(HostErrorKind::Damaged, file), damaged, "{file}");
        }
    }
}
