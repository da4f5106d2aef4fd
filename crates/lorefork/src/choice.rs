//! What a person can do about something, as data. How it is done is the host's: a flag on the command
//! line, a button in the page.

use crate::json::array_of_texts;

/// Something the user can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Go on with the lorebook as it is now.
    Live,
    /// Go on with the newest snapshot.
    Snapshot,
    /// Start with an empty lorebook.
    Empty,
    /// Leave the waiting work behind.
    DropQueue,
    /// Wait until it is done.
    Wait,
    /// Ask for less than a finished scene.
    NotStrict,
    /// Choose another name.
    Rename,
    /// Read what is there now.
    Reload,
    /// Mark the lorebook as shared on purpose.
    Share,
    /// Give the timeline its own lorebook.
    Isolate,
    /// Look at what is wrong.
    Check,
    /// Have put right what is wrong.
    Fix,
    /// Take something else for a missing lorebook: one of these.
    Missing(&'static [&'static str]),
    /// Look at what was done.
    Log,
    /// Take back this operation.
    Undo(String),
    /// Save what was before this operation under other names.
    SaveBeside(String),
    /// Delete the timeline.
    Delete,
    /// Remove lorebooks without a timeline.
    Sweep,
}

impl Choice {
    /// As answers name it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Snapshot => "snapshot",
            Self::Empty => "empty",
            Self::DropQueue => "dropQueue",
            Self::Wait => "wait",
            Self::NotStrict => "notStrict",
            Self::Rename => "rename",
            Self::Reload => "reload",
            Self::Share => "share",
            Self::Isolate => "isolate",
            Self::Check => "check",
            Self::Fix => "fix",
            Self::Missing(_) => "missing",
            Self::Log => "log",
            Self::Undo(_) => "undo",
            Self::SaveBeside(_) => "saveBeside",
            Self::Delete => "delete",
            Self::Sweep => "sweep",
        }
    }

    /// Whether the same can be asked for again with it, and may succeed then.
    pub fn goes_on(&self) -> bool {
        matches!(self, Self::Live | Self::Snapshot | Self::Empty | Self::DropQueue | Self::Wait)
    }
}

/// All of them, as a JSON array of their words.
pub fn choices_json(choices: &[Choice]) -> String {
    let words: Vec<String> = choices.iter().map(|choice| choice.word().to_owned()).collect();
    array_of_texts(&words)
}
