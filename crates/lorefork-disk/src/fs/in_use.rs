//! A check for tests: no file is replaced or removed while this process has it open.
//!
//! Windows refuses that on exFAT, on network disks, and before Windows 10 everywhere. Linux does
//! not mind, so without this check nobody would notice. Not in release builds.

use std::path::Path;

/// Panics if this process has the file open.
#[cfg(all(debug_assertions, target_os = "linux"))]
pub(super) fn must_be_closed(path: &Path) {
    let Ok(handles) = std::fs::read_dir("/proc/self/fd") else { return };
    let is_open = handles
        .flatten()
        .any(|handle| std::fs::read_link(handle.path()).is_ok_and(|open| open == path));
    assert!(!is_open, "{} is replaced or removed while it is open here", path.display());
}

#[cfg(not(all(debug_assertions, target_os = "linux")))]
pub(super) fn must_be_closed(_: &Path) {}
