//! Host over a data folder.
