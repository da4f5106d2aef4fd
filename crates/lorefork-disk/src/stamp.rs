//! Telling one state of a file from another.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use lorefork::host::Stamp;

use crate::fs;

/// For small files: what is in it.
pub(crate) fn of_bytes(bytes: &[u8]) -> Stamp {
    Stamp(blake3::hash(bytes).to_hex().to_string())
}

/// For chats, which may be big: inode, size and time of the last change.
///
/// Where these prove nothing the content is hashed too: without inodes, and where the time is in
/// whole seconds, which is all that some disks keep.
pub(crate) fn of_file(file: &File) -> io::Result<Stamp> {
    let metadata = file.metadata()?;
    let time = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let inode = inode(&metadata);
    let mut stamp = format!("{inode}-{}-{}", metadata.len(), time.as_nanos());
    if inode == 0 || time.subsec_nanos() == 0 {
        stamp.push('-');
        stamp.push_str(&hash(file)?.to_hex());
    }
    Ok(Stamp(stamp))
}

pub(crate) fn of_path(path: &Path) -> io::Result<Stamp> {
    of_file(&fs::open(path)?)
}

fn hash(file: &File) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 256 * 1024];
    let mut offset = 0;
    loop {
        let n = fs::read_at(file, &mut buffer, offset)?;
        if n == 0 {
            return Ok(hasher.finalize());
        }
        hasher.update(&buffer[..n]);
        offset += n as u64;
    }
}

#[cfg(unix)]
fn inode(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

/// Windows has file numbers, but std does not tell them. The time of creation changes whenever a
/// file is replaced, and counts in tenths of a microsecond.
#[cfg(windows)]
fn inode(metadata: &std::fs::Metadata) -> u64 {
    std::os::windows::fs::MetadataExt::creation_time(metadata)
}
