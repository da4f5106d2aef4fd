//! Work that waits in an entry of the lorebook until a memory extension gets to it.

use super::ALL;
use super::entries::is_queue;
use crate::json::{Json, JsonError, Member, Object};
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::lorebook::Entry;

/// One operation of a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// What is to be done, by the extension's word for it.
    pub kind: String,
    /// How far it is, by the extension's word for it.
    pub status: String,
    /// The message, scene or entity it is about, in words.
    pub target: Option<String>,
    /// Whether it would still run.
    pub is_blocking: bool,
}

impl Waiting {
    pub(crate) fn json(&self) -> String {
        Object::new()
            .text("type", &self.kind)
            .text("status", &self.status)
            .text_or_null("target", self.target.as_deref())
            .done()
    }
}

/// What a queue entry holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Queue {
    /// Its content is not what the extension writes. It would be treated as empty; we do not guess.
    Unreadable,
    /// What waits, the next one first; nothing if it is empty.
    Operations(Vec<Waiting>),
}

impl Queue {
    /// What an entry holds that is a queue.
    pub fn read(entry: &Entry<'_>) -> Self {
        of(&entry.comment()).map_or(Self::Unreadable, |of| of.read(&entry.content()))
    }

    /// Operations that would still run.
    pub fn blocking(&self) -> Vec<&Waiting> {
        match self {
            Self::Unreadable => Vec::new(),
            Self::Operations(all) => all.iter().filter(|waiting| waiting.is_blocking).collect(),
        }
    }

    /// How many operations there are, whether they would run or not.
    pub fn len(&self) -> usize {
        match self {
            Self::Unreadable => 0,
            Self::Operations(all) => all.len(),
        }
    }

    /// Whether it is sure that nothing waits.
    pub fn is_empty(&self) -> bool {
        *self == Self::Operations(Vec::new())
    }
}

/// How a memory extension keeps its queue.
pub(super) trait Queues: Sync {
    /// Reads the content of a queue's entry.
    fn read(&self, content: &str) -> Queue;

    /// The operations in it, as far as there are any.
    fn operations<'a>(&self, content: Json<'a>) -> Vec<Json<'a>>;

    /// What an operation says.
    fn about(&self, operation: Json<'_>) -> About;

    /// The entry without some of its operations; its bytes if none goes.
    fn without(
        &self,
        entry: Json<'_>,
        goes: &dyn Fn(Json<'_>) -> bool,
    ) -> Result<String, JsonError>;

    /// The entry with only those operations that stay; its bytes if all do. One whose content cannot
    /// be read stays as it is.
    fn with_only(
        &self,
        entry: Json<'_>,
        stays: &dyn Fn(Json<'_>) -> bool,
    ) -> Result<String, JsonError>;

    /// The entry with nothing waiting; its bytes if it is so already.
    fn emptied(&self, entry: Json<'_>) -> Result<String, JsonError>;

    /// The entry whose operations write to the lorebook `to` instead of one that `is_it`; its bytes
    /// if none does.
    fn with_lorebook(
        &self,
        entry: Json<'_>,
        is_it: &dyn Fn(&str) -> bool,
        to: &str,
    ) -> Result<String, JsonError>;

    /// An entry in which nothing waits yet, with this number.
    fn new_entry(&self, uid: u64) -> Result<String, JsonError>;
}

/// What an operation says that waits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct About {
    /// The messages that it works on.
    pub messages: Vec<i64>,
    /// Further ones that it knows of.
    pub other_messages: Vec<i64>,
    /// The lorebook that it is to write to.
    pub lorebook: Option<String>,
    /// When it was made.
    pub made: Option<f64>,
    /// The lookup in the metadata that it goes on with.
    pub lookup: Option<String>,
    /// The entries that it is about, by number.
    pub entries: Vec<String>,
}

fn of(comment: &str) -> Option<&'static dyn Queues> {
    if !is_queue(comment) {
        return None;
    }
    ALL.iter().find(|memory| memory.role(comment).is_some())?.queues()
}

fn of_entry(entry: Json<'_>) -> Option<&'static dyn Queues> {
    of(&entry.get("comment").and_then(Json::str)?)
}

/// What people call the extension that keeps a queue.
pub fn keeper() -> &'static str {
    super::name_of(|memory| memory.queues().is_some())
}

/// What the operations of a queue's entry say, also of one that is read in part only.
pub fn about(entry: &Entry<'_>) -> Vec<About> {
    let Some(of) = of(&entry.comment()) else { return Vec::new() };
    let content = entry.content();
    let Ok(json) = Json::parse(&content) else { return Vec::new() };
    of.operations(json).into_iter().map(|operation| of.about(operation)).collect()
}

/// A queue's entry without some of its operations; its bytes if none goes.
pub fn without(entry: Json<'_>, goes: impl Fn(About) -> bool) -> Result<String, JsonError> {
    match of_entry(entry) {
        Some(of) => of.without(entry, &|operation| goes(of.about(operation))),
        None => Ok(entry.text().to_owned()),
    }
}

/// A queue's entry with only those operations that stay; its bytes if all do.
pub fn with_only(entry: Json<'_>, stays: impl Fn(About) -> bool) -> Result<String, JsonError> {
    match of_entry(entry) {
        Some(of) => of.with_only(entry, &|operation| stays(of.about(operation))),
        None => Ok(entry.text().to_owned()),
    }
}

/// A queue's entry with nothing waiting; its bytes if it is so already.
pub fn emptied(entry: Json<'_>) -> Result<String, JsonError> {
    of_entry(entry).map_or_else(|| Ok(entry.text().to_owned()), |of| of.emptied(entry))
}

/// A queue's entry whose operations write to the lorebook `to` instead of one that `is_it`.
pub fn with_lorebook(
    entry: Json<'_>,
    is_it: impl Fn(&str) -> bool,
    to: &str,
) -> Result<String, JsonError> {
    match of_entry(entry) {
        Some(of) => of.with_lorebook(entry, &is_it, to),
        None => Ok(entry.text().to_owned()),
    }
}

/// An entry in which nothing waits yet, with this number, for a lorebook that has none.
pub fn new_entry(uid: u64) -> Result<Option<String>, JsonError> {
    let first = ALL.iter().find_map(|memory| memory.queues());
    first.map(|of| of.new_entry(uid)).transpose()
}

/// Whether the metadata has a lookup that waiting work goes on with.
pub(crate) fn has_lookup(header: &Header<'_>, id: &str) -> bool {
    ALL.iter().any(|memory| memory.has_lookup(header, id))
}

/// The metadata keeps, of the lookups that stood in `before`, those that work in its lorebook still
/// waits for.
pub(crate) fn keep_lookups(
    header: &mut HeaderEdit,
    before: &Header<'_>,
    queue: Option<&Entry<'_>>,
) -> Result<(), JsonError> {
    let waiting: Vec<String> =
        queue.map(about).unwrap_or_default().into_iter().filter_map(|one| one.lookup).collect();
    ALL.iter().try_for_each(|memory| memory.keep_lookups(header, before, &waiting))
}

/// Members of an object whose names are among these, as JSON; `None` if there are none.
pub(super) fn members_named(all: &[Member<'_>], names: &[String]) -> Option<String> {
    let is_named = |member: &&Member<'_>| {
        member.key.str().is_some_and(|id| names.iter().any(|name| *name == id))
    };
    let kept: Vec<String> = all
        .iter()
        .filter(is_named)
        .map(|member| format!("{}:{}", member.key.text(), member.value.text()))
        .collect();
    (!kept.is_empty()).then(|| format!("{{{}}}", kept.join(",")))
}
