//! The sample data folder of `lorefork demo`, as a SillyTavern 1.19 with Auto-Recap would have left
//! it.
//!
//! Everything here is made from the texts in `text/` and the tables in `scenes.rs` and `isle.rs`,
//! with fixed dates and ids: two runs give the same bytes. Only [`write()`] touches the disk.
//!
//! The scenes are played one after the other on one `lore::Book`, and each snapshot is a picture
//! of that book at that moment. So a snapshot cannot know what a later scene tells, and uids come
//! free and are reused the way they are in real folders.
//!
//! The chats of a [`sample`] have no branches, but for a family that plain SillyTavern forked, which
//! comes on wish.

mod cast;
mod chat;
mod folder;
mod group;
mod isle;
mod lore;
mod paint;
mod png;
mod recap;
mod scenes;
mod script;
mod settings;
mod solo;
mod tangled;
#[cfg(test)]
mod tests;

use lorefork::memory::recap::hash::recap_hash;
use lorefork::tavern::timed::string_hash;

pub use folder::{WriteError, write};
#[cfg(test)]
use group::BOOK as GROUP_BOOK;
pub use group::{CHAT as GROUP_CHAT, NAME as GROUP};
#[cfg(test)]
use isle::BOOK as ISLE_BOOK;
pub use isle::CHAT as ISLE_CHAT;
#[cfg(test)]
use scenes::REUSED_UID;
pub use scenes::SCENE_ENDS;
#[cfg(test)]
use solo::BOOK;
pub use solo::{CHAT, SWIPED};
pub use tangled::{
    BOOK as TANGLED_BOOK, BRANCH as TANGLED_BRANCH, CHAT as TANGLED_CHAT,
    CHECKPOINT as TANGLED_CHECKPOINT,
};

/// Hashes that the formats need and the engine owns, so that they are written once.
#[derive(Clone, Copy)]
struct Hashes {
    /// SillyTavern's `getStringHash` over UTF-16 units: names the entry a timed effect belongs to.
    string: fn(&str) -> u64,
    /// Auto-Recap's hash of a recap text.
    recap: fn(&str) -> String,
}

/// One file: its path below the data root with forward slashes, and its bytes.
pub type File = (String, Vec<u8>);

/// All files of the sample data root; on wish with a family that shares a lorebook.
pub fn sample(with_tangled: bool) -> Vec<File> {
    let hashes =
        Hashes { string: |text| string_hash(text.encode_utf16()), recap: |text| recap_hash(text) };
    let mut files = files(hashes);
    if with_tangled {
        files.extend(tangled(hashes));
    }
    files
}

/// All files of the sample data root, but for the tangled family.
fn files(hashes: Hashes) -> Vec<File> {
    let mut files = vec![settings::file()];
    files.extend(cast::files());
    files.extend(solo::files(hashes));
    files.extend(isle::files(hashes));
    files.extend(group::files());
    of_the_user(files)
}

/// The files of a family that shares a lorebook.
fn tangled(hashes: Hashes) -> Vec<File> {
    of_the_user(tangled::files(hashes))
}

fn of_the_user(files: Vec<File>) -> Vec<File> {
    files.into_iter().map(|(path, bytes)| (format!("default-user/{path}"), bytes)).collect()
}
