//! What went wrong on disk, in words for people.

use std::io::{self, ErrorKind};

use lorefork::host::{HostError, HostErrorKind};
use lorefork::sentence::Sentence;

use crate::fs;

/// An error of the file system while doing something ("read it", "create it") to `file`.
pub(crate) fn failed(file: &str, doing: &str, error: &io::Error) -> HostError {
    let (kind, reason) = explain(error);
    HostError::new(kind, file, format!("could not {doing}: {reason}"))
}

/// Makes a closure for `map_err`.
pub(crate) fn while_doing<'a>(
    file: &'a str,
    doing: &'a str,
) -> impl Fn(io::Error) -> HostError + 'a {
    move |error| failed(file, doing, &error)
}

fn explain(error: &io::Error) -> (HostErrorKind, String) {
    if fs::is_loop(error) {
        let reason = "a symbolic link on the way to it leads in a circle. Remove the link";
        return (HostErrorKind::Outside, reason.into());
    }
    if fs::is_in_use(error) {
        let reason = "another program has it open. Close it there and try again";
        return (HostErrorKind::Failed, reason.into());
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
        _ => return (HostErrorKind::Failed, error.to_string()),
    };
    (HostErrorKind::Failed, reason.into())
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
