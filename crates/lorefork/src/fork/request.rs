//! What the user asks for.

use crate::error::Code;
use crate::error::report::Policy;
use crate::moment::LoreChoice;
use crate::tavern::names::Kind;
use crate::tavern::place::ChatRef;

/// What becomes of a moment of a timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Doing {
    /// A new timeline begins there.
    #[default]
    Fork,
    /// The timeline itself gets its own lorebook.
    Isolate,
    /// The timeline's own lore goes back to it.
    Rewind,
}

/// A checkpoint or branch that somebody wants.
#[derive(Debug, Clone)]
pub struct Request {
    /// What the new timeline shall be.
    pub kind: Kind,
    /// The timeline to fork.
    pub chat: ChatRef,
    /// The last message of the new timeline; without it, the chat's last.
    pub at: Option<usize>,
    /// The swipe of that message to continue from.
    pub swipe: Option<usize>,
    /// As the user gave it; without it, as SillyTavern would name it.
    pub name: Option<String>,
    /// How much is asked of the fork point.
    pub policy: Policy,
    /// Which lorebook it shall have.
    pub lore: LoreChoice,
    /// Whether that is a setting for all forks, and not said for this one: then a lorebook that is
    /// shared on purpose stays shared.
    pub is_preference: bool,
    /// Go ahead although work is waiting; the parent keeps it, the fork does not get it.
    pub drop_queue: bool,
    /// Whether the entries of the new lorebook are ordered by name.
    pub reorder: bool,
    /// Whether the parent gets its link to the new timeline.
    pub link: bool,
    /// Lorebooks that a setting marks as shared on purpose.
    pub shared: Vec<String>,
    /// What is done with the moment, for the words of the report.
    pub doing: Doing,
    /// Warnings that refuse the fork until the user has said yes to them.
    pub ask: Vec<Code>,
}

impl Request {
    /// At the chat's end, with all else as SillyTavern and the defaults have it.
    pub fn new(kind: Kind, chat: ChatRef) -> Self {
        Self {
            kind,
            chat,
            at: None,
            swipe: None,
            name: None,
            policy: Policy::default(),
            lore: LoreChoice::default(),
            is_preference: false,
            drop_queue: false,
            reorder: false,
            link: true,
            shared: Vec::new(),
            doing: Doing::Fork,
            ask: Vec::new(),
        }
    }
}
