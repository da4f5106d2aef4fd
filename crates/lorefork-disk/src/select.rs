//! Which chat a person means.
//!
//! - a path to the `.jsonl`, from the current folder or from the user folder
//! - `Character/Chat name`, the character by folder or by the name on its card
//! - a chat name that only one chat has
//! - `group:NAME` for the chat the group has open, `group:NAME/Chat name` for another of its chats
//!
//! Spelled exactly, or else ignoring case.

use std::path::Path;

use lorefork::host::HostError;
use lorefork::tavern::card::Card;
use lorefork::tavern::names;
use lorefork::tavern::place::{ChatRef, Owner};

use crate::find::UserFolder;
use crate::inside::Inside;
use crate::list::{self, Group};
use crate::{fs, nearest};

/// Why a selector is not one chat.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    #[error("no chat is called “{selector}”")]
    Unknown { selector: String, candidates: Vec<String> },
    #[error("“{selector}” may be several chats")]
    Ambiguous { selector: String, candidates: Vec<String> },
    #[error("{file} is not a chat of this data folder")]
    Elsewhere { file: String },
    #[error("no group lists the chat {file}, so it cannot be said whose it is")]
    Unlisted { file: String },
    #[error(transparent)]
    Host(#[from] HostError),
}

impl SelectError {
    /// Selectors that would have worked, the nearest first; at most ten.
    pub fn candidates(&self) -> &[String] {
        match self {
            Self::Unknown { candidates, .. } | Self::Ambiguous { candidates, .. } => candidates,
            _ => &[],
        }
    }

    /// What can be done about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unknown { candidates, .. } if candidates.is_empty() => {
                Some("there are no chats in this data folder; is it the right one? (--root)")
            }
            Self::Elsewhere { .. } => Some("give the data folder it is in with --root"),
            Self::Unlisted { .. } => Some(
                "SillyTavern cannot open it either; import it into the group, or remove the file",
            ),
            Self::Host(_) => None,
            Self::Unknown { .. } | Self::Ambiguous { .. } => {
                Some("give a name from the list, or the path of the file")
            }
        }
    }
}

/// The one chat that `selector` means, among those of `users`.
pub fn select(
    users: &[UserFolder],
    selector: &str,
    cwd: &Path,
) -> Result<(UserFolder, ChatRef), SelectError> {
    let all = Catalogue::read(users)?;
    if let Some(found) = all.by_path(selector, cwd)? {
        return all.only(selector, &[found]);
    }
    let found = match selector.strip_prefix("group:") {
        Some(group) => all.by_group(group),
        None => all.by_name(selector.strip_suffix(".jsonl").unwrap_or(selector)),
    };
    all.only(selector, &found)
}

/// All chats there are.
struct Catalogue<'a> {
    users: &'a [UserFolder],
    folders: Vec<Folder>,
    chats: Vec<Known>,
}

/// One user's.
struct Folder {
    inside: Inside,
    groups: Vec<Group>,
}

#[derive(Clone)]
struct Known {
    user: usize,
    chat: ChatRef,
}

impl<'a> Catalogue<'a> {
    fn read(users: &'a [UserFolder]) -> Result<Self, HostError> {
        let mut folders = Vec::new();
        let mut chats = Vec::new();
        for (user, folder) in users.iter().enumerate() {
            let inside = Inside::new(&folder.path)?;
            let groups = list::groups(&inside)?;
            let solo = list::solo_chats(&inside)?.into_iter();
            let all = solo.chain(list::group_chats(&inside, &groups)?);
            chats.extend(all.map(|chat| Known { user, chat }));
            folders.push(Folder { inside, groups });
        }
        Ok(Self { users, folders, chats })
    }

    /// Makes an answer of what was found.
    fn only(&self, selector: &str, found: &[Known]) -> Result<(UserFolder, ChatRef), SelectError> {
        let selector = selector.to_owned();
        match found {
            [Known { user, chat }] => match &chat.owner {
                Owner::Group(id) if id.is_empty() => {
                    Err(SelectError::Unlisted { file: chat.file() })
                }
                _ => Ok((self.users[*user].clone(), chat.clone())),
            },
            [] => {
                let labels = self.chats.iter().map(|known| self.label(known)).collect();
                let wanted = selector.strip_prefix("group:").unwrap_or(&selector);
                let candidates = nearest::nearest(wanted, labels);
                Err(SelectError::Unknown { selector, candidates })
            }
            several => {
                let labels = several.iter().map(|known| self.label(known)).collect();
                let candidates = nearest::nearest(&selector, labels);
                Err(SelectError::Ambiguous { selector, candidates })
            }
        }
    }

    /// A selector for a chat, as a person would say it.
    fn label(&self, Known { user, chat }: &Known) -> String {
        let label = match &chat.owner {
            Owner::Character(folder) => format!("{folder}/{}", chat.name),
            Owner::Group(id) => {
                let groups = &self.folders[*user].groups;
                // By name, unless another group has the same one.
                let group = groups.iter().find(|group| group.id == *id).map_or("?", |group| {
                    let same = groups.iter().filter(|other| other.name == group.name);
                    if same.count() == 1 { &group.name } else { &group.id }
                });
                format!("group:{group}/{}", chat.name)
            }
        };
        if self.users.len() > 1 {
            return format!("{label} (--user {})", self.users[*user].handle);
        }
        label
    }

