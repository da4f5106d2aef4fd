//! The trash: `lorefork/trash/<operation>/`, with files as they stood in the user folder.
//!
//! Former texts are kept there and removed files are moved there, so that whoever looks finds them
//! under the names they had.

use std::io::ErrorKind;
use std::path::Path;

use lorefork::host::{HostError, HostErrorKind, Stamp, Trashed, Written};

use crate::error::{changed, unread, while_reading, while_writing};
use crate::inside::{Inside, plain};
use crate::operations::make_folder;
use crate::write::{self, Trouble, written};
use crate::{fs, stamp as stamps};

const TRASH: &str = "lorefork/trash";

/// Where a file of the user folder stands in the trash.
pub(crate) fn file(id: &str, file: &str) -> Result<String, HostError> {
    plain(id)?;
    Ok(format!("{TRASH}/{id}/{file}"))
}

fn with_folder(inside: &Inside, id: &str, path: &str) -> Result<String, HostError> {
    let to = file(id, path)?;
    let folder = to.rsplit_once('/').map_or(TRASH, |(folder, _)| folder);
    make_folder(inside, folder)?;
    Ok(to)
}

/// Keeps a text. The same one again is fine.
pub(crate) fn keep(inside: &Inside, id: &str, path: &str, text: &str) -> Result<(), HostError> {
    let to = with_folder(inside, id, path)?;
    write::put(&inside.new_file(&to)?, text)
        .map_err(|trouble| write::error(&to, "write it", trouble))
}

/// Refuses a file that is a link. What it leads to would be moved and the link would stay, in the
/// way of what is to come back; and a link that is moved leads elsewhere.
pub(crate) fn can_put(inside: &Inside, path: &str) -> Result<(), HostError> {
    let found = std::fs::symlink_metadata(inside.new_file(path)?);
    if found.is_ok_and(|found| found.is_symlink()) {
        let message = "it is a symbolic link, and could not come back from the trash as one. Put \
                       the file itself in its place, or remove the link by hand";
        return Err(HostError::new(HostErrorKind::WriteFailed, path, message));
    }
    Ok(())
}

/// Moves a file to the trash if it `is_same` as was seen, which is asked immediately before.
pub(crate) fn put(
    inside: &Inside,
    id: &str,
    path: &str,
    is_same: impl FnOnce(&Path) -> std::io::Result<bool>,
    seen: &Stamp,
) -> Result<Written, HostError> {
    can_put(inside, path)?;
    let from = inside.existing(path)?;
    let to = inside.new_file(&with_folder(inside, id, path)?)?;
    if fs::exists(&to) && !is_same_file(&from, &to) {
        return Err(HostError::new(HostErrorKind::Exists, path, "it is in the trash already"));
    }
    if !is_same(&from).map_err(while_reading(path, "read it"))? {
        return Err(changed(path));
    }
    Ok(written(path, "move it to the trash", moved(&from, &to).map(|()| seen.clone())))
}

/// Moves a file back, never over another.
pub(crate) fn restore(
    inside: &Inside,
    id: &str,
    path: &str,
    stamp: impl FnOnce(&Path) -> std::io::Result<Stamp>,
) -> Result<Written, HostError> {
    let from = inside.existing(&file(id, path)?)?;
    let to = inside.new_file(path)?;
    let back = moved(&from, &to).and_then(|()| stamp(&to).map_err(Trouble::Perhaps));
    Ok(written(path, "bring it back from the trash", back))
}

/// A second name first, which fails if there is one already; then the first name goes. In between
/// both are there, and nothing is lost.
fn moved(from: &Path, to: &Path) -> Result<(), Trouble> {
    match fs::link(from, to) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists && is_same_file(from, to) => {}
        Err(error) if write::has_no_links(&error) => {
            if fs::exists(to) {
                return Err(Trouble::Not(ErrorKind::AlreadyExists.into()));
            }
            fs::rename(from, to).map_err(write::decisive)?;
            return write::sync_folders(from, to);
        }
        Err(error) => return Err(write::decisive(error)),
    }
    fs::remove(from).map_err(Trouble::Perhaps)?;
    write::sync_folders(from, to)
}

/// Whether a move that was interrupted left both names.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let stamp = |path: &Path| stamps::of_path(path).ok();
    stamp(a).is_some() && stamp(a) == stamp(b)
}

/// Everything in the trash, by operation and path.
pub(crate) fn all(inside: &Inside) -> Result<Vec<Trashed>, HostError> {
    let mut all = Vec::new();
    for id in inside.names(TRASH)? {
        walk(inside, &id, "", &mut all)?;
    }
    Ok(all)
}

fn walk(inside: &Inside, id: &str, path: &str, all: &mut Vec<Trashed>) -> Result<(), HostError> {
    let folder = format!("{TRASH}/{id}{}{path}", if path.is_empty() { "" } else { "/" });
    for name in inside.names(&folder)? {
        let below = if path.is_empty() { name } else { format!("{path}/{name}") };
        let file = format!("{TRASH}/{id}/{below}");
        // Links are not followed: what they lead to is not in the trash.
        let found = std::fs::symlink_metadata(inside.folder().join(&file))
            .map_err(|error| unread(&file, "read it", &error))?;
        if found.is_dir() {
            walk(inside, id, &below, all)?;
        } else {
            all.push(Trashed { id: id.to_owned(), file: below, bytes: found.len() });
        }
    }
    Ok(())
}

/// Removes an operation's part of the trash.
pub(crate) fn burn(inside: &Inside, id: &str) -> Result<(), HostError> {
    plain(id)?;
    let folder = format!("{TRASH}/{id}");
    let Some(path) = inside.if_existing(&folder)? else { return Ok(()) };
    fs::remove_folder(&path).map_err(while_writing(&folder, "empty it"))
}
