//! Kinds of operations.

use crate::tavern::names::Kind;

/// Which operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A checkpoint was made.
    Checkpoint,
    /// A branch was made.
    Branch,
    /// A timeline got its own lorebook.
    Isolate,
    /// Problems were repaired.
    Fix,
    /// A shared lorebook was taken apart.
    Untangle,
    /// A timeline's lore went back to a message.
    Rewind,
    /// A timeline was deleted.
    Delete,
    /// Lorebooks that lost their timeline were removed.
    Sweep,
    /// Somebody said whose entries are.
    Decide,
    /// What refers to a renamed or deleted file followed it.
    Follow,
    /// Entries were carried over to another timeline.
    Carry,
    /// Somebody said something about a timeline.
    Label,
    /// A timeline got another name.
    Rename,
    /// An operation was taken back.
    Undo,
}

impl From<Kind> for What {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Checkpoint => Self::Checkpoint,
            Kind::Branch => Self::Branch,
        }
    }
}

impl What {
    const ALL: [Self; 14] = [
        Self::Checkpoint,
        Self::Branch,
        Self::Isolate,
        Self::Fix,
        Self::Untangle,
        Self::Rewind,
        Self::Delete,
        Self::Sweep,
        Self::Decide,
        Self::Follow,
        Self::Carry,
        Self::Label,
        Self::Rename,
        Self::Undo,
    ];

    /// As records spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Checkpoint => "checkpoint",
            Self::Branch => "branch",
            Self::Isolate => "isolate",
            Self::Fix => "fix",
            Self::Untangle => "untangle",
            Self::Rewind => "rewind",
            Self::Delete => "delete",
            Self::Sweep => "sweep",
            Self::Decide => "decide",
            Self::Follow => "follow",
            Self::Carry => "carry",
            Self::Label => "label",
            Self::Rename => "rename",
            Self::Undo => "undo",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|what| what.name() == name)
    }

    /// What is being done, for a sentence.
    pub fn doing(self) -> &'static str {
        match self {
            Self::Checkpoint => "making the checkpoint",
            Self::Branch => "making the branch",
            Self::Isolate => "isolating",
            Self::Fix => "repairing",
            Self::Untangle => "untangling",
            Self::Rewind => "rewinding",
            Self::Delete => "deleting",
            Self::Sweep => "sweeping",
            Self::Decide => "deciding about an entry",
            Self::Follow => "following a change of names",
            Self::Carry => "carrying over",
            Self::Label => "labelling",
            Self::Rename => "renaming",
            Self::Undo => "undoing",
        }
    }
}
