//! JSON as text with places in it.
//!
//! People's stories are never parsed into values and printed back: number
//! spelling, key order, duplicate keys, escapes and half emoji would not
//! survive. A document stays the text it is; [`Json`] points at parts of it,
//! and an edit replaces a range of bytes. What is not edited cannot change.
//!
//! [`js`] is the exception: it prints the way JavaScript would, for comparing
//! and for documents that are new.

pub mod js;
mod layout;
mod read;
mod scan;
mod splice;
mod string;
mod write;

pub use layout::{Style, laid_out};
pub use read::{Json, JsonError, Kind, Member, plain_text};
pub use splice::{Splices, remove, set, set_in, set_members};
pub use string::{quote, quote_units};
pub use write::{Object, array, array_of_texts, sentence_json, sentences_json, text_or_null};
