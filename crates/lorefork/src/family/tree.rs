//! The families of a character or group: every timeline once, each with its place.

use super::descent::{Descent, children, descent};
use super::mark::{How, Mark};
use super::trace::{Place, Trace};
use super::words::Words;
use crate::moment::Quality;
use crate::sorted;
use crate::tavern::names;
use crate::tavern::place::{ChatRef, Owner};
use crate::timeline::record::{self, Record};

/// All timelines of a character or group.
#[derive(Debug, Clone)]
pub struct Tree {
    /// Whose they are.
    pub owner: Owner,
    /// One for each story.
    pub families: Vec<Family>,
}

/// Timelines that descend from one story. The first is the one that all come from; each stands behind
/// its parent.
#[derive(Debug, Clone)]
pub struct Family {
    /// In the order in which a tree is read.
    pub timelines: Vec<Timeline>,
}

/// One timeline.
#[derive(Debug, Clone)]
pub struct Timeline {
    /// Which chat it is, or was.
    pub chat: ChatRef,
    /// Whether it is not there any more, and how it is known.
    pub gone: Option<Gone>,
    /// What it was made as, as far as anybody knows.
    pub kind: record::Kind,
    /// Its place in the family.
    pub parent: Option<usize>,
    /// How it is known what it comes from.
    pub how: How,
    /// How many messages it has from its parent: the fork point is the last of them. At most so many,
    /// if nobody saw it.
    pub shared: usize,
    /// Whether it is known where it leaves its parent.
    pub is_seen: bool,
    /// How many it has; of one that is gone, as far as known.
    pub messages: usize,
    /// Its own id, if it has one.
    pub id: Option<String>,
    /// The lorebook its header names.
    pub lorebook: Option<String>,
    /// Whether that lorebook is its own.
    pub lore: Lore,
    /// How sure it was that its lorebook was the one of that moment, when it was made.
    pub quality: Option<Quality>,
    /// What its user says of it.
    pub words: Words,
    /// What is odd about it.
    pub marks: Vec<Mark>,
    /// Scenes by the messages that end them.
    pub scenes: Vec<(usize, String)>,
    /// Which of the traces it is.
    pub trace: Option<usize>,
    /// What happens in it, for who looks at it.
    pub said: Said,
    /// Whether SillyTavern opens with it.
    pub is_open: bool,
}

/// How a timeline is known that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gone {
    /// Others name it.
    Named,
    /// It is in the trash of this operation, and can come back.
    Trash(String),
}

/// What of its lorebook can be seen without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lore {
    /// It names none.
    #[default]
    None,
    /// Nobody else uses it.
    Own,
    /// So many others use it, which nobody meant.
    Shared(usize),
    /// Others use it, too, as its user wants.
    OnPurpose,
    /// It names one that is not there.
    Missing,
}

impl Lore {
    /// As it stands in answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Own => "own",
            Self::Shared(_) => "shared",
            Self::OnPurpose => "onPurpose",
            Self::Missing => "missing",
        }
    }
}

/// What a timeline says, in its own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// Its first message that its parent does not have.
    pub first: Option<String>,
    /// The beginning of its last message.
    pub last: Option<String>,
}

impl Timeline {
    /// How many messages are its own.
    pub fn own(&self) -> usize {
        self.messages.saturating_sub(self.shared)
    }

    /// The message after which it leaves its parent, if that is known.
    pub fn at(&self) -> Option<usize> {
        self.parent.and(self.shared.checked_sub(1)).filter(|_| self.is_seen)
    }

    /// Whether something about it wants to be looked at.
    pub fn is_well(&self) -> bool {
        !matches!(self.lore, Lore::Shared(_) | Lore::Missing)
            && !self
                .marks
                .iter()
                .any(|mark| matches!(mark, Mark::Unreadable(_) | Mark::Circle | Mark::Cut))
    }
}

impl Family {
    /// The timeline of this chat.
    pub fn find(&self, chat: &ChatRef) -> Option<usize> {
        self.timelines.iter().position(|one| one.gone.is_none() && one.chat == *chat)
    }

