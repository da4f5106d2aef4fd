//! What a timeline says of itself: its first line, our record in it, and whether it still is what
//! it was made as.

pub(crate) mod header;
pub mod record;
pub mod status;
pub mod verify;
