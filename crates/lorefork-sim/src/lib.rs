//! Host in memory that fails, crashes and races on command, and the checker of
//! `docs/invariants.md` that every harness uses.
//!
//! A fork from beginning to end, as every host has it done:
//!
//! ```
//! use lorefork::fork::{self, Request};
//! use lorefork::tavern::names::Kind;
//! use lorefork::tavern::place::{ChatRef, Owner, lorebook_file};
//! use lorefork_sim::{Folder, SimHost, entry, header, message};
//!
//! // What lies in the user's folder: a chat of two messages, and the lorebook it names.
//! let chat = ChatRef::new(Owner::Character("Mira".into()), "The Last Lamp");
//! let messages = ["The lamp is lit.", "Who lit it?"].map(|text| message("Mira", text, "{}"));
//! let folder = Folder::new()
//!     .with_chat(&chat, &header(r#"{"world_info":"Harbour"}"#), &messages)
//!     .with_lorebook("Harbour", &[("0", entry(0, "lamp", "It burns blue."))]);
//! let host = SimHost::new(folder);
//!
//! let request = Request { at: Some(0), ..Request::new(Kind::Checkpoint, chat) };
//! let made = host.run(fork::create(&host, &request)).returned().unwrap().unwrap();
//!
//! // The checkpoint has a lorebook of its own, and the old one is what it was.
//! let lorebook = made.lorebook.unwrap();
//! assert_ne!(lorebook, "Harbour");
//! assert!(host.folder().text(&lorebook_file(&lorebook)).unwrap().contains("It burns blue."));
//! assert!(host.folder().has(&made.file) && host.folder().has("worlds/Harbour.json"));
//! ```
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
