//! What a story is made of while it is played.

use std::collections::{BTreeMap, BTreeSet};

use super::{Features, Lore, Moment};
use crate::chance::Chance;

/// An entry of a lorebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shared {
    pub birth: usize,
    pub lore: Lore,
    /// Rewritten for the whole book with every scene.
    pub order: usize,
    /// Of a memory of MemoryBooks: the chat, the first and the last message.
    pub memory: Option<(String, usize, usize)>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Book {
    pub name: String,
    pub entries: BTreeMap<u64, Shared>,
    /// Registry lines: uid -> (name, synopsis), as the registries have them.
    pub lines: BTreeMap<u64, (String, String)>,
}

pub(super) const REGISTRIES: u64 = 1;

impl Book {
    pub(super) fn uid_of(&self, birth: usize) -> Option<u64> {
        self.entries.iter().find(|(_, own)| own.birth == birth).map(|(uid, _)| *uid)
    }

    /// The lowest number that is free, as SillyTavern gives it.
    pub(super) fn free(&self) -> u64 {
        let mut uid = REGISTRIES;
        while self.entries.contains_key(&uid) {
            uid += 1;
        }
        uid
    }
}

/// How a scene's snapshot was recorded in its time, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// Only what was active before the scene, wrapped in markup.
    Activated,
    /// The book before the scene.
    Before,
    /// The book after it, without a list of what is the scene's. Looks like the former.
    After,
    /// Only what is the scene's.
    OwnOnly,
    /// The whole book after the scene, and the list.
    Listed,
}

impl Era {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Activated => Self::Before,
            Self::Before => Self::After,
            Self::After => Self::OwnOnly,
            Self::OwnOnly | Self::Listed => Self::Listed,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Scene {
    /// The timeline that played it.
    pub line: usize,
    /// When it was recapped, and when its snapshot was taken.
    pub recapped: u64,
    pub time: u64,
    /// Whether it was merged into the running recap, and so into the book.
    pub is_combined: bool,
    /// Whether anything but the recap is recorded.
    pub has_metadata: bool,
    pub era: Era,
    pub book: Option<Book>,
    /// Uids the scene made or merged into; `None` before such a list was kept.
    pub created: Option<Vec<u64>>,
    pub names: Vec<String>,
    /// What its recap says of each of them. An entry it makes holds these words, unless the model
    /// chose others.
    pub words: Vec<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Message {
    /// The same in every timeline that has it.
    pub id: usize,
    pub date: u64,
    pub scene: Option<Scene>,
    /// Recaps of the same message before that one: other versions, or another swipe.
    pub earlier: Vec<Scene>,
    pub is_swiped: bool,
    /// What is true of the timeline once all that came after this message was done.
    pub truth: Moment,
}

#[derive(Debug, Clone)]
pub(super) struct Version {
    pub time: u64,
    pub scene: usize,
    /// Name and text of the entries it made of events.
    pub events: Vec<(String, String)>,
}

/// A timeline with a lorebook that we made.
#[derive(Debug, Clone)]
pub(super) struct Own {
    /// Which of the story's lorebooks it came from.
    pub of: usize,
    /// Its last message then.
    pub at: usize,
    pub time: u64,
    /// Whether it was there before, and wrote to that lorebook.
    pub is_isolated: bool,
    /// Whether others used that lorebook, or had.
    pub is_mixed: bool,
    /// The lorebook as it was made.
    pub made: Book,
    /// Entries that its snapshots show though they were others': number and name.
    pub foreign: BTreeMap<u64, String>,
}

/// A timeline that was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gone {
    ByUs,
    /// By SillyTavern, before our eyes.
    Seen,
    /// By SillyTavern, unseen; its parent links to it.
    Linked,
    Unlinked,
}

#[derive(Debug, Clone)]
pub(super) struct Line {
    pub name: String,
    pub parent: Option<usize>,
    /// Its last message when it was forked off.
    pub fork: usize,
    pub messages: Vec<Message>,
    /// What is true now.
    pub now: Moment,
    pub versions: Vec<Version>,
    pub is_checkpoint: bool,
    /// Which of the story's lorebooks it writes to.
    pub writes_to: usize,
    pub own: Option<Own>,
    pub gone: Option<Gone>,
}

impl Line {
    pub(super) fn main() -> Self {
        Self {
            name: "Isle".to_owned(),
            parent: None,
            fork: 0,
            messages: Vec::new(),
            now: Moment::default(),
            versions: Vec::new(),
            is_checkpoint: false,
            writes_to: 0,
            own: None,
            gone: None,
        }
    }

