//! Forking: requirements, plan, creation; and giving an existing timeline its own lorebook.

pub mod adopt;
pub mod bindings;
pub mod create;
pub mod draft;
pub mod isolate;
mod judge;
pub(crate) mod kind;
pub(crate) mod look;
pub mod opened;
pub mod plan;
pub mod readiness;
pub mod rebind;
pub mod request;
pub mod rewind;
mod steps;
pub mod undecided;

pub use adopt::adopt;
pub use create::{Created, assess, create, dry_run, suggest};
pub use isolate::isolate;
pub use plan::Plan;
pub(crate) use rebind::recorded;
pub use rebind::{Isolation, plan_isolation};
pub use request::Request;
