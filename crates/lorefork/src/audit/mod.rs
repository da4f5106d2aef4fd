//! The audit: what is wrong in a user folder, and what would put it right.
//!
//! - [`facts`]: what one file says, on its own; small, and made in parallel
//! - [`judge()`]: the facts of all files of a folder together -> problems
//! - [`fix`]: problems -> what becomes of each file, to look at or to do
//! - [`untangle`]: timelines that shared a lorebook get one each
//! - [`Problem`]: a code, where it is, one sentence, and what would be done about it

mod code;
pub mod facts;
pub mod fix;
mod judge;
mod problem;
pub mod untangle;

pub use code::{Code, Severity};
pub use facts::Folder;
pub use judge::{concerns, family, judge};
pub use problem::{Action, Fix, Problem};
