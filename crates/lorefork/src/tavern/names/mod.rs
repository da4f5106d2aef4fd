//! Names of chats and lorebooks: what a name becomes on disk, which names are
//! the same, and how new ones are made.

pub mod fold;
pub mod lorebook;
mod marks;
pub mod sanitize;
pub mod timeline;

pub use fold::{fold, same_name};
pub use lorebook::short_id;
pub use sanitize::{
    chat_file, chat_name, is_chat, is_chat_name, lorebook_file, lorebook_name, same_lorebook,
    sanitize,
};
pub use timeline::{Kind, NameError, NewTimeline};
