//! Formats that SillyTavern owns.

pub mod card;
pub mod place;
pub mod time;
