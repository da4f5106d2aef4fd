//! To make timelines, and to give them their lore. The comments are the help pages.

use super::{At, Chat, Lore, Message, OwnLore, Strict};
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Assess {
    #[command(flatten)]
    pub(crate) chat: Chat,
    #[command(flatten)]
    pub(crate) at: At,
    #[command(flatten)]
    pub(crate) strict: Strict,
}

#[derive(Debug, Args)]
pub(crate) struct Fork {
    #[command(flatten)]
    pub(crate) chat: Chat,
    #[command(flatten)]
    pub(crate) at: At,

    /// What the new chat is called [default: as SillyTavern would name it]
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,

    #[command(flatten)]
    pub(crate) strict: Strict,

    /// Which lorebook the new chat gets
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) lore: Lore,

    /// Go ahead although Auto-Recap has work waiting
    ///
    /// The chat keeps its waiting work; the new chat starts without it.
    #[arg(long)]
    pub(crate) drop_queue: bool,

    /// Only show what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Leave the original chat as it is, without a link to the new one
    ///
    /// The link changes the original chat's file. If that chat is open in a SillyTavern tab, reload
    /// the tab afterwards: until then SillyTavern asks before it saves over the change.
    #[arg(long)]
    pub(crate) no_link: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Branch {
    #[command(flatten)]
    pub(crate) fork: Fork,

    /// Continue from this swipe of the message, counted from 0 [default: the one that is shown]
    #[arg(long, value_name = "K")]
    pub(crate) swipe: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct Isolate {
    #[command(flatten)]
    pub(crate) chat: Chat,

    /// Which lorebook the chat gets
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) lore: OwnLore,

    /// Do it
    ///
    /// This changes the chat's file. If the chat is open in a SillyTavern tab, reload the tab
    /// afterwards.
    #[arg(long)]
    pub(crate) apply: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Rewind {
    #[command(flatten)]
    pub(crate) chat: Chat,

    /// The message to go back to, by the number SillyTavern shows beside it
    ///
    /// “last” is the last one; so is -1, and -2 the one before.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) at: Message,

    /// Which lorebook the chat gets
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) lore: OwnLore,

    /// Do it
    #[arg(long)]
    pub(crate) apply: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Decide {
    #[command(flatten)]
    pub(crate) chat: Chat,

    /// The entry, by its number in the list or its name [default: list them]
    #[arg(value_name = "ENTRY", requires = "verdict")]
    pub(crate) entry: Option<String>,

    /// Whether it is this chat's
    #[arg(value_name = "WHAT", value_enum)]
    pub(crate) verdict: Option<Verdict>,

    /// Do it
    #[arg(long, requires = "verdict")]
    pub(crate) apply: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Verdict {
    /// It is: the mark goes
    Keep,
    /// It is not: the entry goes
    Drop,
}
