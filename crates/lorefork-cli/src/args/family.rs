//! Timelines beside each other. The comments are the help pages.

use super::Chat;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Tree {
    /// A chat: its file, “Character/Chat name”, “group:NAME”, its name, or a part of that
    pub(crate) chat: Option<String>,

    /// Everything: chats that stand alone, archived timelines, and all of the chat's family
    #[arg(long)]
    pub(crate) all: bool,

    /// Write it as a page for a browser
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Write it as a picture
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// A chat: its file, “Character/Chat name”, “group:NAME”, its name, or a part of that
    #[arg(value_name = "A")]
    pub(crate) here: String,

    /// The chat to compare it with
    #[arg(value_name = "B")]
    pub(crate) there: String,
}

#[derive(Debug, Args)]
pub(crate) struct Carry {
    /// The chat whose lorebook has the entries
    pub(crate) from: String,

    /// The chat whose lorebook gets them
    pub(crate) to: String,

    /// Entries: by name, a part of it, or number
    #[arg(value_name = "ENTRY", required = true)]
    pub(crate) entries: Vec<String>,

    /// What to do with an entry that is there already and says something else
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) conflict: Option<Conflict>,

    /// Do it
    #[arg(long)]
    pub(crate) apply: bool,
}

/// What to do with an entry that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Conflict {
    /// Leave it as it is
    Keep,
    /// Replace it
    Replace,
    /// Have both, under different numbers
    Both,
}

impl From<Conflict> for lorefork::family::Decision {
    fn from(conflict: Conflict) -> Self {
        match conflict {
            Conflict::Keep => Self::Keep,
            Conflict::Replace => Self::Replace,
            Conflict::Both => Self::Both,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Label {
    #[command(flatten)]
    pub(crate) chat: Chat,

    /// The label; an empty one takes it away
    #[arg(value_name = "TEXT", required_unless_present_any = ["colour", "note", "canon", "archived"])]
    pub(crate) text: Option<String>,

    /// A colour by its name, or #rrggbb
    #[arg(long, value_name = "COLOUR")]
    pub(crate) colour: Option<String>,

    /// Some words about it
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,

    /// Whether this is how the story really went
    #[arg(long, value_name = "YES", num_args = 0..=1, default_missing_value = "true")]
    pub(crate) canon: Option<bool>,

    /// Whether it is folded away in the tree
    #[arg(long, value_name = "YES", num_args = 0..=1, default_missing_value = "true")]
    pub(crate) archived: Option<bool>,
}

#[derive(Debug, Args)]
pub(crate) struct Rename {
    #[command(flatten)]
    pub(crate) chat: Chat,

    /// Its new name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// Do it
    ///
    /// Close SillyTavern's tabs before, or reload them afterwards: one that has the chat open would
    /// save it under its old name.
    #[arg(long)]
    pub(crate) apply: bool,
}
