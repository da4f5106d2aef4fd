//! Entries on their way from one lorebook to another: under which number each arrives, what it
//! replaces, and which registries list it there. Pure.

use super::{Carried, Decision, Fate};
use crate::error::Code;
use crate::error::report::Finding;
use crate::family::compare::{EntryOf, Match, fields, is_lore, matches};
use crate::json::{Json, JsonError, quote, set};
use crate::memory::registries::{self, Item};
use crate::say;
use crate::tavern::lorebook::{Entry, Lorebook};

/// What is on its way, and what became of it so far.
pub(super) struct Crossing<'a, 'b> {
    theirs: &'b Lorebook<'a>,
    mine: &'b Lorebook<'a>,
    pairs: Vec<Option<Match>>,
    items: Vec<Item>,
    own_items: Vec<Item>,
    /// The number that was given away last.
    last: i64,
    /// Entries of the other lorebook that are new or change, by their keys.
    pub(super) new: Vec<(String, String)>,
    pub(super) listed: Vec<Item>,
    pub(super) warnings: Vec<Finding>,
}

/// Numbers beyond this are times: a work queue has one.
const MOST: i64 = 1_000_000_000;

impl<'a, 'b> Crossing<'a, 'b> {
    pub(super) fn new(theirs: &'b Lorebook<'a>, mine: &'b Lorebook<'a>) -> Self {
        let numbers = |book: &Lorebook<'_>| {
            let keys = book.entries.iter().map(|entry| String::from_utf16_lossy(&entry.key));
            let keys = keys.filter_map(|key| key.parse::<i64>().ok());
            let uids = book.entries.iter().filter_map(Entry::uid);
            let items = registries::items(book).into_iter().map(|item| item.uid);
            keys.chain(uids).chain(items).filter(|uid| *uid < MOST).max()
        };
        Self {
            pairs: matches(theirs, mine),
            items: registries::items(theirs),
            own_items: registries::items(mine),
            last: numbers(theirs).max(numbers(mine)).unwrap_or(-1),
            new: Vec::new(),
            listed: Vec::new(),
            warnings: Vec::new(),
            theirs,
            mine,
        }
    }

    pub(super) fn find(&self, uid: &str) -> Option<usize> {
        let mut lore = self.theirs.entries.iter().enumerate();
        let is_it = |entry: &Entry<'_>| String::from_utf16_lossy(&entry.key) == uid;
        lore.find(|(_, entry)| is_lore(entry) && is_it(entry)).map(|(at, _)| at)
    }

    pub(super) fn carry(
        &mut self,
        at: usize,
        decision: Option<Decision>,
    ) -> Result<Carried, JsonError> {
        let entry = &self.theirs.entries[at];
        let told = EntryOf::read(entry);
        let other = self.pairs[at].map(|pair| &self.mine.entries[pair.at]);
        let fate = match (other, decision) {
            (Some(other), _) if fields(entry, other)?.is_empty() => Fate::Same,
            (Some(other), None) => Fate::Undecided(EntryOf::read(other)),
            (Some(_), Some(Decision::Keep)) => Fate::Kept,
            (Some(other), Some(Decision::Replace)) => {
                let key = String::from_utf16_lossy(&other.key);
                let uid = other.get("uid").map_or("null", Json::text);
                let text = set(entry.json.text(), &["uid"], uid)?;
                self.new.push((key, shown_as(&text, other.get("displayIndex"))?));
                Fate::Replaces(other.uid().unwrap_or_default())
            }
            (None, _) | (Some(_), Some(Decision::Both)) => {
                let uid = self.number(entry);
                let text = set(entry.json.text(), &["uid"], &uid.to_string())?;
                self.new.push((uid.to_string(), text));
                Fate::Added(uid)
            }
        };
        let registries = match fate {
            Fate::Added(uid) => self.list(entry, uid)?,
            _ => Vec::new(),
        };
        Ok(Carried { entry: told, fate, registries })
    }

    /// Its own number if nobody has it there, else a fresh one.
    fn number(&mut self, entry: &Entry<'_>) -> i64 {
        let own = entry.uid().filter(|uid| (0..MOST).contains(uid));
        let is_free = |uid: i64| {
            let key = uid.to_string();
            let has = |other: &Entry<'_>| {
                other.uid() == Some(uid) || String::from_utf16_lossy(&other.key) == key
            };
            !self.mine.entries.iter().any(has)
                && !self.new.iter().any(|(taken, _)| *taken == key)
                && !self.own_items.iter().any(|item| item.uid == uid)
        };
        match own.filter(|uid| is_free(*uid)) {
            Some(uid) => uid,
            None => {
                self.last += 1;
                self.last
            }
        }
    }

    /// Enters it into the registries that list it where it comes from.
    fn list(&mut self, entry: &Entry<'_>, uid: i64) -> Result<Vec<String>, JsonError> {
        let own = entry.uid();
        let items: Vec<Item> =
            self.items.iter().filter(|item| Some(item.uid) == own).cloned().collect();
        let mut kinds = Vec::new();
        for item in items {
            let new = Item { uid, ..item.clone() };
            let Some((key, text)) = self.registry_of(entry, &item)? else { continue };
            let json = Json::parse(&text)?;
            let comment = json.get("comment").and_then(Json::str).unwrap_or_default();
            let content = json.get("content").and_then(Json::str).unwrap_or_default();
            let Some(registry) = registries::of(&comment) else { continue };
            let content = registry.with_items(&content, &[new]);
            let text = set(&text, &["content"], &quote(&content))?;
            self.put(key, text);
            self.listed.push(Item { uid, ..item.clone() });
            kinds.push(item.kind);
        }
        Ok(kinds)
    }

    /// The registry that lists such things in the other lorebook, by its key: as it will be, or one
    /// like the one here. `None` if no line could be added to it.
    fn registry_of(
        &mut self,
        entry: &Entry<'_>,
        item: &Item,
    ) -> Result<Option<(String, String)>, JsonError> {
        let is_it = |comment: &str| registries::of(comment).is_some_and(|of| of.kind == item.kind);
        let is_entry = |other: &&Entry<'_>| is_it(&other.comment());
        let is_closed = |comment: &str, content: &str| {
            registries::of(comment).is_some_and(|of| of.is_closed(content))
        };
        if let Some(other) = self.mine.entries.iter().find(is_entry) {
            let key = String::from_utf16_lossy(&other.key);
            // It may have got another line just now.
            let now = self.new.iter().find(|(changed, _)| *changed == key);
            let text = now.map_or(other.json.text(), |(_, text)| text).to_owned();
            let content = Json::parse(&text)?.get("content").and_then(Json::str);
            if is_closed(&other.comment(), &content.unwrap_or_default()) {
                self.not_listed(entry, &other.comment());
                return Ok(None);
            }
            return Ok(Some((key, text)));
        }
        let Some(model) = self.theirs.entries.iter().find(is_entry) else { return Ok(None) };
        if is_closed(&model.comment(), &model.content()) {
            self.not_listed(entry, &model.comment());
            return Ok(None);
        }
        let made = self.new.iter().find(|(_, text)| {
            let comment = Json::parse(text).ok().and_then(|json| json.get("comment")?.str());
            comment.is_some_and(|comment| is_it(&comment))
        });
        if let Some(made) = made {
            return Ok(Some(made.clone()));
        }
        let uid = self.number(model).to_string();
        let text = set(model.json.text(), &["uid"], &uid)?;
        Ok(Some((uid, set(&text, &["content"], "\"\"")?)))
    }

    fn put(&mut self, key: String, text: String) {
        match self.new.iter_mut().find(|(other, _)| *other == key) {
            Some(other) => other.1 = text,
            None => self.new.push((key, text)),
        }
    }

    fn not_listed(&mut self, entry: &Entry<'_>, registry: &str) {
        let name = entry.comment().into_owned();
        self.warnings.push(Finding::new(
            Code::DanglingRegistryUid,
            say!(
                "“{0}” cannot be entered into “{1}”, which is not written as lines.",
                name,
                registry
            ),
            say!("{0} does not read such a registry either.", registries::keeper()),
        ));
    }
}

/// The entry with the place in the editor's list that the other one had.
fn shown_as(text: &str, place: Option<Json<'_>>) -> Result<String, JsonError> {
    match place {
        Some(place) => set(text, &["displayIndex"], place.text()),
        None => Ok(text.to_owned()),
    }
}
