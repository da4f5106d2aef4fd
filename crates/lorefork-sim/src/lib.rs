//! Host in memory that fails, crashes and races on command, and the checker of
//! `docs/invariants.md` that every harness uses.
//!
//! A test runs a flow once in calm to learn its calls, then once for every call and every fault:
//!
//! ```
//! use lorefork_sim::{Ended, Fault, Folder, Script, SimHost};
//! use lorefork::host::Host;
//!
//! async fn flow(host: &SimHost) -> usize {
//!     host.lorebook_names().await.map_or(0, |names| names.len())
//! }
//!
//! let folder = Folder::new().with_lorebook("Harbour", &[]);
//! let calm = SimHost::new(folder.clone());
//! assert_eq!(calm.run(flow(&calm)), Ended::Returned(1));
//! for script in Script::one_by_one(&calm.trace(), &[Fault::Refuse, Fault::Crash { happened: true }]) {
//!     let host = SimHost::new(folder.clone()).with_script(script);
//!     assert_ne!(host.run(flow(&host)), Ended::Returned(1));
//!     let next = host.restart();
//!     assert_eq!(next.run(flow(&next)), Ended::Returned(1));
//! }
//! ```

mod chance;
pub mod checker;
mod facts;
mod files;
mod folder;
mod host;
mod make;
pub mod mutate;
mod others;
mod run;
mod script;
mod state;
pub mod story;
pub mod truth;
mod view;

pub use chance::Chance;
pub use checker::{Expectation, Flow, Outcome, Rule, Violation, check};
pub use facts::{Everything, facts};
pub use folder::Folder;
pub use host::SimHost;
pub use make::{entry, header, message};
pub use run::Ended;
pub use script::{Call, Fault, Reach, Script};
pub use view::SimChat;
