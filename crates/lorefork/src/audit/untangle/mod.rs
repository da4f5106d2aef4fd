//! Untangling: timelines of one family that shared a lorebook get one each, as their own story
//! wrote it.
//!
//! - `timeline`: what one timeline tells about who wrote what
//! - `history`: the shared book's film, put together from all their snapshots
//! - `decide`: which entries belong to which timeline, and where nobody knows
//! - `place`, `registries`, `operations`, `book`, `header`: the bytes of each timeline's own book
//! - `family`: who shares, and who can bear witness
//! - `plan`: all of it together; `untangle()`: doing it

mod apply;
mod book;
mod decide;
mod events;
pub mod family;
mod header;
mod history;
mod operations;
mod place;
pub mod plan;
mod registries;
pub mod timeline;

pub use apply::{Untangled, untangle};
pub use family::{Family, family_of};
pub use plan::{LeftOut, OwnBook, Plan, Undecided, plan};
