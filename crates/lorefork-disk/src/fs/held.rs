//! Files that stay open for a while, and are let go of before they are replaced or removed.
//!
//! A chat stays open from when it is judged until it is copied, so that it stays what it was
//! whoever replaces it meanwhile. But we replace files ourselves, and not every Windows allows that
//! for one that is open. So whatever goes through this door lets go of the file first, whoever
//! holds it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All of this process, by path; the number tells several views of one file apart.
static OPEN: Mutex<BTreeMap<(PathBuf, u64), Arc<File>>> = Mutex::new(BTreeMap::new());
static NEXT: AtomicU64 = AtomicU64::new(0);

fn open() -> MutexGuard<'static, BTreeMap<(PathBuf, u64), Arc<File>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is open until it has to be let go of.
#[derive(Debug)]
pub(crate) struct Held {
    place: (PathBuf, u64),
}

impl Held {
    /// Opens the file at `path`, which has no links on its way.
    pub(crate) fn open(path: PathBuf) -> io::Result<Self> {
        let held = Self { place: (path, NEXT.fetch_add(1, Ordering::Relaxed)) };
        held.open_again()?;
        Ok(held)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.place.0
    }

    /// The open file. `None` if it was let go of: what is there now may be another one.
    pub(crate) fn file(&self) -> Option<Arc<File>> {
        open().get(&self.place).cloned()
    }

    /// Opens whatever is there now.
    pub(crate) fn open_again(&self) -> io::Result<Arc<File>> {
        let file = Arc::new(super::open(self.path())?);
        open().insert(self.place.clone(), Arc::clone(&file));
        Ok(file)
    }

    pub(crate) fn let_go(&self) {
        open().remove(&self.place);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.let_go();
    }
}

/// Lets go of the file, whoever holds it.
pub(super) fn let_go(path: &Path) {
    let mut open = open();
    let first = (path.to_owned(), 0);
    while let Some((place, _)) =
        open.range(first.clone()..).next().filter(|(place, _)| place.0 == path)
    {
        let place = place.clone();
        open.remove(&place);
    }
}