    pub(super) fn last(&self) -> usize {
        self.messages.len() - 1
    }

    /// Every record of a recap that it holds, with the message.
    pub(super) fn scenes(&self) -> impl Iterator<Item = (usize, &Scene)> {
        let messages = self.messages.iter().enumerate();
        messages.flat_map(|(at, message)| {
            message.earlier.iter().chain(&message.scene).map(move |scene| (at, scene))
        })
    }
}

/// One write to a lorebook.
#[derive(Debug, Clone)]
pub(super) struct Write {
    pub time: u64,
    pub line: usize,
    pub book: usize,
    pub birth: usize,
    /// Whether a scene that took a snapshot lists it.
    pub listed: bool,
    pub by_hand: bool,
    /// The entry as it was then; `None` if it was removed.
    pub after: Option<Lore>,
}

#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub id: String,
    pub at: usize,
    pub time: u64,
    /// The message it is about.
    pub message: usize,
}

/// A scene that is recapped, and not yet in the book.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    pub line: usize,
    pub at: usize,
    pub works: Vec<Work>,
}

/// What a recap says of one entry, before anything is written.
#[derive(Debug, Clone)]
pub(super) struct Work {
    /// An entry that is there already.
    pub birth: Option<usize>,
    pub name: String,
    pub words: String,
}

#[derive(Debug)]
pub(super) struct Played {
    pub chance: Chance,
    pub features: Features,
    pub clock: u64,
    /// The first is the one that everybody shares.
    pub books: Vec<Book>,
    pub lines: Vec<Line>,
    pub writes: Vec<Write>,
    pub queue: Vec<Operation>,
    pub pending: Vec<Pending>,
    pub era: Era,
    pub births: usize,
    pub tokens: usize,
    pub messages: usize,
}

impl Played {
    pub(super) fn book(&self, line: usize) -> &Book {
        &self.books[self.lines[line].writes_to]
    }

    pub(super) fn book_mut(&mut self, line: usize) -> &mut Book {
        let book = self.lines[line].writes_to;
        &mut self.books[book]
    }

    /// Timelines that are still there.
    pub(super) fn alive(&self) -> impl Iterator<Item = (usize, &Line)> {
        self.lines.iter().enumerate().filter(|(_, line)| line.gone.is_none())
    }

    /// Births that a lorebook or a snapshot shows. Of the trash, nobody has to know.
    pub(super) fn shown(&self) -> BTreeSet<usize> {
        let used = |book: &usize| self.alive().any(|(_, line)| line.writes_to == *book);
        let live = (0..self.books.len()).filter(used).map(|book| &self.books[book]);
        let live = live.flat_map(|book| book.entries.values()).map(|entry| entry.birth);
        let scenes = self.alive().flat_map(|(_, line)| line.scenes());
        scenes.flat_map(|(_, scene)| scene.births()).chain(live).collect()
    }
}

impl Scene {
    /// Births that its snapshot shows.
    pub(super) fn births(&self) -> Vec<usize> {
        let Some(book) = self.book.as_ref().filter(|_| self.era != Era::Activated) else {
            return Vec::new();
        };
        let is_own = |uid: &u64| self.created.as_ref().is_some_and(|own| own.contains(uid));
        let entries = book.entries.iter();
        let shown = entries.filter(|(uid, _)| self.era != Era::OwnOnly || is_own(uid));
        shown.map(|(_, entry)| entry.birth).collect()
    }
}
