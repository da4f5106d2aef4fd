//! Names in the metadata that are memory extensions': which lorebooks they name, and how they follow
//! when a chat or a lorebook has another name.

use super::{ALL, members_of};
use crate::json::{Json, JsonError, Member, Splices};
use crate::sentence::Sentence;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names::{is_chat, same_lorebook};
use crate::tavern::settings::Settings;

/// All lorebooks that they name, given the members of the metadata.
pub fn books(metadata: &[Member<'_>]) -> Vec<String> {
    ALL.iter().flat_map(|memory| memory.books(metadata)).collect()
}

/// Lorebooks that they write to for this chat alone, besides its own.
pub fn bound(header: &Header<'_>) -> Vec<String> {
    let members = members_of(header);
    let mut all: Vec<String> = Vec::new();
    for name in ALL.iter().flat_map(|memory| memory.bound(&members)) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The same by the name of the extension, without the chat's own, and without those that its settings
/// share on purpose.
pub(crate) fn bound_by_each(
    header: &Header<'_>,
    own: Option<&str>,
    settings: Option<&Settings<'_>>,
) -> Vec<(&'static str, Vec<String>)> {
    let members = members_of(header);
    let each = ALL.iter().map(|memory| {
        let locked = settings.map(|settings| memory.locked(settings)).unwrap_or_default();
        let is_further = |name: &String| Some(name.as_str()) != own && !locked.contains(name);
        (memory.name(), memory.bound(&members).into_iter().filter(is_further).collect())
    });
    each.filter(|(_, books): &(_, Vec<String>)| !books.is_empty()).collect()
}

/// Lorebooks that their settings share on purpose.
pub(crate) fn locked(settings: &Settings<'_>) -> Vec<String> {
    ALL.iter().flat_map(|memory| memory.locked(settings)).collect()
}

/// What their settings say of a chat alone, by the name of the extension, in words (N-7).
pub(crate) fn settings_of(
    settings: &Settings<'_>,
    chat: &str,
) -> Vec<(&'static str, Vec<Sentence>)> {
    let each = ALL.iter().map(|memory| {
        let kept = memory.settings_of(settings, chat).into_iter();
        (memory.name(), kept.map(|(_, words)| words).collect())
    });
    each.filter(|(_, kept): &(_, Vec<Sentence>)| !kept.is_empty()).collect()
}

/// The keys of those settings (N-7).
pub fn setting_keys_of(settings: &Settings<'_>, chat: &str) -> Vec<&'static str> {
    let all = ALL.iter().flat_map(|memory| memory.settings_of(settings, chat));
    all.map(|(key, _)| key).collect()
}

/// Chats that their metadata says it is of.
pub(crate) fn chats(header: &Header<'_>) -> Vec<String> {
    ALL.iter().filter_map(|memory| memory.chat(header)).collect()
}

/// The metadata of a chat that has another name.
pub(crate) fn follow_chat(header: &mut HeaderEdit, from: &str, to: &str) -> Result<(), JsonError> {
    ALL.iter().try_for_each(|memory| memory.follow_chat(header, from, to))
}

/// The same for one place where the metadata says which chat it is of: names are as somebody typed
/// them, files are not.
pub(super) fn follow_own_name(
    header: &mut HeaderEdit,
    path: &[&str],
    from: &str,
    to: &str,
) -> Result<(), JsonError> {
    let is_it = |json: Json<'_>| json.str().is_some_and(|name| is_chat(&name, from));
    let is_there =
        Header::read(header.text()).is_ok_and(|header| header.meta(path).is_some_and(is_it));
    if is_there { header.set_text(path, to) } else { Ok(()) }
}

/// The metadata as that of `chat`, whatever it says.
pub(crate) fn claim(header: &mut HeaderEdit, chat: &str) -> Result<(), JsonError> {
    ALL.iter().try_for_each(|memory| memory.claim(header, chat))
}

/// The running recap as that of `chat`, if it says of which it is.
pub(crate) fn name_recap(header: &mut HeaderEdit, chat: &str) -> Result<(), JsonError> {
    ALL.iter().try_for_each(|memory| memory.name_recap(header, chat))
}

/// The metadata with another name for a lorebook.
pub(crate) fn follow_lorebook(
    header: &mut HeaderEdit,
    from: &str,
    to: &str,
) -> Result<(), JsonError> {
    ALL.iter().try_for_each(|memory| memory.follow_lorebook(header, from, to))
}

/// A message with another name for the lorebook, wherever it stands in what extensions keep there.
/// `None` if it stands nowhere.
pub(crate) fn line_with_lorebook(
    line: &str,
    from: &str,
    to: &str,
) -> Result<Option<String>, JsonError> {
    let mut changed = None;
    for memory in ALL {
        let now = changed.as_deref().unwrap_or(line);
        if let Some(text) = memory.line_with_lorebook(now, from, to)? {
            changed = Some(text);
        }
    }
    Ok(changed)
}

/// The lorebook `to`, which was called `from`, in what its own entries say of it.
pub(crate) fn book_with_name(book: &Lorebook<'_>, from: &str, to: &str) -> String {
    let is_it = |name: &str| same_lorebook(name, from);
    let mut splices = Splices::new(book.text);
    for entry in &book.entries {
        let changed = ALL.iter().find_map(|memory| memory.entry_with_lorebook(entry, &is_it, to));
        if let Some(text) = changed {
            splices.replace(entry.json, text);
        }
    }
    splices.apply()
}

/// The metadata when another lorebook takes the place of one that the chat used.
pub(crate) fn exchange_lorebook(
    header: &mut HeaderEdit,
    from: &str,
    to: &str,
) -> Result<(), JsonError> {
    ALL.iter().try_for_each(|memory| memory.exchange_lorebook(header, from, to))
}

/// The metadata of a chat whose own lorebook is `to`, since `now_ms` if that is to be said.
pub(crate) fn attach_lorebook(
    header: &mut HeaderEdit,
    to: &str,
    now_ms: Option<u64>,
) -> Result<(), JsonError> {
    ALL.iter().try_for_each(|memory| memory.attach_lorebook(header, to, now_ms))
}

/// An entry as SillyTavern has it once it is loaded; `None` if it stays as it is.
pub(crate) fn loaded(entry: Json<'_>, world: &str) -> Option<String> {
    ALL.iter().find_map(|memory| memory.loaded(entry, world))
}
