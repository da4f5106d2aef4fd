//! The one checker of `docs/invariants.md`, for memory and for disk.
//!
//! It works over plain files and reads them with the engine's `json` module only. It must not
//! share code with the flows it judges: what they get wrong it would get wrong as well.

mod answer;
mod apart;
mod differ;
mod leftovers;
mod lore;
mod named;
mod parent;
mod parts;
mod recap;
mod scene;
mod timeline;
mod untouched;

use std::collections::BTreeMap;
use std::fmt;

use lorefork::tavern::place::ChatRef;

use crate::folder::Folder;
use scene::Scene;

/// What ran between the two folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flow {
    /// A checkpoint or branch of `parent`, up to and with message `at`; perhaps of another swipe.
    Fork { parent: ChatRef, at: usize, swipe: Option<usize> },
    /// A timeline that shared its lorebook gets its own.
    Isolate { chat: ChatRef },
}

/// What the flow said it did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Outcome {
    /// It did not come to say anything, or was not sure.
    #[default]
    Unsaid,
    /// It made this timeline, or rebound it.
    Made(ChatRef),
    /// It said no.
    Nothing,
}

/// What the checker has to know besides the two folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    pub flow: Flow,
    pub outcome: Outcome,
    /// The lorebook is shared on purpose.
    pub shared: bool,
    /// Recovery has run: nothing may lie about any more.
    pub recovered: bool,
    /// The change came from outside of SillyTavern: an existing chat that is written to gets a
    /// new slug. From inside it never does.
    pub outside: bool,
    /// Earlier bytes of files that others changed meanwhile ([`crate::SimHost::earlier`]).
    pub earlier: BTreeMap<String, Vec<Vec<u8>>>,
}

impl Expectation {
    fn of(flow: Flow) -> Self {
        Self {
            flow,
            outcome: Outcome::default(),
            shared: false,
            recovered: false,
            outside: false,
            earlier: BTreeMap::new(),
        }
    }

    pub fn fork(parent: &ChatRef, at: usize) -> Self {
        Self::of(Flow::Fork { parent: parent.clone(), at, swipe: None })
    }

    pub fn isolate(chat: &ChatRef) -> Self {
        Self::of(Flow::Isolate { chat: chat.clone() })
    }

    #[must_use]
    pub fn of_swipe(mut self, number: usize) -> Self {
        if let Flow::Fork { swipe, .. } = &mut self.flow {
            *swipe = Some(number);
        }
        self
    }

    #[must_use]
    pub fn shared(mut self) -> Self {
        self.shared = true;
        self
    }

    #[must_use]
    pub fn recovered(mut self) -> Self {
        self.recovered = true;
        self
    }

    #[must_use]
    pub fn outside(mut self) -> Self {
        self.outside = true;
        self
    }

    #[must_use]
    pub fn outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self
    }

    #[must_use]
    pub fn earlier(mut self, earlier: BTreeMap<String, Vec<Vec<u8>>>) -> Self {
        self.earlier = earlier;
        self
    }
}

/// A rule of `docs/invariants.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Every named lorebook exists.
    NamedLorebooksExist,
    /// Nothing was overwritten.
    NothingOverwritten,
    /// The parent is as it was, or linked to a complete timeline.
    ParentWholeOrLinked,
    /// A timeline is complete from its first write.
    TimelinesComplete,
    /// Nothing of ours is left that nobody names.
    NothingLeftBehind,
    /// Timelines do not share a lorebook.
    LorebooksApart,
    /// What was said is so.
    AnswersTrue,
}

/// A rule that was broken, and how, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub rule: Rule,
    pub sentence: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "I{}: {}", self.rule as usize + 1, self.sentence)
    }
}

/// Compares what is with what was. `before` is the folder as it would be without us: what the
/// flow found, and what others wrote meanwhile ([`crate::SimHost::unaided`]).
pub fn check(before: &Folder, after: &Folder, ctx: &Expectation) -> Result<(), Vec<Violation>> {
    let scene = Scene { before, after, ctx };
    let mut found = Vec::new();
    let mut run = |rule: Rule, judge: fn(&Scene<'_>, &mut Vec<String>)| {
        let mut sentences = Vec::new();
        judge(&scene, &mut sentences);
        found.extend(sentences.into_iter().map(|sentence| Violation { rule, sentence }));
    };
    run(Rule::NamedLorebooksExist, named::judge);
    run(Rule::NothingOverwritten, untouched::judge);
    run(Rule::ParentWholeOrLinked, parent::judge);
    run(Rule::TimelinesComplete, timeline::judge);
    run(Rule::NothingLeftBehind, leftovers::judge);
    run(Rule::LorebooksApart, apart::judge);
    run(Rule::AnswersTrue, answer::judge);
    if found.is_empty() { Ok(()) } else { Err(found) }
}
