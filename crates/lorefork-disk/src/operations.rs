//! Where operations are kept: `lorefork/operations/` in the user folder.
//!
//! The engine says what an intent or a record is; here it is text under an id. Also the sweeping up
//! of temporary files that a process left behind when it ended in the middle.

use std::io::ErrorKind;
use std::path::PathBuf;

use lorefork::host::HostError;

use crate::error::{damaged, unwritten, while_reading, while_writing};
use crate::inside::{Inside, plain};
use crate::write::{self, is_temporary};
use crate::{fs, list};

/// Everything of ours in a user folder.
pub(crate) const OURS: &str = "lorefork";
const INTENTS: &str = "lorefork/operations/intents";
const LOG: &str = "lorefork/operations/log";

/// Makes a folder of ours, which must not lead out of the user folder.
pub(crate) fn make_folder(inside: &Inside, folder: &str) -> Result<PathBuf, HostError> {
    // Seen from the first part on: to make a folder behind a link would already be outside.
    let ends = folder.match_indices('/').map(|(end, _)| end).chain([folder.len()]);
    for part in ends.map(|end| &folder[..end]) {
        match inside.if_existing(part)? {
            Some(path) if path.is_dir() => {}
            // Said here: for Windows, what would be in it is just not there.
            Some(_) => {
                return Err(unwritten(part, "use it", &ErrorKind::NotADirectory.into()));
            }
            None => {
                let path = inside.new_file(part)?;
                fs::make_folder(&path).map_err(while_writing(part, "create the folder"))?;
            }
        }
    }
    inside.existing(folder)
}

/// Stores an intent, durably. A later one of the same id replaces it.
pub(crate) fn note(inside: &Inside, id: &str, intent: &str) -> Result<(), HostError> {
    put(inside, INTENTS, id, intent)
}

/// Keeps the record of what was done.
pub(crate) fn log(inside: &Inside, id: &str, record: &str) -> Result<(), HostError> {
    put(inside, LOG, id, record)
}

fn put(inside: &Inside, folder: &str, id: &str, text: &str) -> Result<(), HostError> {
    plain(id)?;
    let path = make_folder(inside, folder)?.join(format!("{id}.json"));
    write::put(&path, text)
        .map_err(|trouble| write::error(&format!("{folder}/{id}.json"), "write it", trouble))
}

/// Ids of all operations, done or begun.
pub(crate) fn ids(inside: &Inside) -> Result<Vec<String>, HostError> {
    let (done, begun) = (inside.names(LOG)?, inside.names(INTENTS)?);
    let ids = list::stems(&done, "json").chain(list::stems(&begun, "json"));
    Ok(ids.map(str::to_owned).collect())
}

/// All intents, in the order of their ids.
pub(crate) fn unfinished(inside: &Inside) -> Result<Vec<String>, HostError> {
    texts(inside, INTENTS)
}

/// All records, in the order of their ids.
pub(crate) fn logged(inside: &Inside) -> Result<Vec<String>, HostError> {
    texts(inside, LOG)
}

fn texts(inside: &Inside, folder: &str) -> Result<Vec<String>, HostError> {
    let names = inside.names(folder)?;
    let files = names.iter().filter(|name| name.ends_with(".json"));
    files
        .map(|name| {
            let file = format!("{folder}/{name}");
            let path = inside.existing(&file)?;
            let bytes = fs::read(&path).map_err(while_reading(&file, "read it"))?;
            String::from_utf8(bytes).map_err(|_| damaged(&file, "it is not UTF-8"))
        })
        .collect()
}

/// Forgets an intent; one that is not there is forgotten already.
pub(crate) fn forget(inside: &Inside, id: &str) -> Result<(), HostError> {
    plain(id)?;
    let file = format!("{INTENTS}/{id}.json");
    let Some(path) = inside.if_existing(&file)? else { return Ok(()) };
    write::remove(&path).map_err(|trouble| write::error(&file, "remove it", trouble))
}

/// Removes temporary files among the operations.
pub(crate) fn sweep_own(inside: &Inside) -> Result<(), HostError> {
    [OURS, INTENTS, LOG].iter().try_for_each(|folder| sweep(inside, folder))
}

/// Removes temporary files wherever an operation may have left one. Only while the lock is held:
/// then nobody can be writing one.
pub(crate) fn sweep_temps(inside: &Inside) -> Result<(), HostError> {
    sweep_own(inside)?;
    for folder in ["worlds", "groups", "group chats"] {
        sweep(inside, folder)?;
    }
    for character in list::characters(inside)? {
        sweep(inside, &format!("chats/{character}"))?;
    }
    Ok(())
}

fn sweep(inside: &Inside, folder: &str) -> Result<(), HostError> {
    // A folder that leads outside never got a file of ours.
    let Ok(names) = inside.names(folder) else { return Ok(()) };
    let remove = |name: &String| {
        let file = format!("{folder}/{name}");
        match fs::remove(&inside.new_file(&file)?) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(unwritten(&file, "remove it", &error))
            }
            _ => Ok(()),
        }
    };
    for temporary in names.iter().filter(|name| is_temporary(name)) {
        // First those that point to it: without it they could not be told from somebody's own.
        for name in &names {
            if write::holds_name_for(&inside.new_file(&format!("{folder}/{name}"))?, temporary) {
                remove(name)?;
            }
        }
        remove(temporary)?;
    }
    Ok(())
}
