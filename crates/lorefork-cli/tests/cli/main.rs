//! The command as a person or a script meets it: text, JSON, exit codes, and what is on disk after.
#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod answers;
mod asking;
mod bad_input;
#[cfg(feature = "crash-points")]
mod broken_disk;
mod decide;
mod demo;
mod folder;
mod forks;
mod help;
#[cfg(target_os = "linux")]
mod interrupted;
mod json;
mod mending;
mod problems;
mod tree;
mod widths;
