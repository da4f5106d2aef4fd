//! What the host does to files, without numbers and faults.

use lorefork::host::{
    ChatView, Document, HeaderOf, HostError, HostErrorKind, Line, LineEdit, Now, Piece, Pieces,
    Stamp, Trashed, Wanted,
};
use lorefork::json::Json;
use lorefork::tavern::place::{ChatRef, FileRef, Owner};
use lorefork::tavern::time::LocalTime;

use crate::folder::Folder;
use crate::state::{error, stamp_of, unwritten};
use crate::view::{SimChat, is_blank, rows};

pub(crate) const INTENTS: &str = "lorefork/operations/intents";

pub(crate) const LOG: &str = "lorefork/operations/log";
pub(crate) const TRASH: &str = "lorefork/trash";

pub(crate) fn intent_file(id: &str) -> String {
    format!("{INTENTS}/{id}.json")
}

pub(crate) fn log_file(id: &str) -> String {
    format!("{LOG}/{id}.json")
}

pub(crate) fn trash_file(id: &str, file: &FileRef) -> String {
    format!("{TRASH}/{id}/{}", file.file())
}

/// Moves a file, never over an existing one.
pub(crate) fn moved(folder: &mut Folder, from: &str, to: &str) -> Result<Stamp, HostError> {
    let bytes = folder.get(from).ok_or_else(|| absent(from))?.to_vec();
    let stamp = create(folder, to, &bytes)?;
    folder.remove(from);
    Ok(stamp)
}

pub(crate) fn trashed(folder: &Folder) -> Vec<Trashed> {
    let files = folder.files().filter_map(|(path, bytes)| {
        let (id, file) = path.strip_prefix(TRASH)?.strip_prefix('/')?.split_once('/')?;
        let bytes = bytes.len() as u64;
        Some(Trashed { id: id.to_owned(), file: file.to_owned(), bytes })
    });
    files.collect()
}

pub(crate) fn burnt(folder: &mut Folder, home: &str) -> Stamp {
    let files: Vec<String> = folder.files().map(|(file, _)| file.to_owned()).collect();
    for file in files.iter().filter(|file| file.starts_with(home)) {
        folder.remove(file);
    }
    stamp_of(b"")
}

pub(crate) fn absent(file: &str) -> HostError {
    error(HostErrorKind::Absent, file, "there is no such file")
}

pub(crate) fn document(folder: &Folder, file: &str) -> Result<Option<Document>, HostError> {
    let Some(bytes) = folder.get(file) else { return Ok(None) };
    let text = std::str::from_utf8(bytes)
        .map_err(|_| error(HostErrorKind::Damaged, file, "not UTF-8"))?
        .to_owned();
    Ok(Some(Document { text, stamp: stamp_of(bytes) }))
}

/// Headers whose text contains one of `needles`. One that is not UTF-8 names nobody.
pub(crate) fn headers(folder: &Folder, wanted: &Wanted<'_>) -> Vec<HeaderOf> {
    let mut found = Vec::new();
    for file in folder.chats() {
        let Some(row) = rows(folder.get(file).unwrap_or_default()).into_iter().next() else {
            continue;
        };
        let Ok(header) = std::str::from_utf8(row.bytes) else { continue };
        let header = chat_of(folder, file).map(|chat| HeaderOf { chat, header: header.to_owned() });
        found.extend(header.filter(wanted));
    }
    found
}

/// Whose chat a file is. For a group chat only the groups' records say; one that none lists is
/// nobody's, and its group has no id.
fn chat_of(folder: &Folder, file: &str) -> Option<ChatRef> {
    let (path, name) = file.strip_suffix(".jsonl")?.rsplit_once('/')?;
    if let Some(character) = path.strip_prefix("chats/") {
        return Some(ChatRef::new(Owner::Character(character.to_owned()), name));
    }
    let lists = |id: &&str| {
        let text = folder.text(&format!("groups/{id}.json")).unwrap_or_default();
        let chats = Json::parse(text).ok().and_then(|group| group.get("chats"));
        chats.is_some_and(|chats| chats.items().iter().any(|chat| chat.says(name)))
    };
    let id = folder.stems("groups", ".json").find(lists).unwrap_or_default();
    Some(ChatRef::new(Owner::Group(id.to_owned()), name))
}

pub(crate) fn put(folder: &mut Folder, file: &str, bytes: &[u8]) -> Stamp {
    folder.put(file, bytes);
    stamp_of(bytes)
}

/// Never over an existing file, in whatever case its name is spelled.
pub(crate) fn create(folder: &mut Folder, file: &str, bytes: &[u8]) -> Result<Stamp, HostError> {
    if folder.has_any_case(file) {
        return Err(error(HostErrorKind::Exists, file, "there is such a file already"));
    }
    Ok(put(folder, file, bytes))
}

