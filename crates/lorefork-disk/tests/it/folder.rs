//! A data folder to try things on.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_disk::{DiskHost, UserFolder};
use tempfile::TempDir;

pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for name in ["chats/Mia", "worlds", "groups", "group chats", "characters"] {
            fs::create_dir_all(folder.path(name)).unwrap();
        }
        folder
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        fs::write(self.path(file), text).unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> Vec<u8> {
        fs::read(self.path(file)).unwrap()
    }

    /// Puts another file in the place of one that is open, as SillyTavern does it. `false` if the
    /// system does not let anybody: Windows before 10, and Wine.
    pub(crate) fn replace_open(&self, file: &str, text: &str) -> bool {
        let other = self.path(file).with_file_name("other");
        fs::write(&other, text).unwrap();
        match fs::rename(&other, self.path(file)) {
            Ok(()) => true,
            Err(error) if cfg!(windows) && error.kind() == ErrorKind::PermissionDenied => {
                fs::remove_file(other).unwrap();
                false
            }
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) fn user(&self) -> UserFolder {
        UserFolder::at(self.0.path())
    }

    pub(crate) fn host(&self) -> DiskHost {
        DiskHost::new(&self.user()).unwrap()
    }

    /// All files with their content, for comparing before and after.
    pub(crate) fn everything(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        collect(self.0.path(), &mut files);
        files.sort();
        files
    }
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push((path.clone(), fs::read(&path).unwrap_or_default()));
        }
    }
}

pub(crate) fn mia(name: &str) -> ChatRef {
    ChatRef::new(Owner::Character("Mia".into()), name)
}
