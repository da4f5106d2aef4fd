//! Every call that reads or changes the file system.
//!
//! One door, so that a test can stand at it: see [`points`].

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

pub(crate) mod held;
mod in_use;
#[cfg(any(test, feature = "crash-points"))]
pub(crate) mod points;

#[cfg(not(any(test, feature = "crash-points")))]
mod points {
    pub(super) const ENABLED: bool = false;

    pub(super) fn pass() -> std::io::Result<()> {
        Ok(())
    }
}

pub(crate) fn open(path: &Path) -> io::Result<File> {
    must_be_file(path)?;
    patiently(|| File::open(path))
}

pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    must_be_file(path)?;
    patiently(|| fs::read(path))
}

/// To open a pipe waits for whoever writes to it, and a device may never end.
fn must_be_file(path: &Path) -> io::Result<()> {
    let found = fs::metadata(path)?;
    if found.is_file() {
        Ok(())
    } else if found.is_dir() {
        Err(io::ErrorKind::IsADirectory.into())
    } else {
        Err(io::Error::other("it is a pipe or a device, not a file"))
    }
}

/// Of what a link leads to.
pub(crate) fn metadata(path: &Path) -> io::Result<fs::Metadata> {
    fs::metadata(path)
}

pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Names in a folder, sorted, so that everything made from them is the same on every run.
///
/// Names that are not Unicode are left out: SillyTavern cannot open such files either.
pub(crate) fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

/// Reads at a place of the file, whatever its cursor is, until `buffer` is full or the file ends.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read_some_at(file, &mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(unix)]
fn read_some_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_some_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// Makes a folder that need not be there, and its parents.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    points::pass()?;
    fs::create_dir_all(path)
}

/// Makes a file that must not exist yet.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    points::pass()?;
    patiently(|| OpenOptions::new().read(true).write(true).create_new(true).open(path))
}

/// Opens a file for writing that may exist, and leaves what is in it.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    if !exists(path) {
        points::pass()?;
    }
    patiently(|| OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path))
}

/// Writes a file of no importance in place.
pub(crate) fn write_over(path: &Path, bytes: &[u8]) -> io::Result<()> {
    points::pass()?;
    fs::write(path, bytes)
}

pub(crate) fn write(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    for part in parts(0..bytes.len() as u64) {
        points::pass()?;
        file.write_all(&bytes[part.start as usize..part.end as usize])?;
    }
    Ok(())
}

/// Appends a range of another file. The kernel copies where it can.
pub(crate) fn copy(mut from: &File, range: Range<u64>, mut to: &File) -> io::Result<()> {
    for part in parts(range) {
        points::pass()?;
        from.seek(SeekFrom::Start(part.start))?;
        let length = part.end - part.start;
        // `Take<&File>` is what `io::copy` hands to the kernel; a reader of our own would not be.
        if io::copy(&mut from.take(length), &mut to)? != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}

/// The halves of a write, so that a test can stop between them.
fn parts(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let middle = if points::ENABLED { u64::midpoint(range.start, range.end) } else { range.start };
    [range.start..middle, middle..range.end].into_iter().filter(|part| !part.is_empty())
}

/// Waits until what was written is on the disk.
pub(crate) fn sync(file: &File) -> io::Result<()> {
    points::pass()?;
    file.sync_all()
}

/// Gives a file a second name, which must not exist yet.
pub(crate) fn link(from: &Path, to: &Path) -> io::Result<()> {
    points::pass()?;
    patiently(|| fs::hard_link(from, to))
}

pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    points::pass()?;
    held::let_go(from);
    held::let_go(to);
    in_use::must_be_closed(to);
    patiently(|| fs::rename(from, to))
}

pub(crate) fn remove(path: &Path) -> io::Result<()> {
    points::pass()?;
    held::let_go(path);
    in_use::must_be_closed(path);
    patiently(|| fs::remove_file(path))
}

/// Removes a folder of ours with all that is in it.
pub(crate) fn remove_folder(path: &Path) -> io::Result<()> {
    points::pass()?;
    fs::remove_dir_all(path)
}

/// Waits until the names in a folder are on the disk.
#[cfg(unix)]
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    points::pass()?;
    // Some file systems cannot do this, or do it by themselves; only a failing disk matters.
    match File::open(path).and_then(|folder| folder.sync_all()) {
        Err(error) if is_disk_error(&error) => Err(error),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn is_disk_error(error: &io::Error) -> bool {
    const EIO: i32 = 5;
    error.raw_os_error() == Some(EIO)
        || matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Windows has no such call; renaming there is durable enough.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Gives a file the mode, and where possible the owner, of another.
pub(crate) fn take_after(file: &File, model: &fs::Metadata) -> io::Result<()> {
    points::pass()?;
    take_owner(file, model);
    file.set_permissions(model.permissions())
}

/// Gives a file the owner of another where that is possible: as root, for example in a container,
/// a new file would otherwise be one that SillyTavern cannot change.
#[cfg(unix)]
pub(crate) fn take_owner(file: &File, model: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let differs = |own: fs::Metadata| (own.uid(), own.gid()) != (model.uid(), model.gid());
    if file.metadata().is_ok_and(differs) {
        // Only root may; everybody else keeps the file, and that is how SillyTavern does it too.
        let _ = fchown(file, Some(model.uid()), Some(model.gid()));
    }
}

#[cfg(not(unix))]
pub(crate) fn take_owner(_: &File, _: &fs::Metadata) {}

/// On Windows, virus scanners and indexers open a file for a moment just when it was written.
#[cfg(windows)]
fn patiently<T>(call: impl Fn() -> io::Result<T>) -> io::Result<T> {
    // To replace a file that is open is said to be denied.
    let may_pass =
        |error: &io::Error| is_in_use(error) || error.kind() == io::ErrorKind::PermissionDenied;
    for pause in [10, 20, 50, 100, 200, 400] {
        match call() {
            Err(error) if may_pass(&error) => {
                std::thread::sleep(std::time::Duration::from_millis(pause));
            }
            result => return result,
        }
    }
    call()
}

#[cfg(not(windows))]
fn patiently<T>(call: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    call()
}

/// Whether another program has the file open, or a part of it locked; only Windows minds.
pub(crate) fn is_in_use(error: &io::Error) -> bool {
    const SHARING_VIOLATION: i32 = 32;
    const LOCK_VIOLATION: i32 = 33;
    cfg!(windows) && matches!(error.raw_os_error(), Some(SHARING_VIOLATION | LOCK_VIOLATION))
}

/// Symbolic links that lead in a circle; `io::ErrorKind` has no stable name for it.
pub(crate) fn is_loop(error: &io::Error) -> bool {
    const ELOOP: i32 = if cfg!(windows) {
        1921
    } else if cfg!(any(target_os = "linux", target_os = "android")) {
        40
    } else {
        62
    };
    error.raw_os_error() == Some(ELOOP)
}