/// Whether a file still is what was seen.
pub(crate) fn unchanged(folder: &Folder, file: &str, seen: &Stamp) -> Result<(), HostError> {
    match folder.get(file) {
        None => Err(absent(file)),
        Some(bytes) if stamp_of(bytes) == *seen => Ok(()),
        Some(_) => Err(error(HostErrorKind::Changed, file, "the file has changed meanwhile")),
    }
}

/// Whether the chat on the server has the slug and the message count that were frozen.
pub(crate) fn same_slug_and_length(folder: &Folder, file: &str, chat: &SimChat) -> bool {
    let rows = rows(folder.get(file).unwrap_or_default());
    let Some((header, messages)) = rows.split_first() else { return false };
    let now = std::str::from_utf8(header.bytes).unwrap_or_default();
    messages.len() == chat.len() && slug(now) == slug(chat.header())
}

fn slug(header: &str) -> Option<&str> {
    Some(Json::parse(header).ok()?.at(&["chat_metadata", "integrity"])?.text())
}

pub(crate) fn removed(folder: &mut Folder, file: &str, seen: &Stamp) -> Result<Stamp, HostError> {
    unchanged(folder, file, seen)?;
    folder.remove(file);
    Ok(seen.clone())
}

/// A new chat: header and pieces, joined by line feeds.
pub(crate) fn assembled(
    file: &str,
    header: &str,
    pieces: &mut Pieces<'_>,
    from: &SimChat,
) -> Result<Vec<u8>, HostError> {
    let mut bytes = header.as_bytes().to_vec();
    for piece in pieces {
        match piece? {
            Piece::Text(text) => {
                bytes.push(b'\n');
                bytes.extend(text.as_bytes());
            }
            Piece::Same(range) => {
                for message in range {
                    let line = from.bytes(message).ok_or_else(|| no_message(file, message))?;
                    bytes.push(b'\n');
                    bytes.extend(line);
                }
            }
        }
    }
    Ok(bytes)
}

/// A chat with some lines replaced; blank lines and the end of the file stay as they are.
pub(crate) fn edited(file: &str, bytes: &[u8], edits: &[LineEdit]) -> Result<Vec<u8>, HostError> {
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    let places: Vec<usize> = (0..lines.len()).filter(|&at| !is_blank(lines[at])).collect();
    for edit in edits {
        let row = match edit.line {
            Line::Header => 0,
            Line::Message(message) => message + 1,
        };
        let place = places.get(row).ok_or_else(|| no_message(file, row.saturating_sub(1)))?;
        lines[*place] = edit.text.as_bytes();
    }
    Ok(lines.join(&b'\n'))
}

fn no_message(file: &str, message: usize) -> HostError {
    unwritten(file, &format!("there is no message {message}"))
}

pub(crate) fn intents(folder: &Folder) -> Vec<String> {
    texts(folder, folder.stems(INTENTS, ".json").map(intent_file))
}

pub(crate) fn operation_ids(folder: &Folder) -> Vec<String> {
    let ids = folder.stems(LOG, ".json").chain(folder.stems(INTENTS, ".json"));
    ids.map(str::to_owned).collect()
}

pub(crate) fn records(folder: &Folder) -> Vec<String> {
    texts(folder, folder.stems(LOG, ".json").map(log_file))
}

fn texts(folder: &Folder, files: impl Iterator<Item = String>) -> Vec<String> {
    files.filter_map(|file| folder.text(&file).map(str::to_owned)).collect()
}

/// Removes an intent, and the temporary files it may have left: operations do not overlap, so
/// there are no others.
pub(crate) fn forgotten(folder: &mut Folder, file: &str) -> Stamp {
    let halves: Vec<String> = folder
        .files()
        .map(|(file, _)| file)
        .filter(|file| is_half(file))
        .map(str::to_owned)
        .collect();
    for half in halves {
        folder.remove(&half);
    }
    stamp_of(&folder.remove(file).unwrap_or_default())
}

/// Whether this is one of our temporary files.
pub(crate) fn is_half(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.starts_with(".lorefork-") && name.ends_with(".tmp")
}

/// A clock that goes one second a look, and stays within one day.
pub(crate) fn time_after(ticks: u64) -> Now {
    const MIDNIGHT: u64 = 1_794_700_800_000; // 2026-11-15 00:00 UTC
    let second = ticks % 86_400;
    let small = |number: u64| u8::try_from(number).unwrap_or(0);
    let local = LocalTime {
        year: 2026,
        month: 11,
        day: 15,
        hour: small(second / 3600),
        minute: small(second / 60 % 60),
        second: small(second % 60),
        millisecond: 246,
    };
    Now { ms: MIDNIGHT + second * 1000 + 246, local }
}
