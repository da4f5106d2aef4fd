//! Taking care: what is wrong with a family, putting it right, and taking back what was done.
//!
//! - `facts`: what the family's files say, as far as the page can get them
//! - [`check`], [`fix`]: problems, and what becomes of them
//! - [`keeping`]: names that changed, lorebooks that are missing or without a timeline
//! - [`log`]: what was done; undo
//! - [`timeline`]: rewind and delete one timeline
//! - `files`: what happens to a file, as the page shows it

pub mod check;
mod facts;
mod files;
pub mod fix;
pub mod keeping;
pub mod log;
pub mod timeline;
