//! Paths inside one user folder, and none outside of it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use lorefork::host::{HostError, HostErrorKind};
use lorefork::tavern::place::{ChatRef, Owner};

use crate::error::{unread, while_reading, while_writing};
use crate::fs;
use crate::looked::Looked;

/// A user folder, with all symbolic links on the way to it resolved.
#[derive(Debug, Clone)]
pub(crate) struct Inside {
    folder: PathBuf,
    /// What was looked at, where somebody wants to know.
    looked: Option<Arc<Mutex<Looked>>>,
}

impl Inside {
    pub(crate) fn new(folder: &Path) -> Result<Self, HostError> {
        let shown = folder.display().to_string();
        let folder = fs::real_path(folder).map_err(while_reading(&shown, "open it"))?;
        Ok(Self { folder, looked: None })
    }

    /// From here on, what is looked at is noted.
    pub(crate) fn noting(&self) -> Self {
        Self { folder: self.folder.clone(), looked: Some(Arc::default()) }
    }

    /// For what is no part of any answer.
    pub(crate) fn unnoted(&self) -> Self {
        Self { folder: self.folder.clone(), looked: None }
    }

    /// Keeps the answer to a question with all that was looked at for it.
    pub(crate) fn keep_answer(&self, question: &str, answer: &str, now: SystemTime) {
        self.note(|looked| looked.keep(&self.unnoted(), question, answer, now));
    }

    /// A file is about to be read, or asked for.
    pub(crate) fn look(&self, file: &str) {
        self.note(|looked| looked.file(file, &self.folder.join(file)));
    }

    /// These names were found in a folder.
    pub(crate) fn listed(&self, folder: &str, names: &[String]) {
        self.note(|looked| looked.folder(folder, names));
    }

    fn note(&self, note: impl FnOnce(&mut Looked)) {
        if let Some(looked) = &self.looked {
            note(&mut looked.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a file that exists really is. A file that is a link is followed, as SillyTavern does.
    pub(crate) fn existing(&self, file: &str) -> Result<PathBuf, HostError> {
        self.look(file);
        self.found(file)
    }

    fn found(&self, file: &str) -> Result<PathBuf, HostError> {
        let path =
            fs::real_path(&self.folder.join(file)).map_err(while_reading(file, "open it"))?;
        self.guarded(file, path)
    }

    /// As [`Self::existing`], `None` if there is no such file.
    pub(crate) fn if_existing(&self, file: &str) -> Result<Option<PathBuf>, HostError> {
        unless_absent(self.existing(file))
    }

    /// Where a new file would be. Its folder exists, or it is an error: a folder that is not
    /// there is a typing mistake, not a wish.
    pub(crate) fn new_file(&self, file: &str) -> Result<PathBuf, HostError> {
        let path = self.folder.join(file);
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(outside(file));
        };
        let parent = fs::real_path(parent).map_err(while_writing(file, "open its folder"))?;
        self.guarded(file, parent).map(|parent| parent.join(name))
    }

    /// Names in a folder, sorted; none if it is absent.
    pub(crate) fn names(&self, folder: &str) -> Result<Vec<String>, HostError> {
        let names = match unless_absent(self.found(folder))?.map(|path| fs::names(&path)) {
            None => Vec::new(),
            // A file among the folders of characters, or removed just now.
            Some(Err(error))
                if matches!(error.kind(), ErrorKind::NotADirectory | ErrorKind::NotFound) =>
            {
                Vec::new()
            }
            Some(names) => names.map_err(|error| unread(folder, "list it", &error))?,
        };
        self.listed(folder, &names);
        Ok(names)
    }

    fn guarded(&self, file: &str, path: PathBuf) -> Result<PathBuf, HostError> {
        if path.starts_with(&self.folder) { Ok(path) } else { Err(outside(file)) }
    }
}

fn unless_absent(found: Result<PathBuf, HostError>) -> Result<Option<PathBuf>, HostError> {
    match found {
        Err(error) if error.kind == HostErrorKind::Absent => Ok(None),
        found => found.map(Some),
    }
}

fn outside(file: &str) -> HostError {
    HostError::new(
        HostErrorKind::Outside,
        file,
        "a symbolic link on the way to it leads out of the data folder. Move the files into it, \
         or give the folder they are in as --root",
    )
}

/// The file of a chat, once its names are sure to be names and not ways.
pub(crate) fn chat_file(chat: &ChatRef) -> Result<String, HostError> {
    if let Owner::Character(folder) = &chat.owner {
        plain(folder)?;
    }
    // The extension makes a plain name of `.` and `..`, but not of separators.
    plain(&format!("{}.jsonl", chat.name))?;
    Ok(chat.file())
}

/// Refuses what is not the name of one file or folder.
pub(crate) fn plain(name: &str) -> Result<(), HostError> {
    let separators: &[char] = if cfg!(windows) { &['/', '\\', ':', '\0'] } else { &['/', '\0'] };
    if name.is_empty() || name == "." || name == ".." || name.contains(separators) {
        let message = "this cannot be the name of a file";
        return Err(HostError::new(HostErrorKind::Outside, name, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_ways_are_refused() {
        for (folder, name) in [("..", "a"), ("", "a"), ("a/b", "a"), ("a", "../a"), ("a", "x\0")] {
            let chat = ChatRef::new(Owner::Character(folder.into()), name);
            assert_eq!(chat_file(&chat).unwrap_err().kind, HostErrorKind::Outside, "{chat}");
        }
        // SillyTavern makes such files.
        assert!(chat_file(&ChatRef::new(Owner::Character("a".into()), "..")).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_and_out_of_the_folder_are_errors() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let user = place.path().join("user");
        std::fs::create_dir_all(user.join("inner/real")).unwrap();
        std::fs::create_dir(place.path().join("other")).unwrap();
        std::fs::write(place.path().join("other/x.json"), "{}").unwrap();
        symlink("worlds", user.join("worlds")).unwrap();
        symlink("../other", user.join("chats")).unwrap();
        symlink("inner/real", user.join("groups")).unwrap();
        symlink("user", place.path().join("alias")).unwrap();

        let inside = Inside::new(&place.path().join("alias")).unwrap();
        for file in ["worlds/x.json", "chats/x.json"] {
            assert_eq!(inside.existing(file).unwrap_err().kind, HostErrorKind::Outside);
            assert_eq!(inside.new_file(file).unwrap_err().kind, HostErrorKind::Outside);
        }
        assert!(inside.names("worlds").unwrap_err().to_string().contains("circle"));
        assert!(inside.names("chats").unwrap_err().to_string().contains("out of"));
        // A link that stays inside is fine.
        assert!(inside.new_file("groups/x.json").unwrap().ends_with("inner/real/x.json"));
        assert_eq!(inside.if_existing("groups/x.json").unwrap(), None);
        assert_eq!(inside.names("nothing").unwrap(), Vec::<String>::new());
    }
}
