//! What `lorefork demo` tells on the sample data folder.

mod mend;
pub(crate) mod screen;
pub(crate) mod tell;
