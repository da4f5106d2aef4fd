//! Formats that SillyTavern owns, and how it names things.

pub mod card;
pub mod chat;
pub mod effects;
pub mod entry;
pub mod group;
pub mod lorebook;
pub mod names;
pub mod place;
pub mod settings;
pub mod slug;
pub mod time;
pub mod timed;
pub mod version;
