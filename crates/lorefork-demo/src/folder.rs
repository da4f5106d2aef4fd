//! Writing the sample folder. What is not ours is never replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::sample;

/// Says that a demo wrote the folder, so that the next one may replace it.
const MARKER: &str = ".lorefork-demo";
const MARKER_TEXT: &str =
    "“lorefork demo” wrote this folder, and replaces it when it is run again.\n";

/// Why the folder was not written.
#[derive(Debug)]
pub enum WriteError {
    /// Something is there that no demo wrote; it was left alone. It says what.
    NotOurs(&'static str),
    /// The disk refused.
    Disk(io::Error),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Disk(error)
    }
}

/// Writes the sample data to `folder`, replacing what an earlier demo left there; on wish with a
/// family that shares a lorebook.
///
/// It is written beside the folder first and then renamed: a demo that is interrupted leaves the
/// old folder as it was.
pub fn write(folder: &Path, with_tangled: bool) -> Result<(), WriteError> {
    let old = what_is_there(folder)?;
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent)?;
    let new = beside(parent, "new");
    let written =
        write_files(&new, with_tangled).and_then(|()| put_in_place(&new, folder, parent, old));
    written.map_err(|error| {
        let _ = fs::remove_dir_all(&new);
        error.into()
    })
}

/// What stands where the folder shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Old {
    Nothing,
    Empty,
    Ours,
}

fn what_is_there(folder: &Path) -> Result<Old, WriteError> {
    if matches!(folder.components().next_back(), Some(std::path::Component::Normal(_))) {
        match folder.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Old::Nothing),
            Err(error) => return Err(error.into()),
            Ok(metadata) if metadata.is_symlink() => {
                return Err(WriteError::NotOurs("this is a link"));
            }
            Ok(metadata) if !metadata.is_dir() => {
                return Err(WriteError::NotOurs("this is a file, not a folder"));
            }
            Ok(_) => {}
        }
        let mut names = fs::read_dir(folder)?;
        if names.next().is_none() {
            return Ok(Old::Empty);
        }
        if folder.join(MARKER).symlink_metadata().is_ok_and(|marker| marker.is_file()) {
            return Ok(Old::Ours);
        }
    }
    Err(WriteError::NotOurs("this folder exists, and no demo wrote it; it was left alone"))
}

fn write_files(new: &Path, with_tangled: bool) -> io::Result<()> {
    fs::create_dir(new)?;
    fs::write(new.join(MARKER), MARKER_TEXT)?;
    for (path, bytes) in sample(with_tangled) {
        let path = new.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)?;
    }
    Ok(())
}

fn put_in_place(new: &Path, folder: &Path, parent: &Path, old: Old) -> io::Result<()> {
    match old {
        Old::Nothing => fs::rename(new, folder),
        Old::Empty => {
            // Fails if something came into it meanwhile.
            fs::remove_dir(folder)?;
            fs::rename(new, folder)
        }
        Old::Ours => {
            let aside = beside(parent, "old");
            fs::rename(folder, &aside)?;
            fs::rename(new, folder).inspect_err(|_| {
                // The old one back, if that is still possible.
                let _ = fs::rename(&aside, folder);
            })?;
            // Links in it are removed, not followed.
            fs::remove_dir_all(&aside)
        }
    }
}

fn beside(parent: &Path, what: &str) -> PathBuf {
    parent.join(format!(".lorefork-demo-{what}-{}.tmp", std::process::id()))
}
