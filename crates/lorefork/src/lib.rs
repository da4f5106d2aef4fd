//! Gives every checkpoint and branch of a SillyTavern chat its own lorebook, exactly as it was
//! at that message.
//!
//! The engine does no I/O and has no clock and no randomness of its own: a [`host`] brings all of
//! that. An example that runs, a fork from beginning to end, stands at the top of `lorefork-sim`, the
//! host in memory: here it would have every test of the engine wait for that crate.
//!
//! Rooms, from the bottom up:
//!
//! - [`json`]: JSON as text; read what we understand, splice what we change
//! - [`tavern`]: formats that SillyTavern owns, and how it names things
//! - [`memory`]: formats that memory extensions own
//! - [`moment`]: what was true at message N, from which evidence, and how sure we are
//! - [`timeline`]: what a timeline says of itself
//! - [`operation`]: intents before the first write, the record after, healing between
//! - [`fork`]: the flows that make or change a timeline
//! - [`audit`]: what is wrong in a folder, and what would put it right
//! - [`family`]: the tree of timelines, comparing two, and carrying lore over
//! - [`removal`]: deleting a timeline, and sweeping up lorebooks that lost theirs
//! - [`housekeeping`]: names changed, or chats are gone, and what refers to them follows
//! - [`diary`]: the log, as it is told to people
//! - [`host`]: the port, the few things the engine asks of the world
//! - [`naming`]: who names a lorebook, asked before any is removed
//! - [`limits`]: how large things may be
//! - [`error`], [`sentence`], [`choice`]: what is said to people, and what they can do

#![warn(missing_docs)]

pub mod audit;
pub mod choice;
pub mod diary;
pub mod error;
pub mod family;
pub mod fork;
pub mod host;
pub mod housekeeping;
pub mod json;
pub mod limits;
pub mod memory;
pub mod moment;
pub mod naming;
pub mod operation;
pub mod removal;
pub mod sentence;
mod sorted;
pub mod tavern;
pub mod timeline;
