//! What several commands take. The comments are the help pages.

use clap::{Args, ValueEnum};
use lorefork::moment::LoreChoice;
use std::str::FromStr;

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
}
