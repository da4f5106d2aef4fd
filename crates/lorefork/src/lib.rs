//! Gives every checkpoint and branch of a SillyTavern chat its own lorebook, exactly as it was
//! at that message.
//!
//! The engine does no I/O and has no clock and no randomness of its own: a [`host`] brings all of
//! that. Rooms, from the bottom up:
//!
//! - [`json`]: JSON as text; read what we understand, splice what we change.

pub mod host;
pub mod json;
pub mod tavern;
