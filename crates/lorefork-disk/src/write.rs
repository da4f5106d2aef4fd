//! Files that appear whole or not at all.
//!
//! Everything is written to a temporary file beside its target, brought to the disk, and only
//! then given its name.
//!
//! # Limitations
//! On file systems without hard links (FAT, some network disks, shared storage of Android) a new
//! file's name is first taken by a file that only says which temporary one will replace it. Whoever
//! looks in between sees that, and after a crash it stays until it is swept up.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use lorefork::host::{HostError, Stamp, Written};

use crate::error::{changed, unwritten};
use crate::{fs, stamp};

const PREFIX: &str = ".lorefork-";
const SUFFIX: &str = ".tmp";

/// Whether a file of this name is one of our temporary ones.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// Whether a file only holds a name for the temporary file `name`; see the limitations.
pub(crate) fn holds_name_for(path: &Path, name: &str) -> bool {
    // Hundreds of megabytes are not read to find out.
    let is_as_long = path.metadata().is_ok_and(|found| found.len() == name.len() as u64);
    is_as_long && fs::read(path).is_ok_and(|bytes| bytes == name.as_bytes())
}

/// A temporary name beside a file.
pub(crate) fn temporary_path(target: &Path) -> io::Result<PathBuf> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    Ok(target.with_file_name(format!("{PREFIX}{:016x}{SUFFIX}", u64::from_ne_bytes(random))))
}

/// A file that has no name of its own yet. Dropped before it gets one, it is removed.
pub(crate) struct Temporary {
    /// Before its name, so that it is closed when that is removed.
    file: File,
    name: TemporaryName,
}

/// A temporary name, removed when it is dropped unless the file was renamed.
struct TemporaryName {
    path: PathBuf,
    is_there: bool,
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        if self.is_there {
            // One that stays is swept up later.
            let _ = fs::remove(&self.path);
        }
    }
}

/// Why a file did not get its name.
pub(crate) enum Trouble {
    /// It did not happen.
    Not(io::Error),
    /// Perhaps it did.
    Perhaps(io::Error),
    /// The target is not what it was.
    Changed,
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Not(error)
    }
}

impl Temporary {
    pub(crate) fn beside(target: &Path) -> io::Result<Self> {
        let path = temporary_path(target)?;
        let file = fs::create_new(&path)?;
        Ok(Self { file, name: TemporaryName { path, is_there: true } })
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file a name that does not exist yet.
    pub(crate) fn create(mut self, target: &Path) -> Result<Stamp, Trouble> {
        if let Some(folder) = target.parent().and_then(|folder| folder.metadata().ok()) {
            fs::take_owner(&self.file, &folder);
        }
        fs::sync(&self.file)?;
        // Linking fails if the name exists, also in another spelling where the disk does not tell
        // those apart. Renaming would replace.
        match fs::link(&self.name.path, target) {
            Ok(()) => {}
            Err(error) if has_no_links(&error) => self.create_without_links(target)?,
            Err(error) => return Err(decisive(error)),
        }
        self.finish(target)
    }

    fn create_without_links(&mut self, target: &Path) -> Result<(), Trouble> {
        let holder = fs::create_new(target)?;
        let name = self.name.path.file_name().unwrap_or_default().as_encoded_bytes();
        let noted = fs::write(&holder, name);
        drop(holder);
        if let Err(error) = noted.and_then(|()| fs::rename(&self.name.path, target)) {
            let _ = fs::remove(target);
            return Err(decisive(error));
        }
        self.name.is_there = false;
        Ok(())
    }

    /// Puts the file in the place of another, with its mode and owner, if that one `still` is
    /// what was read.
    pub(crate) fn replace(
        self,
        target: &Path,
        still: impl FnOnce() -> io::Result<bool>,
    ) -> Result<Stamp, Trouble> {
        let former: Metadata = target.metadata()?;
        fs::take_after(&self.file, &former)?;
        fs::sync(&self.file)?;
        if !still()? {
            return Err(Trouble::Changed);
        }
        self.rename(target)
    }

    /// Puts the file at a place that is ours alone, whatever is there.
    pub(crate) fn put(self, target: &Path) -> Result<Stamp, Trouble> {
        fs::sync(&self.file)?;
        self.rename(target)
    }

    fn rename(mut self, target: &Path) -> Result<Stamp, Trouble> {
        fs::rename(&self.name.path, target).map_err(decisive)?;
        self.name.is_there = false;
        self.finish(target)
    }

    /// The file has its name. What is left is to make sure that it keeps it.
    fn finish(self, target: &Path) -> Result<Stamp, Trouble> {
        let stamp = stamp::of_file(&self.file).map_err(Trouble::Perhaps)?;
        drop(self);
        let folder = target.parent().unwrap_or(Path::new("."));
        fs::sync_folder(folder).map_err(Trouble::Perhaps)?;
        Ok(stamp)
    }
}

/// Whether links fail for a reason that renaming would not fail for.
pub(crate) fn has_no_links(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::AlreadyExists
            | ErrorKind::NotFound
            | ErrorKind::StorageFull
            | ErrorKind::QuotaExceeded
            | ErrorKind::ReadOnlyFilesystem
    )
}

/// A naming that failed did not happen, unless the disk itself is in trouble.
pub(crate) fn decisive(error: io::Error) -> Trouble {
    if fs::is_in_use(&error) {
        return Trouble::Not(error);
    }
    match error.kind() {
        ErrorKind::AlreadyExists
        | ErrorKind::NotFound
        | ErrorKind::PermissionDenied
        | ErrorKind::StorageFull
        | ErrorKind::QuotaExceeded
        | ErrorKind::ReadOnlyFilesystem
        | ErrorKind::Unsupported
        | ErrorKind::NotADirectory
        | ErrorKind::IsADirectory
        | ErrorKind::CrossesDevices
        | ErrorKind::InvalidFilename
        | ErrorKind::TooManyLinks => Trouble::Not(error),
        _ => Trouble::Perhaps(error),
    }
}

