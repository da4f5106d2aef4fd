//! The story tree: the family as rows, two timelines beside each other, and what people say of them.
//!
//! - [`tree`]: the rows of the open chat's family, from one list of the server and what is in memory
//! - `seen`: chats that were read for it, kept while they are what the list says
//! - [`sides`]: two timelines compared; entries carried over
//! - [`words`]: label, colour, note; names

mod seen;
pub mod sides;
pub mod tree;
pub mod words;
