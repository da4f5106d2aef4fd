//! Finding the data folder, the user and the chat that a person means.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lorefork::tavern::place::ChatRef;
use lorefork_disk::{DiskHost, Root, UserFolder, select};

use crate::args::Globals;
use crate::error::Failure;
use crate::output::progress;

/// A chat, and the host that holds it.
pub(crate) struct Place {
    pub(crate) host: DiskHost,
    pub(crate) chat: ChatRef,
}

impl Globals {
    /// The chat that `selector` means.
    pub(crate) fn chat(&self, selector: &str) -> Result<Place, Failure> {
        let cwd = current_folder()?;
        let users = self.users_for(Some(selector))?;
        let (user, chat) = select(&users, selector, &cwd)?;
        Ok(Place { host: self.host(&user)?, chat })
    }

    /// The users whose data is to be looked at.
    pub(crate) fn users(&self) -> Result<Vec<UserFolder>, Failure> {
        self.users_for(None)
    }

    /// The one user whose data is meant.
    pub(crate) fn only_user(&self) -> Result<DiskHost, Failure> {
        match self.users()?.as_slice() {
            [user] => self.host(user),
            users => Err(which_user("this SillyTavern has several users:", users)),
        }
    }

    /// All users that are meant, each with the host of their data.
    pub(crate) fn hosts(&self) -> Result<Vec<(UserFolder, DiskHost)>, Failure> {
        self.users()?.into_iter().map(|user| Ok((user.clone(), self.host(&user)?))).collect()
    }

    /// Lorebooks that chats and settings of other users name: their folders may share one.
    pub(crate) fn named_elsewhere(&self, own: &DiskHost) -> Result<Vec<String>, Failure> {
        let given = self.root.as_deref().filter(|root| !root.as_os_str().is_empty());
        let start = if given.is_some() { current_folder()? } else { own.folder().to_owned() };
        let mut books = Vec::new();
        for user in Root::find(given, &start)?.users() {
            let host = DiskHost::new(user)?;
            if host.folder() != own.folder() {
                let named = pollster::block_on(lorefork::naming::named_lorebooks(&host, &[]))?;
                books.extend(named.into_iter().map(|named| named.lorebook));
            }
        }
        Ok(books)
    }

    pub(crate) fn host(&self, user: &UserFolder) -> Result<DiskHost, Failure> {
        let host = DiskHost::new(user)?.waiting(Duration::from_secs(self.wait));
        Ok(host.watched_by(progress::watcher(self.json)))
    }

    pub(crate) fn users_for(&self, selector: Option<&str>) -> Result<Vec<UserFolder>, Failure> {
        let cwd = current_folder()?;
        // A variable that is set to nothing is as good as none.
        let given = self.root.as_deref().filter(|root| !root.as_os_str().is_empty());
        let root = match (given, selector.and_then(|selector| folder_of_file(selector, &cwd))) {
            // Somebody who gives a file has said where the data is.
            (None, Some(folder)) => Root::find(None, &folder)?,
            (given, _) => Root::find(given, &cwd)?,
        };
        Ok(match &self.user {
            Some(handle) => vec![root.user(handle)?.clone()],
            None => root.users().to_vec(),
        })
    }
}

/// Somebody has to say whose data is meant.
pub(crate) fn which_user(message: &str, users: &[UserFolder]) -> Failure {
    let handles = users.iter().map(|user| user.handle.clone()).collect();
    Failure::new("WHICH_USER", message, "Say whose data you mean, with --user HANDLE.")
        .with_candidates(handles)
}

pub(crate) fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        let message = format!("the current folder cannot be used: {error}");
        Failure::new("READ_FAILED", message, "Go to another folder and try again.")
    })
}

/// The folder of a chat file, if that is what `selector` is.
fn folder_of_file(selector: &str, cwd: &Path) -> Option<PathBuf> {
    let path = cwd.join(selector);
    if selector.ends_with(".jsonl") && path.is_file() {
        path.parent().map(Path::to_owned)
    } else {
        None
    }
}
