//! Writing the sample folder. What is not ours is never replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lorefork::error::Code;
use lorefork::memory::recap::hash::recap_hash;
use lorefork::tavern::timed::string_hash;

use super::story::{self, Hashes};
use crate::code::Own;
use crate::error::Failure;

/// Says that a demo wrote the folder, so that the next one may replace it.
const MARKER: &str = ".lorefork-demo";
const MARKER_TEXT: &str =
    "“lorefork demo” wrote this folder, and replaces it when it is run again.\n";

/// Writes the sample data to `folder`, replacing what an earlier demo left there; on wish with a
/// family that shares a lorebook.
///
/// It is written beside the folder first and then renamed: a demo that is interrupted leaves the
/// old folder as it was.
pub(crate) fn write(folder: &Path, with_tangled: bool) -> Result<(), Failure> {
    let old = what_is_there(folder)?;
    let failed = |error: io::Error| could_not(folder, &error);
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent).map_err(failed)?;
    let new = beside(parent, "new");
    let written =
        write_files(&new, with_tangled).and_then(|()| put_in_place(&new, folder, parent, old));
    written.map_err(|error| {
        let _ = fs::remove_dir_all(&new);
        could_not(folder, &error)
    })
}

/// What stands where the folder shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Old {
    Nothing,
    Empty,
    Ours,
}

fn what_is_there(folder: &Path) -> Result<Old, Failure> {
    let refused = |what: &str| {
        let message = format!("{}: {what}", folder.display());
        Failure::new(Own::Exists, message, "Give another folder: lorefork demo DIR")
    };
    if matches!(folder.components().next_back(), Some(std::path::Component::Normal(_))) {
        match folder.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Old::Nothing),
            Err(error) => return Err(could_not(folder, &error)),
            Ok(metadata) if metadata.is_symlink() => return Err(refused("this is a link")),
            Ok(metadata) if !metadata.is_dir() => {
                return Err(refused("this is a file, not a folder"));
            }
            Ok(_) => {}
        }
        let mut names = fs::read_dir(folder).map_err(|error| could_not(folder, &error))?;
        if names.next().is_none() {
            return Ok(Old::Empty);
        }
        if folder.join(MARKER).symlink_metadata().is_ok_and(|marker| marker.is_file()) {
            return Ok(Old::Ours);
        }
    }
    Err(refused("this folder exists, and no demo wrote it; it was left alone"))
}

/// The files of the sample data, below its root.
pub(crate) fn sample(with_tangled: bool) -> Vec<story::File> {
    let hashes =
        Hashes { string: |text| string_hash(text.encode_utf16()), recap: |text| recap_hash(text) };
    let mut files = story::files(hashes);
    if with_tangled {
        files.extend(story::tangled(hashes));
    }
    files
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

fn could_not(folder: &Path, error: &io::Error) -> Failure {
    let message = format!("{}: the sample folder could not be written: {error}", folder.display());
    Failure::new(Code::WriteFailed, message, "Give a folder you may write to: lorefork demo DIR")
}
