//! To look whether all is well, and to repair it. The comments are the help pages.

use super::Chat;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) chat: Chat,
}

#[derive(Debug, Args)]
pub(crate) struct Status {
    /// A chat: its file, “Character/Chat name”, “group:NAME”, its name, or a part of that
    pub(crate) chat: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Only what concerns these chats [default: everything]
    #[arg(value_name = "CHAT")]
    pub(crate) chats: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Fix {
    /// Only what concerns these chats [default: everything]
    #[arg(value_name = "CHAT")]
    pub(crate) chats: Vec<String>,

    /// Only problems of this kind; may be given several times
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub(crate) only: Vec<String>,

    /// What to do where a lorebook is missing
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub(crate) missing: Missing,

    /// Do it
    ///
    /// This changes chats, lorebooks and groups. Close SillyTavern's tabs before, or reload them
    /// afterwards.
    #[arg(long)]
    pub(crate) apply: bool,
}

/// What to do about a missing lorebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Missing {
    /// From what was recorded
    #[default]
    Rebuild,
    /// A copy of the parent's lorebook, as it is now
    Parent,
    /// A new one without entries
    Empty,
    /// The chat names no lorebook any more
    Detach,
    /// Nothing
    Leave,
}

impl From<Missing> for lorefork::audit::fix::Missing {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Rebuild => Self::Rebuild,
            Missing::Parent => Self::Parent,
            Missing::Empty => Self::Empty,
            Missing::Detach => Self::Detach,
            Missing::Leave => Self::Leave,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The code, as “lorefork check” or any answer prints it
    pub(crate) code: String,
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// The folder to write
    #[arg(value_name = "DIR", default_value = "lorefork-demo")]
    pub(crate) folder: PathBuf,

    /// Only write the sample data
    #[arg(long, hide = true)]
    pub(crate) data_only: bool,
}
