//! Files: gone, copied, renamed, or in each other's place.

use super::{names, pick};
use crate::chance::Chance;
use crate::folder::{Folder, is_chat};

/// Names that SillyTavern would not give, but that a file can have.
const ODD_NAMES: [&str; 9] =
    ["CON", "x\u{1b}[31m", "\"", "a.b", " x ", "dot.", "e\u{301}", "ＷＩＤＥ", "__proto__"];

pub(super) fn mutate(folder: &mut Folder, chance: &mut Chance) -> Option<String> {
    let file = pick(folder, chance)?;
    if chance.percent(20) {
        folder.remove(&file);
        return Some(format!("{file}: gone"));
    }
    // What stands alone, the settings, has nothing beside it.
    let (place, name) = file.rsplit_once('/')?;
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    Some(match chance.between(1, 5) {
        1 => {
            let new = format!("{place}/{}.{end}", new_name(folder, chance)?);
            let bytes = folder.get(&file)?.to_vec();
            folder.put(new.clone(), bytes);
            format!("{file}: also as {new:?}")
        }
        2 => {
            let new = format!("{place}/{}.{end}", new_name(folder, chance)?);
            let bytes = folder.remove(&file)?;
            folder.put(new.clone(), bytes);
            format!("{file}: is now {new:?}")
        }
        3 | 4 => {
            let other = beside(folder, &file, chance)?;
            let (a, b) = (folder.get(&file)?.to_vec(), folder.get(&other)?.to_vec());
            let is_swap = chance.percent(50);
            folder.put(other.clone(), a);
            if is_swap {
                folder.put(file.clone(), b);
            }
            format!("{file}: {} {other}", if is_swap { "swapped with" } else { "copied over" })
        }
        _ => {
            // A chat of one character under another, or of nobody.
            let new = if is_chat(&file) && chance.percent(70) {
                let owners = ["chats/Somebody", "group chats"];
                format!("{}/{name}", chance.one_of(&owners)?)
            } else {
                file.to_uppercase().replace(&place.to_uppercase(), place)
            };
            let bytes = folder.get(&file)?.to_vec();
            folder.put(new.clone(), bytes);
            format!("{file}: also as {new}")
        }
    })
}

/// An odd name, or one that something else has.
fn new_name(folder: &Folder, chance: &mut Chance) -> Option<String> {
    if cfg!(unix) && chance.percent(60) {
        return chance.one_of(&ODD_NAMES).map(|name| (*name).to_owned());
    }
    chance.one_of(&names(folder)).cloned()
}

/// Another file of the same kind.
fn beside(folder: &Folder, file: &str, chance: &mut Chance) -> Option<String> {
    let top = file.split('/').next()?;
    let same = |other: &&str| *other != file && other.split('/').next() == Some(top);
    let others: Vec<&str> = folder.files().map(|(other, _)| other).filter(same).collect();
    chance.one_of(&others).map(|other| (*other).to_owned())
}
