//! What can be typed. The comments here are the help pages, so they are written for users.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lorefork::moment::LoreChoice;

use crate::help;

/// Give every SillyTavern checkpoint and branch its own lorebook
///
/// Lorefork gives every checkpoint and branch of a SillyTavern chat its own lorebook, exactly as it
/// was at that message.
///
/// In SillyTavern a checkpoint or a branch is a copy of the chat up to a message. The copy keeps
/// using the lorebook of the original: it knows what happens later, and what it learns shows up in
/// the original. Lorefork makes such copies with a lorebook of their own, set back to that moment.
///
/// It works on SillyTavern's data folder. Nothing that exists is changed unless you ask for it, and
/// nothing is ever overwritten.
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
    /// links, and where both are gone by the messages they share. Only looks, never writes.
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

#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// The chat: its file, “Character/Chat name”, “group:NAME”, its name, or a part of that
    #[arg(id = "chat", value_name = "CHAT")]
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct At {
    /// The message, by the number SillyTavern shows beside it [default: the last one]
    ///
    /// Messages are counted from 0; hidden ones count, too. “last” is the last one; so is -1, and -2
    /// the one before.
    #[arg(long = "at", id = "at", value_name = "N", allow_negative_numbers = true)]
    pub(crate) message: Option<Message>,
}

/// A message, as people say which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Message {
    Number(usize),
    /// 1 is the last one.
    FromTheEnd(usize),
}

impl FromStr for Message {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let read = |number: &str| number.parse().ok();
        let message = match text.strip_prefix('-') {
            _ if text.eq_ignore_ascii_case("last") => Some(Self::FromTheEnd(1)),
            Some(back) => read(back).filter(|back| *back > 0).map(Self::FromTheEnd),
            None => read(text).map(Self::Number),
        };
        message.ok_or(
            "a message is a number as SillyTavern shows it, from 0 on; or “last”; or counted from the \
             end, where -1 is the last",
        )
    }
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also in pipes and files
    Always,
    /// None
    Never,
}

impl Color {
    /// From here on.
    pub(crate) fn show(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

impl From<Color> for clap::ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Strict {
    /// Also insist on a finished scene: scene break, recap, snapshot, running recap
    #[arg(long = "strict", id = "strict")]
    pub(crate) is_on: bool,
}

/// Which lorebook a new timeline gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Lore {
    /// As it was at that message; refused if nobody can know
    #[default]
    Auto,
    /// As it is now, even if it knows what happens later
    Live,
    /// As the newest scene up to that message recorded it
    Snapshot,
    /// A new one without entries
    Empty,
    /// The same one as the original chat, on purpose
    Share,
}

/// Which lorebook of its own a timeline gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum OwnLore {
    /// As it was at its last message; refused if nobody can know
    #[default]
    Auto,
    /// As it is now, even if others wrote to it
    Live,
    /// As its newest scene recorded it
    Snapshot,
    /// A new one without entries
    Empty,
}

impl From<Lore> for LoreChoice {
    fn from(lore: Lore) -> Self {
        match lore {
            Lore::Auto => Self::Auto,
            Lore::Live => Self::Live,
            Lore::Snapshot => Self::Snapshot,
            Lore::Empty => Self::Empty,
            Lore::Share => Self::Share,
        }
    }
}

impl From<OwnLore> for LoreChoice {
    fn from(lore: OwnLore) -> Self {
        match lore {
            OwnLore::Auto => Self::Auto,
            OwnLore::Live => Self::Live,
            OwnLore::Snapshot => Self::Snapshot,
            OwnLore::Empty => Self::Empty,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Message;

    #[test]
    fn messages_are_counted_from_both_ends() {
        let read = |text: &str| text.parse::<Message>().ok();
        assert_eq!(read("0"), Some(Message::Number(0)));
        assert_eq!(read("last"), Some(Message::FromTheEnd(1)));
        assert_eq!(read("-1"), Some(Message::FromTheEnd(1)));
        assert_eq!(read("-60"), Some(Message::FromTheEnd(60)));
        for wrong in ["", "-", "-0", "--1", "first", "1.5", "99999999999999999999"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_can_be_typed_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
