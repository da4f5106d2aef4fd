//! One operation at a time per user folder.
//!
//! `lorefork/lock` is locked by the operating system, which lets go of it however a process ends.
//! `lorefork/lock.json` says who holds it; it is a file of its own because Windows lets nobody read
//! a locked one. Where the system has no locks (Android, some network disks), whoever creates
//! `lock.json` holds it. It is stale once its process is gone, or, if that cannot be told, after ten
//! minutes.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::{fs, write};

const STALE: Duration = Duration::from_secs(10 * 60);
const PAUSE: Duration = Duration::from_millis(50);

/// Held while an operation runs; dropping it lets the next one in.
#[derive(Debug)]
pub struct Claim {
    who: PathBuf,
    /// Kept open, because closing unlocks. `None` where there are no locks.
    _file: Option<File>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Before the lock is gone, or the next one's would be removed. If it stays, it is stale.
        let _ = fs::remove(&self.who);
    }
}

/// Who holds the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Holder {
    pid: u32,
    /// Where a process id means something: the machine since its last start, and the container.
    machine: String,
    what: String,
    at: String,
}

impl Holder {
    pub(crate) fn new(what: &str, at: String) -> Self {
        Self { pid: std::process::id(), machine: machine(), what: what.into(), at }
    }

    /// For "waiting for …" and "… is still running".
    pub(crate) fn describe(&self) -> String {
        format!("“{}” of process {} (since {})", self.what, self.pid, self.at)
    }
}

/// How to lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// By the operating system, or if it cannot, by a file.
    System,
    #[cfg(test)]
    File,
}

/// Nobody else let go in time.
#[derive(Debug)]
pub(crate) enum LockError {
    Busy(String),
    Disk(io::Error),
}

impl From<io::Error> for LockError {
    fn from(error: io::Error) -> Self {
        Self::Disk(error)
    }
}

/// Locks `folder`, waiting up to `wait`. `waiting` hears once for whom.
pub(crate) fn lock(
    folder: &Path,
    holder: &Holder,
    way: Way,
    wait: Duration,
    waiting: &dyn Fn(&str),
) -> Result<Claim, LockError> {
    let deadline = Instant::now() + wait;
    let mut told = false;
    loop {
        if let Some(claim) = try_lock(folder, holder, way)? {
            return Ok(claim);
        }
        let other = read(&folder.join("lock.json"))
            .map_or("another lorefork".into(), |holder| holder.describe());
        if Instant::now() >= deadline {
            return Err(LockError::Busy(other));
        }
        if !told {
            waiting(&other);
            told = true;
        }
        thread::sleep(PAUSE.min(wait));
    }
}

fn try_lock(folder: &Path, holder: &Holder, way: Way) -> io::Result<Option<Claim>> {
    let who = folder.join("lock.json");
    if way == Way::System {
        let file = fs::open_or_create(&folder.join("lock"))?;
        match file.try_lock() {
            Ok(()) => {
                // Only for the message of those who wait.
                let _ = fs::write_over(&who, &text(holder));
                return Ok(Some(Claim { who, _file: Some(file) }));
            }
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) if has_no_locks(&error) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    try_lock_by_file(who, holder)
}

fn try_lock_by_file(who: PathBuf, holder: &Holder) -> io::Result<Option<Claim>> {
    match fs::create_new(&who) {
        Ok(file) => {
            fs::write(&file, &text(holder))?;
            Ok(Some(Claim { who, _file: None }))
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if is_stale(&who) {
                // Renamed, not removed: of two who find it stale, only one succeeds.
                let aside = write::temporary_path(&who)?;
                if fs::rename(&who, &aside).is_ok() {
                    fs::remove(&aside)?;
                }
            }
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn is_stale(who: &Path) -> bool {
    match read(who) {
        Some(holder) if holder.machine == machine() && !holder.machine.is_empty() => {
            !Path::new("/proc").join(holder.pid.to_string()).exists()
        }
        _ => who
            .metadata()
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|time| SystemTime::now().duration_since(time).is_ok_and(|age| age > STALE)),
    }
}

/// Empty where process ids cannot be looked up.
fn machine() -> String {
    // In WSL, a program for Windows sees the files of Linux, and its ids are none of those.
    if cfg!(windows) {
        return String::new();
    }
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let processes = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let machine = format!("{} {}", boot.trim(), processes.display());
    machine.trim().to_owned()
}

fn has_no_locks(error: &io::Error) -> bool {
    const ENOLCK: i32 = if cfg!(target_os = "linux") { 37 } else { 77 };
    error.kind() == ErrorKind::Unsupported || error.raw_os_error() == Some(ENOLCK)
}

fn text(holder: &Holder) -> Vec<u8> {
    serde_json::to_vec(holder).unwrap_or_default()
}

fn read(who: &Path) -> Option<Holder> {
    serde_json::from_slice(&fs::read(who).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn holder(what: &str) -> Holder {
        Holder::new(what, "noon".into())
    }

    #[test]
    fn the_second_waits_and_hears_for_whom() {
        for way in [Way::System, Way::File] {
            let folder = tempfile::tempdir().unwrap();
            let lock = |what: &str, wait| {
                let heard = RefCell::new(Vec::new());
                let hear = |who: &str| heard.borrow_mut().push(who.to_owned());
                let wait = Duration::from_millis(wait);
                let result = lock(folder.path(), &holder(what), way, wait, &hear);
                (result, heard.into_inner())
            };
            let (first, _) = lock("checkpoint", 0);
            let first = first.unwrap();

            let (second, heard) = lock("branch", 120);
            let Err(LockError::Busy(who)) = second else { panic!("locked twice") };
            assert!(who.contains("checkpoint") && who.contains("noon"), "{who}");
            assert_eq!(heard.len(), 1);

            drop(first);
            assert!(lock("branch", 0).0.is_ok());
            assert!(lock("branch", 0).0.is_ok());
        }
    }

    #[test]
    fn who_waits_gets_it_when_it_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let take = |wait| {
            lock(folder.path(), &holder("x"), Way::System, Duration::from_secs(wait), &|_| ())
        };
        let first = take(0).unwrap();
        thread::scope(|scope| {
            let second = scope.spawn(|| take(20).is_ok());
            thread::sleep(Duration::from_millis(150));
            drop(first);
            assert!(second.join().unwrap());
        });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_lock_file_of_a_process_that_is_gone_is_stale() {
        let folder = tempfile::tempdir().unwrap();
        let who = folder.path().join("lock.json");
        // No process has this id: it is beyond the highest the kernel gives.
        let gone = Holder { pid: u32::MAX, ..holder("gone") };
        std::fs::write(&who, text(&gone)).unwrap();
        let wait = Duration::from_secs(5);
        assert!(lock(folder.path(), &holder("x"), Way::File, wait, &|_| ()).is_ok());

        // Of another machine only the time tells.
        let elsewhere = Holder { machine: "elsewhere".into(), ..gone };
        std::fs::write(&who, text(&elsewhere)).unwrap();
        assert!(!is_stale(&who));
        let old = SystemTime::now() - STALE - Duration::from_secs(1);
        File::options().write(true).open(&who).unwrap().set_modified(old).unwrap();
        assert!(is_stale(&who));
        assert_eq!(fs::names(folder.path()).unwrap(), ["lock.json"]);
    }
}
