//! Points at which a test may end the process or make a call fail.
//!
//! Every change on disk passes a point before it happens, and a write passes another one halfway
//! through. `LOREFORK_CRASH_AT=n` aborts at the n-th point, counted from 1; `LOREFORK_FAIL_AT=n:KIND`
//! makes it fail (`ENOSPC`, `EACCES`, `EROFS`, `EIO`, `ENOTSUP`). Without the feature `crash-points`
//! none of this is in the program.

use std::cell::RefCell;
use std::io;

/// Whether writes are cut in two.
pub(super) const ENABLED: bool = true;

/// What shall happen, and where we are. Per thread: all changes are made by the thread that runs
/// the operation, and tests beside each other must not count each other's.
#[derive(Default)]
struct Script {
    passed: u64,
    crash_at: Option<u64>,
    fail_at: Option<(u64, io::ErrorKind)>,
}

thread_local! {
    static SCRIPT: RefCell<Script> = RefCell::new(Script::from_environment());
}

impl Script {
    fn from_environment() -> Self {
        let text = |name| std::env::var(name).ok();
        Self {
            passed: 0,
            crash_at: text("LOREFORK_CRASH_AT").and_then(|n| n.parse().ok()),
            fail_at: text("LOREFORK_FAIL_AT").and_then(|at| {
                let (n, kind) = at.split_once(':')?;
                Some((n.parse().ok()?, kind_of(kind)?))
            }),
        }
    }
}

fn kind_of(name: &str) -> Option<io::ErrorKind> {
    Some(match name {
        "ENOSPC" => io::ErrorKind::StorageFull,
        "EACCES" => io::ErrorKind::PermissionDenied,
        "EROFS" => io::ErrorKind::ReadOnlyFilesystem,
        "ENOTSUP" => io::ErrorKind::Unsupported,
        "EIO" => io::ErrorKind::Other,
        _ => return None,
    })
}

/// Passes one point.
pub(super) fn pass() -> io::Result<()> {
    SCRIPT.with_borrow_mut(|script| {
        script.passed += 1;
        if script.crash_at == Some(script.passed) {
            std::process::abort();
        }
        match script.fail_at {
            Some((at, kind)) if at == script.passed => Err(kind.into()),
            _ => Ok(()),
        }
    })
}

/// From here on, this thread's `n`-th change fails.
#[cfg(test)]
pub(crate) fn fail_at(n: u64, kind: io::ErrorKind) {
    SCRIPT.set(Script { passed: 0, crash_at: None, fail_at: Some((n, kind)) });
}

/// Nothing fails any more. Says how many points were passed since [`fail_at`].
#[cfg(test)]
pub(crate) fn stop_failing() -> u64 {
    SCRIPT.take().passed
}
