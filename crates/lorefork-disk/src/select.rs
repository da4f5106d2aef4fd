//! Which chat a person means.
//!
//! - a path to the `.jsonl`, from the current folder, from the user folder or from the data root
//! - `Character/Chat name`, the character by folder or by the name on its card
//! - a chat name that only one chat has
//! - `group:NAME` for the chat the group has open, `group:NAME/Chat name` for another of its chats
//! - any of these after `HANDLE/`, for one of several users
//!
//! Spelled exactly, or else ignoring case; if nothing is called so, a part of each name is enough.
//! Whoever names something whole always means that, whatever else has the name in its own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use lorefork::host::HostError;
use lorefork::tavern::names;
use lorefork::tavern::place::{ChatRef, Owner};

use crate::card;
use crate::find::UserFolder;
use crate::inside::Inside;
use crate::list::{self, Group};
use crate::{fs, nearest};

/// Why a selector is not one chat.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    #[error("no chat is called “{selector}”")]
    Unknown { selector: String, candidates: Vec<String>, further: usize },
    #[error("“{selector}” may be several chats")]
    Ambiguous { selector: String, candidates: Vec<String>, further: usize },
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

    /// How many more there are.
    pub fn further(&self) -> usize {
        match self {
            Self::Unknown { further, .. } | Self::Ambiguous { further, .. } => *further,
            _ => 0,
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
    let found = match selector.strip_suffix(".jsonl") {
        // Who gives a file means that one.
        Some(name) => all.find(name, Likeness::IgnoringCase),
        None => {
            let whole = all.find(selector, Likeness::IgnoringCase);
            if whole.is_empty() { all.find(selector, Likeness::Part) } else { whole }
        }
    };
    all.only(selector, &found)
}

/// All chats there are.
struct Catalogue<'a> {
    users: &'a [UserFolder],
    folders: Vec<Folder>,
    chats: Vec<Known>,
    /// Names on cards, as far as they were read.
    cards: RefCell<BTreeMap<(usize, String), Option<String>>>,
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
        Ok(Self { users, folders, chats, cards: RefCell::default() })
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
                let further = self.chats.len() - candidates.len();
                Err(SelectError::Unknown { selector, candidates, further })
            }
            several => {
                let labels = several.iter().map(|known| self.label(known)).collect();
                let candidates = nearest::nearest(&selector, labels);
                let further = several.len() - candidates.len();
                Err(SelectError::Ambiguous { selector, candidates, further })
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
            return format!("{}/{label}", self.users[*user].handle);
        }
        label
    }

    /// A path, if `selector` is one to a file that exists.
    fn by_path(&self, selector: &str, cwd: &Path) -> Result<Option<Known>, SelectError> {
        if !selector.ends_with(".jsonl") {
            return Ok(None);
        }
        let real = |path: &Path| path.is_file().then(|| fs::real_path(path).ok()).flatten();
        let from_users = || self.folders.iter().map(|folder| folder.inside.folder());
        let from_roots = from_users().filter_map(Path::parent);
        let mut places = [cwd].into_iter().chain(from_users()).chain(from_roots);
        let Some(path) = places.find_map(|from| real(&from.join(selector))) else {
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

    /// All that fit at least so well.
    fn find(&self, selector: &str, least: Likeness) -> Vec<Known> {
        let named = |selector: &str, user: Option<usize>| match selector.strip_prefix("group:") {
            Some(group) => self.by_group(group, least, user),
            None => self.by_name(selector, least, user),
        };
        let found = named(selector, None);
        let Some((handle, rest)) = selector.split_once('/').filter(|_| found.is_empty()) else {
            return found;
        };
        let user = self.users.iter().position(|user| user.handle == handle);
        user.map(|user| named(rest, Some(user))).unwrap_or_default()
    }

    /// `Character/Chat name` or a chat name. Characters and chats may have a `/` in their name on
    /// the card, but not in their file's.
    fn by_name(&self, selector: &str, least: Likeness, user: Option<usize>) -> Vec<Known> {
        let is_his = |known: &&Known| user.is_none_or(|user| known.user == user);
        let chats: Vec<Known> = self.chats.iter().filter(is_his).cloned().collect();
        let alone = best(&chats, |known| likeness(&known.chat.name, selector, least));
        if !alone.is_empty() {
            return alone;
        }
        let Some((owner, name)) = selector.rsplit_once('/') else { return Vec::new() };
        let owned = |called: &dyn Fn(&Known) -> Option<String>| {
            best_of_both(&chats, |known| {
                let name = likeness(&known.chat.name, name, least)?;
                Some((name, likeness(&called(known)?, owner, least)?))
            })
        };
        let by_folder = |known: &Known| match &known.chat.owner {
            Owner::Character(folder) => Some(folder.clone()),
            Owner::Group(_) => None,
        };
        // Cards are read only now, and only of those who have a chat of that name.
        let by_card = |known: &Known| match &known.chat.owner {
            Owner::Character(folder) => self.card_name(known.user, folder),
            Owner::Group(id) => self.group_name(known.user, id),
        };
        if least == Likeness::Part {
            // Neither is more likely to be meant than the other.
            return best_of_both(&chats, |known| {
                let name = likeness(&known.chat.name, name, least)?;
                let called = [by_folder(known), by_card(known)].into_iter().flatten();
                Some((name, called.filter_map(|called| likeness(&called, owner, least)).max()?))
            });
        }
        let of_folder = owned(&by_folder);
        if of_folder.is_empty() { owned(&by_card) } else { of_folder }
    }

    fn card_name(&self, user: usize, folder: &str) -> Option<String> {
        let read = || {
            let characters = self.folders[user].inside.folder().join("characters");
            let bytes = fs::read(&characters.join(format!("{folder}.png"))).ok()?;
            card::read(&bytes).ok().map(|card| card.name)
        };
        let mut cards = self.cards.borrow_mut();
        cards.entry((user, folder.to_owned())).or_insert_with(read).clone()
    }

    fn group_name(&self, user: usize, id: &str) -> Option<String> {
        let group = self.folders[user].groups.iter().find(|group| group.id == id)?;
        Some(group.name.clone())
    }

    /// `NAME` or `NAME/Chat name`, the group by name or id.
    fn by_group(&self, selector: &str, least: Likeness, user: Option<usize>) -> Vec<Known> {
        let whole = self.groups_called(selector, least, user);
        if !whole.is_empty() {
            let current = |(user, group): &(usize, &Group)| {
                let name = names::chat_name(group.current.as_deref()?)?;
                self.chats_of(*user, group).find(|known| known.chat.name == name)
            };
            return whole.iter().filter_map(current).collect();
        }
        let Some((group, name)) = selector.rsplit_once('/') else { return Vec::new() };
        let groups = self.groups_called(group, least, user);
        let chats = groups.iter().flat_map(|(user, group)| self.chats_of(*user, group));
        best(&chats.collect::<Vec<_>>(), |known| likeness(&known.chat.name, name, least))
    }

    fn groups_called(
        &self,
        name: &str,
        least: Likeness,
        user: Option<usize>,
    ) -> Vec<(usize, &Group)> {
        let mut all = Vec::new();
        for (index, folder) in self.folders.iter().enumerate() {
            if user.is_none_or(|user| user == index) {
                all.extend(folder.groups.iter().map(|group| (index, group)));
            }
        }
        // An id is a number that nobody knows a part of.
        let by_id = |group: &Group| likeness(&group.id, name, Likeness::IgnoringCase);
        best(&all, |(_, group)| likeness(&group.name, name, least).max(by_id(group)))
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
    Part,
    IgnoringCase,
    Exact,
}

fn likeness(name: &str, wanted: &str, least: Likeness) -> Option<Likeness> {
    let likeness = if name == wanted {
        Likeness::Exact
    } else {
        let (name, wanted) = (name.to_lowercase(), wanted.to_lowercase());
        match name == wanted {
            true => Likeness::IgnoringCase,
            // Nothing is a part of everything.
            false if !wanted.is_empty() && name.contains(&wanted) => Likeness::Part,
            false => return None,
        }
    };
    (likeness >= least).then_some(likeness)
}

/// Those that fit best.
fn best<T: Clone>(all: &[T], likeness: impl Fn(&T) -> Option<Likeness>) -> Vec<T> {
    best_of_both(all, |one| likeness(one).map(|likeness| (likeness, likeness)))
}

/// Those of which none other fits better in one way and at least as well in the other. Where two are
/// each better in one, both may be meant.
fn best_of_both<T: Clone>(
    all: &[T],
    likeness: impl Fn(&T) -> Option<(Likeness, Likeness)>,
) -> Vec<T> {
    let all: Vec<_> = all.iter().filter_map(|one| Some((likeness(one)?, one))).collect();
    let is_beaten = |(a, b): (Likeness, Likeness)| {
        all.iter().any(|((x, y), _)| (*x > a && *y >= b) || (*x >= a && *y > b))
    };
    let unbeaten = all.iter().filter(|(both, _)| !is_beaten(*both));
    unbeaten.map(|(_, one)| (*one).clone()).collect()
}