    /// A path, if `selector` is one to a file that exists.
    fn by_path(&self, selector: &str, cwd: &Path) -> Result<Option<Known>, SelectError> {
        if !selector.ends_with(".jsonl") {
            return Ok(None);
        }
        let real = |path: &Path| path.is_file().then(|| fs::real_path(path).ok()).flatten();
        let from_users = self.folders.iter().map(|folder| folder.inside.folder());
        let Some(path) =
            [cwd].into_iter().chain(from_users).find_map(|from| real(&from.join(selector)))
        else {
            return Ok(None);
        };
        let is_this = |known: &&Known| {
            let file = self.folders[known.user].inside.folder().join(known.chat.file());
            // Comparing names first saves asking the disk about every chat.
            file.file_name() == path.file_name()
                && fs::real_path(&file).is_ok_and(|file| file == path)
        };
        match self.chats.iter().find(is_this) {
            Some(known) => Ok(Some(known.clone())),
            None => Err(SelectError::Elsewhere { file: path.display().to_string() }),
        }
    }

    /// `Character/Chat name` or a chat name. Characters and chats may have a `/` in their name on
    /// the card, but not in their file's.
    fn by_name(&self, selector: &str) -> Vec<Known> {
        let alone = best(&self.chats, |known| likeness(&known.chat.name, selector));
        if !alone.is_empty() {
            return alone;
        }
        let Some((owner, name)) = selector.rsplit_once('/') else { return Vec::new() };
        let named = best(&self.chats, |known| likeness(&known.chat.name, name));
        let of_folder = best(&named, |known| match &known.chat.owner {
            Owner::Character(folder) => likeness(folder, owner),
            Owner::Group(_) => None,
        });
        if !of_folder.is_empty() {
            return of_folder;
        }
        // Only now cards are read, and only of those who have a chat of that name.
        best(&named, |known| match &known.chat.owner {
            Owner::Character(folder) => likeness(&self.card_name(known.user, folder)?, owner),
            Owner::Group(_) => None,
        })
    }

    fn card_name(&self, user: usize, folder: &str) -> Option<String> {
        let characters = self.folders[user].inside.folder().join("characters");
        let bytes = fs::read(&characters.join(format!("{folder}.png"))).ok()?;
        Card::read(&bytes).ok().map(|card| card.name)
    }

    /// `NAME` or `NAME/Chat name`, the group by name or id.
    fn by_group(&self, selector: &str) -> Vec<Known> {
        let whole = self.groups_called(selector);
        if !whole.is_empty() {
            let current = |(user, group): &(usize, &Group)| {
                let name = names::chat_name(group.current.as_deref()?)?;
                self.chats_of(*user, group).find(|known| known.chat.name == name)
            };
            return whole.iter().filter_map(current).collect();
        }
        let Some((group, name)) = selector.rsplit_once('/') else { return Vec::new() };
        let groups = self.groups_called(group);
        let chats = groups.iter().flat_map(|(user, group)| self.chats_of(*user, group));
        best(&chats.collect::<Vec<_>>(), |known| likeness(&known.chat.name, name))
    }

    fn groups_called(&self, name: &str) -> Vec<(usize, &Group)> {
        let mut all = Vec::new();
        for (user, folder) in self.folders.iter().enumerate() {
            all.extend(folder.groups.iter().map(|group| (user, group)));
        }
        best(&all, |(_, group)| likeness(&group.name, name).max(likeness(&group.id, name)))
    }

    /// The chats a group lists, also those that another group lists before it.
    fn chats_of(&self, user: usize, group: &Group) -> impl Iterator<Item = Known> {
        let is_listed = move |known: &&Known| {
            let chat = &known.chat;
            known.user == user && matches!(chat.owner, Owner::Group(_)) && group.lists(&chat.name)
        };
        self.chats.iter().filter(is_listed).map(move |known| Known {
            user,
            chat: ChatRef::new(Owner::Group(group.id.clone()), known.chat.name.clone()),
        })
    }
}

/// How well a name fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    IgnoringCase,
    Exact,
}

fn likeness(name: &str, wanted: &str) -> Option<Likeness> {
    if name == wanted {
        Some(Likeness::Exact)
    } else {
        (name.to_lowercase() == wanted.to_lowercase()).then_some(Likeness::IgnoringCase)
    }
}

/// Those that fit best.
fn best<T: Clone>(all: &[T], likeness: impl Fn(&T) -> Option<Likeness>) -> Vec<T> {
    let all: Vec<_> = all.iter().filter_map(|one| Some((likeness(one)?, one))).collect();
    let highest = all.iter().map(|(likeness, _)| *likeness).max();
    all.into_iter()
        .filter(|(likeness, _)| Some(*likeness) == highest)
        .map(|(_, one)| one.clone())
        .collect()
}
