//! The sample data folder, and what `lorefork demo` tells on it.

pub(crate) mod folder;
mod mend;
pub(crate) mod screen;
mod story;
pub(crate) mod tell;
