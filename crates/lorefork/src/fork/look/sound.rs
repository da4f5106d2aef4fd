//! What must be sound before anything else is asked of a chat: its first line, its group, its
//! messages up to N.

use crate::error::report::{Finding, Report, State};
use crate::error::{Code, Error};
use crate::host::{ChatView, Damage, Document, Host};
use crate::limits::{SHORTEN, is_limit};
use crate::say;
use crate::tavern::group::Group;
use crate::tavern::place::{ChatRef, Owner, group_file};
use crate::timeline::header::too_old;

pub(super) async fn group_of<H: Host>(host: &H, chat: &ChatRef) -> Result<Option<Document>, Error> {
    let Owner::Group(id) = &chat.owner else { return Ok(None) };
    let file = group_file(id);
    let document = host.group(id).await?.ok_or_else(|| {
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
    match view.check(0..at + 1)? {
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
