//! What must be sound before anything else is asked of a chat: its first line, its group, its
//! messages up to N.

use crate::error::{Code, Error};
use crate::fork::report::{Finding, Report, State};
use crate::host::{ChatView, Damage, Document, Host};
use crate::limits::{SHORTEN, is_limit};
use crate::say;
use crate::tavern::chat::{Header, HeaderProblem};
use crate::tavern::group::Group;
use crate::tavern::place::{ChatRef, Owner, group_file};

/// The first line of a chat, read; an error that says what to do if it cannot be.
pub(crate) fn header<'v, C: ChatView>(view: &'v C, chat: &ChatRef) -> Result<Header<'v>, Error> {
    Header::read(view.header()).map_err(|problem| header_error(&problem, chat))
}

fn header_error(problem: &HeaderProblem, chat: &ChatRef) -> Error {
    let message = say!("{0}: {1}", chat.file(), problem);
    match problem {
        HeaderProblem::Empty => Error::new(
            Code::EmptyChat,
            message,
            say!(
                "There is nothing in it. Restore the chat from SillyTavern's backups folder if it \
                 should have messages."
            ),
        ),
        HeaderProblem::ByteOrderMark => Error::new(
            Code::ByteOrderMark,
            message,
            say!("Save the file as UTF-8 without a byte order mark."),
        ),
        HeaderProblem::Missing if matches!(chat.owner, Owner::Group(_)) => too_old(&chat.file()),
        HeaderProblem::Missing | HeaderProblem::Malformed(_) => Error::new(
            Code::MissingHeader,
            message,
            say!(
                "SillyTavern would lose the first message of this file. Restore it from \
                 SillyTavern's backups folder."
            ),
        ),
    }
}

fn too_old(file: &str) -> Error {
    Error::new(
        Code::GroupTooOld,
        say!(
            "{0}: this group chat is in the format of SillyTavern 1.14 or older, which keeps its \
             metadata in the group's record",
            &file,
        ),
        say!(
            "Start SillyTavern 1.16 or newer once on this data folder: it moves the metadata into \
             the chats and keeps a backup. Then try again."
        ),
    )
}

pub(super) async fn group_of<H: Host>(host: &H, chat: &ChatRef) -> Result<Option<Document>, Error> {
    let Owner::Group(id) = &chat.owner else { return Ok(None) };
    let file = group_file(id);
    let document =
        host.group(id).await.map_err(|error| Error::reading(&error))?.ok_or_else(|| {
            Error::new(
                Code::CorruptGroup,
                say!("{0}: the group's record is gone", &file),
                say!("Restore the group, or open the chat in a group that lists it."),
            )
        })?;
    let group = Group::read(&document.text).map_err(|problem| {
        Error::new(
            Code::CorruptGroup,
            say!("{0}: {1}", &file, &problem),
            say!("Restore the group's record from a backup of the data folder."),
        )
    })?;
    if group.keeps_metadata() {
        return Err(too_old(&file));
    }
    Ok(Some(document))
}

pub(super) fn fork_point<C: ChatView>(view: &C, at: Option<usize>) -> Result<usize, Error> {
    let last = view.len().checked_sub(1);
    match (at.or(last), last) {
        (Some(at), Some(last)) if at <= last => Ok(at),
        (at, last) => {
            let (file, asked) = (view.chat().file(), at.unwrap_or(0));
            let says = match last {
                Some(last) => say!(
                    "{0}: there is no message {1}; its messages are numbered 0 to {2}",
                    file,
                    asked,
                    last,
                ),
                None => say!("{0}: there is no message {1}; it has no messages", file, asked),
            };
            let mut report =
                Report::new(State { message_index: at.unwrap_or(0), ..State::default() });
            report.error(Finding::new(
                Code::MessageNotFound,
                says,
                say!(
                    "Choose a message of the chat; SillyTavern shows the number beside each one \
                     when message ids are switched on."
                ),
            ));
            Err(report.refusal().unwrap_or_else(|| unreachable!("an error was just added")))
        }
    }
}

pub(super) fn check<C: ChatView>(view: &C, at: usize, chat: &ChatRef) -> Result<(), Error> {
    match view.check(0..at + 1).map_err(|error| Error::reading(&error))? {
        None => Ok(()),
        Some(damage) => Err(damaged(chat, &damage)),
    }
}

pub(super) fn damaged(chat: &ChatRef, damage: &Damage) -> Error {
    let (file, Damage { message, line, problem }) = (chat.file(), damage);
    let (message, advice) = if is_limit(problem) {
        (
            say!("{0}, line {1}: message {2} cannot be read: {3}", file, line, message, problem),
            SHORTEN,
        )
    } else {
        (
            say!("{0}, line {1}: message {2} is damaged: {3}", file, line, message, problem),
            say!(
                "SillyTavern would drop this line. Repair it by hand or restore the chat from \
                 SillyTavern's backups folder, then try again."
            ),
        )
    };
    Error::new(Code::DamagedChat, message, advice)
}
