//! User folders with something wrong in them: what other programs, crashes, disks and people do to
//! files. Which of it is decided by a seed, so that whatever was seen once can be seen again.

mod bytes;
mod files;
mod lines;
mod values;

use crate::chance::Chance;
use crate::folder::{Folder, is_chat};

/// A folder after its mutations, and what they were, in words.
#[derive(Debug, Clone)]
pub struct Mutated {
    pub folder: Folder,
    pub what: Vec<String>,
}

/// A folder with one to four things changed in it.
pub fn mutated(base: &Folder, seed: u64) -> Mutated {
    let mut chance = Chance::new(seed);
    let mut mutated = Mutated { folder: base.clone(), what: Vec::new() };
    // Most are small, so that what goes wrong has one cause.
    let wanted = [1, 1, 1, 2, 2, 3, 4];
    let wanted = chance.one_of(&wanted).copied().unwrap_or(1);
    // Some find nothing to change; a folder without any file ends this all the same.
    for _ in 0..50 {
        if mutated.what.len() == wanted {
            break;
        }
        let before = mutated.folder.clone();
        let what = one(&mut mutated.folder, &mut chance);
        if mutated.folder != before {
            mutated.what.extend(what);
        }
    }
    mutated
}

fn one(folder: &mut Folder, chance: &mut Chance) -> Option<String> {
    match chance.between(1, 100) {
        ..=55 => values::mutate(folder, chance),
        56..=63 => values::mutate_registry(folder, chance),
        64..=75 => lines::mutate(folder, chance),
        76..=85 => bytes::mutate(folder, chance),
        _ => files::mutate(folder, chance),
    }
}

/// A file that Lorefork reads: mostly chats and lorebooks, sometimes a group, the settings, a card.
fn pick(folder: &Folder, chance: &mut Chance) -> Option<String> {
    let wanted: fn(&str) -> bool = match chance.between(1, 100) {
        ..=50 => is_chat,
        51..=80 => |file| file.starts_with("worlds/"),
        81..=92 => |file| file.starts_with("groups/"),
        93..=98 => |file| file == "settings.json",
        _ => |file| file.starts_with("characters/"),
    };
    let files: Vec<&str> =
        folder.files().map(|(file, _)| file).filter(|file| wanted(file)).collect();
    chance.one_of(&files).map(|file| (*file).to_owned())
}

/// Names that chats and lorebooks have here: what one says, another may say by mistake.
fn names(folder: &Folder) -> Vec<String> {
    let chats = folder.chats().filter_map(|file| file.rsplit('/').next()?.strip_suffix(".jsonl"));
    chats.chain(folder.lorebooks()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::tangled;

    #[test]
    fn a_seed_gives_the_same_folder_again_and_each_seed_another() {
        let base = tangled(1).folder;
        let mut seen: Vec<Folder> = Vec::new();
        for seed in 0..60 {
            let once = mutated(&base, seed);
            assert_eq!(once.folder, mutated(&base, seed).folder);
            assert!(!once.what.is_empty() && once.folder != base, "seed {seed}: {:?}", once.what);
            seen.push(once.folder);
        }
        let before = seen.len();
        seen.dedup();
        assert_eq!(seen.len(), before);
    }
}
