//! Untangling: timelines of one family that shared a lorebook get one each, as their own story
//! wrote it. Whose an entry is, the film of the lorebook says (`moment/film/`).
//!
//! - `family`: who shares, and who can bear witness
//! - `read`: all that they tell
//! - `whose`: what the film answers to each of them, and what nobody's answer holds
//! - `own_book`, `operations`, `header`: the bytes of each timeline's own book
//! - `plan`: all of it together; `untangle()`: doing it

mod apply;
pub mod family;
mod header;
mod operations;
mod own_book;
pub mod plan;
mod read;
mod whose;

pub use apply::{Untangled, untangle};
pub use family::{Family, family_of};
pub use plan::{LeftOut, OwnBook, Plan, Undecided, plan};
