//! Tests through the port, on real files.
#![allow(clippy::unwrap_used, reason = "tests")]

mod chats;
mod folder;
mod limits;
mod operations;
mod selecting;
#[cfg(windows)]
mod windows;
