//! Whether a file still is the one that was read, without reading it again.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::fs;
use crate::packed::{self, Rest, put_number};

/// So much of a file is compared where its times prove nothing.
pub(crate) const BEGINNING: usize = 4096;
/// A file that was changed this recently may change again without telling another time.
pub(crate) const RECENT: Duration = Duration::from_secs(2);

/// A state of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Mark {
    size: u64,
    /// When its content was changed, as it says.
    written: u64,
    /// When anything of it was changed, and which file it is; zero where nobody knows.
    changed: u64,
    inode: u64,
    /// How it begins; zero where its times prove enough.
    beginning: u64,
}

impl Mark {
    pub(crate) fn of(path: &Path, metadata: &Metadata) -> io::Result<Self> {
        let mark = Self::by_times(metadata)?;
        Ok(Self { beginning: if mark.is_proof() { 0 } else { beginning(path)? }, ..mark })
    }

    /// Of whatever is there, or is not, without reading it; nothing where that proves nothing. What
    /// is in a folder is not the folder's state.
    pub(crate) fn proof(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Some(Self { inode: u64::MAX, ..Self::default() }),
            Ok(metadata) => Self::by_times(&metadata).ok().filter(Self::is_proof),
            Err(error) => (error.kind() == io::ErrorKind::NotFound).then(Self::default),
        }
    }

    fn by_times(metadata: &Metadata) -> io::Result<Self> {
        let time = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (changed, inode) = unforged(metadata);
        let written = u64::try_from(time.as_nanos()).unwrap_or(0);
        Ok(Self { size: metadata.len(), written, changed, inode, beginning: 0 })
    }

    /// Some disks count whole seconds.
    fn is_proof(&self) -> bool {
        !self.changed.is_multiple_of(1_000_000_000)
    }

    pub(crate) fn is_recent(&self, now: SystemTime) -> bool {
        let last = UNIX_EPOCH + Duration::from_nanos(self.written.max(self.changed));
        !now.duration_since(last).is_ok_and(|age| age > RECENT)
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        for number in [self.size, self.written, self.changed, self.inode, self.beginning] {
            put_number(out, number);
        }
    }

    pub(crate) fn take(rest: &mut Rest<'_>) -> Option<Self> {
        Some(Self {
            size: rest.number()?,
            written: rest.number()?,
            changed: rest.number()?,
            inode: rest.number()?,
            beginning: rest.number()?,
        })
    }
}

fn beginning(path: &Path) -> io::Result<u64> {
    let mut buffer = [0; BEGINNING];
    let n = fs::read_at(&fs::open(path)?, &mut buffer, 0)?;
    Ok(packed::short(&blake3::hash(&buffer[..n])))
}

/// The time of the last change, in nanoseconds, and the file's number.
#[cfg(unix)]
fn unforged(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
    let nanos = u64::try_from(metadata.ctime_nsec()).unwrap_or(0);
    (seconds.saturating_mul(1_000_000_000).saturating_add(nanos), metadata.ino())
}

#[cfg(not(unix))]
fn unforged(_: &Metadata) -> (u64, u64) {
    (0, 0)
}
