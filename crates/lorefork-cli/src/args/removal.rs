//! To remove, and to take back. The comments are the help pages.

use super::Chat;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Delete {
    #[command(flatten)]
    pub(crate) chat: Chat,

    /// Do it
    #[arg(long)]
    pub(crate) apply: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// Only lorebooks that nobody has written to for so many days
    #[arg(long, value_name = "DAYS", default_value_t = 7)]
    pub(crate) older_than: u64,

    /// Do it
    #[arg(long)]
    pub(crate) apply: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    /// Only what was done to this chat, or to what it uses [default: everything]
    #[arg(value_name = "CHAT", conflicts_with = "empty_trash")]
    pub(crate) chat: Option<String>,

    /// Only the newest so many
    #[arg(short = 'n', long, value_name = "COUNT", conflicts_with = "empty_trash")]
    pub(crate) number: Option<usize>,

    /// One line for each
    #[arg(long, conflicts_with = "empty_trash")]
    pub(crate) oneline: bool,

    /// Remove for good what is in the trash; with --apply
    #[arg(long)]
    pub(crate) empty_trash: bool,

    /// Only what was put there so many days ago, or earlier
    #[arg(long, value_name = "DAYS", requires = "empty_trash")]
    pub(crate) older_than: Option<u64>,

    /// Do it
    #[arg(long, requires = "empty_trash")]
    pub(crate) apply: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// The operation, by its id in “lorefork log” [default: the newest that stands]
    pub(crate) id: Option<String>,

    /// Do it
    #[arg(long)]
    pub(crate) apply: bool,

    /// Instead of undoing, save the former lorebooks and chats under other names
    #[arg(long, conflicts_with = "apply")]
    pub(crate) save_beside: bool,
}
