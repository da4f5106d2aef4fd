//! Forking: requirements, plan, creation; and giving an existing timeline its own lorebook.

pub mod adopt;
pub mod bound;
pub mod create;
mod judge;
pub(crate) mod kind;
pub(crate) mod link;
pub(crate) mod look;
pub mod making;
pub mod opened;
pub mod plan;
pub mod readiness;
pub mod rebind;
pub mod records;
pub mod report;
pub mod request;
pub mod rewind;
pub mod status;
mod steps;
pub mod undecided;
pub mod verify;

pub use adopt::adopt;
pub use create::{Created, assess, create, dry_run, suggest};
pub use plan::Plan;
pub use rebind::{Isolation, isolate, plan_isolation};
pub use request::Request;
