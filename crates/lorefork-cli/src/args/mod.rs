//! What can be typed. The comments here are the help pages, so they are written for users.

mod care;
mod family;
mod forks;
mod removal;
mod shared;

pub(crate) use care::{Check, Demo, Explain, Fix, Status, Verify};
pub(crate) use family::{Carry, Diff, Label, Rename, Tree};
pub(crate) use forks::{Assess, Branch, Decide, Fork, Isolate, Rewind, Verdict};
pub(crate) use removal::{Delete, Log, Sweep, Undo};
pub(crate) use shared::{At, Chat, Color, Lore, Message, OwnLore, Strict};

use crate::help;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Give every SillyTavern checkpoint and branch its own lorebook
///
/// Lorefork gives every checkpoint and branch of a SillyTavern chat its own lorebook, as it was at
/// that message, and says how sure it is of that.
///
/// In SillyTavern a checkpoint or a branch is a copy of the chat up to a message. The copy keeps
/// using the lorebook of the original: it knows what happens later, and what it learns shows up in
/// the original. Lorefork makes such copies with a lorebook of their own, set back to that moment.
///
/// It works on SillyTavern's data folder. A checkpoint or branch is made of new files; of what is
/// there, the message gets its link, the first line of its chat a note, and a group's list the new
/// chat. What changes more than that or a label first shows what it would do, and does it with
/// --apply. What was there before is kept, and “lorefork undo” brings it back.
#[derive(Debug, Parser)]
#[command(
    name = "lorefork",
    bin_name = "lorefork",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
#[command(after_help = help::EXAMPLES, after_long_help = help::LONG)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "For every command")]
pub(crate) struct Globals {
    /// SillyTavern's folder, its data folder, or a user's folder in it [default: found from here]
    ///
    /// The folder that has “chats” and “worlds” in it, the folder above it, or SillyTavern's own
    /// folder, whose config.yaml says where the data is. When left out, it is looked for from the
    /// current folder upwards.
    /// The environment variable LOREFORK_ROOT says the same.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,

    /// Only this user's chats, where SillyTavern has several users
    #[arg(long, global = true, value_name = "HANDLE")]
    pub(crate) user: Option<String>,

