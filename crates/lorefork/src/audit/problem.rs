//! A problem: what was found, where, and what would be done about it.

use super::code::{Code, Severity};
use crate::choice::Choice;
use crate::sentence::Sentence;
use crate::tavern::place::ChatRef;

/// Something the audit found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of problem it is; its page says more.
    pub code: Code,
    /// How bad it is here: some kinds are worse in one place than in another.
    pub severity: Severity,
    /// The chat it is about; of several, the first of the family.
    pub chat: Option<ChatRef>,
    /// Further chats it is about.
    pub others: Vec<ChatRef>,
    /// The lorebook it is about.
    pub lorebook: Option<String>,
    /// The file it is about if that is neither a chat nor a lorebook, inside the user folder.
    pub file: Option<String>,
    /// The message, counted from 0 as SillyTavern does.
    pub message: Option<usize>,
    /// The line of the file, counted from 1.
    pub line: Option<usize>,
    /// In the user's words.
    pub says: Sentence,
    /// What would be done about it.
    pub fix: Fix,
}

/// What would be done about a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// In words. If nothing would be done: why, and what the user can do.
    pub says: Sentence,
    /// The same as data.
    pub action: Action,
    /// What the user can do instead.
    pub choices: Vec<Choice>,
}

/// A repair, as data. Texts are made only when it is done, from the files as they are then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Nothing: it is left to the user.
    Left,
    /// Interrupted operations are finished or taken back.
    Heal,
    /// The chat's first line loses its byte order mark.
    DropMark,
    /// The group lists the chat.
    List {
        /// The group's id.
        group: String,
    },
    /// Each of these timelines gets its own lorebook, as its story wrote it.
    Untangle {
        /// Those that use the lorebook.
        chats: Vec<ChatRef>,
    },
    /// The lorebook is rebuilt from what was recorded of this chat's.
    Rebuild {
        /// The chat whose snapshot it is.
        from: ChatRef,
    },
    /// One of the choices for a missing lorebook. Of several chats that name it one gets it back
    /// under its name.
    Missing {
        /// Whether it is that one.
        keeps_name: bool,
    },
    /// The chat names this lorebook again.
    Bind {
        /// The one it was made with.
        lorebook: String,
    },
    /// The chat's record says what is so.
    Record,
    /// Entries stand under their own number.
    Rekey,
    /// Further queues go.
    OneQueue,
    /// The queue cannot be read, and is emptied.
    EmptyQueue,
    /// Waiting work about messages or lorebooks that are not this timeline's goes.
    DropOperations,
    /// Waiting work for a lorebook that is not there is for the one it waits in.
    NameOperations,
    /// Entries (by uid) that the timeline cannot know go.
    Forget {
        /// The entries that go.
        uids: Vec<i64>,
    },
    /// Lines that lead to no entry, or to a wrong one, are set right by name, or go.
    MendRegistry,
    /// Entries that no registry lists are listed.
    Register,
    /// The registry index in the metadata is made anew.
    RebuildIndex,
    /// The running recap says whose it is.
    NameRecap,
    /// The running recap ends where the chat ends.
    TrimRecap,
    /// A version that exists is in use.
    SelectVersion,
    /// The combined recap says whose it is, or goes if it tells of messages that are not there.
    MendCombined,
    /// The chat's parent is this one now, or none.
    Parent {
        /// As it is called today.
        name: Option<String>,
    },
    /// The chat remembers a timeline that is gone: that it was, and nothing else.
    Remember {
        /// As it was called.
        chat: String,
    },
    /// The chat gets a slug of its own.
    NewSlug,
    /// A link of a message goes, or leads to the timeline's new name.
    Relink {
        /// The name it has now; `None` removes the link.
        to: Option<String>,
        /// The name that the link has today.
        from: String,
    },
    /// The parent's message links to the timeline.
    Link,
    /// The map of timelines and lorebooks is made anew from what the timelines say.
    RebuildMap,
}

impl Action {
    /// Whether it mends a lorebook and nothing else, which one function does for all of them.
    pub(crate) fn is_of_a_lorebook(&self) -> bool {
        matches!(
            self,
            Self::Rekey
                | Self::OneQueue
                | Self::EmptyQueue
                | Self::DropOperations
                | Self::NameOperations
                | Self::Register
        )
    }
}

impl Fix {
    /// A repair that needs nobody.
    pub fn new(action: Action, says: Sentence) -> Self {
        Self { says, action, choices: Vec::new() }
    }

    /// No repair: why, and what the user can do.
    pub fn left(says: Sentence) -> Self {
        Self::new(Action::Left, says)
    }

    /// With something that the user can do.
    #[must_use]
    pub fn or(mut self, choice: Choice) -> Self {
        self.choices.push(choice);
        self
    }

    /// Whether it would be done without the user's help.
    pub fn is_automatic(&self) -> bool {
        self.action != Action::Left
    }
}

impl Problem {
    /// Tells it from others, from one look to the next. What it says may change while it is the
    /// same: “2 lines” become one. Only what is left to the user is known by that, too.
    pub fn identity(&self) -> String {
        let chat = self.chat.as_ref().map(ChatRef::file).unwrap_or_default();
        let book = self.lorebook.as_deref().unwrap_or_default();
        let number = |at: Option<usize>| at.map(|at| at.to_string()).unwrap_or_default();
        let (message, line) = (number(self.message), number(self.line));
        let said = self.says.to_string();
        // There may be two of one code in one place.
        let which = match &self.fix.action {
            Action::Untangle { .. } => "untangle",
            Action::NameOperations => "name",
            Action::Relink { from, .. } => from,
            Action::Remember { chat } => chat,
            Action::Left => &said,
            _ => "",
        };
        format!("{}\n{chat}\n{book}\n{message}\n{line}\n{which}", self.code)
    }

    pub(super) fn new(code: Code, severity: Severity, says: Sentence, fix: Fix) -> Self {
        Self {
            code,
            severity,
            chat: None,
            others: Vec::new(),
            lorebook: None,
            file: None,
            message: None,
            line: None,
            says,
            fix,
        }
    }

    #[must_use]
    pub(super) fn of(mut self, chat: &ChatRef) -> Self {
        self.chat = Some(chat.clone());
        self
    }

    #[must_use]
    pub(super) fn in_book(mut self, name: &str) -> Self {
        self.lorebook = Some(name.to_owned());
        self
    }

    #[must_use]
    pub(super) fn at(mut self, message: usize) -> Self {
        self.message = Some(message);
        self
    }
}
