//! Errors for people: what happened, to what, and what they can do now.

mod code;
pub mod report;

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::choice::Choice;
use crate::host::{HostError, HostErrorKind};
use crate::say;
use crate::sentence::{Sentence, Value};
use report::Report;

pub use code::{Code, ErrorKind};

/// Why an operation did not happen. A pointer to it: it is handed on at every step of everything,
/// and what is copied there is a good part of the page's engine.
#[derive(Debug, Clone)]
pub struct Error(Box<Refusal>);

/// What an error says; read as its fields.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// By which scripts and pages know it; its kind tells what sort of “no” it is.
    pub code: Code,
    /// What happened, to what, without a full stop.
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
    /// Without choices and report; those are added.
    pub fn new(code: Code, message: Sentence, hint: impl Into<Option<Sentence>>) -> Self {
        let hint = hint.into();
        Self(Box::new(Refusal { code, message, hint, choices: Vec::new(), report: None }))
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
    pub(crate) fn in_full(&self) -> Sentence {
        match &self.hint {
            Some(hint) => say!("{0}. {1}", &self.message, hint),
            None => say!("{0}.", &self.message),
        }
    }

    /// All that it says, to be taken apart.
    pub fn into_refusal(self) -> Refusal {
        *self.0
    }

    /// What kind of “no” it is.
    pub fn kind(&self) -> ErrorKind {
        self.code.kind()
    }
}

impl Deref for Error {
    type Target = Refusal;

    fn deref(&self) -> &Refusal {
        &self.0
    }
}

impl DerefMut for Error {
    fn deref_mut(&mut self) -> &mut Refusal {
        &mut self.0
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