    /// Print one JSON document instead of text for people
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Print only warnings and errors; the exit code is the answer
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    /// Whether to use colours [default: on a terminal, unless NO_COLOR is set]
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_default_value = true
    )]
    pub(crate) color: Color,

    /// How many seconds to wait while another lorefork is working
    #[arg(long, global = true, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(..=86_400))]
    pub(crate) wait: u64,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask whether a chat can be forked at a message
    ///
    /// Looks at the chat, its lorebook and Auto-Recap's data, and lists everything that speaks
    /// against a checkpoint or branch at that message, each with what you can do about it. Only
    /// looks, never writes.
    #[command(after_help = help::ASSESS)]
    Assess(Assess),

    /// Make a checkpoint: a copy to come back to
    ///
    /// A checkpoint is a copy of the chat up to a message, kept to come back to. It gets its own
    /// lorebook, as it was at that message. The message is linked to it, as SillyTavern does it: a
    /// flag beside the message opens it.
    #[command(after_help = help::CHECKPOINT)]
    Checkpoint(Fork),

    /// Make a branch: a copy to continue in another way
    ///
    /// A branch is a copy of the chat up to a message, made to let the story go on differently. It
    /// gets its own lorebook, as it was at that message. With --swipe it continues from another
    /// swipe of that message.
    #[command(after_help = help::BRANCH)]
    Branch(Branch),

    /// Give a chat that shares its lorebook its own
    ///
    /// For checkpoints and branches that SillyTavern made: they use the lorebook of the chat they
    /// come from. The chat gets its own, as it was at its last message. Without --apply this only
    /// shows what would be done.
    #[command(after_help = help::ISOLATE)]
    Isolate(Isolate),

    /// Set the lorebook of a chat back to an earlier message
    ///
    /// Lorebook, running recap and what Auto-Recap keeps in the chat go back to that message; the
    /// messages themselves stay. If other chats use the lorebook, this one gets its own. What was
    /// there before is kept, and “lorefork undo” brings it back. Without --apply this only shows
    /// what would be done.
    #[command(after_help = help::REWIND)]
    Rewind(Rewind),

    /// Say what belongs to a chat, where nobody could tell
    ///
    /// A fork or an untangling keeps entries of which nothing recorded says how they were, or whose
    /// they are, and marks them. Without ENTRY this lists them. “keep” takes the mark away, “drop”
    /// the entry with its lines in registries; “lorefork undo” takes either back.
    #[command(after_help = help::DECIDE)]
    Decide(Decide),

    /// Move a chat to the trash, with the lorebook only it uses
    ///
    /// Links to it go, too, in the chat it was made from and in its group. Its lorebook goes only
    /// if no other chat, group, character, persona or setting uses it. “lorefork undo” brings
    /// everything back. Without --apply this only shows what would be done.
    #[command(after_help = help::DELETE)]
    Delete(Delete),

    /// Move lorebooks that lost their chat to the trash
    ///
    /// Only lorebooks that Lorefork made and that nothing uses any more: no chat of any user, no
    /// group, character, persona or setting. Without --apply this only shows them, with size, age
    /// and origin.
    #[command(after_help = help::SWEEP)]
    Sweep(Sweep),

    /// Show what was done, newest first
    ///
    /// Every change that Lorefork made: when, to which chat, in which files, and whether it was
    /// taken back. With --empty-trash, removes for good what was moved to the trash.
    #[command(after_help = help::LOG)]
    Log(Log),

    /// Take back what was done
    ///
    /// Brings back the bytes from before: of the newest operation that still stands, or of the one
    /// with that id. Refused if a file has changed since. Undoing can be undone, too. Without
    /// --apply this only shows what would be done.
    #[command(after_help = help::UNDO)]
    Undo(Undo),

    /// Check whether a checkpoint or branch is still as it was made
    ///
    /// Compares a checkpoint or branch that Lorefork made with what was recorded when it was made.
    /// The answer is one of: untouched; continued (the chat went on, which is fine); differs (the
    /// chat is as it was, its lorebook is not); damaged (something it needs is gone).
    #[command(after_help = help::VERIFY)]
    Verify(Verify),

    /// Show chats, their lorebooks, and who shares one
    ///
    /// Without CHAT: all chats that have a lorebook, as a tree. With CHAT: what that one is, where
    /// it comes from, and whether its lorebook and recap are the recorded ones.
    #[command(after_help = help::STATUS)]
    Status(Status),

    /// Draw where the timelines of a story part
    ///
    /// Without CHAT: every story that has checkpoints or branches. With CHAT: the path to that one,
    /// and what leaves it. Timelines belong together by what Lorefork recorded, by SillyTavern's
    /// links, and where both are gone by the messages they share. Changes nothing; what it read is
    /// kept in the folder lorefork/index, so that the next time takes less.
    #[command(after_help = help::TREE)]
    Tree(Tree),

    /// Show what one timeline knows that another does not
    ///
    /// Where the two part, with the messages around it; which entries only one lorebook has, and
    /// which say something else, word by word; registries, running recap, variables and the
    /// author's note. Only looks, never writes.
    #[command(after_help = help::DIFF)]
    Diff(Diff),

    /// Copy entries into another timeline's lorebook
    ///
    /// The one way in which lore crosses from one timeline to another, and only by hand. An entry
    /// keeps its number if that is free there; Auto-Recap's registries list it, too. One that is
    /// there already and says something else is shown, and you decide. Without --apply this only
    /// shows what would be done.
    #[command(after_help = help::CARRY)]
    Carry(Carry),

    /// Say what a timeline is called in the tree
    ///
    /// A label, a colour, a note; whether it is how the story really went; whether it is folded
    /// away. This stands in the chat's own file, so it goes wherever the file goes. An empty text
    /// takes it back.
    #[command(after_help = help::LABEL)]
    Label(Label),

    /// Give a chat another name, with everything that refers to it
    ///
    /// Links in messages, checkpoints and branches made from it, recaps and the group's list
    /// follow. Without --apply this only shows what would be done.
    #[command(after_help = help::RENAME)]
    Rename(Rename),

    /// Find what is wrong in chats and lorebooks
    ///
    /// Reads all chats, lorebooks and groups of all users, and lists every problem with what can be
    /// done about it: lorebooks that several timelines share, recaps and lore from the future,
    /// damaged lines, links that lead nowhere. Only looks, never writes.
    #[command(after_help = help::CHECK)]
    Check(Check),

    /// Show the repairs of what check finds, then do them
    ///
    /// Without --apply this only shows what would be done. Everything that is changed can be taken
    /// back with “lorefork undo”. What cannot be repaired safely is left to you, with the reason.
    #[command(after_help = help::FIX)]
    Fix(Fix),

    /// Say what a problem means, where it comes from and how it is cured
    #[command(after_help = help::EXPLAIN)]
    Explain(Explain),

    /// Write a sample data folder and show on it what Lorefork does
    ///
    /// Writes a small SillyTavern data folder with two characters, a group and a story of 61
    /// messages, then makes a checkpoint and a branch in it and shows what each of them knows.
    /// Beside it are chats that plain SillyTavern forked, which share a lorebook: it finds that,
    /// untangles it, and takes that back, so that you can try it yourself. A folder that is there
    /// already is replaced only if an earlier demo wrote it.
    #[command(after_help = help::DEMO)]
    Demo(Demo),

    /// Print completions for a shell
    #[command(after_help = help::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },

    /// Print the manual page
    #[command(after_help = help::MAN)]
    Man {
        /// Of this command; when left out, of lorefork itself
        command: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn what_can_be_typed_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
