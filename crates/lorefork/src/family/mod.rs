//! The family, seen: which timelines descend from which, where they part, and what one knows that
//! another does not.
//!
//! - `trace`: what one chat file says about that, read in one pass
//! - `descent`: who comes from whom, by records, then links, then content; `mark`: what is odd about it
//! - `books`: how their lorebooks are used
//! - `tree`: the families of a character or group
//! - `layout`: their picture as data; page, terminal and files draw the same rows
//! - `proposed`: a name for a timeline, from the first message that is its own
//! - `compare`: two timelines beside each other
//! - `carry`: entries of one timeline's lorebook into another's
//! - `rename`: another name for a timeline, and all that refers to it
//! - `words`, `say`: what people said of a timeline: label, colour, note, canon, archived

mod books;
mod carry;
mod compare;
mod descent;
mod identity;
mod json;
mod layout;
mod mark;
mod proposed;
mod rename;
mod say;
mod trace;
mod tree;
mod words;

pub use books::Books;
pub use carry::{
    Carried, CarriedOver, CarryPlan, Chosen, Decision, Fate, carry, entries_of, plan_carry,
};
pub use compare::{
    Changed, Comparison, Entries, EntryOf, Field, Listed, Pair, Said as Message, Side, compare,
};
pub use layout::{Picture, Row, Run, Stands, View};
pub use mark::{How, Mark};
pub use proposed::{first_words, plain, proposed, proposed_by_words};
pub use rename::{RenamePlan, Renamed, plan_rename, rename};
pub use say::{LONGEST_LABEL, Labelled, label};
pub use trace::{EVERY, Finders, HEADER_KEYS, Head, Link, Place, Trace};
pub use tree::{Family, Gone, Lore, Said, Timeline, Tree, tree};
pub use words::{Word, Words, is_colour};
