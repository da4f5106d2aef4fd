//! What went wrong on disk, in words for people.

use std::io::{self, ErrorKind};

use lorefork::host::{HostError, HostErrorKind};
use lorefork::sentence::Sentence;

use crate::fs;

/// An error of the file system while only looking at `file` ("read it", "list it").
pub(crate) fn unread(file: &str, doing: &str, error: &io::Error) -> HostError {
    told(file, doing, error, HostErrorKind::ReadFailed)
}

/// An error of the file system while changing something ("create it", "remove it") about `file`.
pub(crate) fn unwritten(file: &str, doing: &str, error: &io::Error) -> HostError {
    told(file, doing, error, HostErrorKind::WriteFailed)
}

/// [`unread`] as a closure for `map_err`.
pub(crate) fn while_reading<'a>(
    file: &'a str,
    doing: &'a str,
) -> impl Fn(io::Error) -> HostError + 'a {
    move |error| unread(file, doing, &error)
}

/// [`unwritten`] as a closure for `map_err`.
pub(crate) fn while_writing<'a>(
    file: &'a str,
    doing: &'a str,
) -> impl Fn(io::Error) -> HostError + 'a {
    move |error| unwritten(file, doing, &error)
}

fn told(file: &str, doing: &str, error: &io::Error, otherwise: HostErrorKind) -> HostError {
    let (kind, reason) = explain(error, otherwise);
    HostError::new(kind, file, format!("could not {doing}: {reason}"))
}

/// `otherwise` is what it is if the error is none of those that mean the same everywhere.
fn explain(error: &io::Error, otherwise: HostErrorKind) -> (HostErrorKind, String) {
    if fs::is_loop(error) {
        let reason = "a symbolic link on the way to it leads in a circle. Remove the link";
        return (HostErrorKind::Outside, reason.into());
    }
    if fs::is_in_use(error) {
        let reason = "another program has it open. Close it there and try again";
        return (otherwise, reason.into());
    }
    let reason = match error.kind() {
        ErrorKind::NotFound => {
            return (HostErrorKind::Absent, "there is no such file or folder".into());
        }
        ErrorKind::AlreadyExists => {
            return (HostErrorKind::Exists, "there already is a file of that name".into());
        }
        ErrorKind::StorageFull => "no space is left on the disk. Make room and try again",
        ErrorKind::QuotaExceeded => "your share of the disk is used up. Make room and try again",
        ErrorKind::ReadOnlyFilesystem => {
            "the disk or folder is read-only. Make it writable and try again"
        }
        ErrorKind::PermissionDenied if cfg!(windows) => {
            "permission denied. Another program may have it open: close it there. Otherwise look who \
             owns the folder, and run lorefork as the user that SillyTavern runs as"
        }
        ErrorKind::PermissionDenied => {
            "permission denied. Look who owns the folder, and run lorefork as the user that \
             SillyTavern runs as"
        }
        ErrorKind::NotADirectory => "a part of the path is a file, not a folder",
        ErrorKind::IsADirectory => "it is a folder, not a file",
        ErrorKind::InvalidFilename => "the disk cannot hold a file of that name",
        ErrorKind::UnexpectedEof => {
            return (HostErrorKind::Changed, "it became shorter while it was read".into());
        }
        _ => return (otherwise, error.to_string()),
    };
    (otherwise, reason.into())
}

/// The file is not what it was when it was read.
pub(crate) fn changed(file: &str) -> HostError {
    HostError::new(
        HostErrorKind::Changed,
        file,
        "somebody else changed the file meanwhile; it was left as it is",
    )
}

pub(crate) fn damaged(file: &str, problem: impl Into<Sentence>) -> HostError {
    HostError::new(HostErrorKind::Damaged, file, problem)
}
