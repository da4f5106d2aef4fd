//! Finding the data folder, the user and the chat that a person means.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lorefork::error::Code;
use lorefork::host::{ChatView as _, Host as _};
use lorefork::tavern::place::ChatRef;
use lorefork_disk::{DiskHost, Root, UserFolder, select};

use crate::args::{Globals, Message};
use crate::code::Own;
use crate::error::Failure;
use crate::output::progress;
use crate::output::words::{self, for_shell};

/// Read here rather than by clap, which would take it for something that was typed, and print it
/// in its usage.
const ROOT_VARIABLE: &str = "LOREFORK_ROOT";

/// A chat, and the host that holds it.
pub(crate) struct Place {
    pub(crate) host: DiskHost,
    pub(crate) chat: ChatRef,
}

impl Place {
    /// The number of the message that is meant.
    pub(crate) fn message(&self, message: Message) -> Result<usize, Failure> {
        let back = match message {
            Message::Number(number) => return Ok(number),
            Message::FromTheEnd(back) => back,
        };
        let count = pollster::block_on(self.host.open(&self.chat))?.len();
        count.checked_sub(back).ok_or_else(|| {
            let name = &self.chat.name;
            let message = match count {
                0 => format!("“{name}” has no messages, so none can be counted from its end"),
                _ => format!("“{name}” has no message -{back}"),
            };
            let hint = match count {
                0 => String::new(),
                _ => format!("Its messages are 0 to {}, or -{count} to -1.", count - 1),
            };
            Failure::new(Code::MessageNotFound, message, hint)
        })
    }
}

/// Two chats of the same user: the first with its host, and the other.
pub(crate) fn same_user(
    globals: &Globals,
    one: &str,
    other: &str,
) -> Result<(Place, ChatRef), Failure> {
    let (user, there) = globals.select(other)?;
    let place = globals.chat(one)?;
    if globals.host(&user)?.folder() != place.host.folder() {
        let message = format!("“{one}” and “{other}” belong to different users");
        return Err(Failure::new(Own::WhichUser, message, "Name two chats of one user."));
    }
    if place.chat == there {
        let message = format!("“{one}” and “{other}” are the same chat");
        return Err(Failure::new(Own::AmbiguousChat, message, "Name two chats."));
    }
    Ok((place, there))
}

impl Globals {
    /// SillyTavern's folder, if somebody said where it is. A variable that is set to nothing is as
    /// good as none.
    fn given(&self) -> Option<PathBuf> {
        let variable = || std::env::var_os(ROOT_VARIABLE).map(PathBuf::from);
        self.root.clone().or_else(variable).filter(|root| !root.as_os_str().is_empty())
    }

    /// The chat that `selector` means.
    pub(crate) fn chat(&self, selector: &str) -> Result<Place, Failure> {
        let (user, chat) = self.select(selector)?;
        Ok(Place { host: self.host(&user)?, chat })
    }

    /// The same, still without a host.
    pub(crate) fn select(&self, selector: &str) -> Result<(UserFolder, ChatRef), Failure> {
        Ok(select(&self.users_for(Some(selector))?, selector, &current_folder()?)?)
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
        let given = self.given();
        let start = if given.is_some() { current_folder()? } else { own.folder().to_owned() };
        let mut books = Vec::new();
        for user in Root::find(given.as_deref(), &start)?.users() {
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
        Ok(host.watched_by(progress::watcher(self.json || self.quiet)))
    }

    /// A command about the same data, as it can be pasted into a shell.
    pub(crate) fn command(&self, host: &DiskHost, words: &[&str]) -> String {
        let mut all = vec![words::program().to_owned()];
        let is_it = |user: &UserFolder| {
            DiskHost::new(user).is_ok_and(|other| other.folder() == host.folder())
        };
        let is_found = || self.users_for(None).is_ok_and(|users| users.iter().any(is_it));
        let root = match &self.root {
            Some(root) => Some(root.as_path()),
            // Who gave the path of a chat may be anywhere.
            None if !is_found() => Some(host.folder()),
            None => None,
        };
        let option = |name: &str, value: &str| [name.to_owned(), for_shell(value)];
        all.extend(root.into_iter().flat_map(|root| option("--root", &words::path(root))));
        all.extend(self.user.iter().flat_map(|user| option("--user", user)));
        all.extend(words.iter().map(|word| for_shell(word)));
        all.join(" ")
    }

    pub(crate) fn users_for(&self, selector: Option<&str>) -> Result<Vec<UserFolder>, Failure> {
        let cwd = current_folder()?;
        let given = self.given();
        let root = match (
            given.as_deref(),
            selector.and_then(|selector| folder_of_file(selector, &cwd)),
        ) {
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
    Failure::new(Own::WhichUser, message, "Say whose data you mean, with --user HANDLE.")
        .with_candidates(handles)
}

pub(crate) fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        let message = format!("the current folder cannot be used: {error}");
        Failure::new(Code::ReadFailed, message, "Go to another folder and try again.")
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
