//! The sample data folder of `lorefork demo`, as a SillyTavern 1.19 with Auto-Recap would have left
//! it.
//!
//! Everything here is made from the texts in `text/` and the tables in `scenes.rs` and `isle.rs`,
//! with fixed dates and ids: two runs give the same bytes. Nothing is written to disk here.
//!
//! The scenes are played one after the other on one [`lore::Book`], and each snapshot is a picture
//! of that book at that moment. So a snapshot cannot know what a later scene tells, and uids come
//! free and are reused the way they are in real folders.
//!
//! The chats of [`files`] have no branches. [`tangled`] adds a family that plain SillyTavern forked.

mod cast;
mod chat;
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

#[cfg(test)]
pub(crate) use group::BOOK as GROUP_BOOK;
pub(crate) use group::{CHAT as GROUP_CHAT, NAME as GROUP};
#[cfg(test)]
pub(crate) use isle::BOOK as ISLE_BOOK;
pub(crate) use isle::CHAT as ISLE_CHAT;
#[cfg(test)]
pub(crate) use scenes::REUSED_UID;
pub(crate) use scenes::SCENE_ENDS;
#[cfg(test)]
pub(crate) use solo::BOOK;
pub(crate) use solo::{CHAT, SWIPED};
pub(crate) use tangled::{
    BOOK as TANGLED_BOOK, BRANCH as TANGLED_BRANCH, CHAT as TANGLED_CHAT,
    CHECKPOINT as TANGLED_CHECKPOINT,
};

/// Hashes that the formats need and the engine owns, so that they are written once.
#[derive(Clone, Copy)]
pub(crate) struct Hashes {
    /// SillyTavern's `getStringHash` over UTF-16 units: names the entry a timed effect belongs to.
    pub(crate) string: fn(&str) -> u64,
    /// Auto-Recap's hash of a recap text.
    pub(crate) recap: fn(&str) -> String,
}

/// One file: its path below the data root with forward slashes, and its bytes.
pub(crate) type File = (String, Vec<u8>);

/// All files of the sample data root, but for the tangled family.
pub(crate) fn files(hashes: Hashes) -> Vec<File> {
    let mut files = vec![settings::file()];
    files.extend(cast::files());
    files.extend(solo::files(hashes));
    files.extend(isle::files(hashes));
    files.extend(group::files());
    of_the_user(files)
}

/// The files of a family that shares a lorebook.
pub(crate) fn tangled(hashes: Hashes) -> Vec<File> {
    of_the_user(tangled::files(hashes))
}

fn of_the_user(files: Vec<File>) -> Vec<File> {
    files.into_iter().map(|(path, bytes)| (format!("default-user/{path}"), bytes)).collect()
}