/// Says how a write ended.
pub(crate) fn written(file: &str, doing: &str, result: Result<Stamp, Trouble>) -> Written {
    match result {
        Ok(stamp) => Written::Done(stamp),
        Err(Trouble::Not(error)) => Written::Refused(unwritten(file, doing, &error)),
        Err(Trouble::Perhaps(error)) => Written::Unknown(unwritten(file, doing, &error)),
        Err(Trouble::Changed) => Written::Refused(changed(file)),
    }
}

/// Creates a small file; its stamp is that of its text.
pub(crate) fn create(path: &Path, text: &str) -> Result<Stamp, Trouble> {
    let temporary = Temporary::beside(path)?;
    fs::write(temporary.file(), text.as_bytes())?;
    temporary.create(path)?;
    Ok(stamp::of_bytes(text.as_bytes()))
}

/// Replaces a small file if it still has the stamp that was `seen`.
pub(crate) fn replace(path: &Path, text: &str, seen: &Stamp) -> Result<Stamp, Trouble> {
    let temporary = Temporary::beside(path)?;
    fs::write(temporary.file(), text.as_bytes())?;
    temporary.replace(path, || Ok(stamp::of_bytes(&fs::read(path)?) == *seen))?;
    Ok(stamp::of_bytes(text.as_bytes()))
}

/// Writes a small file of our own, whatever is there.
pub(crate) fn put(path: &Path, text: &str) -> Result<(), Trouble> {
    let temporary = Temporary::beside(path)?;
    fs::write(temporary.file(), text.as_bytes())?;
    temporary.put(path).map(|_| ())
}

/// Removes a file, and makes sure it stays removed.
pub(crate) fn remove(path: &Path) -> Result<(), Trouble> {
    fs::remove(path).map_err(decisive)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::sync_folder(folder).map_err(Trouble::Perhaps)
}

/// Makes sure that a file that was moved stays moved.
pub(crate) fn sync_folders(from: &Path, to: &Path) -> Result<(), Trouble> {
    for path in [to, from] {
        fs::sync_folder(path.parent().unwrap_or(Path::new("."))).map_err(Trouble::Perhaps)?;
    }
    Ok(())
}

/// The error alone, where it does not matter whether the write happened after all.
pub(crate) fn error(file: &str, doing: &str, trouble: Trouble) -> HostError {
    match trouble {
        Trouble::Not(error) | Trouble::Perhaps(error) => unwritten(file, doing, &error),
        Trouble::Changed => changed(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::points;

    fn names(folder: &Path) -> Vec<String> {
        fs::names(folder).unwrap()
    }

    #[test]
    fn creating_never_replaces_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        assert!(create(&path, "one").is_ok());
        let Err(Trouble::Not(error)) = create(&path, "two") else { panic!("was created twice") };
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert_eq!(names(folder.path()), ["a.json"]);
    }

    #[test]
    fn without_hard_links_creating_still_never_replaces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        // The points of a creation: file, two halves, sync, link.
        points::fail_at(5, ErrorKind::Unsupported);
        assert!(create(&path, "one").is_ok());
        points::fail_at(5, ErrorKind::Unsupported);
        assert!(matches!(create(&path, "two"), Err(Trouble::Not(_))));
        points::stop_failing();
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert_eq!(names(folder.path()), ["a.json"]);
    }

    #[test]
    fn replacing_needs_the_file_that_was_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        std::fs::write(&path, "one").unwrap();
        let seen = stamp::of_bytes(b"one");
        assert!(replace(&path, "two", &seen).is_ok_and(|stamp| stamp == stamp::of_bytes(b"two")));
        assert!(matches!(replace(&path, "three", &seen), Err(Trouble::Changed)));
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["a.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn replacing_keeps_the_mode() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        std::fs::write(&path, "one").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        assert!(replace(&path, "two", &stamp::of_bytes(b"one")).is_ok());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }

    /// Whichever call fails: the target is as it was or complete, no temporary file stays, and
    /// the answer does not say "no" if the file is there.
    #[test]
    fn a_failure_anywhere_is_clean() {
        for kind in [ErrorKind::StorageFull, ErrorKind::PermissionDenied, ErrorKind::Other] {
            for n in 1.. {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("a.json");
                let other = folder.path().join("b.json");
                std::fs::write(&other, "old").unwrap();
                points::fail_at(n, kind);
                let created = create(&path, "new");
                let replaced = replace(&other, "new", &stamp::of_bytes(b"old"));
                let passed = points::stop_failing();
                match created {
                    Ok(_) => assert_eq!(std::fs::read(&path).unwrap(), b"new"),
                    Err(Trouble::Not(_) | Trouble::Changed) => assert!(!path.exists()),
                    Err(Trouble::Perhaps(_)) => {}
                }
                let now = std::fs::read(&other).unwrap();
                match replaced {
                    Ok(_) => assert_eq!(now, b"new"),
                    Err(Trouble::Not(_) | Trouble::Changed) => assert_eq!(now, b"old"),
                    Err(Trouble::Perhaps(_)) => assert!(now == b"new" || now == b"old"),
                }
                let stays = names(folder.path()).into_iter().filter(|name| is_temporary(name));
                // Removing the temporary name is the one call after which one may stay.
                assert!(stays.count() <= usize::from(n == 6), "{n}");
                if passed < n {
                    break;
                }
            }
        }
    }
}
