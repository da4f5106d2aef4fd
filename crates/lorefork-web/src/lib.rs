//! The engine inside SillyTavern's page.
//!
//! JavaScript (`extension/`) reads SillyTavern, draws and posts; everything is decided here. Texts
//! cross the boundary, in both directions; what fails comes back as `{ "error": … }`.

mod answer;
mod ask;
pub mod care;
pub mod forking;
mod host;
mod intercept;
pub mod living;
mod page;
pub mod story;
mod view;
