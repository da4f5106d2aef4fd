//! What there is in a user folder.

use std::collections::BTreeMap;
use std::io::ErrorKind;

use lorefork::host::HostError;
use lorefork::json::Json;
use lorefork::tavern::names;
use lorefork::tavern::place::{ChatRef, Owner, group_file};

use crate::error::unread;
use crate::fs;
use crate::inside::Inside;

/// Folders of characters that have chats.
pub(crate) fn characters(inside: &Inside) -> Result<Vec<String>, HostError> {
    inside.names("chats").map(|names| {
        let chats = inside.folder().join("chats");
        let is_folder = |name: &String| {
            inside.look(&format!("chats/{name}"));
            chats.join(name).is_dir()
        };
        names.into_iter().filter(is_folder).collect()
    })
}

/// All chats of characters. Links are followed: this only looks.
pub(crate) fn solo_chats(inside: &Inside) -> Result<Vec<ChatRef>, HostError> {
    let mut chats = Vec::new();
    for character in characters(inside)? {
        let folder = format!("chats/{character}");
        let names = match fs::names(&inside.folder().join(&folder)) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            names => names.map_err(|error| unread(&folder, "list it", &error))?,
        };
        inside.listed(&folder, &names);
        let owner = Owner::Character(character);
        chats.extend(stems(&names, "jsonl").map(|name| ChatRef::new(owner.clone(), name)));
    }
    Ok(chats)
}

/// All chats of groups, each with the group that lists it; with the empty id if none does.
pub(crate) fn group_chats(inside: &Inside, groups: &[Group]) -> Result<Vec<ChatRef>, HostError> {
    let mut owners = BTreeMap::new();
    for group in groups {
        for file in group.files() {
            // The first one keeps it: the files of all groups are in one folder, and two groups may
            // list the same.
            owners.entry(file).or_insert(&group.id);
        }
    }
    let names = inside.names("group chats")?;
    let owner = |name: &str| {
        let id = owners.get(&format!("{name}.jsonl"));
        Owner::Group(id.map_or_else(String::new, |id| (*id).clone()))
    };
    Ok(stems(&names, "jsonl").map(|name| ChatRef::new(owner(name), name)).collect())
}

/// Names of files with exactly this extension, without it.
pub(crate) fn stems<'a>(names: &'a [String], extension: &'a str) -> impl Iterator<Item = &'a str> {
    names.iter().filter_map(move |name| name.strip_suffix(extension)?.strip_suffix('.'))
}

/// Names that are in use: a file whose extension is spelled otherwise takes a name, too.
pub(crate) fn names_in_use(names: Vec<String>, extension: &str) -> Vec<String> {
    let stem = |name: String| {
        let (stem, found) = name.rsplit_once('.')?;
        found.eq_ignore_ascii_case(extension).then(|| stem.to_owned())
    };
    names.into_iter().filter_map(stem).collect()
}

/// What of a group's record says which chats are its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// As its file is called.
    pub(crate) id: String,
    pub(crate) name: String,
    /// The chat that opens with the group.
    pub(crate) current: Option<String>,
    pub(crate) chats: Vec<String>,
}

impl Group {
    /// Files of all chats it lists. Ids in the record are as they were typed.
    fn files(&self) -> impl Iterator<Item = String> {
        self.chats.iter().chain(&self.current).map(|id| names::chat_file(id))
    }

    /// Whether the chat of this name is one of the group's.
    pub(crate) fn lists(&self, name: &str) -> bool {
        let file = format!("{name}.jsonl");
        self.files().any(|listed| listed == file)
    }

    pub(crate) fn read(id: &str, text: &str) -> Option<Self> {
        let json = Json::parse(text).ok().filter(|json| json.is_object())?;
        let string = |json: Json<'_>| json.str().map(std::borrow::Cow::into_owned);
        Some(Self {
            id: id.to_owned(),
            name: json.get("name").and_then(string).unwrap_or_default(),
            current: json.get("chat_id").and_then(string).filter(|id| !id.is_empty()),
            chats: json
                .get("chats")
                .map(Json::items)
                .unwrap_or_default()
                .into_iter()
                .filter_map(string)
                .collect(),
        })
    }
}

/// All groups whose record can be read; SillyTavern does not show the others either.
pub(crate) fn groups(inside: &Inside) -> Result<Vec<Group>, HostError> {
    let names = inside.names("groups")?;
    let mut groups = Vec::new();
    for id in stems(&names, "json") {
        let path = inside.folder().join(group_file(id));
        inside.look(&group_file(id));
        if path.is_file() {
            let bytes =
                fs::read(&path).map_err(|error| unread(&group_file(id), "read it", &error))?;
            groups.extend(Group::read(id, &String::from_utf8_lossy(&bytes)));
        }
    }
    Ok(groups)
}
