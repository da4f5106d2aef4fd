//! The engine inside SillyTavern's page.
//!
//! JavaScript (`extension/`) reads SillyTavern, draws and posts; everything is decided here. Texts
//! cross the boundary, in both directions; what fails comes back as `{ "error": … }`.
//!
//! Two WebAssembly modules come of it, by features: `fork` is loaded at the start of every page,
//! `care` (looking for problems, repairing, taking back) when it is first asked for.

#![cfg_attr(
    not(all(feature = "fork", feature = "care")),
    allow(dead_code, reason = "each module uses its part of what both share")
)]

mod answer;
mod ask;
#[cfg(feature = "care")]
pub mod care;
#[cfg(feature = "fork")]
pub mod forking;
mod host;
#[cfg(feature = "fork")]
pub mod living;
mod net;
mod page;
mod view;
