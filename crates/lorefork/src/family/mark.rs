//! How a timeline's place is known, and what is odd about it.

use crate::say;
use crate::sentence::Sentence;

/// How it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Nobody says that it comes from anything.
    Root,
    /// By our record.
    Record,
    /// By a header that names its parent, or a message that leads to it.
    Link,
    /// By the messages that both have.
    Content,
}

impl How {
    /// As it stands in answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Record => "record",
            Self::Link => "link",
            Self::Content => "content",
        }
    }
}

/// Something odd about a timeline's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// Its parents lead back to itself.
    Circle,
    /// It says that it is its own parent.
    OwnParent,
    /// The parent that it names, which is gone.
    ParentGone(String),
    /// Another timeline with the same record.
    Twin(String),
    /// Messages before the fork are not those of its parent any more.
    Differs,
    /// Its parent, by name, which has the very same messages.
    Equal(String),
    /// Its header cannot be read: why, in words.
    Unreadable(Sentence),
    /// Whoever wrote it did not come to its end.
    Cut,
}

impl Mark {
    /// As it stands in answers.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Circle => "circle",
            Self::OwnParent => "ownParent",
            Self::ParentGone(_) => "parentGone",
            Self::Twin(_) => "twin",
            Self::Differs => "differs",
            Self::Equal(_) => "equal",
            Self::Unreadable(_) => "unreadable",
            Self::Cut => "cut",
        }
    }

    /// In words.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Circle => say!("its parents lead back to itself"),
            Self::OwnParent => say!("it names itself as its parent"),
            Self::ParentGone(name) => say!("“{0}”, which it names as its parent, is gone", name),
            Self::Twin(name) => say!("it has the same record as “{0}”", name),
            Self::Differs => say!("messages before the fork are not those of its parent any more"),
            Self::Equal(name) => say!("it has the same messages as “{0}”", name),
            Self::Unreadable(why) => say!("its first line cannot be read: {0}", why),
            Self::Cut => say!("its last line is only half written"),
        }
    }
}