    /// Those who come from each, in the order in which they leave it.
    pub fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.timelines.len()];
        for (n, one) in self.timelines.iter().enumerate() {
            if let Some(parent) = one.parent {
                children[parent].push(n);
            }
        }
        children
    }

    /// A timeline's name without what all names of the family begin with.
    pub fn short_name(&self, n: usize) -> &str {
        let name = &self.timelines[n].chat.name;
        let root = &self.timelines[0].chat.name;
        let rest = name.strip_prefix(root.as_str()).and_then(|rest| rest.strip_prefix(" - "));
        rest.filter(|rest| n > 0 && !rest.trim().is_empty()).unwrap_or(name)
    }
}

/// The families of one owner's chats. `lore` tells of a lorebook how it is used.
pub fn tree(owner: &Owner, traces: &[Trace], lore: impl Fn(&str) -> Lore) -> Tree {
    let (places, ghosts) = descent(traces);
    let mut children = children(&places);
    let name = |n: usize| match traces.get(n) {
        Some(trace) => &trace.chat.name,
        None => &ghosts[n - traces.len()].name,
    };
    for all in &mut children {
        sorted::by_cached_key(all, |n| (places[*n].shared, natural(name(*n))));
    }
    let mut roots: Vec<usize> = (0..places.len()).filter(|n| places[*n].parent.is_none()).collect();
    sorted::by_cached_key(&mut roots, |n| natural(name(*n)));
    let families = roots.into_iter().map(|root| {
        let mut timelines: Vec<Timeline> = Vec::new();
        let mut open = vec![(root, None)];
        while let Some((n, parent)) = open.pop() {
            let here = timelines.len();
            let one = match traces.get(n) {
                Some(trace) => seen(trace, n, &places[n], &lore),
                None => {
                    let ghost = &ghosts[n - traces.len()];
                    let chat = ChatRef::new(owner.clone(), ghost.name.clone());
                    named(chat, ghost.length, &places[n])
                }
            };
            timelines.push(Timeline { parent, ..one });
            open.extend(children[n].iter().rev().map(|child| (*child, Some(here))));
        }
        Family { timelines }
    });
    Tree { owner: owner.clone(), families: families.collect() }
}

fn seen(trace: &Trace, n: usize, place: &Descent, lore: &impl Fn(&str) -> Lore) -> Timeline {
    let head = trace.head.as_ref().ok();
    let record = head.and_then(|head| head.record.as_ref());
    let lorebook = head.and_then(|head| head.lorebook.clone());
    let gone = match &trace.place {
        Place::Here => None,
        Place::Trash(id) => Some(Gone::Trash(id.clone())),
    };
    Timeline {
        chat: trace.chat.clone(),
        kind: place.kind,
        parent: None,
        how: place.how,
        shared: place.shared,
        is_seen: place.is_seen,
        messages: trace.length(),
        id: head.and_then(|head| head.id.clone()),
        // A lorebook that went to the trash with its chat is not missing.
        lore: match (&gone, &lorebook) {
            (None, Some(name)) => lore(&names::lorebook_name(name).unwrap_or_default()),
            _ => Lore::None,
        },
        lorebook,
        quality: record.map(|record: &Record| record.lore.quality),
        words: head.map(|head| head.words.clone()).unwrap_or_default(),
        marks: place.marks.clone(),
        scenes: trace.scenes.clone(),
        trace: Some(n),
        said: Said::default(),
        is_open: false,
        gone,
    }
}

fn named(chat: ChatRef, messages: usize, place: &Descent) -> Timeline {
    Timeline {
        chat,
        gone: Some(Gone::Named),
        kind: place.kind,
        parent: None,
        how: place.how,
        shared: place.shared,
        is_seen: place.is_seen,
        messages,
        id: None,
        lorebook: None,
        lore: Lore::None,
        quality: None,
        words: Words::default(),
        marks: place.marks.clone(),
        scenes: Vec::new(),
        trace: None,
        said: Said::default(),
        is_open: false,
    }
}

/// A name as people sort it: #2 before #10.
pub(super) fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts: Vec<(String, u64)> = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digit = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(digit);
        let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let (number, after) = after.split_at(end);
        parts.push((word.to_owned(), number.parse().unwrap_or(u64::MAX)));
        rest = after;
    }
    // Of equal ones, however they are spelled.
    parts.push((name.to_owned(), 0));
    parts
}
