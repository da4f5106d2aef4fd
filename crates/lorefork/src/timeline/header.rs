//! The first line of a chat: what it must be before anything is asked of it.

use crate::error::{Code, Error};
use crate::host::ChatView;
use crate::say;
use crate::tavern::chat::{Header, HeaderProblem};
use crate::tavern::place::{ChatRef, Owner};

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

pub(crate) fn too_old(file: &str) -> Error {
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
